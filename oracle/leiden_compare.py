#!/usr/bin/env python3
"""Compares `examples/leiden.rs` with graspologic-native and leidenalg on graphs of `source target weight` lines.

    cargo build --release --example leiden
    pip install graspologic-native leidenalg numpy scipy
    python3 oracle/leiden_compare.py --leiden target/release/examples/leiden planted-100000.edges cooccurrence.edges

Nodes are numbers from 0. Per graph and number of iterations it prints the median modularity (resolution 1) over the seeds, the
median CPU seconds (user and system, from edge list to communities) and the ratio of these to ours; the tools take turns, seed
by seed, so that other load on the machine meets all of them. It fails when a community of ours is not connected.
"""
import argparse
import re
import statistics
import subprocess
import time

import graspologic_native
import igraph
import leidenalg
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components


class Graph:
    def __init__(self, path):
        self.path = path
        rows = np.loadtxt(path)
        self.u, self.v, self.w = rows[:, 0].astype(int), rows[:, 1].astype(int), rows[:, 2]
        self.n = int(max(self.u.max(), self.v.max())) + 1
        self.strength = np.bincount(self.u, self.w, self.n) + np.bincount(self.v, self.w, self.n)
        self.edges = [(str(a), str(b), c) for a, b, c in zip(self.u.tolist(), self.v.tolist(), self.w.tolist())]

    def modularity(self, community):
        total = 2 * self.w.sum()
        inside = 2 * self.w[community[self.u] == community[self.v]].sum()
        return inside / total - (np.bincount(community, self.strength) ** 2).sum() / total**2

    def pieces(self, community):
        """Connected parts of the communities; as many as communities when each is connected."""
        same = community[self.u] == community[self.v]
        links = coo_matrix((np.ones(same.sum()), (self.u[same], self.v[same])), shape=(self.n, self.n))
        return connected_components(links, directed=False)[0]


def complete(graph, pairs):
    """Nodes that a tool did not report have no edges: each is a community of its own."""
    community = np.full(graph.n, -1)
    for node, own in pairs:
        community[node] = own
    alone = community < 0
    community[alone] = community.max() + 1 + np.arange(alone.sum())
    return community


def ours(graph, seed, iterations, binary, size):
    command = [binary, "--stats", "--seed", str(seed), "--iterations", str(iterations), "--max-cluster-size", str(size), graph.path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    build, cluster = re.search(r"CPU seconds: ([\d.]+) to build the graph, ([\d.]+)", done.stderr).groups()
    rows = (line.split() for line in done.stdout.splitlines())
    community = complete(graph, ((int(row[3]), int(row[1])) for row in rows if row[0] == "0"))
    found, pieces = len(np.unique(community)), graph.pieces(community)
    if found != pieces:
        raise SystemExit(f"{graph.path}: {found} communities are {pieces} connected pieces")
    return float(build) + float(cluster), community


def timed(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def graspologic(graph, seed, iterations):
    cpu, (_, found) = timed(lambda: graspologic_native.leiden(
        graph.edges, resolution=1.0, randomness=0.001, iterations=iterations, use_modularity=True, seed=seed))
    return cpu, complete(graph, ((int(node), own) for node, own in found.items()))


def graspologic_hierarchical(graph, seed, iterations, size):
    cpu, found = timed(lambda: graspologic_native.hierarchical_leiden(
        graph.edges, resolution=1.0, randomness=0.001, iterations=iterations, use_modularity=True, seed=seed, max_cluster_size=size))
    return cpu, complete(graph, ((int(row.node), row.cluster) for row in found if row.level == 0))


def leiden_algorithm(graph, seed, iterations):
    def call():
        network = igraph.Graph(n=graph.n, edges=np.column_stack([graph.u, graph.v]))
        return leidenalg.find_partition(
            network, leidenalg.ModularityVertexPartition, weights=graph.w.tolist(), n_iterations=iterations, seed=seed)
    cpu, found = timed(call)
    return cpu, np.array(found.membership)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--leiden", required=True, help="the example's binary")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--leidenalg-up-to", type=int, default=20_000, help="nodes; it is slow")
    parser.add_argument("--hierarchical", action="store_true", help="time the whole hierarchy, clusters of at most 10")
    arguments = parser.parse_args()
    print("| graph | nodes | edges | iterations | tool | modularity (median) | communities | CPU s (median) | CPU to ours |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in arguments.graphs:
        graph = Graph(path)
        for iterations in arguments.iterations:
            size = 10 if arguments.hierarchical else graph.n
            tools = {"belvedere": lambda seed: ours(graph, seed, iterations, arguments.leiden, size)}
            if arguments.hierarchical:
                tools["graspologic-native"] = lambda seed: graspologic_hierarchical(graph, seed, iterations, size)
            else:
                tools["graspologic-native"] = lambda seed: graspologic(graph, seed, iterations)
                if graph.n <= arguments.leidenalg_up_to:
                    tools["leidenalg"] = lambda seed: leiden_algorithm(graph, seed, iterations)
            figures = {tool: [] for tool in tools}
            for seed in range(1, arguments.seeds + 1):
                for tool, run in tools.items():
                    cpu, community = run(seed)
                    figures[tool].append((cpu, graph.modularity(community), len(np.unique(community))))
            median = {tool: [statistics.median(column) for column in zip(*rows)] for tool, rows in figures.items()}
            for tool, (cpu, quality, count) in median.items():
                name = path.rsplit("/", 1)[-1].removesuffix(".edges")
                ratio = cpu / median["belvedere"][0] if median["belvedere"][0] else float("nan")
                print(f"| {name} | {graph.n} | {len(graph.u)} | {iterations} | {tool} | {quality:.5f} | {count:.0f} | {cpu:.3f} | {ratio:.1f} |", flush=True)


main()
