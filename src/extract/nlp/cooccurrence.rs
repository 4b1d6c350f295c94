//! Edges between phrases that occur together.
//!
//! An edge joins two names that share a text unit; its raw weight is the number of units they share. The reference joins every pair of
//! a unit, which for a unit of 150 phrases is 11,000 edges, most of them noise: by default only pairs in the same or in
//! adjacent sentences count ([`Window::Sentences`]); [`Window::Unit`] is the reference's rule.
//!
//! Normalised, the weight is `p(xy) log2(p(xy) / (p(x) p(y)))`, with `p(xy)` the pair's share of all raw weight and `p(x)` the name's share of
//! all frequency. Pairs that meet less often than chance get zero or less, which no clustering by modularity can take: they keep half the smallest
//! positive weight of the graph, so that they are the first to go when edges are pruned by weight and lose no node when they are not.

use rayon::slice::ParallelSliceMut;

/// How near two phrases must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Anywhere in the text unit, as the reference has it.
    Unit,
    /// At most so many sentences apart; zero is the same sentence.
    Sentences(u32),
}

/// Collects pairs unit by unit. Names are dense indices; order of units and of names within a unit does not matter.
///
/// Memory is 16 bytes for each pair and unit; leave out names that pruning by frequency would drop.
pub struct Cooccurrence {
    window: Window,
    /// Pair (low index in the high half) and unit.
    pairs: Vec<(u64, u32)>,
    unit_pairs: Vec<u64>,
}

/// An undirected edge, `source < target`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Index of the one name.
    pub source: u32,
    /// Index of the other name.
    pub target: u32,
    /// Finite and positive.
    pub weight: f64,
    first_unit: u32,
    end_unit: u32,
}

/// Edges in order of (source, target) with the text units that support them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edges {
    /// All edges.
    pub edges: Vec<Edge>,
    units: Vec<u32>,
}

impl Edges {
    /// The text units an edge of this set rests on, sorted.
    pub fn units(&self, edge: &Edge) -> &[u32] {
        self.units
            .get(edge.first_unit as usize..edge.end_unit as usize)
            .unwrap_or_default()
    }
}

impl Cooccurrence {
    /// An empty collection.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            pairs: Vec::new(),
            unit_pairs: Vec::new(),
        }
    }

    /// Adds the pairs of one text unit. `mentions` are `(sentence, name)`; they are sorted in place.
    pub fn add_unit(&mut self, unit: u32, mentions: &mut Vec<(u32, u32)>) {
        if self.window == Window::Unit {
            for mention in mentions.iter_mut() {
                mention.0 = 0;
            }
        }
        mentions.sort_unstable();
        mentions.dedup();
        let reach = match self.window {
            Window::Unit => 0,
            Window::Sentences(n) => n,
        };
        self.unit_pairs.clear();
        for (i, &(sentence, name)) in mentions.iter().enumerate() {
            for &(later, other) in &mentions[i + 1..] {
                if later - sentence > reach {
                    break;
                }
                if name != other {
                    self.unit_pairs.push(pack(name, other));
                }
            }
        }
        self.unit_pairs.sort_unstable();
        self.unit_pairs.dedup();
        self.pairs
            .extend(self.unit_pairs.iter().map(|&pair| (pair, unit)));
    }

    /// Takes over the pairs another thread collected.
    pub fn merge(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
    }

    /// The edges. With `frequency` (text units that mention each name, by index) weights are normalised, else they are counts.
    pub fn finish(mut self, frequency: Option<&[u32]>) -> Edges {
        self.pairs.par_sort_unstable();
        self.pairs.dedup();
        let mut result = Edges::default();
        result.units.reserve_exact(self.pairs.len());
        for &(pair, unit) in &self.pairs {
            let at = result.units.len() as u32;
            let (source, target) = ((pair >> 32) as u32, pair as u32);
            result.units.push(unit);
            match result.edges.last_mut() {
                Some(edge) if (edge.source, edge.target) == (source, target) => {
                    edge.weight += 1.0;
                    edge.end_unit = at + 1;
                }
                _ => result.edges.push(Edge {
                    source,
                    target,
                    weight: 1.0,
                    first_unit: at,
                    end_unit: at + 1,
                }),
            }
        }
        if let Some(frequency) = frequency {
            normalise(&mut result.edges, frequency);
        }
        result
    }
}

fn pack(a: u32, b: u32) -> u64 {
    (u64::from(a.min(b)) << 32) | u64::from(a.max(b))
}

fn normalise(edges: &mut [Edge], frequency: &[u32]) {
    // Whole numbers well below 2^53: the sums do not depend on their order.
    let pairs: f64 = edges.iter().map(|edge| edge.weight).sum();
    let mentions: f64 = frequency.iter().map(|&n| f64::from(n)).sum();
    let share = |name: u32| {
        f64::from(frequency.get(name as usize).copied().unwrap_or(1).max(1)) / mentions.max(1.0)
    };
    let mut smallest = f64::INFINITY;
    for edge in edges.iter_mut() {
        let both = edge.weight / pairs;
        edge.weight = both * (both / (share(edge.source) * share(edge.target))).log2();
        if edge.weight > 0.0 {
            smallest = smallest.min(edge.weight);
        }
    }
    let floor = if smallest.is_finite() {
        smallest / 2.0
    } else {
        1.0
    };
    for edge in edges
        .iter_mut()
        .filter(|edge| edge.weight.is_nan() || edge.weight <= 0.0)
    {
        edge.weight = floor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(window: Window, units: &[&[(u32, u32)]], frequency: Option<&[u32]>) -> Edges {
        let mut all = Cooccurrence::new(window);
        for (unit, mentions) in units.iter().enumerate() {
            all.add_unit(unit as u32, &mut mentions.to_vec());
        }
        all.finish(frequency)
    }

    fn weights(edges: &Edges) -> Vec<(u32, u32, f64)> {
        edges
            .edges
            .iter()
            .map(|e| (e.source, e.target, e.weight))
            .collect()
    }

    #[test]
    fn weight_is_the_number_of_shared_units_however_often_a_pair_meets_in_one() {
        let units: [&[(u32, u32)]; 2] =
            [&[(0, 7), (0, 3), (5, 3), (5, 7)], &[(0, 3), (9, 7), (9, 1)]];
        let edges = collect(Window::Unit, &units, None);
        assert_eq!(weights(&edges), [(1, 3, 1.0), (1, 7, 1.0), (3, 7, 2.0)]);
        assert_eq!(edges.units(&edges.edges[2]), [0, 1]);
        assert_eq!(edges.units(&edges.edges[0]), [1]);
    }

    #[test]
    fn a_sentence_window_joins_neighbours_only() {
        let units: [&[(u32, u32)]; 1] = [&[(0, 1), (1, 2), (2, 3), (4, 4)]];
        assert_eq!(
            weights(&collect(Window::Sentences(1), &units, None)),
            [(1, 2, 1.0), (2, 3, 1.0)]
        );
        assert_eq!(collect(Window::Sentences(0), &units, None).edges.len(), 0);
        assert_eq!(
            weights(&collect(Window::Sentences(2), &units, None)).len(),
            4
        );
    }

    #[test]
    fn normalised_weights_follow_the_formula_and_are_positive() {
        // p(xy) = 2/4, p(x) = p(y) = 2/8: 0.5 log2(8) = 1.5. The pairs (0,2), (1,2): p(xy) = 1/4, p(2) = 4/8, 0.25 log2(2) = 0.25.
        let units: [&[(u32, u32)]; 2] = [&[(0, 0), (0, 1)], &[(0, 0), (0, 1), (0, 2)]];
        let edges = collect(Window::Unit, &units, Some(&[2, 2, 4]));
        assert_eq!(weights(&edges), [(0, 1, 1.5), (0, 2, 0.25), (1, 2, 0.25)]);
        // p(xy) = 1/2 for both; p = 9/20 * 10/20 > 1/2 is impossible, so make chance larger: log2 of (1/3)/(10/12*10/12) < 0.
        let units: [&[(u32, u32)]; 2] = [&[(0, 0), (0, 1)], &[(0, 0), (0, 2), (0, 1)]];
        let edges = collect(Window::Unit, &units, Some(&[20, 20, 1]));
        assert!(
            edges
                .edges
                .iter()
                .all(|e| e.weight > 0.0 && e.weight.is_finite())
        );
    }

    #[test]
    fn the_split_over_threads_does_not_matter() {
        let units: [&[(u32, u32)]; 3] = [
            &[(0, 5), (0, 2)],
            &[(0, 2), (1, 5), (1, 9)],
            &[(0, 9), (0, 5)],
        ];
        let whole = collect(
            Window::Sentences(1),
            &units,
            Some(&[0, 0, 2, 0, 0, 3, 0, 0, 0, 2]),
        );
        let (mut a, mut b) = (
            Cooccurrence::new(Window::Sentences(1)),
            Cooccurrence::new(Window::Sentences(1)),
        );
        b.add_unit(0, &mut units[0].to_vec());
        a.add_unit(2, &mut units[2].to_vec());
        a.add_unit(1, &mut units[1].to_vec());
        a.merge(b);
        assert_eq!(a.finish(Some(&[0, 0, 2, 0, 0, 3, 0, 0, 0, 2])), whole);
    }
}
