//! A text with wildcards, compared in linear time.

/// Literal runs with any run between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stars {
    /// Never empty; one segment is an exact text.
    segments: Vec<String>,
}

impl Stars {
    /// Reads `*` as any run; of the backslashes directly before one, pairs are literal and an odd one makes the star literal.
    pub fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        let mut current = String::new();
        let mut run = 0_usize;
        for letter in text.chars() {
            if letter == '\\' {
                run = run.saturating_add(1);
                continue;
            }
            let star = letter == '*';
            let kept = if star { run / 2 } else { run };
            current.extend(std::iter::repeat_n('\\', kept));
            if star && run.is_multiple_of(2) {
                segments.push(std::mem::take(&mut current));
            } else {
                current.push(letter);
            }
            run = 0;
        }
        current.extend(std::iter::repeat_n('\\', run));
        segments.push(current);
        Self { segments }
    }

    /// There is no wildcard.
    pub fn is_exact(&self) -> bool {
        self.segments.len() == 1
    }

    /// The literal runs, in order.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.segments.split_first() else {
            return false;
        };
        let Some((last, middle)) = others.split_last() else {
            return first == text;
        };
        let Some(mut rest) = text
            .strip_prefix(first.as_str())
            .and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        for segment in middle {
            let Some((_, after)) = rest.split_once(segment.as_str()) else {
                return false;
            };
            rest = after;
        }
        true
    }
}
