//! The prompt files: which there are, what each may hold, and where each is read from.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use super::template::{PromptError, Template};

/// A prompt that can be edited: its file in `prompts/`, its built-in text and its placeholders.
#[derive(Clone, Copy, Debug)]
pub struct StockPrompt {
    /// The key of the settings that names another file.
    pub key: &'static str,
    /// The file's name in `prompts/`.
    pub file: &'static str,
    /// The text that is used where there is no file, and that `belvedere init` writes.
    pub text: &'static str,
    /// Placeholders it may use.
    pub allowed: &'static [&'static str],
    /// Placeholders it must use.
    pub required: &'static [&'static str],
}

macro_rules! stock {
    ($key:literal, $file:literal, $allowed:expr, $required:expr) => {
        StockPrompt {
            key: $key,
            file: $file,
            text: include_str!(concat!("../../prompts/", $file)),
            allowed: &$allowed,
            required: &$required,
        }
    };
}

const EXTRACT_GRAPH: StockPrompt = stock!(
    "extract_graph.prompt",
    "extract_graph.txt",
    ["input_text", "entity_types"],
    ["input_text"]
);
const ADJUDICATE_NAMES: StockPrompt = stock!(
    "entity_resolution.prompt",
    "adjudicate_names.txt",
    ["name", "passages", "other_name", "other_passages"],
    ["name", "other_name"]
);
const SUMMARIZE_DESCRIPTIONS: StockPrompt = stock!(
    "summarize_descriptions.prompt",
    "summarize_descriptions.txt",
    ["entity_name", "description_list", "max_length"],
    ["description_list"]
);
const EXTRACT_CLAIMS: StockPrompt = stock!(
    "extract_claims.prompt",
    "extract_claims.txt",
    ["input_text", "entity_specs", "claim_description"],
    ["input_text"]
);
const COMMUNITY_REPORT_GRAPH: StockPrompt = stock!(
    "community_reports.graph_prompt",
    "community_report_graph.txt",
    ["input_text", "max_report_length"],
    ["input_text"]
);
const COMMUNITY_REPORT_TEXT: StockPrompt = stock!(
    "community_reports.text_prompt",
    "community_report_text.txt",
    ["input_text", "max_report_length"],
    ["input_text"]
);
const LOCAL_SEARCH: StockPrompt = stock!(
    "local_search.prompt",
    "local_search_system_prompt.txt",
    ["context_data", "response_type"],
    ["context_data"]
);
const GLOBAL_MAP: StockPrompt = stock!(
    "global_search.map_prompt",
    "global_search_map_system_prompt.txt",
    ["context_data", "max_length"],
    ["context_data"]
);
const GLOBAL_REDUCE: StockPrompt = stock!(
    "global_search.reduce_prompt",
    "global_search_reduce_system_prompt.txt",
    ["report_data", "response_type", "max_length"],
    ["report_data"]
);
const GLOBAL_KNOWLEDGE: StockPrompt = stock!(
    "global_search.knowledge_prompt",
    "global_search_knowledge_system_prompt.txt",
    [],
    []
);
const DRIFT_SEARCH: StockPrompt = stock!(
    "drift_search.prompt",
    "drift_search_system_prompt.txt",
    ["context_data", "response_type", "global_query", "followups"],
    ["context_data"]
);
const DRIFT_REDUCE: StockPrompt = stock!(
    "drift_search.reduce_prompt",
    "drift_reduce_prompt.txt",
    ["context_data", "response_type"],
    ["context_data"]
);
const BASIC_SEARCH: StockPrompt = stock!(
    "basic_search.prompt",
    "basic_search_system_prompt.txt",
    ["context_data", "response_type"],
    ["context_data"]
);
const QUESTION_GEN: StockPrompt = stock!(
    "prompts/question_gen_system_prompt.txt",
    "question_gen_system_prompt.txt",
    ["context_data", "question_count"],
    ["context_data"]
);

/// Every prompt that can be edited, in the order of the stages.
pub const STOCK_PROMPTS: [StockPrompt; 14] = [
    EXTRACT_GRAPH,
    ADJUDICATE_NAMES,
    SUMMARIZE_DESCRIPTIONS,
    EXTRACT_CLAIMS,
    COMMUNITY_REPORT_GRAPH,
    COMMUNITY_REPORT_TEXT,
    LOCAL_SEARCH,
    GLOBAL_MAP,
    GLOBAL_REDUCE,
    GLOBAL_KNOWLEDGE,
    DRIFT_SEARCH,
    DRIFT_REDUCE,
    BASIC_SEARCH,
    QUESTION_GEN,
];

/// Asks for the entities and relationships that the last answer missed.
pub const EXTRACT_CONTINUE: &str = include_str!("texts/extract_continue.txt");
/// Asks whether anything is still missing; answered `Y` or `N`.
pub const EXTRACT_LOOP: &str = include_str!("texts/extract_loop.txt");
/// Asks for the claims that the last answer missed.
pub const CLAIMS_CONTINUE: &str = include_str!("texts/claims_continue.txt");
/// Asks whether any claim is still missing; answered `Y` or `N`.
pub const CLAIMS_LOOP: &str = include_str!("texts/claims_loop.txt");
/// The first round of DRIFT. A template; placeholders `query`, `community_reports`.
pub const DRIFT_PRIMER: &str = include_str!("texts/drift_primer.txt");
/// Asks DRIFT for a text to search with. A template; placeholders `query`, `template`.
pub const DRIFT_HYDE: &str = include_str!("texts/drift_hyde.txt");
/// Rates a report's relevance for dynamic selection. A template; placeholders `description`, `question`.
pub const RATE_REPORT: &str = include_str!("texts/rate_report.txt");
/// Compares two answers to one question. A template; placeholders `question`, `first`, `second`.
pub const JUDGE_PAIR: &str = include_str!("texts/judge_pair.txt");

/// The prompts of a project, checked.
#[derive(Clone, Debug)]
pub struct Prompts {
    /// Entities and relationships of a text unit.
    pub extract_graph: Template,
    /// Whether two names are one thing.
    pub adjudicate_names: Template,
    /// One description of several.
    pub summarize_descriptions: Template,
    /// Claims of a text unit.
    pub extract_claims: Template,
    /// A report on entities and relationships.
    pub community_report_graph: Template,
    /// A report on text units.
    pub community_report_text: Template,
    /// The answer of a local search.
    pub local_search: Template,
    /// The points of one batch of reports.
    pub global_map: Template,
    /// The answer of a global search.
    pub global_reduce: Template,
    /// What is appended where general knowledge is allowed.
    pub global_knowledge: Template,
    /// One step of a DRIFT search.
    pub drift_search: Template,
    /// The answer of a DRIFT search.
    pub drift_reduce: Template,
    /// The answer of a basic search.
    pub basic_search: Template,
    /// Questions to ask next.
    pub question_gen: Template,
}

/// Every prompt that could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct PromptErrors(pub Vec<PromptError>);

impl Prompts {
    /// Reads the prompts: each from the file the settings name, else from `prompts/` in `root` if it is there, else
    /// the built-in text. Paths are relative to `root`.
    ///
    /// # Errors
    /// All prompts that are missing, unreadable or use placeholders they do not have.
    pub fn load(settings: &Settings, root: &Path) -> Result<Self, PromptErrors> {
        let mut errors = Vec::new();
        let mut read = |stock: &StockPrompt, configured: Option<&PathBuf>| {
            read_template(stock, configured.map(PathBuf::as_path), root)
                .map_err(|error| errors.push(error))
                .ok()
        };
        let reports = &settings.community_reports;
        let global = &settings.global_search;
        let drift = &settings.drift_search;
        let extract_graph = read(&EXTRACT_GRAPH, settings.extract_graph.prompt.as_ref());
        let adjudicate = read(
            &ADJUDICATE_NAMES,
            settings.entity_resolution.prompt.as_ref(),
        );
        let summarize = read(
            &SUMMARIZE_DESCRIPTIONS,
            settings.summarize_descriptions.prompt.as_ref(),
        );
        let extract_claims = read(&EXTRACT_CLAIMS, settings.extract_claims.prompt.as_ref());
        let report_graph = read(&COMMUNITY_REPORT_GRAPH, reports.graph_prompt.as_ref());
        let report_text = read(&COMMUNITY_REPORT_TEXT, reports.text_prompt.as_ref());
        let local_search = read(&LOCAL_SEARCH, settings.local_search.prompt.as_ref());
        let global_map = read(&GLOBAL_MAP, global.map_prompt.as_ref());
        let global_reduce = read(&GLOBAL_REDUCE, global.reduce_prompt.as_ref());
        let global_knowledge = read(&GLOBAL_KNOWLEDGE, global.knowledge_prompt.as_ref());
        let drift_search = read(&DRIFT_SEARCH, drift.prompt.as_ref());
        let drift_reduce = read(&DRIFT_REDUCE, drift.reduce_prompt.as_ref());
        let basic_search = read(&BASIC_SEARCH, settings.basic_search.prompt.as_ref());
        let question_gen = read(&QUESTION_GEN, None);
        let all = || {
            Some(Self {
                extract_graph: extract_graph?,
                adjudicate_names: adjudicate?,
                summarize_descriptions: summarize?,
                extract_claims: extract_claims?,
                community_report_graph: report_graph?,
                community_report_text: report_text?,
                local_search: local_search?,
                global_map: global_map?,
                global_reduce: global_reduce?,
                global_knowledge: global_knowledge?,
                drift_search: drift_search?,
                drift_reduce: drift_reduce?,
                basic_search: basic_search?,
                question_gen: question_gen?,
            })
        };
        all().ok_or(PromptErrors(errors))
    }
}

fn read_template(
    stock: &StockPrompt,
    configured: Option<&Path>,
    root: &Path,
) -> Result<Template, PromptError> {
    let path = match configured {
        Some(configured) => {
            let path = root.join(configured);
            let other_name =
                other_drift_name(&path).filter(|other| !path.exists() && other.exists());
            let path = other_name.unwrap_or(path);
            if !path.exists() {
                return Err(PromptError::Missing {
                    key: stock.key,
                    path,
                });
            }
            Some(path)
        }
        None => {
            let path = root.join("prompts").join(stock.file);
            let other_name = other_drift_name(&path);
            [Some(path), other_name]
                .into_iter()
                .flatten()
                .find(|path| path.is_file())
        }
    };
    let Some(path) = path else {
        return Template::parse(stock.text, stock.file, stock.allowed, stock.required);
    };
    let text = std::fs::read_to_string(&path).map_err(|error| PromptError::Unreadable {
        path: path.clone(),
        message: error.to_string(),
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    Template::parse(
        text,
        &path.display().to_string(),
        stock.allowed,
        stock.required,
    )
}

/// Microsoft GraphRAG's settings name one of these two files and its `init` writes the other.
fn other_drift_name(path: &Path) -> Option<PathBuf> {
    match path.file_name()?.to_str()? {
        "drift_search_reduce_prompt.txt" => Some(path.with_file_name("drift_reduce_prompt.txt")),
        "drift_reduce_prompt.txt" => Some(path.with_file_name("drift_search_reduce_prompt.txt")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        crate::config::parse(text, Path::new("settings.yaml"), &|_| None)
            .unwrap()
            .0
    }

    #[test]
    fn built_in_prompts_hold_their_placeholders() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Prompts::load(&Settings::default(), folder.path()).is_ok());
        for stock in STOCK_PROMPTS {
            assert!(
                Template::parse(stock.text, stock.file, stock.allowed, stock.allowed).is_ok(),
                "{}",
                stock.file
            );
        }
        for (text, allowed) in [
            (DRIFT_PRIMER, &["query", "community_reports"][..]),
            (DRIFT_HYDE, &["query", "template"]),
            (RATE_REPORT, &["description", "question"]),
            (JUDGE_PAIR, &["question", "first", "second"]),
        ] {
            assert!(
                Template::parse(text, "built in", allowed, allowed).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn prompt_files_are_found_where_the_settings_and_the_folder_say() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("prompts")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        write("prompts/extract_graph.txt", "stock name {input_text}");
        write("mine.txt", "named {description_list}");
        write("prompts/drift_reduce_prompt.txt", "edited {context_data}");
        let text = "summarize_descriptions: {prompt: mine.txt}\ndrift_search: {reduce_prompt: prompts/drift_search_reduce_prompt.txt}\n";
        let prompts = Prompts::load(&settings(text), root).unwrap();
        assert_eq!(prompts.extract_graph.source(), "stock name {input_text}");
        assert_eq!(
            prompts.summarize_descriptions.source(),
            "named {description_list}"
        );
        assert_eq!(prompts.drift_reduce.source(), "edited {context_data}");

        write("prompts/extract_graph.txt", "no placeholder");
        let text =
            "summarize_descriptions: {prompt: gone.txt}\ndrift_search: {prompt: also_gone.txt}";
        let error = Prompts::load(&settings(text), root).unwrap_err();
        assert_eq!(error.0.len(), 3, "{error}");
        let shown = error.to_string();
        assert!(
            shown.contains(
                "gone.txt: named by summarize_descriptions.prompt in the settings, but not there"
            ),
            "{shown}"
        );
        assert!(
            shown.contains("extract_graph.txt: {input_text} is missing"),
            "{shown}"
        );
    }
}
