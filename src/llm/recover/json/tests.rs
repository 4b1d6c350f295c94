//! The parser against `serde_json` on what is well formed, by hand on what is not, and by steps on what is hostile.

use super::super::outcome::Repair;
use super::{Ending, Node, Value, read, strict};

fn only(text: &str) -> Node {
    let mut document = read(text);
    assert_eq!(document.roots.len(), 1, "{text}: {:?}", document.roots);
    document.roots.remove(0).node
}

fn json(text: &str) -> Node {
    strict(text).unwrap_or_else(|| panic!("not JSON: {text}"))
}

#[test]
fn well_formed_values_read_as_serde_reads_them() {
    for text in [
        "{}",
        "[]",
        r#"{"a":1,"b":[true,false,null,-2.5e3,"x"],"c":{"d":{}}}"#,
        r#"{"a":"q \"x\" \\ \/ \u00e9 \ud83d\ude80 \n\t","b":"} ] , : { ["}"#,
        r#"{"a":"it's // no # comment /* here */ ...","b":"```x```"}"#,
        "[[1],[[2]],{\"a\":[]}]",
        "{\n  \"a\" : [ 1 , 2 ] ,\r\n\t\"b\" : \"c\"\n}",
        r#"{"a":"“x”，y：z","b":"'q'"}"#,
        r#"{"":0,"a b":[""],"k":"a\"}, \"b\": c"}"#,
    ] {
        let document = read(text);
        assert_eq!(document.roots.len(), 1, "{text}");
        assert_eq!(document.roots[0].node, json(text), "{text}");
        assert_eq!(document.roots[0].ending, Ending::Closed, "{text}");
        assert!(document.repairs.is_empty(), "{text}: {}", document.repairs);
    }
}

#[test]
fn repairs_give_the_value_that_was_meant() {
    for (text, meant, repair) in [
        ("{'a':'it's'}", r#"{"a":"it's"}"#, Repair::Quotes),
        (
            r#"{"a":"say "x" now"}"#,
            r#"{"a":"say \"x\" now"}"#,
            Repair::Quotes,
        ),
        (r#"{"a":1,"b":2,}"#, r#"{"a":1,"b":2}"#, Repair::Separators),
        (
            r#"{"a":"x" "b":2}"#,
            r#"{"a":"x","b":2}"#,
            Repair::Separators,
        ),
        (r#"{"a" "x"}"#, r#"{"a":"x"}"#, Repair::Separators),
        ("{a:1,b_c:\"x\"}", r#"{"a":1,"b_c":"x"}"#, Repair::BareKeys),
        (
            "{\"a\":None,\"b\":True}",
            r#"{"a":null,"b":true}"#,
            Repair::Literals,
        ),
        ("{\"a\":\"x\ny\"}", r#"{"a":"x\ny"}"#, Repair::RawNewline),
        (r#"{"a":"\d\_"}"#, r#"{"a":"\\d_"}"#, Repair::Escapes),
        (
            "{\"a\":1 // one\n,\"b\":2}",
            r#"{"a":1,"b":2}"#,
            Repair::Comments,
        ),
        (
            "{“a”：“x”，“b”：［1］}",
            r#"{"a":"x","b":[1]}"#,
            Repair::Punctuation,
        ),
        (
            r#"{"a":[{"b":1,{"b":2}]}"#,
            r#"{"a":[{"b":1},{"b":2}]}"#,
            Repair::Brackets,
        ),
        (
            r#"{"a":[{"b":1}},"c":2}"#,
            r#"{"a":[{"b":1}],"c":2}"#,
            Repair::Brackets,
        ),
        (
            r#"{"a":[{"b":1],"c":2}"#,
            r#"{"a":[{"b":1}],"c":2}"#,
            Repair::Brackets,
        ),
        ("{'a':('x','y')}", r#"{"a":["x","y"]}"#, Repair::Brackets),
        (
            "{{\"a\":{{\"b\":1}}}}",
            r#"{"a":{"b":1}}"#,
            Repair::Brackets,
        ),
        (r#"see {x} {"a":1} [2]"#, r#"{"a":1}"#, Repair::Prose),
        ("```json\n{\"a\":1}\n```", r#"{"a":1}"#, Repair::Fence),
        (
            r#"{\"a\":\"x \\\"y\\\"\"}"#,
            r#"{"a":"x \"y\""}"#,
            Repair::EmbeddedText,
        ),
    ] {
        assert_eq!(only(text), json(meant), "{text}");
        assert!(
            read(text).repairs.contains(repair),
            "{text}: {}",
            read(text).repairs
        );
    }
}

#[test]
fn several_values_are_found_in_order() {
    let document = read("{\"a\":1}\n{\"b\":2} and [\"c\"]");
    let nodes: Vec<&Node> = document.roots.iter().map(|root| &root.node).collect();
    assert_eq!(
        nodes,
        [&json("{\"a\":1}"), &json("{\"b\":2}"), &json("[\"c\"]")]
    );
}

#[test]
fn a_cut_marks_what_it_cut() {
    let document = read(r#"{"a":["x","y"],"b":"half"#);
    assert_eq!(document.roots[0].ending, Ending::Cut);
    let Value::Map(members) = &document.roots[0].node.value else {
        panic!()
    };
    assert!(!document.roots[0].node.whole && members[0].1.whole && !members[1].1.whole);
    assert_eq!(
        read(r#"{"a":["x""#).roots[0].ending,
        Ending::Open { lists: 1 }
    );
    assert_eq!(read("{\"a\":1").roots[0].ending, Ending::Cut);
    assert_eq!(
        read("{\"a\":\"x\"").roots[0].ending,
        Ending::Open { lists: 0 }
    );
    assert_eq!(read("{\"a\":\"x\"\n```").roots[0].ending, Ending::Stopped);
}

#[test]
fn depth_is_capped() {
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let document = read(&text);
    assert!(document.repairs.contains(Repair::TooDeep));
    assert!(strict(&text).is_none());
}

/// Twice the text is at most about twice the work, and a character costs a bounded number of steps.
#[test]
fn work_is_linear() {
    let patterns = [
        "[",
        "{",
        "{\"a\":",
        "\"",
        "{\"a\":\"",
        "{'a':'b' ",
        "[[],",
        "\\",
        "{\\\"",
        "{a:b,",
        "{\"a\":\"} ",
        "\"x\", ",
        "{\"a\" ",
        "[\"x\" ",
        "{\"a\":\"b\" \"",
        "/*",
        "{\"a\":\"\"\"b",
        "}]",
        "```",
        "…",
        "{\"a\":[{\"b\":\"c\",",
        "「",
        "('a',",
        "{\"x\":\"y\"},",
        "{ {",
        "\" : ",
    ];
    for pattern in patterns {
        for lead in ["", "{\"a\":\"", "{'a':[", "{a:"] {
            let of = |bytes: usize| {
                read(&format!("{lead}{}", pattern.repeat(bytes / pattern.len()))).steps as f64
            };
            let (once, twice) = (of(1 << 14), of(1 << 15));
            assert!(
                twice <= 2.2 * once + 4096.0,
                "{lead}{pattern}: {once} then {twice}"
            );
            assert!(
                twice <= 700.0 * f64::from(1 << 15),
                "{lead}{pattern}: {twice}"
            );
        }
    }
}
