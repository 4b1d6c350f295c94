//! The working form of a graph while it is clustered.

use super::settings::Quality;
use crate::graph::Csr;

/// One end of an edge, as seen from the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub to: u32,
    /// Divided by a power of two such that the largest is at most 1; exact for whole numbers up to 2^24, and never 0.
    pub weight: f32,
}

/// A graph over nodes `0..len` whose nodes may stand for groups of nodes of a finer one.
///
/// Invariants, on which all indexing in this folder rests: `offsets` ascends, starts at 0, has `len + 1` entries and ends
/// at `links.len()`; every `Link::to` is below `len`; each edge is stored at both ends; no link leads to its own node.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    pub offsets: Vec<usize>,
    pub links: Vec<Link>,
    /// What a node adds to its community's size in the quality function: its strength (modularity) or node count (CPM).
    pub node_weight: Vec<f64>,
    /// Weight of each node's self-loop; empty when there is none, and in aggregate networks, where it does not matter.
    pub self_loops: Vec<f64>,
}

impl Network {
    /// Returns an empty network with room for `nodes` and `links`.
    pub fn with_capacity(nodes: usize, links: usize) -> Self {
        let mut offsets = Vec::with_capacity(nodes + 1);
        offsets.push(0);
        Self {
            offsets,
            links: Vec::with_capacity(links),
            node_weight: Vec::with_capacity(nodes),
            self_loops: Vec::new(),
        }
    }

    /// Takes over a graph, node for node, with weights divided by `scale`.
    pub fn from_csr(graph: &Csr, scale: f64, quality: Quality) -> Self {
        let mut network = Self::with_capacity(graph.node_count(), 2 * graph.edge_count());
        let with_loops = graph.has_self_loops();
        for node in 0..graph.node_count() as u32 {
            // The quotient is at most 1; one too small for an f32 is kept at the smallest positive number, so that a link never vanishes.
            network
                .links
                .extend(graph.neighbours(node).map(|(to, weight)| Link {
                    to,
                    weight: ((weight / scale) as f32).max(f32::MIN_POSITIVE),
                }));
            let self_loop = with_loops.then(|| graph.self_loop(node) / scale);
            network.close_node(self_loop, quality);
        }
        network
    }

    pub fn len(&self) -> usize {
        self.node_weight.len()
    }

    pub fn links(&self, node: usize) -> &[Link] {
        &self.links[self.offsets[node]..self.offsets[node + 1]]
    }

    pub fn self_loop(&self, node: usize) -> Option<f64> {
        self.self_loops.get(node).copied()
    }

    /// Adds the next node of a network of single nodes, its links being those pushed since the last call.
    pub fn close_node(&mut self, self_loop: Option<f64>, quality: Quality) {
        let start = self.offsets.last().copied().unwrap_or(0);
        let strength: f64 = self.links[start..]
            .iter()
            .map(|link| f64::from(link.weight))
            .sum();
        self.offsets.push(self.links.len());
        self.self_loops.extend(self_loop);
        self.node_weight.push(match quality {
            Quality::Modularity => strength + 2.0 * self_loop.unwrap_or(0.0),
            Quality::Cpm => 1.0,
        });
    }

    /// Renumbers the nodes: node `i` of the result is node `order[i]` of this network.
    ///
    /// The result is the same graph; only neighbours are nearer to each other in memory, on which the speed of everything here rests.
    pub fn reordered(&self, order: &[u32]) -> Self {
        let mut new_id = vec![0u32; self.len()];
        for (new, &old) in order.iter().enumerate() {
            new_id[old as usize] = new as u32;
        }
        let mut network = Self::with_capacity(self.len(), self.links.len());
        for &old in order {
            let old = old as usize;
            network
                .links
                .extend(self.links(old).iter().map(|link| Link {
                    to: new_id[link.to as usize],
                    weight: link.weight,
                }));
            network.offsets.push(network.links.len());
            network.node_weight.push(self.node_weight[old]);
            network.self_loops.extend(self.self_loop(old));
        }
        network
    }

    /// Cuts out the community `members`, whose links to other communities are dropped.
    ///
    /// `community` and `place` give, for every node of this network, its community and its position among the members of that.
    pub fn subnetwork(
        &self,
        members: &[u32],
        community: &[u32],
        place: &[u32],
        quality: Quality,
    ) -> Self {
        let links = members
            .iter()
            .map(|&node| self.links(node as usize).len())
            .sum();
        let mut network = Self::with_capacity(members.len(), links);
        for &node in members {
            let node = node as usize;
            let own = community[node];
            network.links.extend(
                self.links(node)
                    .iter()
                    .filter(|link| community[link.to as usize] == own)
                    .map(|link| Link {
                        to: place[link.to as usize],
                        weight: link.weight,
                    }),
            );
            network.close_node(self.self_loop(node), quality);
        }
        network
    }
}
