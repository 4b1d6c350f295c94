//! The first field of a record: which kind it is.

/// What a record says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Tag {
    Entity,
    Relationship,
    /// A record of another kind, of no use here.
    Other,
}

/// The longest tag with its quotes and marks, in bytes.
pub(super) const MAX_TAG_BYTES: usize = 40;

const ENTITY: &[&str] = &[
    "entity",
    "entities",
    "entitiy",
    "enity",
    "entiy",
    "entty",
    "enitity",
    "node",
    "实体",
    "實體",
    "エンティティ",
    "entidad",
    "entité",
    "entität",
];
const RELATIONSHIP: &[&str] = &[
    "relationship",
    "relationships",
    "relation",
    "relations",
    "relationshp",
    "relatioship",
    "realtionship",
    "relashionship",
    "relationhip",
    "edge",
    "rel",
    "关系",
    "關係",
    "関係",
    "relación",
    "relación",
    "beziehung",
];

/// Reads a tag's word.
pub(super) fn parse(word: &str) -> Option<Tag> {
    let word = word.trim().trim_matches(|c: char| !c.is_alphanumeric());
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let lower = word.to_lowercase();
    if ENTITY.contains(&lower.as_str()) {
        Some(Tag::Entity)
    } else if RELATIONSHIP.contains(&lower.as_str()) {
        Some(Tag::Relationship)
    } else if matches!(
        lower.as_str(),
        "content_keywords" | "keywords" | "high_level_keywords" | "low_level_keywords"
    ) {
        Some(Tag::Other)
    } else {
        None
    }
}

/// Whether the text opens a record of the tuple format: a parenthesis and a tag, or a quoted tag.
pub(in super::super) fn has_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['(', '（']) {
        let after = rest.get(at..).unwrap_or("");
        let opener = after.chars().next().map_or(1, char::len_utf8);
        let body = after
            .get(opener..)
            .unwrap_or("")
            .trim_start_matches([' ', '"', '\'', '“', '`', '*', '\\']);
        let length = body
            .char_indices()
            .take(MAX_TAG_BYTES)
            .find(|&(_, c)| !c.is_alphanumeric())
            .map_or(body.len(), |(at, _)| at);
        let word = body.get(..length).unwrap_or("");
        let follows = body
            .get(length..)
            .unwrap_or("")
            .trim_start_matches([' ', '"', '\'', '”', '`', '*', '\\']);
        if parse(word).is_some()
            && follows.starts_with([
                '<', '|', ',', ';', '\t', '，', '｜', '＜', '#', '{', '、', ':',
            ])
        {
            return true;
        }
        rest = body;
    }
    let start = text
        .trim_start()
        .trim_start_matches(['"', '*', '-', ' ', '`', '\n']);
    let length = start
        .char_indices()
        .take(MAX_TAG_BYTES)
        .find(|&(_, c)| !c.is_alphanumeric())
        .map_or(start.len(), |(at, _)| at);
    let follows = start
        .get(length..)
        .unwrap_or("")
        .trim_start_matches([' ', '"', '`', '*']);
    parse(start.get(..length).unwrap_or("")).is_some()
        && follows.starts_with(['<', '|', '｜', '＜', '#', '{'])
}
