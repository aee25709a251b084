//! Errors: what went wrong, and where in the input.

use crate::Format;
use obook_othello::{Board, SquareSet};
use std::fmt;
use std::io;

/// An error while reading or writing a book.
///
/// The message names the input, the position's number and the byte, what was found, what was expected and what to do.
///
/// ```
/// use obook_converters::{ErrorKind, egbk3};
/// let cut = b"DICUORAGE\x03\x01\0\0\0\x12\x34";
/// let error = egbk3::Reader::new(&cut[..]).unwrap().next().unwrap().unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Truncated { found: 2, expected: 25 }));
/// assert_eq!((error.record(), error.offset()), (Some(1), Some(14)));
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Placed>);

/// An [`ErrorKind`] with its location. It's boxed to keep results small.
#[derive(Debug)]
struct Placed {
    kind: ErrorKind,
    name: Option<String>,
    record: Option<u64>,
    offset: Option<u64>,
}

/// The kind of an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the decompressor failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends inside the header or a position.
    #[error(
        "the file ends too early: found {found} bytes, expected {expected}; it was probably cut off: get a complete copy"
    )]
    Truncated {
        /// The number of bytes found.
        found: u64,
        /// The number of bytes expected, as far as known.
        expected: u64,
    },
    /// An Edax book from a machine with the other order of bytes.
    #[error(
        "this is an Edax book of a big-endian machine: it begins with EDAXBOOK, expected XADEKOOB; let Edax write it as text there \
         (book export), and read that"
    )]
    BigEndian,
    /// The input isn't in any known format.
    #[error(
        "no book format begins like this: found {}, expected one of: {}",
        show_bytes(found),
        Format::beginnings()
    )]
    UnknownFormat {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// The file doesn't begin as its format requires.
    #[error(
        "not a book in {format} format: it begins with {}, expected {expected}",
        show_bytes(found)
    )]
    Magic {
        /// The requested format.
        format: Format,
        /// The first bytes.
        found: Vec<u8>,
        /// The expected bytes.
        expected: &'static str,
    },
    /// The version of the format isn't supported.
    #[error("{format} version {found}: expected version {expected}")]
    Version {
        /// The format.
        format: Format,
        /// The version in the file.
        found: u8,
        /// The supported version.
        expected: u8,
    },
    /// The header's count disagrees with the contents.
    #[error(
        "the header promises {promised} positions, but the file holds {found}: it is damaged or incomplete"
    )]
    Count {
        /// The number in the header.
        promised: i64,
        /// The number found.
        found: u64,
    },
    /// Something else follows the last position.
    #[error(
        "the file has the {promised} positions that its header promises, but something else follows them: it is no part of the \
         book; cut it off there"
    )]
    Appended {
        /// The number in the header.
        promised: i64,
    },
    /// The number of positions written differs from the header's.
    #[error(
        "the header says {promised} positions, but {written} were written: pass the correct count"
    )]
    Written {
        /// The number in the header.
        promised: i64,
        /// The number written.
        written: u64,
    },
    /// A link count that no position can have.
    #[error("a position with {found} links: expected {max} at most; the file is damaged here")]
    LinkCount {
        /// The number in the file.
        found: u64,
        /// The largest possible number.
        max: u64,
    },
    /// The index of a folder hasn't the length that it states.
    #[error(
        "the index has {found} bytes, expected 16 and 5 for each of its {buckets} buckets; get a complete copy of the folder"
    )]
    Buckets {
        /// The number of bytes found.
        found: u64,
        /// The number of buckets that it states.
        buckets: u64,
    },
    /// A line of the text format can't be read.
    #[error("column {column}: found “{found}”, expected {expected}")]
    Text {
        /// The column in the line, from 1.
        column: usize,
        /// The text found there.
        found: String,
        /// The text expected.
        expected: &'static str,
    },
    /// A word of a text isn't what belongs there.
    #[error(
        "found {}, expected {expected}; the file is damaged here",
        show_bytes(found)
    )]
    Word {
        /// The word.
        found: Vec<u8>,
        /// The expected contents.
        expected: &'static str,
    },
    /// The format can only be read.
    #[error("books of {format} can be read, but not written: choose another format")]
    ReadOnly {
        /// The format.
        format: Format,
    },
    /// A header field is out of range for the format.
    #[error("{field} is {found}: the {format} header holds {min} to {max}")]
    HeaderRange {
        /// The format.
        format: Format,
        /// The field.
        field: &'static str,
        /// The field's value.
        found: i64,
        /// The smallest value that fits.
        min: i64,
        /// The largest value that fits.
        max: i64,
    },
    /// A header field that the format requires is missing.
    #[error("{field} is unknown, but the {format} header requires it")]
    HeaderMissing {
        /// The format.
        format: Format,
        /// The field.
        field: &'static str,
    },
    /// A position is impossible. Reading can continue after it.
    #[error("{0}")]
    Fault(#[from] Fault),
}

impl ErrorKind {
    /// The file ends too early.
    pub(crate) fn cut_off(found: u64, expected: u64) -> ErrorKind {
        ErrorKind::Truncated { found, expected }
    }

    /// The file doesn't begin like one of this format.
    pub(crate) fn magic(format: Format, found: &[u8], expected: &'static str) -> ErrorKind {
        ErrorKind::Magic {
            format,
            found: found.to_vec(),
            expected,
        }
    }

    /// The file is of another version.
    pub(crate) fn version(format: Format, found: u8, expected: u8) -> ErrorKind {
        ErrorKind::Version {
            format,
            found,
            expected,
        }
    }

    /// Bytes that mean nothing.
    pub(crate) fn word(found: &[u8], expected: &'static str) -> ErrorKind {
        let found = found.to_vec();
        ErrorKind::Word { found, expected }
    }
}

impl Error {
    pub(crate) fn new(kind: impl Into<ErrorKind>) -> Error {
        Error(Box::new(Placed {
            kind: kind.into(),
            name: None,
            record: None,
            offset: None,
        }))
    }

    pub(crate) fn at(mut self, record: Option<u64>, offset: u64) -> Error {
        self.0.record = record;
        self.0.offset = Some(offset);
        self
    }

    pub(crate) fn in_record(mut self, record: u64) -> Error {
        self.0.record = Some(record);
        self
    }

    /// Adds the name of the input or output, if it has one.
    pub(crate) fn named<'a>(mut self, name: impl Into<Option<&'a str>>) -> Error {
        if let Some(name) = name.into() {
            self.0.name = Some(name.to_owned());
        }
        self
    }

    /// The problem.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file's path, or "standard input"; `None` if the reader or writer has no name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The number of the position in the file, from 1; `None` for errors in the header or not about a position.
    #[must_use]
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The offset of the position or header in bytes from the start of the uncompressed input.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Whether the error is about one position only, so the reader can continue with the next.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Fault(_))
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}: ")?;
        }
        match (self.record, self.offset) {
            (Some(record), Some(offset)) => write!(f, "position {record} (byte {offset}): ")?,
            (Some(record), None) => write!(f, "position {record}: ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (None, None) => {}
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for Placed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(error)
    }
}

/// Shows at most 16 bytes, for an error: of a text the first line, otherwise all in hexadecimal.
///
/// ```
/// use obook_converters::show_bytes;
///
/// assert_eq!(show_bytes(b"PK"), "“PK”");
/// assert_eq!(show_bytes("石を返す\nf5d6".as_bytes()), "“石を返す”");
/// assert_eq!(show_bytes(&[0x1f, 0x8b]), "1f 8b");
/// ```
#[must_use]
pub fn show_bytes(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(16)];
    // The last character may be cut.
    let whole = match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
        _ => head,
    };
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\r');
    match std::str::from_utf8(whole).map(str::trim_start) {
        _ if head.is_empty() => "nothing".to_owned(),
        Ok(text) if !text.contains(|c: char| c.is_control() && !is_space(c)) => {
            let line = text.lines().next().unwrap_or_default();
            format!("“{}”", line.replace('\t', " "))
        }
        _ => {
            let hex: Vec<String> = head.iter().map(|b| format!("{b:02x}")).collect();
            hex.join(" ")
        }
    }
}

/// An impossible position, or one that a format can't hold.
///
/// ```
/// use obook_converters::{BookRecord, FaultKind, egbk3};
/// let record = egbk3::Record { player: 3, opponent: 1, ..egbk3::Record::default() };
/// let fault = record.check().unwrap_err();
/// assert_eq!(fault.kind, FaultKind::Overlap);
/// assert!(fault.to_string().contains("both sides hold a1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board {}: {}", self.board_text(), self.remark())]
pub struct Fault {
    /// The discs of the side to move, as stored in the file.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// What's wrong.
    pub kind: FaultKind,
}

/// What's wrong with a position. Moves are numbers as stored in books, in the orientation of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Both sides hold a square.
    Overlap,
    /// A centre square is empty, which is impossible in a game.
    EmptyCentre,
    /// The move of a link or leaf is illegal.
    IllegalMove {
        /// The link or leaf.
        of: MoveOf,
        /// The move's number.
        code: u8,
    },
    /// A move appears twice among the links and the leaf.
    DuplicateMove {
        /// The move's number.
        code: u8,
    },
    /// A leaf has a score but no move, although the game isn't over.
    ScoreWithoutMove {
        /// The score.
        score: i16,
    },
    /// A number is outside its range.
    OutOfRange {
        /// The name of the number.
        field: &'static str,
        /// The number.
        found: i64,
        /// The smallest allowed.
        min: i64,
        /// The largest allowed.
        max: i64,
    },
    /// The position lacks a number that the format requires.
    Missing {
        /// The name of the number.
        field: &'static str,
    },
    /// The leaf's level differs from the position's, but the format has one level for both.
    LeafLevel {
        /// The leaf's level.
        leaf: u8,
        /// The position's level.
        position: u8,
    },
}

/// One of a position's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOf {
    /// A link, numbered from 1.
    Link(u8),
    /// The leaf.
    Leaf,
}

impl Fault {
    /// The board as text, one character per square. `#` marks squares held by both sides.
    #[must_use]
    pub fn board_text(&self) -> String {
        let square = |i: u32| match (self.player >> i & 1, self.opponent >> i & 1) {
            (0, 0) => '-',
            (1, 0) => 'X',
            (0, _) => 'O',
            _ => '#',
        };
        (0..64).map(square).chain(" X".chars()).collect()
    }

    /// Describes what's wrong without the board, to be shown beside it.
    #[must_use]
    pub fn remark(&self) -> String {
        match &self.kind {
            FaultKind::Overlap => format!(
                "both sides hold {}: expected one side at most",
                SquareSet(self.player & self.opponent)
            ),
            FaultKind::EmptyCentre => format!(
                "no discs on {}: expected them on d4, e4, d5 and e5",
                SquareSet(Board::CENTRE & !(self.player | self.opponent))
            ),
            FaultKind::IllegalMove { of, code } => format!(
                "the move of {of} is {}: expected a legal move ({})",
                code_text(*code),
                self.legal()
            ),
            FaultKind::DuplicateMove { code } => format!(
                "the move {} appears twice: expected each move once among links and leaf",
                code_text(*code)
            ),
            FaultKind::ScoreWithoutMove { score } => format!(
                "the leaf has the score {score} but no move: expected a legal move ({})",
                self.legal()
            ),
            FaultKind::OutOfRange {
                field,
                found,
                min,
                max,
            } => format!("{field} is {found}: expected {min} to {max}"),
            FaultKind::Missing { field } => {
                format!("{field} is unknown, but the format requires it")
            }
            FaultKind::LeafLevel { leaf, position } => format!(
                "the leaf has level {leaf} and the position {position}: the format has one level for both"
            ),
        }
    }

    fn legal(&self) -> String {
        match Board::new(self.player, self.opponent) {
            Ok(board) if board.is_over() => "none, the game is over".to_owned(),
            Ok(board) => {
                let moves: Vec<String> = board.moves().map(|mv| mv.to_string()).collect();
                moves.join(" ")
            }
            Err(_) => "none".to_owned(),
        }
    }
}

/// Shows a move number: a square, `pa`, or what the engines mean by other numbers.
fn code_text(code: u8) -> String {
    match (obook_othello::Move::from_code(code), code) {
        (Some(mv), _) => format!("{mv} ({code})"),
        (None, 65) => "no move (65)".to_owned(),
        (None, 125) => "undefined (125)".to_owned(),
        (None, _) => format!("number {code}"),
    }
}

impl fmt::Display for MoveOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveOf::Link(number) => write!(f, "link {number}"),
            MoveOf::Leaf => f.write_str("the leaf"),
        }
    }
}
