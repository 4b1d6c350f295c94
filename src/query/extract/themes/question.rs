//! Whether a question asks for what recurs in the whole corpus.

use crate::query::lexical;

/// Words that ask for subjects rather than for a fact.
const THEME_WORDS: &str =
    "theme topic subject pattern trend overview summary summarize summarise takeaway motif thread";

/// Words that ask for subjects where nothing else is named: `what are the risks?`, but not `what are the risks of inflation?`.
const LOOSE_WORDS: &str = "issue lesson concern insight priority challenge problem cause reason mistake failure risk weakness complaint";

/// Words that a question about the whole may use without narrowing it.
const FRAME_WORDS: &str = "recurring recur recurrent main major key common overall general important top biggest frequent often \
    repeated central principal dominant broad across whole entire report document corpus collection text dataset data file source \
    paper article material note record incident postmortem case story book discuss discussed cover covered mention mentioned \
    emerge appear find found see identify show kind type sort different various many thing happen \
    year decade period";

/// Words for documents that may be the name of a folder, and narrow nothing where they are not.
const KIND_WORDS: &str = "letter minute speech transcript interview chapter";

/// Words that ask for trouble.
const TROUBLE_WORDS: &str = "incident failure fail problem issue cause risk outage postmortem accident complaint concern mistake \
    wrong lesson defect fault error disaster challenge weakness";

/// Words beyond the frame that a theme question may have: `main themes in the supplier letters`.
const MAX_FOCUS: usize = 2;

/// A question for what recurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeQuestion {
    /// It asks for trouble.
    pub problems: bool,
    /// Terms that narrow it; sorted.
    pub focus: Vec<u64>,
    /// Terms that documents may be named by: those that narrow it, and words for a kind of document; sorted.
    pub named: Vec<u64>,
    /// The words of `named` as the question spells them, in its order.
    pub spelled: Vec<String>,
}

/// Reads a question; `None` where it asks for something in particular.
pub fn theme_question(question: &str) -> Option<ThemeQuestion> {
    let terms = lexical::term_set(question);
    let holds = |words: &str| {
        let words = lexical::term_set(words);
        move |term: &u64| words.binary_search(term).is_ok()
    };
    let (is_theme, is_loose, is_frame) =
        (holds(THEME_WORDS), holds(LOOSE_WORDS), holds(FRAME_WORDS));
    let (is_kind, is_trouble) = (holds(KIND_WORDS), holds(TROUBLE_WORDS));
    let (mut named, mut spelled) = (Vec::new(), Vec::new());
    lexical::words(question, |word| {
        let term = &word.term;
        // A number says how many are wanted.
        let wanted = question[word.start..word.end]
            .parse::<u32>()
            .is_ok_and(|n| n < 100);
        if !word.stop && !wanted && !is_theme(term) && !is_loose(term) && !is_frame(term) {
            named.push(*term);
            spelled.push(question[word.start..word.end].to_owned());
        }
    });
    named.sort_unstable();
    named.dedup();
    let focus: Vec<u64> = named
        .iter()
        .copied()
        .filter(|term| !is_kind(term))
        .collect();
    // "What is this all about?", "What do these documents cover?": where nothing is named, the whole is meant.
    let is_open = focus.is_empty() && question.contains(char::is_alphabetic);
    let asks = terms.iter().any(&is_theme) && focus.len() <= MAX_FOCUS;
    (asks || is_open).then(|| ThemeQuestion {
        problems: terms.iter().any(&is_trouble),
        focus,
        named,
        spelled,
    })
}

/// The terms of a question that say what it is about: without words that only ask, or name documents; sorted.
pub fn subject_terms(question: &str) -> Vec<u64> {
    let asking = format!("{THEME_WORDS} {LOOSE_WORDS} {FRAME_WORDS} {KIND_WORDS}");
    let asking = lexical::term_set(&asking);
    let mut terms = lexical::term_set(question);
    terms.retain(|term| asking.binary_search(term).is_err());
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_themes_are_told_from_questions_for_facts() {
        let read = |question: &str| {
            theme_question(question).map(|asked| (asked.problems, asked.focus.len()))
        };
        assert_eq!(
            read("What are the recurring themes in these incident reports?"),
            Some((true, 0))
        );
        assert_eq!(read("What are the top 5 themes?"), Some((false, 0)));
        assert_eq!(
            read("main themes in the supplier letters"),
            Some((false, 1))
        );
        assert_eq!(
            read("What lessons recur across these postmortems"),
            Some((true, 0))
        );
        assert_eq!(
            read("Who made the valve that could not be closed in March 2022?"),
            None
        );
        assert_eq!(
            read("What was the cause of the burst of the Windle Moor main?"),
            None
        );
        assert_eq!(read("What is this all about?"), Some((false, 0)));
        assert_eq!(read("What do these documents cover?"), Some((false, 0)));
        assert_eq!(read("What is said about pumps?"), None);
        assert_eq!(read("What are the risks of inflation?"), None);
        assert_eq!(read("What caused the discolouration?"), None);
        assert_eq!(read("What are the risks?"), Some((true, 0)));
        assert_eq!(read(""), None);
        assert_eq!(read("?"), None);
    }
}
