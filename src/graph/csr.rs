//! Compressed sparse row adjacency of an undirected weighted graph, in canonical form.

/// Edges that were left out while building a [`Csr`], by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedEdges {
    /// The weight is not finite, zero or negative.
    pub weight: usize,
    /// An end is not below the number of nodes.
    pub endpoint: usize,
}

impl DroppedEdges {
    /// Returns the number of dropped edges, whatever the reason.
    pub fn total(&self) -> usize {
        self.weight + self.endpoint
    }
}

/// An undirected weighted graph over nodes `0..node_count`, each edge stored at both of its ends.
///
/// The form is canonical: it depends on the set of edges and their weights alone, not on the order in which they came
/// or on which end was named first. Neighbours of a node are in ascending order without repeats, weights are finite
/// and positive, self-loops are kept apart from neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    /// `node_count + 1` ascending positions into `targets` and `weights`.
    offsets: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// Weight of each node's self-loop, 0 where there is none; empty when no node has one.
    self_loops: Vec<f64>,
    dropped: DroppedEdges,
}

impl Csr {
    /// Builds the graph over nodes `0..node_count` from `(one end, other end, weight)` edges in any order.
    ///
    /// Duplicate and reversed edges are summed (a sum beyond the largest finite number is kept at that number). Edges with
    /// an unusable weight or an unknown end are dropped and counted, see [`Csr::dropped`].
    pub fn from_edges(node_count: usize, edges: &[(u32, u32, f64)]) -> Self {
        let mut dropped = DroppedEdges::default();
        let mut loops: Vec<(u32, f64)> = Vec::new();
        let mut offsets = vec![0usize; node_count + 1];
        // invariant: the indexing below is by ends that were checked against `node_count`.
        for &(a, b, weight) in edges {
            if !is_usable(weight) {
                dropped.weight += 1;
            } else if a.max(b) as usize >= node_count {
                dropped.endpoint += 1;
            } else if a == b {
                loops.push((a, weight));
            } else {
                offsets[a as usize + 1] += 1;
                offsets[b as usize + 1] += 1;
            }
        }
        for node in 0..node_count {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0u32; offsets[node_count]];
        let mut weights = vec![0f64; offsets[node_count]];
        for &(a, b, weight) in edges {
            if a == b || a.max(b) as usize >= node_count || !is_usable(weight) {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                let place = &mut next[from as usize];
                targets[*place] = to;
                weights[*place] = weight;
                *place += 1;
            }
        }
        let mut graph = Self {
            offsets,
            targets,
            weights,
            self_loops: sum_self_loops(node_count, loops),
            dropped,
        };
        graph.merge_parallel_edges();
        graph
    }

    /// Sorts every row and sums repeated targets, closing the gaps in place.
    fn merge_parallel_edges(&mut self) {
        let mut row: Vec<(u32, f64)> = Vec::new();
        let mut write = 0;
        for node in 0..self.node_count() {
            // invariant: rows are read in order and `write` never passes the row being read.
            let (start, end) = (self.offsets[node], self.offsets[node + 1]);
            self.offsets[node] = write;
            if self.targets[start..end].is_sorted_by(|a, b| a < b) {
                self.targets.copy_within(start..end, write);
                self.weights.copy_within(start..end, write);
                write += end - start;
                continue;
            }
            row.clear();
            row.extend((start..end).map(|i| (self.targets[i], self.weights[i])));
            // Summed in order of weight, so that the sum does not depend on the order of the input.
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            for parallel in row.chunk_by(|a, b| a.0 == b.0) {
                self.targets[write] = parallel[0].0;
                self.weights[write] = finite_sum(parallel);
                write += 1;
            }
        }
        let node_count = self.node_count();
        self.offsets[node_count] = write;
        self.targets.truncate(write);
        self.weights.truncate(write);
    }

    /// Returns the number of nodes, those without edges included.
    pub fn node_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the number of distinct edges between different nodes.
    pub fn edge_count(&self) -> usize {
        self.targets.len() / 2
    }

    /// Returns the edges left out while building.
    pub fn dropped(&self) -> DroppedEdges {
        self.dropped
    }

    /// Returns the neighbours of `node` in ascending order, and the weight of the edge to each, as two slices of one length.
    ///
    /// # Panics
    /// When `node` is not below [`Csr::node_count`].
    pub fn row(&self, node: u32) -> (&[u32], &[f64]) {
        let range = self.offsets[node as usize]..self.offsets[node as usize + 1];
        (&self.targets[range.clone()], &self.weights[range])
    }

    /// Iterates over `(neighbour, weight)` of `node` in ascending order of neighbour; a self-loop is not among them.
    ///
    /// # Panics
    /// When `node` is not below [`Csr::node_count`].
    pub fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let (targets, weights) = self.row(node);
        targets.iter().copied().zip(weights.iter().copied())
    }

    /// Returns the number of distinct neighbours of `node`, itself not counted.
    pub fn degree(&self, node: u32) -> usize {
        self.row(node).0.len()
    }

    /// Returns the weight of the self-loop of `node`, 0 when it has none.
    pub fn self_loop(&self, node: u32) -> f64 {
        self.self_loops.get(node as usize).copied().unwrap_or(0.0)
    }

    /// Tells whether any node has a self-loop.
    pub fn has_self_loops(&self) -> bool {
        !self.self_loops.is_empty()
    }

    /// Returns the largest weight of an edge or a self-loop, 0 without edges.
    pub fn max_weight(&self) -> f64 {
        let loops = self.self_loops.iter();
        self.weights
            .iter()
            .chain(loops)
            .copied()
            .fold(0.0, f64::max)
    }
}

fn is_usable(weight: f64) -> bool {
    weight.is_finite() && weight > 0.0
}

fn finite_sum(parallel: &[(u32, f64)]) -> f64 {
    parallel
        .iter()
        .map(|edge| edge.1)
        .sum::<f64>()
        .min(f64::MAX)
}

fn sum_self_loops(node_count: usize, mut loops: Vec<(u32, f64)>) -> Vec<f64> {
    if loops.is_empty() {
        return Vec::new();
    }
    loops.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut sums = vec![0.0; node_count];
    for parallel in loops.chunk_by(|a, b| a.0 == b.0) {
        // invariant: ends of kept edges are below `node_count`.
        sums[parallel[0].0 as usize] = finite_sum(parallel);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_and_reversed_edges_are_summed() {
        let graph = Csr::from_edges(3, &[(1, 0, 1.0), (0, 1, 2.0), (2, 1, 4.0), (0, 1, 0.5)]);
        assert_eq!(graph.neighbours(0).collect::<Vec<_>>(), [(1, 3.5)]);
        assert_eq!(
            graph.neighbours(1).collect::<Vec<_>>(),
            [(0, 3.5), (2, 4.0)]
        );
        assert_eq!(graph.neighbours(2).collect::<Vec<_>>(), [(1, 4.0)]);
        assert_eq!(graph.edge_count(), 2);
        assert_eq!(graph.max_weight(), 4.0);
    }

    #[test]
    fn order_and_direction_of_the_input_do_not_matter_to_the_last_bit() {
        let edges = [
            (0, 1, 0.1),
            (1, 2, 1.0),
            (0, 1, 0.2),
            (0, 1, 0.3),
            (2, 2, 0.7),
            (2, 2, 0.1),
            (2, 2, 0.2),
        ];
        let mut reversed: Vec<_> = edges.iter().map(|&(a, b, w)| (b, a, w)).collect();
        reversed.reverse();
        assert_eq!(Csr::from_edges(3, &edges), Csr::from_edges(3, &reversed));
    }

    #[test]
    fn unusable_edges_are_dropped_and_counted() {
        let edges = [
            (0, 1, f64::NAN),
            (0, 1, f64::INFINITY),
            (0, 1, 0.0),
            (0, 1, -1.0),
            (1, 1, -1.0),
            (0, 2, 1.0),
            (7, 7, 1.0),
            (0, 1, 1.0),
        ];
        let graph = Csr::from_edges(2, &edges);
        assert_eq!(
            graph.dropped(),
            DroppedEdges {
                weight: 5,
                endpoint: 2
            }
        );
        assert_eq!(graph.dropped().total(), 7);
        assert_eq!(graph.neighbours(0).collect::<Vec<_>>(), [(1, 1.0)]);
    }

    #[test]
    fn self_loops_are_kept_apart() {
        let graph = Csr::from_edges(3, &[(1, 1, 2.0), (1, 0, 3.0), (1, 1, 0.5)]);
        assert_eq!(
            (graph.self_loop(0), graph.self_loop(1), graph.self_loop(2)),
            (0.0, 2.5, 0.0)
        );
        assert_eq!((graph.degree(1), graph.edge_count()), (1, 1));
    }

    #[test]
    fn sums_stay_finite() {
        let graph = Csr::from_edges(2, &[(0, 1, f64::MAX), (1, 0, f64::MAX)]);
        assert_eq!(graph.neighbours(0).collect::<Vec<_>>(), [(1, f64::MAX)]);
    }

    #[test]
    fn no_nodes_and_no_edges() {
        assert_eq!(Csr::from_edges(0, &[]).node_count(), 0);
        assert_eq!(Csr::default().node_count(), 0);
        let graph = Csr::from_edges(4, &[]);
        assert_eq!(
            (graph.node_count(), graph.edge_count(), graph.degree(3)),
            (4, 0, 0)
        );
    }
}
