//! What the schema cannot say: keys that must agree with each other, and names that must exist.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::check::{Findings, nearest};
use super::error::Problem;
use super::settings::{EmbeddingProvider, ModelConfig, ReportMode, Settings, VectorStoreType};
use super::yaml::Node;

/// Checks the settings as a whole.
pub fn check(settings: &Settings, root: &Node, findings: &mut Findings) {
    let mut rules = Rules {
        settings,
        root,
        findings,
    };
    rules.chunking();
    rules.file_pattern();
    rules.workflows();
    rules.folders();
    rules.models();
    rules.model_uses();
    rules.shares();
}

struct Rules<'a> {
    settings: &'a Settings,
    root: &'a Node,
    findings: &'a mut Findings,
}

impl Rules<'_> {
    /// Reports a problem at a key, unless the key, or what stands above or below it, is already known to be wrong.
    fn problem(&mut self, path: &[&str], message: String) {
        let key = path.join(".");
        let is_known = self.findings.failed.iter().any(|failed| {
            *failed == key
                || key
                    .strip_prefix(failed.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
        });
        if is_known {
            return;
        }
        let place = self.root.place_of(path);
        self.findings.problems.push(Problem {
            line: place.line,
            column: place.column,
            key,
            message,
        });
    }

    fn failed(&self, key: &str) -> bool {
        self.findings.failed.contains(key)
    }

    fn chunking(&mut self) {
        let chunking = &self.settings.chunking;
        if chunking.overlap >= chunking.size && !self.failed("chunking.size") {
            let (size, overlap) = (chunking.size, chunking.overlap);
            let message = format!(
                "{overlap} is not less than chunking.size ({size}); choose a smaller overlap or a larger size"
            );
            self.problem(&["chunking", "overlap"], message);
        }
    }

    fn file_pattern(&mut self) {
        let Some(pattern) = &self.settings.input.file_pattern else {
            return;
        };
        if let Err(error) = regex::Regex::new(pattern) {
            // The crate draws its message over several lines; the last one says what is wrong.
            let text = error.to_string();
            let cause = text
                .lines()
                .last()
                .unwrap_or_default()
                .trim()
                .trim_start_matches("error: ")
                .to_owned();
            self.problem(
                &["input", "file_pattern"],
                format!("not a regular expression: {cause}; for all text files write `.*\\.txt$`"),
            );
        }
    }

    fn workflows(&mut self) {
        if self.settings.workflows.is_some() {
            let message = "a list of workflows is not supported; remove the key and use --method standard or fast";
            self.problem(&["workflows"], message.to_owned());
        }
    }

    fn folders(&mut self) {
        let folders = [
            ("input_storage", &self.settings.input_storage.base_dir),
            ("output_storage", &self.settings.output_storage.base_dir),
            ("reporting", &self.settings.reporting.base_dir),
        ];
        let cache = tidy(&self.settings.cache.storage.base_dir);
        for (index, (section, folder)) in folders.iter().enumerate() {
            let is_same = |(_, other): &&(&str, &PathBuf)| tidy(other) == tidy(folder);
            if let Some((earlier, _)) = folders.iter().take(index).find(is_same) {
                let message = format!("the same folder as {earlier}.base_dir; choose another");
                self.problem(&[section, "base_dir"], message);
            }
            if tidy(folder) == cache {
                let message = format!("the same folder as {section}.base_dir; choose another");
                self.problem(&["cache", "storage", "base_dir"], message);
            }
        }
    }

    fn models(&mut self) {
        let settings = self.settings;
        for (section, models) in [
            ("completion_models", &settings.completion_models),
            ("embedding_models", &settings.embedding_models),
        ] {
            for (id, model) in models {
                self.model(section, id, model);
            }
        }
    }

    fn model(&mut self, section: &str, id: &str, model: &ModelConfig) {
        if model.is_builtin() {
            return;
        }
        if model.model_provider.is_empty() {
            let message = "is missing; write openai, azure, ollama, vllm or another OpenAI-compatible service, or builtin";
            self.problem(&[section, id, "model_provider"], message.to_owned());
        }
        if model.model.is_empty() {
            self.problem(
                &[section, id, "model"],
                "is missing; write the model's name".to_owned(),
            );
        }
        let base = model.base_url();
        if base.is_none() && !model.model_provider.is_empty() {
            let message = format!(
                "is missing; write the base URL of the OpenAI-compatible endpoint of {}, such as http://localhost:8000/v1",
                model.model_provider
            );
            self.problem(&[section, id, "api_base"], message);
        }
        if base.is_some_and(|base| !base.starts_with("http://") && !base.starts_with("https://")) {
            let message = "must start with http:// or https://".to_owned();
            self.problem(&[section, id, "api_base"], message);
        }
        let key = model.api_key.as_ref().map(|key| key.expose().trim());
        let needs_key =
            model.is_azure() || (model.model_provider == "openai" && model.api_base.is_none());
        if matches!(key, Some("" | "<API_KEY>")) {
            let what = match key {
                Some("") => "is empty",
                _ => "is still the placeholder <API_KEY>",
            };
            let message = format!(
                "{what}; put the key in the environment or in .env beside the settings file"
            );
            self.problem(&[section, id, "api_key"], message);
        } else if needs_key && key.is_none() {
            let message =
                "is missing; write api_key: ${OPENAI_API_KEY} and set that variable".to_owned();
            self.problem(&[section, id, "api_key"], message);
        }
    }

    fn model_uses(&mut self) {
        let settings = self.settings;
        let mut reported = BTreeSet::new();
        let completion: Vec<&str> = settings
            .completion_models
            .keys()
            .map(String::as_str)
            .collect();
        for (key, id) in settings.completion_model_uses() {
            self.model_use(key, id, "completion_models", &completion, &mut reported);
        }
        let embedding: Vec<&str> = settings
            .embedding_models
            .keys()
            .map(String::as_str)
            .collect();
        for (key, id) in settings.embedding_model_uses() {
            self.model_use(key, id, "embedding_models", &embedding, &mut reported);
        }

        let needs_model = [
            (
                settings.extract_claims.enabled,
                &["extract_claims", "enabled"],
                &settings.extract_claims.completion_model_id,
            ),
            (
                settings.community_reports.mode == ReportMode::Model,
                &["community_reports", "mode"],
                &settings.community_reports.completion_model_id,
            ),
        ];
        for (is_asked, path, id) in needs_model {
            if is_asked && settings.completion_model(id).is_none() {
                self.problem(
                    path,
                    format!("needs a completion model; add completion_models.{id}"),
                );
            }
        }
        let embed = &settings.embed_text;
        if embed.provider == EmbeddingProvider::Model
            && settings
                .embedding_model(&embed.embedding_model_id)
                .is_none()
        {
            let message = format!(
                "needs an embedding model; add embedding_models.{}",
                embed.embedding_model_id
            );
            self.problem(&["embed_text", "provider"], message);
        }
    }

    /// With models given, every id that is used must be one of them; with none, only a wish for one is wrong.
    fn model_use(
        &mut self,
        key: &str,
        id: &str,
        section: &str,
        known: &[&str],
        reported: &mut BTreeSet<String>,
    ) {
        let path: Vec<&str> = key.split('.').collect();
        let is_written = id != super::settings::DEFAULT_COMPLETION_MODEL
            && id != super::settings::DEFAULT_EMBEDDING_MODEL;
        if known.contains(&id)
            || (known.is_empty() && !is_written)
            || !reported.insert(format!("{section}.{id}"))
        {
            return;
        }
        let remedy = match (nearest(id, known.iter().copied()), known.first()) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, Some(first)) => format!("add it, or write {key}: {first}"),
            (None, None) => "add it".to_owned(),
        };
        self.problem(
            &path,
            format!("names `{id}`, which is not in {section}; {remedy}"),
        );
    }

    fn shares(&mut self) {
        let local = &self.settings.local_search;
        let drift = &self.settings.drift_search;
        let shares = [
            (
                "local_search",
                "text_unit_prop",
                local.text_unit_prop,
                "community_prop",
                local.community_prop,
            ),
            (
                "drift_search",
                "local_search_text_unit_prop",
                drift.local_search_text_unit_prop,
                "local_search_community_prop",
                drift.local_search_community_prop,
            ),
        ];
        for (section, text_key, text, report_key, reports) in shares {
            // A sum of decimal fractions such as 0.9 + 0.1 may miss 1 by a rounding error.
            if text + reports > 1.0 + 1e-9 {
                let message = format!(
                    "with {section}.{report_key} ({reports}) more than the whole context; together they may be 1 at most"
                );
                self.problem(&[section, text_key], message);
            }
        }
    }
}

/// A path without `.` parts, for comparing.
fn tidy(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

/// What a user should know about settings that were taken as they are.
pub fn notes(settings: &Settings, ineffective: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    if !ineffective.is_empty() {
        notes.push(format!(
            "accepted for compatibility, without effect: {}",
            ineffective.join(", ")
        ));
    }
    if settings.vector_store.kind == VectorStoreType::Lancedb {
        notes.push("vectors are kept as files in the output folder, not in lancedb".to_owned());
    }
    notes
}
