//! Text for people, in which names and texts from a stranger's book can't control the terminal.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Writes a line to standard error.
pub(crate) fn say(words: impl Display) {
    anstream::eprintln!("{}", printable(&words.to_string()));
}

/// A number with its noun: `1 game`, `2 games`.
pub(crate) fn count(number: impl Into<u64>, one: &str, many: &str) -> String {
    match number.into() {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// A writer that makes text [`printable`].
pub(crate) struct ForPeople<W>(pub(crate) W);

impl<W: Write> Write for ForPeople<W> {
    /// Expects whole characters.
    fn write(&mut self, words: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(words);
        self.0.write_all(printable(&text).as_bytes())?;
        Ok(words.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Replaces control characters, except line ends, by pictures of them, and marks that change the direction of text, so that
/// the text can't control a terminal or look like another one.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    pictures(text, |c| c != '\n' && is_command(c))
}

/// Like [`printable`], for a text that is part of a line: line ends are replaced too.
pub(crate) fn in_line(text: &str) -> Cow<'_, str> {
    pictures(text, is_command)
}

/// Like [`printable`], for a field that may be quoted: tabs stay too.
pub(crate) fn in_field(text: &str) -> Cow<'_, str> {
    pictures(text, |c| !matches!(c, '\n' | '\t') && is_command(c))
}

/// A name as part of a line; a question mark if there is none.
pub(crate) fn name(name: Option<&str>) -> Cow<'_, str> {
    name.map_or(Cow::Borrowed("?"), in_line)
}

/// Cuts a line to the given width, and marks that it was cut.
pub(crate) fn cut(line: &str, room: usize) -> Cow<'_, str> {
    const CUT: &str = "…";
    if line.width() <= room {
        return Cow::Borrowed(line);
    }
    let mut shown = String::new();
    for c in line.chars() {
        shown.push(c);
        if shown.width() + CUT.width() > room {
            shown.pop();
            break;
        }
    }
    Cow::Owned(shown + CUT)
}

/// Whether a character is a command: to a terminal, or to whatever arranges text in lines.
fn is_command(c: char) -> bool {
    let is_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_direction || matches!(c, '\u{2028}' | '\u{2029}')
}

fn pictures(text: &str, is_replaced: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match u32::from(c) {
        _ if !is_replaced(c) => c,
        code @ 0..0x20 => char::from_u32(0x2400 + code).expect("the pictures are characters"),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(picture).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(printable("a\nb"), "a\nb");
        assert_eq!(printable("\u{1b}[2J\u{7f}\u{9b}"), "␛[2J␡\u{fffd}");
        for mark in
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}".chars()
        {
            assert_eq!(printable(&format!("a{mark}b")), "a\u{fffd}b");
        }
        assert_eq!(in_line("a\nb\r\tc"), "a␊b␍␉c");
        assert_eq!(in_field("a\nb\r\tc"), "a\nb␍\tc");
        assert_eq!((&*name(None), &*name(Some("a\n"))), ("?", "a␊"));
        let mut out = ForPeople(Vec::new());
        out.write_all("\u{1b}é\u{9b}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "␛é\u{fffd}\n");
    }
}
