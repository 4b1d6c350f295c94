//! The settings' figures in the engine's terms.

use super::answer::{Params, SearchPrompts};
use crate::config::{Prompts, Settings, StructuredOutput};

/// Neighbours from which an entity is a hub: measured on multi-hop questions, walking through larger ones costs more than it finds.
const HUB_CAP: u32 = 20;

impl Params {
    /// Reads the search sections.
    pub fn from_settings(settings: &Settings) -> Self {
        let (local, global, basic) = (
            &settings.local_search,
            &settings.global_search,
            &settings.basic_search,
        );
        let model = settings.completion_model(&global.completion_model_id);
        Self {
            local_tokens: local.max_context_tokens as usize,
            text_unit_share: local.text_unit_prop,
            community_share: local.community_prop,
            top_k_entities: local.top_k_entities as usize,
            top_k_relationships: local.top_k_relationships as usize,
            hub_cap: Some(HUB_CAP),
            batch_tokens: global.max_context_tokens as usize,
            points_tokens: global.data_max_tokens as usize,
            map_words: global.map_max_length,
            reduce_words: global.reduce_max_length,
            general_knowledge: global.allow_general_knowledge,
            concurrency: settings.concurrent_requests as usize,
            wants_schema: model
                .is_some_and(|model| model.structured_output != StructuredOutput::Never),
            basic_k: basic.k as usize,
            basic_tokens: basic.max_context_tokens as usize,
        }
    }
}

impl<'a> From<&'a Prompts> for SearchPrompts<'a> {
    fn from(prompts: &'a Prompts) -> Self {
        Self {
            local: &prompts.local_search,
            map: &prompts.global_map,
            reduce: &prompts.global_reduce,
            knowledge: &prompts.global_knowledge,
            basic: &prompts.basic_search,
        }
    }
}
