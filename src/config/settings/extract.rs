use std::collections::BTreeMap;
use std::path::PathBuf;

use super::DEFAULT_COMPLETION_MODEL;
use super::run::AsyncMode;

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

choice! {
    /// When the model is asked for what it missed.
    pub enum Gleaning {
        /// Only where the first answer was cut, malformed or thin for the length of its text.
        WhenNeeded = "when_needed",
        /// For every text unit, as the reference does.
        Always = "always",
    }
}

section! {
    /// Extraction of entities and relationships by a model (`--method standard`).
    pub struct ExtractGraphConfig {
        /// Which of `completion_models` is used.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Accepted for compatibility, without effect.
        pub model_instance_name: String = "extract_graph".to_owned(),
        /// The prompt file; `prompts/extract_graph.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// The kinds of entity to look for.
        pub entity_types: Vec<String> = texts(&["organization", "person", "geo", "event"]),
        /// How often, at most, the model is asked for what it missed in one text unit.
        #[schemars(range(max = 20))]
        pub max_gleanings: u32 = 1,
        /// When it is asked. `always` is the reference's behaviour and doubles the tokens read.
        pub gleaning: Gleaning = Gleaning::WhenNeeded,
    }
}

section! {
    /// Merging the descriptions that an entity or a relationship was given in several places.
    pub struct SummarizeDescriptionsConfig {
        /// Which of `completion_models` is used.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Accepted for compatibility, without effect.
        pub model_instance_name: String = "summarize_descriptions".to_owned(),
        /// The prompt file; `prompts/summarize_descriptions.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// How many words the model is asked to keep to.
        #[schemars(range(min = 1))]
        pub max_length: u32 = 500,
        /// How many tokens of descriptions go into one call.
        #[schemars(range(min = 100))]
        pub max_input_tokens: u32 = 4000,
        /// Descriptions that together hold fewer tokens are joined without a call. 0 is the reference's behaviour: a call wherever two differ.
        pub min_tokens: u32 = 200,
    }
}

choice! {
    /// How noun phrases are found. There is one analyser; all three names select it.
    pub enum NounPhraseExtractor {
        /// Names and noun phrases by form and context.
        RegexEnglish = "regex_english",
        /// Accepted for compatibility; the same as `regex_english`.
        SyntacticParser = "syntactic_parser",
        /// Accepted for compatibility; the same as `regex_english`.
        Cfg = "cfg",
    }
}

choice! {
    /// How near two entities must be to be linked.
    pub enum CooccurrenceWindow {
        /// In the same sentence.
        Sentence = "sentence",
        /// In the same text unit, as the reference does.
        Unit = "unit",
    }
}

section! {
    /// Extraction of entities and relationships without a model (`--method fast`).
    pub struct ExtractGraphNlpConfig {
        /// Whether an edge weighs how much more often its ends meet than chance would have it, and not how often they meet.
        pub normalize_edge_weights: bool = true,
        /// How noun phrases are found.
        pub text_analyzer: TextAnalyzerConfig = TextAnalyzerConfig::default(),
        /// Accepted for compatibility, without effect.
        pub concurrent_requests: u32 = 25,
        /// Accepted for compatibility, without effect.
        pub async_mode: AsyncMode = AsyncMode::Threaded,
        /// How near two entities must be to be linked. `unit` is the reference's behaviour.
        pub cooccurrence_window: CooccurrenceWindow = CooccurrenceWindow::Sentence,
    }
}

section! {
    /// How noun phrases are found.
    pub struct TextAnalyzerConfig {
        /// There is one analyser; the reference's three names are accepted.
        pub extractor_type: NounPhraseExtractor = NounPhraseExtractor::RegexEnglish,
        /// Accepted for compatibility, without effect.
        pub model_name: String = "en_core_web_md".to_owned(),
        /// A phrase with a longer word, in characters, is left out.
        #[schemars(range(min = 1))]
        pub max_word_length: u32 = 15,
        /// What stands between the words of a phrase.
        pub word_delimiter: String = " ".to_owned(),
        /// Whether names are taken beside noun phrases.
        pub include_named_entities: bool = true,
        /// Nouns that are never an entity.
        pub exclude_nouns: Vec<String> = texts(&[
            "stuff", "thing", "things", "bunch", "bit", "bits", "people", "person", "okay", "hey",
            "hi", "hello", "laughter", "oh",
        ]),
        /// Kinds of name that are left out.
        pub exclude_entity_tags: Vec<String> = texts(&["DATE"]),
        /// Accepted for compatibility, without effect.
        pub exclude_pos_tags: Vec<String> = texts(&["DET", "PRON", "INTJ", "X"]),
        /// Accepted for compatibility, without effect.
        pub noun_phrase_tags: Vec<String> = texts(&["PROPN", "NOUNS"]),
        /// Accepted for compatibility, without effect.
        pub noun_phrase_grammars: BTreeMap<String, String> = [
            ("PROPN,PROPN", "PROPN"),
            ("NOUN,NOUN", "NOUNS"),
            ("NOUNS,NOUN", "NOUNS"),
            ("ADJ,ADJ", "ADJ"),
            ("ADJ,NOUN", "NOUNS"),
        ]
        .into_iter()
        .map(|(tags, phrase)| (tags.to_owned(), phrase.to_owned()))
        .collect(),
    }
}

section! {
    /// Extraction of claims by a model.
    pub struct ExtractClaimsConfig {
        /// Whether claims are extracted.
        pub enabled: bool = false,
        /// Which of `completion_models` is used.
        pub completion_model_id: String = DEFAULT_COMPLETION_MODEL.to_owned(),
        /// Accepted for compatibility, without effect.
        pub model_instance_name: String = "extract_claims".to_owned(),
        /// The prompt file; `prompts/extract_claims.txt` or the built-in text when absent.
        pub prompt: Option<PathBuf> = None,
        /// What counts as a claim.
        pub description: String =
            "Any claims or facts that could be relevant to information discovery.".to_owned(),
        /// How often, at most, the model is asked for what it missed in one text unit.
        #[schemars(range(max = 20))]
        pub max_gleanings: u32 = 1,
    }
}
