//! The keys of entity and relationship rows, and what a map looks like by them.

use super::super::json::{Node, Value};
use super::super::keys::{Field, Members};
use super::super::outcome::Notes;

pub(super) const ENTITIES: Field = Field {
    key: "entities",
    aliases: "entity nodes node vertices entity_list entities_list extracted_entities \
        named_entities 实体 实体列表 實體 エンティティ entidades entités entitäten",
};
pub(super) const RELATIONSHIPS: Field = Field {
    key: "relationships",
    aliases: "relationship relations relation edges links triples triplets connections \
        extracted_relationships 关系 关系列表 關係 関係 relaciones beziehungen",
};
pub(super) const NAME: Field = Field {
    key: "name",
    aliases: "entity_name title entity entity_title node_name 名称 名字 名稱 实体名称 实体 实体名 名前 nombre nom",
};
pub(super) const KIND: Field = Field {
    key: "type",
    aliases: "entity_type category class kind entity_category node_type types entity_label 类型 \
        实体类型 類型 类别 種類 タイプ tipo",
};
/// Keys that hold a name where no better one is there.
pub(super) const LOOSE_NAME: Field = Field {
    key: "text",
    aliases: "mention value node term word",
};
/// A name or a type, by what else is there.
pub(super) const LABEL: Field = Field {
    key: "label",
    aliases: "labels",
};
pub(super) const DESCRIPTION: Field = Field {
    key: "description",
    aliases: "desc entity_description relationship_description relation_description summary \
        details detail definition explanation descriptions observations info context \
        evidence 描述 说明 实体描述 关系描述 説明 descripción",
};
pub(super) const SOURCE: Field = Field {
    key: "source",
    aliases: "src source_entity source_name from subject head start source_id source_node src_id \
        entity1 entity_1 source_entity_name subj from_entity head_entity start_node 源 来源 \
        源实体 起点 主体 origen ソース",
};
pub(super) const TARGET: Field = Field {
    key: "target",
    aliases: "tgt target_entity target_name to object tail end target_id target_node tgt_id dst \
        dest destination entity2 entity_2 target_entity_name obj to_entity tail_entity \
        end_node 目标 目标实体 终点 客体 destino ターゲット",
};
pub(super) const RELATION: Field = Field {
    key: "relationship",
    aliases: "relation predicate relation_type relationship_type type label keywords 关系 verb",
};
pub(super) const WEIGHT: Field = Field {
    key: "weight",
    aliases: "strength relationship_strength relation_strength score relationship_weight \
        importance confidence 权重 强度 重み",
};
pub(super) const ID: Field = Field {
    key: "id",
    aliases: "entity_id node_id uid key identifier ref",
};
pub(super) const CALL: Field = Field {
    key: "arguments",
    aliases: "parameters input args function tool_input",
};

pub(super) fn is_payload(members: &Members<'_>) -> bool {
    if is_entity(members) {
        return false;
    }
    let names_rows = |key: &str, node: &Node| {
        let holds_rows = matches!(node.value, Value::List(_) | Value::Map(_) | Value::Null);
        let is_entities = ENTITIES.is_named(key) || key.contains("entities");
        let is_relationships = RELATIONSHIPS.is_named(key) || key.contains("relationships");
        match &node.value {
            // `{"entity": {"name": ...}}` is one row, not a list of rows.
            Value::Map(_) if matches!(key, "entity" | "node" | "relationship" | "relation") => {
                false
            }
            Value::Text(text) => {
                matches!(key, "entities" | "relationships")
                    && !text.trim_start().starts_with(['[', '{'])
            }
            _ => holds_rows && (is_entities || is_relationships),
        }
    };
    members.iter().any(|(key, _, node)| names_rows(key, node))
}

pub(super) fn is_entity(members: &Members<'_>) -> bool {
    let has_text = |name: &str| {
        members
            .iter()
            .any(|(key, _, node)| key == name && node.scalar().is_some())
    };
    let has_kind = members.has(&KIND);
    let named = [
        "name",
        "entity_name",
        "entity",
        "名称",
        "名字",
        "名稱",
        "实体名称",
        "实体",
        "名前",
        "nombre",
    ]
    .iter()
    .any(|key| has_text(key));
    let described = has_kind
        || ["description", "desc", "entity_description", "描述", "説明"]
            .iter()
            .any(|key| has_text(key));
    !members.has(&CALL)
        && ((named && described) || (has_text("title") && has_kind && !has_text("summary")))
}

pub(super) fn is_relationship(members: &Members<'_>) -> bool {
    members.has(&SOURCE) && members.has(&TARGET) && members.len() <= 40
}

/// Whether a normal key is one of a row's fields.
pub(super) fn is_field(key: &str) -> bool {
    let fields = [
        &NAME,
        &KIND,
        &DESCRIPTION,
        &SOURCE,
        &TARGET,
        &WEIGHT,
        &ID,
        &RELATION,
    ];
    fields.iter().any(|field| field.is_named(key))
}

/// Whether a normal key is the one that a row begins with.
pub(super) fn is_first_field(key: &str) -> bool {
    [&NAME, &SOURCE, &ID]
        .iter()
        .any(|field| field.is_named(key))
}

pub(super) fn name_node<'a>(members: &Members<'a>, notes: &mut Notes) -> Option<&'a Node> {
    let fields: [&Field; 5] = if members.has(&KIND) {
        [&NAME, &LOOSE_NAME, &LABEL, &ID, &ID]
    } else {
        [&NAME, &LOOSE_NAME, &ID, &LABEL, &ID]
    };
    fields
        .into_iter()
        .find(|field| members.has(field))
        .and_then(|field| members.get(field, notes))
}

/// The type; a label is one where another key gives the name.
pub(super) fn kind_node<'a>(members: &Members<'a>, notes: &mut Notes) -> Option<&'a Node> {
    let is_named = members.has(&NAME) || members.has(&LOOSE_NAME) || members.has(&ID);
    members.get(&KIND, notes).or_else(|| {
        if is_named {
            members.get(&LABEL, notes)
        } else {
            None
        }
    })
}

/// A description that may be a list of sentences.
pub(super) fn joined(node: &Node) -> String {
    match &node.value {
        Value::List(parts) => parts
            .iter()
            .filter_map(Node::scalar)
            .collect::<Vec<_>>()
            .join(" "),
        _ => node.scalar().unwrap_or_default(),
    }
}
