//! How much a word says about what a text is about.

/// Words that only bind: they say nothing.
pub(super) const SILENT: &str = "a an the this that these those and or but nor so if of in on at by for with from to into onto as than \
    then is am are was were be been being do does did done have has had having will would shall should can could may might must \
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs who whom whose which what \
    when where why how there here not no yes very also too just only all any each both such s t d m ll ve re don isn aren wasn \
    weren didn doesn couldn wouldn shouldn about after again against before between during over under up down out off through \
    while because until since upon within without per via etc eg ie";

/// The most frequent words besides: they say little.
pub(super) const FREQUENT: &str = "one two three four five six seven eight nine ten first second third new old good great high low long short \
    many much more most other another some same several own few less least even still back well now ever never always often \
    however although though including include includes included according known called named based used use uses using make \
    makes made making take takes taken took get gets got give gives given gave go goes went gone come comes came become became \
    see seen saw say says said tell told ask asked think thought know knew find found want wanted need needed work works worked \
    working part parts place places year years day days time times week month months hour hours today century people person man \
    men woman women child children thing things way ways number numbers name names group groups member members end side case point \
    fact state states country countries city cities town area areas world life large small big little early late later last next \
    different important major main general national public local american british english united north south east west northern \
    southern eastern western among around along across near together away toward towards set began begin begins started start \
    starts led lead leads held hold left leave right put run ran show shows showed shown found help helped provide provided \
    provides following follow followed follows result results resulted due cause caused causes considered located born died \
    family home house school university company government system service services team order report reports issue issues \
    problem problems change changes process data information question answer";
