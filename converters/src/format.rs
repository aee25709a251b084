//! The formats, their names, and how to tell them apart by a file's first bytes.

use crate::{Error, ErrorKind, ntest, takizawa, without_zst, zebra};
use obook_model::RuleSet;
use obook_othello::Board;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

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
pub enum Format {
    /// Edax `book.dat`, version 4.
    Edax,
    /// The text format of Edax's `book export`, one line per position.
    EdaxText,
    /// Egaroucid 7 and later.
    Egbk3,
    /// Egaroucid 6.3 to 6.5.
    Egbk2,
    /// Egaroucid up to 6.2.
    Egbk,
    /// The books of Zebra, WZebra, DroidZebra and Reversatile, in all their forms. They are only read.
    Zebra,
    /// The task list of “Othello is solved” by Hiroki Takizawa: proofs. It is only read.
    Takizawa,
    /// The book folders of Othello Sensei. They are only read.
    Sensei,
    /// The books of NTest, format 2.
    Ntest,
}

/// The magic of an Edax book: "EDAX" and "BOOK" as little-endian words.
pub(crate) const EDAX_MAGIC: &[u8; 8] = b"XADEKOOB";
/// The magic of `.egbk2` and `.egbk3`: the engine's name backwards.
pub(crate) const EGAROUCID_MAGIC: &[u8; 9] = b"DICUORAGE";
/// The length of an `.egbk` position in bytes.
pub(crate) const EGBK_RECORD: u64 = 17;

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Edax,
        Format::EdaxText,
        Format::Egbk3,
        Format::Egbk2,
        Format::Egbk,
        Format::Zebra,
        Format::Takizawa,
        Format::Sensei,
        Format::Ntest,
    ];

    /// The formats that can be written.
    pub const WRITTEN: [Format; 6] = [
        Format::Edax,
        Format::EdaxText,
        Format::Egbk3,
        Format::Egbk2,
        Format::Egbk,
        Format::Ntest,
    ];

    /// The number of first bytes that [`Format::detect`] looks at.
    pub const HEAD: usize = 256;

    /// The rules that the engine that writes this format computes by.
    ///
    /// ```
    /// use obook_converters::Format;
    /// use obook_model::RuleSet;
    /// assert_eq!(Format::Egbk3.rules(), RuleSet::Egaroucid);
    /// ```
    #[must_use]
    pub const fn rules(self) -> RuleSet {
        match self {
            Format::Edax | Format::EdaxText => RuleSet::Edax,
            Format::Egbk3 | Format::Egbk2 | Format::Egbk => RuleSet::Egaroucid,
            // The best of the children and the searched move, and what it was without either.
            Format::Zebra | Format::Takizawa | Format::Sensei | Format::Ntest => {
                RuleSet::EgaroucidEdax
            }
        }
    }

    /// The format's name, as parsed by [`FromStr`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Edax => "edax",
            Format::EdaxText => "edax-text",
            Format::Egbk3 => "egbk3",
            Format::Egbk2 => "egbk2",
            Format::Egbk => "egbk",
            Format::Zebra => "zebra",
            Format::Takizawa => "takizawa",
            Format::Sensei => "sensei",
            Format::Ntest => "ntest",
        }
    }

    /// The usual extension of files in this format, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Edax => "dat",
            Format::EdaxText => "txt",
            Format::Egbk3 => "egbk3",
            Format::Egbk2 => "egbk2",
            Format::Egbk => "egbk",
            Format::Zebra => "bin",
            Format::Takizawa => "csv",
            Format::Sensei => "sen",
            Format::Ntest => "book",
        }
    }

    /// Returns the format if it can be written.
    ///
    /// # Errors
    /// Returns [`ErrorKind::ReadOnly`] for the formats that aren't in [`Format::WRITTEN`].
    ///
    /// ```
    /// use obook_converters::Format;
    /// assert!(Format::Edax.writable().is_ok() && Format::Zebra.writable().is_err());
    /// ```
    pub fn writable(self) -> Result<Format, Error> {
        if Format::WRITTEN.contains(&self) {
            Ok(self)
        } else {
            Err(Error::new(ErrorKind::ReadOnly { format: self }))
        }
    }

    /// Returns the format in which to write the file at `path`, by its extension, ignoring case and a trailing `.zst`. For
    /// existing files there is [`Format::detect`].
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        if let Some(path) = without_zst(path) {
            return Format::from_extension(&path);
        }
        let extension = path.extension()?;
        Format::WRITTEN
            .into_iter()
            .find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }

    /// Detects the format of a file that begins with `head`, of which [`Format::HEAD`] bytes are enough. Returns `None` if it
    /// isn't a book.
    ///
    /// `.egbk` has no magic: its first four bytes are a count n and its size is 4 + 17 n. If the size is unknown (`total_len` is
    /// `None`, for example for standard input), the boards in `head` decide: the discs of both sides never share a square, and
    /// the four centre squares are never empty. The compressed form of a Zebra book is recognised in the same way, by its size
    /// and its numbers of children. A folder is no file, so [`Format::Sensei`] is never returned.
    #[must_use]
    pub fn detect(head: &[u8], total_len: Option<u64>) -> Option<Format> {
        if head.starts_with(EDAX_MAGIC) {
            return Some(Format::Edax);
        }
        if let Some(rest) = head.strip_prefix(EGAROUCID_MAGIC) {
            return match rest.first() {
                Some(3) => Some(Format::Egbk3),
                Some(2) => Some(Format::Egbk2),
                _ => None,
            };
        }
        if head.starts_with(takizawa::HEADER) {
            return Some(Format::Takizawa);
        }
        if is_board_text(head) {
            return Some(Format::EdaxText);
        }
        if ntest::begins(head) {
            return Some(Format::Ntest);
        }
        if is_egbk(head, total_len) {
            return Some(Format::Egbk);
        }
        zebra::begins(head, total_len).then_some(Format::Zebra)
    }
}

/// Whether a line of Edax's text format starts here: 64 squares, a space, a side, a comma.
fn is_board_text(head: &[u8]) -> bool {
    head.len() > 66
        && head[..64].iter().all(|c| b"XxOo*-.".contains(c))
        && head[64] == b' '
        && b"XxOo*".contains(&head[65])
        && head[66] == b','
}

fn is_egbk(head: &[u8], total_len: Option<u64>) -> bool {
    let Some((count, records)) = head.split_first_chunk() else {
        return false;
    };
    let Ok(count) = u64::try_from(i32::from_le_bytes(*count)) else {
        return false;
    };
    if let Some(len) = total_len
        && len != 4 + EGBK_RECORD * count
    {
        return false;
    }
    let boards = records.chunks_exact(EGBK_RECORD as usize);
    // Without a size and without a board there is no evidence for the format.
    (total_len.is_some() || boards.len() > 0)
        && boards.take(count as usize).all(|record| {
            let (board, _) = record.split_first_chunk::<16>().expect("17 bytes");
            let both = u128::from_le_bytes(*board);
            could_be_board(both as u64, (both >> 64) as u64)
        })
}

/// Whether the two sets could be a position of a game: a cheap test that random bytes fail.
pub(crate) const fn could_be_board(player: u64, opponent: u64) -> bool {
    player & opponent == 0 && (player | opponent) & Board::CENTRE == Board::CENTRE
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text isn't the name of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFormatError {
    found: String,
}

impl ParseFormatError {
    /// The format that was probably meant: the one whose name or extension takes the fewest changes, at most two.
    #[must_use]
    pub fn suggestion(&self) -> Option<Format> {
        Format::ALL
            .into_iter()
            .map(|format| {
                let by_name = edit_distance(&self.found, format.name());
                (
                    by_name.min(edit_distance(&self.found, format.extension())),
                    format,
                )
            })
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, _)| *distance <= 2)
            .map(|(_, format)| format)
    }
}

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        let lower = text.to_ascii_lowercase();
        Format::ALL
            .into_iter()
            .find(|format| format.name() == lower)
            .ok_or(ParseFormatError { found: lower })
    }
}

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "“{}” is not a book format", self.found)?;
        match self.suggestion() {
            Some(format) => write!(f, ": did you mean {format}?"),
            None => {
                f.write_str(": expected one of")?;
                for (i, format) in Format::ALL.into_iter().enumerate() {
                    write!(f, "{} {format}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for ParseFormatError {}

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
