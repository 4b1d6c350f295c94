//! Sentences that say no: refusals, "I do not know", "no relation is stated".
//!
//! Lists of phrases are parted by `|`, in lower case.

use super::prose;

const MAX_REFUSAL_CHARS: usize = 800;
const MAX_NON_ANSWER_CHARS: usize = 400;

const REFUSAL_STARTS: &str = "i'm sorry|i am sorry|sorry|i can't|i cannot|i can not|i won't|i will not|i'm unable|\
    i am unable|i'm not able|i am not able|i apologize|i apologise|my apologies|as an ai|\
    unfortunately, i|i must decline|i have to decline|i'd rather not|we're sorry|抱歉|很抱歉|对不起|\
    對不起|我无法|我不能|我無法|作为一个|作为ai|申し訳|すみません|恐れ入りますが|죄송|je suis désolé|désolé|je ne peux pas|\
    lo siento|no puedo|es tut mir leid|ich kann nicht|desculpe|mi dispiace|к сожалению";
const REFUSAL_WORDS: &str = "can't help with|cannot help with|can't assist with|cannot assist with|unable to assist|\
    not able to help with|against my guidelines|violates my|content policy|usage policies|\
    content management policy|can't comply|cannot comply|can't fulfill|cannot fulfill";
/// Said by whoever has no answer.
const NON_ANSWERS: &str = "i don't know|i do not know|we don't know|we do not know|i'm not sure|i am not sure|\
    no information|not enough information|insufficient information|cannot be determined|\
    can't be determined|nothing to extract|nothing to report|unable to answer|cannot answer|\
    can't answer|can not answer|no answer|there are none|none found|没有相关|不知道|无法回答|無法回答|\
    没有找到|没有实体|无相关|無相關|没有足够|沒有足夠|わかりません|分かりません|情報がありません|見つかりません|\
    含まれていません|답변할 수 없|모르|je ne sais pas|no lo sé|keine informationen|aucune information|\
    no hay información|weiß ich nicht";
/// Said of the source by whoever has no answer, and of other things by others.
const ABOUT_SOURCE: &str = "no relevant|not relevant|no sufficient|unable to determine|unable to find|could not find|\
    couldn't find|cannot find|no data|not mentioned|does not contain|doesn't contain|do not contain|\
    don't contain|does not mention|do not mention|does not provide|do not provide|does not include|\
    do not include|not provided|no mention|not found|no entities|no named entities|no relationships|\
    no relations|no claims|no points|未提及";
const SOURCE: &str = "data|text|passage|document|context|report|provided|information|question|input|article|\
    were found|are found|ities found|ships found|tions found|claims found|points found|identified|\
    to extract|of these types|of the types|of the given|文本|文中";
const NOTHING: &str = "none|n/a|nothing|null|no|empty|无|無|没有|なし|[]|{}|-|keine|aucun";

fn any_of(phrases: &str, is_match: impl FnMut(&str) -> bool) -> bool {
    phrases.split('|').any(is_match)
}

fn lower(text: &str, limit: usize) -> Option<String> {
    let text = text.trim().trim_matches(['"', '*', '`', '\'']).trim();
    if text.is_empty() || text.chars().nth(limit).is_some() {
        return None;
    }
    Some(text.to_lowercase().replace(['’', '‘'], "'"))
}

/// Whether a short text declines to do the work. A text that says why it has no answer is a non-answer instead.
pub(super) fn is_refusal(text: &str) -> bool {
    let Some(text) = lower(text, MAX_REFUSAL_CHARS) else {
        return false;
    };
    any_of(REFUSAL_WORDS, |word| text.contains(word))
        || (any_of(REFUSAL_STARTS, |start| text.starts_with(start)) && !says_nothing(&text))
}

/// Whether a short text plainly says that there is nothing to say.
pub(super) fn is_non_answer(text: &str) -> bool {
    let Some(text) = lower(text, MAX_NON_ANSWER_CHARS) else {
        return false;
    };
    !any_of(REFUSAL_WORDS, |word| text.contains(word)) && says_nothing(&text)
}

fn says_nothing(lower: &str) -> bool {
    let bare = lower.trim_end_matches(['.', '!', '。', ' ']);
    let is_said = |sentence: &str| {
        any_of(NON_ANSWERS, |phrase| sentence.contains(phrase))
            || (any_of(ABOUT_SOURCE, |phrase| sentence.contains(phrase))
                && any_of(SOURCE, |word| sentence.contains(word)))
    };
    any_of(NOTHING, |word| word == bare) || prose::sentences(lower).into_iter().take(2).any(is_said)
}

const NO_RELATION: &str = "none|n/a|no relation|unrelated|not applicable|not related|unknown|unspecified|\
    unknown relationship|not specified|not stated|not mentioned|not provided|not clear|无|无关";
const RELATION: &str = "relationship|relationships|relation|relations|connection|connections|link|links|\
    association|interaction|interactions|ties";
const STATES: &str = "related|connected|linked|associated";
const TALK: &str =
    "state|mention|specify|describe|indicate|establish|define|provide|give|show|suggest";
const ADVERBS: &str = "clear|clearly|direct|directly|explicit|explicitly|specific|specifically|obvious|\
    known|stated|mentioned|apparent|evident|further|other|such|any|a|an|the|of|or|and|\
    strong|meaningful|significant|particular|real|actual|evidence|information|mention|\
    indication|details|formal|immediate|provided|given|described|described|business|\
    about|logical|specified|established|indicated|defined|shown|mentioned";
const CJK: &str = "没有明确|没有直接|无明确关系|无直接关系|没有关系|没有关联|无关联|未提及|未说明|关系不明|沒有明確|沒有直接|明確な関係はな|関係は述べられて|\
    関係はありません|関係がない|関係は不明|直接的な関係は|関係は明示されて";
/// Whether a relationship's description says that there is no relationship.
pub(super) fn is_negative_relation(description: &str) -> bool {
    let text = description.trim().to_lowercase();
    if any_of(NO_RELATION, |whole| whole == text.trim_end_matches('.')) {
        return true;
    }
    if text.chars().count() < 60 && any_of(CJK, |phrase| text.contains(phrase)) {
        return true;
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(24)
        .collect();
    match denial(&words) {
        Some(rest) => names_relation_next(rest),
        None => denies_in_passing(&words),
    }
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split('|').any(|known| known == word)
}

/// What follows the "no" of "(There is) no ...", where the text begins so.
fn denial<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let at = match words {
        ["no" | "not", ..] => 0,
        ["there", verb, ..] if is_one_of("is|are|was|were|appears|seems", verb) => words
            .iter()
            .take(5)
            .position(|&word| matches!(word, "no" | "not"))?,
        _ => return None,
    };
    words.get(at + 1..)
}

/// Whether "[clear, direct ...] relationship" or "[directly] related" comes next.
fn names_relation_next(words: &[&str]) -> bool {
    let next = words.iter().find(|word| !is_one_of(ADVERBS, word));
    next.is_some_and(|word| is_one_of(RELATION, word) || is_one_of(STATES, word))
}

/// "The text does not state a relationship ...", "Their relationship is not stated", "They are not directly related".
fn denies_in_passing(words: &[&str]) -> bool {
    let three = |is_match: fn(&str, &str, &str) -> bool| {
        words
            .windows(3)
            .any(|window| matches!(window, [a, b, c] if is_match(a, b, c)))
    };
    let two = |is_match: fn(&str, &str) -> bool| {
        words
            .windows(2)
            .any(|window| matches!(window, [a, b] if is_match(a, b)))
    };
    let is_about_source = matches!(words.first(), Some(&("the" | "this" | "it" | "text")))
        && words
            .iter()
            .take(5)
            .any(|word| is_one_of("text|passage|document|it|article|context", word));
    let says_not = is_about_source
        && three(|a, b, c| {
            is_one_of("does|do|did|doesn't|don't", a) && (is_one_of(TALK, b) || is_one_of(TALK, c))
        });
    let is_not_said = three(|a, b, c| {
        is_one_of("is|are|was|were", a)
            && b == "not"
            && (is_one_of(STATES, c) || is_one_of(ADVERBS, c))
    });
    let has_none = words.windows(2).enumerate().any(|(at, window)| {
        matches!(
            window,
            ["has" | "have" | "had" | "bears", "no"] | ["not" | "doesn't" | "don't", "have"]
        ) && words.get(at + 2..).is_some_and(|rest| {
            rest.iter()
                .find(|word| !is_one_of(ADVERBS, word))
                .is_some_and(|word| is_one_of(RELATION, word))
        })
    });
    let is_unclear =
        two(|a, b| is_one_of("is|remains", a) && is_one_of("unclear|unspecified|unknown", b));
    let is_unrelated = words.last() == Some(&"unrelated")
        || two(|a, b| a == "not" && is_one_of(STATES, b))
        || three(|a, b, c| a == "not" && is_one_of(ADVERBS, b) && is_one_of(STATES, c));
    let names_relation = words.iter().any(|word| is_one_of(RELATION, word));
    is_unrelated || has_none || (names_relation && (says_not || is_not_said || is_unclear))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        for text in [
            "I'm sorry, but I can't help with that request.",
            "I cannot assist with this content.",
            "抱歉，我无法处理该请求。",
            "As an AI language model, I must decline.",
        ] {
            assert!(is_refusal(text), "{text}");
            assert!(!is_non_answer(text), "{text}");
        }
    }

    #[test]
    fn non_answers() {
        for text in [
            "I do not know.",
            "I don't know.",
            "I'm sorry, but there is no information about this in the data.",
            "None",
            "There are no entities in this text.",
            "Unable to answer the question given the provided data.",
            "我不知道。",
        ] {
            assert!(is_non_answer(text), "{text}");
            assert!(!is_refusal(text), "{text}");
        }
        assert!(!is_non_answer(
            "The outage was caused by a change of permissions."
        ));
    }

    #[test]
    fn negative_relations() {
        for text in [
            "No clear relationship is stated between Ana and Bo.",
            "There is no direct connection between them",
            "No relationship mentioned",
            "Not directly related.",
            "The text does not mention any relationship between Ana and Bo.",
            "The relationship between Ana and Bo is not specified.",
            "Ana and Bo are not directly connected in the text.",
            "The relationship is unclear",
            "Ana has no direct relationship with Bo",
            "Ana does not have any connection to Bo",
            "Not specified",
            "There is no evidence of a relationship",
            "两者之间没有明确的关系",
            "None",
        ] {
            assert!(is_negative_relation(text), "{text}");
        }
        for text in [
            "No longer works for the firm",
            "Ana has no interest in Bo's links",
            "Ana did not pay Bo",
            "Ana ended her relationship with Bo",
            "Not long ago Ana hired Bo",
            "No other bank lends to Bo",
            "Bo links the harbour to the town",
            "Ana and Bo are related by marriage",
            "There is no doubt that Ana leads Bo",
            "",
        ] {
            assert!(!is_negative_relation(text), "{text}");
        }
    }
}
