//! Words of scripts without capitals that bind other words: no phrase is, or contains, one.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Han characters that bind words rather than make them.
const CHARACTERS: &str = "的了是在和与有不我你他她它这那们就也都而及着或把被让从到对于以为之其并但却又很更最还只将会能可要说去来上下里中后前时个些此该每各第见住给向由等曾已吗呢吧啊";

/// Words of two Han characters that do the same.
const HAN: &str = "工作 成立 表示 认为 位于 担任 参加 进行 发现 没有 因为 所以 如果 已经 开始 通过 根据 自己 什么 怎么 一个 一些 一起 今天 昨天 \
    明天 现在 今年 去年 举行 访问 负责 管理 发布 宣布 建立 属于 出生 生活 学习 喜欢 知道 觉得 希望 需要 应该 必须 非常 然后 当时 同时 其他 \
    认识 签署 运营 拥有 领导 主持 加入 离开 前往 抵达 来自 获得 发表 提出 支持 反对 批准 调查 报道 指出 介绍 讨论 会见 创办 创立 收购 \
    合作 投资 提供 使用 采用 成为";

/// Words that begin or end with a character that binds elsewhere, and names among them.
const WHOLE: &str = "上海 上帝 上市 上午 下午 中国 中华 中央 中东 中山 中心 中文 中村 中野 中川 中島 中田 田中 山中 前线 后勤 能源 能力 会议 \
    会员 会社 协会 協会 委会 员会 事会 工会 商会 学会 国会 议会 教会 大会 社会 最高 自由 自然 每日 共和 和平 对外 与会 地中 家里 公里 里程 时代 时间 小时 个人 为首 可能 要求 主要 重要 \
    说明 将军 将来 被告 让步 高中 初中 集中 其实 及格 并购";

/// Function words of Arabic, Persian, Urdu, Hebrew, Hindi and Korean.
const SPACED: &str = "في من على إلى الى عن مع أن ان إن لا ما لم لن قد كان كانت يكون هذا هذه ذلك تلك التي الذي الذين هو هي هم نحن أنا أنت \
    ثم أو او بعد قبل بين كل عند حتى إذا كما لكن غير أي منذ خلال حول ضد بعض جميع فقط أيضا ولا وفي ومن وهو وهي وقد وكان أنه أنها إنه \
    له لها لهم به بها فيه فيها منه منها عليه عليها حيث كذلك \
    و در به از که این آن را با است برای تا بر هم یا یک شد بود می شده اور کے کی کا میں سے ہے ہیں نے کو پر یہ وہ \
    של את על עם אל לא כן הוא היא הם הן זה זאת זו אני אנחנו כי אם או גם רק כל אבל אשר בין לפני אחרי יש אין היה הייתה היו מה מי איך כמו עוד \
    के का की को में से है हैं था थे थी और या पर ने यह वह ये वे कि जो एक भी ही तो नहीं कर लिए साथ बाद तक हो गया गई इस उस अपने \
    그 이 저 것 수 등 및 또는 그리고 하지만 그러나 있다 있는 있었다 없다 한다 했다 하는 하고 대한 위해 통해 따라 때문에";

/// Korean case particles, which are written on the noun; the longest first.
const PARTICLES: [&str; 15] = [
    "에서", "에게", "으로", "까지", "부터", "은", "는", "을", "를", "와", "과", "이", "가", "의",
    "에",
];

/// Syllables that a noun keeps when a particle is cut off. Shorter ones may end in that syllable themselves.
const KEPT_SYLLABLES: usize = 2;

/// Particles that many nouns of three syllables end in.
const AMBIGUOUS: [&str; 3] = ["이", "가", "의"];

static WHOLE_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| WHOLE.split_whitespace().collect());

static WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    HAN.split_whitespace()
        .chain(SPACED.split_whitespace())
        .collect()
});

/// Whether a Han character, where it stands alone, binds words.
pub(super) fn binds(c: char) -> bool {
    CHARACTERS.contains(c)
}

/// Whether two Han characters are a word, although one of them binds elsewhere.
pub(super) fn is_whole(word: &str) -> bool {
    WHOLE_WORDS.contains(word)
}

/// Whether a word of a script without capitals is a function word.
pub(super) fn is_binding(word: &str) -> bool {
    WORDS.contains(word)
}

/// The word without a Korean particle at its end.
pub(super) fn noun(word: &str) -> &str {
    if !word.chars().all(|c| matches!(c, '\u{ac00}'..='\u{d7af}')) {
        return word;
    }
    let cut = PARTICLES.iter().find_map(|particle| {
        let noun = word.strip_suffix(particle)?;
        let ambiguous = usize::from(AMBIGUOUS.contains(particle));
        (noun.chars().count() >= KEPT_SYLLABLES + ambiguous).then_some(noun)
    });
    cut.unwrap_or(word)
}
