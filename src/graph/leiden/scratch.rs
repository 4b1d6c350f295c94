//! Working arrays, kept between calls so that clustering many small networks allocates little.

use super::tally::Tally;

/// What a phase keeps for each community. One struct, so that looking at a community costs one cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// Sum of the members' node weights.
    pub total: f64,
    /// Weight of links from the node being looked at; 0 between visits.
    pub towards: f64,
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub slots: Vec<Slot>,
    /// Its first entries are the communities whose `towards` is not 0; one entry longer than the network.
    pub touched: Vec<u32>,
    pub sizes: Vec<u32>,
    pub empty: Vec<u32>,
    pub queue: Vec<u32>,
    pub queued: Vec<bool>,
    /// Weight of links between a sub-community and the rest of the community it lies in.
    pub outward: Vec<f64>,
    /// Sum of node weights of each community while it is refined.
    pub whole: Vec<f64>,
    pub candidates: Vec<(u32, f64)>,
    pub tally: Tally,
}

/// Makes `vec` hold `len` copies of `value`, keeping its memory.
pub(super) fn refill<T: Clone>(vec: &mut Vec<T>, len: usize, value: T) {
    vec.clear();
    vec.resize(len, value);
}
