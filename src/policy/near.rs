//! The nearest right word, and letters that only look right.

use super::findings::tick;

/// Longer words have no near one.
const MAX: usize = 64;

/// The known word that `word` most likely was meant to be: at most two characters away, or sharing its beginning.
pub(super) fn nearest(word: &str, known: &mut dyn Iterator<Item = &str>) -> Option<String> {
    if word.len() > MAX {
        return None;
    }
    let (plain, _) = skeleton(word);
    known
        .filter(|other| *other != word)
        .filter_map(|other| closeness(&plain, other).map(|score| (score, other)))
        .min()
        .map(|(_, other)| other.to_owned())
}

/// From 0 for the closest; `None` when the words have nothing in common.
fn closeness(word: &str, other: &str) -> Option<usize> {
    if other.len() > MAX {
        return None;
    }
    if word.eq_ignore_ascii_case(other) {
        return Some(0);
    }
    let steps = distance(word, other);
    if steps <= 2 && steps + 1 < word.len().max(other.len()) {
        return Some(steps);
    }
    let shared = word.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (short, long) = (word.len().min(other.len()), word.len().max(other.len()));
    ((shared == short && short >= 3) || shared >= 4.max(long / 2)).then(|| MAX * 2 - shared)
}

/// Insertions, removals and replacements of characters between two words.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (index, left) in a.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = before;
        }
        for (cell, right) in cells.zip(b.chars()) {
            let replaced = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = replaced.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Pairs of a letter and the ASCII letter it looks like.
const LOOKS: &str = "аaсcеeіiјjоoрpԛqѕsуyԝwхxһhԁdкkмmтtАAВBЕEІIЈJКKМMНHОOРPСCЅSТTУYХXαaεeιiκkνvοoρpτtυuχxΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıiɑaɡgℓl‐-‑-–-—-−-";

/// The word with look-alikes as ASCII and without invisible characters, and the first character that changed.
pub(super) fn skeleton(word: &str) -> (String, Option<char>) {
    let (mut plain, mut first) = (String::with_capacity(word.len()), None);
    for character in word.chars() {
        let ascii = match character {
            '\0'..='\u{7f}' => Some(character),
            _ if invisible(character) => None,
            '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(character) - 0xfee0).ok().map(char::from),
            _ => Some(looks_like(character).unwrap_or(character)),
        };
        if ascii != Some(character) && first.is_none() {
            first = Some(character);
        }
        plain.extend(ascii);
    }
    (plain, first)
}

fn looks_like(character: char) -> Option<char> {
    let mut pairs = LOOKS.chars();
    while let (Some(strange), Some(ascii)) = (pairs.next(), pairs.next()) {
        if strange == character {
            return Some(ascii);
        }
    }
    None
}

/// Says which character of a name only looks right, or not at all.
pub(super) fn looks(name: &str, strange: char) -> String {
    let what = if invisible(strange) {
        "invisible character"
    } else {
        "non-ASCII letter"
    };
    format!("{} contains the {what} U+{:04X}", tick(name), u32::from(strange))
}

fn invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(word: &str, known: &[&str]) -> Option<String> {
        nearest(word, &mut known.iter().copied())
    }

    #[test]
    fn finds_what_was_meant() {
        let keys = [
            "mode",
            "tiers",
            "defaultTier",
            "allowedTools",
            "disallowedTools",
            "allow",
            "ask",
        ];
        for (word, meant) in [
            ("modes", "mode"),
            ("tier", "tiers"),
            ("Allow", "allow"),
            ("default", "defaultTier"),
            ("disallowed_tools", "disallowedTools"),
            ("аsk", "ask"),
        ] {
            assert_eq!(near(word, &keys).as_deref(), Some(meant), "{word}");
        }
        for word in ["x", "", "hooks", "permissions"] {
            assert_eq!(near(word, &keys), None, "{word}");
        }
    }

    #[test]
    fn counts_steps() {
        for (a, b, steps) in [
            ("", "", 0),
            ("", "ab", 2),
            ("abc", "abd", 1),
            ("abc", "bc", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), steps, "{a} {b}");
            assert_eq!(distance(b, a), steps, "{b} {a}");
        }
    }

    #[test]
    fn sees_letters_that_only_look_right() {
        assert_eq!(skeleton("rеad"), ("read".into(), Some('е')));
        assert_eq!(skeleton("Ｂash\u{200b}"), ("Bash".into(), Some('Ｂ')));
        assert_eq!(skeleton("löschen"), ("löschen".into(), None));
        assert!(LOOKS.chars().count().is_multiple_of(2));
    }
}
