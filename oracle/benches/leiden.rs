//! Times Leiden on graphs with planted communities.

use std::hint::black_box;

use belvedere_oracle::graph::Csr;
use belvedere_oracle::graph::leiden::{LeidenSettings, hierarchical_leiden, leiden};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Communities of 50, each node with about eight links inside its own and four beyond.
fn planted(nodes: u32) -> Vec<(u32, u32, f64)> {
    let mut state = 7u64;
    let mut below = |bound: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    // A fixed permutation, so that members of a community are far apart in the input.
    let scattered = |node: u32| (u64::from(node) * 7_919 % u64::from(nodes)) as u32;
    let mut edges = Vec::new();
    for node in 0..nodes {
        for _ in 0..4 {
            let inside = (node / 50 * 50 + below(50)).min(nodes - 1);
            edges.push((scattered(node), scattered(inside), f64::from(1 + below(3))));
        }
        for _ in 0..2 {
            edges.push((scattered(node), below(nodes), 1.0));
        }
    }
    edges
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("leiden");
    group.sample_size(10);
    for nodes in [1_000, 10_000, 100_000] {
        let edges = planted(nodes);
        let settings = LeidenSettings::default();
        let graph = Csr::from_edges(nodes as usize, &edges);
        group.throughput(Throughput::Elements(graph.edge_count() as u64));
        group.bench_function(BenchmarkId::new("adjacency", nodes), |bencher| {
            bencher.iter_batched(
                || &edges,
                |edges| Csr::from_edges(nodes as usize, black_box(edges)),
                BatchSize::LargeInput,
            );
        });
        group.bench_function(BenchmarkId::new("flat", nodes), |bencher| {
            bencher.iter(|| leiden(black_box(&graph), &settings));
        });
        group.bench_function(BenchmarkId::new("hierarchical", nodes), |bencher| {
            bencher.iter(|| hierarchical_leiden(black_box(&graph), &settings));
        });
    }
    group.finish();
}

criterion_group!(leiden_benches, benches);
criterion_main!(leiden_benches);
