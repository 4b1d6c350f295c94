//! From a question to entities and text units: by name, by vector, by words.

use rustc_hash::FxHashSet;

use super::{AnchorRow, Engine};
use crate::embed::WORD_VECTORS;
use crate::model::shown::some_of;
use crate::query::context::{Anchor, Arrival, TextHit, Turn, expanded_from};
use crate::query::error::QueryError;
use crate::query::index::{VectorName, Vectors};
use crate::query::lexical::{self, Hit, Weighted};
use crate::query::models::QuestionEncoder;
use crate::query::names::{self, Named};
use crate::query::search::Field;

/// Entities taken for being named in part only.
const PARTLY_NAMED: usize = 6;

/// Text units taken from the text search.
const TEXT_HITS: usize = 20;

/// What a question was mapped to.
pub(in crate::query) struct Mapped {
    pub anchors: Vec<Anchor>,
    pub texts: Vec<TextHit>,
    /// Weights of the question's terms over the text units.
    pub weights: Weighted,
    /// Whether any entity is named.
    pub named: bool,
    pub notes: Vec<String>,
}

/// Words of a question that are named because they stand nowhere.
const ABSENT_NAMED: usize = 20;

/// What the asker should know of words that stand nowhere.
pub(super) fn absent_note(weights: &Weighted, question: &str) -> Option<String> {
    let absent = weights.absent(question);
    let words = some_of(&absent, ABSENT_NAMED);
    (!absent.is_empty()).then(|| format!("no text of the index holds: {words}"))
}

fn wrong_vectors(
    vectors: &Vectors,
    encoder: &dyn QuestionEncoder,
    dimension: Option<usize>,
) -> QueryError {
    QueryError::WrongVectors {
        path: vectors.path.clone(),
        stored_model: vectors.model_name(),
        stored_dimension: vectors.dimension,
        model: encoder.name(),
        dimension,
    }
}

impl Engine<'_> {
    /// What embeds a question so that it can be compared with a table's vectors, which are not read for this. `None` where there are no
    /// vectors, or none that are worth or capable of being searched; a note then says so.
    ///
    /// # Errors
    /// The settings name another model than the one that made the vectors.
    pub(super) fn encoder_for(
        &self,
        name: VectorName,
        notes: &mut Vec<String>,
    ) -> Result<Option<&dyn QuestionEncoder>, QueryError> {
        let what = name.rows();
        let Some(vectors) = self.index.vectors(name)? else {
            notes.push(format!(
                "the index has no vectors of {what}: found by names and words alone"
            ));
            return Ok(None);
        };
        // Hashed words rank worse than the text search they would be fused with.
        let of_words = vectors.model.as_deref() == Some(WORD_VECTORS);
        let Some(encoder) = self.encoder.filter(|_| !of_words) else {
            return Ok(None);
        };
        let same_model = match &vectors.model {
            Some(model) => *model == encoder.name(),
            // The file does not say; only a model that the settings name is trusted to be the one.
            None => encoder.is_configured(),
        };
        let fits = same_model
            && encoder
                .dimension()
                .is_none_or(|dimension| dimension == vectors.dimension);
        if !fits && !encoder.is_configured() {
            notes.push(format!(
                "the vectors of {what} were made by {} ({} numbers) and no embedding model is configured: found by names and words alone",
                vectors.model_name(),
                vectors.dimension
            ));
            return Ok(None);
        }
        match fits {
            true => Ok(Some(encoder)),
            false => Err(wrong_vectors(vectors, encoder, encoder.dimension())),
        }
    }

    /// The vector of a text by such an encoder.
    ///
    /// # Errors
    /// The model gave none, or one of another length than the table's vectors have.
    pub(super) async fn encode(
        &self,
        encoder: &dyn QuestionEncoder,
        name: VectorName,
        text: &str,
    ) -> Result<Vec<f32>, QueryError> {
        let vector = encoder.encode(text).await?;
        match self.index.vectors(name)? {
            Some(vectors) if vector.len() != vectors.dimension => {
                Err(wrong_vectors(vectors, encoder, Some(vector.len())))
            }
            _ => Ok(vector),
        }
    }

    /// The `k` best text units by their words.
    pub(super) fn search_texts(
        &self,
        question: &str,
        k: usize,
    ) -> Result<(Vec<Hit>, Weighted), QueryError> {
        self.index.rank(Field::Units, question, k)
    }

    /// Maps a question: named entities first, then the nearest by vector, or by the words of their descriptions where there are no
    /// vectors; and text units by their words. A question that names nothing is about what was last asked about.
    pub(in crate::query) async fn map(
        &self,
        question: &str,
        history: &[Turn],
    ) -> Result<Mapped, QueryError> {
        let mut notes = Vec::new();
        let entities = self.index.entities()?;
        let mut anchors: Vec<Anchor> = Vec::new();
        let mut taken: FxHashSet<u32> = FxHashSet::default();
        let most = self.params.top_k_entities.saturating_mul(2).max(1);
        let mut partly = 0;
        let mut names = self.names(question)?;
        let mut joined = question.to_owned();
        if names.is_empty() {
            for turn in history.iter().rev().take(self.params.history_turns) {
                joined = format!("{joined}\n{}", turn.question);
                if names.is_empty() {
                    names = self.names(&turn.question)?;
                }
            }
        }
        let question = joined.as_str();
        for named in names {
            partly += usize::from(!named.whole);
            if anchors.len() < most && partly <= PARTLY_NAMED && taken.insert(named.entity) {
                anchors.push(Anchor {
                    entity: named.entity,
                    arrived: Arrival::Name,
                    whole: named.whole,
                });
            }
        }
        let named = !anchors.is_empty();
        let encoder = match entities.titles.is_empty() {
            true => None,
            false => self.encoder_for(VectorName::Entities, &mut notes)?,
        };
        let near = match encoder {
            Some(encoder) => {
                let vector = self.encode(encoder, VectorName::Entities, question).await?;
                self.index.nearest(VectorName::Entities, &vector, most)?
            }
            None => None,
        };
        let found: Vec<(u32, Arrival)> = match near {
            Some(near) => near
                .into_iter()
                .map(|(row, _)| (row, Arrival::Vector))
                .collect(),
            None => {
                let wanted = if named {
                    self.params.top_k_entities / 2
                } else {
                    self.params.top_k_entities
                };
                let (hits, _) = self.index.rank(Field::Descriptions, question, wanted)?;
                hits.into_iter()
                    .map(|hit| (hit.row, Arrival::Lexical))
                    .collect()
            }
        };
        let by_vector = found
            .first()
            .is_some_and(|first| first.1 == Arrival::Vector);
        for (entity, arrived) in found {
            if taken.insert(entity) {
                anchors.push(Anchor {
                    entity,
                    arrived,
                    whole: false,
                });
            }
        }
        let (hits, weights) = self.search_texts(question, TEXT_HITS)?;
        let texts = hits
            .into_iter()
            .map(|hit| TextHit {
                unit: hit.row,
                arrived: Arrival::Lexical,
            })
            .collect();
        if !named && lexical::query_terms(question).is_empty() && !by_vector {
            notes.push(
                "the question has no word that can be searched for; name what it is about"
                    .to_owned(),
            );
        } else if !named {
            let how = if by_vector {
                "entities were found by similarity and sources by text search as well"
            } else {
                "sources were found by text search"
            };
            notes.push(format!("the question names no entity of the index: {how}"));
        }
        Ok(Mapped {
            anchors,
            texts,
            weights,
            named,
            notes,
        })
    }

    fn names(&self, question: &str) -> Result<Vec<Named>, QueryError> {
        let mut names = names::find(question, self.index)?;
        names.retain(|named| self.index.allows_entity(named.entity));
        Ok(names)
    }

    /// The anchors as the evidence shows them.
    pub(super) fn anchor_rows(&self, anchors: &[Anchor]) -> Result<Vec<AnchorRow>, QueryError> {
        let entities = self.index.entities()?;
        let expanded = expanded_from(self.index, anchors, self.params.hub_cap)?;
        let row = |anchor: &Anchor| AnchorRow {
            id: entities.numbers.of(anchor.entity),
            title: entities.titles.get(anchor.entity as usize).to_owned(),
            matched: anchor.arrived,
            expanded: expanded.contains(&anchor.entity),
        };
        Ok(anchors.iter().map(row).collect())
    }
}
