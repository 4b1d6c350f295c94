//! HTML entities and tags in names and descriptions.

const MAX_ENTITY_BYTES: usize = 12;
const MAX_TAG_BYTES: usize = 200;

/// Named entities that show up in model answers; numeric ones are computed.
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("deg", "°"),
    ("euro", "€"),
    ("pound", "£"),
    ("cent", "¢"),
    ("yen", "¥"),
    ("sect", "§"),
    ("middot", "·"),
    ("bull", "•"),
    ("times", "×"),
    ("plusmn", "±"),
    ("szlig", "ß"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("ecirc", "ê"),
    ("euml", "ë"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("aring", "å"),
    ("Aring", "Å"),
    ("aelig", "æ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("ccedil", "ç"),
    ("Ccedil", "Ç"),
    ("ntilde", "ñ"),
    ("Ntilde", "Ñ"),
    ("iacute", "í"),
    ("oacute", "ó"),
    ("uacute", "ú"),
    ("atilde", "ã"),
    ("otilde", "õ"),
    ("Eacute", "É"),
    ("ocirc", "ô"),
    ("icirc", "î"),
    ("ucirc", "û"),
    ("ugrave", "ù"),
    ("igrave", "ì"),
    ("ograve", "ò"),
    ("iuml", "ï"),
    ("shy", ""),
    ("zwj", ""),
];

/// Tags that break a line; the others leave no gap.
const BREAKING: &[&str] = &[
    "br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "hr", "h1", "h2", "h3", "h4",
    "h5", "h6",
];
const INLINE: &[&str] = &[
    "a",
    "b",
    "i",
    "u",
    "s",
    "em",
    "strong",
    "span",
    "sup",
    "sub",
    "small",
    "big",
    "code",
    "font",
    "mark",
    "del",
    "ins",
    "tt",
    "q",
    "cite",
    "abbr",
    "img",
    "pre",
    "blockquote",
    "center",
    "kbd",
    "entity",
    "name",
];

/// Decodes entities, once.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((decoded, length)) => {
                out.push_str(&decoded);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(rest: &str) -> Option<(String, usize)> {
    let end = rest
        .bytes()
        .take(MAX_ENTITY_BYTES)
        .position(|b| b == b';')?;
    let name = rest.get(1..end)?;
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return Some((char::from_u32(code)?.to_string(), end + 1));
    }
    let (_, decoded) = ENTITIES.iter().find(|(known, _)| *known == name)?;
    Some(((*decoded).to_owned(), end + 1))
}

/// Removes the tags of HTML; anything else in angle brackets stays.
pub(super) fn remove_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some((length, breaks)) => {
                if breaks {
                    out.push(' ');
                }
                rest = &rest[length..];
            }
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn tag(rest: &str) -> Option<(usize, bool)> {
    let end = rest.bytes().take(MAX_TAG_BYTES).position(|b| b == b'>')?;
    let inner = rest.get(1..end)?;
    let word: String = inner
        .trim_start_matches('/')
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .flat_map(char::to_lowercase)
        .collect();
    let after = inner.trim_start_matches('/').chars().nth(word.len());
    if !matches!(after, None | Some(' ' | '/' | '\n' | '\t')) {
        return None;
    }
    let breaks = BREAKING.contains(&word.as_str());
    (breaks || INLINE.contains(&word.as_str())).then_some((end + 1, breaks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(
            unescape("a &amp; b &lt;c&gt; &#39;d&#x27; &amp;amp; &bogus; &"),
            "a & b <c> 'd' &amp; &bogus; &"
        );
    }

    #[test]
    fn only_html_tags_go() {
        assert_eq!(
            remove_tags("a<br/>b <b class=\"x\">c</b> List<String> x < y > z <i"),
            "a b c List<String> x < y > z <i"
        );
    }
}
