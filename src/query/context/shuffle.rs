//! The original's shuffle: CPython's `random.seed(n); random.shuffle(list)`, so that batches hold the same reports.
//!
//! Mersenne twister MT19937 (Matsumoto and Nishimura 1998), seeded by `init_by_array`.

const N: usize = 624;
const M: usize = 397;

struct Mt {
    state: [u32; N],
    at: usize,
}

impl Mt {
    fn seeded(seed: u32) -> Self {
        let mut state = [0u32; N];
        state[0] = 19_650_218;
        for i in 1..N {
            state[i] = 1_812_433_253u32
                .wrapping_mul(state[i - 1] ^ (state[i - 1] >> 30))
                .wrapping_add(i as u32);
        }
        let mut i = 1;
        for _ in 0..N {
            let mixed = (state[i - 1] ^ (state[i - 1] >> 30)).wrapping_mul(1_664_525);
            // The key has one word, so its index stays 0.
            state[i] = (state[i] ^ mixed).wrapping_add(seed);
            i += 1;
            if i >= N {
                state[0] = state[N - 1];
                i = 1;
            }
        }
        for _ in 1..N {
            let mixed = (state[i - 1] ^ (state[i - 1] >> 30)).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u32);
            i += 1;
            if i >= N {
                state[0] = state[N - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Self { state, at: N }
    }

    fn next(&mut self) -> u32 {
        if self.at >= N {
            for i in 0..N {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// Uniform below `n`, which is positive, by rejection.
    fn below(&mut self, n: u32) -> u32 {
        let bits = 32 - n.leading_zeros();
        loop {
            let drawn = self.next() >> (32 - bits);
            if drawn < n {
                return drawn;
            }
        }
    }
}

/// Shuffles in place.
pub(super) fn shuffle<T>(items: &mut [T], seed: u32) {
    let mut random = Mt::seeded(seed);
    for i in (1..items.len()).rev() {
        let j = random.below(i as u32 + 1) as usize;
        items.swap(i, j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // From CPython: random.seed(86); x = list(range(12)); random.shuffle(x)
    #[test]
    fn the_order_is_that_of_cpython() {
        let mut items: Vec<u32> = (0..12).collect();
        shuffle(&mut items, 86);
        assert_eq!(items, [7, 6, 10, 3, 2, 4, 9, 1, 11, 5, 8, 0]);
        shuffle::<u8>(&mut [], 86);
    }
}
