//! Case folding for deny and ask on Windows.

/// Lower case for ASCII, full-width Latin, Latin-1, Latin Extended-A, Greek and basic Cyrillic; every other letter keeps its case.
#[must_use]
pub fn fold(text: &str) -> String {
    text.chars().map(lower).collect()
}

fn lower(letter: char) -> char {
    let code = u32::from(letter);
    let folded = match code {
        0x41..=0x5A | 0xC0..=0xD6 | 0xD8..=0xDE | 0x391..=0x3A1 | 0x3A3..=0x3AB | 0x410..=0x42F | 0xFF21..=0xFF3A => {
            code.saturating_add(0x20)
        }
        // Two alphabets of pairs; the dotted and the dotless i are no pair.
        0x100..=0x12F | 0x132..=0x137 | 0x14A..=0x177 => code | 1,
        0x139..=0x148 | 0x179..=0x17E => code.saturating_add(code & 1),
        0x178 => 0xFF,
        0x386 => 0x3AC,
        0x388..=0x38A => code.saturating_add(37),
        0x38C => 0x3CC,
        0x38E | 0x38F => code.saturating_add(63),
        0x3C2 => 0x3C3,
        0x400..=0x40F => code.saturating_add(0x50),
        _ => code,
    };
    char::from_u32(folded).unwrap_or(letter)
}
