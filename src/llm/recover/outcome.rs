//! What a recovery says about itself: its outcome, its repairs and its warnings.

use std::fmt;

use crate::model::Outcome;

/// Why the model stopped, in the words providers use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// It ended by itself.
    #[default]
    Stop,
    /// The output budget was spent.
    Length,
    /// The provider's filter cut or withheld the answer.
    ContentFilter,
    /// It ended with a call of a tool.
    ToolCalls,
    /// Anything else; read like `Stop`.
    Other,
}

impl FinishReason {
    /// Reads a provider's word; never fails.
    pub fn parse(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "stop" | "end_turn" | "eos" | "stop_sequence" | "complete" | "completed" => {
                Self::Stop
            }
            "length" | "max_tokens" | "max_output_tokens" | "model_length" => Self::Length,
            "content_filter" | "content_filtered" | "safety" | "blocked" | "refusal"
            | "prohibited_content" | "recitation" => Self::ContentFilter,
            "tool_calls" | "tool_call" | "function_call" | "tool_use" => Self::ToolCalls,
            _ => Self::Other,
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// A stable code: what was seen in an answer. The words never change their meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// The code's word, in snake case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

codes! {
    /// No text at all.
    EmptyResponse = "empty_response",
    /// The budget ended before any text of the answer itself.
    ReasoningBudget = "output_budget_spent_on_reasoning",
    /// The model declined.
    Refusal = "refusal",
    /// The provider's filter withheld the answer.
    ContentFilter = "content_filter",
    /// Neither JSON nor records were found.
    NoJson = "no_json",
    /// JSON was found, but nothing in it names entities or relationships.
    NoEntities = "no_entities",
    /// JSON was found, but no points.
    NoPoints = "no_points",
    /// JSON was found, but no report.
    NoReport = "no_report",
    /// No rating was found.
    NoRating = "no_rating",
    /// JSON was found, but no claims.
    NoClaims = "no_claims",
    /// JSON was found, but no answer.
    NoAnswer = "no_answer",
    /// The text ends in the middle.
    Truncated = "truncated",
    /// The model repeated itself; one copy is kept.
    Repetition = "repetition",
    /// Longer than the size cap; the rest was not read.
    TooLarge = "too_large",
    /// A JSON key was given twice; lists are joined, of scalars the last is taken.
    DuplicateKey = "duplicate_key",
    /// An ellipsis stood in for content.
    Ellipsis = "ellipsis",
    /// An entity row is no entity.
    BadEntity = "bad_entity",
    /// A relationship row is no relationship.
    BadRelationship = "bad_relationship",
    /// A finding is no finding.
    BadFinding = "bad_finding",
    /// A point is no point.
    BadPoint = "bad_point",
    /// A claim is no claim.
    BadClaim = "bad_claim",
    /// A row without a name.
    MissingName = "missing_name",
    /// An entity without a type; `UNKNOWN` is set.
    MissingType = "missing_type",
    /// A relationship record that names one side only.
    MissingEndpoint = "missing_endpoint",
    /// A relationship whose source or target is empty.
    EmptyEndpoint = "empty_endpoint",
    /// A relationship to a name that is no entity of the answer.
    UnknownEndpoint = "unknown_endpoint",
    /// A relationship to a name that stands for two entities.
    AmbiguousEndpoint = "ambiguous_endpoint",
    /// A relationship of an entity with itself.
    SelfLoop = "self_loop",
    /// A relationship that says there is none.
    NegativeRelation = "negative_relation",
    /// A name too long, or too much like reasoning, to be one.
    SuspiciousName = "suspicious_name",
    /// A weight that is no positive finite number; 1.0 is set.
    BadWeight = "bad_weight",
    /// `entities` is not a list.
    EntitiesNotList = "entities_not_list",
    /// `relationships` is not a list.
    RelationshipsNotList = "relationships_not_list",
    /// A part of the prompt's own example, given back as the answer.
    PromptExample = "prompt_example",
    /// Prose or Markdown where JSON or records were asked for.
    Prose = "prose",
    /// The answer says, in prose, that there is nothing to say.
    NonAnswer = "non_answer",
    /// A report without a title.
    MissingTitle = "missing_title",
    /// A report without a summary.
    MissingSummary = "missing_summary",
    /// A report without findings.
    MissingFindings = "missing_findings",
    /// No rating given; a neutral one is set.
    MissingRating = "missing_rating",
    /// A rating that is no number; a neutral one is set.
    BadRating = "bad_rating",
    /// A rating off the scale, clamped.
    RatingOutOfRange = "rating_out_of_range",
    /// No score given; a neutral one is set.
    MissingScore = "missing_score",
    /// A score that is no number; a neutral one is set.
    BadScore = "bad_score",
    /// A score off the scale, clamped.
    ScoreOutOfRange = "score_out_of_range",
    /// Scores between 0 and 1 brought to 0 to 100.
    ScoreScaled = "score_scaled",
    /// A point without a description.
    MissingDescription = "missing_description",
    /// A claim without a subject.
    MissingSubject = "missing_subject",
    /// A claim's status is none of the three; `SUSPECTED` is set.
    BadStatus = "bad_status",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing seen in an answer that a reader of the graph may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is.
    pub code: Code,
    /// The name or value concerned, shortened.
    pub detail: Option<String>,
}

macro_rules! repairs {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// One way in which an answer differed from what was asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Repair { $($(#[$doc])* $name,)* }

        impl Repair {
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// The repair's word, in snake case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

repairs! {
    /// Reasoning was removed.
    Reasoning = "reasoning",
    /// A Markdown fence was removed.
    Fence = "fence",
    /// Text around the answer was removed.
    Prose = "surrounding_text",
    /// Strings were quoted wrongly or not at all.
    Quotes = "quotes",
    /// Keys were not quoted.
    BareKeys = "bare_keys",
    /// Literals of another language.
    Literals = "literals",
    /// Commas or colons missing or too many.
    Separators = "separators",
    /// Brackets missing, too many or of the wrong kind.
    Brackets = "brackets",
    /// Escapes that JSON does not know.
    Escapes = "escapes",
    /// Line breaks inside strings.
    RawNewline = "raw_newline",
    /// Comments.
    Comments = "comments",
    /// An ellipsis.
    Ellipsis = "ellipsis",
    /// A key given twice.
    DuplicateKey = "duplicate_key",
    /// Full-width or curly punctuation.
    Punctuation = "punctuation",
    /// Several values instead of one.
    SeveralValues = "several_values",
    /// A bare list instead of an object.
    BareList = "bare_list",
    /// The value was wrapped in another object.
    Wrapper = "wrapper",
    /// The value was text inside a value.
    EmbeddedText = "embedded_text",
    /// Nested deeper than the cap; the deepest part was left out.
    TooDeep = "too_deep",
    /// Other keys than those asked for.
    Keys = "keys",
    /// Fields or rows of another shape than asked for.
    Shape = "shape",
    /// A field was missing and got its default.
    Default = "default",
    /// A number was out of its range.
    Number = "number",
    /// Rows were dropped.
    DroppedRow = "dropped_row",
    /// Repeated rows or text were collapsed.
    Repetition = "repetition",
    /// The field delimiter was corrupted.
    Delimiter = "delimiter",
    /// The record delimiter was missing.
    RecordDelimiter = "record_delimiter",
    /// Parentheses were missing or of another kind.
    Parentheses = "parentheses",
    /// A record's tag was missing, misspelt or unquoted.
    Tag = "tag",
    /// A record had too many or too few fields.
    FieldCount = "field_count",
    /// A record was tagged as the other kind.
    Mislabelled = "mislabelled",
    /// An endpoint was given by id or by a variant of its name.
    Endpoint = "endpoint",
    /// The prompt's example was removed.
    PromptExample = "prompt_example",
    /// Prose or Markdown was read instead of JSON or records.
    Markdown = "markdown",
    /// The end is missing.
    Truncated = "truncated",
    /// The rest, beyond the size cap, was not read.
    TooLarge = "too_large",
    /// The provider's filter cut the answer.
    ContentFilter = "content_filter",
}

/// A set of repairs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Repairs(u64);

impl Repairs {
    /// Adds one.
    pub fn add(&mut self, repair: Repair) {
        self.0 |= 1 << repair as u8;
    }

    /// Adds all of another set.
    pub fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether the repair is in the set.
    pub fn contains(self, repair: Repair) -> bool {
        self.0 & (1 << repair as u8) != 0
    }

    /// Whether nothing was repaired.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The repairs in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Repair> {
        Repair::ALL
            .iter()
            .copied()
            .filter(move |&repair| self.contains(repair))
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, repair) in self.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            f.write_str(repair.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Repairs({self})")
    }
}

/// How a recovery ended; each variant is one action of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverOutcome {
    /// As asked for: take it.
    Ok,
    /// Everything there was is there, after these repairs: take it.
    Repaired(Repairs),
    /// Usable, but some of the answer is lost: take it, and ask once more with a larger budget if `needs_larger_budget`.
    Partial(Repairs),
    /// Truly nothing to say: take it, and do not ask again.
    Empty,
    /// Nothing usable: ask again, never with the very same request.
    Retry(Code),
    /// Nothing usable, and the same prompt would give nothing again.
    Failed(Code),
}

impl RecoverOutcome {
    /// The outcome's word without its reasons.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Repaired(_) => "repaired",
            Self::Partial(_) => "partial",
            Self::Empty => "empty",
            Self::Retry(_) => "retry",
            Self::Failed(_) => "failed",
        }
    }

    /// The reasons, in words; empty for `Ok` and `Empty`.
    pub fn detail(&self) -> String {
        match self {
            Self::Ok | Self::Empty => String::new(),
            Self::Repaired(repairs) | Self::Partial(repairs) => repairs.to_string(),
            Self::Retry(code) | Self::Failed(code) => code.as_str().to_owned(),
        }
    }

    /// Whether the recovered value may be used.
    pub fn is_usable(&self) -> bool {
        !matches!(self, Self::Retry(_) | Self::Failed(_))
    }

    /// Whether asking again makes sense only with a larger output budget.
    pub fn needs_larger_budget(&self) -> bool {
        match self {
            Self::Partial(repairs) => repairs.contains(Repair::Truncated),
            Self::Retry(code) => matches!(code, Code::Truncated | Code::ReasoningBudget),
            _ => false,
        }
    }

    /// The ledger's form of a recovery that is not going to be asked for again.
    pub fn to_outcome(&self) -> Outcome {
        match self {
            Self::Ok => Outcome::Ok,
            Self::Repaired(_) => Outcome::Repaired(self.detail()),
            Self::Partial(_) => Outcome::Partial(self.detail()),
            Self::Empty => Outcome::Empty,
            Self::Retry(_) | Self::Failed(_) => Outcome::Failed(self.detail()),
        }
    }
}

/// What a stage got out of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered<T> {
    /// What to do with it.
    pub outcome: RecoverOutcome,
    /// The value; the default of its type when the outcome is not usable.
    pub value: T,
    /// What was seen, in order of appearance; one per row concerned.
    pub warnings: Vec<Warning>,
}

impl<T> Recovered<T> {
    /// Whether a warning of this code was given.
    pub fn has(&self, code: Code) -> bool {
        self.warnings.iter().any(|warning| warning.code == code)
    }
}

/// Collects repairs and warnings while an answer is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub repairs: Repairs,
    pub warnings: Vec<Warning>,
}

impl Notes {
    /// A hostile answer must not turn into a million warnings.
    const MAX_WARNINGS: usize = 1000;
    const MAX_DETAIL_CHARS: usize = 80;

    pub fn repair(&mut self, repair: Repair) {
        self.repairs.add(repair);
    }

    pub fn warn(&mut self, code: Code) {
        self.push(code, None);
    }

    pub fn warn_about(&mut self, code: Code, detail: &str) {
        self.push(
            code,
            Some(detail.chars().take(Self::MAX_DETAIL_CHARS).collect()),
        );
    }

    /// Warns unless this code is there already.
    pub fn warn_once(&mut self, code: Code) {
        if !self.warnings.iter().any(|warning| warning.code == code) {
            self.warn(code);
        }
    }

    fn push(&mut self, code: Code, detail: Option<String>) {
        if self.warnings.len() < Self::MAX_WARNINGS {
            self.warnings.push(Warning { code, detail });
        }
    }

    /// The outcome of a usable value, given all that was noted.
    pub fn usable(&self, is_empty: bool) -> RecoverOutcome {
        let lost = [Repair::Truncated, Repair::TooLarge, Repair::ContentFilter];
        if lost.iter().any(|&repair| self.repairs.contains(repair)) {
            RecoverOutcome::Partial(self.repairs)
        } else if !self.repairs.is_empty() {
            RecoverOutcome::Repaired(self.repairs)
        } else if is_empty {
            RecoverOutcome::Empty
        } else {
            RecoverOutcome::Ok
        }
    }
}
