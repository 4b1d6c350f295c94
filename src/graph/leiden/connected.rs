//! The last check: a community is connected, or it becomes as many as it has components.

use super::network::Network;

/// Splits communities into their connected components and numbers these `0..` by first node; returns how many there are.
///
/// Refinement makes aggregates connected, but the moves that follow it may take away the node that held two halves
/// together. Splitting never lowers the quality, as the halves have no link between them.
pub(super) fn split_disconnected(network: &Network, community: &mut [u32]) -> usize {
    let len = network.len();
    let mut component = vec![u32::MAX; len];
    let mut stack = vec![0u32; len + 1];
    let mut count = 0;
    // invariant: nodes and communities are below `len`, see `Network`.
    let mut unreached = vec![0u32; len];
    for &own in community.iter() {
        unreached[own as usize] += 1;
    }
    for start in 0..len {
        if component[start] != u32::MAX {
            continue;
        }
        let own = community[start];
        component[start] = count;
        let mut left = unreached[own as usize] - 1;
        stack[0] = start as u32;
        let mut height = 1;
        // Most communities are reached whole long before all of their links are seen.
        while height > 0 && left > 0 {
            height -= 1;
            let node = stack[height] as usize;
            for link in network.links(node) {
                let to = link.to as usize;
                // No branch: which links lead to a node not yet reached cannot be guessed.
                let is_new = (component[to] == u32::MAX) & (community[to] == own);
                component[to] = if is_new { count } else { component[to] };
                stack[height] = link.to;
                height += usize::from(is_new);
                left -= u32::from(is_new);
            }
        }
        unreached[own as usize] = left;
        count += 1;
    }
    community.copy_from_slice(&component);
    count as usize
}
