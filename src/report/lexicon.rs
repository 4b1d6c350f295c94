//! Word lists: English, lower case unless they are matched at the start of a sentence; separated by white space.

/// Words that carry no meaning of their own.
pub(super) const STOP_WORDS: &str = "\
    a about above after again all almost also although am among an and another any are around as at be became \
    because become been before being below between both but by can cannot cant could did didnt do does doesnt \
    doing done dont down due during each either else even ever every few for from further had has have having he \
    her here hers herself him himself his how however i if im in into is isnt it its itself ive just last less \
    let like made make many may me might more most much must my myself neither no nor not now of off often on \
    once one only or other others our ours out over own per rather said same shall she should since so some \
    still such than that thats the their theirs them themselves then there therefore these they this those \
    though through thus to too two under until up upon us very via was wasnt we well were what when where \
    whether which while who whom whose why will with within without would yet you your yours";

/// Finite verbs that mark a sentence, beside words in `-ed`: auxiliaries, irregular pasts, frequent present forms.
pub(super) const VERBS: &str = "\
    am are became began brought built came can could cut did do does drew drove fell felt found gave get gets go \
    goes got grew had has have heard held hit is keeps kept knew knows laid led left lost made makes may means \
    meant met might must needs paid put ran read remains requires rose runs said sat saw says sent set shall \
    should shows shut sold spent split spoke spread stands stood struck takes taught thought told took \
    understood was went were will withdrew won wore would wrote includes contains gives holds allows wants wasnt \
    isnt didnt doesnt dont broke chose rang swept threw flew froze blew burst caught dealt fed fought hung lay \
    rode sank shook slept stuck swung tore woke";

/// Openings that set a scene: up to their comma they are dropped from a headline.
pub(super) const OPENINGS: &str = "\
    About According Additionally Afterwards Also And Around At Between But By Consequently Despite Due During \
    Eventually Every Finally First Following For From Furthermore Given However In Initially Instead Later \
    Meanwhile Moreover Nevertheless On Over Second Shortly Similarly So Specifically Subsequently Then Therefore \
    Third Through Throughout Thus To Today Ultimately Under Unfortunately Upon With Within Without";

/// Openings with a verb of their own.
pub(super) const SUBORDINATE_OPENINGS: &str = "\
    After Although As Because Before If Once Since Though Until When While";

/// Words after a comma at which the main clause may end.
pub(super) const CLAUSE_WORDS: &str = "\
    which because after when while before although though but until whereas since who whose where so despite \
    following resulting causing leading and unless if as";

/// Those that end it without a comma too.
pub(super) const FREE_CLAUSE_WORDS: &str = "\
    because after when while before although though but until whereas despite unless";

/// Words a headline must not end with.
pub(super) const DANGLING: &str = "\
    a an the of to in on at by for from with and or but that which as is are was were be been being had has have \
    not its their his her our this these into than then who when while if would could should will can may might \
    no any some all such between over under after before about through during did does do only very more both \
    each up out so also per said";

/// Words that stay small inside a title.
pub(super) const SMALL_WORDS: &str = "\
    and of the for in on at to by a an or with from de la von der van";

/// Words that continue an opening after a comma rather than start the main clause.
pub(super) const PREPOSITIONS: &str = "\
    to in on of with from by for at which who where when but as after including not";

/// Whether a list holds a word.
pub(super) fn holds(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}
