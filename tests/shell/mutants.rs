//! Command lines that are almost right: pieces of the corpus, cut, mixed and wrapped.

use serde_json::Value;

/// xorshift64*: the same seed gives the same texts everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `end`; 0 when `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }

    fn pick<T: Clone + Default>(&mut self, list: &[T]) -> T {
        list.get(self.below(list.len())).cloned().unwrap_or_default()
    }
}

const TOKENS: &[&str] = &[
    "'",
    "\"",
    "\\",
    "$",
    "`",
    "$(",
    ")",
    "(",
    "((",
    "))",
    "$((",
    "{",
    "}",
    "${",
    "<(",
    ">(",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "\n",
    " ",
    "\t",
    "#",
    "!",
    "=",
    "+=",
    "[",
    "]",
    "[[ ",
    " ]]",
    "<",
    ">",
    ">>",
    "<<",
    "<<<",
    ">&",
    "&>",
    "<<E\n",
    "\nE\n",
    "\\\n",
    "*",
    "?",
    "~",
    ",",
    "{a,b}",
    "{1..3}",
    "$x",
    "${x}",
    "${x:-",
    "$'",
    "$\"",
    "$[",
    "if ",
    " then ",
    " else ",
    " fi",
    "for i in ",
    " do ",
    " done",
    "while ",
    "case ",
    " in ",
    " esac",
    "function f ",
    "f() ",
    "time ",
    "coproc ",
    "select i in ",
    "until ",
    "x=",
    "x[",
    "x=(",
    " a1 ",
    "b1;",
    "eval ",
    "command ",
    "builtin ",
    "\r",
    "é",
    "; }",
    "echo ",
];

/// What stands before and after a whole text.
const AROUND: &[(&str, &str)] = &[
    ("$(", ")"),
    ("echo \"$(", ")\""),
    ("(", ")"),
    ("{ ", "; }"),
    ("{ ", "\n}"),
    ("if ", "; then z1; fi"),
    ("if z1; then ", "; fi"),
    ("while ", "; do break; done"),
    ("for i in 1 2; do ", "; done"),
    ("case a in a) ", ";; esac"),
    ("f() { ", "; }; f"),
    ("echo `", "`"),
    ("echo <(", ")"),
    ("cat <<E\n", "\nE\n"),
    ("cat <<'E'\n", "\nE\n"),
    ("cat <<E\n$(", ")\nE\n"),
    ("echo ${x:-", "}"),
    ("echo \"${x:-", "}\""),
    ("echo $((", "))"),
    ("x=(", ")"),
    ("[[ ", " ]]"),
    ("echo '", "'"),
    ("echo \"", "\""),
    ("! ", ""),
    ("time ", ""),
    ("coproc ", ""),
    ("", " # x"),
    ("eval '", "'"),
];

/// The texts of the corpus.
pub fn corpus() -> Vec<String> {
    let corpus: Vec<Value> = serde_json::from_str(include_str!("corpus.json")).unwrap_or_default();
    let text = |case: &Value| case["text"].as_str().map(str::to_owned);
    corpus.iter().filter_map(text).collect()
}

/// `count` texts.
pub fn mutants(seed: u64, count: usize) -> Vec<String> {
    let corpus = corpus();
    let mut random = Random::new(seed);
    (0..count).map(|_| mutant(&mut random, &corpus)).collect()
}

fn mutant(random: &mut Random, corpus: &[String]) -> String {
    let mut text = random.pick(corpus);
    for _ in 0..=random.below(3) {
        text = changed(random, text, corpus);
    }
    text.chars().take(400).collect()
}

fn boundary(random: &mut Random, text: &str) -> usize {
    let at = random.below(text.len() + 1);
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn changed(random: &mut Random, mut text: String, corpus: &[String]) -> String {
    let at = boundary(random, &text);
    let near = (at + random.below(6)).min(text.len());
    let end = (near..=text.len())
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(at);
    match random.below(8) {
        0 => text.replace_range(at..end, ""),
        1 => text.replace_range(at..end, random.pick(TOKENS)),
        2 | 3 => text.insert_str(at, random.pick(TOKENS)),
        4 => {
            let copy = text[at..end].to_owned();
            let to = boundary(random, &text);
            text.insert_str(to, &copy);
        }
        5 => {
            let other = random.pick(corpus);
            let from = boundary(random, &other);
            text.replace_range(at.., &other[from..]);
        }
        6 => {
            let (before, after) = random.pick(AROUND);
            text = format!("{before}{text}{after}");
        }
        _ => {
            let between = random.pick(&["; ", " && ", " || ", " | ", "\n", " & "]);
            text = format!("{text}{between}{}", random.pick(corpus));
        }
    }
    text
}
