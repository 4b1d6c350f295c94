//! Stages 3 to 5 without a model: phrases, co-occurrence, pruning, descriptions quoted from the text.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::error::PipelineError;
use super::load::Corpus;
use super::progress::Progress;
use crate::chunk;
use crate::config::{CooccurrenceWindow, Settings};
use crate::extract::cue::{self, Cue, Cues};
use crate::extract::harvest::{EntityMention, Harvest, NO_DESCRIPTION};
use crate::extract::nlp::{Cooccurrence, KindTally, NlpSettings, PhraseExtractor, Scratch, Window};
use crate::graph::draft::{DraftGraph, DraftRelationship};
use crate::graph::prune::{Hub, Nodes, PruneSettings, prune};
use crate::model::TextUnitIx;
use crate::resolve::{Resolution, declared};

/// Text units a thread takes at once.
const UNITS_AT_ONCE: usize = 16;

/// Characters of a quoted description.
const QUOTE_CHARS: usize = 240;

/// In a corpus of fewer text units names seldom recur, and what two text units say of each other is no measure.
const SMALL_CORPUS: usize = 20;

/// Mentions of an entity looked at for its description.
const QUOTES_TRIED: usize = 8;

struct UnitPhrase {
    title: (u32, u32),
    span: (u32, u32),
    sentence: u32,
    cues: Cues,
    evidence: crate::extract::nlp::KindEvidence,
    named: bool,
    alias_of: Option<u32>,
}

#[derive(Default)]
struct UnitPhrases {
    titles: String,
    phrases: Vec<UnitPhrase>,
}

pub(super) fn nlp_settings(settings: &Settings) -> NlpSettings {
    let analyzer = &settings.extract_graph_nlp.text_analyzer;
    NlpSettings {
        max_word_length: analyzer.max_word_length as usize,
        word_delimiter: analyzer.word_delimiter.clone(),
        exclude_nouns: analyzer.exclude_nouns.clone(),
        include_named_entities: analyzer.include_named_entities,
        ..NlpSettings::default()
    }
}

/// Finds the phrases of every text unit.
///
/// # Errors
/// The scratch file of texts is gone.
pub fn harvest(
    corpus: &Corpus,
    settings: &Settings,
    progress: &Progress,
) -> Result<Harvest, PipelineError> {
    let extractor = PhraseExtractor::new(&nlp_settings(settings));
    let stage = progress.stage("extract", corpus.units.len() as u64);
    let rows: Vec<u32> = (0..corpus.units.len() as u32).collect();
    let mut harvest = Harvest::default();
    let mut tallies: Vec<KindTally> = Vec::new();
    // Rounds bound the memory of phrases that are not interned yet.
    for round in rows.chunks(UNITS_AT_ONCE * 64) {
        let found: Vec<Result<Vec<UnitPhrases>, PipelineError>> = round
            .par_chunks(UNITS_AT_ONCE)
            .map_init(Scratch::default, |scratch, units| {
                units
                    .iter()
                    .map(|&unit| {
                        let text = corpus.texts.read(TextUnitIx(unit))?;
                        Ok(phrases_of(&extractor, scratch, &text, shared(corpus, unit)))
                    })
                    .collect()
            })
            .collect();
        let mut units = round.iter();
        for part in found {
            for phrases in part? {
                if let Some(&unit) = units.next() {
                    add_unit(&mut harvest, &mut tallies, unit, &phrases);
                    stage.inc(1);
                }
            }
        }
    }
    settle(&mut harvest, &tallies);
    Ok(harvest)
}

/// Finds the phrases of texts that are at hand, each a text unit.
pub fn harvest_of<'t>(texts: impl Iterator<Item = &'t str>, settings: &NlpSettings) -> Harvest {
    let extractor = PhraseExtractor::new(settings);
    let (mut scratch, mut harvest, mut tallies) =
        (Scratch::default(), Harvest::default(), Vec::new());
    for (unit, text) in texts.enumerate() {
        let phrases = phrases_of(&extractor, &mut scratch, text, Shared::default());
        add_unit(&mut harvest, &mut tallies, unit as u32, &phrases);
    }
    settle(&mut harvest, &tallies);
    harvest
}

/// Gives all mentions of a name the type that the corpus gives it, and drops those of names that are most likely ordinary words.
fn settle(harvest: &mut Harvest, tallies: &[KindTally]) {
    let kinds: Vec<u32> = tallies
        .iter()
        .map(|tally| harvest.kinds.intern(tally.guess().as_str()))
        .collect();
    let credible: Vec<bool> = tallies.iter().map(KindTally::is_credible).collect();
    harvest.entities.retain_mut(|mention| {
        mention.kind = kinds[mention.name as usize];
        credible[mention.name as usize]
    });
    harvest.equated.sort_unstable();
    harvest.equated.dedup();
}

/// How many characters at the ends of a text unit its neighbours hold too: a window of tokens begins and ends anywhere, also inside
/// a name, which is then whole in the neighbour alone.
#[derive(Clone, Copy, Default)]
struct Shared {
    start: u64,
    end: u64,
}

fn shared(corpus: &Corpus, unit: u32) -> Shared {
    let at = unit as usize;
    let own = &corpus.units[at];
    let beside = |other: Option<usize>| {
        let other = corpus.units.get(other?)?;
        (other.document == own.document).then_some(other)
    };
    let before = beside(at.checked_sub(1)).map_or(0, |before| before.char_end);
    let after = beside(at.checked_add(1)).map_or(u64::MAX, |after| after.char_start);
    Shared {
        start: before.saturating_sub(own.char_start),
        end: own.char_end.saturating_sub(after),
    }
}

impl Shared {
    /// Whether a phrase stands at an end, where it may be a part of a longer one, and in the neighbour as well.
    fn may_be_cut(self, text: &str, phrase: std::ops::Range<usize>) -> bool {
        let inside = |part: &str, shared: u64| (part.chars().count() as u64) < shared;
        self.start > 0
            && text[..phrase.start].trim_start().is_empty()
            && inside(&text[..phrase.end], self.start)
            || self.end > 0
                && text[phrase.end..].trim_end().is_empty()
                && inside(&text[phrase.start..], self.end)
    }
}

fn phrases_of(
    extractor: &PhraseExtractor,
    scratch: &mut Scratch,
    text: &str,
    shared: Shared,
) -> UnitPhrases {
    let mut out = UnitPhrases::default();
    let mut starts: Vec<(u32, u32)> = Vec::new();
    let mut aliases: Vec<(usize, (u32, u32))> = Vec::new();
    // Spans arrive in byte order of their starts; characters are counted once along the text.
    let (mut at_byte, mut at_char) = (0usize, 0u32);
    extractor.extract(scratch, text, &mut |phrase| {
        if shared.may_be_cut(text, phrase.start..phrase.end) {
            return;
        }
        if phrase.start >= at_byte {
            at_char += text[at_byte..phrase.start].chars().count() as u32;
        } else {
            at_char = text[..phrase.start].chars().count() as u32;
        }
        at_byte = phrase.start;
        let length = text[phrase.start..phrase.end].chars().count() as u32;
        let title_start = out.titles.len() as u32;
        out.titles.push_str(phrase.title);
        if let Some(range) = &phrase.alias_of {
            aliases.push((out.phrases.len(), (range.start as u32, range.end as u32)));
        }
        starts.push((phrase.start as u32, phrase.end as u32));
        out.phrases.push(UnitPhrase {
            title: (title_start, out.titles.len() as u32),
            span: (at_char, at_char + length),
            sentence: phrase.sentence,
            cues: match phrase.named {
                true => cue::cues(text, phrase.start, phrase.end),
                false => Cues::default().with(Cue::Common, true),
            },
            evidence: phrase.evidence,
            named: phrase.named,
            alias_of: None,
        });
    });
    let places: Vec<declared::Place> = out
        .phrases
        .iter()
        .enumerate()
        .map(|(row, phrase)| (row as u32, phrase.span.0, phrase.span.1))
        .collect();
    let mut equated = Vec::new();
    declared::declared(text, &places, &mut equated);
    for (first, second) in equated {
        out.phrases[second as usize].alias_of = Some(first);
    }
    for (short, range) in aliases {
        let long = starts.iter().position(|start| *start == range);
        out.phrases[short].alias_of = long.map(|long| long as u32);
    }
    out
}

fn add_unit(harvest: &mut Harvest, tallies: &mut Vec<KindTally>, unit: u32, found: &UnitPhrases) {
    let names: Vec<u32> = found
        .phrases
        .iter()
        .map(|phrase| {
            let title = &found.titles[phrase.title.0 as usize..phrase.title.1 as usize];
            harvest.names.intern(title)
        })
        .collect();
    tallies.resize(harvest.names.len(), KindTally::default());
    for (phrase, &name) in found.phrases.iter().zip(&names) {
        tallies[name as usize].add(&phrase.evidence, phrase.named);
        if let Some(long) = phrase.alias_of {
            harvest.equated.push((name, names[long as usize]));
        }
        harvest.entities.push(EntityMention {
            name,
            unit,
            kind: 0,
            description: NO_DESCRIPTION,
            span: Some(phrase.span),
            sentence: phrase.sentence,
            cues: phrase.cues,
        });
    }
}

/// The pruned graph of the fast method, with the thresholds that had to be given up.
pub struct FastGraph {
    /// Entities and co-occurrence relationships.
    pub graph: DraftGraph,
    /// Settings given up so that something is left.
    pub relaxed: Vec<&'static str>,
    /// Entities left out.
    pub pruned: usize,
}

/// Joins entities that stand near each other, weighs the pairs and prunes; `units` is the number of text units.
pub fn graph(
    harvest: &Harvest,
    resolution: &Resolution,
    units: usize,
    settings: &Settings,
) -> FastGraph {
    let (mut graph, _) = DraftGraph::assemble(harvest, resolution);
    let frequency: Vec<u32> = graph
        .entities
        .iter()
        .map(|e| e.units.len() as u32)
        .collect();
    let is_name = names(harvest, resolution, frequency.len());
    let config = &settings.prune_graph;
    let is_small = units < SMALL_CORPUS;
    let min_node_freq = config.min_node_freq.unwrap_or(2);
    let prune_settings = PruneSettings {
        min_node_freq,
        rare_names: is_small && config.min_node_freq.is_none(),
        max_node_freq_std: config.max_node_freq_std,
        min_node_degree: config.min_node_degree,
        max_node_degree_std: config.max_node_degree_std,
        min_edge_weight_pct: config.min_edge_weight_pct.unwrap_or(if is_small {
            0.0
        } else {
            40.0
        }),
        hub: match config.remove_ego_nodes {
            None => Hub::DropPhrase,
            Some(true) => Hub::Drop,
            Some(false) => Hub::Keep,
        },
        lcc_only: config.lcc_only,
    };
    // Pairs of rare names are most of all pairs and are pruned anyway; they are only formed when nothing else is left.
    let floors = [min_node_freq, 1];
    for &floor in &floors[usize::from(prune_settings.rare_names)..] {
        let relationships = cooccurrences(harvest, resolution, &frequency, floor, settings);
        if relationships.is_empty() && floor > 1 {
            continue;
        }
        let edges: Vec<(u32, u32, f64)> = relationships
            .iter()
            .map(|r| (r.source, r.target, r.weight))
            .collect();
        let nodes = Nodes {
            frequency: &frequency,
            is_name: &is_name,
        };
        let pruned = prune(nodes, &edges, &prune_settings);
        if floor > 1 && !pruned.relaxed.is_empty() {
            continue;
        }
        graph.relationships = relationships;
        graph.retain(&pruned.entities, &pruned.relationships);
        return FastGraph {
            graph,
            relaxed: pruned.relaxed,
            pruned: pruned.entities.iter().filter(|&&kept| !kept).count(),
        };
    }
    FastGraph {
        graph,
        relaxed: Vec::new(),
        pruned: 0,
    }
}

/// Which entities are proper names: at least half of their mentions are written as such.
fn names(harvest: &Harvest, resolution: &Resolution, entities: usize) -> Vec<bool> {
    let mut balance = vec![0i64; entities];
    for mention in &harvest.entities {
        if let Some(row) = resolution.entity(mention.name, mention.unit) {
            // invariant: a resolved entity is below `entities`
            balance[row as usize] += match mention.cues.has(Cue::Common) {
                true => -1,
                false => 1,
            };
        }
    }
    balance.iter().map(|&balance| balance >= 0).collect()
}

fn cooccurrences(
    harvest: &Harvest,
    resolution: &Resolution,
    frequency: &[u32],
    floor: u32,
    settings: &Settings,
) -> Vec<DraftRelationship> {
    let nlp = &settings.extract_graph_nlp;
    let window = match nlp.cooccurrence_window {
        CooccurrenceWindow::Sentence => Window::Sentences(1),
        CooccurrenceWindow::Unit => Window::Unit,
    };
    let mut pairs = Cooccurrence::new(window);
    let mut mentions: Vec<(u32, u32)> = Vec::new();
    for unit in harvest.entities.chunk_by(|a, b| a.unit == b.unit) {
        mentions.clear();
        mentions.extend(unit.iter().filter_map(|mention| {
            let entity = resolution.entity(mention.name, mention.unit)?;
            (frequency[entity as usize] >= floor).then_some((mention.sentence, entity))
        }));
        pairs.add_unit(unit[0].unit, &mut mentions);
    }
    let edges = pairs.finish(nlp.normalize_edge_weights.then_some(frequency));
    edges
        .edges
        .iter()
        .map(|edge| DraftRelationship {
            source: edge.source,
            target: edge.target,
            weight: edge.weight,
            units: edges.units(edge).to_vec(),
            descriptions: Vec::new(),
        })
        .collect()
}

/// A sentence for every entity and relationship, quoted from the text units.
pub struct Quotes {
    /// By entity row; empty where nothing quotable was found.
    pub entities: Vec<String>,
    /// By relationship row; a relationship that no single sentence states has none.
    pub relationships: Vec<String>,
}

/// Quotes, for each entity, the sentence that says most of it, and for each relationship the first sentence that names both ends.
///
/// Each text unit is read and split once.
///
/// # Errors
/// The scratch file of texts is gone.
pub fn quotes(corpus: &Corpus, graph: &DraftGraph) -> Result<Quotes, PipelineError> {
    let units = corpus.units.len();
    let mut wanted: Vec<Vec<(u32, u32)>> = vec![Vec::new(); units];
    for of_entity in graph.mentions.chunk_by(|a, b| a.name == b.name) {
        for mention in of_entity {
            wanted[mention.text_unit as usize].push((mention.char_start, mention.name));
        }
    }
    let mut edges_of: Vec<Vec<u32>> = vec![Vec::new(); units];
    for (row, relationship) in graph.relationships.iter().enumerate() {
        if let Some(&unit) = relationship.units.first() {
            edges_of[unit as usize].push(row as u32);
        }
    }
    let mut tried = vec![0usize; graph.entities.len()];
    let mut asks: Vec<Vec<u32>> = vec![Vec::new(); units];
    for (unit, mentions) in wanted.iter_mut().enumerate() {
        mentions.sort_unstable();
        for &(_, entity) in mentions.iter() {
            let count = &mut tried[entity as usize];
            if *count < QUOTES_TRIED && asks[unit].last() != Some(&entity) {
                *count += 1;
                asks[unit].push(entity);
            }
        }
        asks[unit].sort_unstable();
    }
    let found: Vec<Result<UnitQuotes, PipelineError>> = (0..units)
        .into_par_iter()
        .map(|unit| {
            if asks[unit].is_empty() && edges_of[unit].is_empty() {
                return Ok(Default::default());
            }
            let text = corpus.texts.read(TextUnitIx(unit as u32))?;
            Ok(quotes_of_unit(
                &text,
                &wanted[unit],
                &asks[unit],
                &edges_of[unit],
                graph,
            ))
        })
        .collect();
    let mut quotes = Quotes {
        entities: vec![String::new(); graph.entities.len()],
        relationships: vec![String::new(); graph.relationships.len()],
    };
    let mut best = vec![u32::MAX; graph.entities.len()];
    for unit in found {
        let (entities, relationships) = unit?;
        for (entity, score, quote) in entities {
            if score < best[entity as usize] {
                best[entity as usize] = score;
                quotes.entities[entity as usize] = quote;
            }
        }
        for (row, quote) in relationships {
            quotes.relationships[row as usize] = quote;
        }
    }
    Ok(quotes)
}

/// Quotes found in one text unit: `(entity, score, quote)` and `(relationship, quote)`.
type UnitQuotes = (Vec<(u32, u32, String)>, Vec<(u32, String)>);

fn quotes_of_unit(
    text: &str,
    mentions: &[(u32, u32)],
    asks: &[u32],
    edges: &[u32],
    graph: &DraftGraph,
) -> UnitQuotes {
    let mut in_sentence: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut entities = Vec::new();
    let mut sentences: Vec<std::ops::Range<usize>> = Vec::new();
    let mut next = mentions.iter().peekable();
    let mut char_at = 0u32;
    for range in chunk::sentences(text) {
        // Sentences leave gaps of white space between them.
        let from = sentences
            .last()
            .map_or(0, |last: &std::ops::Range<usize>| last.end);
        char_at += text[from..range.start].chars().count() as u32;
        let start = char_at;
        char_at += text[range.clone()].chars().count() as u32;
        let number = sentences.len() as u32;
        while let Some(&&(place, entity)) = next.peek() {
            if place >= char_at {
                break;
            }
            next.next();
            in_sentence.entry(entity).or_default().push(number);
            if asks.binary_search(&entity).is_ok() {
                let score = quote_score(&text[range.clone()], place.saturating_sub(start));
                entities.push((entity, score, number));
            }
        }
        sentences.push(range);
    }
    entities.sort_unstable();
    entities.dedup_by_key(|row| row.0);
    let entities = entities
        .into_iter()
        .map(|(entity, score, number)| (entity, score, quoted(text, &sentences, number)))
        .collect();
    let mut relationships = Vec::new();
    for &row in edges {
        let relationship = &graph.relationships[row as usize];
        let (Some(a), Some(b)) = (
            in_sentence.get(&relationship.source),
            in_sentence.get(&relationship.target),
        ) else {
            continue;
        };
        if let Some(&shared) = a.iter().find(|sentence| b.binary_search(sentence).is_ok()) {
            relationships.push((row, quoted(text, &sentences, shared)));
        }
    }
    (entities, relationships)
}

/// Lower is better: a sentence of readable length that opens with the name defines it more often than one that ends with it.
fn quote_score(sentence: &str, place: u32) -> u32 {
    let length = sentence.len() as u32;
    let shape = match length {
        0..=24 => 400,
        25..=59 => 80,
        60..=220 => 0,
        221..=320 => 60,
        _ => 160,
    };
    let debris = sentence
        .bytes()
        .filter(|b| matches!(b, b'|' | b'#' | b'*' | b'_' | b'\n'))
        .count();
    shape + place.min(200) + 30 * debris as u32
}

fn quoted(text: &str, sentences: &[std::ops::Range<usize>], number: u32) -> String {
    let sentence = &text[sentences[number as usize].clone()];
    let mut out = String::with_capacity(sentence.len().min(QUOTE_CHARS + 4));
    let mut chars = 0;
    for word in sentence.split_whitespace() {
        let word = word.trim_matches(['*', '#', '|', '>']);
        if word.is_empty() {
            continue;
        }
        let length = word.chars().count() + 1;
        if chars + length > QUOTE_CHARS {
            out.push_str(" ...");
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        chars += length;
    }
    out
}
