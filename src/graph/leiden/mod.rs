//! Hierarchical Leiden: communities of a weighted graph, and communities within those that are too large.
//!
//! After V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
//! Scientific Reports 9, 5233 (2019). An iteration is, as in the paper, fast local moving, refinement and aggregation, repeated on
//! the aggregate network until nothing moves; ours ends with local moving of the single nodes, which is the first step of the
//! iteration that may follow. The hierarchy is that of the reference: every cluster above the size limit is clustered again, alone.
//!
//! The result depends on the graph and the settings alone: not on the order of the input edges ([`Csr`] is
//! canonical), nor on the number of threads (only whole networks are given to threads, each with its own seed).

mod aggregate;
mod cluster;
mod connected;
mod hierarchy;
mod local_move;
mod network;
mod objective;
mod partition;
mod quality;
mod refine;
mod rng;
mod scratch;
mod settings;
mod tally;
#[cfg(test)]
mod tests;

pub use hierarchy::{Cluster, Hierarchy, LevelStats};
pub use quality::modularity;
pub use settings::{LeidenSettings, Quality};

use super::Csr;
use network::Network;
use rng::Rng;
use scratch::Scratch;

/// Clusters a graph, then its clusters of more than `max_cluster_size` members, and so on down.
///
/// A cluster that does not split stays as it is. Every node is in exactly one cluster of level 0, also in small
/// components; a node without edges is a cluster of its own.
pub fn hierarchical_leiden(graph: &Csr, settings: &LeidenSettings) -> Hierarchy {
    let scale = weight_scale(graph);
    let network = Network::from_csr(graph, scale, settings.quality);
    hierarchy::build(graph, network, settings, scale)
}

/// Clusters a graph; returns each node's community, numbered `0..` by smallest member.
///
/// This is level 0 of [`hierarchical_leiden`].
pub fn leiden(graph: &Csr, settings: &LeidenSettings) -> Vec<u32> {
    let scale = weight_scale(graph);
    let network = Network::from_csr(graph, scale, settings.quality);
    let clustered = cluster::cluster(
        network,
        settings,
        scale,
        Rng::new(&[settings.seed, 0, 0]),
        &mut Scratch::default(),
    );
    let mut community = vec![0u32; graph.node_count()];
    for (&node, &own) in clustered.order.iter().zip(&clustered.community) {
        // invariant: `order` has each node once.
        community[node as usize] = own;
    }
    partition::compact(&mut community);
    community
}

/// Returns the power of two next above the largest weight: dividing by it is exact and makes every weight at most 1.
fn weight_scale(graph: &Csr) -> f64 {
    let max = graph.max_weight();
    if max == 0.0 {
        return 1.0;
    }
    // The exponent stays in the range of normal numbers, so that neither the power nor a quotient overflows.
    2f64.powi(max.log2().ceil().clamp(-1000.0, 1023.0) as i32)
}
