//! Phrases by form alone: what `--method fast` takes for entities, without a model.
//!
//! Two finders, united: runs of capitalised words (they know unknown surnames) and noun phrases over part-of-speech tags
//! (they know "senior partner"). Classes of words come from hand-made lists, endings and neighbours; the guessed entity type
//! from form and context. English; of other languages in cased scripts the names, of caseless scripts what is quoted or recurs.

mod alias;
mod binding;
mod caseless;
mod chunk;
mod cooccurrence;
mod han;
mod kind;
mod lexicon;
mod line;
mod names;
mod numeral;
mod scan;
mod tag;
mod title;
mod token;
mod weigh;
mod word;
mod words;

use std::ops::Range;

pub use cooccurrence::{Cooccurrence, Edge, Edges, Window};
pub use kind::{EntityKind, KindEvidence, KindTally};

use lexicon::Lexicon;

/// What decides which phrases are found; the keys of `extract_graph_nlp.text_analyzer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NlpSettings {
    /// Longest word of a noun phrase, in characters; a hyphenated word counts by its parts.
    pub max_word_length: usize,
    /// Stands between the words of a title.
    pub word_delimiter: String,
    /// No noun phrase contains one of these.
    pub exclude_nouns: Vec<String>,
    /// Whether proper names are found.
    pub include_named_entities: bool,
    /// Longest noun phrase, in words; a longer one keeps its last words. Names have their own limit of 8.
    pub max_words: usize,
    /// Whether the two-noun head of a longer phrase counts too, where the text unit has it on its own as well.
    pub nested_heads: bool,
}

impl Default for NlpSettings {
    fn default() -> Self {
        let excluded =
            "stuff thing things bunch bit bits people person okay hey hi hello laughter oh";
        Self {
            max_word_length: 15,
            word_delimiter: " ".to_owned(),
            exclude_nouns: excluded.split(' ').map(str::to_owned).collect(),
            include_named_entities: true,
            max_words: 5,
            nested_heads: true,
        }
    }
}

/// One occurrence of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase<'a> {
    /// The normal form: upper case, words joined by the delimiter, the head of a noun phrase in the singular.
    pub title: &'a str,
    /// Start in the text, in bytes.
    pub start: usize,
    /// End (exclusive) in the text, in bytes.
    pub end: usize,
    /// Sentence of the text it stands in, from zero.
    pub sentence: u32,
    /// A proper name, not a common noun phrase.
    pub named: bool,
    /// What this occurrence says of the type.
    pub evidence: KindEvidence,
    /// The bytes of the long form, where the text itself says that this is short for it, "PLWA" in "Port Lune Water Authority (PLWA)",
    /// or that this is its former name. A phrase with exactly these bytes is emitted too.
    pub alias_of: Option<Range<usize>>,
}

/// Working memory of one thread, kept between texts so that no text allocates once it has grown.
#[derive(Default)]
pub struct Scratch {
    tokens: Vec<token::Token>,
    cases: names::CaseTable,
    names: Vec<names::Name>,
    marks: Vec<bool>,
    tags: Vec<tag::Tag>,
    chunks: Vec<chunk::Chunk>,
    caseless: caseless::Scratch,
    spans: Vec<caseless::Span>,
    found: Vec<Found>,
    title: String,
}

/// A phrase before its title is written: tokens, ends inclusive.
#[derive(Clone, Debug)]
struct Found {
    first: usize,
    last: usize,
    named: bool,
    evidence: KindEvidence,
    alias_of: Option<(usize, usize)>,
}

/// Finds phrases. Immutable and shared by all threads; each brings its [`Scratch`].
pub struct PhraseExtractor {
    lexicon: Lexicon,
    limits: chunk::Limits,
    delimiter: String,
    include_names: bool,
}

impl PhraseExtractor {
    /// Builds the lexicon (about ten thousand words) and keeps the settings.
    pub fn new(settings: &NlpSettings) -> Self {
        Self {
            lexicon: Lexicon::new(&settings.exclude_nouns),
            limits: chunk::Limits {
                max_words: settings.max_words.max(1),
                max_word_length: settings.max_word_length,
                nested_heads: settings.nested_heads,
            },
            delimiter: settings.word_delimiter.clone(),
            include_names: settings.include_named_entities,
        }
    }

    /// Hands every phrase of `text` to `sink`, in order of position, a longer one before those inside it.
    pub fn extract(&self, scratch: &mut Scratch, text: &str, sink: &mut impl FnMut(Phrase<'_>)) {
        scan::tokenize(text, &self.lexicon, &mut scratch.tokens);
        let tokens = &scratch.tokens;
        scratch.cases.fill(tokens);
        names::find(
            tokens,
            &scratch.cases,
            &mut scratch.names,
            &mut scratch.marks,
        );
        tag::tag(tokens, &scratch.marks, &mut scratch.tags);
        chunk::find(
            text,
            tokens,
            &scratch.tags,
            &self.limits,
            &mut scratch.chunks,
        );
        self.unite(scratch);
        alias::link(text, &scratch.tokens, &mut scratch.found);
        caseless::find(
            text,
            &scratch.tokens,
            &mut scratch.caseless,
            &mut scratch.spans,
        );
        self.hand_over(scratch, text, sink);
    }

    /// Joins names and noun phrases in order of position.
    fn unite(&self, scratch: &mut Scratch) {
        let found = &mut scratch.found;
        found.clear();
        if self.include_names {
            found.extend(scratch.names.iter().map(|name| Found {
                first: name.first,
                last: name.last,
                named: true,
                evidence: name.evidence,
                alias_of: None,
            }));
        }
        for chunk in &scratch.chunks {
            let mut evidence = KindEvidence::default();
            evidence.add(EntityKind::Concept, 2);
            found.push(Found {
                first: chunk.first,
                last: chunk.last,
                named: false,
                evidence,
                alias_of: None,
            });
        }
        sort(found);
    }

    // invariant: `Found` holds positions in `tokens`, spans are cut at character boundaries.
    fn hand_over(&self, scratch: &mut Scratch, text: &str, sink: &mut impl FnMut(Phrase<'_>)) {
        scratch
            .spans
            .sort_unstable_by_key(|span| (span.start, span.end));
        let mut spans = scratch.spans.iter().peekable();
        let hand_span =
            |span: &caseless::Span, title: &mut String, sink: &mut dyn FnMut(Phrase<'_>)| {
                title.clear();
                title.extend(
                    text[span.start..span.end]
                        .chars()
                        .flat_map(char::to_uppercase),
                );
                sink(Phrase {
                    title,
                    start: span.start,
                    end: span.end,
                    sentence: span.sentence,
                    named: span.named,
                    evidence: span.evidence,
                    alias_of: None,
                });
            };
        let tokens = &scratch.tokens;
        for found in &scratch.found {
            let (start, end) = (
                tokens[found.first].start as usize,
                tokens[found.last].end as usize,
            );
            while let Some(span) = spans.next_if(|span| span.start < start) {
                hand_span(span, &mut scratch.title, sink);
            }
            title::write(
                &mut scratch.title,
                text,
                &tokens[found.first..=found.last],
                &self.delimiter,
                !found.named,
            );
            sink(Phrase {
                title: &scratch.title,
                start,
                end,
                sentence: tokens[found.first].sentence,
                named: found.named,
                evidence: found.evidence,
                alias_of: found
                    .alias_of
                    .map(|(first, last)| tokens[first].start as usize..tokens[last].end as usize),
            });
        }
        for span in spans {
            hand_span(span, &mut scratch.title, sink);
        }
    }
}

/// Order of position, longer first, names before phrases of the same extent; of two with one extent the first stays.
fn sort(found: &mut Vec<Found>) {
    found.sort_by_key(|f| (f.first, std::cmp::Reverse(f.last), !f.named));
    found.dedup_by_key(|f| (f.first, f.last));
}

#[cfg(test)]
mod tests;
