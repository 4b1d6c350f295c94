//! Takes the model's reasoning and its control tokens off an answer.

use std::borrow::Cow;

const TAGS: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
];
const MAX_TAG_BYTES: usize = 40;
/// Channel markers of models that write reasoning and answer on two channels.
const FINAL_CHANNEL: &str = "<|channel|>final<|message|>";
const CHANNEL: &str = "<|channel|>";
const END_TOKENS: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "</s>",
    "<eos>",
    "<|eom_id|>",
    "<｜end▁of▁sentence｜>",
    "</answer>",
    "</output>",
    "</result>",
    "</response>",
];
const START_TOKENS: &[&str] = &[
    "<answer>",
    "<output>",
    "<result>",
    "<response>",
    "<|im_start|>assistant",
    "<s>",
];

/// A text without its reasoning.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub text: Cow<'a, str>,
    /// Reasoning was taken off.
    pub had_reasoning: bool,
    /// Control tokens or tags around the answer were taken off.
    pub had_tokens: bool,
    /// The reasoning never ended: what may look like an answer in it is a draft.
    pub unclosed: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Tag {
    Open,
    Close,
}

/// Takes reasoning off: closed blocks, all before a closing tag without an opening one, all after an opening tag
/// without a closing one. A tag inside an answer's own strings stays.
pub(super) fn strip(text: &str) -> Answer<'_> {
    if let Some(at) = text.rfind(FINAL_CHANNEL) {
        let answer = without_tokens(text.get(at + FINAL_CHANNEL.len()..).unwrap_or(""));
        return Answer {
            text: Cow::Borrowed(answer),
            had_reasoning: true,
            had_tokens: true,
            unclosed: false,
        };
    }
    if text.trim_start().starts_with(CHANNEL) {
        return Answer {
            text: Cow::Borrowed(""),
            had_reasoning: true,
            had_tokens: true,
            unclosed: true,
        };
    }
    let mut kept = String::new();
    let mut from = 0;
    let mut open_at = None;
    let mut had_reasoning = false;
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find(['<', '[', '◁'])) {
        let start = at + offset;
        let rest = &text[start..];
        let Some((tag, length)) = tag(rest) else {
            at = start + rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        at = start + length;
        match (tag, open_at) {
            (Tag::Open, None) if opens(&kept, &text[from..start]) => {
                kept.push_str(&text[from..start]);
                open_at = Some(start);
            }
            (Tag::Close, Some(_)) => {
                open_at = None;
                had_reasoning = true;
                from = at;
            }
            (Tag::Close, None) if closes(&kept, &text[from..start], &text[at..]) => {
                kept.clear();
                had_reasoning = true;
                from = at;
            }
            _ => {}
        }
    }
    if open_at.is_none() && !had_reasoning {
        let kept = without_tokens(text);
        let had_tokens = kept.len() < text.trim().len();
        return Answer {
            text: Cow::Borrowed(kept),
            had_reasoning: false,
            had_tokens,
            unclosed: false,
        };
    }
    if open_at.is_none() {
        kept.push_str(&text[from..]);
    }
    let trimmed = without_tokens(&kept).to_owned();
    let had_tokens = trimmed.len() < kept.trim().len();
    Answer {
        text: Cow::Owned(trimmed),
        had_reasoning: true,
        had_tokens,
        unclosed: open_at.is_some(),
    }
}

/// Reads a reasoning tag at the start of `rest`.
fn tag(rest: &str) -> Option<(Tag, usize)> {
    let mut chars = rest.char_indices();
    let (_, bracket) = chars.next()?;
    let end = match bracket {
        '<' => '>',
        '[' => ']',
        _ => '▷',
    };
    let inner_start = bracket.len_utf8();
    let (close_at, _) = chars
        .take_while(|&(at, _)| at < MAX_TAG_BYTES)
        .find(|&(_, c)| c == end)?;
    let inner = rest.get(inner_start..close_at)?;
    let (tag, name) = match inner.strip_prefix('/') {
        Some(name) => (Tag::Close, name),
        None => (Tag::Open, inner),
    };
    let word = name.split_whitespace().next()?.trim_end_matches('/');
    let is_known = TAGS.iter().any(|known| known.eq_ignore_ascii_case(word));
    // In square brackets only Mistral's capitals are a tag; `[think]` may be text.
    let is_tag = is_known && (bracket != '[' || word == "THINK");
    is_tag.then_some((tag, close_at + end.len_utf8()))
}

/// Whether a text that has just begun opens with reasoning; `None` while that cannot be told.
pub(super) fn opening(begun: &str) -> Option<bool> {
    if begun.is_empty() {
        return None;
    }
    if CHANNEL.starts_with(begun) {
        return None;
    }
    if begun.starts_with(CHANNEL) {
        return Some(true);
    }
    if let Some((tag, _)) = tag(begun) {
        return Some(tag == Tag::Open);
    }
    let may_become_tag = begun.starts_with(['<', '[', '◁'])
        && begun.len() <= MAX_TAG_BYTES
        && !begun.contains(['>', ']', '▷']);
    (!may_become_tag).then_some(false)
}

/// Where the reasoning that `text` opens with ends.
pub(super) fn closing(text: &str) -> Option<usize> {
    if text.trim_start().starts_with(CHANNEL) {
        return text.find(FINAL_CHANNEL).map(|at| at + FINAL_CHANNEL.len());
    }
    text.match_indices(['<', '[', '◁'])
        .find_map(|(at, _)| match tag(&text[at..])? {
            (Tag::Close, length) => Some(at + length),
            (Tag::Open, _) => None,
        })
}

fn starts_payload(text: &str) -> bool {
    text.trim_start()
        .trim_start_matches('`')
        .trim_start_matches("json")
        .trim_start()
        .starts_with(['{', '[', '(', '（', '｛'])
}

fn opens(kept: &str, before: &str) -> bool {
    let in_answer = if kept.trim().is_empty() {
        starts_payload(before)
    } else {
        starts_payload(kept)
    };
    !in_answer
        || before
            .trim_end_matches([' ', '\t'])
            .ends_with(['\n', '}', ']', ')', '>', '`'])
}

fn closes(kept: &str, before: &str, after: &str) -> bool {
    let in_answer = if kept.trim().is_empty() {
        starts_payload(before)
    } else {
        starts_payload(kept)
    };
    !in_answer
        || starts_payload(after)
        || (before.trim_end_matches([' ', '\t']).ends_with('\n') && after.starts_with(['\n', '\r']))
}

/// The text without control tokens around it.
fn without_tokens(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text.len();
        for token in END_TOKENS {
            text = text.strip_suffix(token).unwrap_or(text).trim_end();
        }
        for token in START_TOKENS {
            text = text.strip_prefix(token).unwrap_or(text).trim_start();
        }
        if text.len() == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &str) -> String {
        strip(text).text.into_owned()
    }

    #[test]
    fn closed_blocks_go() {
        assert_eq!(stripped("<think>a</think>b"), "b");
        assert_eq!(stripped("<THINK>\na\n</THINK>\n\nb"), "b");
        assert_eq!(stripped("x <thinking>a</thinking> y"), "x  y");
        assert_eq!(stripped("[THINK]a[/THINK]b"), "b");
    }

    #[test]
    fn orphan_close_drops_what_is_before() {
        assert_eq!(stripped("hm {\"a\":1}\n</think>\nb"), "b");
        assert_eq!(stripped("<think>a </think> more </think> b"), "b");
    }

    #[test]
    fn orphan_open_drops_what_is_after() {
        let answer = strip("kept\n<think>draft {\"a\":1}");
        assert_eq!(answer.text, "kept");
        assert!(answer.unclosed);
    }

    #[test]
    fn tags_inside_the_answer_stay() {
        let text = "{\"a\":\"the <think> tag and </think> too\",}";
        assert_eq!(stripped(text), text);
    }

    #[test]
    fn channels() {
        assert_eq!(
            stripped(
                "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>"
            ),
            "b"
        );
        assert!(strip("<|channel|>analysis<|message|>hm").unclosed);
    }
}
