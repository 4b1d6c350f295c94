//! The settings as plain structs, one per section of `settings.yaml`.
//!
//! Keys and defaults follow Microsoft GraphRAG 3; where a default differs the field says so. The doc comments become
//! the descriptions of `settings.schema.json`, so they are written for whoever edits the file.

/// Declares a section: every key with its documentation, its type and its default in one place.
macro_rules! section {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident : $ty:ty = $default:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty),* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
    };
}

/// Declares a closed set of values, written in the file as the given text.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$variant_meta])* #[serde(rename = $text)] $variant),* }

        impl $name {
            /// The value as it is written in `settings.yaml`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

mod extract;
mod graph;
mod input;
mod models;
mod root;
mod run;
mod search;
mod storage;

pub use extract::{
    CooccurrenceWindow, ExtractClaimsConfig, ExtractGraphConfig, ExtractGraphNlpConfig, Gleaning,
    NounPhraseExtractor, SummarizeDescriptionsConfig, TextAnalyzerConfig,
};
pub use graph::{
    ClusterGraphConfig, CommunityReportsConfig, EntityResolutionConfig, GraphInputConfig,
    Grounding, PruneGraphConfig, QualityFunction, ReportMode, SnapshotsConfig,
};
pub use input::{ChunkType, ChunkingConfig, EncodingModel, InputConfig, InputType};
pub use models::{
    AuthMethod, MetricsConfig, ModelClient, ModelConfig, PricesConfig, RateLimitConfig,
    RateLimitType, RetryConfig, RetryType, Secret, StructuredOutput,
};
pub use root::Settings;
pub use run::{AsyncMode, BatchConfig, BatchFallback, BudgetConfig, LimitsConfig};
pub use search::{
    BasicSearchConfig, DriftSearchConfig, EmbedTextConfig, EmbeddingName, EmbeddingProvider,
    GlobalSearchConfig, LocalSearchConfig,
};
pub use storage::{
    CacheConfig, CacheStorageConfig, CacheType, IndexSchemaConfig, InputStorageConfig,
    OutputStorageConfig, ReportingConfig, StorageType, TableProviderConfig, TableType,
    UpdateOutputStorageConfig, VectorStoreConfig, VectorStoreType,
};

/// The id under which sections look for a completion model when they name none.
pub const DEFAULT_COMPLETION_MODEL: &str = "default_completion_model";
/// The id under which sections look for an embedding model when they name none.
pub const DEFAULT_EMBEDDING_MODEL: &str = "default_embedding_model";
