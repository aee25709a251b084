//! Text for people, in which names and texts from a stranger's book can't control the terminal.

pub(crate) use obook_base::capital;
use obook_base::in_number;
pub(crate) use obook_sql::answers::text::{cut, in_line, printable};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a line to standard error.
pub(crate) fn say(words: impl Display) {
    say_all(format_args!("{}\n", printable(&words.to_string())));
}

/// Writes text with its colours and line ends to standard error. If that can't be written, nobody can be told.
pub(crate) fn say_all(words: impl Display) {
    let _ = write!(anstream::stderr().lock(), "{words}");
}

/// A number of things. In `words`, `[one|several]` depends on the number: `game[|s]` makes `1 game` and `2 games`. `#` marks the
/// place of the number, which otherwise comes first. Names from files, which may have such signs, don't belong in `words`.
pub(crate) fn count(number: impl Into<u64>, words: &str) -> String {
    let number = number.into();
    let words = in_number(words, number);
    match words.split_once('#') {
        Some((before, after)) => format!("{before}{number}{after}"),
        None => format!("{number} {words}"),
    }
}

/// Writes a line about a number of things, unless there are none.
pub(crate) fn if_any(number: u64, words: &str, out: &mut dyn Write) -> io::Result<()> {
    match number {
        0 => Ok(()),
        number => writeln!(out, "{}", count(number, words)),
    }
}

/// A count as part of a line; an empty text if it is zero.
pub(crate) fn some(number: u64, words: &str) -> String {
    match number {
        0 => String::new(),
        number => count(number, words),
    }
}

/// The size of a book.
pub(crate) fn size(positions: u64, links: u64, leaves: u64) -> String {
    let positions = count(positions, "position[|s]");
    let links = count(links, "link[|s]");
    let leaves = count(leaves, "lea[f|ves]");
    format!("{positions}, {links}, {leaves}")
}

/// A move or its score: `[f5]` if it leads to a position of the book, `<f5>` if it leads out of it.
pub(crate) fn bracketed(mv: impl Display, is_link: bool) -> String {
    match is_link {
        true => format!("[{mv}]"),
        false => format!("<{mv}>"),
    }
}

/// The depth of a search, with its probability if that is less than 100 %: `20@73%`.
pub(crate) fn depth(depth: u8, probability: Option<u8>) -> String {
    match probability {
        Some(100) | None => depth.to_string(),
        Some(probability) => format!("{depth}@{probability}%"),
    }
}

/// The three groups of names with the lowest numbers: `0: d3  1: c4 c6`.
pub(crate) fn grouped<N: Ord + Display>(names: impl Iterator<Item = (N, String)>) -> String {
    let mut groups: BTreeMap<N, Vec<String>> = BTreeMap::new();
    names.for_each(|(number, name)| groups.entry(number).or_default().push(name));
    let lowest = groups.into_iter().take(3);
    let lowest = lowest.map(|(number, names)| format!("{number}: {}", names.join(" ")));
    lowest.collect::<Vec<_>>().join("  ")
}

/// Reports the first of many faults one by one, and counts the others.
#[derive(Default)]
pub(crate) struct Teller(AtomicU64);

impl Teller {
    /// The most that are reported one by one: those of two kinds and a report fit a screen.
    const MOST: u64 = 5;

    pub(crate) fn tell(&self, fault: impl Display) {
        if self.0.fetch_add(1, Ordering::Relaxed) < Self::MOST {
            say(format_args!("obook: {fault}"));
        }
    }

    pub(crate) fn has_told(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Says how many more there were, and returns the number of all.
    pub(crate) fn finish(self) -> u64 {
        let all = self.0.into_inner();
        if let more @ 1.. = all.saturating_sub(Self::MOST) {
            say(format_args!("obook: and {more} more"));
        }
        all
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

/// A comma and the text, to end a line with; empty if there is no text.
pub(crate) fn after_comma(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!(", {}", in_line(text)))
}

/// A name as part of a line; a question mark if there is none.
pub(crate) fn name(name: Option<&str>) -> Cow<'_, str> {
    name.map_or(Cow::Borrowed("?"), in_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_nothing() {
        let mut out = Vec::new();
        for number in 0..=2 {
            if_any(number, "lea[f|ves] kept", &mut out).unwrap();
        }
        assert_eq!(out, b"1 leaf kept\n2 leaves kept\n");
        let within = [0, 1, 2].map(|number| some(number, ", # lea[f|ves]"));
        assert_eq!(within, ["", ", 1 leaf", ", 2 leaves"]);
    }

    #[test]
    fn writers_and_names_are_printable() {
        assert_eq!((&*name(None), &*name(Some("a\n"))), ("?", "a␊"));
        let mut out = ForPeople(Vec::new());
        out.write_all("\u{1b}é\u{9b}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "␛é\u{fffd}\n");
    }
}
