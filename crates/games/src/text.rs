//! Text from records: decoded from UTF-8 or Latin-1, and free of control characters that a terminal would obey.

use std::borrow::Cow;

/// Decodes Latin-1, in which each byte is a character.
pub(crate) fn from_latin1(bytes: &[u8]) -> String {
    let chars = bytes.iter().map(|byte| char::from(*byte));
    chars.map(printable).collect()
}

/// Decodes UTF-8, or Latin-1 if the bytes are not valid UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Text on one line, such as a name. Returns `None` if it is empty or only question marks.
pub(crate) fn line(text: &str) -> Option<String> {
    let plain = |c: char| if c.is_whitespace() { ' ' } else { printable(c) };
    let line: String = text.trim().chars().map(plain).collect();
    (!line.trim_matches('?').is_empty()).then_some(line)
}

/// Text that may have several lines, or `None` if it is empty.
pub(crate) fn lines(text: &str) -> Option<String> {
    let plain = |c: char| match c {
        '\n' => c,
        '\t' => ' ',
        c => printable(c),
    };
    let text = text.trim().replace("\r\n", "\n");
    let lines: String = text.chars().map(plain).collect();
    (!lines.is_empty()).then_some(lines)
}

/// Adds text that may have several lines to a remark.
pub(crate) fn add_lines(remark: &mut Option<String>, text: &str) {
    if let Some(more) = lines(text) {
        *remark = Some(match remark.take() {
            Some(before) => format!("{before}\n{more}"),
            None => more,
        });
    }
}

/// The character, or the replacement character if it is a control character.
fn printable(c: char) -> char {
    match c.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    }
}
