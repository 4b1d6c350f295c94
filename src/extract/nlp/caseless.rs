//! Scripts without capitals: what is quoted, and what recurs.
//!
//! A limited fallback, so that such text is not left without entities. Han text is not segmented: quoted titles and runs of
//! two to four characters that recur within the text unit are taken, the longest first, longer ones by their ending; of the
//! rest, what stands between words that bind ([`han`]). Katakana runs and, where words are spaced (Hangul, Arabic, Hebrew, Devanagari), words are taken whole.
//! What occurs once in its text unit is handed over as weak: the corpus decides, by whether it recurs in another.

use super::binding::{is_binding, noun};
use super::han::{self, kind_by_ending};
use super::kind::KindEvidence;
use super::lexicon::HashKeyed;
use super::token::{Kind, Token};
use super::word::hash_lower;

/// A phrase in a caseless script; offsets in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub sentence: u32,
    pub named: bool,
    pub evidence: KindEvidence,
}

const QUOTES: [(char, char); 5] = [
    ('《', '》'),
    ('「', '」'),
    ('『', '』'),
    ('【', '】'),
    ('〈', '〉'),
];

const MAX_QUOTED: usize = 20;

/// Longest word, in characters, where words are spaced.
const MAX_WORD: usize = 24;

/// Longest run of a script that spaces clauses only (Thai, Lao, Burmese, Khmer): a longer one is a clause, no name.
const MAX_UNSPACED: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Han,
    Katakana,
    Hiragana,
    /// Words are not spaced.
    Unspaced,
    Other,
}

impl Script {
    /// Longest run, in characters, that is taken whole.
    fn longest(self) -> usize {
        match self {
            Self::Unspaced => MAX_UNSPACED,
            _ => MAX_WORD,
        }
    }
}

fn script(c: char) -> Script {
    match c {
        '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Script::Han,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Script::Katakana,
        '\u{3040}'..='\u{309f}' => Script::Hiragana,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
            Script::Unspaced
        }
        _ => Script::Other,
    }
}

/// Working memory, kept between texts.
#[derive(Default)]
pub(super) struct Scratch {
    counts: HashKeyed<u32>,
    runs: Vec<Run>,
    han: han::Scratch,
}

/// A run of one script within a token.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    sentence: u32,
    script: Script,
    quoted: bool,
}

// invariant: runs are cut at character boundaries of the text.
/// Finds the phrases among the caseless tokens.
pub(super) fn find(text: &str, tokens: &[Token], scratch: &mut Scratch, spans: &mut Vec<Span>) {
    spans.clear();
    if !tokens.iter().any(|t| t.kind == Kind::Caseless) {
        return;
    }
    collect_runs(text, tokens, &mut scratch.runs);
    count_words(text, scratch);
    for run in &scratch.runs {
        let (start, end) = (run.start, run.end);
        let length = text[start..end].chars().count();
        match run.script {
            _ if run.quoted => spans.push(span(text, start, end, run.sentence, true)),
            Script::Katakana if length >= 3 => {
                spans.push(span(text, start, end, run.sentence, true));
            }
            Script::Other | Script::Unspaced
                if (2..=run.script.longest()).contains(&length)
                    && !is_binding(&text[start..end]) =>
            {
                let word = noun(&text[start..end]);
                let recurs = scratch
                    .counts
                    .get(&hash_lower(word))
                    .is_some_and(|&n| n >= 2);
                let mut span = span(text, start, start + word.len(), run.sentence, !recurs);
                span.evidence.weak = !recurs;
                spans.push(span);
            }
            _ => {}
        }
    }
    let of_han = scratch.runs.iter().filter(|run| run.script == Script::Han);
    let runs = of_han.map(|run| han::Run {
        start: run.start,
        end: run.end,
        sentence: run.sentence,
    });
    han::find(text, runs, &mut scratch.han, spans);
}

pub(super) fn span(text: &str, start: usize, end: usize, sentence: u32, named: bool) -> Span {
    let mut evidence = KindEvidence::default();
    if let Some((kind, points)) = kind_by_ending(&text[start..end]) {
        evidence.add(kind, points);
    }
    Span {
        start,
        end,
        sentence,
        named,
        evidence,
    }
}

/// Splits the caseless tokens into runs of one script; a quoted token stays whole.
fn collect_runs(text: &str, tokens: &[Token], runs: &mut Vec<Run>) {
    runs.clear();
    for (i, token) in tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| t.kind == Kind::Caseless)
    {
        let (start, end) = (token.start as usize, token.end as usize);
        let mark = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|t| t.kind) {
            Some(Kind::Punctuation(c)) => Some(c),
            _ => None,
        };
        let quoted = QUOTES.iter().any(|&(open, close)| {
            mark(i.checked_sub(1)) == Some(open) && mark(Some(i + 1)) == Some(close)
        });
        if quoted && text[start..end].chars().count() <= MAX_QUOTED {
            runs.push(Run {
                start,
                end,
                sentence: token.sentence,
                script: Script::Other,
                quoted: true,
            });
            continue;
        }
        let mut from = start;
        let mut current = None;
        for (offset, c) in text[start..end].char_indices() {
            let here = if c == 'ー' {
                Script::Katakana
            } else {
                script(c)
            };
            if let Some(script) = current.filter(|&s| s != here) {
                runs.push(Run {
                    start: from,
                    end: start + offset,
                    sentence: token.sentence,
                    script,
                    quoted: false,
                });
                from = start + offset;
            }
            current = Some(here);
        }
        if let Some(script) = current {
            runs.push(Run {
                start: from,
                end,
                sentence: token.sentence,
                script,
                quoted: false,
            });
        }
    }
}

fn count_words(text: &str, scratch: &mut Scratch) {
    scratch.counts.clear();
    let spaced = |run: &&Run| matches!(run.script, Script::Other | Script::Unspaced);
    for run in scratch.runs.iter().filter(spaced) {
        *scratch
            .counts
            .entry(hash_lower(noun(&text[run.start..run.end])))
            .or_insert(0) += 1;
    }
}
