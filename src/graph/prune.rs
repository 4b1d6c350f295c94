//! Pruning as the original's `prune_graph`, but never to nothing.

/// What is known of the entities, by row.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<'a> {
    /// Text units that mention it.
    pub frequency: &'a [u32],
    /// Whether it is a proper name.
    pub is_name: &'a [bool],
}

/// Whether the entity with most neighbours goes. The original drops it: among noun phrases it is a word that says nothing. Among
/// names it is the one that the corpus is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hub {
    Keep,
    /// It goes where it is no proper name.
    DropPhrase,
    Drop,
}

/// The `prune_graph` section.
#[derive(Clone, Debug, PartialEq)]
pub struct PruneSettings {
    /// Entities in fewer text units go.
    pub min_node_freq: u32,
    /// Proper names stay however few text units have them.
    pub rare_names: bool,
    /// Entities more frequent than the mean plus this many standard deviations go.
    pub max_node_freq_std: Option<f64>,
    /// Entities with fewer neighbours go.
    pub min_node_degree: u32,
    /// Entities with more neighbours than the mean plus this many standard deviations go.
    pub max_node_degree_std: Option<f64>,
    /// Relationships below this percentile of the weights go.
    pub min_edge_weight_pct: f64,
    /// What becomes of the entity with most neighbours.
    pub hub: Hub,
    /// Only the largest connected component stays.
    pub lcc_only: bool,
}

/// What stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Pruned {
    /// By entity row.
    pub entities: Vec<bool>,
    /// By relationship row.
    pub relationships: Vec<bool>,
    /// Thresholds given up because they would have left no relationship, in the order in which they were.
    pub relaxed: Vec<&'static str>,
}

/// A threshold that may be given up.
struct Threshold {
    key: &'static str,
    is_set: fn(&PruneSettings) -> bool,
    give_up: fn(&mut PruneSettings),
}

/// In the order in which they are given up.
const THRESHOLDS: [Threshold; 6] = [
    Threshold {
        key: "prune_graph.min_node_freq",
        is_set: |settings| settings.min_node_freq > 1,
        give_up: |settings| settings.min_node_freq = 1,
    },
    Threshold {
        key: "prune_graph.remove_ego_nodes",
        is_set: |settings| settings.hub != Hub::Keep,
        give_up: |settings| settings.hub = Hub::Keep,
    },
    Threshold {
        key: "prune_graph.min_node_degree",
        is_set: |settings| settings.min_node_degree > 1,
        give_up: |settings| settings.min_node_degree = 1,
    },
    Threshold {
        key: "prune_graph.max_node_freq_std",
        is_set: |settings| settings.max_node_freq_std.is_some(),
        give_up: |settings| settings.max_node_freq_std = None,
    },
    Threshold {
        key: "prune_graph.max_node_degree_std",
        is_set: |settings| settings.max_node_degree_std.is_some(),
        give_up: |settings| settings.max_node_degree_std = None,
    },
    Threshold {
        key: "prune_graph.min_edge_weight_pct",
        is_set: |settings| settings.min_edge_weight_pct > 0.0,
        give_up: |settings| settings.min_edge_weight_pct = 0.0,
    },
];

/// Decides what stays of a graph given by frequencies and undirected edges (each pair once).
///
/// Order of the original: the hub, low degree, low frequency, the two upper bounds, then weak edges; degrees are those of the
/// graph as given. Where nothing would be left, thresholds are given up one after the other until something is, and those that
/// turn out not to be at fault hold again.
pub fn prune(nodes: Nodes<'_>, edges: &[(u32, u32, f64)], settings: &PruneSettings) -> Pruned {
    if edges.is_empty() {
        return Pruned {
            entities: vec![true; nodes.frequency.len()],
            relationships: Vec::new(),
            relaxed: Vec::new(),
        };
    }
    let without = |given_up: &[&Threshold]| {
        let mut settings = settings.clone();
        for threshold in given_up {
            (threshold.give_up)(&mut settings);
        }
        let (entities, relationships) = prune_once(nodes, edges, &settings);
        let left = relationships.iter().any(|&keep| keep);
        left.then(|| Pruned {
            entities,
            relationships,
            relaxed: given_up.iter().map(|threshold| threshold.key).collect(),
        })
    };
    let mut given_up: Vec<&Threshold> = Vec::new();
    let mut found = without(&given_up);
    for threshold in THRESHOLDS.iter().filter(|it| (it.is_set)(settings)) {
        if found.is_some() {
            break;
        }
        given_up.push(threshold);
        found = without(&given_up);
    }
    for threshold in given_up.clone() {
        let mut fewer = given_up.clone();
        fewer.retain(|other| other.key != threshold.key);
        if let Some(pruned) = without(&fewer) {
            given_up = fewer;
            found = Some(pruned);
        }
    }
    found.unwrap_or_else(|| Pruned {
        entities: vec![true; nodes.frequency.len()],
        relationships: vec![true; edges.len()],
        relaxed: vec!["prune_graph"],
    })
}

fn prune_once(
    nodes: Nodes<'_>,
    edges: &[(u32, u32, f64)],
    settings: &PruneSettings,
) -> (Vec<bool>, Vec<bool>) {
    let Nodes { frequency, is_name } = nodes;
    let mut degree = vec![0u32; frequency.len()];
    for &(a, b, _) in edges {
        degree[a as usize] += 1;
        degree[b as usize] += 1;
    }
    let mut keep: Vec<bool> = degree
        .iter()
        .map(|&d| d >= settings.min_node_degree)
        .collect();
    if settings.hub != Hub::Keep
        && let Some(hub) = (0..degree.len()).rev().max_by_key(|&row| degree[row])
        && (settings.hub == Hub::Drop || !is_name[hub])
    {
        keep[hub] = false;
    }
    let frequency_cap = settings
        .max_node_freq_std
        .map(|k| upper_bound(frequency, k));
    let degree_cap = settings
        .max_node_degree_std
        .map(|k| upper_bound(&degree, k));
    for row in 0..keep.len() {
        let frequent =
            frequency[row] >= settings.min_node_freq || settings.rare_names && is_name[row];
        let below = |value: u32, cap: Option<f64>| cap.is_none_or(|cap| f64::from(value) <= cap);
        keep[row] &= frequent && below(frequency[row], frequency_cap);
        keep[row] &= below(degree[row], degree_cap);
    }
    let mut kept: Vec<bool> = edges
        .iter()
        .map(|&(a, b, _)| keep[a as usize] && keep[b as usize])
        .collect();
    let mut weights: Vec<f64> = edges
        .iter()
        .zip(&kept)
        .filter(|(_, kept)| **kept)
        .map(|(edge, _)| edge.2)
        .collect();
    if settings.min_edge_weight_pct > 0.0 && !weights.is_empty() {
        let floor = percentile(&mut weights, settings.min_edge_weight_pct);
        for (kept, edge) in kept.iter_mut().zip(edges) {
            *kept &= edge.2 >= floor;
        }
    }
    if settings.lcc_only {
        keep_largest_component(&mut keep, &mut kept, edges);
    }
    (keep, kept)
}

fn upper_bound(values: &[u32], deviations: f64) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let variance = values
        .iter()
        .map(|&v| (f64::from(v) - mean).powi(2))
        .sum::<f64>()
        / n;
    mean + deviations * variance.sqrt()
}

/// Linear interpolation between closest ranks, as numpy's default.
fn percentile(values: &mut [f64], percent: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let place = (percent / 100.0).clamp(0.0, 1.0) * (values.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = place.ceil() as usize;
    values[low] + (values[high] - values[low]) * (place - low as f64)
}

fn keep_largest_component(keep: &mut [bool], kept: &mut [bool], edges: &[(u32, u32, f64)]) {
    let mut components = petgraph::unionfind::UnionFind::<u32>::new(keep.len());
    for (edge, kept) in edges.iter().zip(kept.iter()) {
        if *kept {
            components.union(edge.0, edge.1);
        }
    }
    let mut size = vec![0u32; keep.len()];
    for (row, keep) in keep.iter().enumerate() {
        if *keep {
            size[components.find(row as u32) as usize] += 1;
        }
    }
    let Some(largest) = (0..size.len()).rev().max_by_key(|&row| size[row]) else {
        return;
    };
    for (row, keep) in keep.iter_mut().enumerate() {
        *keep &= components.find(row as u32) as usize == largest;
    }
    for (edge, kept) in edges.iter().zip(kept.iter_mut()) {
        *kept &= keep[edge.0 as usize] && keep[edge.1 as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> PruneSettings {
        PruneSettings {
            min_node_freq: 2,
            rare_names: false,
            max_node_freq_std: None,
            min_node_degree: 1,
            max_node_degree_std: None,
            min_edge_weight_pct: 40.0,
            hub: Hub::Drop,
            lcc_only: false,
        }
    }

    fn names(frequency: &[u32]) -> Nodes<'_> {
        Nodes {
            frequency,
            is_name: &[true; 5][..frequency.len()],
        }
    }

    #[test]
    fn the_hub_goes_where_it_is_a_common_phrase() {
        let edges = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 2, 1.0)];
        let mut settings = settings();
        settings.hub = Hub::DropPhrase;
        let hub_stays = |is_name: bool| {
            let nodes = Nodes {
                frequency: &[2; 4],
                is_name: &[is_name, true, true, true],
            };
            prune(nodes, &edges, &settings).entities[0]
        };
        assert!(hub_stays(true));
        assert!(!hub_stays(false));
    }

    #[test]
    fn rare_names_stay_and_rare_phrases_go_where_asked() {
        let mut settings = settings();
        (settings.hub, settings.rare_names) = (Hub::Keep, true);
        let nodes = Nodes {
            frequency: &[2, 2, 1, 1],
            is_name: &[true, false, true, false],
        };
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0)];
        let pruned = prune(nodes, &edges, &settings);
        assert_eq!(pruned.entities, [true, true, true, false]);
    }

    #[test]
    fn the_hub_the_rare_and_the_weak_go() {
        // Hub 0 touches all; 4 is rare; of the edges left, 1-2 (1.0), 2-3 (2.0), 1-3 (3.0), the 40th percentile is 1.8.
        let edges = [
            (0, 1, 9.0),
            (0, 2, 9.0),
            (0, 3, 9.0),
            (0, 4, 9.0),
            (1, 2, 1.0),
            (2, 3, 2.0),
            (1, 3, 3.0),
            (3, 4, 4.0),
        ];
        let pruned = prune(names(&[5, 3, 3, 3, 1]), &edges, &settings());
        assert_eq!(pruned.entities, [false, true, true, true, false]);
        let kept: Vec<usize> = (0..edges.len())
            .filter(|&i| pruned.relationships[i])
            .collect();
        assert_eq!(kept, [5, 6]);
        assert!(pruned.relaxed.is_empty());
    }

    #[test]
    fn a_graph_is_never_pruned_to_nothing() {
        let pruned = prune(names(&[1, 1]), &[(0, 1, 1.0)], &settings());
        assert_eq!(pruned.entities, [true, true]);
        assert_eq!(pruned.relationships, [true]);
        assert_eq!(
            pruned.relaxed,
            ["prune_graph.min_node_freq", "prune_graph.remove_ego_nodes"]
        );
    }

    #[test]
    fn only_the_threshold_at_fault_is_given_up() {
        let mut settings = settings();
        (settings.min_node_freq, settings.hub) = (2, Hub::Keep);
        settings.min_node_degree = 9;
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 3.0), (2, 3, 4.0)];
        let pruned = prune(names(&[2, 2, 2, 1]), &edges, &settings);
        assert_eq!(pruned.relaxed, ["prune_graph.min_node_degree"]);
        assert_eq!(pruned.entities, [true, true, true, false]);
        // Of 1, 2, 3 the 40th percentile is 1.8.
        assert_eq!(pruned.relationships, [false, true, true, false]);
    }

    #[test]
    fn without_edges_every_entity_stays() {
        let pruned = prune(names(&[1, 1, 1]), &[], &settings());
        assert_eq!(pruned.entities, [true, true, true]);
    }

    #[test]
    fn only_the_largest_component_stays_when_asked() {
        let mut settings = settings();
        settings.hub = Hub::Keep;
        settings.min_edge_weight_pct = 0.0;
        settings.lcc_only = true;
        let edges = [(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0)];
        let pruned = prune(names(&[2; 5]), &edges, &settings);
        assert_eq!(pruned.entities, [false, false, true, true, true]);
        assert_eq!(pruned.relationships, [false, true, true]);
    }
}
