//! Embedding replies as servers really send them: floats, base64, `NaN`, nested lists, missing or shuffled indices.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::answer::{Usage, read_usage};

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
    #[serde(default)]
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Embedding,
}

/// One text's vector, or several where the server pooled nothing.
struct Embedding(Vec<Vec<f32>>);

impl<'de> Deserialize<'de> for Embedding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EmbeddingVisitor)
    }
}

struct EmbeddingVisitor;

impl<'de> Visitor<'de> for EmbeddingVisitor {
    type Value = Embedding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers or base64")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Embedding, E> {
        let bytes = STANDARD.decode(text).map_err(E::custom)?;
        if bytes.len() % 4 != 0 {
            return Err(E::custom("base64 of a length that is no row of floats"));
        }
        Ok(Embedding(vec![
            bytes
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect(),
        ]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Embedding, A::Error> {
        let mut flat = Vec::with_capacity(seq.size_hint().unwrap_or(384));
        let mut rows = Vec::new();
        while let Some(element) = seq.next_element::<Element>()? {
            match element {
                Element::Number(number) => flat.push(number),
                Element::Row(row) => rows.push(row),
            }
        }
        if rows.is_empty() {
            rows.push(flat);
        }
        Ok(Embedding(rows))
    }
}

enum Element {
    Number(f32),
    Row(Vec<f32>),
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor { depth: 0 })
    }
}

struct ElementVisitor {
    depth: u8,
}

impl<'de> Visitor<'de> for ElementVisitor {
    type Value = Element;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a row of numbers")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Element, E> {
        Ok(Element::Number(number as f32))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Element, E> {
        Ok(Element::Number(number as f32))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Element, E> {
        Ok(Element::Number(number as f32))
    }

    fn visit_unit<E>(self) -> Result<Element, E> {
        Ok(Element::Number(f32::NAN))
    }

    fn visit_str<E>(self, _: &str) -> Result<Element, E> {
        // "NaN", "Infinity": no number either way
        Ok(Element::Number(f32::NAN))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Element, A::Error> {
        if self.depth > 0 {
            return Err(serde::de::Error::custom("lists nested too deeply"));
        }
        let mut row = Vec::new();
        while let Some(number) = seq.next_element::<Option<f32>>()? {
            row.push(number.unwrap_or(f32::NAN));
        }
        Ok(Element::Row(row))
    }
}

/// Why a reply holds no vectors for the texts sent.
#[derive(Debug, PartialEq)]
pub(crate) enum BadVectors {
    /// Not JSON of the expected shape.
    Unreadable,
    /// As many vectors came.
    Count(usize),
    /// The server returned one vector for each token of a text.
    PerToken(usize),
    /// Vectors of different lengths, or of none.
    Dimensions,
}

/// Vectors in the order of the texts, with the server's count.
pub(crate) fn read_vectors(
    body: &[u8],
    texts: usize,
) -> Result<(Vec<Vec<f32>>, Option<Usage>), BadVectors> {
    let reply: Reply = match serde_json::from_slice(body) {
        Ok(reply) => reply,
        // Python writes numbers that JSON does not have
        Err(_) => serde_json::from_slice(&without_nan(body)).map_err(|_| BadVectors::Unreadable)?,
    };
    let usage = reply.usage.as_ref().and_then(read_usage);
    if reply.data.len() != texts {
        return Err(BadVectors::Count(reply.data.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    let indexed = reply.data.iter().all(|item| item.index.is_some())
        && reply.data.iter().any(|item| item.index != Some(0));
    for (place, item) in reply.data.into_iter().enumerate() {
        let mut rows = item.embedding.0;
        if rows.len() != 1 {
            return Err(BadVectors::PerToken(rows.len()));
        }
        let at = if indexed {
            item.index.unwrap_or(place)
        } else {
            place
        };
        match vectors.get_mut(at) {
            Some(slot @ None) => *slot = rows.pop(),
            // twice the same index, or one out of range: nothing says which text is meant
            _ => return Err(BadVectors::Count(texts.saturating_sub(1))),
        }
    }
    let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
    let dim = vectors.first().map_or(0, Vec::len);
    if texts > 0 && (dim == 0 || vectors.iter().any(|vector| vector.len() != dim)) {
        return Err(BadVectors::Dimensions);
    }
    Ok((vectors, usage))
}

/// Replaces bare `NaN`, `Infinity` and `-Infinity` outside strings by `null`.
fn without_nan(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    let mut in_string = false;
    while let Some((&first, after)) = rest.split_first() {
        if in_string && first == b'\\' {
            out.extend(rest.iter().take(2));
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        in_string ^= first == b'"';
        let bare = [&b"-Infinity"[..], b"Infinity", b"NaN"]
            .into_iter()
            .find(|word| !in_string && rest.starts_with(word));
        match bare {
            Some(word) => {
                out.extend_from_slice(b"null");
                rest = &rest[word.len()..];
            }
            None => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value, texts: usize) -> Result<Vec<Vec<f32>>, BadVectors> {
        read_vectors(body.to_string().as_bytes(), texts).map(|(vectors, _)| vectors)
    }

    #[test]
    fn floats_base64_and_shuffled_indices_are_read() {
        let base64 = STANDARD.encode([1.0f32, -2.5].map(f32::to_le_bytes).concat());
        let body = json!({"data": [{"index": 1, "embedding": [0.5, 3]}, {"index": 0, "embedding": base64}], "usage": {"prompt_tokens": 4, "total_tokens": 4}});
        let (vectors, usage) = read_vectors(body.to_string().as_bytes(), 2).unwrap();
        assert_eq!(vectors, [vec![1.0, -2.5], vec![0.5, 3.0]]);
        assert_eq!(
            usage,
            Some(Usage {
                prompt_tokens: 4,
                ..Usage::default()
            })
        );
        // a server that writes index 0 everywhere, or none
        let body =
            json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]});
        assert_eq!(read(&body, 2).unwrap(), [[1.0], [2.0]]);
        let body = json!({"data": [{"embedding": [1]}, {"embedding": [2]}]});
        assert_eq!(read(&body, 2).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn vectors_are_never_paired_with_wrong_texts() {
        let body =
            json!({"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [2]}]});
        assert_eq!(read(&body, 3), Err(BadVectors::Count(2)));
        assert_eq!(read(&body, 2), Err(BadVectors::Count(1)));
        let body =
            json!({"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [2]}]});
        assert_eq!(read(&body, 2), Err(BadVectors::Count(1)));
        let body =
            json!({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [2, 3]}]});
        assert_eq!(read(&body, 2), Err(BadVectors::Dimensions));
        assert_eq!(
            read(&json!({"data": [{"embedding": []}]}), 1),
            Err(BadVectors::Dimensions)
        );
    }

    #[test]
    fn a_vector_for_each_token_is_named_and_a_single_row_is_taken() {
        assert_eq!(
            read(
                &json!({"data": [{"embedding": [[1, 2], [3, 4], [5, 6]]}]}),
                1
            ),
            Err(BadVectors::PerToken(3))
        );
        assert_eq!(
            read(&json!({"data": [{"embedding": [[1, 2]]}]}), 1).unwrap(),
            [[1.0, 2.0]]
        );
    }

    #[test]
    fn numbers_json_does_not_have_are_read_as_no_number() {
        let (vectors, _) = read_vectors(
            br#"{"data":[{"embedding":[NaN,1,-Infinity],"note":"NaN \" NaN"}]}"#,
            1,
        )
        .unwrap();
        assert!(vectors[0][0].is_nan() && vectors[0][1] == 1.0 && vectors[0][2].is_nan());
        assert!(
            read(&json!({"data": [{"embedding": ["NaN", null, 1]}]}), 1).unwrap()[0][1].is_nan()
        );
        assert_eq!(read_vectors(b"<html>", 1), Err(BadVectors::Unreadable));
        assert_eq!(
            read(&json!({"data": [{"embedding": [[[1]]]}]}), 1),
            Err(BadVectors::Unreadable)
        );
    }
}
