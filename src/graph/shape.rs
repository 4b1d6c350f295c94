//! The shape of a graph: its components, the nodes that hold it together, and the nodes that paths run through.

use std::cmp::Reverse;

use super::Csr;

/// Numbers the connected components from 0 in order of their first node; returns each node's.
pub fn components(graph: &Csr) -> Vec<u32> {
    let mut component = vec![u32::MAX; graph.node_count()];
    let mut stack = Vec::new();
    let mut count = 0;
    for start in 0..graph.node_count() as u32 {
        if component[start as usize] != u32::MAX {
            continue;
        }
        component[start as usize] = count;
        stack.push(start);
        while let Some(node) = stack.pop() {
            for &near in graph.row(node).0 {
                // invariant: neighbours are nodes
                if component[near as usize] == u32::MAX {
                    component[near as usize] = count;
                    stack.push(near);
                }
            }
        }
        count += 1;
    }
    component
}

/// A node without which its component falls apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// The node.
    pub node: u32,
    /// How many others lose their way to the largest remaining part.
    pub cut_off: usize,
}

/// Finds the cut points (Hopcroft and Tarjan, 1973), those that cut off most first. Linear in nodes and edges.
pub fn cut_points(graph: &Csr) -> Vec<CutPoint> {
    let len = graph.node_count();
    let component = components(graph);
    let mut size_of_component = vec![0usize; len];
    for &own in &component {
        size_of_component[own as usize] += 1;
    }
    const UNSEEN: u32 = u32::MAX;
    let mut entered = vec![UNSEEN; len];
    let mut low = vec![0u32; len];
    let mut subtree = vec![1usize; len];
    // Nodes below `node` that hang on it alone: their sum, and the largest part.
    let mut hanging = vec![(0usize, 0usize); len];
    let mut children_of_root = vec![0u32; len];
    let mut found = Vec::new();
    let mut clock = 0;
    // invariant: all indices are nodes or components, of which there are at most as many
    for root in 0..len as u32 {
        if entered[root as usize] != UNSEEN {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        entered[root as usize] = clock;
        low[root as usize] = clock;
        clock += 1;
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if let Some(&near) = graph.row(node).0.get(*next) {
                *next += 1;
                if entered[near as usize] == UNSEEN {
                    entered[near as usize] = clock;
                    low[near as usize] = clock;
                    clock += 1;
                    path.push((near, 0));
                } else {
                    low[node as usize] = low[node as usize].min(entered[near as usize]);
                }
                continue;
            }
            path.pop();
            let (sum, largest) = hanging[node as usize];
            let is_cut = match path.is_empty() {
                true => children_of_root[node as usize] > 1,
                false => sum > 0,
            };
            if is_cut {
                let whole = size_of_component[component[node as usize] as usize];
                let above = whole - 1 - sum;
                found.push(CutPoint {
                    node,
                    cut_off: whole - 1 - largest.max(above),
                });
            }
            if let Some(&(parent, _)) = path.last() {
                let parent = parent as usize;
                subtree[parent] += subtree[node as usize];
                if low[node as usize] >= entered[parent] {
                    let hangs = subtree[node as usize];
                    hanging[parent] = (hanging[parent].0 + hangs, hanging[parent].1.max(hangs));
                }
                low[parent] = low[parent].min(low[node as usize]);
                children_of_root[parent] += 1;
            }
        }
    }
    found.sort_by_key(|cut| (Reverse(cut.cut_off), cut.node));
    found
}

/// Share of the shortest paths between other members that run through each of `members` (Brandes, 2001), edges counted as equal
/// and paths kept inside. Exact up to `samples` members, else estimated from that many, evenly chosen.
///
/// `place` has room for every node of the graph and is all `u32::MAX` before and after.
pub fn betweenness(graph: &Csr, members: &[u32], samples: usize, place: &mut [u32]) -> Vec<f64> {
    let len = members.len();
    // invariant: members are nodes; `place` maps them to positions in `members`
    for (position, &node) in members.iter().enumerate() {
        place[node as usize] = position as u32;
    }
    let mut through = vec![0.0f64; len];
    let mut distance = vec![u32::MAX; len];
    let mut paths = vec![0.0f64; len];
    let mut carried = vec![0.0f64; len];
    let mut order: Vec<u32> = Vec::with_capacity(len);
    let sources = samples.clamp(1, len.max(1)).min(len);
    for sample in 0..sources {
        let source = sample * len / sources;
        distance.fill(u32::MAX);
        paths.fill(0.0);
        carried.fill(0.0);
        order.clear();
        order.push(source as u32);
        distance[source] = 0;
        paths[source] = 1.0;
        let mut head = 0;
        while let Some(&position) = order.get(head) {
            head += 1;
            let here = position as usize;
            for &near in graph.row(members[here]).0 {
                let near = place[near as usize] as usize;
                if near == u32::MAX as usize {
                    continue;
                }
                if distance[near] == u32::MAX {
                    distance[near] = distance[here] + 1;
                    order.push(near as u32);
                }
                if distance[near] == distance[here] + 1 {
                    paths[near] += paths[here];
                }
            }
        }
        for &position in order.iter().rev() {
            let here = position as usize;
            for &near in graph.row(members[here]).0 {
                let near = place[near as usize] as usize;
                if near != u32::MAX as usize && distance[near] + 1 == distance[here] {
                    carried[near] += paths[near] / paths[here] * (1.0 + carried[here]);
                }
            }
            if here != source {
                through[here] += carried[here];
            }
        }
    }
    for &node in members {
        place[node as usize] = u32::MAX;
    }
    let pairs =
        sources as f64 / len.max(1) as f64 * (len.max(3) as f64 - 1.0) * (len.max(3) as f64 - 2.0);
    through.iter().map(|count| count / pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Csr {
        let edges: Vec<(u32, u32, f64)> = edges.iter().map(|&(a, b)| (a, b, 1.0)).collect();
        Csr::from_edges(nodes, &edges)
    }

    #[test]
    fn two_triangles_at_one_node_fall_apart_without_it() {
        let graph = graph(8, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (5, 6)]);
        assert_eq!(components(&graph), [0, 0, 0, 0, 0, 1, 1, 2]);
        assert_eq!(
            cut_points(&graph),
            [CutPoint {
                node: 2,
                cut_off: 2
            }]
        );
    }

    #[test]
    fn a_path_is_cut_anywhere_but_at_its_ends() {
        let graph = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let cuts: Vec<(u32, usize)> = cut_points(&graph)
            .iter()
            .map(|c| (c.node, c.cut_off))
            .collect();
        assert_eq!(cuts, [(2, 2), (1, 1), (3, 1)]);
    }

    #[test]
    fn betweenness_of_a_star_a_path_and_a_ring() {
        let mut place = vec![u32::MAX; 5];
        let star = graph(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]);
        let all = [0, 1, 2, 3, 4];
        assert_eq!(
            betweenness(&star, &all, 100, &mut place),
            [1.0, 0.0, 0.0, 0.0, 0.0]
        );
        // networkx: 0, 1/2, 2/3, 1/2, 0.
        let path = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let found = betweenness(&path, &all, 100, &mut place);
        for (found, expected) in found.iter().zip([0.0, 0.5, 2.0 / 3.0, 0.5, 0.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
        let ring = graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        let found = betweenness(&ring, &[0, 1, 2, 3], 100, &mut place);
        assert!(found.iter().all(|share| (share - 1.0 / 6.0).abs() < 1e-12));
        // Paths outside the members do not count.
        assert_eq!(
            betweenness(&ring, &[0, 1, 3], 100, &mut place),
            [1.0, 0.0, 0.0]
        );
        assert!(place.iter().all(|&position| position == u32::MAX));
    }
}
