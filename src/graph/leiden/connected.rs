//! The last check: a community is connected, or it becomes as many as it has components.

use super::network::Network;

/// Splits communities into their connected components and numbers these `0..` by first node; returns how many there are.
///
/// Refinement makes aggregates connected, but the moves that follow it may take away the node that held two halves
/// together. Splitting never lowers the quality, as the halves have no link between them.
pub(super) fn split_disconnected(network: &Network, community: &mut [u32]) -> usize {
    let len = network.len();
    let mut component = vec![u32::MAX; len];
    let mut stack: Vec<u32> = Vec::new();
    let mut count = 0;
    // invariant: nodes are below `len`, see `Network`.
    for start in 0..len {
        if component[start] != u32::MAX {
            continue;
        }
        component[start] = count;
        stack.push(start as u32);
        while let Some(node) = stack.pop() {
            let node = node as usize;
            for link in network.links(node) {
                let to = link.to as usize;
                if component[to] == u32::MAX && community[to] == community[node] {
                    component[to] = count;
                    stack.push(link.to);
                }
            }
        }
        count += 1;
    }
    community.copy_from_slice(&component);
    count as usize
}
