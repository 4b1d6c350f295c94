//! Modularity of a partition of the graph itself, in its own weights.

use rayon::prelude::*;

use crate::graph::Csr;

/// Computes Newman's modularity with a resolution: the sum over communities of `inside / 2m - resolution * (strength / 2m)^2`,
/// where a self-loop counts twice in `inside` and in the strength of its node (as in igraph and networkx).
///
/// `partition` has one number per node, any numbers. 0 for a graph without edges.
///
/// # Panics
/// When `partition` is shorter than the number of nodes.
pub fn modularity(graph: &Csr, partition: &[u32], resolution: f64) -> f64 {
    let terms = Terms::new(graph);
    let mut by_community: Vec<u32> = (0..graph.node_count() as u32).collect();
    by_community.sort_by_key(|&node| partition[node as usize]);
    let communities: Vec<&[u32]> = by_community
        .chunk_by(|&a, &b| partition[a as usize] == partition[b as usize])
        .collect();
    let parts: Vec<f64> = communities
        .par_iter()
        .map(|members| terms.of(members, partition, resolution))
        .collect();
    parts.iter().sum()
}

/// What the modularity of every partition of one graph shares.
pub(super) struct Terms<'a> {
    graph: &'a Csr,
    /// Divides weights, so that no sum overflows.
    scale: f64,
    /// Sum of strengths, scaled.
    total: f64,
}

impl<'a> Terms<'a> {
    pub fn new(graph: &'a Csr) -> Self {
        let scale = super::weight_scale(graph);
        let mut terms = Self {
            graph,
            scale,
            total: 0.0,
        };
        terms.total = (0..graph.node_count() as u32)
            .map(|node| terms.strength(node))
            .sum();
        terms
    }

    fn strength(&self, node: u32) -> f64 {
        let weights = self.graph.row(node).1;
        weights
            .iter()
            .map(|weight| weight / self.scale)
            .sum::<f64>()
            + 2.0 * self.graph.self_loop(node) / self.scale
    }

    /// Computes what one community adds to the modularity; `label` is equal for two nodes when they share a community.
    pub fn of(&self, members: &[u32], label: &[u32], resolution: f64) -> f64 {
        if self.total == 0.0 {
            return 0.0;
        }
        let (mut inside, mut strength) = (0.0, 0.0);
        for &node in members {
            let own = label[node as usize];
            inside += 2.0 * self.graph.self_loop(node) / self.scale;
            for (near, weight) in self.graph.neighbours(node) {
                if label[near as usize] == own {
                    inside += weight / self.scale;
                }
            }
            strength += self.strength(node);
        }
        let share = strength / self.total;
        inside / self.total - resolution * share * share
    }
}
