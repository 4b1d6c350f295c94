//! Every quotable sentence of the corpus in flat arrays of integers, built once and shared by all reports.

use std::hash::Hasher;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use super::TextUnits;
use super::names::{Found, Names};
use super::pieces::{self, Facts};
use super::terms::{self, Word};
use crate::model::{DocumentIx, Entity, EntityIx, TextUnitIx};

/// A sentence splitter: appends the byte ranges of the text's sentences, in order and without overlap.
pub type Splitter<'a> = &'a (dyn Fn(&str, &mut Vec<Range<usize>>) + Sync);

/// Text units that one task tokenises.
const BATCH: usize = 8;

/// A sentence repeated word for word in this many documents is boilerplate.
const BOILERPLATE_DOCUMENTS: u32 = 4;

/// Row of a sentence in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SentenceIx(pub u32);

/// A sentence without its terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sentence {
    pub unit: TextUnitIx,
    /// Byte range in the unit's text.
    pub start: u32,
    pub end: u32,
    /// 0 to 1; boilerplate is already discounted.
    pub quality: f32,
    /// Leans on the sentence before it.
    pub leans: bool,
    /// Sentences with the same words in the same order share it.
    pub form: u32,
}

/// The sentences worth quoting, their terms and the entities they name.
///
/// Junk (headings, rows, addresses, fragments) is left out, stop words too; no text is kept.
pub struct SentenceIndex {
    documents: Vec<DocumentIx>,
    unit_start: Vec<u32>,
    sentences: Vec<Sentence>,
    term_start: Vec<u32>,
    terms: Vec<u32>,
    mention_start: Vec<u32>,
    mentions: Vec<EntityIx>,
    idf: Vec<f32>,
    surfaces: Vec<Option<Surface>>,
    case_votes: Vec<i32>,
}

/// Where an entity's title is spelled out in mixed case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Surface {
    /// 0 capitalised, 1 all capitals, 2 lower case: the least is the best.
    pub class: u8,
    pub unit: TextUnitIx,
    pub start: u32,
    pub end: u32,
}

/// What one task found, with 64-bit terms still.
#[derive(Default)]
struct Part {
    counts: Vec<u32>,
    sentences: Vec<(Sentence, u64)>,
    term_end: Vec<u32>,
    terms: Vec<u64>,
    mention_end: Vec<u32>,
    mentions: Vec<EntityIx>,
    surfaces: FxHashMap<EntityIx, Surface>,
    case_votes: FxHashMap<EntityIx, i32>,
}

impl SentenceIndex {
    /// Splits, tokenises and matches all text units in parallel; the result does not depend on the thread count.
    ///
    /// `entities` must have sorted `text_units`, as the table has.
    pub fn build(units: &dyn TextUnits, entities: &[Entity], split: Splitter<'_>) -> Self {
        let names = Names::new(entities);
        let count = units.len();
        let parts: Vec<Part> = (0..count.div_ceil(BATCH))
            .into_par_iter()
            .map(|batch| {
                let mut reader = Reader {
                    names: &names,
                    entities,
                    split,
                    part: Part::default(),
                    ranges: Vec::new(),
                    pieces: Vec::new(),
                    words: Vec::new(),
                    found: Vec::new(),
                };
                for row in batch * BATCH..((batch + 1) * BATCH).min(count) {
                    let unit = TextUnitIx(row as u32);
                    let goes_on = row > 0
                        && units.document(TextUnitIx(row as u32 - 1)) == units.document(unit);
                    reader.read(unit, &units.text(unit), goes_on);
                }
                reader.part
            })
            .collect();
        let documents = (0..count)
            .map(|row| units.document(TextUnitIx(row as u32)))
            .collect();
        Self::join(parts, documents, entities.len())
    }

    fn join(parts: Vec<Part>, documents: Vec<DocumentIx>, entities: usize) -> Self {
        let sentence_count = parts.iter().map(|part| part.sentences.len()).sum();
        let term_count: usize = parts.iter().map(|part| part.terms.len()).sum();
        let mut index = Self {
            unit_start: Vec::with_capacity(documents.len() + 1),
            documents,
            sentences: Vec::with_capacity(sentence_count),
            term_start: Vec::with_capacity(sentence_count + 1),
            terms: Vec::with_capacity(term_count),
            mention_start: Vec::with_capacity(sentence_count + 1),
            mentions: Vec::new(),
            idf: Vec::new(),
            surfaces: vec![None; entities],
            case_votes: vec![0; entities],
        };
        let mut interned: FxHashMap<u64, u32> = FxHashMap::default();
        let mut unit_frequency: Vec<u32> = Vec::new();
        let mut last_unit: Vec<u32> = Vec::new();
        let mut forms: FxHashMap<u64, u32> = FxHashMap::default();
        let mut form_documents: Vec<(u32, Option<DocumentIx>)> = Vec::new();
        index.unit_start.push(0);
        index.term_start.push(0);
        index.mention_start.push(0);
        for part in parts {
            let (mut term_at, mut mention_at) = (0, 0);
            for (row, &(mut sentence, form)) in part.sentences.iter().enumerate() {
                for term in &part.terms[term_at..part.term_end[row] as usize] {
                    let next = unit_frequency.len() as u32;
                    let id = *interned.entry(*term).or_insert(next);
                    if id == next {
                        unit_frequency.push(0);
                        last_unit.push(u32::MAX);
                    }
                    if last_unit[id as usize] != sentence.unit.0 {
                        last_unit[id as usize] = sentence.unit.0;
                        unit_frequency[id as usize] += 1;
                    }
                    index.terms.push(id);
                }
                term_at = part.term_end[row] as usize;
                index.term_start.push(index.terms.len() as u32);
                index
                    .mentions
                    .extend_from_slice(&part.mentions[mention_at..part.mention_end[row] as usize]);
                mention_at = part.mention_end[row] as usize;
                index.mention_start.push(index.mentions.len() as u32);

                let next = form_documents.len() as u32;
                sentence.form = *forms.entry(form).or_insert(next);
                if sentence.form == next {
                    form_documents.push((0, None));
                }
                let seen = &mut form_documents[sentence.form as usize];
                let document = index.documents[sentence.unit.at()];
                if seen.1 != Some(document) {
                    *seen = (seen.0 + 1, Some(document));
                }
                index.sentences.push(sentence);
            }
            for count in part.counts {
                let start = index.unit_start.last().copied().unwrap_or(0);
                index.unit_start.push(start + count);
            }
            for (entity, surface) in part.surfaces {
                let best = &mut index.surfaces[entity.at()];
                *best = Some(best.map_or(surface, |known| known.min(surface)));
            }
            for (entity, votes) in part.case_votes {
                index.case_votes[entity.at()] += votes;
            }
        }
        for sentence in &mut index.sentences {
            if form_documents[sentence.form as usize].0 >= BOILERPLATE_DOCUMENTS {
                sentence.quality *= 0.15;
            }
        }
        let units = index.documents.len() as f32;
        index.idf = unit_frequency
            .iter()
            .map(|&df| (1.0 + (units - df as f32 + 0.5) / (df as f32 + 0.5)).ln())
            .collect();
        index
    }

    /// Number of text units.
    pub fn units(&self) -> usize {
        self.documents.len()
    }

    /// Number of sentences kept.
    pub fn sentences(&self) -> usize {
        self.sentences.len()
    }

    pub(super) fn document(&self, unit: TextUnitIx) -> DocumentIx {
        self.documents[unit.at()]
    }

    pub(super) fn of_unit(&self, unit: TextUnitIx) -> Range<u32> {
        self.unit_start[unit.at()]..self.unit_start[unit.at() + 1]
    }

    pub(super) fn sentence(&self, ix: SentenceIx) -> &Sentence {
        &self.sentences[ix.0 as usize]
    }

    /// The sentence's distinct terms; a name of several words is one.
    pub(super) fn terms(&self, ix: SentenceIx) -> &[u32] {
        let at = ix.0 as usize;
        &self.terms[self.term_start[at] as usize..self.term_start[at + 1] as usize]
    }

    /// The distinct entities the sentence names, in order of appearance.
    pub(super) fn mentions(&self, ix: SentenceIx) -> &[EntityIx] {
        let at = ix.0 as usize;
        &self.mentions[self.mention_start[at] as usize..self.mention_start[at + 1] as usize]
    }

    /// Weight of a term: rare over text units is heavy (BM25's idf).
    pub(super) fn idf(&self, term: u32) -> f32 {
        self.idf[term as usize]
    }

    pub(super) fn term_count(&self) -> usize {
        self.idf.len()
    }

    pub(super) fn surface(&self, entity: EntityIx) -> Option<Surface> {
        self.surfaces.get(entity.at()).copied().flatten()
    }

    /// Positive for a name (capitalised inside sentences), negative for a common phrase, 0 where the text does not tell.
    pub(super) fn case_votes(&self, entity: EntityIx) -> i32 {
        self.case_votes.get(entity.at()).copied().unwrap_or(0)
    }

    /// The sentence just before `ix` in the same paragraph, if it was kept.
    pub(super) fn before(&self, ix: SentenceIx) -> Option<SentenceIx> {
        let previous = SentenceIx(ix.0.checked_sub(1)?);
        let (before, this) = (self.sentence(previous), self.sentence(ix));
        (before.unit == this.unit && this.start - before.end <= 2).then_some(previous)
    }
}

/// Buffers of one task.
struct Reader<'a> {
    names: &'a Names<'a>,
    entities: &'a [Entity],
    split: Splitter<'a>,
    part: Part,
    ranges: Vec<Range<usize>>,
    pieces: Vec<Range<usize>>,
    words: Vec<Word>,
    found: Vec<Found>,
}

impl Reader<'_> {
    fn read(&mut self, unit: TextUnitIx, text: &str, goes_on: bool) {
        self.ranges.clear();
        self.pieces.clear();
        (self.split)(text, &mut self.ranges);
        for range in self.ranges.drain(..) {
            pieces::cut(text, range, &mut self.pieces);
        }
        let before = self.part.sentences.len();
        let pieces = std::mem::take(&mut self.pieces);
        for (row, piece) in pieces.iter().enumerate() {
            let place = Facts {
                first: row == 0,
                goes_on,
                last: row + 1 == pieces.len(),
                ..Facts::default()
            };
            self.piece(unit, &text[piece.clone()], piece.start as u32, place);
        }
        self.pieces = pieces;
        self.part
            .counts
            .push((self.part.sentences.len() - before) as u32);
    }

    fn piece(&mut self, unit: TextUnitIx, piece: &str, offset: u32, place: Facts) {
        self.words.clear();
        let (mut count, mut ideographs, mut verb, mut personal) = (0, 0, false, false);
        let words = &mut self.words;
        terms::words(piece, |word| {
            let surface = &piece[word.start as usize..word.end as usize];
            // "Prepared by ..." opens with no finite verb.
            verb = verb || (count > 0 && terms::is_verb(&word, surface));
            let spoken = surface.split(['\'', '’']).next().unwrap_or("");
            personal |= matches!(spoken, "I" | "you" | "You" | "your" | "Your");
            count += 1;
            ideographs += usize::from(word.ideograph);
            if !word.stop {
                words.push(word);
            }
        });
        if self.words.is_empty() {
            return;
        }
        self.found.clear();
        self.names.find(&self.words, unit, &mut self.found);
        let in_names: usize = self
            .found
            .iter()
            .filter(|found| self.words[found.first].capital)
            .map(|found| found.last + 1 - found.first)
            .sum();
        let verdict = pieces::judge(
            piece,
            Facts {
                // About two ideographs make a word.
                words: count - ideographs / 2,
                substance: self.words.len() - in_names,
                verb,
                personal,
                ..place
            },
        );
        if verdict.quality <= 0.0 {
            return;
        }
        let mut form = FxHasher::default();
        for word in &self.words {
            form.write_u64(word.term);
        }
        let part = &mut self.part;
        part.sentences.push((
            Sentence {
                unit,
                start: offset,
                end: offset + piece.len() as u32,
                quality: verdict.quality,
                leans: verdict.leans,
                form: 0,
            },
            form.finish(),
        ));
        let first_mention = part.mentions.len();
        for found in &self.found {
            if !part.mentions[first_mention..].contains(&found.entity) {
                part.mentions.push(found.entity);
            }
            let inside = &self.words[found.first..=found.last];
            let capital = inside[0].capital && inside[inside.len() - 1].capital;
            let opens = inside[0].start < 3;
            if !opens || inside.len() > 1 {
                *part.case_votes.entry(found.entity).or_default() += if capital { 1 } else { -1 };
            }
            if found.title {
                let (start, end) = (inside[0].start, inside[inside.len() - 1].end);
                let text = &piece[start as usize..end as usize];
                let class = match (capital, text.chars().any(char::is_lowercase)) {
                    (true, true) => 0,
                    (_, false) => 1,
                    (false, true) => 2,
                };
                let known = part
                    .surfaces
                    .get(&found.entity)
                    .map_or(u8::MAX, |surface| surface.class);
                if class < known && same_letters(text, &self.entities[found.entity.at()].title) {
                    let surface = Surface {
                        class,
                        unit,
                        start: offset + start,
                        end: offset + end,
                    };
                    part.surfaces.insert(found.entity, surface);
                }
            }
        }
        part.mention_end.push(part.mentions.len() as u32);
        let first_term = part.terms.len();
        part.terms.extend(self.words.iter().map(|word| word.term));
        // A name of several words is one term: sharing it is sharing one thing.
        for found in self
            .found
            .iter()
            .filter(|found| found.last > found.first && self.words[found.first].capital)
        {
            let mut name = FxHasher::default();
            name.write_u32(found.entity.0);
            part.terms[first_term + found.first..=first_term + found.last].fill(name.finish());
        }
        part.terms[first_term..].sort_unstable();
        let distinct = dedup_tail(&mut part.terms, first_term);
        part.terms.truncate(distinct);
        part.term_end.push(distinct as u32);
    }
}

/// Removes repeats from the sorted tail of `terms` that starts at `first`; returns the new length.
fn dedup_tail(terms: &mut [u64], first: usize) -> usize {
    let mut kept = first;
    for at in first..terms.len() {
        if at == first || terms[at] != terms[kept - 1] {
            terms[kept] = terms[at];
            kept += 1;
        }
    }
    kept
}

/// Whether `surface` is the upper-cased `title` but for case and white space.
fn same_letters(surface: &str, title: &str) -> bool {
    let squeezed = |text: &str| -> Vec<char> {
        text.split_whitespace()
            .flat_map(|word| word.chars().chain([' ']))
            .flat_map(char::to_uppercase)
            .collect()
    };
    surface.eq_ignore_ascii_case(title) || squeezed(surface) == squeezed(title)
}
