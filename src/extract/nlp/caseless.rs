//! Scripts without capitals: what is quoted, and what recurs.
//!
//! A limited fallback, so that such text is not left without entities. Han text is not segmented: quoted titles and runs of
//! two to four characters that recur within the text unit are taken, the longest first. Katakana runs and, where words are
//! spaced (Hangul, Arabic, Hebrew, Devanagari), words that recur are taken whole.

use super::kind::{EntityKind, KindEvidence};
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

/// Characters that bind words rather than make them: no phrase contains one.
const FUNCTION_CHARACTERS: &str = "的了是在和与有不我你他她它这那们就也都而及着或把被让从到对于以为之其并但却又很更最还只将会能可要说去来上下里中后前时个些此该每各第";

const QUOTES: [(char, char); 5] = [
    ('《', '》'),
    ('「', '」'),
    ('『', '』'),
    ('【', '】'),
    ('〈', '〉'),
];

const MAX_QUOTED: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Han,
    Katakana,
    Hiragana,
    Other,
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
        _ => Script::Other,
    }
}

/// Working memory, kept between texts.
#[derive(Default)]
pub(super) struct Scratch {
    counts: HashKeyed<u32>,
    taken: Vec<bool>,
    chars: Vec<(usize, char)>,
    runs: Vec<Run>,
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

// invariant: runs are cut at character boundaries of the text; `taken` is as long as `chars`.
/// Finds the phrases among the caseless tokens.
pub(super) fn find(text: &str, tokens: &[Token], scratch: &mut Scratch, spans: &mut Vec<Span>) {
    spans.clear();
    if !tokens.iter().any(|t| t.kind == Kind::Caseless) {
        return;
    }
    collect_runs(text, tokens, &mut scratch.runs);
    count_words(text, scratch);
    for run in &scratch.runs {
        let word = &text[run.start..run.end];
        let length = word.chars().count();
        let keep = match run.script {
            _ if run.quoted => true,
            Script::Katakana => length >= 3,
            Script::Other => {
                length >= 2
                    && scratch
                        .counts
                        .get(&hash_lower(word))
                        .is_some_and(|&n| n >= 2)
            }
            _ => false,
        };
        if keep {
            spans.push(span(
                text,
                run.start,
                run.end,
                run.sentence,
                run.quoted || run.script == Script::Katakana,
            ));
        }
    }
    repeated_han(text, scratch, spans);
}

fn span(text: &str, start: usize, end: usize, sentence: u32, named: bool) -> Span {
    let mut evidence = KindEvidence::default();
    if let Some((kind, points)) = kind_by_suffix(&text[start..end]) {
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

fn kind_by_suffix(word: &str) -> Option<(EntityKind, u8)> {
    let ends = |list: &[&str]| {
        list.iter()
            .any(|end| word.len() > end.len() && word.ends_with(end))
    };
    if ends(&[
        "公司",
        "集团",
        "银行",
        "大学",
        "学院",
        "委员会",
        "法院",
        "医院",
        "部",
        "局",
        "会社",
        "協会",
    ]) {
        Some((EntityKind::Organization, 3))
    } else if ends(&[
        "省", "市", "县", "區", "区", "村", "镇", "河", "江", "湖", "山", "岛", "国", "州", "県",
        "町",
    ]) {
        Some((EntityKind::Geo, 2))
    } else if ends(&[
        "先生", "女士", "小姐", "教授", "博士", "主席", "总统", "さん",
    ]) {
        Some((EntityKind::Person, 3))
    } else if ends(&["战争", "事件", "事故", "会议", "革命", "戦争"]) {
        Some((EntityKind::Event, 3))
    } else if ends(&["法", "条例", "协议", "条约", "报告"]) {
        Some((EntityKind::Reference, 2))
    } else {
        None
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
    for run in scratch.runs.iter().filter(|r| r.script == Script::Other) {
        *scratch
            .counts
            .entry(hash_lower(&text[run.start..run.end]))
            .or_insert(0) += 1;
    }
}

/// Takes the Han runs of four, three, then two characters that occur at least twice, none inside a longer one.
fn repeated_han(text: &str, scratch: &mut Scratch, spans: &mut Vec<Span>) {
    scratch.chars.clear();
    for (index, run) in scratch
        .runs
        .iter()
        .enumerate()
        .filter(|(_, r)| r.script == Script::Han)
    {
        // A separator keeps grams from crossing runs.
        scratch.chars.push((index, '\0'));
        scratch.chars.extend(
            text[run.start..run.end]
                .char_indices()
                .map(|(at, c)| (run.start + at, c)),
        );
    }
    scratch.taken.clear();
    scratch.taken.resize(scratch.chars.len(), false);
    let mut run = 0;
    for length in [4usize, 3, 2] {
        scratch.counts.clear();
        for at in 0..scratch.chars.len() {
            if let Some(hash) = gram(&scratch.chars, &scratch.taken, at, length) {
                *scratch.counts.entry(hash).or_insert(0) += 1;
            }
        }
        let mut at = 0;
        while at < scratch.chars.len() {
            if let Some(&(index, '\0')) = scratch.chars.get(at) {
                run = index;
            }
            let repeats = gram(&scratch.chars, &scratch.taken, at, length)
                .and_then(|hash| scratch.counts.get(&hash))
                .is_some_and(|&n| n >= 2);
            if !repeats {
                at += 1;
                continue;
            }
            let (start, _) = scratch.chars[at];
            let (last, c) = scratch.chars[at + length - 1];
            let sentence = scratch.runs.get(run).map_or(0, |r| r.sentence);
            spans.push(span(text, start, last + c.len_utf8(), sentence, false));
            scratch.taken[at..at + length].fill(true);
            at += length;
        }
    }
}

/// The hash of the gram that begins at `at`, unless it crosses a run, a taken gram or a function character.
fn gram(chars: &[(usize, char)], taken: &[bool], at: usize, length: usize) -> Option<u64> {
    let window = chars.get(at..at + length)?;
    if taken.get(at..at + length)?.contains(&true) {
        return None;
    }
    let mut hash = length as u64;
    for &(_, c) in window {
        if c == '\0' || FUNCTION_CHARACTERS.contains(c) {
            return None;
        }
        hash = (hash << 21) ^ u64::from(u32::from(c)) ^ (hash >> 43);
    }
    Some(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
