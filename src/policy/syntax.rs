//! A document's syntax: JSON with comments, and for each value the byte where it starts.

use crate::json::{Scanner, Wrong};

pub(super) enum Value<'a> {
    StringLit(StringLit),
    NumberLit(NumberLit<'a>),
    BooleanLit(BooleanLit),
    NullKeyword(usize),
    Array(Array<'a>),
    Object(Object<'a>),
}

pub(super) struct StringLit {
    pub start: usize,
    pub value: String,
}

/// A number as it is written.
pub(super) struct NumberLit<'a> {
    pub start: usize,
    pub value: &'a str,
}

pub(super) struct BooleanLit {
    pub start: usize,
    pub value: bool,
}

pub(super) struct Array<'a> {
    pub start: usize,
    pub elements: Vec<Value<'a>>,
}

pub(super) struct Object<'a> {
    pub start: usize,
    pub properties: Vec<Property<'a>>,
}

pub(super) struct Property<'a> {
    pub start: usize,
    pub name: String,
    pub value: Value<'a>,
}

impl<'a> Value<'a> {
    pub fn start(&self) -> usize {
        match self {
            Self::StringLit(text) => text.start,
            Self::NumberLit(number) => number.start,
            Self::BooleanLit(flag) => flag.start,
            Self::NullKeyword(start) => *start,
            Self::Array(list) => list.start,
            Self::Object(object) => object.start,
        }
    }

    pub fn as_text(&self) -> Option<&StringLit> {
        if let Self::StringLit(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn as_flag(&self) -> Option<bool> {
        if let Self::BooleanLit(flag) = self {
            Some(flag.value)
        } else {
            None
        }
    }

    pub fn as_number(&self) -> Option<&'a str> {
        if let Self::NumberLit(number) = self {
            Some(number.value)
        } else {
            None
        }
    }

    /// The elements of an array; none of anything else.
    pub fn elements(&self) -> &[Self] {
        if let Self::Array(list) = self {
            &list.elements
        } else {
            &[]
        }
    }

    /// The properties of an object; none of anything else.
    pub fn properties(&self) -> &[Property<'a>] {
        if let Self::Object(object) = self {
            &object.properties
        } else {
            &[]
        }
    }
}

impl<'a> Object<'a> {
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let property = self.properties.iter().find(|property| property.name == name);
        property.map(|property| &property.value)
    }

    pub fn text(&self, name: &str) -> Option<&StringLit> {
        self.get(name)?.as_text()
    }
}

/// Reads a text that is one value. The recursion is as deep as the text is nested.
///
/// # Errors
/// What is wrong first, and where.
pub(super) fn parse(text: &str) -> Result<Value<'_>, Wrong> {
    let mut parser = Parser(Scanner::new(text));
    if parser.token()?.is_none() {
        return Err(Wrong {
            why: "it is empty",
            at: 0,
        });
    }
    let value = parser.value()?;
    match parser.token()? {
        None => Ok(value),
        Some(_) => parser.wrong("text cannot contain more than one JSON value"),
    }
}

struct Parser<'a>(Scanner<'a>);

impl<'a> Parser<'a> {
    /// The first byte of the next token, which stays.
    fn token(&mut self) -> Result<Option<u8>, Wrong> {
        loop {
            let byte = self.0.token();
            if byte != Some(b'/') {
                return Ok(byte);
            }
            let rest = self.0.rest();
            let length = if rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if let Some(inside) = rest.strip_prefix("/*") {
                match inside.find("*/") {
                    Some(end) => end + 4,
                    None => return self.wrong("unterminated comment block"),
                }
            } else {
                return self.wrong("unexpected token");
            };
            self.0.at += length;
        }
    }

    /// What stands here is wrong.
    #[cold]
    fn wrong<T>(&self, why: &'static str) -> Result<T, Wrong> {
        Err(Wrong { why, at: self.0.at })
    }

    fn value(&mut self) -> Result<Value<'a>, Wrong> {
        let token = self.token()?;
        let start = self.0.at;
        Ok(match token {
            Some(b'{') => Value::Object(self.object()?),
            Some(b'[') => Value::Array(self.array()?),
            Some(b'"') => Value::StringLit(StringLit {
                start,
                value: self.string()?,
            }),
            Some(b'-' | b'0'..=b'9') => Value::NumberLit(NumberLit {
                start,
                value: self.number()?,
            }),
            Some(b'a'..=b'z' | b'A'..=b'Z') => match self.word() {
                "null" => Value::NullKeyword(start),
                word @ ("true" | "false") => Value::BooleanLit(BooleanLit {
                    start,
                    value: word == "true",
                }),
                _ => {
                    self.0.at = start;
                    return self.wrong("unexpected word");
                }
            },
            _ => return self.wrong("expected a value"),
        })
    }

    /// Takes letters, digits and what else stands in a number.
    fn word(&mut self) -> &'a str {
        let start = self.0.at;
        while matches!(
            self.0.peek(),
            Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'+' | b'-')
        ) {
            self.0.at += 1;
        }
        self.0.since(start)
    }

    fn number(&mut self) -> Result<&'a str, Wrong> {
        let start = self.0.at;
        let number = self.word();
        let mut scanner = Scanner::new(number);
        // One that no double carries has a finding of its own.
        let fine = match scanner.number() {
            Ok(_) => scanner.at == number.len(),
            Err(wrong) => wrong.is_range() && scanner.rest().bytes().all(|byte| byte.is_ascii_digit()),
        };
        if fine {
            return Ok(number);
        }
        self.0.at = start;
        self.wrong("unexpected number")
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let start = self.0.at;
        let read = self.0.string();
        read.map_err(|wrong| {
            let taken = self.0.since(start);
            let escape = taken.rfind('\\').filter(|_| !wrong.is_end()).unwrap_or(0);
            Wrong {
                why: wrong.why,
                at: start + escape,
            }
        })
    }

    fn array(&mut self) -> Result<Array<'a>, Wrong> {
        let start = self.0.at;
        self.0.at += 1;
        let mut elements = Vec::new();
        loop {
            match self.token()? {
                Some(b']') => break,
                Some(_) => elements.push(self.value()?),
                None => {
                    self.0.at = start;
                    return self.wrong("unterminated array");
                }
            }
            self.separator(b']')?;
        }
        self.0.at += 1;
        Ok(Array { start, elements })
    }

    fn object(&mut self) -> Result<Object<'a>, Wrong> {
        let start = self.0.at;
        self.0.at += 1;
        let mut properties = Vec::new();
        loop {
            match self.token()? {
                Some(b'}') => break,
                Some(b'"') => properties.push(self.property()?),
                Some(_) => return self.wrong("expected string for object property"),
                None => {
                    self.0.at = start;
                    return self.wrong("unterminated object");
                }
            }
            self.separator(b'}')?;
        }
        self.0.at += 1;
        Ok(Object { start, properties })
    }

    fn property(&mut self) -> Result<Property<'a>, Wrong> {
        let start = self.0.at;
        let name = self.string()?;
        if self.token()? != Some(b':') {
            return self.wrong("expected colon after the object property");
        }
        self.0.at += 1;
        let value = self.value()?;
        Ok(Property { start, name, value })
    }

    /// Takes the comma after an element, if one stands there and another element follows.
    fn separator(&mut self, close: u8) -> Result<(), Wrong> {
        let end = self.0.at;
        match self.token()? {
            Some(b',') => {
                let comma = self.0.at;
                self.0.at += 1;
                if self.token()? == Some(close) {
                    self.0.at = comma;
                    return self.wrong("trailing commas are not allowed");
                }
            }
            Some(b'"' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'[' | b'{') => {
                self.0.at = end;
                return self.wrong("expected comma");
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use jsonc_parser::common::Ranged as _;
    use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
    use proptest::prelude::*;

    use super::*;

    /// A value with the starts of all its parts, in one spelling for both parsers.
    fn shown(value: &Value<'_>) -> String {
        let start = value.start();
        match value {
            Value::StringLit(text) => format!("{start}{:?}", text.value),
            Value::NumberLit(number) => format!("{start}#{}", number.value),
            Value::BooleanLit(flag) => format!("{start}{}", flag.value),
            Value::NullKeyword(_) => format!("{start}null"),
            Value::Array(list) => format!("{start}[{}]", list.elements.iter().map(shown).collect::<String>()),
            Value::Object(object) => {
                let property = |property: &Property<'_>| {
                    format!("{}{:?}{}", property.start, property.name, shown(&property.value))
                };
                format!(
                    "{start}{{{}}}",
                    object.properties.iter().map(property).collect::<String>()
                )
            }
        }
    }

    fn reference(value: &ast::Value<'_>) -> String {
        let start = value.start();
        match value {
            ast::Value::StringLit(text) => format!("{start}{:?}", text.value),
            ast::Value::NumberLit(number) => format!("{start}#{}", number.value),
            ast::Value::BooleanLit(flag) => format!("{start}{}", flag.value),
            ast::Value::NullKeyword(_) => format!("{start}null"),
            ast::Value::Array(list) => format!("{start}[{}]", list.elements.iter().map(reference).collect::<String>()),
            ast::Value::Object(object) => {
                let property = |property: &ast::ObjectProp<'_>| {
                    format!(
                        "{}{:?}{}",
                        property.start(),
                        property.name.as_str(),
                        reference(&property.value)
                    )
                };
                format!(
                    "{start}{{{}}}",
                    object.properties.iter().map(property).collect::<String>()
                )
            }
        }
    }

    /// Both read the same, or both nothing.
    fn agrees(text: &str) {
        let options = ParseOptions {
            allow_comments: true,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options).ok();
        let expected = parsed.and_then(|parsed| parsed.value.as_ref().map(reference));
        let found = parse(text).ok();
        assert_eq!(found.as_ref().map(shown), expected, "{text}");
    }

    #[test]
    fn a_fault_is_told_where_it_is() {
        for (text, at) in [
            ("", 0),
            (" // x", 0),
            ("[1,]", 2),
            ("{\"a\": 1, }", 7),
            ("[1 2]", 2),
            ("[1 /* x */ [2]]", 2),
            ("{\"a\" 1}", 5),
            ("{a: 1}", 1),
            ("{\"a\": }", 6),
            ("[ 01 ]", 2),
            ("[1.]", 1),
            (" [", 1),
            (" {", 1),
            ("[] []", 3),
            ("[] /* x", 3),
            ("[\"x\\q\"]", 3),
            ("[\"x\\ud800\"]", 3),
            ("[ \"x", 2),
            ("[nul]", 1),
        ] {
            assert_eq!(parse(text).err().map(|wrong| wrong.at), Some(at), "{text}");
            agrees(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_as_the_reference_reads_it(text in "[\\[\\]{},:\"\\\\/* 0-9.eE+\\-a-fu]{0,20}") {
            agrees(&text);
        }

        #[test]
        fn pieces_too(pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\\n\"", "\"\\ud83d\\ude00\"", "1", "-0.5e+3", "1e400", "true", "false", "null", " ",
            "\n", "// x\n", "/* y */", "/**/",
        ]), 0..14)) {
            agrees(&pieces.concat());
        }
    }
}
