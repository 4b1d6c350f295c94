//! What the words beside a mention say of the sense in which its name stands there.

/// Bytes looked at on each side.
const REACH: usize = 48;

/// One thing that the words beside a mention say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Cue {
    /// "A Kestrel", "an RCA": one of a kind, where a proper name takes no article.
    OneOfAKind = 1,
    /// "Kestrel is", "in Kestrel,": by itself, as proper names stand.
    Bare = 2,
    /// "At Coldwell", "near Coldwell": a place.
    Place = 4,
    /// "Coldwell was asked", "by Coldwell", "Coldwell's report": somebody who acts.
    Agent = 8,
    /// "Mr J. Smith".
    Male = 16,
    /// "Mrs J. Smith", "J. Smith (Mrs)".
    Female = 32,
    /// "X and" before the next name.
    AndNext = 64,
    /// "and X" after the name before.
    AndPrevious = 128,
    /// Written as a common noun phrase, in small letters.
    Common = 256,
}

/// A set of cues; the default says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cues {
    bits: u16,
    head: u8,
}

impl Cues {
    /// Whether it has one.
    pub fn has(self, cue: Cue) -> bool {
        self.bits & cue as u16 != 0
    }

    /// What kind of place the next words say it is: "hospital" for "St Anne's" in "St Anne's Hospital".
    pub fn head(self) -> Option<&'static str> {
        let row = usize::from(self.head).checked_sub(1)?;
        PLACES.get(row).copied()
    }

    /// With one more, if so.
    #[must_use]
    pub fn with(self, cue: Cue, so: bool) -> Self {
        Self {
            bits: self.bits | if so { cue as u16 } else { 0 },
            ..self
        }
    }
}

/// Words that a noun of its own kind does not follow: after them and before these a name stands by itself.
const CLOSED: &[&str] = &[
    "and", "or", "but", "nor", "is", "was", "are", "were", "has", "had", "have", "will", "would",
    "can", "could", "may", "might", "should", "must", "does", "did", "in", "on", "at", "of", "to",
    "for", "from", "with", "by", "as", "that", "which", "who", "whom", "where", "when", "while",
    "until", "since", "because", "if", "than", "about", "into", "over", "under", "after", "before",
    "during", "itself", "not", "also", "then", "so", "they", "it", "we", "he", "she",
];

/// Words before a name that make it one of several, or somebody's.
const DETERMINERS: &[&str] = &[
    "the", "this", "that", "these", "those", "our", "your", "their", "his", "her", "its", "my",
    "every", "each", "any", "no", "some", "which", "what",
];

/// What only somebody who acts does.
const ACTS: &[&str] = &[
    "say",
    "says",
    "said",
    "ask",
    "asks",
    "asked",
    "write",
    "writes",
    "wrote",
    "agree",
    "agrees",
    "agreed",
    "promise",
    "promised",
    "recommend",
    "recommends",
    "recommended",
    "maintain",
    "maintains",
    "claim",
    "claims",
    "claimed",
    "told",
    "think",
    "thinks",
    "thought",
    "believe",
    "believes",
    "believed",
    "replied",
    "announced",
    "apologised",
    "apologized",
    "denied",
    "accepted",
    "refused",
    "insisted",
    "argued",
    "advised",
    "offered",
    "complained",
    "admitted",
    "concluded",
    "signed",
    "hired",
    "declined",
];

/// What is done to somebody who acts, after "was" and the like.
const ACTED_ON: &[&str] = &[
    "asked",
    "told",
    "engaged",
    "commissioned",
    "instructed",
    "informed",
    "notified",
    "invited",
    "appointed",
    "hired",
    "paid",
    "employed",
    "consulted",
    "retained",
];

/// What is done to somebody who answers, as the word before the name.
const ADDRESSED: &[&str] = &[
    "ring",
    "rings",
    "rang",
    "ringing",
    "phone",
    "phoned",
    "phoning",
    "telephone",
    "telephoned",
    "tell",
    "tells",
    "told",
    "telling",
    "inform",
    "informed",
    "informing",
    "ask",
    "asked",
    "asking",
    "notify",
    "notified",
    "notifying",
    "contact",
    "contacted",
    "contacting",
    "consult",
    "consulted",
    "engage",
    "engaged",
    "commissioned",
    "sued",
    "thank",
    "thanked",
];

/// What only somebody who acts has.
const POSSESSIONS: &[&str] = &[
    "report",
    "reports",
    "recommendation",
    "recommendations",
    "letter",
    "letters",
    "invoice",
    "advice",
    "opinion",
    "view",
    "views",
    "engineers",
    "staff",
    "employees",
    "customers",
    "lawyers",
    "offer",
    "quotation",
    "findings",
    "conclusion",
    "conclusions",
    "reply",
    "answer",
    "apology",
    "statement",
    "proposal",
    "shareholders",
    "board",
];

/// Whether people answer for a place with such a head: a hospital can be told, a reservoir cannot.
pub fn answers(head: &str) -> bool {
    const BODIES: &[&str] = &[
        "hospital",
        "laboratory",
        "prison",
        "church",
        "school",
        "college",
        "university",
        "airport",
        "hotel",
        "library",
        "museum",
        "theatre",
        "abbey",
    ];
    BODIES.contains(&head)
}

/// Heads of what stands at a place and is called by its name: "Marsh End" for "Marsh End Works".
pub const PLACES: &[&str] = &[
    "station",
    "works",
    "hospital",
    "reservoir",
    "depot",
    "refinery",
    "mill",
    "colliery",
    "observatory",
    "laboratory",
    "prison",
    "barracks",
    "abbey",
    "castle",
    "church",
    "school",
    "college",
    "university",
    "airport",
    "bridge",
    "hotel",
    "library",
    "museum",
    "theatre",
];

const POSSESSIVES: [&str; 4] = ["'s", "’s", "'S", "’S"];

const MALE: [&str; 5] = ["mr", "sir", "lord", "monsieur", "herr"];
const FEMALE: [&str; 9] = [
    "mrs", "ms", "miss", "madam", "madame", "mme", "frau", "dame", "lady",
];

/// The cues of the mention from byte `start` to byte `end` (exclusive) of `text`.
///
/// Looks at a few words on each side, so that the cost does not grow with the text.
pub fn cues(text: &str, start: usize, end: usize) -> Cues {
    let (Some(left), Some(_), Some(right)) =
        (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return Cues::default();
    };
    let mut from = left.len().saturating_sub(REACH);
    while !left.is_char_boundary(from) {
        from += 1;
    }
    let mut to = right.len().min(REACH);
    while !right.is_char_boundary(to) {
        to -= 1;
    }
    let (left, right) = (&left[from..], &right[..to]);
    let before = last_word(left);
    let name = &text[start..end];
    let mark = POSSESSIVES.iter().find_map(|mark| right.strip_prefix(mark));
    let mark = mark.filter(|rest| !rest.starts_with(char::is_alphanumeric));
    let possessive = mark.is_some() || POSSESSIVES.iter().any(|mark| name.ends_with(mark));
    let right = mark.unwrap_or(right);
    // What touches the name ends it: a comma, a bracket, the end.
    let ends = right.is_empty() || !right.starts_with(char::is_whitespace);
    let mut words = [""; 3];
    for (slot, word) in words.iter_mut().zip(right.split_whitespace()) {
        *slot = word;
    }
    let lower = |word: &'_ str| {
        word.trim_end_matches(|c: char| !c.is_alphanumeric())
            .to_owned()
    };
    let head = match ends {
        true => 0,
        false => head(&words),
    };
    let (next, second) = (lower(words[0]), lower(words[1]));
    let alone = ends || CLOSED.contains(&next.as_str());
    let article = matches!(before.as_str(), "a" | "an" | "another");
    // After "a", a word in -s is no noun in the plural but a verb: "a Kestrel sulks".
    let verb =
        next.len() > 3 && next.ends_with('s') && !next.ends_with("ss") && !next.ends_with("us");
    let in_brackets = right.trim_start().strip_prefix('(').map(first_word);
    let honorific = |words: &[&str]| {
        let inside = in_brackets.as_deref().unwrap_or("");
        words.contains(&before.as_str()) || words.contains(&inside)
    };
    let acts = !possessive
        && !ends
        && (ACTS.contains(&next.as_str())
            || matches!(next.as_str(), "was" | "were" | "is" | "are" | "been")
                && ACTED_ON.contains(&second.as_str()));
    let owns = possessive
        && [&next, &second]
            .iter()
            .any(|word| POSSESSIONS.contains(&word.as_str()));
    let bare = alone && !possessive && !article && !DETERMINERS.contains(&before.as_str());
    Cues { bits: 0, head }
        .with(Cue::OneOfAKind, article && !possessive && (alone || verb))
        .with(Cue::Bare, bare)
        .with(
            Cue::Place,
            matches!(before.as_str(), "at" | "near") && !article,
        )
        .with(
            Cue::Agent,
            acts || owns || alone && (before == "by" || ADDRESSED.contains(&before.as_str())),
        )
        .with(Cue::Male, honorific(&MALE))
        .with(Cue::Female, honorific(&FEMALE))
        .with(Cue::AndNext, !ends && !possessive && next == "and")
        .with(Cue::AndPrevious, before == "and")
}

/// One more than the row of the first of [`PLACES`] that ends the name's phrase: within three words, nothing between that
/// ends a phrase.
fn head(words: &[&str; 3]) -> u8 {
    for word in words {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let lower = lower.trim_end_matches("'s").trim_end_matches("’s");
        if let Some(row) = PLACES.iter().position(|known| *known == lower) {
            return row as u8 + 1;
        }
        if bare.len() != word.len() || CLOSED.contains(&lower) || DETERMINERS.contains(&lower) {
            return 0;
        }
    }
    0
}

/// The last word of a text, in lower case, where nothing but white space follows it.
fn last_word(text: &str) -> String {
    let trimmed = text.trim_end();
    // A line of its own starts anew.
    if text.len() == trimmed.len() || text[trimmed.len()..].contains('\n') {
        return String::new();
    }
    let trimmed = trimmed.trim_end_matches('.');
    let from = trimmed
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric())
        .last();
    from.map_or(String::new(), |(at, _)| trimmed[at..].to_lowercase())
}

fn first_word(text: &str) -> String {
    let word = text.split(|c: char| !c.is_alphanumeric()).next();
    word.unwrap_or("").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, name: &str) -> Vec<Cue> {
        let start = text.find(name).unwrap();
        let cues = cues(text, start, start + name.len());
        let all = [
            Cue::OneOfAKind,
            Cue::Bare,
            Cue::Place,
            Cue::Agent,
            Cue::Male,
            Cue::Female,
            Cue::AndNext,
            Cue::AndPrevious,
        ];
        all.into_iter().filter(|cue| cues.has(*cue)).collect()
    }

    #[test]
    fn the_words_beside_a_name_say_in_which_sense_it_stands() {
        use Cue::{Agent, AndNext, AndPrevious, Bare, Female, Male, OneOfAKind, Place};
        for (text, name, expected) in [
            ("Then a Lark sulks.", "Lark", &[OneOfAKind][..]),
            ("An ABC that stopped there", "ABC", &[OneOfAKind]),
            ("a Lark engineer came", "Lark", &[]),
            ("It was in Lark, raised late", "Lark", &[Bare]),
            ("the Lark on the wall", "Lark", &[]),
            ("two at Holme, opened", "Holme", &[Bare, Place]),
            ("Holme was asked to help", "Holme", &[Bare, Agent]),
            ("Holme's four recommendations stand", "Holme", &[Agent]),
            ("Holme's hatches leak", "Holme", &[]),
            ("with Mr J. Reed of", "J. Reed", &[Bare, Male]),
            ("Yours,\nJ. Reed (Mrs)", "J. Reed", &[Female]),
            ("both Holme and Quarry", "Holme", &[Bare, AndNext]),
            ("both Holme and Quarry", "Quarry", &[Bare, AndPrevious]),
            ("", "", &[Bare]),
        ] {
            assert_eq!(found(text, name), expected, "{text}");
        }
    }

    #[test]
    fn a_span_that_cuts_a_letter_says_nothing() {
        assert_eq!(cues("é", 1, 1), Cues::default());
    }
}
