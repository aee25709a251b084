//! Text for people, in which names and texts from a stranger's book can't control the terminal.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

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

/// Replaces control characters, except line ends, by pictures of them, so that the text can't control a terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && c != '\n';
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match u32::from(c) {
        _ if !commands(c) => c,
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
        let mut out = ForPeople(Vec::new());
        out.write_all("\u{1b}é\u{9b}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "␛é\u{fffd}\n");
    }
}
