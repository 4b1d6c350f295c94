use super::*;

/// Text of a settings file, and what must be said of it.
#[test]
fn mistakes_are_named_with_place_and_remedy() {
    let cases: &[(&str, &str)] = &[
        (
            "chunking:\n  sise: 3",
            "settings.yaml:2:3: chunking.sise: unknown key; did you mean `size`?",
        ),
        (
            "chunkin:\n  size: 3",
            "settings.yaml:1:1: chunkin: unknown key; did you mean `chunking`?",
        ),
        (
            "overlap: 3",
            "unknown key; did you mean `chunking.overlap`?",
        ),
        ("input: {budget: {}}", "`budget` at the top of the file"),
        (
            "models: {}",
            "models now stand under completion_models.default_completion_model",
        ),
        (
            "cache: {storage: {basedir: x}}",
            "settings.yaml:1:19: cache.storage.basedir: unknown key; did you mean `base_dir`?",
        ),
        (
            "snapshots: {zzz: 1}",
            "known here: embeddings, graphml, raw_graph",
        ),
        (
            "chunking: {size: abc}",
            "chunking.size: expected a whole number, found text \"abc\"",
        ),
        (
            "chunking: {size: 1.5}",
            "expected a whole number, found the number \"1.5\"",
        ),
        (
            "chunking: {size: [1]}",
            "expected a whole number, found a list",
        ),
        (
            "chunking: {size: 0}",
            "chunking.size: 0 is out of range; 1 to 1000000 is allowed",
        ),
        (
            "chunking: {overlap: -1}",
            "-1 is out of range; at least 0 is allowed",
        ),
        (
            "concurrent_requests: 99999999999999999999999",
            "out of range; 1 to 10000 is allowed",
        ),
        (
            "chunking: {size: 100, overlap: 100}",
            "chunking.overlap: 100 is not less than chunking.size (100)",
        ),
        (
            "chunking: {size: 50}",
            "chunking.overlap: 100 is not less than chunking.size (50)",
        ),
        (
            "chunking: 7",
            "chunking: expected a section of `key: value` lines, found the number \"7\"",
        ),
        (
            "chunking: {encoding_model: gpt2}",
            "\"gpt2\" is not supported: use o200k_base",
        ),
        (
            "snapshots: {graphml: maybe}",
            "expected true or false, found text \"maybe\"",
        ),
        (
            "prune_graph: {min_edge_weight_pct: 140}",
            "140 is out of range; 0 to 100 is allowed",
        ),
        (
            "prune_graph: {min_edge_weight_pct: .nan}",
            "expected a number",
        ),
        (
            "input: {type: pdf}",
            "expected auto or text or csv or json or jsonl or parquet or markitdown, found \"pdf\"",
        ),
        ("input: {type: jsonn}", "did you mean `json`?"),
        (
            "input: {file_pattern: '*.txt'}",
            "input.file_pattern: not a regular expression",
        ),
        (
            "input_storage:\n  type: blob",
            "settings.yaml:2:9: input_storage.type: \"blob\" is not supported: only type: file is supported",
        ),
        (
            "cache: {storage: {type: cosmosdb}}",
            "cache.storage.type: \"cosmosdb\" is not supported",
        ),
        (
            "vector_store: {type: azure_ai_search}",
            "vectors are kept in the output folder",
        ),
        (
            "table_provider: {type: csv}",
            "only type: parquet is supported",
        ),
        (
            "workflows: [a]",
            "workflows: a list of workflows is not supported",
        ),
        (
            "extract_graph: {entity_types: person}",
            "expected a list such as `[a, b]`, found text \"person\"",
        ),
        (
            "extract_graph: {entity_types: [a, ]}\nextract_claims: {enabled: true}",
            "extract_claims.enabled: needs a completion model",
        ),
        (
            "extract_graph:\n  entity_types:\n    - a\n    -\n",
            "extract_graph.entity_types.1: an empty item",
        ),
        (
            "embed_text: {names: [entity_title]}",
            "embed_text.names.0: expected entity_description or",
        ),
        (
            "embed_text: {provider: model}",
            "embed_text.provider: needs an embedding model",
        ),
        (
            "community_reports: {mode: model}",
            "needs a completion model",
        ),
        (
            "local_search: {text_unit_prop: 0.9, community_prop: 0.3}",
            "local_search.text_unit_prop: with",
        ),
        (
            "output_storage: {base_dir: ./input}",
            "output_storage.base_dir: the same folder as input_storage.base_dir",
        ),
        (
            "cache: {storage: {base_dir: output}}",
            "cache.storage.base_dir: the same folder as output_storage.base_dir",
        ),
        (
            "chunking: {size: 3, size: 4}",
            "settings.yaml:1:21: chunking.size: given twice, first on line 1",
        ),
        (
            "completion_models:\n  default_completion_model:\n",
            "completion_models.default_completion_model.model_provider: is missing",
        ),
        (
            "completion_models:\n  default_completion_model: {model_provider: openai, model: m}",
            "api_key: is missing; write api_key: ${OPENAI_API_KEY}",
        ),
        (
            "completion_models:\n  default_completion_model: {model_provider: openai, model: m, api_key: '${EMPTY}'}",
            "api_key: is empty",
        ),
        (
            "completion_models:\n  default_completion_model: {model_provider: vllm, model: m}",
            "api_base: is missing",
        ),
        (
            "completion_models:\n  default_completion_model: {model_provider: vllm, model: m, api_base: localhost}",
            "must start with http",
        ),
        (
            "completion_models:\n  default_completion_model: {model_provider: azure, model: m, api_key: k}",
            "api_base: is missing",
        ),
        (
            "completion_models:\n  default_completion_model: {type: openai_chat, model: m}",
            "write type: litellm",
        ),
        (
            "completion_models:\n  default_completion_model: {auth_method: azure_managed_identity}",
            "use auth_method: api_key",
        ),
        (
            "completion_models:\n  default_completion_model: {temperature: 1}",
            "it stands in call_args",
        ),
        (
            "completion_models:\n  mine: {model_provider: ollama, model: m}",
            "names `default_completion_model`, which is not in completion_models; add it, or write extract_graph.completion_model_id: mine",
        ),
        (
            "extract_graph: {completion_model_id: mine}",
            "names `mine`, which is not in completion_models; add it",
        ),
        ("a: [1, 2", "settings.yaml:"),
        (
            "- a\n- b",
            "expected a section of `key: value` lines, found a list",
        ),
        ("just text", "found text \"just text\""),
        (
            "chunking:\n\tsize: 3",
            "settings.yaml:2:1: a tab in the indentation",
        ),
        (
            "chunking: {}\n---\ninput: {}",
            "settings.yaml:2:1: a second document starts here",
        ),
        (
            "chunking: &a [*a]",
            "an alias that stands inside what it refers to",
        ),
        ("? [a]\n: b", "a key must be a word"),
        ("chunking: *nothing", "settings.yaml:1:"),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = message(text);
        if !found.contains(expected)
            || !found.lines().all(|line| line.starts_with("settings.yaml:"))
        {
            wrong.push(format!(
                "{text}\n  expected: {expected}\n  found:    {found}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_problems_are_listed_in_the_order_of_the_file() {
    let text = "chunking:\n  size: abc\n  overlapp: 3\ninput_storage:\n  type: blob\nbudget:\n  max_cost: -1\nextract_claims:\n  enabled: true\n";
    let lines: Vec<usize> = problems(text).iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 3, 5, 7, 9]);
}

#[test]
fn hostile_files_end_in_one_error() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let previous = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{previous}]\n"));
    }
    assert!(
        message(&bomb).contains("once aliases are expanded"),
        "{}",
        message(&bomb)
    );
    let deep_flow = "[".repeat(100_000);
    let deep_block: String = (0..1000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    for text in [deep_flow.as_str(), &deep_block] {
        let found = message(text);
        assert!(
            found.contains("nested deeper") || found.contains("not valid YAML"),
            "{found}"
        );
    }
    let wide = "a: 1\n".repeat(30_000);
    assert!(message(&wide).contains("more than 20000 values"));
}

/// Whatever the bytes, an answer and no panic: every prefix of a real file, and seeded damage to it.
#[test]
fn damaged_files_never_panic() {
    let characters: Vec<char> = STOCK.chars().collect();
    for end in (0..characters.len()).step_by(31) {
        let _ = read(&characters[..end].iter().collect::<String>());
    }
    let alphabet: Vec<char> = "{}[]:,#&*!|>'\"%@`- \t\n\\$?~a0ü\u{FEFF}\u{0}\u{85}\u{2028}"
        .chars()
        .collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..150 {
        let mut damaged = characters.clone();
        for _ in 0..1 + random(6) {
            let position = random(damaged.len());
            damaged[position] = alphabet[random(alphabet.len())];
        }
        let _ = read(&damaged.iter().collect::<String>());
    }
    for _ in 0..1000 {
        let text: String = (0..random(40))
            .map(|_| alphabet[random(alphabet.len())])
            .collect();
        let _ = read(&text);
    }
}
