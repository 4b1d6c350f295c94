//! The algorithm on one network: local moving, refinement, aggregation, and the same again on the aggregate network.

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
        if std::env::var("REQ").is_ok() {
            visits.sort_unstable();
            ord(&mut visits, &state.network, 256, "DEG", &mut rng);
            state.move_nodes(&objective, &visits, Until::Stable, scratch);
        }
    } else {
        rng.shuffle(&mut visits);
        ord(&mut visits, &state.network, len, "DEG", &mut rng);
        state.move_nodes(&objective, &visits, Until::Stable, scratch);
    }
    for _ in 0..settings.iterations.max(1) {
        let group = regroup(
            &state.network,
            &objective,
            &mut state.community,
            &mut state.count,
            &visits,
            0,
            &mut rng,
            scratch,
        );
        if is_large {
            let by_group = Members::new(&group, len).into_order();
            let order =
                Members::in_order(&state.community, state.count, by_group.into_iter()).into_order();
            state.reorder(&order);
            visits.sort_unstable();
            ord(&mut visits, &state.network, 256, "DEG2", &mut rng);
        } else {
            ord(&mut visits, &state.network, len, "DEG2", &mut rng);
        }
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
        let t = std::time::Instant::now();
        let k = if self.count == self.network.len()
            || (std::env::var("REQ").is_ok() && self.network.len() >= LARGE)
        {
            std::env::var("KV").map_or(200.0, |x| x.parse::<f64>().unwrap())
        } else {
            200.0
        };
        local_move(
            &self.network,
            objective.resolution,
            &mut self.community,
            visits,
            until,
            scratch,
            (k * self.network.len() as f64) as usize,
        );
        self.count = compact(&mut self.community);
        if std::env::var("V").is_ok() {
            eprintln!("move {until:?} {:?} -> {}", t.elapsed(), self.count);
        }
    }

    /// Renumbers the nodes: node `i` becomes what was node `order[i]`.
    fn reorder(&mut self, order: &[u32]) {
        let t = std::time::Instant::now();
        self.network = self.network.reordered(order);
        // invariant: `order` has each node once.
        self.community = order
            .iter()
            .map(|&node| self.community[node as usize])
            .collect();
        self.order = order
            .iter()
            .map(|&node| self.order[node as usize])
            .collect();
        if std::env::var("V").is_ok() {
            eprintln!("reorder {:?}", t.elapsed());
        }
    }
}

/// Refines the `count` communities of `community`, moves the refined groups as wholes, and so on up; updates both.
///
/// Returns the groups, as one number below `network.len()` per node.
#[allow(clippy::too_many_arguments)]
fn regroup(
    network: &Network,
    objective: &Objective,
    community: &mut [u32],
    count: &mut usize,
    visits: &[u32],
    round: u32,
    rng: &mut Rng,
    scratch: &mut Scratch,
) -> Vec<u32> {
    let len = network.len();
    let t = std::time::Instant::now();
    let mut group = refine(network, objective, community, visits, rng, scratch);
    let groups = number_by_community(&mut group, community, *count);
    let t1 = t.elapsed();
    if groups == len || round >= MAX_ROUNDS {
        return group;
    }
    let coarse = aggregate(network, &group, groups, scratch);
    if std::env::var("V").is_ok() {
        eprintln!(
            "round {round} len {len} refine {t1:?} aggregate {:?} groups {groups}",
            t.elapsed() - t1
        );
    }
    let mut upper = vec![0u32; groups];
    for (node, &g) in group.iter().enumerate() {
        upper[g as usize] = community[node];
    }
    let mut order: Vec<u32> = (0..groups as u32).collect();
    ord(
        &mut order,
        &coarse,
        if groups < LARGE { groups } else { 256 },
        "DEGC",
        rng,
    );
    let t = std::time::Instant::now();
    local_move(
        &coarse,
        objective.resolution,
        &mut upper,
        &order,
        Until::Stable,
        scratch,
        usize::MAX,
    );
    *count = compact(&mut upper);
    if std::env::var("V").is_ok() {
        eprintln!("  move {:?} -> {}", t.elapsed(), count);
    }
    if *count < groups {
        regroup(
            &coarse,
            objective,
            &mut upper,
            count,
            &order,
            round + 1,
            rng,
            scratch,
        );
        if std::env::var("POLISH").is_ok() {
            local_move(
                &coarse,
                objective.resolution,
                &mut upper,
                &order,
                Until::Stable,
                scratch,
                usize::MAX,
            );
            *count = compact(&mut upper);
        }
    }
    for (own, &g) in community.iter_mut().zip(&group) {
        *own = upper[g as usize];
    }
    group
}

fn ord(v: &mut [u32], net: &Network, window: usize, name: &str, rng: &mut Rng) {
    for c in v.chunks_mut(window.max(1)) {
        rng.shuffle(c);
        match std::env::var(name).as_deref() {
            Ok("asc") => c.sort_by_key(|&v| net.links(v as usize).len()),
            Ok("desc") => c.sort_by_key(|&v| usize::MAX - net.links(v as usize).len()),
            _ => {}
        }
    }
}
