//! What older settings files and other set-ups ask for, and what to write instead.

/// What became of a key of Microsoft GraphRAG 0.x to 2.x. `section` is the path of the section it stands in.
pub fn renamed_key(section: &str, key: &str) -> Option<&'static str> {
    let remedy = match (section, key) {
        ("", "models" | "llm" | "embeddings") => {
            "models now stand under completion_models.default_completion_model and embedding_models.default_embedding_model"
        }
        ("", "chunks") => "it is called chunking now",
        ("", "storage" | "output") => "it is called output_storage now",
        ("", "update_index_output" | "update_index_storage") => {
            "remove it: updates are written to output_storage itself"
        }
        ("", "entity_extraction") => "it is called extract_graph now",
        ("", "claim_extraction") => "it is called extract_claims now",
        ("", "encoding_model") => "it stands in chunking now",
        ("", "parallelization") => "use concurrent_requests",
        ("", "umap" | "embed_graph") => "it has gone from the reference too; remove it",
        ("", "root_dir") => "remove it and use --root",
        ("", "skip_workflows") => "remove it: the stages follow from --method",
        ("input", "storage") => "it is called input_storage now, beside input",
        ("input", "base_dir") => "it stands in input_storage now, beside input",
        ("input", "file_type") => "it is called type now",
        ("input", "file_encoding") => "it is called encoding now",
        ("input", "metadata") => "it is called chunking.prepend_metadata now",
        (
            "input",
            "source_column"
            | "document_attribute_columns"
            | "timestamp_column"
            | "timestamp_format",
        ) => "it has gone from the reference too; remove it",
        ("chunking", "strategy") => "it is called type now",
        ("chunking", "group_by_columns") => "it has gone from the reference too; remove it",
        ("chunking", "prepend_metadata_lines" | "chunk_size_includes_metadata") => {
            "use prepend_metadata with a list of field names"
        }
        ("cache", "base_dir") => "it stands in cache.storage now",
        ("community_reports", "prompt") => {
            "it is called graph_prompt now, and text_prompt for --method fast"
        }
        ("vector_store", "default_vector_store" | "container_name" | "overwrite") => {
            "it has gone from the reference too; remove it"
        }
        (_, "model_id") => "it is called completion_model_id now",
        (_, "chat_model_id") => "it is called completion_model_id now",
        ("embed_text", "vector_store_id" | "target") => {
            "it has gone from the reference too; remove it"
        }
        (_, "strategy") => "it has gone from the reference too; remove it",
        (_, "deployment_name") => "it is called azure_deployment_name now",
        (_, "tokens_per_minute") => {
            "use rate_limit.tokens_per_period with rate_limit.period_in_seconds: 60"
        }
        (_, "requests_per_minute") => {
            "use rate_limit.requests_per_period with rate_limit.period_in_seconds: 60"
        }
        (
            _,
            "temperature"
            | "top_p"
            | "max_tokens"
            | "n"
            | "request_timeout"
            | "max_completion_tokens"
            | "reasoning_effort",
        ) if section.starts_with("completion_models.")
            || section.starts_with("embedding_models.") =>
        {
            "it stands in call_args"
        }
        (_, "max_retries") if section.ends_with("_model") => "it stands in retry",
        (_, "concurrent_requests") => "it stands at the top of the file, for all models",
        _ => return None,
    };
    Some(remedy)
}

/// Why a value that the reference takes cannot be had here, and what to do.
pub fn unsupported_value(key: &str, value: &str) -> Option<&'static str> {
    let (section, leaf) = key.rsplit_once('.').unwrap_or(("", key));
    let remedy = match (section, leaf, value) {
        (_, "type", "blob" | "cosmosdb" | "memory")
            if section.ends_with("storage") || section == "reporting" =>
        {
            "only type: file is supported; copy or mount the data as a folder and name it in base_dir"
        }
        ("table_provider", "type", _) => "only type: parquet is supported",
        ("vector_store", "type", "azure_ai_search" | "cosmosdb") => {
            "vectors are kept in the output folder; use type: file"
        }
        (_, "auth_method", "azure_managed_identity") => {
            "managed identities are not supported; use auth_method: api_key with api_key: ${NAME}"
        }
        (
            _,
            "type",
            "chat"
            | "openai_chat"
            | "azure_openai_chat"
            | "openai_embedding"
            | "azure_openai_embedding"
            | "embedding",
        ) => {
            "write type: litellm and name the service in model_provider: openai, azure, ollama, ..."
        }
        (_, "type", "mock") => {
            "answers cannot be made up here; use model_provider: builtin to run without a model"
        }
        (_, "encoding_model", _) => "use o200k_base, or cl100k_base for models before GPT-4o",
        (_, "file_type", _) => "use type",
        _ => return None,
    };
    Some(remedy)
}
