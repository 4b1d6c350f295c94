//! Clusters within clusters: those above the size limit are clustered again on their own, level by level.

use rayon::prelude::*;

use super::cluster::cluster;
use super::network::Network;
use super::partition::Members;
use super::quality::Terms;
use super::rng::Rng;
use super::scratch::Scratch;
use super::settings::LeidenSettings;
use crate::graph::Csr;

/// A cluster of the hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Unique over all levels, and its position in [`Hierarchy::clusters`].
    pub id: u32,
    /// 0 is the coarsest.
    pub level: u32,
    /// The cluster of the level above that it is a part of; `None` at level 0.
    pub parent: Option<u32>,
    /// Its nodes, ascending; connected among themselves.
    pub members: Vec<u32>,
}

/// Figures of one level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelStats {
    /// 0 is the coarsest.
    pub level: u32,
    /// Number of clusters of this level.
    pub clusters: usize,
    /// How many of them have a single member; at level 0 isolated nodes are among these.
    pub singletons: usize,
    /// Newman's modularity (resolution 1) of the graph's nodes by their deepest cluster down to this level.
    pub modularity: f64,
}

/// The clusters of all levels. Those of level 0 partition the nodes; those of a deeper level partition the clusters that were split.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    /// In order of level, then of smallest member.
    pub clusters: Vec<Cluster>,
    /// In order of level; empty for a graph without nodes.
    pub levels: Vec<LevelStats>,
}

/// A cluster to be split: its own links, and the graph's number of each of its nodes.
struct Work {
    cluster: Option<u32>,
    network: Network,
    nodes: Vec<u32>,
}

/// One of the clusters that a split gave, with what is needed to split it further when it is too large.
struct Piece {
    parent: Option<u32>,
    members: Vec<u32>,
    further: Option<(Network, Vec<u32>)>,
}

/// Clusters `network`, then its clusters above the size limit; `scale` is what the weights of `graph` were divided by.
pub(super) fn build(
    graph: &Csr,
    network: Network,
    settings: &LeidenSettings,
    scale: f64,
) -> Hierarchy {
    let nodes = (0..network.len() as u32).collect();
    let mut work = vec![Work {
        cluster: None,
        network,
        nodes,
    }];
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut level = 0;
    while !work.is_empty() {
        let split =
            |scratch: &mut Scratch, work: Work| split(work, level, settings, scale, scratch);
        // Each split depends on its own work alone, and `collect` keeps the order: threads cannot change the result.
        let mut pieces: Vec<Piece> = work
            .into_par_iter()
            .map_init(Scratch::default, split)
            .flatten_iter()
            .collect();
        pieces.sort_unstable_by_key(|piece| piece.members.first().copied());
        work = Vec::new();
        for piece in pieces {
            let id = clusters.len() as u32;
            if let Some((network, nodes)) = piece.further {
                work.push(Work {
                    cluster: Some(id),
                    network,
                    nodes,
                });
            }
            clusters.push(Cluster {
                id,
                level,
                parent: piece.parent,
                members: piece.members,
            });
        }
        level += 1;
    }
    let levels = level_stats(graph, &clusters);
    Hierarchy { clusters, levels }
}

/// Clusters one network; returns nothing when a cluster stays whole.
fn split(
    work: Work,
    level: u32,
    settings: &LeidenSettings,
    scale: f64,
    scratch: &mut Scratch,
) -> Vec<Piece> {
    let smallest = work.nodes.iter().min().copied().unwrap_or(0);
    let rng = Rng::new(&[settings.seed, u64::from(level), u64::from(smallest)]);
    let whole = cluster(work.network, settings, scale, rng, scratch);
    if work.cluster.is_some() && whole.count <= 1 {
        return Vec::new();
    }
    let members = Members::new(&whole.community, whole.count);
    // invariant: members are nodes of the network, and `order` maps these to positions in `nodes`.
    let mut place = vec![0u32; whole.network.len()];
    for nodes in members.iter() {
        for (position, &node) in nodes.iter().enumerate() {
            place[node as usize] = position as u32;
        }
    }
    let graph_node = |&node: &u32| work.nodes[whole.order[node as usize] as usize];
    let piece = |nodes: &[u32]| {
        let in_graph: Vec<u32> = nodes.iter().map(graph_node).collect();
        let mut sorted = in_graph.clone();
        sorted.sort_unstable();
        let further = (nodes.len() > settings.max_cluster_size.max(1)).then(|| {
            (
                whole
                    .network
                    .subnetwork(nodes, &whole.community, &place, settings.quality),
                in_graph,
            )
        });
        Piece {
            parent: work.cluster,
            members: sorted,
            further,
        }
    };
    members.iter().map(piece).collect()
}

fn level_stats(graph: &Csr, clusters: &[Cluster]) -> Vec<LevelStats> {
    let terms = Terms::new(graph);
    let mut label = vec![0u32; graph.node_count()];
    let mut term_of: Vec<f64> = Vec::with_capacity(clusters.len());
    let mut levels = Vec::new();
    for of_level in clusters.chunk_by(|a, b| a.level == b.level) {
        for cluster in of_level {
            for &node in &cluster.members {
                // invariant: members are nodes of the graph, and a parent comes before its children.
                label[node as usize] = cluster.id;
            }
            if let Some(parent) = cluster.parent {
                term_of[parent as usize] = 0.0;
            }
        }
        if term_of.is_empty() {
            // The clusters of level 0 have all nodes, and the first numbers.
            term_of = terms.of_all(&label, of_level.len(), 1.0);
        } else {
            term_of.par_extend(
                of_level
                    .par_iter()
                    .map(|cluster| terms.of(&cluster.members, &label, 1.0)),
            );
        }
        levels.push(LevelStats {
            level: levels.len() as u32,
            clusters: of_level.len(),
            singletons: of_level
                .iter()
                .filter(|cluster| cluster.members.len() == 1)
                .count(),
            modularity: term_of.iter().sum(),
        });
    }
    levels
}
