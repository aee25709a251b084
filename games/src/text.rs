//! Texts as records have them: in UTF-8 or Latin-1, on one line, without what a terminal would obey.

/// A text of Latin-1, where each byte is a character.
pub(crate) fn from_latin1(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| printable(char::from(*byte)))
        .collect()
}

/// A character, or a sign that stands for one that can't be shown.
fn printable(c: char) -> char {
    if c.is_control() {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}
