//! Text for people, in which names and texts from a stranger's book can't control the terminal.

pub(crate) use obook_sql::answers::text::{cut, in_line, printable};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to standard error.
pub(crate) fn say(words: impl Display) {
    say_all(format_args!("{}\n", printable(&words.to_string())));
}

/// Writes text with its colours and line ends to standard error. If that can't be written, nobody can be told.
pub(crate) fn say_all(words: impl Display) {
    let _ = write!(anstream::stderr().lock(), "{words}");
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

/// A name as part of a line; a question mark if there is none.
pub(crate) fn name(name: Option<&str>) -> Cow<'_, str> {
    name.map_or(Cow::Borrowed("?"), in_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_and_names_are_printable() {
        assert_eq!((&*name(None), &*name(Some("a\n"))), ("?", "a␊"));
        let mut out = ForPeople(Vec::new());
        out.write_all("\u{1b}é\u{9b}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "␛é\u{fffd}\n");
    }
}
