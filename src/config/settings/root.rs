use std::collections::BTreeMap;

use super::*;

section! {
    /// The settings of a Belvedere project. Every key has a default: an empty file indexes `input/` without a model.
    pub struct Settings {
        /// Language models by id. Without one, everything runs with what is compiled in.
        pub completion_models: BTreeMap<String, ModelConfig> = BTreeMap::new(),
        /// Embedding models by id. Without one, vectors come from the encoder that is compiled in.
        pub embedding_models: BTreeMap<String, ModelConfig> = BTreeMap::new(),
        /// How many calls may be in flight at once.
        #[schemars(range(min = 1, max = 10_000))]
        pub concurrent_requests: u32 = 25,
        /// Accepted for compatibility, without effect.
        pub async_mode: AsyncMode = AsyncMode::Threaded,
        /// Which files are read, and which of their columns.
        pub input: InputConfig = InputConfig::default(),
        /// Where documents are read from.
        pub input_storage: InputStorageConfig = InputStorageConfig::default(),
        /// A graph of your own instead of documents.
        pub graph_input: GraphInputConfig = GraphInputConfig::default(),
        /// How documents are cut into text units.
        pub chunking: ChunkingConfig = ChunkingConfig::default(),
        /// Where tables are written.
        pub output_storage: OutputStorageConfig = OutputStorageConfig::default(),
        /// Accepted for compatibility, without effect.
        pub update_output_storage: UpdateOutputStorageConfig = UpdateOutputStorageConfig::default(),
        /// The format of the tables.
        pub table_provider: TableProviderConfig = TableProviderConfig::default(),
        /// The cache of model answers.
        pub cache: CacheConfig = CacheConfig::default(),
        /// Where logs are written.
        pub reporting: ReportingConfig = ReportingConfig::default(),
        /// Where vectors are kept.
        pub vector_store: VectorStoreConfig = VectorStoreConfig::default(),
        /// Not supported: the stages follow from `--method`.
        pub workflows: Option<Vec<String>> = None,
        /// Turning texts into vectors.
        pub embed_text: EmbedTextConfig = EmbedTextConfig::default(),
        /// Extraction of entities and relationships by a model.
        pub extract_graph: ExtractGraphConfig = ExtractGraphConfig::default(),
        /// Merging the descriptions that an entity or a relationship was given in several places.
        pub summarize_descriptions: SummarizeDescriptionsConfig = SummarizeDescriptionsConfig::default(),
        /// Extraction of entities and relationships without a model.
        pub extract_graph_nlp: ExtractGraphNlpConfig = ExtractGraphNlpConfig::default(),
        /// Deciding which mentions name the same thing.
        pub entity_resolution: EntityResolutionConfig = EntityResolutionConfig::default(),
        /// Which nodes and edges of a graph found without a model are kept.
        pub prune_graph: PruneGraphConfig = PruneGraphConfig::default(),
        /// Finding communities.
        pub cluster_graph: ClusterGraphConfig = ClusterGraphConfig::default(),
        /// Extraction of claims by a model.
        pub extract_claims: ExtractClaimsConfig = ExtractClaimsConfig::default(),
        /// Writing a report on every community.
        pub community_reports: CommunityReportsConfig = CommunityReportsConfig::default(),
        /// Further files to write.
        pub snapshots: SnapshotsConfig = SnapshotsConfig::default(),
        /// Questions about a thing.
        pub local_search: LocalSearchConfig = LocalSearchConfig::default(),
        /// Questions about the whole corpus.
        pub global_search: GlobalSearchConfig = GlobalSearchConfig::default(),
        /// Questions that start broad and follow up.
        pub drift_search: DriftSearchConfig = DriftSearchConfig::default(),
        /// Questions answered from the nearest text units alone.
        pub basic_search: BasicSearchConfig = BasicSearchConfig::default(),
        /// What a run may use.
        pub budget: BudgetConfig = BudgetConfig::default(),
        /// How `index --batch` uses the provider's Batch API.
        pub batch: BatchConfig = BatchConfig::default(),
        /// Bounds that keep one bad file or one bad answer from holding up a run.
        pub limits: LimitsConfig = LimitsConfig::default(),
    }
}

impl Settings {
    /// The completion model of that id, or `None` where the built-in provider is to be used.
    pub fn completion_model(&self, id: &str) -> Option<&ModelConfig> {
        self.completion_models
            .get(id)
            .filter(|model| !model.is_builtin())
    }

    /// The embedding model of that id, or `None` where the built-in encoder is to be used.
    pub fn embedding_model(&self, id: &str) -> Option<&ModelConfig> {
        match self.embed_text.provider {
            EmbeddingProvider::Builtin | EmbeddingProvider::SentenceEncoder => None,
            EmbeddingProvider::Auto | EmbeddingProvider::Model => self
                .embedding_models
                .get(id)
                .filter(|model| !model.is_builtin()),
        }
    }

    /// Whether extraction has a model to call: what decides between `--method standard` and `fast` by default.
    pub fn has_completion_model(&self) -> bool {
        self.completion_model(&self.extract_graph.completion_model_id)
            .is_some()
    }

    /// Every key that names a completion model, with the id it names.
    pub fn completion_model_uses(&self) -> [(&'static str, &str); 9] {
        [
            (
                "extract_graph.completion_model_id",
                &self.extract_graph.completion_model_id,
            ),
            (
                "entity_resolution.completion_model_id",
                &self.entity_resolution.completion_model_id,
            ),
            (
                "summarize_descriptions.completion_model_id",
                &self.summarize_descriptions.completion_model_id,
            ),
            (
                "extract_claims.completion_model_id",
                &self.extract_claims.completion_model_id,
            ),
            (
                "community_reports.completion_model_id",
                &self.community_reports.completion_model_id,
            ),
            (
                "local_search.completion_model_id",
                &self.local_search.completion_model_id,
            ),
            (
                "global_search.completion_model_id",
                &self.global_search.completion_model_id,
            ),
            (
                "drift_search.completion_model_id",
                &self.drift_search.completion_model_id,
            ),
            (
                "basic_search.completion_model_id",
                &self.basic_search.completion_model_id,
            ),
        ]
    }

    /// Every key that names an embedding model, with the id it names.
    pub fn embedding_model_uses(&self) -> [(&'static str, &str); 4] {
        [
            (
                "embed_text.embedding_model_id",
                &self.embed_text.embedding_model_id,
            ),
            (
                "local_search.embedding_model_id",
                &self.local_search.embedding_model_id,
            ),
            (
                "drift_search.embedding_model_id",
                &self.drift_search.embedding_model_id,
            ),
            (
                "basic_search.embedding_model_id",
                &self.basic_search.embedding_model_id,
            ),
        ]
    }
}
