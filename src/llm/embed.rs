//! Embedding texts: one cache entry a text, batches that fit the server, vectors that are never paired with wrong texts.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::stream::StreamExt;
use rustc_hash::FxHashMap;

use super::answer::Usage;
use super::cache::{Kind as RecordKind, Record};
use super::call::{Called, Failed, Subject};
use super::classify::{Failure, Kind};
use super::door::Door;
use super::error::CallError;
use super::quirks::Quirks;
use super::request::{Key, Stage, embedding_key};
use super::settings::RetrySettings;
use super::transport::HttpReply;
use super::vectors::{BadVectors, read_vectors};
use super::wire;
use crate::model::shown::counted;

/// Tokens of one text where the settings name no limit: that of OpenAI's models.
const TEXT_TOKENS: u32 = 8191;

/// Something about one text's vector that a caller should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// The text is empty: nothing was sent, the vector is zero.
    Empty,
    /// The server's vector is zero or holds something that is no number; it is zero here.
    NoDirection,
    /// The text was longer than the model takes and was cut.
    Truncated,
}

/// Vectors of a list of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// Length of a vector; 0 when no text had one.
    pub dim: usize,
    /// Row-major, one row a text, in the order of the texts.
    pub vectors: Vec<f32>,
    /// By position among the texts, ascending.
    pub flags: Vec<(usize, Flag)>,
    /// Texts that the provider's filter refused, by position, with its words; their rows are zero.
    pub refused: Vec<(usize, String)>,
    /// Tokens of the calls made now.
    pub usage: Usage,
    /// Money for them; `None` when the price is unknown.
    pub cost: Option<f64>,
    /// Distinct texts that came from the cache.
    pub cached: usize,
}

/// A text on its way.
#[derive(Clone)]
struct Item<'a> {
    key: Key,
    text: Cow<'a, str>,
    truncated: bool,
}

/// A text's vector with its flag.
struct Vector {
    key: Key,
    values: Vec<f32>,
    flag: Option<Flag>,
}

/// What one batch gave.
#[derive(Default)]
struct Batch {
    vectors: Vec<Vector>,
    refused: Vec<(Key, String)>,
    usage: Usage,
    cost: Option<f64>,
}

impl Door {
    /// Embeds texts. Every vector that came is in the cache before this returns, also when it returns an error.
    ///
    /// # Errors
    /// See [`CallError::action`]; `Permanent` names a server that answers with one vector for each token.
    pub async fn embed(&self, texts: &[&str]) -> Result<Embedded, CallError> {
        self.embed_as(texts, &self.endpoint.settings.retry).await
    }

    /// As [`Door::embed`], repeating calls as `retry` says.
    pub(crate) async fn embed_as(
        &self,
        texts: &[&str],
        retry: &RetrySettings,
    ) -> Result<Embedded, CallError> {
        let model = &self.endpoint.place.model;
        let keys: Vec<Option<Key>> = texts
            .iter()
            .map(|text| {
                (!text.trim().is_empty()).then(|| embedding_key(model, &self.endpoint.params, text))
            })
            .collect();
        let mut distinct: FxHashMap<Key, usize> = FxHashMap::default();
        let mut order = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            if let Some(key) = key {
                distinct.entry(*key).or_insert_with(|| {
                    order.push((*key, at));
                    at
                });
            }
        }
        let stored = self
            .shared
            .cache
            .get_many(order.iter().map(|(key, _)| *key).collect())
            .await;
        let mut found: FxHashMap<Key, (Vec<f32>, Option<Flag>)> = FxHashMap::default();
        let mut missing = Vec::new();
        for ((key, at), payload) in order.into_iter().zip(stored) {
            match payload.as_deref().and_then(unpack) {
                Some(vector) => {
                    found.insert(key, vector);
                }
                // invariant: `at` is a position in `texts`
                None => missing.push(self.prepare(key, texts[at])),
            }
        }
        let mut result = Embedded {
            cached: found.len(),
            cost: Some(0.0),
            ..Embedded::default()
        };
        let batches = self.batches(missing);
        let concurrency = self.endpoint.settings.concurrency.max(1);
        // Made outside the stream: a closure inside it would have to hold for every lifetime of a batch.
        let calls: Vec<_> = batches
            .into_iter()
            .map(|batch| self.embed_batch(batch, retry))
            .collect();
        let mut running = futures::stream::iter(calls).buffer_unordered(concurrency);
        let mut stopped = None;
        let mut refused: FxHashMap<Key, String> = FxHashMap::default();
        while let Some(batch) = running.next().await {
            let batch = match batch {
                Ok(batch) => batch,
                // The others are paid for: they land in the cache first.
                Err(error) => {
                    stopped.get_or_insert(error);
                    continue;
                }
            };
            result.usage.prompt_tokens += batch.usage.prompt_tokens;
            result.cost = result.cost.zip(batch.cost).map(|(sum, cost)| sum + cost);
            refused.extend(batch.refused);
            found.extend(
                batch
                    .vectors
                    .into_iter()
                    .map(|vector| (vector.key, (vector.values, vector.flag))),
            );
        }
        drop(running);
        if let Some(error) = stopped {
            return Err(error);
        }
        self.lay_out(&mut result, &keys, &found)?;
        let refused_at = |(at, key): (usize, &Option<Key>)| {
            let words = refused.get(key.as_ref()?)?;
            Some((at, words.clone()))
        };
        result.refused = keys.iter().enumerate().filter_map(refused_at).collect();
        Ok(result)
    }

    fn lay_out(
        &self,
        result: &mut Embedded,
        keys: &[Option<Key>],
        found: &FxHashMap<Key, (Vec<f32>, Option<Flag>)>,
    ) -> Result<(), CallError> {
        result.dim = found
            .values()
            .map(|(values, _)| values.len())
            .max()
            .unwrap_or(0);
        result.vectors = vec![0.0; result.dim * keys.len()];
        if found.values().any(|(values, _)| values.len() != result.dim) {
            return Err(CallError::Setup(format!(
                "{} returns vectors of different lengths than before: it serves another model under this name; prune the cache and index again",
                self.endpoint.place
            )));
        }
        for (at, key) in keys.iter().enumerate() {
            let Some((values, flag)) = key.and_then(|key| found.get(&key)) else {
                result.flags.push((at, Flag::Empty));
                continue;
            };
            // invariant: vectors holds keys.len() rows of dim
            result.vectors[at * result.dim..(at + 1) * result.dim].copy_from_slice(values);
            result.flags.extend(flag.map(|flag| (at, flag)));
        }
        Ok(())
    }

    /// Cuts a text that is longer than the model takes.
    fn prepare<'a>(&self, key: Key, text: &'a str) -> Item<'a> {
        let limit = self.endpoint.settings.context_window.unwrap_or(TEXT_TOKENS) as usize;
        // a token is a byte at least
        if text.len() > limit
            && let Some(cut) = self.cut_to(text, limit)
        {
            self.warn("texts longer than the embedding model takes were cut");
            return Item {
                key,
                text: Cow::Borrowed(cut),
                truncated: true,
            };
        }
        Item {
            key,
            text: Cow::Borrowed(text),
            truncated: false,
        }
    }

    /// The longest start of a text that has at most `limit` tokens, or `None` when all of it has.
    fn cut_to<'a>(&self, text: &'a str, limit: usize) -> Option<&'a str> {
        let count = &self.shared.settings.count_tokens;
        if count(text) <= limit {
            return None;
        }
        let (mut fits, mut too_long) = (0, text.len());
        // within a few bytes is near enough, and each step counts the text again
        while too_long - fits > 16 {
            let middle = text.floor_char_boundary(fits + (too_long - fits) / 2);
            if middle <= fits {
                break;
            }
            if count(&text[..middle]) <= limit {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        // never nothing at all: an empty text is not sent
        let end = if fits == 0 {
            text.ceil_char_boundary(1)
        } else {
            fits
        };
        Some(&text[..end])
    }

    fn batches<'a>(&self, items: Vec<Item<'a>>) -> Vec<Vec<Item<'a>>> {
        let settings = &self.endpoint.settings;
        let most = self
            .endpoint
            .quirks()
            .max_inputs
            .unwrap_or(usize::MAX)
            .min(settings.batch_size)
            .max(1);
        let mut batches: Vec<Vec<Item>> = Vec::new();
        let mut tokens = 0;
        for item in items {
            let own = item.text.len().div_ceil(3);
            match batches.last_mut() {
                Some(batch) if batch.len() < most && tokens + own <= settings.batch_max_tokens => {
                    tokens += own;
                    batch.push(item);
                }
                _ => {
                    tokens = own;
                    batches.push(vec![item]);
                }
            }
        }
        batches
    }

    /// Sends a batch, in parts where the server takes no more at once.
    async fn embed_batch(
        &self,
        batch: Vec<Item<'_>>,
        retry: &RetrySettings,
    ) -> Result<Batch, CallError> {
        let mut done = Batch {
            cost: Some(0.0),
            ..Batch::default()
        };
        let mut waiting = vec![batch];
        let mut cuts = 0;
        while let Some(mut items) = waiting.pop() {
            let most = self.endpoint.quirks().max_inputs.unwrap_or(usize::MAX);
            if items.len() > most {
                // invariant: max_inputs is at least 1
                waiting.extend(items.chunks(most).rev().map(<[Item]>::to_vec));
                continue;
            }
            match self.send_batch(&items, retry).await {
                Ok(Called { value, usage, cost }) => {
                    done.usage.prompt_tokens += usage.prompt_tokens;
                    done.cost = done.cost.zip(cost).map(|(sum, cost)| sum + cost);
                    done.vectors.extend(self.keep(items, value).await?);
                }
                Err(Failed {
                    kind: Some(Kind::TooManyInputs(limit)),
                    error,
                }) => {
                    let half = items.len() / 2;
                    if half == 0 {
                        return Err(error);
                    }
                    let limit = limit.filter(|&limit| limit < items.len()).unwrap_or(half);
                    self.endpoint.with_quirks(|quirks| quirks.cap_inputs(limit));
                    waiting.push(items);
                }
                Err(Failed {
                    kind: Some(Kind::ContextTooLong(_) | Kind::Mismatched | Kind::ContentFiltered),
                    ..
                }) if items.len() > 1 => {
                    let rest = items.split_off(items.len() / 2);
                    waiting.push(rest);
                    waiting.push(items);
                }
                Err(Failed {
                    kind: Some(Kind::ContextTooLong(limit)),
                    error,
                }) => {
                    cuts += 1;
                    let shorter = items
                        .pop()
                        .and_then(|item| self.shorten(item, limit))
                        .filter(|_| cuts < 64)
                        .ok_or(error)?;
                    waiting.push(vec![shorter]);
                }
                // One text that is refused costs that one.
                Err(Failed {
                    kind: Some(Kind::ContentFiltered),
                    error,
                }) => {
                    let words = error.to_string();
                    done.refused
                        .extend(items.into_iter().map(|item| (item.key, words.clone())));
                }
                Err(failed) => return Err(failed.error),
            }
        }
        Ok(done)
    }

    /// A text the server found too long, cut to its limit or to half.
    fn shorten<'a>(&self, item: Item<'a>, limit: Option<u64>) -> Option<Item<'a>> {
        let tokens = (self.shared.settings.count_tokens)(&item.text);
        let half = tokens / 2;
        // the server counts differently from us, so its own limit is not taken at its word twice
        let limit = limit
            .and_then(|limit| usize::try_from(limit).ok())
            .map(|limit| limit * 9 / 10)
            .filter(|&limit| limit < tokens && !item.truncated)
            .unwrap_or(half);
        if limit == 0 {
            return None;
        }
        let cut = self.cut_to(&item.text, limit)?.to_string();
        self.warn("texts longer than the embedding model takes were cut");
        Some(Item {
            key: item.key,
            text: Cow::Owned(cut),
            truncated: true,
        })
    }

    async fn send_batch(
        &self,
        items: &[Item<'_>],
        retry: &RetrySettings,
    ) -> Result<Called<Vec<Vec<f32>>>, Failed> {
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_ref()).collect();
        let capped = self.shared.budget.caps_tokens_or_cost();
        let prompt = texts.iter().map(|text| if capped { (self.shared.settings.count_tokens)(text) } else { text.len().div_ceil(4) } as u64).sum();
        let estimate = self.endpoint.estimate(prompt, None, false, capped);
        let name = format!("{} texts", texts.len());
        let subject = Subject {
            stage: Stage::Embed,
            item: &name,
            attempt: 0,
            id: None,
            on_text: None,
        };
        let build = |quirks: &Quirks, _| {
            wire::embeddings(
                &self.endpoint.place.model,
                &texts,
                &self.endpoint.params,
                quirks,
            )
        };
        let mismatches = AtomicU32::new(0);
        let read = |reply: &HttpReply| {
            read_vectors(&reply.body, texts.len())
                .map_err(|bad| bad_vectors(&bad, texts.len(), &mismatches))
        };
        let called = self.call(subject, estimate, retry, &build, &read).await?;
        self.endpoint.learn(called.usage, capped.then_some(prompt));
        Ok(called)
    }

    /// Checks vectors and puts the sound ones into the cache.
    async fn keep(
        &self,
        items: Vec<Item<'_>>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Vector>, CallError> {
        let mut kept = Vec::with_capacity(items.len());
        let mut records = Vec::with_capacity(items.len());
        for (item, mut values) in items.into_iter().zip(vectors) {
            let sound = values.iter().all(|value| value.is_finite())
                && values.iter().any(|&value| value != 0.0);
            let flag = if !sound {
                values.fill(0.0);
                self.warn("some vectors are zero or hold no numbers; their texts are not found by similarity");
                Some(Flag::NoDirection)
            } else {
                records.push(Record {
                    kind: RecordKind::Embedding,
                    key: item.key,
                    payload: pack(&values, item.truncated),
                });
                item.truncated.then_some(Flag::Truncated)
            };
            kept.push(Vector {
                key: item.key,
                values,
                flag,
            });
        }
        if !records.is_empty() {
            self.shared.cache.put(records).await?;
        }
        Ok(kept)
    }
}

fn bad_vectors(bad: &BadVectors, texts: usize, mismatches: &AtomicU32) -> Failure {
    match bad {
        BadVectors::Unreadable => Failure::transient("the reply holds no vectors that can be read"),
        BadVectors::Dimensions => {
            Failure::transient("the reply holds vectors of different lengths")
        }
        BadVectors::Count(came) => {
            let failure = Failure::transient(format!(
                "{} came for {}",
                counted(*came, "vector"),
                counted(texts, "text")
            ));
            // once may be an accident; twice, fewer texts at a time may help
            let again = mismatches.fetch_add(1, Ordering::Relaxed) > 0 && texts > 1;
            Failure {
                kind: if again {
                    Kind::Mismatched
                } else {
                    Kind::Transient
                },
                ..failure
            }
        }
        BadVectors::PerToken(rows) => Failure {
            kind: Kind::Permanent,
            ..Failure::transient(format!(
                "the server returns {rows} vectors for one text, one for each token: serve an embedding model, or switch pooling on (--pooling mean)"
            ))
        },
    }
}

/// Flags, then the floats, little-endian.
fn pack(values: &[f32], truncated: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + values.len() * 4);
    bytes.extend_from_slice(&u32::from(truncated).to_le_bytes());
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn unpack(payload: &[u8]) -> Option<(Vec<f32>, Option<Flag>)> {
    let (flags, floats) = payload.split_first_chunk::<4>()?;
    let (fours, rest) = floats.as_chunks::<4>();
    let values: Vec<f32> = fours.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let flag = (u32::from_le_bytes(*flags) & 1 == 1).then_some(Flag::Truncated);
    (rest.is_empty() && !values.is_empty()).then_some((values, flag))
}
