//! The table of formats: their names, what they hold, and how to tell them apart, read and write them.

use crate::row::{Row, Source};
use crate::{
    Error, ErrorKind, Form, Holds, edax, edax_text, egbk, egbk2, egbk3, ntest, sensei, takizawa,
    zebra,
};
use obook_base::compression::without_zst;
use obook_othello::{Engine, RuleSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

obook_base::table! {
    /// A book file format.
    ///
    /// ```
    /// use obook_converters::Format;
    /// use std::path::Path;
    /// assert_eq!("egbk3".parse(), Ok(Format::Egbk3));
    /// assert_eq!(Format::from_extension(Path::new("book.dat.zst")), Some(Format::Edax));
    /// assert_eq!(Format::detect(b"XADEKOOB\x04", None), Some(Format::Edax));
    /// ```
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum Format {
        /// Edax `book.dat`, version 4.
        Edax = &edax::FORMAT,
        /// The text format of Edax's `book export`, one line per position.
        EdaxText = &edax_text::FORMAT,
        /// Egaroucid 7 and later.
        Egbk3 = &egbk3::FORMAT,
        /// Egaroucid 6.3 to 6.5.
        Egbk2 = &egbk2::FORMAT,
        /// Egaroucid up to 6.2.
        Egbk = &egbk::FORMAT,
        /// The books of Zebra, WZebra, DroidZebra and Reversatile, in all their forms. They are only read.
        Zebra = &zebra::FORMAT,
        /// The task list of “Othello is solved” by Hiroki Takizawa: proofs. It is only read.
        Takizawa = &takizawa::FORMAT,
        /// The book folders of Othello Sensei. They are only read.
        Sensei = &sensei::FORMAT,
        /// The books of NTest, format 2.
        Ntest = &ntest::FORMAT,
    }
    pub(crate) fn row -> &'static Row
}

/// The formats that can be written, at the front of an array with room for all, and how many they are.
const WRITTEN: ([Format; Format::ALL.len()], usize) = {
    let (mut written, mut count, mut place) = (Format::ALL, 0, 0);
    while place < Format::ALL.len() {
        if Format::ALL[place].row().writer.is_some() {
            written[count] = Format::ALL[place];
            count += 1;
        }
        place += 1;
    }
    (written, count)
};

impl Format {
    /// The formats that can be written.
    pub const WRITTEN: [Format; WRITTEN.1] = *WRITTEN.0.first_chunk().unwrap();

    /// The number of first bytes that [`Format::detect`] looks at.
    pub const HEAD: usize = 256;

    /// The rules that the engine that writes this format computes by.
    ///
    /// ```
    /// use obook_converters::Format;
    /// use obook_othello::RuleSet;
    /// assert_eq!(Format::Egbk3.rules(), RuleSet::Egaroucid);
    /// ```
    #[must_use]
    pub const fn rules(self) -> RuleSet {
        match self.engine() {
            Engine::Edax => RuleSet::Edax,
            Engine::Egaroucid => RuleSet::Egaroucid,
            // The best of the children and the searched move, and what it was without either.
            _ => RuleSet::EgaroucidEdax,
        }
    }

    /// The engine on whose scale the levels of this format's positions are.
    #[must_use]
    pub const fn engine(self) -> Engine {
        self.row().engine
    }

    /// The format's name, as parsed by [`FromStr`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The usual extension of files in this format, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        self.row().endings[0]
    }

    /// The endings of files in this format, without the dot, the usual one first; of folders, none.
    #[must_use]
    pub const fn endings(self) -> &'static [&'static str] {
        match self.row().source {
            Source::File { .. } => self.row().endings,
            Source::Folder { .. } => &[],
        }
    }

    /// The programs whose books have this format, in words.
    #[must_use]
    pub const fn program(self) -> &'static str {
        self.row().program
    }

    /// The contents that this format can hold.
    ///
    /// ```
    /// use obook_converters::Format;
    /// assert!(Format::Egbk3.holds().leaves && !Format::Egbk3.holds().bounds);
    /// ```
    #[must_use]
    pub const fn holds(self) -> &'static Holds {
        &self.row().holds
    }

    /// The form that a book must have to be written.
    ///
    /// # Errors
    /// Returns [`ErrorKind::ReadOnly`] for the formats that aren't in [`Format::WRITTEN`].
    ///
    /// ```
    /// use obook_converters::Format;
    /// assert!(Format::Edax.form().is_ok() && Format::Zebra.form().is_err());
    /// ```
    pub fn form(self) -> Result<Form, Error> {
        let written = self.row().writer.as_ref();
        let refused = || Error::new(ErrorKind::ReadOnly { format: self });
        written.map(|writer| writer.form).ok_or_else(refused)
    }

    /// Returns the format in which to write the file at `path`, by its extension, ignoring case and a trailing `.zst`. For
    /// existing files there is [`Format::detect`].
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        if let Some(path) = without_zst(path) {
            return Format::from_extension(&path);
        }
        let extension = path.extension()?;
        let has_it = |format: &Format| extension.eq_ignore_ascii_case(format.extension());
        Format::WRITTEN.into_iter().find(has_it)
    }

    /// Detects the format of a file that begins with `head`, of which [`Format::HEAD`] bytes are enough. Returns `None` if it
    /// isn't a book.
    ///
    /// `.egbk` has no magic: its first four bytes are a count n and its size is 4 + 17 n. If the size is unknown (`total_len` is
    /// `None`, for example for standard input), the boards in `head` decide: the discs of both sides never share a square, and
    /// the four centre squares are never empty. Two positions may begin as a book of NTest does, and are then taken for one unless
    /// the size is known. The compressed form of a Zebra book is recognised in the same way, by its size and its numbers of
    /// children. A folder is no file, so [`Format::Sensei`] is never returned.
    #[must_use]
    pub fn detect(head: &[u8], total_len: Option<u64>) -> Option<Format> {
        let known = |by_mark: bool| {
            let is_known = |format: &Format| format.row().recognises(by_mark, head, total_len);
            Format::ALL.into_iter().find(is_known)
        };
        known(true).or_else(|| known(false))
    }

    /// How books of all formats begin, in words.
    pub(crate) fn beginnings() -> String {
        let one = |format: Format| format!("{} ({format})", format.row().begins);
        Format::ALL.map(one).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text isn't the name of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{found}” is not a book format: {}", self.advice())]
pub struct ParseFormatError {
    found: String,
}

impl ParseFormatError {
    /// The format that was probably meant: the one whose name or extension takes the fewest changes, at most two.
    #[must_use]
    pub fn suggestion(&self) -> Option<Format> {
        let distance = |format: &Format| {
            let names = [format.name(), format.extension()];
            let distances = names.map(|name| edit_distance(&self.found, name));
            distances.into_iter().min()
        };
        let nearest = Format::ALL.into_iter().min_by_key(distance);
        nearest.filter(|format| distance(format) <= Some(2))
    }

    fn advice(&self) -> String {
        match self.suggestion() {
            Some(format) => format!("did you mean {format}?"),
            None => {
                let names = Format::ALL.map(Format::name);
                format!("expected one of {}", names.join(", "))
            }
        }
    }
}

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        let lower = text.to_ascii_lowercase();
        let known = Format::ALL.into_iter().find(|it| it.name() == lower);
        known.ok_or(ParseFormatError { found: lower })
    }
}

/// The Levenshtein distance: insertions, deletions and replacements of one character.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.chars().count()]
}
