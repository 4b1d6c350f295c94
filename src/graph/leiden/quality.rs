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
    /// Weights are multiplied by it, so that no sum overflows; a power of two, so that the product is exact.
    factor: f64,
    /// Scaled, by node.
    strength: Vec<f64>,
    /// Sum of strengths.
    total: f64,
}

impl<'a> Terms<'a> {
    pub fn new(graph: &'a Csr) -> Self {
        let factor = super::weight_scale(graph).recip();
        let strength: Vec<f64> = (0..graph.node_count() as u32)
            .map(|node| {
                let links: f64 = graph.row(node).1.iter().map(|weight| weight * factor).sum();
                links + 2.0 * graph.self_loop(node) * factor
            })
            .collect();
        Self {
            graph,
            factor,
            total: strength.iter().sum(),
            strength,
        }
    }

    /// Computes what each of `count` communities adds to the modularity; `community` has the number of each node's, below `count`.
    pub fn of_all(&self, community: &[u32], count: usize, resolution: f64) -> Vec<f64> {
        // In order of nodes, as the graph lies in memory.
        let mut sums = vec![(0.0, 0.0); count];
        for (node, &own) in community.iter().enumerate() {
            let (inside, strength) = &mut sums[own as usize];
            *inside += self.inside(node as u32, community);
            *strength += self.strength[node];
        }
        sums.into_iter()
            .map(|(inside, strength)| self.term(inside, strength, resolution))
            .collect()
    }

    fn inside(&self, node: u32, label: &[u32]) -> f64 {
        let own = label[node as usize];
        let links = self.graph.neighbours(node).map(|(near, weight)| {
            // No branch: half of all links would be guessed wrongly.
            f64::from(u8::from(label[near as usize] == own)) * weight * self.factor
        });
        links.sum::<f64>() + 2.0 * self.graph.self_loop(node) * self.factor
    }

    fn term(&self, inside: f64, strength: f64, resolution: f64) -> f64 {
        if self.total == 0.0 {
            return 0.0;
        }
        let share = strength / self.total;
        inside / self.total - resolution * share * share
    }

    /// Computes what one community adds to the modularity; `label` is equal for two nodes when they share a community.
    pub fn of(&self, members: &[u32], label: &[u32], resolution: f64) -> f64 {
        let (mut inside, mut strength) = (0.0, 0.0);
        for &node in members {
            inside += self.inside(node, label);
            // invariant: members are nodes of the graph.
            strength += self.strength[node as usize];
        }
        self.term(inside, strength, resolution)
    }
}
