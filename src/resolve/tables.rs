//! Words that mean the same in every corpus: honorifics, legal forms, nicknames.

use super::key::Gender;

/// Words before a person's name, with what they say of the person.
pub(super) const HONORIFICS: &[(&str, Gender)] = &[
    ("mr", Gender::Male),
    ("sir", Gender::Male),
    ("lord", Gender::Male),
    ("monsieur", Gender::Male),
    ("herr", Gender::Male),
    ("señor", Gender::Male),
    ("father", Gender::Male),
    ("mrs", Gender::Female),
    ("ms", Gender::Female),
    ("miss", Gender::Female),
    ("madam", Gender::Female),
    ("madame", Gender::Female),
    ("mme", Gender::Female),
    ("frau", Gender::Female),
    ("dame", Gender::Female),
    ("lady", Gender::Female),
    ("señora", Gender::Female),
    ("dr", Gender::Unknown),
    ("doctor", Gender::Unknown),
    ("prof", Gender::Unknown),
    ("professor", Gender::Unknown),
    ("rev", Gender::Unknown),
    ("reverend", Gender::Unknown),
    ("cllr", Gender::Unknown),
    ("councillor", Gender::Unknown),
    ("sen", Gender::Unknown),
    ("senator", Gender::Unknown),
    ("capt", Gender::Unknown),
    ("captain", Gender::Unknown),
    ("col", Gender::Unknown),
    ("colonel", Gender::Unknown),
    ("gen", Gender::Unknown),
    ("lt", Gender::Unknown),
    ("lieutenant", Gender::Unknown),
    ("sgt", Gender::Unknown),
    ("sergeant", Gender::Unknown),
];

/// Honorifics that stand before a first name alone.
pub(super) const BEFORE_FIRST_NAME: &[&str] = &["sir", "dame", "lord", "lady", "father"];

/// Letters after a person's name.
pub(super) const POST_NOMINALS: &[&str] = &[
    "phd", "mp", "obe", "mbe", "cbe", "esq", "md", "qc", "kc", "msc", "ceng",
];

/// Words that tell a person from a namesake: as good as a number.
pub(super) const GENERATIONS: &[&str] = &["jr", "junior", "sr", "senior"];

/// Legal forms, spellings of one form with one number.
pub(super) const LEGAL_FORMS: &[(&str, u32)] = &[
    ("ltd", 0),
    ("limited", 0),
    ("plc", 1),
    ("inc", 2),
    ("incorporated", 2),
    ("corp", 3),
    ("corporation", 3),
    ("llc", 4),
    ("gmbh", 5),
    ("sa", 6),
    ("ag", 7),
    ("nv", 8),
    ("bv", 9),
    ("ab", 10),
    ("oy", 11),
    ("spa", 12),
    ("srl", 13),
    ("pty", 14),
    ("llp", 15),
    ("kg", 16),
    ("sarl", 17),
    ("co", 18),
    ("company", 18),
];

/// The legal form that is also an ordinary part of a name: it contradicts no other.
pub(super) const COMPANY: u32 = 18;

/// Names that short for another without being its beginning.
pub(super) const NICKNAMES: &[(&str, &str)] = &[
    ("bill", "william"),
    ("billy", "william"),
    ("will", "william"),
    ("bob", "robert"),
    ("bobby", "robert"),
    ("rob", "robert"),
    ("dick", "richard"),
    ("rick", "richard"),
    ("jack", "john"),
    ("johnny", "john"),
    ("jim", "james"),
    ("jimmy", "james"),
    ("ted", "edward"),
    ("ned", "edward"),
    ("harry", "henry"),
    ("hank", "henry"),
    ("wally", "walter"),
    ("walt", "walter"),
    ("tony", "anthony"),
    ("chuck", "charles"),
    ("charlie", "charles"),
    ("mike", "michael"),
    ("mick", "michael"),
    ("kate", "katherine"),
    ("kate", "catherine"),
    ("katie", "katherine"),
    ("kathy", "katherine"),
    ("cathy", "catherine"),
    ("liz", "elizabeth"),
    ("beth", "elizabeth"),
    ("betty", "elizabeth"),
    ("lizzie", "elizabeth"),
    ("peggy", "margaret"),
    ("maggie", "margaret"),
    ("meg", "margaret"),
    ("molly", "mary"),
    ("polly", "mary"),
    ("nancy", "ann"),
    ("sally", "sarah"),
    ("sandy", "alexander"),
    ("sasha", "alexander"),
    ("jenny", "jennifer"),
    ("andy", "andrew"),
    ("drew", "andrew"),
    ("larry", "lawrence"),
    ("steve", "stephen"),
    ("vicky", "victoria"),
    ("becky", "rebecca"),
    ("terry", "terence"),
    ("gerry", "gerald"),
    ("jerry", "gerald"),
    ("hal", "henry"),
    ("nell", "eleanor"),
    ("bess", "elizabeth"),
    ("lenny", "leonard"),
    ("danny", "daniel"),
    ("kenny", "kenneth"),
    ("suzy", "susan"),
    ("peg", "margaret"),
    ("tilly", "matilda"),
    ("teddy", "theodore"),
];

/// Words that an acronym may pass over.
pub(super) const PASSED_OVER: &[&str] = &[
    "of", "the", "and", "for", "in", "on", "at", "to", "a", "an", "by", "de", "la", "du", "des",
    "und", "für", "der",
];

/// Words that make no difference anywhere in a name.
pub(super) const WEIGHTLESS: &[&str] = &["the", "a", "an", "and", "of"];

/// What may stand before "of the ..." without naming another thing: "Office of the Commissioner".
pub(super) const OFFICES: &[&str] = &["office", "firm"];

/// Last words of places that are called by the name of what they stand at: "Marsh End" for "Marsh End Works".
pub(super) const FACILITIES: &[&str] = &[
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
];

/// Last words of firms, after "and": as good as a legal form.
pub(super) const FIRMS: &[&str] = &["partners", "sons", "brothers", "associates", "daughters"];
