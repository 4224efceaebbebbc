use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{MAX_DEPTH, canonical, double, from, parse, read, write};

#[derive(Debug, PartialEq)]
struct Point {
    left_edge: u32,
    label: Option<String>,
    marks: Vec<Mark>,
    scale: u64,
}

super::object!(closed Point { left_edge, label, marks = Vec::new(), scale = 7 });

#[derive(Debug, PartialEq)]
struct Kept {
    id: String,
    others: Map<String, Value>,
}

super::object!(open(others) Kept { id });

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    Thin,
    VeryThick,
}

super::words!(Mark {
    Thin = "thin",
    VeryThick = "very-thick",
});

#[derive(Debug, PartialEq)]
enum Shape {
    Nothing,
    Circle { radius: u32 },
    WholePoint(Box<Point>),
}

super::variants!(closed Shape by "type" { Nothing, Circle { radius = 1 }, WholePoint(point) } else Self::Nothing);

fn fault<T: super::Read + std::fmt::Debug>(text: &str) -> String {
    let fault = read::<T>(text).err();
    fault.map(|fault| fault.to_string()).unwrap_or_default()
}

#[test]
fn an_object_is_read_by_its_fields() {
    let read = read::<Point>(r#"{"scale": 2, "leftEdge": 1, "label": null, "marks": ["very-thick", "thin"]}"#);
    let marks = vec![Mark::VeryThick, Mark::Thin];
    assert_eq!(
        read.unwrap(),
        Point {
            left_edge: 1,
            label: None,
            marks,
            scale: 2
        }
    );
}

#[test]
fn what_is_absent_is_its_default() {
    let point = read::<Point>(r#"{"leftEdge": 1}"#).unwrap();
    assert_eq!((point.label, point.marks.len(), point.scale), (None, 0, 7));
}

#[test]
fn a_fault_names_the_field_and_the_first_one_counts() {
    let faults = [
        (r"[]", "it is an array, it must be an object"),
        (r"{}", "`leftEdge` is missing, it must be a whole number from 0 on"),
        (
            r#"{"leftEdge": "x", "scale": null}"#,
            "`leftEdge` is a string, it must be a whole number from 0 on",
        ),
        (
            r#"{"leftEdge": 1.0}"#,
            "`leftEdge` is a number, it must be a whole number from 0 on",
        ),
        (
            r#"{"leftEdge": -1}"#,
            "`leftEdge` is a number, it must be a whole number from 0 on",
        ),
        (r#"{"leftEdge": 4294967296}"#, "`leftEdge` is too big a number"),
        (
            r#"{"leftEdge": 1, "label": 2}"#,
            "`label` is a number, it must be a string",
        ),
        (
            r#"{"leftEdge": 1, "scale": null}"#,
            "`scale` is null, it must be a whole number from 0 on",
        ),
        (
            r#"{"leftEdge": 1, "marks": ["thin", "round"]}"#,
            "`marks` can't be `round`",
        ),
        (r#"{"leftEdge": 1, "left_edge": 1}"#, "there is no field `left_edge`"),
        (
            r#"{"leftEdge": 1, "leftEdge": 1}"#,
            "the key `leftEdge` appears twice at line 1 column 30",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(fault::<Point>(text), expected, "{text}");
    }
}

#[test]
fn what_has_no_field_is_kept_or_passes() {
    let kept = read::<Kept>(r#"{"id": "a", "later": [1.5], "x": null}"#).unwrap();
    assert_eq!(Value::Object(kept.others), json!({"later": [1.5], "x": null}));
}

#[test]
fn an_enum_is_read_by_its_tag() {
    let read = |text| read::<Shape>(text).unwrap();
    assert_eq!(read(r#"{"type": "nothing", "ignored": 1}"#), Shape::Nothing);
    assert_eq!(read(r#"{"type": "circle"}"#), Shape::Circle { radius: 1 });
    assert_eq!(read(r#"{"radius": 3, "type": "circle"}"#), Shape::Circle { radius: 3 });
    let Shape::WholePoint(point) = read(r#"{"type": "wholePoint", "leftEdge": 9}"#) else {
        panic!("another variant");
    };
    assert_eq!(point.left_edge, 9);
}

#[test]
fn no_reading_with_a_fault_gives_what_stands_in() {
    let faults = [
        (r#"{}"#, "`type` is missing, it must be a string"),
        (r#"{"type": 1}"#, "`type` is a number, it must be a string"),
        (r#"{"type": "Circle"}"#, "`type` can't be `Circle`"),
        (r#"{"type": ""}"#, "`type` can't be ``"),
        (r#"{"type": "circle", "x": 1}"#, "there is no field `x`"),
        (
            r#"{"type": "wholePoint"}"#,
            "`leftEdge` is missing, it must be a whole number from 0 on",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(fault::<Shape>(text), expected, "{text}");
    }
    assert!(from::<crate::named::Named<Mark>>(json!({"a": "thin", "b": "x"})).is_err());
    assert!(from::<Option<bool>>(json!("true")).is_err());
}

#[test]
fn serde_reads_the_same() {
    let value = json!({"type": "circle", "radius": 3});
    assert_eq!(
        serde_json::from_value::<Shape>(value).unwrap(),
        Shape::Circle { radius: 3 }
    );
    assert!(serde_json::from_str::<Shape>(r#"{"type": "circle", "radius": 3, "radius": 3}"#).is_err());
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = parse(&nested(MAX_DEPTH)).unwrap();
    assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
    assert!(parse(&"[".repeat(1 << 20)).is_err());
    let around = Value::Array(vec![deepest]);
    assert!(canonical(&around).is_ok());
    assert!(canonical(&Value::Array(vec![around])).is_err());
}

#[test]
fn a_double_is_written_as_ecmascript_writes_it() {
    assert_eq!(write(&json!([1e21, 1.5, 1.0, -0.0, 7])), "[1e+21,1.5,1,0,7]");
}

#[test]
fn a_number_is_read_as_a_double() {
    assert_eq!(double("9007199254740993"), Some(9_007_199_254_740_992.0));
    assert_eq!(double("1e400"), None);
    assert_eq!(double("x"), None);
}

/// What serde_json says of a text, read as strictly.
fn reference(text: &str) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let read = super::any(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| error.to_string())
}

fn agrees(text: &str) {
    let found = parse(text).map_err(|fault| fault.to_string());
    assert_eq!(found, reference(text), "{text}");
}

#[test]
fn a_text_is_read_as_serde_json_reads_it() {
    let deep = |open: &str, close: &str, depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
    for depth in [127, 128, 129] {
        agrees(&deep("[", "]", depth));
        agrees(&deep("[ ", " ,]", depth));
        agrees(&deep("{\"a\":", "}", depth));
    }
    for text in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"a":2 , "b":3}"#,
        "[1e400]",
        "1e99999999999",
        "0e99999999999",
        "-1e-99999999999",
        "1E+99999999999x",
        "-0",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "01",
        "-",
        "1.",
        "1.e",
        "1e+",
        "+1",
        r#""\ud83d\ude00""#,
        r#""\ud83d\u0041""#,
        r#""\ude00""#,
        r#""\ud83dx""#,
        r#""\ud83d\x""#,
        r#""\u12"#,
        r#""\u12g4""#,
        "\"a\nb\"",
        "nul",
        "truE",
        "[1,]",
        "[1 2]",
        "[,1]",
        "{,}",
        r#"{"a"1}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 "b"}"#,
        "\n\n {1:2}",
        "\u{feff}1",
        "1 2",
        "",
        "[",
        "{",
        r#"{"a""#,
        r#"{"a":"#,
    ] {
        agrees(text);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let number = any::<f64>().prop_filter_map("finite", |double| {
        serde_json::Number::from_f64(double).map(Value::Number)
    });
    let text = || "[\\x00-\\x22\\\\a-c\u{7f}\u{e9}\u{d7ff}\u{e000}\u{fb33}\u{ffff}\u{10000}\u{1f600}]{0,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        number,
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(text(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_canonical_form_is_the_reference_s(value in value()) {
        prop_assert_eq!(canonical(&value).unwrap(), serde_json_canonicalizer::to_vec(&value).unwrap());
    }

    #[test]
    fn any_text_is_read_as_serde_json_reads_it(text in "[\\[\\]{},:\"\\\\\\-+.a-fu0-9 \nE\u{e9}]{0,24}") {
        agrees(&text);
    }

    #[test]
    fn a_damaged_text_is_too(value in value(), at in any::<prop::sample::Index>(), with in "[\\[\\]{},:\"\\\\ 0-9.eE\n]{0,2}") {
        let text: Vec<char> = serde_json::to_string(&value).unwrap().chars().collect();
        let (before, after) = text.split_at(at.index(text.len() + 1));
        for left_out in 0..2 {
            let after = after.iter().skip(left_out);
            agrees(&before.iter().copied().chain(with.chars()).chain(after.copied()).collect::<String>());
        }
    }

    #[test]
    fn what_is_written_is_read_again(value in value()) {
        let text = write(&value);
        let again = parse(&text).unwrap();
        prop_assert_eq!(canonical(&again).unwrap(), canonical(&value).unwrap());
    }
}
