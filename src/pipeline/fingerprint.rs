//! Whether a setting, a prompt or a model changed in a way that changes the tables.

use serde_json::Value;

use super::project::Project;
use super::run::Method;

/// Sections that say how fast, how patiently or where to, but not what comes of it.
const NOT_SHAPING: &[&str] = &[
    "concurrent_requests",
    "async_mode",
    "input_storage",
    "output_storage",
    "update_output_storage",
    "table_provider",
    "cache",
    "reporting",
    "vector_store",
    "workflows",
    "local_search",
    "global_search",
    "drift_search",
    "basic_search",
    "budget",
    "batch",
    "limits",
];

/// Keys of a model that do not change its answers.
const MODEL_NOT_SHAPING: &[&str] = &[
    "api_base",
    "api_version",
    "api_key",
    "auth_method",
    "retry",
    "rate_limit",
    "metrics",
    "mock_responses",
    "prices",
    "context_window",
];

/// Hashes everything but the input that shapes the tables.
pub(super) fn settings_fingerprint(project: &Project, method: Method) -> String {
    let mut value = serde_json::to_value(&project.settings).unwrap_or(Value::Null);
    if let Some(map) = value.as_object_mut() {
        for section in NOT_SHAPING {
            map.remove(*section);
        }
        for models in ["completion_models", "embedding_models"] {
            let Some(models) = map.get_mut(models).and_then(Value::as_object_mut) else {
                continue;
            };
            for model in models.values_mut().filter_map(Value::as_object_mut) {
                for key in MODEL_NOT_SHAPING {
                    model.remove(*key);
                }
            }
        }
    }
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(env!("CARGO_PKG_VERSION").as_bytes());
    part(method.as_str().as_bytes());
    part(value.to_string().as_bytes());
    let prompts = &project.prompts;
    for prompt in [
        &prompts.extract_graph,
        &prompts.adjudicate_names,
        &prompts.summarize_descriptions,
        &prompts.extract_claims,
        &prompts.community_report_graph,
        &prompts.community_report_text,
    ] {
        part(prompt.source().as_bytes());
    }
    // The analyst's decisions; absent is as good as empty.
    let decisions = project
        .root
        .join(&project.settings.entity_resolution.decisions);
    part(&std::fs::read(decisions).unwrap_or_default());
    hasher.finalize().to_hex().to_string()
}
