//! Aggregation: each sub-community becomes one node of a smaller network.

use super::network::{Link, Network};
use super::partition::Members;
use super::scratch::{Scratch, Slot, refill};

/// Builds the network whose nodes are the groups of `group`, numbered `0..count`; links inside a group vanish.
pub(super) fn aggregate(
    network: &Network,
    group: &[u32],
    count: usize,
    scratch: &mut Scratch,
) -> Network {
    let members = Members::new(group, count);
    let Scratch { slots, touched, .. } = scratch;
    refill(slots, count, Slot::default());
    refill(touched, count + 1, 0);
    let mut coarse = Network::with_capacity(count, 0);
    // invariant: groups are below `count`, members below `network.len()`.
    for (this, nodes) in members.iter().enumerate() {
        let mut near_count = 0;
        let mut weight = 0.0;
        for &node in nodes {
            weight += network.node_weight[node as usize];
            for link in network.links(node as usize) {
                let near = group[link.to as usize];
                let slot = &mut slots[near as usize];
                touched[near_count] = near;
                near_count += usize::from(slot.towards == 0.0);
                slot.towards += f64::from(link.weight);
            }
        }
        for &near in &touched[..near_count] {
            let towards = std::mem::take(&mut slots[near as usize].towards);
            if near as usize != this {
                coarse.links.push(Link {
                    to: near,
                    weight: towards as f32,
                });
            }
        }
        coarse.offsets.push(coarse.links.len());
        coarse.node_weight.push(weight);
    }
    coarse
}
