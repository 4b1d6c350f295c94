//! A name taken apart: honorific, words, legal form, qualifier; and its words folded for comparison.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::tables;

/// What an honorific says of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gender {
    /// Nothing.
    #[default]
    Unknown,
    /// "Mr", "Sir".
    Male,
    /// "Mrs", "Dame".
    Female,
}

/// What a word is in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Carries meaning.
    Word,
    /// One letter for a word.
    Initial,
    /// Digits, Roman numerals, trailing letters, "Jr": must be equal.
    Number,
    /// "of", "and": makes no difference.
    Small,
}

/// A word of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number in [`Lexicon`].
    pub word: u32,
    /// What it is here.
    pub class: Class,
}

/// A name taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Words in reading order, honorifics, legal forms and a leading article left out, "Brandt, Ilse" turned round.
    pub parts: Vec<Part>,
    /// The same without the small ones.
    pub content: Vec<Part>,
    /// What stands in brackets at the end: number in [`Lexicon`].
    pub qualifier: Option<u32>,
    /// What the honorific says.
    pub gender: Gender,
    /// Whether there is an honorific.
    pub honorific: bool,
    /// Whether it is one that stands before a first name alone.
    pub before_first_name: bool,
    /// Bits of legal forms.
    pub legal: u32,
    /// Whether it was written last name first.
    pub inverted: bool,
    /// Whether it joins single letters by "&".
    pub ampersand: bool,
    /// Whether an article stood before it.
    pub article: bool,
    /// Whether it is somebody's: "Scrooge's nephew".
    pub possessive: bool,
}

/// A distinct word in its foldings; a folding is the number of the word that it gives.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// Lower case.
    pub text: String,
    /// Characters.
    pub letters: u32,
    /// Without accents.
    pub folded: u32,
    /// Without accents, and "ae", "oe", "ue" as "a", "o", "u".
    pub loose: u32,
    /// In the singular, without a small word that is written on it.
    pub stem: u32,
    /// Whether a small word may be written on it.
    pub prefixed: bool,
    /// Whether it contains a digit.
    pub digits: bool,
    /// Whether it says what a person is: "president".
    pub role: bool,
    /// Whose first name it is.
    pub first_name_of: Gender,
}

static ROLES: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| tables::ROLES.split_whitespace().collect());

static FIRST_NAMES: LazyLock<FxHashMap<&str, Gender>> = LazyLock::new(|| {
    let names = |names: &'static str, of| names.split_whitespace().map(move |name| (name, of));
    names(tables::MENS_NAMES, Gender::Male)
        .chain(names(tables::WOMENS_NAMES, Gender::Female))
        .collect()
});

/// All distinct words.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    numbers: FxHashMap<String, u32>,
    words: Vec<Lexeme>,
}

impl Lexicon {
    /// The word of a number.
    pub fn get(&self, word: u32) -> &Lexeme {
        // invariant: numbers come from `intern` alone
        &self.words[word as usize]
    }

    /// The number of a known word in lower case.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(&found) = self.numbers.get(text) {
            return found;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.words.push(Lexeme {
            text: text.to_owned(),
            letters: text.chars().count() as u32,
            folded: number,
            loose: number,
            stem: number,
            prefixed: false,
            digits: text.chars().any(char::is_numeric),
            role: ROLES.contains(text),
            first_name_of: FIRST_NAMES.get(text).copied().unwrap_or_default(),
        });
        let fold = without_accents(text);
        let loose = without_umlauts(&fold);
        let bare = without_prefix(text);
        let prefixed = bare != text;
        let stem = match prefixed {
            true => bare.to_owned(),
            false => singular(text),
        };
        let folded = self.intern_other(number, text, &fold);
        let loose = self.intern_other(number, text, &loose);
        let stem = self.intern_other(number, text, &stem);
        let lexeme = &mut self.words[number as usize];
        lexeme.prefixed = prefixed;
        (lexeme.folded, lexeme.loose, lexeme.stem) = (folded, loose, stem);
        number
    }

    fn intern_other(&mut self, number: u32, text: &str, other: &str) -> u32 {
        // Folding a folding again changes nothing in the end, so this ends.
        if other == text || other.is_empty() {
            return number;
        }
        self.intern(other)
    }

    /// Takes a name apart.
    pub fn parse(&mut self, name: &str) -> Form {
        let lower: String = name.nfkc().flat_map(char::to_lowercase).collect();
        let mut form = Form::default();
        let mut rest = lower.trim();
        if let Some((before, inside)) = rest
            .strip_suffix(')')
            .and_then(|rest| rest.rsplit_once('('))
        {
            let inside: Vec<String> = words_of(inside);
            if !before.trim().is_empty() && !inside.is_empty() {
                rest = before.trim();
                form.qualifier = Some(self.intern(&inside.join(" ")));
            }
        }
        let mut words = words_of(rest);
        let owner = rest
            .rsplit_once(char::is_whitespace)
            .map_or("", |(before, _)| before);
        form.possessive = ["'s ", "’s ", "s' ", "s’ "]
            .iter()
            .any(|mark| owner.contains(mark))
            || ["'s", "’s", "s'", "s’"]
                .iter()
                .any(|mark| owner.ends_with(mark));
        form.ampersand = words.len() == 1 && rest.contains('&');
        if let Some((last, first)) = rest.split_once(',') {
            let (last, first) = (words_of(last), words_of(first));
            let legal = first.iter().all(|word| legal_form(word).is_some());
            if !legal
                && !first.is_empty()
                && !last.is_empty()
                && last.len() <= 2
                && first.len() <= 3
            {
                words = first;
                words.extend(last);
                form.inverted = true;
            }
        }
        if words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an") {
            words.remove(0);
            form.article = true;
        }
        while words.len() > 1 {
            let Some(&(_, gender)) = tables::HONORIFICS
                .iter()
                .find(|(word, _)| *word == words[0])
            else {
                break;
            };
            form.honorific = true;
            form.before_first_name = tables::BEFORE_FIRST_NAME.contains(&words[0].as_str());
            if gender != Gender::Unknown {
                form.gender = gender;
            }
            words.remove(0);
        }
        while words.len() > 1 {
            let last = words[words.len() - 1].as_str();
            if let Some(form_number) = legal_form(last) {
                form.legal |= 1 << form_number;
            } else if !((words.len() > 2 || form.honorific)
                && tables::POST_NOMINALS.contains(&last))
                && last != "and"
            {
                break;
            }
            words.pop();
        }
        let count = words.len();
        for (at, word) in words.iter().enumerate() {
            let class = class_of(word, at, count, form.inverted);
            let part = Part {
                word: self.intern(word),
                class,
            };
            form.parts.push(part);
        }
        form.content = form
            .parts
            .iter()
            .copied()
            .filter(|part| part.class != Class::Small)
            .collect();
        if form.content.is_empty() {
            form.content = form.parts.clone();
        }
        form
    }
}

/// The words of a name alone, in lower case: without points, possessives and signs.
pub(super) fn words(name: &str) -> String {
    let lower: String = name.nfkc().flat_map(char::to_lowercase).collect();
    words_of(&lower).join(" ")
}

fn legal_form(word: &str) -> Option<u32> {
    tables::LEGAL_FORMS
        .iter()
        .find(|(form, _)| *form == word)
        .map(|(_, number)| *number)
}

fn class_of(word: &str, at: usize, count: usize, inverted: bool) -> Class {
    let last = at > 0 && at + 1 == count;
    if word.chars().any(char::is_numeric) {
        return Class::Number;
    }
    if tables::WEIGHTLESS.contains(&word) && !(last && word == "a") {
        return Class::Small;
    }
    if last && (tables::GENERATIONS.contains(&word) || is_roman(word)) {
        return Class::Number;
    }
    if word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word.is_ascii() {
        return if last && !inverted {
            Class::Number
        } else {
            Class::Initial
        };
    }
    Class::Word
}

fn is_roman(word: &str) -> bool {
    matches!(
        word,
        "i" | "ii" | "iii" | "iv" | "v" | "vi" | "vii" | "viii" | "ix" | "x" | "xi" | "xii"
    )
}

/// Words of a lower-case text. Letters with dots or ampersands between them are one word where they are all there is, else initials.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let pieces: Vec<&str> = text.split_whitespace().collect();
    for piece in &pieces {
        let letters: Vec<&str> = piece
            .split(['.', '&'])
            .filter(|letter| !letter.is_empty())
            .collect();
        let single = letters.len() > 1 && letters.iter().all(|letter| letter.chars().count() == 1);
        if single {
            if pieces.len() == 1 || piece.contains('&') {
                words.push(letters.concat());
            } else {
                words.extend(letters.into_iter().map(str::to_owned));
            }
            continue;
        }
        let mut word = String::new();
        let mut chars = piece.chars().peekable();
        while let Some(c) = chars.next() {
            let apostrophe = matches!(c, '\'' | '’' | '`' | 'ʼ');
            if c.is_alphanumeric() || is_combining_mark(c) {
                word.push(c);
            } else if apostrophe && !word.is_empty() {
                // "Anne's" is "Anne", "O'Brien" is "OBrien".
                let next = chars.peek().copied();
                let mut ahead = chars.clone();
                ahead.next();
                if next == Some('s') && ahead.peek().is_none_or(|c| !c.is_alphanumeric()) {
                    chars.next();
                }
            } else {
                push(&mut words, &mut word);
                if c == '&' {
                    words.push("and".to_owned());
                }
            }
        }
        push(&mut words, &mut word);
    }
    words
}

fn push(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn without_accents(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|&c| !is_combining_mark(c)) {
        match c {
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'ı' => out.push('i'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ß' => out.push_str("ss"),
            'þ' => out.push_str("th"),
            c => out.push(c),
        }
    }
    out
}

fn without_umlauts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        // Not "ue" at the end ("Sue") nor after "q" ("Queen").
        if !(c == 'e' && matches!(previous, 'a' | 'o' | 'u') && !out.ends_with("qu")) {
            out.push(c);
        }
        previous = c;
    }
    out
}

/// An Arabic word without "and", a Hebrew one without "and", "in", "to", "the" or "from". What is left may be no word: it counts
/// only where another name is just that.
fn without_prefix(text: &str) -> &str {
    const LEFT: usize = 4;
    let Some(rest) = text.strip_prefix(['و', 'ו', 'ב', 'ל', 'ה', 'מ']) else {
        return text;
    };
    let letters = |text: &str| text.chars().all(char::is_alphabetic);
    match rest.chars().count() >= LEFT && letters(rest) {
        true => rest,
        false => text,
    }
}

fn singular(text: &str) -> String {
    let keep = [
        "ss", "us", "is", "news", "series", "species", "works", "means",
    ];
    let count = text.chars().count();
    // "HTTPS" is no plural.
    let spoken = text.contains(['a', 'e', 'i', 'o', 'u', 'y']) || !text.is_ascii();
    if count < 4
        || !spoken
        || !text.ends_with('s')
        || keep.iter().any(|ending| text.ends_with(ending))
    {
        return text.to_owned();
    }
    if let Some(stem) = text.strip_suffix("ies").filter(|_| count > 5) {
        return format!("{stem}y");
    }
    for ending in ["xes", "ches", "shes", "sses", "zes"] {
        if text.ends_with(ending) {
            return text[..text.len() - 2].to_owned();
        }
    }
    text[..text.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> (Vec<String>, Form) {
        let mut lexicon = Lexicon::default();
        let form = lexicon.parse(name);
        let texts = form
            .content
            .iter()
            .map(|part| lexicon.get(part.word).text.clone())
            .collect();
        (texts, form)
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("BRANDT, DR ILSE", "ilse brandt"),
            ("Rivers & Coasts Agency", "rivers coasts agency"),
            ("Tarn Corporation", "tarn"),
            ("Silverfen Systems GmbH & Co. KG", "silverfen systems"),
            ("the St Anne’s  hospital", "st anne hospital"),
            ("Garrick-Rowe", "garrick rowe"),
            ("U.S.", "us"),
            ("J.R. Smith", "j r smith"),
            ("O'Brien", "obrien"),
            ("Foo, Inc.", "foo"),
            ("Falcon (bird)", "falcon"),
            ("T&H", "th"),
        ] {
            assert_eq!(words(name).0.join(" "), expected, "{name}");
        }
    }

    #[test]
    fn what_is_taken_off_is_kept_beside() {
        let (_, form) = words("Mrs Ancrum");
        assert!(form.honorific && form.gender == Gender::Female);
        let (_, form) = words("Falcon (bird)");
        assert!(form.qualifier.is_some());
        let (_, form) = words("World War I");
        assert_eq!(form.content[2].class, Class::Number);
        let (_, form) = words("PS-14");
        assert_eq!(form.content[1].class, Class::Number);
    }

    #[test]
    fn foldings_meet() {
        let mut lexicon = Lexicon::default();
        let mut of = |text: &str| {
            let number = lexicon.intern(text);
            lexicon.get(number).clone()
        };
        let (a, b, c) = (of("müller"), of("muller"), of("mueller"));
        assert_ne!(a.folded, c.folded);
        assert_eq!(a.folded, b.folded);
        assert_eq!(a.loose, c.loose);
        assert_eq!(of("glaciers").stem, of("glacier").stem);
        assert_eq!(of("bodies").stem, of("body").stem);
    }
}
