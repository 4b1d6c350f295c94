//! The settings' figures in the engine's terms.

use super::answer::{DriftParams, Params, SearchPrompts, SelectionParams};
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
            report_tokens: None,
            context_only: false,
            history_turns: local.conversation_history_max_turns as usize,
            selection: SelectionParams {
                threshold: global.dynamic_search_threshold,
                keep_parent: global.dynamic_search_keep_parent,
                repeats: global.dynamic_search_num_repeats,
                by_summary: global.dynamic_search_use_summary,
                max_level: global.dynamic_search_max_level,
            },
            drift: drift(settings),
        }
    }
}

fn drift(settings: &Settings) -> DriftParams {
    let drift = &settings.drift_search;
    DriftParams {
        reports: drift.drift_k_followups as usize,
        folds: drift.primer_folds as usize,
        primer_tokens: drift.primer_llm_max_tokens as usize,
        depth: drift.n_depth,
        followups: drift.drift_k_followups as usize,
        concurrency: drift.concurrency as usize,
        data_tokens: drift.data_max_tokens as usize,
        step_tokens: drift.local_search_max_data_tokens as usize,
        step_text_unit_share: drift.local_search_text_unit_prop,
        step_community_share: drift.local_search_community_prop,
        step_top_k_entities: drift.local_search_top_k_mapped_entities as usize,
        step_top_k_relationships: drift.local_search_top_k_relationships as usize,
        step_temperature: Some(drift.local_search_temperature),
        // 1 is every server's default, and some models refuse the parameter.
        step_top_p: Some(drift.local_search_top_p).filter(|&top_p| top_p < 1.0),
        step_max_output: drift
            .local_search_llm_max_gen_completion_tokens
            .or(drift.local_search_llm_max_gen_tokens),
        reduce_temperature: Some(drift.reduce_temperature),
        reduce_max_output: drift
            .reduce_max_completion_tokens
            .or(drift.reduce_max_tokens),
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
            drift: &prompts.drift_search,
            drift_reduce: &prompts.drift_reduce,
            question_gen: &prompts.question_gen,
        }
    }
}
