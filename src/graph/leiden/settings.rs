//! What a clustering depends on besides the graph.

/// The function that a partition maximises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Newman's modularity with a resolution: links inside communities against those expected from node strengths.
    #[default]
    Modularity,
    /// The constant Potts model: links inside communities against `resolution` for each pair of members.
    Cpm,
}

/// Settings of [`hierarchical_leiden`](super::hierarchical_leiden) and [`leiden`](super::leiden).
#[derive(Clone, Debug, PartialEq)]
pub struct LeidenSettings {
    /// Higher gives more and smaller communities; 1 is plain modularity. A density of links for CPM.
    pub resolution: f64,
    /// The function that is maximised.
    pub quality: Quality,
    /// Clusters with more members than this are clustered again on their own.
    pub max_cluster_size: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Full passes of the algorithm, each starting from the partition of the one before; at least one is made.
    pub iterations: u32,
    /// Randomness of refinement (theta of the paper), in units of the mean edge weight; 0 is greedy.
    pub randomness: f64,
}

impl Default for LeidenSettings {
    /// Modularity at resolution 1, clusters of at most 10 where they split, two iterations.
    fn default() -> Self {
        Self {
            resolution: 1.0,
            quality: Quality::Modularity,
            max_cluster_size: 10,
            seed: 0xDEAD_BEEF,
            iterations: 2,
            randomness: 0.001,
        }
    }
}
