//! Texts as records have them, in UTF-8 or Latin-1, and without what a terminal would obey.

use std::borrow::Cow;

/// A text of Latin-1, where each byte is a character.
pub(crate) fn from_latin1(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| printable(char::from(*byte)))
        .collect()
}

/// A text in UTF-8, or in Latin-1 where it can't be that.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// A name or another text of one line; `None` for what says nothing: no letter, or question marks.
pub(crate) fn line(text: &str) -> Option<String> {
    let line: String = text
        .trim()
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { printable(c) })
        .collect();
    (!line.trim_matches('?').is_empty()).then_some(line)
}

/// A text of several lines; `None` for an empty one.
pub(crate) fn lines(text: &str) -> Option<String> {
    let lines: String = text
        .trim()
        .replace("\r\n", "\n")
        .chars()
        .map(|c| match c {
            '\n' => c,
            '\t' => ' ',
            c => printable(c),
        })
        .collect();
    (!lines.is_empty()).then_some(lines)
}

/// A character, or a sign that stands for one that can't be shown.
fn printable(c: char) -> char {
    if c.is_control() {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}
