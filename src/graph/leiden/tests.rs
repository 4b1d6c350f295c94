//! Whole-algorithm tests on graphs whose communities are known from outside.

use super::rng::Rng;
use super::*;
use proptest::prelude::*;

type Edge = (u32, u32, f64);

/// W. W. Zachary's karate club (1977), each friendship once, nodes from 1.
const KARATE: [(u32, u32); 78] = [
    (1, 2),
    (1, 3),
    (1, 4),
    (1, 5),
    (1, 6),
    (1, 7),
    (1, 8),
    (1, 9),
    (1, 11),
    (1, 12),
    (1, 13),
    (1, 14),
    (1, 18),
    (1, 20),
    (1, 22),
    (1, 32),
    (2, 3),
    (2, 4),
    (2, 8),
    (2, 14),
    (2, 18),
    (2, 20),
    (2, 22),
    (2, 31),
    (3, 4),
    (3, 8),
    (3, 9),
    (3, 10),
    (3, 14),
    (3, 28),
    (3, 29),
    (3, 33),
    (4, 8),
    (4, 13),
    (4, 14),
    (5, 7),
    (5, 11),
    (6, 7),
    (6, 11),
    (6, 17),
    (7, 17),
    (9, 31),
    (9, 33),
    (9, 34),
    (10, 34),
    (14, 34),
    (15, 33),
    (15, 34),
    (16, 33),
    (16, 34),
    (19, 33),
    (19, 34),
    (20, 34),
    (21, 33),
    (21, 34),
    (23, 33),
    (23, 34),
    (24, 26),
    (24, 28),
    (24, 30),
    (24, 33),
    (24, 34),
    (25, 26),
    (25, 28),
    (25, 32),
    (26, 32),
    (27, 30),
    (27, 34),
    (28, 34),
    (29, 32),
    (29, 34),
    (30, 33),
    (30, 34),
    (31, 33),
    (31, 34),
    (32, 33),
    (32, 34),
    (33, 34),
];

fn karate() -> Csr {
    let edges: Vec<Edge> = KARATE.iter().map(|&(a, b)| (a - 1, b - 1, 1.0)).collect();
    Csr::from_edges(34, &edges)
}

fn clique(first: u32, size: u32) -> Vec<Edge> {
    let nodes = first..first + size;
    nodes
        .clone()
        .flat_map(|a| (a + 1..first + size).map(move |b| (a, b, 1.0)))
        .collect()
}

fn seeds(range: std::ops::Range<u64>) -> impl Iterator<Item = LeidenSettings> {
    range.map(|seed| LeidenSettings {
        seed,
        ..LeidenSettings::default()
    })
}

/// A planted partition: `blocks` blocks of `size`, each node with about `inside` links in its block and `outside` beyond.
fn planted(blocks: u32, size: u32, inside: u32, outside: u32, seed: u64) -> Vec<Edge> {
    let mut rng = Rng::new(&[seed]);
    let total = blocks * size;
    let mut edges = Vec::new();
    for node in 0..total {
        let first = node / size * size;
        for _ in 0..inside / 2 {
            edges.push((node, first + rng.below(size as usize) as u32, 1.0));
        }
        for _ in 0..outside / 2 {
            edges.push((node, rng.below(total as usize) as u32, 1.0));
        }
    }
    edges.retain(|edge| edge.0 != edge.1);
    edges
}

/// Checks every promise of a hierarchy against the graph it was made from.
fn check(graph: &Csr, hierarchy: &Hierarchy, max_cluster_size: usize) {
    let clusters = &hierarchy.clusters;
    let mut seen = vec![0; graph.node_count()];
    for (position, cluster) in clusters.iter().enumerate() {
        assert_eq!(cluster.id as usize, position);
        assert!(cluster.members.is_sorted_by(|a, b| a < b) && !cluster.members.is_empty());
        assert!(
            is_connected(graph, &cluster.members),
            "cluster {position} is in pieces"
        );
        if cluster.level == 0 {
            cluster
                .members
                .iter()
                .for_each(|&node| seen[node as usize] += 1);
        }
    }
    assert!(
        seen.iter().all(|&times| times == 1),
        "level 0 is not a partition"
    );
    assert!(clusters.is_sorted_by_key(|cluster| (cluster.level, cluster.members[0])));
    for cluster in clusters {
        let children: Vec<&Cluster> = clusters
            .iter()
            .filter(|child| child.parent == Some(cluster.id))
            .collect();
        if !children.is_empty() {
            let mut union: Vec<u32> = children
                .iter()
                .flat_map(|child| child.members.iter().copied())
                .collect();
            union.sort_unstable();
            assert_eq!(union, cluster.members);
            assert!(
                children.len() > 1
                    && children
                        .iter()
                        .all(|child| child.level == cluster.level + 1)
            );
            assert!(
                cluster.members.len() > max_cluster_size,
                "a small cluster was split"
            );
        }
    }
    for stats in &hierarchy.levels {
        let of_level: Vec<&Cluster> = clusters
            .iter()
            .filter(|cluster| cluster.level == stats.level)
            .collect();
        assert_eq!(stats.clusters, of_level.len());
        assert_eq!(
            stats.singletons,
            of_level
                .iter()
                .filter(|cluster| cluster.members.len() == 1)
                .count()
        );
        let mut label = vec![0; graph.node_count()];
        for cluster in clusters
            .iter()
            .filter(|cluster| cluster.level <= stats.level)
        {
            cluster
                .members
                .iter()
                .for_each(|&node| label[node as usize] = cluster.id);
        }
        assert!((stats.modularity - modularity(graph, &label, 1.0)).abs() < 1e-12);
    }
    assert_eq!(
        hierarchy.levels.len(),
        clusters
            .last()
            .map_or(0, |cluster| cluster.level as usize + 1)
    );
}

fn is_connected(graph: &Csr, members: &[u32]) -> bool {
    let mut reached = vec![members[0]];
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for (near, _) in graph.neighbours(node) {
            if members.binary_search(&near).is_ok() && !reached.contains(&near) {
                reached.push(near);
            }
        }
    }
    reached.len() == members.len()
}

#[test]
fn karate_club_reaches_the_best_known_modularity() {
    let graph = karate();
    // 0.4198 in four communities is the proven optimum (Brandes et al., "On modularity clustering", 2008).
    let best = seeds(0..20)
        .map(|settings| modularity(&graph, &leiden(&graph, &settings), 1.0))
        .fold(0.0, f64::max);
    assert!((best - 0.419790).abs() < 1e-6, "{best}");
    for settings in seeds(0..20) {
        let partition = leiden(&graph, &settings);
        assert!(modularity(&graph, &partition, 1.0) > 0.415);
    }
}

#[test]
fn modularity_of_the_two_factions_of_the_karate_club() {
    // The split that happened: 0.3582 by networkx, with member 9 on the side of the instructor.
    let instructor = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];
    let partition: Vec<u32> = (1..=34)
        .map(|node| u32::from(instructor.contains(&node)))
        .collect();
    assert!((modularity(&karate(), &partition, 1.0) - 0.358_234_714_003_945).abs() < 1e-12);
}

#[test]
fn modularity_by_hand() {
    // A path of three edges cut in the middle: 2/3 inside, both halves have strength 3 of 6.
    let path = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
    assert!((modularity(&path, &[0, 0, 1, 1], 1.0) - (2.0 / 3.0 - 0.5)).abs() < 1e-15);
    assert!((modularity(&path, &[7, 7, 3, 3], 0.5) - (2.0 / 3.0 - 0.25)).abs() < 1e-15);
    // A self-loop of weight 1 adds 2 to the strength of its node: inside 4 of 4.
    let looped = Csr::from_edges(2, &[(0, 0, 1.0), (0, 1, 1.0)]);
    assert!((modularity(&looped, &[0, 0], 1.0) - 0.0).abs() < 1e-15);
    assert!((modularity(&looped, &[0, 1], 1.0) - (0.5 - 10.0 / 16.0)).abs() < 1e-15);
    assert_eq!(modularity(&Csr::from_edges(3, &[]), &[0, 1, 2], 1.0), 0.0);
}

#[test]
fn two_cliques_and_a_bridge() {
    let mut edges = clique(0, 6);
    edges.extend(clique(6, 6));
    edges.push((0, 6, 1.0));
    let graph = Csr::from_edges(12, &edges);
    for settings in seeds(0..10) {
        assert_eq!(
            leiden(&graph, &settings),
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
        );
    }
}

#[test]
fn ring_of_cliques_gives_back_the_cliques() {
    // Ten cliques of six, where modularity has no resolution problem (Fortunato and Barthélemy, 2007: cliques merge above about
    // sqrt(2 * edges) of them).
    let mut edges: Vec<Edge> = (0..10).flat_map(|c| clique(6 * c, 6)).collect();
    edges.extend((0..10).map(|c| (6 * c, (6 * c + 7) % 60, 1.0)));
    let graph = Csr::from_edges(60, &edges);
    for settings in seeds(0..10) {
        let expected: Vec<u32> = (0..60).map(|node| node / 6).collect();
        assert_eq!(leiden(&graph, &settings), expected);
    }
    // With CPM a clique stays together as long as its density, 1, is above the resolution, and one link does not join two.
    let settings = LeidenSettings {
        quality: Quality::Cpm,
        resolution: 0.5,
        ..LeidenSettings::default()
    };
    assert_eq!(leiden(&graph, &settings).iter().max(), Some(&9));
}

#[test]
fn cpm_above_the_density_leaves_single_nodes_and_does_not_depend_on_the_unit_of_weight() {
    let graph = Csr::from_edges(6, &clique(0, 6));
    let cpm = |resolution| LeidenSettings {
        quality: Quality::Cpm,
        resolution,
        ..LeidenSettings::default()
    };
    assert_eq!(leiden(&graph, &cpm(1.01)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(leiden(&graph, &cpm(0.99)), [0; 6]);
    let heavy: Vec<Edge> = clique(0, 6)
        .iter()
        .map(|&(a, b, w)| (a, b, w * 1000.0))
        .collect();
    let heavy = Csr::from_edges(6, &heavy);
    assert_eq!(leiden(&heavy, &cpm(1010.0)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(leiden(&heavy, &cpm(990.0)), [0; 6]);
}

#[test]
fn planted_partition_is_recovered() {
    let graph = Csr::from_edges(2000, &planted(40, 50, 16, 4, 1));
    let truth: Vec<u32> = (0..2000).map(|node| node / 50).collect();
    for settings in seeds(0..3) {
        assert_eq!(leiden(&graph, &settings), truth);
    }
}

#[test]
fn a_large_network_takes_the_path_for_large_networks_and_is_recovered_too() {
    let graph = Csr::from_edges(40_000, &planted(200, 200, 20, 4, 2));
    let partition = leiden(&graph, &LeidenSettings::default());
    let truth: Vec<u32> = (0..40_000).map(|node| node / 200).collect();
    assert!(modularity(&graph, &partition, 1.0) >= modularity(&graph, &truth, 1.0) - 1e-3);
    // Blocks may be joined, which modularity rewards in so large a network, but hardly any is torn apart.
    let mut community_of = vec![None; 200];
    let torn = (0..40_000usize)
        .filter(|&node| *community_of[node / 200].get_or_insert(partition[node]) != partition[node])
        .count();
    assert!(torn < 400, "{torn} nodes of 40000 away from their block");
}

#[test]
fn every_component_is_clustered_and_isolated_nodes_are_counted() {
    let mut edges = clique(0, 4);
    edges.extend([(5, 6, 1.0), (8, 8, 3.0)]);
    let graph = Csr::from_edges(9, &edges);
    let hierarchy = hierarchical_leiden(&graph, &LeidenSettings::default());
    let members: Vec<&[u32]> = hierarchy
        .clusters
        .iter()
        .map(|cluster| cluster.members.as_slice())
        .collect();
    assert_eq!(members, [&[0, 1, 2, 3][..], &[4], &[5, 6], &[7], &[8]]);
    assert_eq!(hierarchy.levels.len(), 1);
    assert_eq!(
        (hierarchy.levels[0].clusters, hierarchy.levels[0].singletons),
        (5, 3)
    );
}

#[test]
fn graphs_without_edges_or_nodes() {
    let none = hierarchical_leiden(&Csr::from_edges(0, &[]), &LeidenSettings::default());
    assert_eq!(none, Hierarchy::default());
    assert!(leiden(&Csr::default(), &LeidenSettings::default()).is_empty());
    let apart = hierarchical_leiden(&Csr::from_edges(3, &[]), &LeidenSettings::default());
    assert_eq!(
        (
            apart.clusters.len(),
            apart.levels[0].singletons,
            apart.levels[0].modularity
        ),
        (3, 3, 0.0)
    );
    let cpm = LeidenSettings {
        quality: Quality::Cpm,
        ..LeidenSettings::default()
    };
    assert_eq!(leiden(&Csr::from_edges(2, &[]), &cpm), [0, 1]);
}

#[test]
fn a_star_and_a_complete_graph_stay_whole() {
    let star: Vec<Edge> = (1..5000).map(|leaf| (0, leaf, 1.0)).collect();
    let star = hierarchical_leiden(&Csr::from_edges(5000, &star), &LeidenSettings::default());
    assert_eq!(
        (star.clusters.len(), star.clusters[0].members.len()),
        (1, 5000)
    );
    let complete = Csr::from_edges(60, &clique(0, 60));
    let complete = hierarchical_leiden(&complete, &LeidenSettings::default());
    assert_eq!(complete.clusters.len(), 1);
}

#[test]
fn self_loops_hold_their_node_apart() {
    // The middle node's own loop is so heavy that joining either side would cost more than its link gains.
    let mut edges = clique(0, 4);
    edges.extend(clique(5, 4));
    edges.extend([(3, 4, 1.0), (4, 5, 1.0), (4, 4, 50.0)]);
    assert_eq!(
        leiden(&Csr::from_edges(9, &edges), &LeidenSettings::default()),
        [0, 0, 0, 0, 1, 2, 2, 2, 2]
    );
}

#[test]
fn weights_decide() {
    // A ring of six with alternately heavy and light edges.
    let edges: Vec<Edge> = (0..6)
        .map(|i| (i, (i + 1) % 6, if i % 2 == 0 { 10.0 } else { 1.0 }))
        .collect();
    assert_eq!(
        leiden(&Csr::from_edges(6, &edges), &LeidenSettings::default()),
        [0, 0, 1, 1, 2, 2]
    );
}

#[test]
fn extreme_weights_give_numbers() {
    let weights = [1e-300, 1e300, f64::MIN_POSITIVE, f64::MAX, 5e-324, 1.0];
    let edges: Vec<Edge> = (0..60)
        .map(|i| (i % 12, (i * 7 + 1) % 12, weights[i as usize % 6]))
        .collect();
    for edges in [
        &edges[..],
        &[(0, 1, 5e-324), (1, 2, 5e-324)],
        &[(0, 1, f64::MAX), (1, 2, f64::MAX)],
    ] {
        let graph = Csr::from_edges(12, edges);
        for quality in [Quality::Modularity, Quality::Cpm] {
            let settings = LeidenSettings {
                quality,
                max_cluster_size: 2,
                ..LeidenSettings::default()
            };
            let hierarchy = hierarchical_leiden(&graph, &settings);
            assert!(
                hierarchy
                    .levels
                    .iter()
                    .all(|level| level.modularity.is_finite())
            );
            check(&graph, &hierarchy, 2);
        }
    }
}

#[test]
fn clusters_above_the_limit_are_split_and_others_are_not() {
    let graph = Csr::from_edges(3000, &planted(60, 50, 8, 4, 3));
    for (size, settings) in [
        (10, LeidenSettings::default()),
        (
            100,
            LeidenSettings {
                max_cluster_size: 100,
                ..LeidenSettings::default()
            },
        ),
    ] {
        let hierarchy = hierarchical_leiden(&graph, &settings);
        assert!(size > 10 || hierarchy.levels.len() > 1);
        check(&graph, &hierarchy, size);
    }
    let whole = LeidenSettings {
        max_cluster_size: 3000,
        ..LeidenSettings::default()
    };
    let flat = hierarchical_leiden(&graph, &whole);
    assert_eq!(flat.levels.len(), 1);
    let partition = leiden(&graph, &whole);
    for cluster in &flat.clusters {
        assert!(
            cluster
                .members
                .iter()
                .all(|&node| partition[node as usize] == cluster.id)
        );
    }
}

#[test]
fn threads_do_not_change_the_result() {
    let graph = Csr::from_edges(20_000, &planted(400, 50, 8, 4, 4));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| hierarchical_leiden(&graph, &LeidenSettings::default()))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}

#[test]
fn another_seed_may_give_another_partition_but_not_another_quality() {
    let graph = Csr::from_edges(3000, &planted(60, 50, 6, 4, 5));
    let partitions: Vec<Vec<u32>> = seeds(0..5)
        .map(|settings| leiden(&graph, &settings))
        .collect();
    assert!(
        partitions
            .iter()
            .any(|partition| *partition != partitions[0])
    );
    for partition in &partitions {
        let difference =
            modularity(&graph, partition, 1.0) - modularity(&graph, &partitions[0], 1.0);
        assert!(difference.abs() < 0.01, "{difference}");
    }
}

fn edges() -> impl Strategy<Value = Vec<Edge>> {
    let weight = prop_oneof![
        Just(1.0),
        0.01..100.0,
        -1.0..0.0,
        Just(f64::NAN),
        Just(1e-300),
        Just(1e300)
    ];
    prop::collection::vec((0..40u32, 0..40u32, weight), 0..200)
}

proptest! {
    #[test]
    fn the_order_and_direction_of_edges_do_not_matter(edges in edges(), seed in any::<u64>()) {
        let mut shuffled: Vec<Edge> = edges.clone();
        let mut rng = Rng::new(&[seed]);
        rng.shuffle(&mut shuffled);
        for edge in shuffled.iter_mut().step_by(2) {
            *edge = (edge.1, edge.0, edge.2);
        }
        let settings = LeidenSettings { seed, max_cluster_size: 4, ..LeidenSettings::default() };
        let result = hierarchical_leiden(&Csr::from_edges(40, &edges), &settings);
        prop_assert_eq!(result, hierarchical_leiden(&Csr::from_edges(40, &shuffled), &settings));
    }

    #[test]
    fn every_hierarchy_keeps_its_promises(
        edges in edges(),
        seed in any::<u64>(),
        cpm in any::<bool>(),
        resolution in 0.0..3.0f64,
        randomness in 0.0..1.0f64,
        max_cluster_size in 0..12usize,
    ) {
        let graph = Csr::from_edges(40, &edges);
        let quality = if cpm { Quality::Cpm } else { Quality::Modularity };
        let settings = LeidenSettings { resolution, quality, max_cluster_size, seed, iterations: 1, randomness };
        check(&graph, &hierarchical_leiden(&graph, &settings), max_cluster_size);
    }

    #[test]
    fn no_worse_than_single_nodes_or_components(edges in edges(), seed in any::<u64>()) {
        let graph = Csr::from_edges(40, &edges);
        let partition = leiden(&graph, &LeidenSettings { seed, ..LeidenSettings::default() });
        let single: Vec<u32> = (0..40).collect();
        prop_assert!(modularity(&graph, &partition, 1.0) >= modularity(&graph, &single, 1.0) - 1e-9);
    }
}
