//! Weights by community, for nodes with few links.

use super::network::Link;

/// Links up to which a [`Tally`] is used.
pub(super) const FEW: usize = 128;

/// Twice as many as there may be keys, so that searches are short; a power of two, so that a place is a mask away.
const PLACES: usize = 2 * FEW;

/// No community: all are below the number of nodes.
const FREE: u32 = u32::MAX;

/// Sums by key in a table small enough for the fastest cache. What a node's links lead to lies all over memory; with the sums in
/// here only the communities that could be the best are looked at there.
#[derive(Debug)]
pub(super) struct Tally {
    keys: [u32; PLACES],
    sums: [f64; PLACES],
    held: [u8; PLACES],
    count: usize,
    /// The community of each link. Filled before anything is summed: a loop without branches, so that its loads overlap.
    near: [u32; FEW],
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            keys: [FREE; PLACES],
            sums: [0.0; PLACES],
            held: [0; PLACES],
            count: 0,
            near: [0; FEW],
        }
    }
}

impl Tally {
    /// Sums the weights of at most [`FEW`] links by the communities they lead to; those after are left out.
    pub fn add(&mut self, links: &[Link], community: &[u32]) {
        for (near, link) in self.near.iter_mut().zip(links) {
            *near = community[link.to as usize];
        }
        let mut count = 0u8;
        for (&near, link) in self.near.iter().zip(links) {
            let place = self.place(near);
            // invariant: a place is below `PLACES`, which a `u8` holds, and at most `FEW` are taken.
            self.held[usize::from(count)] = place as u8;
            count += u8::from(self.keys[place] == FREE);
            self.keys[place] = near;
            self.sums[place] += f64::from(link.weight);
        }
        self.count = usize::from(count);
    }

    /// The sum of a key.
    pub fn get(&self, key: u32) -> f64 {
        self.sums[self.place(key)]
    }

    fn place(&self, key: u32) -> usize {
        let mut place = key as usize % PLACES;
        while (self.keys[place] != key) & (self.keys[place] != FREE) {
            place = (place + 1) % PLACES;
        }
        place
    }

    /// Hands out keys and sums, in the order in which the keys came, and forgets them.
    pub fn drain(&mut self, mut each: impl FnMut(u32, f64)) {
        for &place in &self.held[..self.count] {
            let place = usize::from(place);
            let key = std::mem::replace(&mut self.keys[place], FREE);
            each(key, std::mem::take(&mut self.sums[place]));
        }
        self.count = 0;
    }
}
