//! The settings as numbers in the scale of one network.

use super::network::Network;
use super::settings::{LeidenSettings, Quality};

/// What local moving and refinement maximise: the sum over communities of (weight of links inside) - `resolution` / 2 *
/// (sum of node weights)^2, which is modularity times half the total weight, or the constant Potts model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    pub resolution: f64,
    /// Gains smaller than this are chosen almost at random in refinement.
    pub randomness: f64,
}

impl Objective {
    /// Derives the objective for `network`, whose weights were divided by `scale`.
    pub fn new(network: &Network, settings: &LeidenSettings, scale: f64) -> Self {
        let weight: f64 = network
            .links
            .iter()
            .map(|link| f64::from(link.weight))
            .sum();
        let mean_weight = weight / network.links.len().max(1) as f64;
        let resolution = match settings.quality {
            Quality::Modularity => settings.resolution / network.node_weight.iter().sum::<f64>(),
            Quality::Cpm => settings.resolution / scale,
        };
        Self {
            // Without any link the quotient is not a number, and nothing is left to decide.
            resolution: if resolution.is_finite() {
                resolution
            } else {
                0.0
            },
            randomness: settings.randomness * mean_weight,
        }
    }
}
