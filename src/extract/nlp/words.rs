//! Hand-made word lists of English, lower case, separated by white space.
//!
//! Closed classes are complete for practical purposes; open classes hold the words whose class the suffix rules of
//! [`lexicon`](super::lexicon) would get wrong, and the common words that must not pass for names at the start of a sentence.
//! Regular inflections are generated, irregular ones listed.

pub(super) const DETERMINERS: &str = "a an the this that these those each every either neither another any some no all both \
    half such what which whichever whatever my your his her its our their whose thy mine";

pub(super) const PRONOUNS: &str = "i me you he him she it we us they them myself yourself himself herself itself ourselves \
    yourselves themselves oneself who whom whoever someone somebody something anyone anybody anything everyone everybody \
    everything nobody nothing none one ones there here thou thee thine ye ours yours hers theirs each other whatever \
    i'm i've i'd i'll you're you've he's she's it's that's there's let's what's who's where's here's we're they're em 'em ain't \
    tis twas aught naught";

pub(super) const PREPOSITIONS: &str = "of in on at by for to with from into onto upon about above across after against along amid \
    among amongst around as before behind below beneath beside besides between beyond concerning despite down during except \
    inside like near off out outside over past per regarding round since than through throughout till toward towards under \
    underneath unlike until up via within without according amidst atop notwithstanding versus vs alongside aboard minus plus";

pub(super) const CONJUNCTIONS: &str = "and or but nor so yet because although though while whereas if unless whether once that \
    when where why how lest provided whenever wherever hence therefore thus however moreover furthermore nevertheless \
    nonetheless consequently accordingly meanwhile otherwise e.g i.e eg ie etc cf";

pub(super) const AUXILIARIES: &str = "am is are was were be been being do does did done doing have has had having will would \
    shall should can could may might must ought cannot isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't \
    won't wouldn't shan't shouldn't can't couldn't mightn't mustn't needn't get gets got gotten getting dare art hath doth wilt \
    shalt hast didst couldst wouldst shouldst";

pub(super) const NUMERALS: &str = "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand \
    thousands million millions billion billions trillion dozen dozens twice thrice \
    twenty-four forty-eight";

/// Quantifiers and adjectives that say nothing about what a thing is: stripped from the front of a phrase.
pub(super) const WEAK_ADJECTIVES: &str = "many much several various other same certain additional further similar different \
    new old good great large small big significant little few fewer more most less least next last first second third fourth \
    fifth final entire whole own full main major minor recent previous prior following subsequent current present future late \
    later latest early earlier earliest long longer short shorter high higher highest low lower lowest best better worse worst \
    bad nice fine important necessary possible potential likely unlikely able unable available unavailable sure certain clear \
    particular specific overall total actual real true numerous multiple enough extra upper particular ongoing \
    individual usual common normal general single double complete partial considerable substantial increasing increased \
    growing vast tremendous enormous huge mere dear poor beloved respective relevant appropriate affected given so-called \
    two-day three-day one-hour two-hour particular original initial resulting involved young strong weak easy hard quick slow \
    whole greater greatest lesser larger largest smaller smallest bigger biggest older oldest newer newest proper adequate \
    sufficient existing proposed related associated corresponding remaining known unknown responsible due ready happy glad sad \
    sorry wrong right immediate rapid sudden faster slower stronger weaker safer easier harder cheaper deeper wider closer finer simpler clearer brief extensive widespread severe serious notable noticeable obvious apparent \
    unexpected expected extended continued constant continuing lasting profound deep wide broad narrow far near close remote";

/// Adjectives without a telling suffix.
pub(super) const ADJECTIVES: &str = "public private senior junior chief deputy primary secondary annual daily weekly monthly \
    quarterly hourly yearly internal external global local regional national federal municipal rural urban foreign domestic \
    military civil civilian human social economic political legal fiscal financial technical medical chemical physical \
    electrical mechanical digital virtual manual automatic modern ancient raw dry wet warm hot cold cool dark bright light heavy \
    thick thin rich poor safe unsafe secure fair free fresh clean dirty empty sharp blunt flat round square loud quiet silent \
    strange odd rare dense sparse stable unstable idle busy active inactive live dead alive alone afraid aware unaware awake \
    healthy unhealthy sick ill wise clever brave calm kind cruel gentle honest proud humble pale grey gray white black red green \
    blue yellow brown golden wooden iron nuclear solar atomic naval armed royal holy sacred ghostly merry jolly hearty cheerful \
    generous greedy covetous grim solemn solitary lonely bitter sweet sour firm loose tight steep shallow smooth rough soft \
    elastic static dynamic core key critical vital urgent crucial essential basic simple complex complicated plain fancy cheap \
    expensive costly valuable worthless useful useless corrupt faulty defective invalid valid malformed stale obsolete \
    outdated redundant spare backup standby parallel serial random sequential synchronous asynchronous distributed automated \
    unplanned planned scheduled unscheduled emergency open closed joint bilateral multilateral unilateral soviet communist \
    democratic republican liberal conservative free-world peacetime wartime anti- pro- sound mutual common-sense inner outer \
    upstream downstream upstart offline online overnight underground overhead inbound outbound incoming outgoing worldwide \
    nationwide long-term short-term mid-term part-time full-time third-party real-time high-level low-level top-level \
    next-generation cross-region single-region multi-region read-only write-only drunk sober naked bare bald lame deaf blind \
    mad angry eager keen lazy idle tired weary hungry thirsty sleepy fond loyal noble mighty stout lean slim tall grand tiny \
    wee vivid eternal mortal infernal divine celestial infinite finite absolute relative concrete abstract minimal maximal \
    optimal default custom generic native ordinary extraordinary unusual elderly adult infant northern southern eastern \
    western north-eastern north-western south-eastern south-western central coastal inland marine aquatic tidal potable \
    statutory mandatory voluntary contractual lunar polar maritime presidential congressional chronic acute mild eventual gradual";

pub(super) const ADVERBS: &str = "not never ever always often sometimes seldom rarely soon now then today tomorrow yesterday \
    tonight again already almost also away back forth forward backward together apart else even just quite rather too very well \
    still perhaps maybe indeed instead anyway somehow somewhat somewhere anywhere everywhere nowhere abroad ahead aside \
    altogether upward downward upwards downwards afterwards afterward beforehand hereby herein thereby therein thereof \
    thereafter whereby wherein pretty enough hither thither yonder ago thereupon hitherto henceforth likewise nearby overseas \
    online far aloud alike alas lately daily sooner further furthermore besides most least only much once twice upstairs \
    downstairs indoors outdoors to-day to-morrow to-night midway meantime sideways albeit approx approximately respectively namely especially";

pub(super) const INTERJECTIONS: &str = "oh ah o hey hi hello hallo halloa yes no nay yea aye okay ok please thanks thank bah humbug \
    hurrah hooray alas wow ouch well amen lo hush sorry goodbye farewell ha hah ho whoop hilli-ho yo-ho chirrup pooh laughter applause";

/// Verbs that are hardly ever nouns, base form.
pub(super) const VERBS: &str = "accept accompany accomplish achieve acknowledge acquire act adapt add adjust administer admit \
    adopt advance affect afford agree aim allege allocate allow amend analyze analyse announce anticipate apologise apologize \
    appear apply appoint appreciate approach approve argue arise arrange arrest arrive ascertain ask assemble assert assess \
    assign assist assume assure attach attain attempt attend attract authorise authorize avoid await awake balance base become \
    beg begin behave believe belong bend bid bind bleed bless blow borrow bother bow break bring broaden build burn burst buy \
    calculate call cancel capture care carry cast catch cease challenge change check choose cite claim clarify classify clean \
    clear climb cling close collaborate collapse collect combine come commence comment commit communicate compare compel \
    compensate compete compile complain complete complicate comply compose compress compromise conceal concede conceive \
    concentrate conclude condemn conduct confess configure confine confirm conform confront confuse congratulate connect \
    consent conserve consider consist constitute constrain construct consult consume contact contain contend continue \
    contribute convene converge convert convey convince cook cooperate coordinate cope copy correct correlate correspond corrupt \
    count cover crash create creep cross cry curb cut damage deal decide declare decline decommission decouple decrease \
    dedicate deem deepen defeat defend defer define degrade delay delegate delete deliberate delight deliver demand demonstrate \
    deny depart depend depict deplete deploy deprive derive descend describe deserve design desire destroy detail detect \
    deteriorate determine develop deviate devise devote diagnose die differ diffuse digest diminish dine direct disable \
    disagree disappear disclose disconnect discontinue discover discuss dislike dismiss dispatch display dispose disrupt \
    dissolve distinguish distribute disturb diverge divert divide dominate donate doubt draft drag drain draw dread dream dress \
    drift drink drive drop drown dwell earn ease eat echo edit educate elaborate elect eliminate emanate embark embrace emerge \
    emit emphasise emphasize employ empower enable enact encounter encourage end endeavour endure enforce engage enhance enjoy \
    enlarge enqueue enrich enrol enroll ensue ensure entail enter entertain entitle entrust envisage equip eradicate erase err \
    escalate escape escort establish estimate evacuate evade evaluate evaporate evict evoke evolve exacerbate examine exceed \
    exchange exclaim exclude execute exemplify exercise exert exhaust exhibit exist exit expand expect expedite expel experience \
    expire explain explode exploit explore export expose express extend extinguish extract fade fail fall falter fasten favor \
    favour fear feed feel fetch fight fill filter find finish fit fix flash flee fling flip float flood flow flush fly focus fold \
    follow forbid force forecast foresee forget forgive form formulate forward foster freeze frighten fulfil fulfill function \
    gain gather gaze generate give glance go govern grant grasp greet grind grow guarantee guess guide halt hand handle hang \
    happen harm haunt hear heat help hesitate hide highlight hinder hire hit hold honour honor hope host hurry hurt identify \
    ignore illustrate imagine impair impede implement imply import impose improve include incorporate increase incur indicate \
    induce infer inflict influence inform inherit inhibit initialise initialize initiate inject injure inquire insert insist \
    inspect install instruct insure integrate intend intensify interact interfere interpret interrupt intervene introduce \
    invade invalidate invent invest investigate invite invoke involve isolate issue join judge jump justify keep kick kill kneel \
    knock know lack lag land last laugh launch lay lead leak lean leap learn leave lend lengthen let liberate lie lift light \
    limit linger link list listen live load locate lock look loosen lose lower maintain make manage manifest manufacture march \
    mark marry match matter mean measure meet melt mend mention merge migrate miss mitigate mix modernise modernize modify \
    monitor mount mourn move multiply murmur need neglect negotiate nominate note notice notify object oblige observe obtain \
    occupy occur offer omit open operate oppose optimise optimize order organise organize originate outline outnumber outweigh \
    overcome overflow overhear overlap overload overlook override oversee overtake overwhelm overwrite owe own pack paint park \
    part participate pass paste pause pay peep penetrate perceive perform perish permit perpetuate persist persuade pertain pick \
    place plague plan play plead please pledge plunge point ponder populate pose position possess post postpone pour praise \
    pray preach precede preclude predict prefer prepare prescribe present preserve press presume pretend prevail prevent print \
    prioritise prioritize probe proceed process proclaim procure produce profit progress prohibit prolong promise promote prompt \
    pronounce propagate propose prosper protect protest prove provide provision provoke publish pull pump punish purchase purge \
    pursue push put quarrel query question queue quit quote raise range rank reach react read realise realize reappear rearrange \
    reason reassure reboot rebuild recall receive recite reckon reclaim inspire blaspheme refine reorder rerun rethink revamp reinvent repurpose rework replay preload prefetch offload onboard mislead misconfigure reassign resync rebalance reschedule restate recognise recognize recommend reconcile reconfigure \
    reconnect reconsider reconstruct record recover recruit rectify recur redeem redeploy redesign redirect reduce reestablish \
    refer reflect refrain refresh refuse regain regard register regret regulate rehearse reinforce reinstall reinstate reiterate \
    reject rejoice relate relax release relieve rely remain remark remedy remember remind remove render renew renounce rent \
    repair repeal repeat repel replace replicate reply report represent reproduce request require reroute rescue research resemble reserve \
    reset reside resign resist resolve resort respect respond rest restart restore restrain restrict restructure result resume \
    retain retire retreat retrieve retry return reveal reverse revert review revise revisit revive revoke reward ride ring rise \
    risk roar rob roll rotate route ruin rule run rush sail satisfy save say scale scan scare scatter schedule scream scrub search \
    seat secure see seek seem seize select sell send sense separate serve settle shake shape share shed shift shine ship shiver \
    shock shoot shout show shrink shut sigh sign signal simplify simulate sing sink sit skip sleep slide slip slow smell smile \
    smoke smooth snatch sneeze snow soar soften solicit solve sort sound span spare spark speak specify speed spell spend spill \
    spin split spoil spread spring squeeze stabilise stabilize stall stand stare start starve state stay steal steer stem step \
    stick stimulate stir stop store strain strengthen stress stretch strike strip strive struggle study stumble submit subscribe \
    substitute succeed suffer suffice suggest suit sum summarise summarize summon supervise supply support suppose suppress surge \
    surpass surprise surrender surround survive suspect suspend sustain swallow swear sweep swell swim swing switch sympathise \
    sync synchronise synchronize tackle take talk tamper target taste teach tear tell tend terminate test testify thank think threaten thrive \
    throttle throw tie tighten toggle tolerate touch trace track trade train transcend transfer transform transition translate \
    transmit transport trap travel treat tremble trigger triumph trouble trust try tune turn twist undergo underlie undermine \
    understand undertake undo unfold unite unlock unplug unveil update upgrade uphold upload upset urge use utilise utilize utter \
    vacate validate value vanish vary verify view violate visit voice volunteer vote vow wait wake walk wander want warm warn wash \
    waste watch wave weaken wear weep weigh welcome whisper widen win wind wipe wish withdraw withhold withstand witness wonder \
    work worry worsen worship wound wrap wreck write yell yield zoom back copy cool book bear bounce brag brush bump";

/// Of the verbs, those as often nouns: the context decides.
pub(super) const NOUN_VERBS: &str = "act advance aim approach attempt balance base blow break build burst call cancel care cast catch \
    challenge change charge check claim climb collapse comment compress conduct contact copy cost count cover crash cross cry \
    cut damage deal decline decrease delay demand design desire detail dispatch display doubt draft drain dream dress drift \
    drink drive drop ease echo edit end estimate exchange exercise exhibit exit experience export extract fall favor favour fear \
    feed feel fight fill filter find finish fit fix flash flood flow flush focus fold force forecast form function gain gaze grant \
    grasp guarantee guess guide halt hand handle harm heat help hit hold honour honor hope host hurry hurt impact import increase \
    influence insert interrupt invite issue join judge jump kick kill knock lack lag land laugh launch lead leak lean leap leave \
    lie lift light limit link list load lock look make march mark match matter measure mention merge miss mix monitor mount move \
    murmur need note notice object offer open order outline overflow overlap overload override pack paint park part pass paste \
    pause pay permit pick place plague plan play pledge plunge point position post pour praise present press print probe process \
    produce profit progress promise prompt protest pull pump purchase purge push query question queue quote raise range rank reach \
    read reason reboot rebuild recall record recruit redesign refresh refuse regard register regret reject release remark remedy \
    rent repair repeat reply report request rescue reserve reset resort respect rest restart result retreat retry return reverse \
    review reward ride ring rise risk roar roll route ruin rule run rush sail save scale scan scare schedule scream scrub search seat \
    sense separate set shake shape share shed shift shine ship shiver shock shout show shut sigh sign signal sleep slide slip \
    smell smile smoke snow sort sound span spare spark spell spill spin split spread spring squeeze stall stand stare start state \
    stay steer stem step stick stir stop store strain stress stretch strike strip struggle study sum supply support surge surprise \
    surrender suspect sweep swell swim swing switch sync talk target taste tear test thank throw tie touch trace track trade \
    train transfer transition transport trap travel treat trigger triumph trouble trust try tune turn twist update upgrade upload \
    upset urge use value view visit voice volunteer vote vow wait wake walk want warm warn wash waste watch wave wear welcome \
    whisper win wind wish witness wonder work worry worship wound wrap wreck yield delight research project program programme \
    contract permit address answer attack award battle benefit bill block board bond boost border bottle box branch breach breath \
    bridge budget cache campaign cap capture cause center centre chain channel circle clock cloud club cluster code command \
    commission compound concern condition conflict contrast control cook corner crowd cure curve cycle dance date debate debt defeat \
    deposit document dump effect engineer evidence excuse eye face factor fault feature field figure file fire fish flag float \
    forward frame front fuel fund gate gift group guard head hint house index interest interface invoice key label lease lesson \
    letter level line machine mail map mask mass master meter minute mirror model motion murder name network note number offset \
    pack page panel partner patch paper peak people phone picture pilot pipe plant plate poll pool power practice pressure price \
    proxy rate ration reference room root round sample sanction scan score screen script season second section seed sentence server \
    service shard shelter shop side silence site slice snapshot source stack staff stage stamp standard storm stream structure \
    style subject surface survey table tag tail tank task tax team term thread time title tool top total tour toll trip truck type \
    vent vessel volume wage wall war water weather weight word zone lay";

/// Irregular verbs: base, past, participle.
pub(super) const IRREGULAR: &str = "arise arose arisen; awake awoke awoken; bear bore borne; become became become; begin began begun; \
    bend bent bent; bid bade bidden; bind bound bound; bleed bled bled; blow blew blown; break broke broken; bring brought brought; \
    build built built; burn burnt burnt; buy bought bought; catch caught caught; choose chose chosen; cling clung clung; \
    come came come; creep crept crept; deal dealt dealt; draw drew drawn; dream dreamt dreamt; drink drank drunk; drive drove driven; \
    dwell dwelt dwelt; eat ate eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought; find found found; \
    flee fled fled; fling flung flung; fly flew flown; forbid forbade forbidden; foresee foresaw foreseen; forget forgot forgotten; \
    forgive forgave forgiven; freeze froze frozen; give gave given; go went gone; grind ground ground; grow grew grown; hang hung hung; \
    hear heard heard; hide hid hidden; hold held held; keep kept kept; kneel knelt knelt; know knew known; lay laid laid; lead led led; \
    leap leapt leapt; leave left left; lend lent lent; lie lay lain; light lit lit; lose lost lost; make made made; mean meant meant; \
    meet met met; overcome overcame overcome; override overrode overridden; oversee oversaw overseen; overtake overtook overtaken; \
    pay paid paid; rebuild rebuilt rebuilt; ride rode ridden; ring rang rung; rise rose risen; run ran run; say said said; see saw seen; \
    seek sought sought; sell sold sold; send sent sent; shake shook shaken; shine shone shone; shoot shot shot; show showed shown; \
    shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat sat; sleep slept slept; slide slid slid; speak spoke spoken; \
    spend spent spent; spin spun spun; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck; \
    strike struck stricken; strive strove striven; swear swore sworn; sweep swept swept; swell swelled swollen; swim swam swum; \
    swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought; \
    throw threw thrown; undergo underwent undergone; underlie underlay underlain; understand understood understood; \
    undertake undertook undertaken; undo undid undone; uphold upheld upheld; wake woke woken; wear wore worn; weep wept wept; \
    win won won; wind wound wound; withdraw withdrew withdrawn; withhold withheld withheld; withstand withstood withstood; \
    write wrote written; overwrite overwrote overwritten; sew sewed sewn; overhear overheard overheard; mistake mistook mistaken";

/// Verbs whose object or subject speaks.
pub(super) const SPEECH: &str = "said says asked asks replied replies told tells cried answered exclaimed added noted explained stated \
    wrote insisted testified argued whispered observed returned thinks thought muttered shouted remarked warned admitted agreed";

/// Participles in -ing that head compounds as nouns ("load balancing").
pub(super) const GERUND_NOUNS: &str = "accounting advertising agreeing balancing banking batching billing branding briefing broadcasting \
    building bursting caching clustering computing conditioning consulting contracting counselling cracking crossing dredging \
    drilling earning engineering failing farming filing filtering financing finding fishing flooding forecasting funding gathering \
    grouting handling hearing heating holding hosting housing indexing inking landing learning licensing lending lighting listing logging manufacturing \
    mapping marketing meeting metering mining modelling modeling monitoring mooring networking offering opening ordering parking \
    partitioning peering piping planning pooling pricing printing processing programming provisioning publishing pumping racing reading \
    recording recycling refining reporting routing sampling scaling scheduling screening sealing setting sharding shipping shopping signing spacing \
    spending staging staffing surfacing switching teaching testing throttling timing tooling tracking trading training tunnelling \
    understanding upbringing warehousing warning welding wiring wording writing blessing feeling being morning evening ceiling clothing \
    wedding thing king ring string spring wing sibling sterling pudding stocking offspring painting saying beginning ending drawing dwelling \
    lining load-balancing autoscaling re-mirroring mirroring paging sewing stuffing gambling boxing darling";

/// Common nouns, singular. Those with a telling suffix need not be here.
pub(super) const NOUNS: &str = "ability abuse accident account acid acre action actor adult adviser agency agenda agent aid air aircraft \
    airline airport alarm alert algorithm allocation ally ambassador amendment amount analyst anger angle animal annex anomaly \
    apartment apology appeal appendix apple applicant arch architect archive area arm army array arrow article asset assembly \
    atmosphere atom attitude attorney auction audience audit auditor aunt author automation availability avenue baby bag bandwidth \
    bank banker bar bargain barn barrel barrier basin basis basket bath battery bay beach beam bean beard bearing beast bed \
    beef behalf behavior behaviour belief bell belt bench binary biomass bird birth birthday bishop bit black-out blackout blame \
    blanket blood boat body boiler bomb bone bonus boot borehole boss boundary boy brain brass bread breakdown breakfast brick \
    brigade broker brother browser bucket buffer bug bureau bus business butter button buyer bypass cabin cabinet cable cake camera camp \
    canal cancer candidate candle capability capacity capital captain car carbon career carrier case cash castle cat catalog \
    catalogue catastrophe category cattle ceasefire cell cellar certificate chair chairman chairwoman chance chaos chapel \
    chapter character charity chemist chest chief child chimney chip chlorine choice chorus church circuit circumstance citizen \
    city clause clerk client climate cloth coach coal coast coat coefficient coffin coin cold colleague college colony color \
    colour column comfort committee community company competitor component computer concept concert conference confidence congress \
    consequence consortium constable constitution consultant consumer container content contest context continent contractor \
    convention cook corn corpus corporation cost cottage couch council councillor counsel counter counterpart country county couple \
    courage course court cousin coward cow creature credit creditor crew crime criminal crisis criterion crop cup currency current \
    curtain customer cylinder dad dam danger darkness dash dashboard data database dataset daughter daemon dead deadline dealer dean \
    death debris decade decision deck deed deer defect defence defense deficit degree democracy dependency depot deputy desk \
    destination device devil dialogue diameter diet difference difficulty dinner diplomat dirt director disaster discharge \
    discipline discount discrepancy disease dish disk disorder district ditch diversity division doctor dog dollar domain donor door \
    dose dozen driver drought drug duct duke dust duty ear earth earthquake economy edge editor effort egg elbow election element \
    embankment emergency emperor empire employee employer empty enemy energy engine enquiry enterprise entry envelope \
    environment envoy equity era error estate ethics evening event evil examination example executive expense expert extent \
    fabric facility fact factory failover failure faith fallback fame family farm farmer fashion father fee fellow female fence \
    fiber fibre filter finance finger firewall firm firmware fleet flesh flight floor flour flu fluid fog folder folk food fool foot \
    footprint foreman forest formula fort fortune foundation founder fountain fragment framework fraud freedom freight frequency \
    friend frost fruit furniture fury future gallery gallon game gang gap garage garden gas gateway gauge gear gender general \
    genius gentleman ghost giant girl glass glory goal goat god gold goods goose government governor grace grade grain grandfather \
    grandmother graph grass grave gravel gravity grid grief grocer ground growth guest guidance guilt gulf gun guy habit hair hall \
    hammer handbook harbor harbour hardware harvest hat hatred hazard headline headquarters health hearth heart heaven heel height \
    heir hell hero highway hill history hole holiday home homepage honesty horizon horn horror horse hospital hostname hotel hour humor \
    hundredth hunger hunter husband hydrant hygiene ice idea ideal ideology idiot image incident income independence industry \
    inflation infrastructure ingredient inhabitant initiative injury ink innocence input inquiry insect insight inspector instance \
    instinct institute institution instrument insurance integer intelligence intent intern internet interval interview invasion \
    investor invoice iron island item jacket jar jaw jet job journal journalist journey joy judgment judgement juice junction jury \
    justice kernel kid kidney kilometre kilometer kindness kingdom kitchen kite knee knife knight knocker knowledge lab labor labour \
    laboratory lad ladder lady lake lamb lamp lane language laptop latency law lawn lawyer layer leader leadership leaf league \
    leather ledger leg legend legislation legislature lemon length liability liberty library licence license lid lieutenant life \
    lifetime lighthouse linen lip liquid litre liter livestock loaf loan lobby location log logic lord loss lot love luck lunch \
    lung magazine magnitude mainframe majority male man manager mandate manhole manner manor manual manufacturer margin market \
    marriage mask mason mate material mathematics maximum mayor meal meaning means meat mechanic mechanism medal medicine medium \
    member membrane memo memorandum memory menu merchant mercy merit message metal metadata method metre metric microphone \
    microservice middle midnight mile milestone military milk mill mind mine mineral minimum minister ministry minority miracle misconfiguration \
    misery missile mission mist mistake mode moment monarch money monopoly month mood moon morning mortgage mother motive motor \
    mountain mouse mouth mud muscle museum music mystery myth nail nation navy neck needle neighbor neighbour neighborhood \
    neighbourhood nephew nerve nest net newspaper news niece night node noise nomination noon north nose notion novel nucleus nurse oak \
    oath objective obligation ocean odor odour offence offense office officer official oil onion operator opinion opponent opportunity \
    option orbit orchestra organ organisation organization origin orphan outage outbreak outcome outfall outlet outlook output \
    oven overhaul overhead overtime owner oxygen ozone package packet pain pair palace pan parade paragraph parallel parameter parcel \
    parent parish parliament partition party passage passenger passion password past pastor path pathway patience patient patrol pattern \
    payload payroll peace peasant peer pen penalty pencil penny pension percent percentage performance period peril person personnel \
    perspective petition pharmacy phase phenomenon philosophy photo photograph phrase piano piece pier pig pile pillar pillow pin pipeline \
    piston pit pitch pity plain plane planet planning plaster plastic platform player playbook pleasure plenty plot plumber pocket poem \
    poet poetry poison police policy politics pollution pond pope population porch port portal porter portfolio portion postmortem \
    post-mortem pot potato pound poverty powder prayer predecessor premise premium presence president pressure prevention prey priest \
    prime prince princess principal principle priority prison prisoner privacy privilege prize problem procedure producer product \
    profession professor profile profit programmer property prophet proportion proposal prose prosecutor prospect prosperity protein protocol \
    prototype provider province pudding pulse punch pupil puppet purpose purse quality quantity quarter queen quest quorum quota rabbit \
    race racism rack radar radio radius rag rail railroad railway rain rainfall raid ranch rat ratio reactor reader reality realm rear recovery remediation discovery delivery machinery battery gallery \
    rebel receipt recipe recipient recession refugee regime region registrar regulator relationship relative relay reliability relic relief \
    religion remainder renewal replica republic reputation reservoir resident residue resilience resin resource respondent response \
    restaurant retailer retention revenue revolution rhythm rice rifle ring riot river road robot rock rod role roof rope route router \
    row rubber rubbish runbook runtime runway sack safety sailor saint sake salary sale salt sand satellite sauce savings scandal scene \
    scenario schema scheme scholar school science scientist scope scrap scrutiny sea seal secret secretary sector security sediment segment \
    senate senator senior sequence sergeant series servant session settlement severity sewage sewer sewerage sex shade shadow shaft shame \
    share shareholder sheep sheet shelf shell sheriff shield shift shipment shirt shoe shore shortage shot shoulder shower siege signature silk \
    silver sin singer sister situation size skeleton skill skin skull sky slave sleeve slope slot sludge smart snake soap society sock socket \
    sodium software soil soldier solution solvent son song sophistication sorrow soul soup south space spam speaker spectre specter spectrum \
    speech sphere spike spirit spite spoon sport spot spouse square squad stability stable stadium stair stake stakeholder star statistic statue \
    status statute steam steel stockholder stomach stone storage story stranger strand strap strategy straw street strength string stroke student \
    studio stuff stupidity sub-contractor subcontractor submarine subnet subscriber subset subsidiary subsidy suburb success successor sugar suit \
    suite summary summer summit sun superintendent superior supervisor supper supplier surgeon surplus sustainability swimmer sword syllable symbol \
    sympathy symptom syndrome system tablet tactic tale talent tap tape tariff taxpayer tea teacher teammate technician technique technology \
    telegraph telemetry telephone television temper temperature template temple tenant tendency tender tension tent terminal territory terror \
    terrorism terrorist text textbook theatre theater theft theme theory therapy thief thing thousand threat threshold throat throne throughput \
    thumb thunder ticket tide tiger timber timeline timeout timeframe timestamp tin tip tissue tobacco toe token tomb tone tongue ton tonne tooth topic \
    topology torch tower town toy trader tradition traffic tragedy trail trainer trait transcript transformer transmission transplant transistor trash \
    treasure treasurer treasury treaty tree trench trend trial tribe tribunal tribute troop trophy trouble trustee truth tube tunnel turbidity \
    turbine turkey turnover twin tyranny umbrella uncle union unit university uptime usage user usefulness utility vacancy vacation vaccine vacuum \
    valley valve van variable variant variation variety vault vegetable vehicle velocity vendor venture venue verdict verse version veteran veto victim \
    victory video viewer village violence virtue virus vision vocabulary voltage wagon waist waiter wallet warehouse warfare warrant warrior \
    watchdog waterfall wealth weapon web website wedding week weekend weir welfare well west wheat wheel whistle widow width wife wilderness will \
    window wine wing winner winter wire wisdom wit witch wolf woman wood wool worker workflow workforce workload workplace workshop world worm worth \
    yard year youth zeal congressman businessman workman alderman policeman fisherman spokesman spokeswoman watchman \
    bedroom doorway fireplace household counting-house warehouse backlog handover takeover rollback rollout shutdown startup slowdown \
    downtime lookup setup login logout signup backup failback breakpoint endpoint checkpoint hotfix bugfix changelog codebase config \
    postcode pipework sandbag stopcock standpipe penstock sluice spillway culvert catchment headworks telemetry wastewater groundwater \
    stormwater floodplain aquifer abstraction effluent leachate coagulant flocculant filtrate trihalomethane cryptosporidium turbidity chlorination";

/// Nouns too vague to head a phrase.
pub(super) const VAGUE_NOUNS: &str = "number way kind sort type lot part piece amount series range couple set case example end side place \
    point fact matter aspect sense something anything variety majority rest bulk plenty deal word respect regard order view \
    reason manner means behalf extent degree sake result course one ones thing stuff bunch bit people person man woman \
    everything nothing nobody half third quarter front back top bottom middle item hand head eye face foot percent percentage \
    total addition spite turn light terms term accordance attempt effort lots pair handful subset portion majority minority";

/// Nouns of time: they head a phrase only with a noun before them ("response time").
pub(super) const TIME_NOUNS: &str = "time hour minute second day week month year decade century morning evening night afternoon moment \
    period noon midnight weekend quarter fortnight age generation season summer winter autumn midday lifetime tonight";

/// Names of times: excluded with the tag `DATE`.
pub(super) const DATES: &str = "january february march april may june july august september october november december jan feb mar apr jun \
    jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun \
    utc gmt et pt pdt pst est edt cst cdt mdt mst bst cet cest jst am pm a.m p.m bc ad bce ce anno domini";

pub(super) const ABBREVIATIONS: &str = "mr mrs ms dr prof st mt sr jr rev hon gen col capt lt sgt maj cmdr gov sen rep pres vs etc inc \
    ltd co corp no dept est fig figs vol ed eds pp al cf ave blvd rd approx ext tel messrs mme mlle e.g i.e a.m p.m u.s u.k u.n jan feb mar \
    apr jun jul aug sep sept oct nov dec";

pub(super) const HONORIFICS: &str =
    "mr mrs ms miss mx dr prof sir madam dame lord lady rev reverend hon messrs master mme mlle";

/// Offices: hints of a person when they stand by a name.
pub(super) const ROLES: &str = "president senator governor congressman congresswoman representative minister secretary chancellor king \
    queen prince princess emperor pope bishop archbishop father sister mother brother uncle aunt cousin nephew niece general colonel captain lieutenant sergeant \
    major admiral commander professor doctor judge justice inspector constable detective sheriff mayor ambassador chairman chairwoman \
    chair director manager engineer officer clerk auditor technician operator supervisor superintendent foreman accountant \
    lawyer solicitor barrister consultant analyst scientist chemist hydrologist geologist architect surveyor contractor \
    coordinator commissioner councillor alderman treasurer trustee executive ceo cto cfo coo cio founder co-founder author editor \
    reporter journalist spokesman spokeswoman spokesperson partner apprentice merchant laundress charwoman undertaker \
    physician surgeon nurse teacher headmaster dean deputy chief agent speaker premier actor actress singer poet novelist writer \
    philosopher mathematician physicist historian developer researcher wife husband son daughter player footballer coach";

/// Last or first words of names, by what they name.
pub(super) const ORGANIZATION_HEADS: &str = "ltd limited plc inc incorporated llc llp gmbh ag sa corp corporation company co group holdings \
    partners associates authority council committee board agency department ministry bureau office commission administration \
    university college school institute institution academy laboratory laboratories lab labs bank trust fund foundation \
    association union federation league alliance organization organisation society club church diocese parliament congress senate house court \
    tribunal party government army navy force forces corps guard police service services team crew division directorate inspectorate regulator \
    hospital infirmary clinic centre center museum library press times post herald gazette journal magazine records studios \
    pictures airlines airways motors systems technologies industries enterprises solutions networks contractors consultants engineering \
    brothers & sons firm consortium panel taskforce nations cabinet treasury organisation vendor supplier customer client contractor";

pub(super) const GEO_HEADS: &str = "street straits road avenue lane square park place way drive close crescent court hill hills river valley lake lakes \
    reservoir bridge dam weir county district province state states hemisphere city town village parish borough island islands isle isles mountain \
    mountains mount peak sea ocean bay gulf strait channel coast beach desert forest wood woods heath moor marsh fen creek brook spring \
    springs falls harbour harbor port cape peninsula airport station basin canyon plain plains plateau region republic kingdom \
    empire territory territories castle palace hall farm field fields gate cross quarter north south east west northern southern eastern western \
    zone ward estate location site beck burn loch lough glen canal";

pub(super) const GEO_FIRST: &str = "lake mount mt puerto costa port fort river cape san santa santo st saint isle los las el new north south east west upper lower \
    great saudi northern southern eastern western central";

pub(super) const EVENT_HEADS: &str = "incident outage war conference flood floods storm hurricane earthquake crisis summit olympics election \
    elections festival exhibition massacre battle revolution rebellion riots uprising strike siege disaster accident attack attacks \
    explosion fire fires drought pandemic epidemic inquiry hearing trial meeting cup championship ceremony eve christmas easter \
    thanksgiving ramadan depression recession disruption downtime degradation event postmortem audit inspection breach spill blackout";

pub(super) const PRODUCT_HEADS: &str = "api hub database engine server servers cluster system platform software application app protocol network sdk \
    cli console dashboard pump valve sensor meter controller turbine boiler scanner router switch firewall balancer cloud storage \
    kernel driver module package library framework runtime compiler browser phone tablet model series tool toolkit suite gateway \
    satellite missile rocket vehicle product telescope plant line works unit queue store cache cdn dns vpn online linux windows";

pub(super) const DOCUMENT_HEADS: &str = "act bill treaty agreement report policy regulation regulations directive charter constitution amendment \
    code standard manual handbook plan protocol declaration resolution memorandum memo order contract licence license permit \
    certificate notice letter minutes guideline guidelines specification law pact accord convention programme program budget \
    doctrine ledger register bible gospel psalm chapter section article";

/// Prefixes of codes that refer to papers, not to things.
pub(super) const REFERENCE_PREFIXES: &str = "wo inc ref po cr tkt rfc cve iso rfq rfi ncr capa aud rec pr inv bs en din sop doc req chg itsm jira \
    ticket cap case adr bug qa hr min rpt ir so sr pa ecr eco astm ieee ansi nist";

/// Geographical names common in English text: countries, their peoples' lands, large cities, American states.
pub(super) const PLACES: &str = "afghanistan africa alabama alaska albania algeria america americas amsterdam angola antarctica argentina \
    arizona arkansas armenia asia athens atlanta atlantic australia austria azerbaijan baghdad bahrain baltimore bangladesh barcelona \
    beijing belarus belgium berlin bolivia bosnia boston botswana brazil britain brussels bulgaria burma cairo california cambodia \
    cameroon canada caribbean chicago chile china colombia colorado congo connecticut copenhagen croatia cuba cyprus czechoslovakia \
    dakota dallas damascus delaware delhi denmark denver detroit dublin ecuador edinburgh egypt england estonia ethiopia eurasia europe \
    finland florida france frankfurt geneva georgia germany ghana glasgow greece greenland grenada guatemala guyana haiti hanoi havana hawaii \
    hiroshima holland honduras houston hungary iceland idaho illinois india indiana indonesia iowa iran iraq ireland israel istanbul \
    italy jakarta jamaica japan jerusalem johannesburg jordan kabul kansas kashmir kentucky kenya korea kosovo kuwait laos latvia lebanon \
    libya liberia lisbon lithuania liverpool london louisiana luxembourg madrid maine malaysia malta manchester manhattan maryland \
    massachusetts melbourne mexico miami michigan minnesota mississippi missouri moldova mongolia montana montreal morocco moscow mozambique \
    mumbai munich nagasaki nairobi namibia nebraska nepal netherlands nevada nicaragua nigeria norway ohio oklahoma oman ontario \
    oregon oslo ottawa pacific pakistan palestine panama paraguay paris pennsylvania peru philadelphia philippines pittsburgh poland \
    portland portugal prague pyongyang qatar quebec queensland rome romania russia rwanda saigon scandinavia scotland seattle senegal \
    seoul serbia shanghai siberia sicily singapore slovakia slovenia somalia spain stockholm sudan sweden switzerland sydney syria taiwan \
    tanzania tehran tennessee texas thailand tibet tokyo toronto tunisia turkey uganda ukraine uruguay utah uzbekistan vancouver venezuela \
    venice vermont vienna viet vietnam virginia wales warsaw washington wisconsin wyoming yemen yugoslavia zambia zimbabwe ussr uk u.k usa u.s";

/// Nationalities and creeds: no name on their own.
pub(super) const DEMONYMS: &str = "american americans british english irish scottish welsh french german germans italian italians spanish \
    portuguese dutch belgian swiss austrian polish russian russians soviet soviets ukrainian greek turkish arab arabs israeli israelis \
    palestinian palestinians iraqi iraqis iranian iranians afghan afghans indian indians pakistani chinese japanese korean koreans \
    vietnamese thai filipino indonesian australian canadian canadians mexican mexicans cuban cubans brazilian african africans asian asians european \
    europeans latin nordic scandinavian swedish norwegian danish finnish hungarian czech romanian bulgarian egyptian syrian lebanese saudi kuwaiti \
    libyan christian christians muslim muslims jewish jews catholic catholics protestant hindu buddhist islamic roman communist communists \
    republican republicans democrat democrats democratic western eastern northern southern marxist nazi nazis fascist";

/// Common first names.
pub(super) const FIRST_NAMES: &str = "aaron abigail abraham adam adrian agnes ahmed aisha alan albert alec alejandro alex alexander alexandra alexis \
    alfred ali alice alison allan allen alma amanda amber amelia amina amir amit amy ana anders andre andrea andreas andrew andy angela anil anita ann \
    anna anne annie anthony antonio anya april arjun arnold arthur asha audrey barbara barry beatrice belinda belle ben benjamin bernard bernice \
    beth betty bill billy bob bobby brad bradley brandon brenda brendan brian bridget bruce bryan calvin camille carl carla carlos carmen carol \
    caroline carolyn catherine cathy cecil chandra charles charlie charlotte chen cheryl chloe chris christian christina christine christopher \
    claire clara claude clive colin connor craig cynthia daisy dan dana daniel danielle danny daphne darren dave david dawn dean deborah denise \
    dennis derek diana diane dick diego dimitri dmitri dominic don donald donna dora doris dorothy doug douglas duncan dylan dwight earl ebenezer \
    eddie edgar edith edmund eduardo edward edwin eileen elaine eleanor elena eli elias elijah elizabeth ella ellen elsie emily emma emmanuel \
    enrique eric erik erin ernest esther ethan eugene eva evan eve evelyn faith fatima felipe felix fernando fiona florence frances francesca \
    francis francisco frank franklin fred freda frederick gabriel gail gareth gary gavin gemma geoff geoffrey george gerald geraldine gerard \
    gilbert giovanni giulia gladys glen glenn gloria gordon grace graham greg gregory greta guy hannah hans harold harriet harry harvey hassan \
    hazel heather hector heidi helen helga henry herbert herman hilary holly howard hubert hugh hugo humphrey ian ibrahim ida imran ines inga \
    ingrid irene iris isaac isabel isabella ivan jack jackie jacob jacqueline jake james jamie jan jane janet janice jason jasmine javier jay jean \
    jeff jeffrey jennifer jenny jeremy jerome jerry jesse jessica jill jim jimmy joan joanna joanne joe joel johan johann john johnny jon jonah \
    jonathan jordan jorge jose joseph joshua joy joyce juan judith judy julia julian julie june june justin kamal karen karim karl kate katherine \
    kathleen kathryn katie katy keith kelly ken kenneth kevin khalid kim kimberly kirsten klaus kofi kurt kyle lara larry lars laura lauren \
    laurence lawrence leah lee leila len lena leo leon leonard leonardo leroy leslie lewis liam lillian lily linda lionel lisa lloyd lois lorna \
    lorraine louis louise lucas lucia lucy luis luke lydia lyndon mabel madeleine maggie malcolm manuel marcel marcia marco marcus margaret \
    maria marian marie marilyn mario marion marjorie mark martha martin marvin mary mathew matilda matt matthew maureen maurice max maxine maya \
    megan mehmet mei melanie melissa mercedes mia michael michel michelle miguel mike mildred miles miriam mohamed mohammed molly monica \
    morgan moses muhammad muriel nadia nancy naomi natalie natasha nathan neil nelson nicholas nick nicola nicole nigel nikhil nina noah noel nora \
    norma norman olga oliver olivia omar oscar otto owen pablo paddy pam pamela pat patricia patrick paul paula pauline pearl pedro peggy penelope \
    percy peter phil philip phillip phoebe phyllis pierre priya quentin rachel raj rajesh ralph raman ramon randy raphael raul ravi ray raymond \
    rebecca reginald rene rex ricardo richard rick rita rob robert roberto robin rodney roger roland ron ronald rosa rosalind rosemary roy ruby rudolf \
    rupert russell ruth ryan sally sam samantha samir samuel sandra sanjay sara sarah scott sean sebastian sergei shane sharon sheila shirley sidney \
    silvia simon sofia sonia sophia sophie stan stanley stefan stella stephanie stephen steve steven stewart stuart sue susan suzanne sven \
    sylvia tamara tanya tara ted teresa terence terry thelma theodore theresa thomas tim timothy tina toby todd tom tommy tony tracy trevor \
    ulrich ursula valerie vanessa vera vernon veronica victor victoria vijay vikram vincent viola violet vivian vladimir wallace walter wanda warren \
    wayne wendy wilfred william winifred winston xavier yasmin yolanda yuki yusuf yvonne zachary zara zoe";

/// Bodies everyone knows by one word.
pub(super) const KNOWN_ORGANIZATIONS: &str = "nato fbi cia nasa un u.n eu who opec unesco unicef imf wto epa fda nhs bbc cnn ibm congress parliament \
    senate pentagon kremlin interpol nsa irs sec microsoft google amazon apple facebook twitter github gitlab cloudflare netflix oracle intel \
    cisco samsung siemens toyota boeing airbus";

/// Verbs of which bodies are the subject.
pub(super) const ORGANIZATION_VERBS: &str = "announced launched released acquired operates employs provides offers sells experienced reported plans \
    owns manufactures supplies issued apologized apologised published awarded commissioned hired invested merged bought sued regulates improved identified deployed implemented acknowledged committed apologizes began";

/// What bodies have: "GitHub's engineers".
pub(super) const ORGANIZATION_POSSESSIONS: &str = "customers customer engineers users team teams infrastructure employees employee board shareholders \
    staff headquarters ceo clients members agents allies officials inspectors chairman executives subsidiary subsidiaries products network services policy website contract invoice contractor";
