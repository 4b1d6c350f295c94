//! Leiden and betweenness against implementations that nobody here wrote: `graphrs` (Louvain, modularity, betweenness) and
//! `single-clustering` (Leiden).

use std::collections::{BTreeMap, HashSet};

use belvedere_oracle::graph::Csr;
use belvedere_oracle::graph::leiden::{LeidenSettings, leiden, modularity};
use belvedere_oracle::graph::shape::betweenness;
use graphrs::algorithms::centrality::betweenness::betweenness_centrality;
use graphrs::algorithms::community::{louvain, partitions};
use graphrs::{Edge, Graph, GraphSpecs, Node};
use single_clustering::community_search::leiden as peer;
use single_clustering::network::CSRNetwork;

const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// Medians over so few seeds differ by chance by this much at least; the spread between two seeds is a hundred times that.
const CHANCE: f64 = 1e-5;

/// A graph with planted communities of 25, weights, hubs and noise; each edge once.
fn planted(nodes: u32, seed: u64) -> Vec<(u32, u32, f64)> {
    let mut state = seed;
    let mut below = move |bound: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    let mut edges = BTreeMap::new();
    for node in 0..nodes {
        for _ in 0..3 {
            edges.insert((node, node / 25 * 25 + below(25)), f64::from(1 + below(4)));
        }
        edges.insert((node, below(nodes)), 1.0);
        edges.insert((node, below(10)), 1.0);
    }
    let once = edges.into_iter().filter(|&((a, b), _)| a < b && b < nodes);
    once.map(|((a, b), weight)| (a, b, weight)).collect()
}

fn their_graph(nodes: u32, edges: &[(u32, u32, f64)]) -> Graph<u32, ()> {
    let nodes = (0..nodes).map(Node::from_name).collect();
    let edges = edges
        .iter()
        .map(|&(a, b, weight)| Edge::with_weight(a, b, weight))
        .collect();
    Graph::new_from_nodes_and_edges(nodes, edges, GraphSpecs::undirected()).expect("a graph")
}

fn as_sets(partition: &[u32]) -> Vec<HashSet<u32>> {
    let mut sets = vec![HashSet::new(); partition.iter().max().map_or(0, |&max| max as usize + 1)];
    for (node, &community) in partition.iter().enumerate() {
        sets[community as usize].insert(node as u32);
    }
    sets
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn ours(graph: &Csr, seed: u64) -> Vec<u32> {
    leiden(
        graph,
        &LeidenSettings {
            seed,
            ..LeidenSettings::default()
        },
    )
}

#[test]
fn modularity_is_that_of_graphrs() {
    for seed in SEEDS {
        let edges = planted(400, seed);
        let graph = Csr::from_edges(400, &edges);
        let theirs = their_graph(400, &edges);
        let partition = ours(&graph, seed);
        for resolution in [0.5, 1.0, 2.0] {
            let expected =
                partitions::modularity(&theirs, &as_sets(&partition), true, Some(resolution))
                    .expect("a partition");
            assert!((modularity(&graph, &partition, resolution) - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn betweenness_is_that_of_graphrs() {
    for seed in SEEDS {
        let edges = planted(120, seed);
        let graph = Csr::from_edges(120, &edges);
        let members: Vec<u32> = (0..120).collect();
        let found = betweenness(&graph, &members, 120, &mut vec![u32::MAX; 120]);
        let expected =
            betweenness_centrality(&their_graph(120, &edges), false, true).expect("shares");
        for (node, share) in found.iter().enumerate() {
            assert!((share - expected[&(node as u32)]).abs() < 1e-9);
        }
    }
}

#[test]
fn not_below_seeded_louvain_of_graphrs() {
    for nodes in [200, 800] {
        let edges = planted(nodes, 7);
        let graph = Csr::from_edges(nodes as usize, &edges);
        let their_graph = their_graph(nodes, &edges);
        let our_median = median(
            SEEDS
                .map(|seed| modularity(&graph, &ours(&graph, seed), 1.0))
                .to_vec(),
        );
        let theirs = SEEDS.map(|seed| {
            let sets = louvain::louvain_communities(&their_graph, true, None, None, Some(seed))
                .expect("communities");
            partitions::modularity(&their_graph, &sets, true, None).expect("a partition")
        });
        let their_median = median(theirs.to_vec());
        assert!(
            our_median >= their_median - CHANCE,
            "{nodes} nodes: {our_median} below {their_median}"
        );
    }
}

#[test]
fn not_below_leiden_of_single_clustering() {
    for nodes in [200, 2_000, 20_000] {
        let edges = planted(nodes, 11);
        let graph = Csr::from_edges(nodes as usize, &edges);
        let their_edges: Vec<(usize, usize, f64)> = edges
            .iter()
            .map(|&(a, b, w)| (a as usize, b as usize, w))
            .collect();
        let their_graph = CSRNetwork::from_edges(nodes as usize, &their_edges).expect("a graph");
        let our_median = median(
            SEEDS
                .map(|seed| modularity(&graph, &ours(&graph, seed), 1.0))
                .to_vec(),
        );
        let theirs = SEEDS.map(|seed| {
            let config = peer::LeidenConfig {
                seed: Some(seed),
                n_iterations: 2,
                ..peer::LeidenConfig::with_resolution(1.0)
            };
            let clustering = peer::leiden(&their_graph, &config).expect("a clustering");
            let labels: Vec<u32> = clustering
                .labels()
                .iter()
                .map(|&label| label as u32)
                .collect();
            modularity(&graph, &labels, 1.0)
        });
        let their_median = median(theirs.to_vec());
        assert!(
            our_median >= their_median - CHANCE,
            "{nodes} nodes: {our_median} below {their_median}"
        );
    }
}
