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

/// What people are, not what they are called: "President" is nobody's surname, and no short form of "Vice President".
pub(super) const ROLES: &str = "\
    president secretary speaker chancellor minister governor judge justice director chairman chairwoman chair mayor \
    manager officer engineer inspector commissioner ambassador treasurer auditor clerk general commander king queen prince \
    princess pope bishop leader member representative congressman congresswoman premier counsel attorney accountant \
    supervisor operator nurse teacher";

/// First names of men: "Mrs Dole" is no short form of "Bob Dole".
pub(super) const MENS_NAMES: &str = "\
    aaron abraham adam alan albert alexander alfred allan allen andrew andy anthony antonio arnold arthur barack barry ben \
    benjamin bernard bill billy bob bobby brad brian bruce bryan carl carlos cecil charles charlie chris christopher chuck \
    clarence claude clifford clinton colin craig curtis dan daniel dave david dean dennis derek dick donald douglas duncan \
    dwight earl ebenezer ed eddie edgar edmund eduardo edward edwin eric ernest eugene felix floyd francis frank franklin \
    fred frederick gary gavin geoffrey george gerald gilbert gordon graham greg gregory guy harold harry harvey henry \
    herbert herman horace howard hubert hugh ian isaac ivan jack jacob james jason jeff jeffrey jeremy jerry jim jimmy joe \
    joel john johnny jonathan jorge jose joseph joshua juan julian justin karl keith ken kenneth kevin larry lawrence leo \
    leon leonard lewis lloyd louis luis luke lyndon malcolm marcus mario mark martin marvin matthew maurice max melvin \
    michael miguel mike milton mitchell nathan nathaniel neil nicholas nigel norman oliver oscar otto patrick paul pedro \
    peter philip phillip ralph ray raymond reginald richard robert rodney roger roland ronald roy russell samuel scott \
    sean sidney simon stanley stephen steve steven stuart ted theodore thomas timothy tom tony trevor victor vincent \
    walter warren wayne wilbur wilfred william winston woodrow zachary";

/// First names of women.
pub(super) const WOMENS_NAMES: &str = "\
    ada agnes alice alison amanda amy andrea angela anita ann anna anne annie barbara beatrice bella belle beryl bess beth \
    betty brenda bridget carla carol caroline carolyn catherine cecilia charlotte cheryl christina christine cindy clara \
    claire constance cynthia dana deborah debra denise diana diane donna dora doris dorothy edith eileen elaine eleanor \
    elena elizabeth ella ellen elsie emily emma erica esther ethel eva eve evelyn fanny fiona flora florence frances freya \
    gail gemma gertrude gillian gina gladys gloria grace greta hannah harriet hazel heather helen helena hilary hilda \
    hillary ida ilse imogen ingrid irene iris isabel isabella jacqueline jane janet janice jean jennifer jessica jill joan \
    joanna josephine joyce judith judy julia julie karen kate katherine kathleen kathryn kathy kay kelly kimberly kirsten \
    laura lauren leila lilian lily linda lisa liz lois lorraine louise lucy lydia lynn mabel madeleine margaret maria \
    marie marilyn marion marjorie martha mary matilda maud maureen melissa michelle mildred miriam moira molly monica \
    muriel nancy naomi natalie nicola nicole nina nora norma olga olive olivia orla orsola pamela patricia paula pauline \
    peggy petra philippa phyllis polly rachel rebecca rhoda rita roberta rosa rose rosemary ruby ruth sally samantha \
    sandra sara sarah sharon sheila shirley sigrid sonia sophia sophie stella stephanie susan sylvia teresa theresa tina \
    ursula valerie vanessa vera veronica victoria viola violet virginia wanda wendy winifred yvonne zoe";
