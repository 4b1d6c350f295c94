use std::path::PathBuf;

use super::DEFAULT_COMPLETION_MODEL;

section! {
    /// Which nodes and edges of a graph found without a model are kept.
    pub struct PruneGraphConfig {
        /// An entity in fewer text units is dropped. Absent means 2, but in a corpus of fewer than 20 text units a proper name needs one.
        pub min_node_freq: Option<u32> = None,
        /// An entity whose frequency is so many standard deviations above the mean is dropped.
        #[schemars(range(min = 0))]
        pub max_node_freq_std: Option<f64> = None,
        /// An entity with fewer neighbours is dropped.
        pub min_node_degree: u32 = 1,
        /// An entity whose degree is so many standard deviations above the mean is dropped.
        #[schemars(range(min = 0))]
        pub max_node_degree_std: Option<f64> = None,
        /// The share of edges, the weakest, that is dropped, in percent. Absent means 40, but 0 in a corpus of fewer than 20 text units.
        #[schemars(range(min = 0, max = 100))]
        pub min_edge_weight_pct: Option<f64> = None,
        /// Whether the entity with the most neighbours is dropped. Absent means: where it is a common phrase and no proper name.
        pub remove_ego_nodes: Option<bool> = None,
        /// Whether only the largest connected component is kept.
        pub lcc_only: bool = false,
    }
}

choice! {
    /// What becomes of a name that does not occur in the text it was extracted from.
    pub enum Grounding {
        /// Kept out of the graph, and counted.
        KeepOut = "keep_out",
        /// Kept, and marked `ungrounded`.
        Mark = "mark",
        /// Not looked at.
        Off = "off",
    }
}

section! {
    /// Deciding which mentions name the same thing.
    pub struct EntityResolutionConfig {
        /// Whether names that differ in more than case and spacing are merged on evidence.
        pub enabled: bool = true,
        /// What becomes of a name that does not occur in the text it was extracted from.
        pub grounding: Grounding = Grounding::KeepOut,
        /// Whether a model is asked about the pairs of names that the evidence leaves undecided (`--method standard`).
        pub adjudicate: bool = false,
        /// Which of `completion_models` is asked.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// The prompt file for such a question; `prompts/adjudicate_names.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// An analyst's merges, splits and renames, applied first and never overridden. Read if it exists.
        pub decisions: PathBuf = PathBuf::from("resolution.yaml"),
    }
}

section! {
    /// A graph of your own instead of documents: indexing then starts with its communities. Files are Parquet, CSV or JSONL.
    pub struct GraphInputConfig {
        /// Entities: `title`, and as far as known `type`, `description`, `text_unit_ids`.
        pub entities: Option<PathBuf> = None,
        /// Relationships: `source`, `target`, and as far as known `description`, `weight`, `text_unit_ids`.
        pub relationships: Option<PathBuf> = None,
        /// The texts that `text_unit_ids` name: `id`, `text`, and as far as known `title`. Without them the rows are the evidence.
        pub text_units: Option<PathBuf> = None,
    }
}

choice! {
    /// What makes a partition good.
    pub enum QualityFunction {
        /// More weight inside communities than chance would have it.
        Modularity = "modularity",
        /// The constant Potts model: communities denser than `resolution`.
        Cpm = "cpm",
    }
}

section! {
    /// Finding communities.
    pub struct ClusterGraphConfig {
        /// A community with more entities is divided again, one level deeper.
        #[schemars(range(min = 1))]
        pub max_cluster_size: u32 = 10,
        /// Whether only the largest connected component is clustered. The default keeps every component; the reference's default is true, which hides the rest from every query.
        pub use_lcc: bool = false,
        /// The seed: the same seed gives the same communities.
        pub seed: u64 = 0xDEAD_BEEF,
        /// Higher values give more and smaller communities.
        #[schemars(range(min = 0))]
        pub resolution: f64 = 1.0,
        /// What makes a partition good.
        pub quality: QualityFunction = QualityFunction::Modularity,
        /// Full passes of the algorithm. The reference does one; two give a slightly better partition.
        #[schemars(range(min = 1, max = 100))]
        pub iterations: u32 = 2,
    }
}

choice! {
    /// Who writes the community reports.
    pub enum ReportMode {
        /// The model where one is configured and `--method standard` runs, else extracted.
        Auto = "auto",
        /// The model.
        Model = "model",
        /// Made of the community's own most central sentences, without a model.
        Extractive = "extractive",
    }
}

section! {
    /// Writing a report on every community.
    pub struct CommunityReportsConfig {
        /// Which of `completion_models` is used.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Accepted for compatibility, without effect.
        pub model_instance_name: String = "community_reporting".to_owned(),
        /// The prompt file for reports on entities and relationships; `prompts/community_report_graph.txt` or the built-in text when absent.
        pub graph_prompt: Option<PathBuf> = None,
        /// The prompt file for reports on text units; `prompts/community_report_text.txt` or the built-in text when absent.
        pub text_prompt: Option<PathBuf> = None,
        /// How many words the model is asked to keep to.
        #[schemars(range(min = 1))]
        pub max_length: u32 = 2000,
        /// How many tokens of the community go into one prompt.
        #[schemars(range(min = 200))]
        pub max_input_length: u32 = 8000,
        /// Who writes the reports.
        pub mode: ReportMode = ReportMode::Auto,
    }
}

section! {
    /// Further files to write.
    pub struct SnapshotsConfig {
        /// Accepted for compatibility, without effect: vectors are always written, as flat files.
        pub embeddings: bool = false,
        /// Whether the graph is also written as GraphML.
        pub graphml: bool = false,
        /// Accepted for compatibility, without effect.
        pub raw_graph: bool = false,
    }
}
