//! Fast local moving: nodes move to the neighbouring community that gains most, until none gains.

use super::network::Network;
use super::scratch::{Scratch, Slot, refill};
use super::tally::FEW;

/// A move must gain more than this share of the weights compared. Weights are rounded, so that a link can look a little
/// heavier from one end than from the other: without the margin two nodes could chase each other for ever.
const MARGIN: f64 = 2.5e-7;

/// Visits a node gets on average before the search is cut short. Real networks need two to ten; the bound makes termination certain.
const VISITS_PER_NODE: usize = 200;

/// How long nodes are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Until no node gains by moving.
    Stable,
    /// Each node once.
    Once,
}

/// Moves nodes between communities to the gain of the quality function (MoveNodesFast of the paper).
///
/// `community` gives each node's community, below `network.len()`, and is updated; `order` is the order of first visits,
/// each node once. After that only nodes whose neighbourhood changed are visited.
pub(super) fn local_move(
    network: &Network,
    resolution: f64,
    community: &mut [u32],
    order: &[u32],
    until: Until,
    scratch: &mut Scratch,
) {
    let len = network.len();
    let Scratch {
        slots,
        touched,
        sizes,
        empty,
        queue,
        queued,
        tally,
        ..
    } = scratch;
    refill(slots, len, Slot::default());
    refill(sizes, len, 0);
    refill(queued, len, true);
    refill(touched, len + 1, 0);
    // invariant: nodes and communities are below `len` (see `Network`), and a node is in the ring at most once.
    for node in 0..len {
        slots[community[node] as usize].total += network.node_weight[node];
        sizes[community[node] as usize] += 1;
    }
    empty.clear();
    empty.extend((0..len as u32).rev().filter(|&c| sizes[c as usize] == 0));
    queue.clear();
    queue.extend_from_slice(order);

    let mut head = 0;
    let mut waiting = len;
    let mut visits_left = len.saturating_mul(VISITS_PER_NODE);
    while waiting > 0 && visits_left > 0 {
        let node = queue[head] as usize;
        head = if head + 1 == len { 0 } else { head + 1 };
        waiting -= 1;
        visits_left -= 1;
        queued[node] = false;

        let links = network.links(node);
        let own = community[node];
        let weight = network.node_weight[node];
        let scaled = resolution * weight;
        let expected = scaled * (slots[own as usize].total - weight);
        let mut best = own;
        let (mut best_gain, margin);
        if links.len() <= FEW {
            tally.add(links, community);
            let towards = tally.get(own);
            margin = MARGIN * (towards + expected);
            best_gain = towards - expected + margin;
            tally.drain(|near, towards| {
                // A total is at least zero, so that most communities are ruled out without a look at theirs.
                if towards > best_gain && near != own {
                    let gain = towards - scaled * slots[near as usize].total;
                    if gain > best_gain {
                        (best_gain, best) = (gain, near);
                    }
                }
            });
        } else {
            // No branch on what was just loaded, so that the loads of one node overlap.
            let mut near_count = 0;
            for link in links {
                let near = community[link.to as usize];
                let slot = &mut slots[near as usize];
                touched[near_count] = near;
                near_count += usize::from(slot.towards == 0.0);
                slot.towards += f64::from(link.weight);
            }
            let towards = std::mem::take(&mut slots[own as usize].towards);
            margin = MARGIN * (towards + expected);
            best_gain = towards - expected + margin;
            for &near in &touched[..near_count] {
                let slot = &mut slots[near as usize];
                let gain = slot.towards - scaled * slot.total;
                slot.towards = 0.0;
                if gain > best_gain && near != own {
                    (best_gain, best) = (gain, near);
                }
            }
        }
        if best_gain < -margin
            && sizes[own as usize] > 1
            && let Some(&free) = empty.last()
        {
            best = free;
        }
        if best == own {
            continue;
        }
        community[node] = best;
        slots[own as usize].total -= weight;
        slots[best as usize].total += weight;
        sizes[own as usize] -= 1;
        sizes[best as usize] += 1;
        if sizes[best as usize] == 1 {
            empty.pop();
        }
        if sizes[own as usize] == 0 {
            slots[own as usize].total = 0.0;
            empty.push(own);
        }
        if until == Until::Once {
            continue;
        }
        for link in network.links(node) {
            let to = link.to as usize;
            if !queued[to] && community[to] != best {
                queued[to] = true;
                let tail = head + waiting;
                queue[if tail >= len { tail - len } else { tail }] = to as u32;
                waiting += 1;
            }
        }
    }
}
