use std::path::PathBuf;

use super::{DEFAULT_COMPLETION_MODEL, DEFAULT_EMBEDDING_MODEL};

choice! {
    /// Who makes the vectors.
    pub enum EmbeddingProvider {
        /// The model where one is configured, else the encoder that is compiled in.
        Auto = "auto",
        /// The encoder that is compiled in: no network, no key.
        Builtin = "builtin",
        /// The transformer that the cargo feature `sentence-encoder` compiles in: no network, no key, slow.
        SentenceEncoder = "sentence_encoder",
        /// The model named by `embedding_model_id`.
        Model = "model",
    }
}

choice! {
    /// What is embedded.
    pub enum EmbeddingName {
        /// An entity's title and description.
        EntityDescription = "entity_description",
        /// A community report's whole text.
        CommunityFullContent = "community_full_content",
        /// A text unit's text.
        TextUnitText = "text_unit_text",
    }
}

section! {
    /// Turning texts into vectors.
    pub struct EmbedTextConfig {
        /// Which of `embedding_models` is used.
        pub embedding_model_id: String = DEFAULT_EMBEDDING_MODEL.to_owned(),
        /// Accepted for compatibility, without effect.
        pub model_instance_name: String = "text_embedding".to_owned(),
        /// How many texts go into one call.
        #[schemars(range(min = 1, max = 2048))]
        pub batch_size: u32 = 16,
        /// How many tokens go into one call.
        #[schemars(range(min = 1))]
        pub batch_max_tokens: u32 = 8191,
        /// What is embedded.
        pub names: Vec<EmbeddingName> = vec![
            EmbeddingName::EntityDescription,
            EmbeddingName::CommunityFullContent,
            EmbeddingName::TextUnitText,
        ],
        /// Who makes the vectors.
        pub provider: EmbeddingProvider = EmbeddingProvider::Auto,
    }
}

section! {
    /// Questions about a thing: its entities, their neighbours, reports and sources.
    pub struct LocalSearchConfig {
        /// The prompt file; `prompts/local_search_system_prompt.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// Which of `completion_models` answers.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Which of `embedding_models` embeds the question; the one the index was made with, or the query fails.
        pub embedding_model_id: String = DEFAULT_EMBEDDING_MODEL.to_owned(),
        /// The share of the context that text units may fill.
        #[schemars(range(min = 0, max = 1))]
        pub text_unit_prop: f64 = 0.5,
        /// The share of the context that community reports may fill.
        #[schemars(range(min = 0, max = 1))]
        pub community_prop: f64 = 0.15,
        /// How many earlier turns of a conversation are given.
        pub conversation_history_max_turns: u32 = 5,
        /// How many entities the question is mapped to.
        #[schemars(range(min = 1))]
        pub top_k_entities: u32 = 10,
        /// How many relationships that lead out are kept for each of them.
        pub top_k_relationships: u32 = 10,
        /// The context's size in tokens.
        #[schemars(range(min = 100))]
        pub max_context_tokens: u32 = 12_000,
    }
}

section! {
    /// Questions about the whole corpus: every report is read, then the points are brought together.
    pub struct GlobalSearchConfig {
        /// The prompt file for reading; `prompts/global_search_map_system_prompt.txt` or the built-in text when absent.
        pub map_prompt: Option<PathBuf> = None,
        /// The prompt file for bringing together; `prompts/global_search_reduce_system_prompt.txt` or the built-in text when absent.
        pub reduce_prompt: Option<PathBuf> = None,
        /// Which of `completion_models` answers.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// The prompt file appended where general knowledge is allowed; `prompts/global_search_knowledge_system_prompt.txt` or the built-in text when absent.
        pub knowledge_prompt: Option<PathBuf> = None,
        /// The size of one batch of reports in tokens.
        #[schemars(range(min = 100))]
        pub max_context_tokens: u32 = 12_000,
        /// How many tokens of points are brought together.
        #[schemars(range(min = 100))]
        pub data_max_tokens: u32 = 12_000,
        /// How many words a reading call is asked to keep to.
        #[schemars(range(min = 1))]
        pub map_max_length: u32 = 1000,
        /// How many words the answer is asked to keep to.
        #[schemars(range(min = 1))]
        pub reduce_max_length: u32 = 2000,
        /// With dynamic selection: the rating, 0 to 5, from which a report is read.
        #[schemars(range(max = 5))]
        pub dynamic_search_threshold: u32 = 1,
        /// With dynamic selection: whether a report is read although one below it is.
        pub dynamic_search_keep_parent: bool = false,
        /// With dynamic selection: how often each report is rated.
        #[schemars(range(min = 1, max = 20))]
        pub dynamic_search_num_repeats: u32 = 1,
        /// With dynamic selection: whether summaries are rated and not whole reports.
        pub dynamic_search_use_summary: bool = false,
        /// With dynamic selection: how deep to look where nothing above was relevant.
        pub dynamic_search_max_level: u32 = 2,
        /// Whether the answer may bring in what the model knows from elsewhere, marked as such.
        pub allow_general_knowledge: bool = false,
    }
}

section! {
    /// Questions that start broad and follow up: reports first, then local searches.
    pub struct DriftSearchConfig {
        /// The prompt file for one step; `prompts/drift_search_system_prompt.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// The prompt file for the answer; `prompts/drift_reduce_prompt.txt` (or `drift_search_reduce_prompt.txt`) or the built-in text when absent.
        pub reduce_prompt: Option<PathBuf> = None,
        /// Which of `completion_models` answers.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Which of `embedding_models` embeds the question.
        pub embedding_model_id: String = DEFAULT_EMBEDDING_MODEL.to_owned(),
        /// How many tokens of step answers are brought together.
        #[schemars(range(min = 100))]
        pub data_max_tokens: u32 = 12_000,
        /// How many tokens the answer may have.
        pub reduce_max_tokens: Option<u32> = None,
        /// The answer's sampling temperature.
        #[schemars(range(min = 0, max = 2))]
        pub reduce_temperature: f64 = 0.0,
        /// As `reduce_max_tokens`, for models that take the newer parameter.
        pub reduce_max_completion_tokens: Option<u32> = None,
        /// How many steps run at once.
        #[schemars(range(min = 1))]
        pub concurrency: u32 = 32,
        /// How many reports the first round reads, and how many follow-up questions each later one takes, at most.
        #[schemars(range(min = 1))]
        pub drift_k_followups: u32 = 20,
        /// Into how many parts the reports of the first round are divided.
        #[schemars(range(min = 1))]
        pub primer_folds: u32 = 5,
        /// How many tokens of reports go into one call of the first round.
        #[schemars(range(min = 100))]
        pub primer_llm_max_tokens: u32 = 12_000,
        /// How many rounds of follow-up questions there are.
        #[schemars(range(max = 20))]
        pub n_depth: u32 = 3,
        /// In a step: the share of the context that text units may fill.
        #[schemars(range(min = 0, max = 1))]
        pub local_search_text_unit_prop: f64 = 0.9,
        /// In a step: the share of the context that community reports may fill.
        #[schemars(range(min = 0, max = 1))]
        pub local_search_community_prop: f64 = 0.1,
        /// In a step: how many entities the question is mapped to.
        #[schemars(range(min = 1))]
        pub local_search_top_k_mapped_entities: u32 = 10,
        /// In a step: how many relationships that lead out are kept for each entity.
        pub local_search_top_k_relationships: u32 = 10,
        /// In a step: the context's size in tokens.
        #[schemars(range(min = 100))]
        pub local_search_max_data_tokens: u32 = 12_000,
        /// In a step: the sampling temperature.
        #[schemars(range(min = 0, max = 2))]
        pub local_search_temperature: f64 = 0.0,
        /// In a step: nucleus sampling.
        #[schemars(range(min = 0, max = 1))]
        pub local_search_top_p: f64 = 1.0,
        /// Accepted for compatibility, without effect.
        #[schemars(range(min = 1))]
        pub local_search_n: u32 = 1,
        /// In a step: how many tokens the answer may have.
        pub local_search_llm_max_gen_tokens: Option<u32> = None,
        /// As `local_search_llm_max_gen_tokens`, for models that take the newer parameter.
        pub local_search_llm_max_gen_completion_tokens: Option<u32> = None,
    }
}

section! {
    /// Questions answered from the nearest text units alone.
    pub struct BasicSearchConfig {
        /// The prompt file; `prompts/basic_search_system_prompt.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// Which of `completion_models` answers.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Which of `embedding_models` embeds the question.
        pub embedding_model_id: String = DEFAULT_EMBEDDING_MODEL.to_owned(),
        /// How many text units are read.
        #[schemars(range(min = 1))]
        pub k: u32 = 10,
        /// The context's size in tokens.
        #[schemars(range(min = 100))]
        pub max_context_tokens: u32 = 12_000,
    }
}
