//! Text with `*` for any run.

/// A text with `*` for any run, line breaks included; ` *` at the end also stands for nothing at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wild {
    // INVARIANT: two or more; only the first and the last may be empty.
    segments: Vec<String>,
}

impl Wild {
    /// From the literal texts around the stars; `None` when there is no star.
    pub(in crate::rules) fn new(segments: Vec<String>) -> Option<Self> {
        let last = segments.len().checked_sub(1).filter(|last| *last > 0)?;
        let is_kept = |(at, text): &(usize, String)| *at == 0 || *at == last || !text.is_empty();
        let segments = segments
            .into_iter()
            .enumerate()
            .filter(is_kept)
            .map(|(_, text)| text)
            .collect();
        Some(Self { segments })
    }

    /// Whether the whole text matches; linear in both lengths together.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.shapes().any(|shape| shape.matches(text))
    }

    /// The literal texts around the stars, two or more; the first and the last are empty where a star stands at the end.
    #[must_use]
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// How many bytes are not stars: the more, the more specific.
    #[must_use]
    pub fn literal_len(&self) -> usize {
        self.segments.iter().map(String::len).sum()
    }

    /// The same with ASCII letters in lower case.
    #[must_use]
    pub fn to_ascii_lowercase(&self) -> Self {
        let segments = self.segments.iter().map(|text| text.to_ascii_lowercase()).collect();
        Self { segments }
    }

    /// As it is written, and without its final ` *` where it has one.
    pub(in crate::rules) fn shapes(&self) -> impl Iterator<Item = Shape<'_>> {
        let written = Shape::of(&self.segments);
        let bare = written
            .filter(|shape| shape.last == Some(""))
            .and_then(|shape| match shape.middle.split_last() {
                Some((last, middle)) => {
                    let last = Some(last.strip_suffix(' ')?);
                    Some(Shape { middle, last, ..shape })
                }
                None => {
                    let first = shape.first.strip_suffix(' ')?;
                    Some(Shape {
                        first,
                        last: None,
                        ..shape
                    })
                }
            });
        written.into_iter().chain(bare)
    }
}

/// One way to match.
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct Shape<'a> {
    /// What the text starts with.
    pub first: &'a str,
    /// What stands between, in this order.
    pub middle: &'a [String],
    /// What the text ends with; `None`: there is no star, the text is `first`.
    pub last: Option<&'a str>,
}

impl<'a> Shape<'a> {
    /// Of the literal texts around the stars; one text has no star.
    pub(in crate::rules) fn of(segments: &'a [String]) -> Option<Self> {
        let (first, rest) = segments.split_first()?;
        let (last, middle) = match rest.split_last() {
            Some((last, middle)) => (Some(last.as_str()), middle),
            None => (None, rest),
        };
        Some(Self { first, middle, last })
    }

    /// Whether the whole text matches.
    pub(in crate::rules) fn matches(self, text: &str) -> bool {
        let Some(last) = self.last else {
            return text == self.first;
        };
        let rest = text.strip_prefix(self.first).and_then(|rest| rest.strip_suffix(last));
        let Some(mut rest) = rest else {
            return false;
        };
        for segment in self.middle {
            let Some((_, after)) = rest.split_once(segment.as_str()) else {
                return false;
            };
            rest = after;
        }
        true
    }
}
