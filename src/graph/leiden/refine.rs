//! Refinement: each community is rebuilt from single nodes, so that what is aggregated is well connected.

use super::network::Network;
use super::objective::Objective;
use super::partition::Members;
use super::rng::Rng;
use super::scratch::{Scratch, Slot, refill};

/// Below `exp` of this a choice is as good as impossible, and not worth computing.
const NEGLIGIBLE_EXPONENT: f64 = -40.0;

/// Merges single nodes inside each community into well-connected sub-communities (MergeNodesSubset of the paper).
///
/// A node that is still alone, and well connected to the rest of its community, joins one of the well-connected
/// sub-communities it has links to where that does not lower the quality: the best one, or with a randomness above 0 each with a
/// probability that grows with `exp(gain / randomness)`. Returns each node's sub-community, named by one of its nodes.
pub(super) fn refine(
    network: &Network,
    objective: &Objective,
    community: &[u32],
    order: &[u32],
    rng: &mut Rng,
    scratch: &mut Scratch,
) -> Vec<u32> {
    let len = network.len();
    let resolution = objective.resolution;
    let Scratch {
        slots,
        touched,
        sizes,
        outward,
        whole,
        candidates,
        ..
    } = scratch;
    // invariant: nodes and communities are below `len`, see `Network`; a sub-community is named by a node.
    let mut refined: Vec<u32> = (0..len as u32).collect();
    refill(whole, len, 0.0);
    refill(slots, len, Slot::default());
    refill(sizes, len, 1);
    refill(touched, len + 1, 0);
    outward.clear();
    for node in 0..len {
        let own = community[node];
        whole[own as usize] += network.node_weight[node];
        slots[node].total = network.node_weight[node];
        // No branch: half of all links would be guessed wrongly.
        let inside = network.links(node).iter().map(|link| {
            let counts = u8::from(community[link.to as usize] == own);
            f64::from(counts) * f64::from(link.weight)
        });
        outward.push(inside.sum());
    }
    for &node in order {
        let node = node as usize;
        let own = community[node];
        let total = whole[own as usize];
        let weight = network.node_weight[node];
        let scaled = resolution * weight;
        let is_alone = sizes[node] == 1 && refined[node] == node as u32;
        if !is_alone || outward[node] < scaled * (total - weight) {
            continue;
        }
        let mut near_count = 0;
        for link in network.links(node) {
            if community[link.to as usize] == own {
                let near = refined[link.to as usize];
                let slot = &mut slots[near as usize];
                touched[near_count] = near;
                near_count += usize::from(slot.towards == 0.0);
                slot.towards += f64::from(link.weight);
            }
        }
        candidates.clear();
        let mut best = (node as u32, 0.0);
        for &near in &touched[..near_count] {
            let slot = slots[near as usize];
            let gain = slot.towards - scaled * slot.total;
            let is_well_connected =
                outward[near as usize] >= resolution * slot.total * (total - slot.total);
            if is_well_connected && gain >= 0.0 {
                candidates.push((near, gain));
                if gain > best.1 {
                    best = (near, gain);
                }
            }
        }
        if objective.randomness > 0.0 && !candidates.is_empty() {
            candidates.push((node as u32, 0.0));
            best.0 = draw(candidates, best.1, objective.randomness, rng).unwrap_or(best.0);
        }
        let into = best.0 as usize;
        let towards = slots[into].towards;
        for &near in &touched[..near_count] {
            slots[near as usize].towards = 0.0;
        }
        if into == node {
            continue;
        }
        refined[node] = into as u32;
        sizes[node] = 0;
        sizes[into] += 1;
        slots[node].total = 0.0;
        slots[into].total += weight;
        outward[into] += outward[node] - 2.0 * towards;
    }
    refined
}

/// Draws a candidate with a probability proportional to `exp(gain / randomness)`; overwrites the gains.
fn draw(
    candidates: &mut [(u32, f64)],
    best_gain: f64,
    randomness: f64,
    rng: &mut Rng,
) -> Option<u32> {
    let mut sum = 0.0;
    for candidate in candidates.iter_mut() {
        // Relative to the best gain, so that `exp` cannot overflow.
        let exponent = (candidate.1 - best_gain) / randomness;
        if exponent > NEGLIGIBLE_EXPONENT {
            sum += exponent.exp();
        }
        candidate.1 = sum;
    }
    let drawn = rng.unit() * sum;
    candidates
        .iter()
        .find(|candidate| candidate.1 > drawn)
        .map(|candidate| candidate.0)
}

/// Renumbers sub-communities `0..` by the community they lie in, then by first appearance, so that neighbours in the
/// aggregate network are near each other in memory. Returns how many there are.
///
/// `refined` is what [`refine`] returned for `community`, whose numbers are below `count`.
pub(super) fn number_by_community(refined: &mut [u32], community: &[u32], count: usize) -> usize {
    let mut new_id = vec![u32::MAX; refined.len()];
    let mut groups = 0;
    // invariant: sub-communities are named by nodes.
    for nodes in Members::new(community, count).iter() {
        for &node in nodes {
            let id = &mut new_id[refined[node as usize] as usize];
            if *id == u32::MAX {
                *id = groups;
                groups += 1;
            }
        }
    }
    for name in refined.iter_mut() {
        *name = new_id[*name as usize];
    }
    groups as usize
}
