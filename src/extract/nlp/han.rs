//! Phrases of Han text, which is not segmented: grams that recur, and what stands between words that bind.

use super::binding::{binds, is_binding, is_whole};
use super::caseless::{Span, span};
use super::kind::EntityKind;
use super::lexicon::HashKeyed;

/// Longest phrase that nothing but its surroundings speaks for, in characters.
const MAX_BARE: usize = 4;

/// Longest phrase that its ending speaks for.
const MAX_ENDED: usize = 10;

/// The commonest family names of Chinese.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇呂盧鍾譚陸賈鄒龍賀顧龔錢嚴";

const ORGANIZATIONS: [&str; 14] = [
    "公司",
    "集团",
    "集團",
    "银行",
    "銀行",
    "大学",
    "大學",
    "学院",
    "委员会",
    "法院",
    "医院",
    "会社",
    "協会",
    "协会",
];
const BODIES: [&str; 2] = ["部", "局"];
const PLACES: [&str; 14] = [
    "省", "市", "县", "區", "区", "村", "镇", "岛", "国", "國", "州", "県", "町", "群岛",
];
const WATERS: [&str; 4] = ["河", "江", "湖", "山"];
const PERSONS: [&str; 8] = [
    "先生", "女士", "小姐", "教授", "博士", "主席", "总统", "さん",
];
const EVENTS: [&str; 6] = ["战争", "事件", "事故", "会议", "革命", "戦争"];
const REFERENCES: [&str; 5] = ["法", "条例", "协议", "条约", "报告"];

/// Stands before each run.
const BORDER: char = '\0';

/// A run of Han characters within the text, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub start: usize,
    pub end: usize,
    pub sentence: u32,
}

/// Working memory, kept between texts.
#[derive(Default)]
pub(super) struct Scratch {
    counts: HashKeyed<u32>,
    fours: HashKeyed<u32>,
    chars: Vec<Char>,
    taken: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Char {
    at: usize,
    c: char,
    sentence: u32,
    /// No phrase contains it: it binds words, or is the border before a run.
    is_border: bool,
}

/// What the ending of a word in Han characters says of it.
pub(super) fn kind_by_ending(word: &str) -> Option<(EntityKind, u8)> {
    let ends = |list: &[&str]| {
        list.iter()
            .any(|end| word.len() > end.len() && word.ends_with(end))
    };
    // "周建国" is a given name, no country.
    let mut chars = word.chars();
    if chars.next().is_some_and(|c| SURNAMES.contains(c))
        && chars.count() == 2
        && word.ends_with(['国', '國'])
    {
        return Some((EntityKind::Person, 2));
    }
    if ends(&ORGANIZATIONS) || ends(&BODIES) {
        Some((EntityKind::Organization, 3))
    } else if ends(&PLACES) || ends(&WATERS) {
        Some((EntityKind::Geo, 2))
    } else if ends(&PERSONS) {
        Some((EntityKind::Person, 3))
    } else if ends(&EVENTS) {
        Some((EntityKind::Event, 3))
    } else if ends(&REFERENCES) {
        Some((EntityKind::Reference, 2))
    } else {
        None
    }
}

/// Finds the phrases of the runs of one text.
pub(super) fn find(
    text: &str,
    runs: impl Iterator<Item = Run>,
    scratch: &mut Scratch,
    spans: &mut Vec<Span>,
) {
    let Scratch { chars, taken, .. } = scratch;
    chars.clear();
    for run in runs {
        let char = |(at, c)| Char {
            at: run.start + at,
            c,
            sentence: run.sentence,
            is_border: c == BORDER || binds(c),
        };
        // A border keeps phrases from crossing runs.
        chars.push(char((0, BORDER)));
        chars.extend(text[run.start..run.end].char_indices().map(char));
    }
    mark_words(text, chars);
    taken.clear();
    taken.resize(chars.len(), false);
    repeated(text, scratch, spans);
    between(text, scratch, spans);
}

/// Takes the runs of characters that occur at least twice, the longest first, none inside a longer one. Runs of more than four
/// must have the ending of a name, and what they end in must hardly occur without the rest.
fn repeated(text: &str, scratch: &mut Scratch, spans: &mut Vec<Span>) {
    let Scratch {
        counts,
        fours,
        chars,
        taken,
    } = scratch;
    count(chars, taken, MAX_BARE, fours);
    for length in (2..=MAX_ENDED).rev() {
        count(chars, taken, length, counts);
        let mut at = 0;
        while at < chars.len() {
            let times = gram(chars, taken, at, length)
                .and_then(|hash| counts.get(&hash))
                .map_or(0, |&times| times);
            let whole = || {
                let word = &text[chars[at].at..after(&chars[at + length - 1])];
                let end = gram(chars, taken, at + length - MAX_BARE, MAX_BARE);
                let alone = end.and_then(|hash| fours.get(&hash)).map_or(0, |&n| n);
                kind_by_ending(word).is_some() && alone <= times * 2
            };
            if times < 2 || length > MAX_BARE && !whole() {
                at += 1;
                continue;
            }
            // invariant: a gram has `length` characters from `at` on.
            let named = length > MAX_BARE;
            spans.push(of_chars(text, &chars[at..at + length], named));
            taken[at..at + length].fill(true);
            at += length;
        }
    }
}

fn count(chars: &[Char], taken: &[bool], length: usize, counts: &mut HashKeyed<u32>) {
    counts.clear();
    for at in 0..chars.len() {
        if let Some(hash) = gram(chars, taken, at, length) {
            *counts.entry(hash).or_insert(0) += 1;
        }
    }
}

/// Finds the words of two characters that bind, and those that only seem to have a character that does.
fn mark_words(text: &str, chars: &mut [Char]) {
    for at in 1..chars.len() {
        let (first, second) = (chars[at - 1], chars[at]);
        if first.c == BORDER || second.c == BORDER {
            continue;
        }
        let word = &text[first.at..after(&second)];
        if (first.is_border || second.is_border) && is_whole(word) {
            (chars[at - 1].is_border, chars[at].is_border) = (false, false);
        } else if is_binding(word) {
            (chars[at - 1].is_border, chars[at].is_border) = (true, true);
        }
    }
}

/// Takes what is left between function words: by its ending or family name, or, where it is short, as weak.
fn between(text: &str, scratch: &mut Scratch, spans: &mut Vec<Span>) {
    let Scratch { chars, taken, .. } = scratch;
    let mut from = 0;
    while from < chars.len() {
        let mut to = from;
        while to < chars.len() && !taken[to] && !chars[to].is_border {
            to += 1;
        }
        piece(text, &chars[from..to], spans);
        from = to + 1;
    }
}

/// The phrases of a stretch without function words.
fn piece(text: &str, mut chars: &[Char], spans: &mut Vec<Span>) {
    while let Some(end) = ended(text, chars) {
        spans.push(of_chars(text, &chars[..end], true));
        chars = &chars[end..];
    }
    let person = matches!(chars.len(), 2..=3) && SURNAMES.contains(chars[0].c);
    if (2..=MAX_BARE).contains(&chars.len()) {
        let mut span = of_chars(text, chars, true);
        if person {
            span.evidence.add(EntityKind::Person, 2);
        }
        // A family name and two characters are a person; two in all may be any word.
        span.evidence.weak = !(person && chars.len() == 3);
        spans.push(span);
    }
}

/// Where the first phrase ends that is known by its ending.
fn ended(text: &str, chars: &[Char]) -> Option<usize> {
    (2..=chars.len().min(MAX_ENDED)).find(|&end| {
        let word = &text[chars[0].at..after(&chars[end - 1])];
        let ends = |list: &[&str]| {
            list.iter()
                .any(|ending| word.len() > ending.len() && word.ends_with(ending))
        };
        let longer = |list: &[&str]| ends(list) && end > 2;
        longer(&ORGANIZATIONS)
            || longer(&PERSONS)
            || longer(&EVENTS)
            || end <= MAX_BARE && ends(&PLACES)
    })
}

fn after(last: &Char) -> usize {
    last.at + last.c.len_utf8()
}

fn of_chars(text: &str, chars: &[Char], named: bool) -> Span {
    // invariant: no caller hands over an empty stretch.
    let (first, last) = (&chars[0], &chars[chars.len() - 1]);
    span(text, first.at, after(last), first.sentence, named)
}

/// The hash of the gram that begins at `at`, unless it crosses a run, a taken gram or a function character.
fn gram(chars: &[Char], taken: &[bool], at: usize, length: usize) -> Option<u64> {
    let window = chars.get(at..at + length)?;
    if taken.get(at..at + length)?.contains(&true) {
        return None;
    }
    let mut hash = length as u64;
    for &Char { c, is_border, .. } in window {
        if is_border {
            return None;
        }
        hash = (hash << 21) ^ u64::from(u32::from(c)) ^ (hash >> 43);
    }
    Some(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
