//! An answer in words, for a person to read: the reasoning and control tokens around it go, a loop is cut to one copy.

use super::{reasoning, repetition};

/// What a person is meant to read of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The text.
    pub text: String,
    /// The reasoning never ended: there is no answer after it.
    pub unclosed: bool,
    /// The text went on with the same words until its end.
    pub looped: bool,
}

pub(super) fn words(answer: &str) -> Words {
    let answer = reasoning::strip(answer);
    let text = answer.text.trim();
    let once = repetition::without_loop(text);
    // The loop is measured from its end: a copy may begin with the stop before it and lack its own.
    let end = once.map_or(text.len(), |once| {
        let stop = text[once.len()..]
            .chars()
            .next()
            .filter(|c| ".!?。！？".contains(*c));
        once.len() + stop.map_or(0, char::len_utf8)
    });
    Words {
        text: text[..end].trim_end().to_owned(),
        unclosed: answer.unclosed,
        looped: once.is_some(),
    }
}

/// Holds reasoning back from an answer that is shown as it comes.
#[derive(Debug, Default)]
pub struct Veil {
    /// What is not shown yet.
    held: String,
    is_in: Within,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    /// Nothing but blanks came, or what may become a tag.
    #[default]
    Start,
    Reasoning,
    Answer,
}

impl Veil {
    /// Takes what came and gives what may be shown.
    pub fn lift(&mut self, part: &str) -> String {
        if self.is_in == Within::Answer {
            return part.to_owned();
        }
        self.held.push_str(part);
        if self.is_in == Within::Start {
            let begun = self.held.trim_start();
            self.is_in = match reasoning::opening(begun) {
                Some(true) => Within::Reasoning,
                Some(false) => Within::Answer,
                None => return String::new(),
            };
        }
        if self.is_in == Within::Reasoning {
            let Some(end) = reasoning::closing(&self.held) else {
                return String::new();
            };
            self.held.drain(..end);
            self.is_in = Within::Start;
            return self.lift("");
        }
        std::mem::take(&mut self.held).trim_start().to_owned()
    }

    /// What is still held when the answer ends before it was clear what it is.
    pub fn rest(&mut self) -> String {
        match self.is_in {
            Within::Start => std::mem::take(&mut self.held).trim().to_owned(),
            Within::Reasoning | Within::Answer => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&str]) -> String {
        let mut veil = Veil::default();
        let mut all: String = parts.iter().map(|part| veil.lift(part)).collect();
        all.push_str(&veil.rest());
        all
    }

    #[test]
    fn reasoning_is_held_back_wherever_the_parts_are_cut() {
        let text = "\n<think>It burst. Or did it?</think>\n\nIt <b>burst</b>.";
        for size in 1..12 {
            let chars: Vec<char> = text.chars().collect();
            let parts: Vec<String> = chars
                .chunks(size)
                .map(|part| part.iter().collect())
                .collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(shown(&parts), "It <b>burst</b>.", "{size}");
        }
        assert_eq!(shown(&["<think>It never", " ends"]), "");
        assert_eq!(shown(&["<", "5 bar"]), "<5 bar");
        assert_eq!(shown(&["[1] says"]), "[1] says");
        assert_eq!(shown(&["<"]), "<");
        assert_eq!(shown(&["Plain ", "words"]), "Plain words");
    }

    #[test]
    fn a_person_reads_the_answer_alone() {
        let read = words("<think>Hm.</think>\n\nIt burst. [Data: Sources (1)]<|im_end|>");
        assert_eq!(read.text, "It burst. [Data: Sources (1)]");
        assert!(!read.unclosed && !read.looped);
        let read = words("<think>Hm.");
        assert!(read.text.is_empty() && read.unclosed);
        let read = words(&format!("First. {}", "The main burst. ".repeat(1000)));
        assert!(read.looped && read.text.len() < 60, "{}", read.text);
        assert_eq!(words("A table | of | cells").text, "A table | of | cells");
    }
}
