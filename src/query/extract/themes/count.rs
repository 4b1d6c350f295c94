//! Words and phrases of a set of sentences with what tells a subject from a filler.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ThemeParams;
use crate::query::extract::sentences::Sentences;
use crate::query::lexical::{self, Word};

/// A term behaves like a noun from this share of places after a determiner.
pub(super) const NOUN: f32 = 0.3;

/// Words that are in every corpus: time, amount, talk, papers and their parts. They are no subject by themselves.
const FILLERS: &str = "new old first second third three four five six seven eight nine ten eleven twelve twenty thirty forty fifty \
    hundred thousand million year month week day hour minute time date january february march april june july august september \
    october november december monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow morning afternoon \
    evening night mr mrs ms miss dr sir dame good better best bad large small long short high low right left next back end put take \
    took taken gave got get went go gone come came know known knew see seen saw think thought want ask told call use used show find \
    part way thing anything nothing everything something someone anyone people man men woman number case point place state matter \
    fact kind sort different several per cent percent already always never usually later early earlier ago yet enough quite really \
    perhaps whole half full set keep kept work need report section paragraph page agreed noted resolved item action owner version \
    copy letter board chair member meeting minute note paper comment question answer view figure form name side line table list \
    total result example reason word hand lot bit bull http https www com org";

/// Words by which a sentence speaks of trouble.
const TROUBLE: &str = "fail failed failure cause caused because fault faulty broken wrong wrongly late delay delayed overdue never \
    nobody nothing lack lacking missing lost lose loss without unable risk weak poor error mistake not no cannot could neither unknown \
    untested deferred outstanding incomplete inadequate insufficient recommend recommendation lesson repeat recur again outage crash \
    bug incident degraded impact affected unavailable misconfigured overload";

/// Words after which a noun stands, at once or behind one more word.
const DETERMINERS: &str = "the a an this that these those no each every his her their its our my your any some all both another of \
    such first second and or";

/// Words of a phrase.
const PHRASE_WORDS: usize = 3;

/// Terms kept, the most widespread; more would only slow the search down.
const MAX_TERMS: usize = 60_000;

/// A word or phrase.
pub(super) struct Term {
    /// Sentences that hold it, ascending, each once.
    pub postings: Vec<u32>,
    /// Distinct documents.
    pub documents: u32,
    /// Rare over documents is heavy.
    pub idf: f32,
    /// Share of places where it stands like a noun.
    pub noun: f32,
    /// The words of a phrase, as terms; empty for a word.
    pub parts: Vec<u32>,
    /// Share of its sentences that speak of trouble.
    trouble: f32,
    /// Share of its sentences that hold a word of the question.
    focus: f32,
    /// Mostly capitalised: a name, which is no subject.
    named: bool,
    /// Its usual form ends like a verb.
    pub verbal: bool,
}

pub(super) struct Terms {
    pub rows: Vec<Term>,
    /// Of each sentence.
    pub documents: Vec<u32>,
    /// Words of trouble in each sentence.
    pub trouble: Vec<u8>,
    /// Documents a subject must be in.
    pub least_documents: usize,
    all_documents: usize,
    trouble_share: f32,
    sentence_start: Vec<u32>,
    sentence_terms: Vec<u32>,
    /// A place of each term in its most frequent spelling: sentence, first byte, end in the sentence.
    spelled: Vec<(u32, u32, u32)>,
}

/// Counts of a word over the corpus.
#[derive(Default, Clone, Copy)]
struct WordCount {
    documents: u32,
    last_document: u32,
    total: u32,
    noun: f32,
    capital: u32,
    inner: u32,
    verbal: u32,
    gerund: u32,
}

impl Terms {
    pub fn count<'a>(
        sentences: &Sentences,
        text: &impl Fn(u32) -> &'a str,
        document: &impl Fn(u32) -> u32,
        focus: &[u64],
    ) -> Self {
        let fillers: FxHashSet<u64> = lexical::term_set(FILLERS).into_iter().collect();
        let troubles: FxHashSet<u64> = {
            let mut terms = lexical::term_set(TROUBLE);
            lexical::words(
                "not no cannot could because neither never nothing nobody without again",
                |word| terms.push(word.term),
            );
            terms.into_iter().collect()
        };
        let determiners: FxHashSet<u64> = {
            let mut words = FxHashSet::default();
            lexical::words(DETERMINERS, |word| {
                words.insert(word.exact);
            });
            words
        };
        let documents: Vec<u32> = sentences
            .rows
            .iter()
            .map(|row| document(row.unit))
            .collect();
        let mut distinct = documents.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let all_documents = distinct.len();
        let least_documents = ((all_documents as f32 * 0.06).ceil() as usize)
            .clamp(2, 40)
            .max(3.min(all_documents));
        let mut words: Vec<Word> = Vec::new();
        let mut counts: FxHashMap<u64, WordCount> = FxHashMap::default();
        let mut trouble = vec![0u8; sentences.rows.len()];
        let mut focused = vec![false; sentences.rows.len()];
        for (at, row) in sentences.rows.iter().enumerate() {
            let piece = &text(row.unit)[row.range()];
            read(piece, &mut words);
            for (place, word) in words.iter().enumerate() {
                trouble[at] = trouble[at].saturating_add(u8::from(troubles.contains(&word.term)));
                focused[at] |= focus.binary_search(&word.term).is_ok();
                if is_content(word, &fillers) {
                    let count = counts.entry(word.term).or_insert(WordCount {
                        last_document: u32::MAX,
                        ..WordCount::default()
                    });
                    count.total += 1;
                    if count.last_document != documents[at] {
                        count.last_document = documents[at];
                        count.documents += 1;
                    }
                    count.inner += u32::from(place > 0);
                    count.capital += u32::from(place > 0 && word.capital);
                    count.noun += noun_sign(piece, &words, place, &determiners);
                    let surface = &piece[word.start..word.end];
                    count.verbal += u32::from(surface.ends_with("ed"));
                    count.gerund += u32::from(surface.ends_with("ing"));
                }
            }
        }
        counts.retain(|_, count| count.documents as usize >= least_documents.min(3));
        let mut terms = Self {
            rows: Vec::new(),
            trouble_share: (trouble.iter().filter(|count| **count > 0).count() as f32
                / trouble.len().max(1) as f32)
                .max(0.01),
            documents,
            trouble,
            least_documents,
            all_documents,
            sentence_start: Vec::new(),
            sentence_terms: Vec::new(),
            spelled: Vec::new(),
        };
        terms.collect(sentences, text, &counts, &focused);
        terms.mark_trouble(&troubles, sentences, text);
        terms
    }

    /// Second pass: postings of the words that are left and of the phrases they form.
    fn collect<'a>(
        &mut self,
        sentences: &Sentences,
        text: &impl Fn(u32) -> &'a str,
        counts: &FxHashMap<u64, WordCount>,
        focused: &[bool],
    ) {
        #[derive(Default)]
        struct Found {
            postings: Vec<u32>,
            parts: Vec<u64>,
            capital: u32,
            total: u32,
            spellings: FxHashMap<u64, (u32, (u32, u32, u32))>,
        }
        let mut found: FxHashMap<u64, Found> = FxHashMap::default();
        let mut words: Vec<Word> = Vec::new();
        for (at, row) in sentences.rows.iter().enumerate() {
            let piece = &text(row.unit)[row.range()];
            read(piece, &mut words);
            let mut add = |key: u64, from: &Word, to: &Word, parts: &[u64], capital: bool| {
                let term = found.entry(key).or_default();
                if term.postings.last() != Some(&(at as u32)) {
                    term.postings.push(at as u32);
                }
                if term.parts.is_empty() {
                    term.parts.extend_from_slice(parts);
                }
                term.total += 1;
                term.capital += u32::from(capital);
                let spelling = lexical::hash(piece[from.start..to.end].to_lowercase().as_bytes());
                let place = (at as u32, from.start as u32, to.end as u32);
                term.spellings.entry(spelling).or_insert((0, place)).0 += 1;
            };
            for place in 0..words.len() {
                if !counts.contains_key(&words[place].term) || words[place].stop {
                    continue;
                }
                let first = &words[place];
                add(first.term, first, first, &[], false);
                for length in 2..=PHRASE_WORDS {
                    let Some(run) = words.get(place..place + length) else {
                        break;
                    };
                    let last = &run[length - 1];
                    let joined = run.windows(2).all(|pair| {
                        matches!(&piece[pair[0].end..pair[1].start], " " | "-" | "\n" | " \n")
                    });
                    let inner_ok = length == 2
                        || !run[1].stop && counts.contains_key(&run[1].term)
                        || &piece[run[1].start..run[1].end] == "of";
                    if !joined {
                        break;
                    }
                    if last.stop || !counts.contains_key(&last.term) || !inner_ok {
                        continue;
                    }
                    let parts: Vec<u64> = run
                        .iter()
                        .filter(|word| !word.stop)
                        .map(|word| word.term)
                        .collect();
                    let key = run.iter().fold(length as u64, |key, word| {
                        key.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word.term
                    });
                    let capital = run
                        .iter()
                        .filter(|word| !word.stop)
                        .all(|word| word.capital);
                    add(key, first, last, &parts, capital);
                }
            }
        }
        let documents_of = |postings: &[u32]| {
            postings
                .chunk_by(|a, b| self.documents[*a as usize] == self.documents[*b as usize])
                .count() as u32
        };
        let mut kept: Vec<(u64, Found, u32)> = found
            .into_iter()
            .map(|(key, term)| {
                let documents = documents_of(&term.postings);
                (key, term, documents)
            })
            .filter(|(_, term, documents)| {
                term.parts.is_empty() || *documents as usize >= self.least_documents.min(3)
            })
            .collect();
        // Words before phrases, the most widespread first; hashes make the order the same on every run.
        kept.sort_by(|a, b| {
            a.1.parts
                .is_empty()
                .cmp(&b.1.parts.is_empty())
                .reverse()
                .then(b.2.cmp(&a.2))
                .then(a.0.cmp(&b.0))
        });
        kept.truncate(MAX_TERMS);
        let numbers: FxHashMap<u64, u32> = kept
            .iter()
            .enumerate()
            .map(|(at, row)| (row.0, at as u32))
            .collect();
        let all = self.all_documents as f32;
        for (key, term, documents) in kept {
            let last = term.parts.last().copied().unwrap_or(key);
            let head = counts.get(&last).copied().unwrap_or_default();
            let own = term.parts.is_empty();
            let half = |part: u32, of: u32| part * 2 > of;
            let n = term.postings.len() as f32;
            let spelled = term
                .spellings
                .values()
                .max_by_key(|(count, place)| (*count, std::cmp::Reverse(*place)));
            self.spelled
                .push(spelled.map_or((0, 0, 0), |(_, place)| *place));
            self.rows.push(Term {
                documents,
                idf: ((all + 1.0) / (documents as f32 + 0.5)).ln().max(0.01),
                noun: head.noun / head.total.max(1) as f32,
                parts: term
                    .parts
                    .iter()
                    .filter_map(|part| numbers.get(part).copied())
                    .collect(),
                trouble: term
                    .postings
                    .iter()
                    .filter(|&&sentence| self.trouble[sentence as usize] > 0)
                    .count() as f32
                    / n,
                focus: term
                    .postings
                    .iter()
                    .filter(|&&sentence| focused[sentence as usize])
                    .count() as f32
                    / n,
                named: if own {
                    half(head.capital, head.inner)
                } else {
                    half(term.capital, term.total)
                },
                // "The drawing" is a thing, "drawing a conclusion" is not.
                verbal: half(head.verbal, head.total)
                    || half(head.gerund, head.total) && head.noun < 0.5 * head.total as f32,
                postings: term.postings,
            });
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (term, row) in self.rows.iter().enumerate() {
            pairs.extend(row.postings.iter().map(|&sentence| (sentence, term as u32)));
        }
        pairs.sort_unstable();
        self.sentence_start = vec![0; sentences.rows.len() + 1];
        pairs
            .iter()
            .for_each(|&(sentence, _)| self.sentence_start[sentence as usize + 1] += 1);
        for at in 1..self.sentence_start.len() {
            self.sentence_start[at] += self.sentence_start[at - 1];
        }
        self.sentence_terms = pairs.into_iter().map(|(_, term)| term).collect();
    }

    /// Words of trouble say how a subject is spoken of; they are none.
    fn mark_trouble<'a>(
        &mut self,
        troubles: &FxHashSet<u64>,
        sentences: &Sentences,
        text: &impl Fn(u32) -> &'a str,
    ) {
        for at in 0..self.rows.len() {
            let surface = self.surface(at, sentences, text);
            lexical::words(&surface, |word| {
                self.rows[at].verbal |= troubles.contains(&word.term)
            });
        }
    }

    /// What a term is worth before it is seen what is left to explain; 0 for one that is no subject.
    pub fn static_score(&self, term: &Term, params: &ThemeParams) -> f32 {
        let documents = term.documents as f32;
        let everywhere = term.parts.is_empty() && documents > 0.5 * self.all_documents as f32;
        if term.named
            || term.verbal
            || everywhere
            || term.noun < NOUN
            || (term.documents as usize) < self.least_documents
        {
            return 0.0;
        }
        let trouble = if params.problems {
            0.4 + 0.6 * (term.trouble / self.trouble_share).min(2.0)
        } else {
            1.0
        };
        let phrase = if term.parts.is_empty() { 1.0 } else { 1.15 };
        let breadth = (documents / (0.2 * self.all_documents as f32))
            .min(1.0)
            .powf(0.7);
        term.idf.powf(0.6)
            * phrase
            * trouble
            * term.noun.sqrt()
            * breadth
            * (1.0 + 2.0 * term.focus)
    }

    /// The terms of a sentence, ascending.
    pub fn of_sentence(&self, sentence: u32) -> &[u32] {
        // invariant: sentence_start has one entry more than there are sentences, ascending, the last the length of sentence_terms
        &self.sentence_terms[self.sentence_start[sentence as usize] as usize
            ..self.sentence_start[sentence as usize + 1] as usize]
    }

    /// Whether a term may join a subject: no name, and no word that half of the corpus uses.
    pub fn is_companion(&self, term: usize) -> bool {
        let row = &self.rows[term];
        !row.named && (!row.parts.is_empty() || row.documents as usize * 2 <= self.all_documents)
    }

    /// Whether `part` is `whole` or one of its words.
    pub fn holds(&self, whole: usize, part: usize) -> bool {
        let (outer, inner) = (&self.rows[whole].parts, &self.rows[part].parts);
        let has = |word: &u32| outer.contains(word);
        whole == part
            || if inner.is_empty() {
                has(&(part as u32))
            } else {
                !outer.is_empty() && inner.iter().all(has)
            }
    }

    /// Whether two terms have a word in common.
    pub fn shares_word(&self, a: usize, b: usize) -> bool {
        let words = |at: usize| -> Vec<u32> {
            let parts = &self.rows[at].parts;
            if parts.is_empty() {
                vec![at as u32]
            } else {
                parts.clone()
            }
        };
        let right = words(b);
        words(a).iter().any(|word| right.contains(word))
    }

    /// The term as the text mostly spells it, in lower case.
    pub fn surface<'a>(
        &self,
        term: usize,
        sentences: &Sentences,
        text: &impl Fn(u32) -> &'a str,
    ) -> String {
        let (sentence, start, end) = self.spelled[term];
        let row = &sentences.rows[sentence as usize];
        let piece = &text(row.unit)[row.range()];
        let spelled = piece.get(start as usize..end as usize).unwrap_or_default();
        spelled
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    }
}

fn read(piece: &str, words: &mut Vec<Word>) {
    words.clear();
    lexical::words(piece, |word| words.push(word));
}

fn is_content(word: &Word, fillers: &FxHashSet<u64>) -> bool {
    !word.stop && !word.digit && word.end - word.start > 2 && !fillers.contains(&word.term)
}

/// 1 after a determiner, 0.7 behind one more word, else 0.
fn noun_sign(piece: &str, words: &[Word], place: usize, determiners: &FxHashSet<u64>) -> f32 {
    let beside = |at: usize| piece.get(words[at].end..words[at + 1].start) == Some(" ");
    if place == 0 || !beside(place - 1) {
        return 0.0;
    }
    if determiners.contains(&words[place - 1].exact) {
        return 1.0;
    }
    let behind = place > 1 && beside(place - 2) && determiners.contains(&words[place - 2].exact);
    if behind { 0.7 } else { 0.0 }
}
