//! The algorithm on one network: local moving, refinement, aggregation, and the same again on the aggregate network.

use std::cmp::Reverse;

use super::aggregate::aggregate;
use super::connected::split_disconnected;
use super::local_move::{Until, local_move};
use super::network::Network;
use super::objective::Objective;
use super::partition::{Members, compact};
use super::refine::{number_by_community, refine};
use super::rng::Rng;
use super::scratch::Scratch;
use super::settings::LeidenSettings;

/// From this many nodes on the working arrays outgrow a processor's own cache: nodes are then kept next to those of their
/// community, and visited in that order instead of at random.
const LARGE: usize = 1 << 15;

/// How many nodes of a large network are put in an order of their own.
const STRETCH: usize = 256;

/// A hub has more than this times the mean number of links.
const HUB: usize = 8;

/// Aggregation shrinks a network several times a round; a deeper stack than this is cut short.
const MAX_ROUNDS: u32 = 64;

/// A clustered network.
#[derive(Debug)]
pub(super) struct Clustered {
    /// The network given, its nodes renumbered.
    pub network: Network,
    /// For each node of `network`, its number in the network given.
    pub order: Vec<u32>,
    /// The community of each node of `network`, numbered without gaps.
    pub community: Vec<u32>,
    /// Number of communities, each of which is connected.
    pub count: usize,
}

/// Clusters a network, starting from single nodes; `scale` is what its weights were divided by.
pub(super) fn cluster(
    network: Network,
    settings: &LeidenSettings,
    scale: f64,
    mut rng: Rng,
    scratch: &mut Scratch,
) -> Clustered {
    let len = network.len();
    let objective = Objective::new(&network, settings, scale);
    let mut visits: Vec<u32> = (0..len as u32).collect();
    let mut state = Clustered {
        network,
        order: visits.clone(),
        community: visits.clone(),
        count: len,
    };
    let is_large = len >= LARGE;
    if is_large {
        visits.rotate_left(rng.below(len));
        state.move_nodes(&objective, &visits, Until::Once, scratch);
        let order = Members::new(&state.community, state.count).into_order();
        state.reorder(&order);
        visits.sort_unstable();
    }
    hubs_first(&state.network, &mut visits, &mut rng);
    state.move_nodes(&objective, &visits, Until::Stable, scratch);
    let iterations = settings.iterations.max(1);
    for iteration in 1..=iterations {
        let level = Level {
            network: &state.network,
            visits: &visits,
            round: 0,
        };
        let group = level.regroup(
            &objective,
            &mut state.community,
            &mut state.count,
            &mut rng,
            scratch,
        );
        if is_large && iteration < iterations {
            let by_group = Members::new(&group, len).into_order();
            let order =
                Members::in_order(&state.community, state.count, by_group.into_iter()).into_order();
            state.reorder(&order);
            visits.sort_unstable();
        }
        by_degree(&state.network, &mut visits, &mut rng);
        // The last move of this iteration is the first of the next.
        state.move_nodes(&objective, &visits, Until::Stable, scratch);
    }
    state.count = split_disconnected(&state.network, &mut state.community);
    state
}

impl Clustered {
    fn move_nodes(
        &mut self,
        objective: &Objective,
        visits: &[u32],
        until: Until,
        scratch: &mut Scratch,
    ) {
        let community = &mut self.community;
        local_move(
            &self.network,
            objective.resolution,
            community,
            visits,
            until,
            scratch,
        );
        self.count = compact(community);
    }

    /// Renumbers the nodes: node `i` becomes what was node `order[i]`.
    fn reorder(&mut self, order: &[u32]) {
        self.network = self.network.reordered(order);
        // invariant: `order` has each node once.
        let renumbered = |values: &[u32]| order.iter().map(|&node| values[node as usize]).collect();
        self.community = renumbered(&self.community);
        self.order = renumbered(&self.order);
    }
}

/// A network on its way up: the one given, or an aggregate of it.
struct Level<'a> {
    network: &'a Network,
    visits: &'a [u32],
    round: u32,
}

impl Level<'_> {
    /// Refines the `count` communities of `community`, moves the refined groups as wholes, and so on up; updates both.
    ///
    /// Returns the groups, as one number below `network.len()` per node.
    fn regroup(
        &self,
        objective: &Objective,
        community: &mut [u32],
        count: &mut usize,
        rng: &mut Rng,
        scratch: &mut Scratch,
    ) -> Vec<u32> {
        let network = self.network;
        let mut group = refine(network, objective, community, self.visits, rng, scratch);
        let groups = number_by_community(&mut group, community, *count);
        if groups == network.len() || self.round >= MAX_ROUNDS {
            return group;
        }
        let coarse = aggregate(network, &group, groups, scratch);
        // invariant: groups are numbered below `groups`.
        let mut upper = vec![0u32; groups];
        for (&own, &g) in community.iter().zip(&group) {
            upper[g as usize] = own;
        }
        let mut visits: Vec<u32> = (0..groups as u32).collect();
        by_degree(&coarse, &mut visits, rng);
        local_move(
            &coarse,
            objective.resolution,
            &mut upper,
            &visits,
            Until::Stable,
            scratch,
        );
        *count = compact(&mut upper);
        if *count < groups {
            let level = Level {
                network: &coarse,
                visits: &visits,
                round: self.round + 1,
            };
            level.regroup(objective, &mut upper, count, rng, scratch);
            // What moved above as wholes may gain by moving in parts.
            local_move(
                &coarse,
                objective.resolution,
                &mut upper,
                &visits,
                Until::Stable,
                scratch,
            );
            *count = compact(&mut upper);
        }
        for (own, &g) in community.iter_mut().zip(&group) {
            *own = upper[g as usize];
        }
        group
    }
}

/// Shuffles an order of visits, but puts hubs first, the largest at the head: what they gather then does not depend on chance.
/// On skewed graphs this narrows the spread of the result over seeds and raises its median.
fn hubs_first(network: &Network, visits: &mut [u32], rng: &mut Rng) {
    let limit = HUB * network.links.len() / network.len().max(1);
    shuffle_near(network, visits, rng, |degree| {
        Reverse(if degree > limit { degree } else { 0 })
    });
}

/// Orders visits by degree, the smallest first and equal ones at random.
fn by_degree(network: &Network, visits: &mut [u32], rng: &mut Rng) {
    shuffle_near(network, visits, rng, |degree| degree);
}

/// Shuffles and then sorts by `key` of the degree; in a large network only within short stretches, so that what is visited
/// together stays together in memory.
fn shuffle_near<K: Ord>(
    network: &Network,
    visits: &mut [u32],
    rng: &mut Rng,
    key: impl Fn(usize) -> K,
) {
    let stretch = if network.len() < LARGE {
        network.len().max(1)
    } else {
        STRETCH
    };
    for nodes in visits.chunks_mut(stretch) {
        rng.shuffle(nodes);
        nodes.sort_by_key(|&node| key(network.links(node as usize).len()));
    }
}
