use std::collections::BTreeMap;
use std::path::Path;

use super::*;

mod mistakes;

/// Parses with a few variables, under a fixed file name.
fn read(text: &str) -> Result<(Settings, Vec<String>), ConfigError> {
    let variables = BTreeMap::from([
        ("KEY", "sk-1"),
        ("RPM", "60"),
        ("ON", "true"),
        ("EMPTY", ""),
        ("NASTY", "a: b # c\n'd\" {e} ${KEY} [f]"),
    ]);
    parse(text, Path::new("settings.yaml"), &|name| {
        variables.get(name).map(|&value| value.to_owned())
    })
}

fn settings(text: &str) -> Settings {
    match read(text) {
        Ok((settings, _)) => settings,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn message(text: &str) -> String {
    read(text)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

fn problems(text: &str) -> Vec<Problem> {
    match read(text) {
        Err(ConfigError::Invalid { problems, .. }) => problems,
        other => panic!("{other:?}"),
    }
}

const MODEL: &str = "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: m\n    api_key: ${KEY}\n";

#[test]
fn nothing_at_all_is_the_default() {
    for text in [
        "",
        "\n\n",
        "# only a comment ${MISSING}\n",
        "---\n",
        "{}",
        "chunking:\nbudget:\n  # max_cost: 1\n",
    ] {
        assert_eq!(settings(text), Settings::default(), "{text:?}");
    }
    assert!(!Settings::default().has_completion_model());
}

#[test]
fn the_projects_own_settings_are_the_template_and_the_defaults() {
    let text = SETTINGS_TEMPLATE;
    assert!(text.starts_with("# yaml-language-server: $schema=settings.schema.json\n"));
    let (settings, notes) = read(text).unwrap();
    assert_eq!(settings, Settings::default());
    assert_eq!(notes, Vec::<String>::new());
}

/// Every commented block of the template must load once its comment signs are taken away.
#[test]
fn the_templates_commented_sections_load_when_uncommented() {
    let blocks = SETTINGS_TEMPLATE.split("\n# --- ").skip(1);
    let mut seen = 0;
    for block in blocks {
        let lines = block
            .lines()
            .skip(1)
            .take_while(|line| line.starts_with("# ") && !line.starts_with("# concurrent"));
        let text: String = lines.map(|line| format!("{}\n", &line[2..])).collect();
        let text = text
            .replace("AZURE_OPENAI_API_KEY", "KEY")
            .replace("OPENAI_API_KEY", "KEY");
        assert!(settings(&text).has_completion_model(), "{text}");
        seen += 1;
    }
    assert_eq!(seen, 3);
    let budget = SETTINGS_TEMPLATE
        .split("# budget:\n")
        .nth(1)
        .unwrap_or_default();
    let budget: String = budget
        .lines()
        .take(3)
        .map(|line| format!("{}\n", &line[2..]))
        .collect();
    let budget = settings(&format!("budget:\n{budget}")).budget;
    assert_eq!(
        (budget.max_cost, budget.max_tokens, budget.max_calls),
        (Some(5.0), Some(10_000_000), Some(5000))
    );
}

/// The committed schema is the one the structs give; `UPDATE_SCHEMA=1` writes it anew.
#[test]
fn the_committed_schema_is_current() {
    let current = editor_schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("settings.schema.json");
        let text = serde_json::to_string_pretty(&current).unwrap();
        std::fs::write(file, text + "\n").unwrap();
        return;
    }
    let committed: serde_json::Value = serde_json::from_str(SCHEMA_FILE).unwrap();
    assert!(
        committed == current,
        "settings.schema.json is out of date; run the tests with UPDATE_SCHEMA=1"
    );
}

#[test]
fn every_key_and_value_is_documented() {
    fn walk(schema: &serde_json::Value, path: &str, missing: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(|value| value.as_object()) {
            for (key, property) in properties {
                if property.get("description").is_none() {
                    missing.push(format!("{path}.{key}"));
                }
            }
        }
        for option in schema
            .get("oneOf")
            .and_then(|value| value.as_array())
            .into_iter()
            .flatten()
        {
            if option.get("description").is_none() {
                missing.push(format!("{path}: {option}"));
            }
        }
    }
    let schema = editor_schema();
    let mut missing = Vec::new();
    walk(&schema, "", &mut missing);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        walk(definition, name, &mut missing);
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// The keys Microsoft GraphRAG 3's `init` writes, with its values.
const STOCK: &str = r#"
completion_models:
  default_completion_model:
    model_provider: openai
    model: gpt-4.1
    auth_method: api_key
    api_key: ${KEY}
    retry:
      type: exponential_backoff
embedding_models:
  default_embedding_model:
    model_provider: openai
    model: text-embedding-3-large
    auth_method: api_key
    api_key: ${KEY}
    retry:
      type: exponential_backoff
concurrent_requests: 25
async_mode: threaded
input:
  type: text # [csv, text, json, jsonl]
  file_pattern: ".*\\.txt$$"
input_storage: {type: file, base_dir: "input"}
chunking: {type: tokens, size: 1200, overlap: 100, encoding_model: o200k_base, prepend_metadata: null}
output_storage: {type: file, base_dir: "output"}
update_output_storage: {type: file, base_dir: "update_output"}
table_provider: {type: parquet}
cache: {type: json, storage: {type: file, base_dir: "cache"}}
reporting: {type: file, base_dir: "logs"}
vector_store:
  type: lancedb
  db_uri: output/lancedb
  index_schema:
    entity_description: {index_name: entity_description, vector_size: 3072}
workflows: null
embed_text: {embedding_model_id: default_embedding_model, names: [text_unit_text]}
extract_graph:
  completion_model_id: default_completion_model
  prompt: "prompts/extract_graph.txt"
  entity_types: [organization,person,geo,event]
  max_gleanings: 1
summarize_descriptions: {completion_model_id: default_completion_model, prompt: "prompts/summarize_descriptions.txt", max_length: 500}
extract_graph_nlp: {text_analyzer: {extractor_type: regex_english, exclude_nouns: null}, async_mode: asyncio}
cluster_graph: {max_cluster_size: 10, use_lcc: true, seed: 0xDEADBEEF}
extract_claims: {enabled: false, completion_model_id: default_completion_model, prompt: "prompts/extract_claims.txt", max_gleanings: 1}
community_reports:
  completion_model_id: default_completion_model
  graph_prompt: "prompts/community_report_graph.txt"
  text_prompt: "prompts/community_report_text.txt"
  max_length: 2000
  max_input_length: 8000
snapshots: {graphml: false, embeddings: False}
local_search: {completion_model_id: default_completion_model, embedding_model_id: default_embedding_model, prompt: "prompts/local_search_system_prompt.txt"}
global_search: {map_prompt: "prompts/global_search_map_system_prompt.txt", reduce_prompt: "prompts/global_search_reduce_system_prompt.txt"}
drift_search: {prompt: "prompts/drift_search_system_prompt.txt", reduce_prompt: "prompts/drift_search_reduce_prompt.txt"}
basic_search: {prompt: "prompts/basic_search_system_prompt.txt"}
"#;

#[test]
fn stock_settings_load() {
    let (settings, notes) = read(STOCK).unwrap();
    let model = settings.completion_model(DEFAULT_COMPLETION_MODEL).unwrap();
    assert_eq!(model.api_key.as_ref().map(Secret::expose), Some("sk-1"));
    assert_eq!(model.base_url(), Some("https://api.openai.com/v1"));
    assert_eq!(settings.input.kind, InputType::Text);
    assert_eq!(settings.input.file_pattern.as_deref(), Some(r".*\.txt$$"));
    assert_eq!(settings.cluster_graph.seed, 3_735_928_559);
    assert!(settings.cluster_graph.use_lcc);
    assert!(!settings.snapshots.embeddings);
    assert_eq!(settings.embed_text.names, [EmbeddingName::TextUnitText]);
    assert_eq!(
        settings.extract_graph_nlp.text_analyzer,
        TextAnalyzerConfig::default()
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
    for key in [
        "async_mode",
        "vector_store.type",
        "vector_store.db_uri",
        "extract_graph_nlp.async_mode",
    ] {
        assert!(notes[0].contains(key), "{key}: {notes:?}");
    }
    assert!(!notes[0].contains("prepend_metadata"), "{notes:?}");
}

#[test]
fn variables_keep_to_their_scalar() {
    let text = "input:\n  text_column: ${NASTY}\n  id_column: 'x-${KEY}-y'\n  title_column: \"$${KEY} $KEY $$ 5$\"\nconcurrent_requests: ${RPM}\nsnapshots: {graphml: ${ON}, embeddings: false}\n# ${MISSING}\n";
    let read = settings(text);
    assert_eq!(
        read.input.text_column.as_deref(),
        Some("a: b # c\n'd\" {e} ${KEY} [f]")
    );
    assert_eq!(read.input.id_column.as_deref(), Some("x-sk-1-y"));
    assert_eq!(
        read.input.title_column.as_deref(),
        Some("${KEY} $KEY $$ 5$")
    );
    assert_eq!(read.concurrent_requests, 60);
    assert!(read.snapshots.graphml);
    assert_eq!(
        settings("input: {text_column: \"$$${KEY} ${1} ${a-b} ${\"}")
            .input
            .text_column
            .as_deref(),
        Some("$${KEY} ${1} ${a-b} ${")
    );
}

#[test]
fn a_missing_variable_names_itself_its_key_and_its_line() {
    let found = problems(
        "chunking:\n  size: ${NO_SIZE}\n  overlap: 5000\ninput:\n  text_column: a ${NOPE} b\n",
    );
    let shown: Vec<(usize, &str)> = found
        .iter()
        .map(|problem| (problem.line, problem.key.as_str()))
        .collect();
    assert_eq!(
        shown,
        [(2, "chunking.size"), (5, "input.text_column")],
        "overlap cannot be judged without size"
    );
    assert!(found[0].message.contains("NO_SIZE is not set"));
    assert!(found[1].message.contains("NOPE is not set"));
}

#[test]
fn a_value_put_in_is_never_shown() {
    let found = message("concurrent_requests: ${KEY}\ninput: {type: '${KEY}'}\n");
    assert!(
        found.contains("${KEY}") && !found.contains("sk-1"),
        "{found}"
    );
    let (settings, _) = read(STOCK).unwrap();
    assert!(!format!("{settings:?}").contains("sk-1"));
    assert!(!serde_json::to_string(&settings).unwrap().contains("sk-1"));
}

#[test]
fn model_ids_are_resolved() {
    let settings_of_one = settings(MODEL);
    assert!(settings_of_one.has_completion_model());
    assert!(
        settings_of_one
            .embedding_model(DEFAULT_EMBEDDING_MODEL)
            .is_none()
    );
    let builtin =
        settings("completion_models: {default_completion_model: {model_provider: builtin}}");
    assert!(!builtin.has_completion_model());
    let forced = settings(
        "embedding_models: {default_embedding_model: {model_provider: ollama, model: m}}\nembed_text: {provider: builtin}",
    );
    assert!(forced.embedding_model(DEFAULT_EMBEDDING_MODEL).is_none());
    let ollama =
        settings("embedding_models: {default_embedding_model: {model_provider: ollama, model: m}}");
    let model = ollama.embedding_model(DEFAULT_EMBEDDING_MODEL).unwrap();
    assert_eq!(model.base_url(), Some("http://localhost:11434/v1"));
}

#[test]
fn untyped_values_keep_their_type() {
    let text = format!(
        "{MODEL}    call_args: {{temperature: 0.5, n: 2, stop: [\"1\", x], seed: 0, user: null, logprobs: true, version: 1.2.3, inf: inf}}\n"
    );
    let settings = settings(&text);
    let arguments = &settings.completion_models[DEFAULT_COMPLETION_MODEL].call_args;
    let expected = serde_json::json!({"temperature": 0.5, "n": 2, "stop": ["1", "x"], "seed": 0, "logprobs": true, "version": "1.2.3", "inf": "inf"});
    assert_eq!(serde_json::to_value(arguments).unwrap(), expected);
}

#[test]
fn aliases_and_merge_keys_are_expanded() {
    let text = "completion_models:\n  default_completion_model: &base\n    model_provider: ollama\n    model: big\n    retry: &r {max_retries: 3}\n  small:\n    <<: *base\n    model: small\nembedding_models:\n  default_embedding_model: {model_provider: ollama, model: e, retry: *r}\n";
    let settings = settings(text);
    let small = &settings.completion_models["small"];
    assert_eq!(
        (
            small.model.as_str(),
            small.model_provider.as_str(),
            small.retry.max_retries
        ),
        ("small", "ollama", 3)
    );
    assert_eq!(
        settings.embedding_models[DEFAULT_EMBEDDING_MODEL]
            .retry
            .max_retries,
        3
    );
}

#[test]
fn json_is_read_too() {
    let text = "{\n\t\"chunking\": {\"size\": 300, \"overlap\": 30},\n\t\"input\": {\"file_pattern\": \"a\\\\.b$\"}\n}\n";
    let settings = settings(text);
    assert_eq!(
        (settings.chunking.size, settings.chunking.overlap),
        (300, 30)
    );
    assert_eq!(settings.input.file_pattern.as_deref(), Some("a\\.b$"));
}

#[test]
fn dotenv_lines_are_read_as_python_dotenv_does() {
    let text = "# c\nA=1\nexport B = two words # note\nC='x # y'\nD=\"l1\\nl2 \\\"q\\\"\" # c\nE=\nF=a#b\nG=x=y\n\nnot a line\n";
    let (values, unread) = variables::parse_dotenv(text);
    let expected = [
        ("A", "1"),
        ("B", "two words"),
        ("C", "x # y"),
        ("D", "l1\nl2 \"q\""),
        ("E", ""),
        ("F", "a#b"),
        ("G", "x=y"),
    ];
    let expected: BTreeMap<String, String> = expected
        .iter()
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect();
    assert_eq!(values, expected);
    assert_eq!(unread, [10]);
}

#[test]
fn loading_reads_dotenv_and_the_environment_wins() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: &[u8]| std::fs::write(root.join(name), text).unwrap();
    let no_environment = |_: &str| None;

    let absent = load(root, &no_environment).unwrap();
    assert_eq!((absent.path, absent.settings), (None, Settings::default()));

    write(
        "settings.yml",
        b"\xEF\xBB\xBFinput: {text_column: '${A}', id_column: '${B}'}\r\n",
    );
    write(".env", b"A=file\nB=file\n");
    let loaded = load(root, &|name| (name == "A").then(|| "process".to_owned())).unwrap();
    assert_eq!(
        loaded.settings.input.text_column.as_deref(),
        Some("process")
    );
    assert_eq!(loaded.settings.input.id_column.as_deref(), Some("file"));
    assert_eq!(loaded.path, Some(root.join("settings.yml")));
    assert_eq!(
        loaded.resolve(&loaded.settings.output_storage.base_dir),
        root.join("output")
    );

    write("settings.yaml", b"chunking: {size: 500}\n");
    let both = load(root, &no_environment).unwrap();
    assert_eq!(both.settings.chunking.size, 500);
    assert!(
        both.notes[0].contains("settings.yml is not read"),
        "{:?}",
        both.notes
    );

    write("settings.yaml", b"# one\nchunking: {size: \xFF\xFE}\n");
    let error = load(root, &no_environment).unwrap_err().to_string();
    assert!(
        error.contains("settings.yaml: line 2 is not UTF-8"),
        "{error}"
    );
    write("settings.yaml", &vec![b'#'; 2 << 20]);
    assert!(
        load(root, &no_environment)
            .unwrap_err()
            .to_string()
            .contains("more than any settings file has")
    );
    let nowhere = load(&root.join("nowhere"), &no_environment).unwrap_err();
    assert!(
        matches!(nowhere, ConfigError::NoSuchFolder { .. }),
        "{nowhere}"
    );
}
