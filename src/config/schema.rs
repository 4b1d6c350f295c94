//! The JSON Schema of `settings.yaml`: made from the structs, checked against by the loader, given to editors.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::settings::Settings;

/// The schema as `belvedere init` writes it beside `settings.yaml`.
pub const SCHEMA_FILE: &str = include_str!("../../settings.schema.json");

/// The schema the loader checks against, made once.
pub fn of_settings() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Settings).to_value());
    &SCHEMA
}

/// The schema for editors: as the loader's, but a number or truth value may also be a `${NAME}`, and a section's
/// default is not repeated where the section is named.
pub fn for_editors() -> Value {
    let mut schema = of_settings().clone();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), json!("Belvedere settings"));
    }
    adapt(&mut schema);
    schema
}

fn adapt(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("$ref") || object.contains_key("anyOf") {
                object.remove("default");
            }
            allow_variable(object);
            for (key, value) in object.iter_mut() {
                if key != "default" {
                    adapt(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(adapt),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A pattern binds only texts, so beside a number's bounds it leaves numbers alone.
fn allow_variable(object: &mut Map<String, Value>) {
    let types: Vec<Value> = match object.get("type") {
        Some(Value::String(name)) => vec![json!(name)],
        Some(Value::Array(names)) => names.clone(),
        _ => return,
    };
    let takes_variable = types
        .iter()
        .any(|name| matches!(name.as_str(), Some("integer" | "number" | "boolean")));
    if takes_variable {
        let with_text: Vec<Value> = types.into_iter().chain([json!("string")]).collect();
        object.insert("type".to_owned(), Value::Array(with_text));
        object.insert(
            "pattern".to_owned(),
            json!(r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$"),
        );
    }
}
