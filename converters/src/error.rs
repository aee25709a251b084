//! The one error type: what went wrong, and where in the input.

use crate::{Fault, Format};
use std::fmt;
use std::io;

/// What went wrong while reading or writing a book, and where.
///
/// The text names the input, the position's number and the byte, what was found, what was expected and what to do.
///
/// ```
/// use obook_converters::{ErrorKind, egbk3};
/// let cut = b"DICUORAGE\x03\x01\0\0\0\x12\x34";
/// let error = egbk3::Reader::new(&cut[..]).unwrap().next().unwrap().unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Truncated { found: 2, expected: 25 }));
/// assert_eq!((error.record(), error.offset()), (Some(1), Some(14)));
/// ```
#[derive(thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Placed>);

/// An [`ErrorKind`] with its place. Boxed, so that results stay small.
#[derive(Debug)]
struct Placed {
    kind: ErrorKind,
    name: Option<String>,
    record: Option<u64>,
    offset: Option<u64>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the decompressor failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends inside the header or a position.
    #[error(
        "the file ends too early: found {found} bytes, expected {expected}; it was probably cut off, get a whole copy"
    )]
    Truncated {
        /// Bytes that were there.
        found: u64,
        /// Bytes that should have been, as far as could be told.
        expected: u64,
    },
    /// The input is in none of the formats.
    #[error(
        "no book format begins like this: found {}, expected XADEKOOB (edax), DICUORAGE and 2 or 3 (egbk2, egbk3), \
         lines of 64 squares (edax-text), or a size of 4 + 17 × the count that the first 4 bytes give (egbk); \
         name the format if the file is damaged",
        show_bytes(found)
    )]
    UnknownFormat {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// The file does not begin as its format demands.
    #[error(
        "this is no {format} book: it begins with {}, expected {expected}",
        show_bytes(found)
    )]
    Magic {
        /// The format that was asked for.
        format: Format,
        /// The first bytes.
        found: Vec<u8>,
        /// What they should be.
        expected: &'static str,
    },
    /// A version of the format that is not known.
    #[error("{format} version {found}: expected version {expected}")]
    Version {
        /// The format.
        format: Format,
        /// The version in the file.
        found: u8,
        /// The version that can be read.
        expected: u8,
    },
    /// The header's count and the contents disagree.
    #[error(
        "the header promises {promised} positions, but the file holds {found}: it is damaged or was not written to \
         its end"
    )]
    Count {
        /// What the header says.
        promised: i64,
        /// What is there.
        found: u64,
    },
    /// Another number of positions was written than the header says.
    #[error(
        "the header says {promised} positions, but {written} were written: pass the right count"
    )]
    Written {
        /// What the header says.
        promised: i64,
        /// What was written.
        written: u64,
    },
    /// A link count that no position can have.
    #[error("a position with {found} links: expected {max} at most; the file is damaged here")]
    LinkCount {
        /// What the file says.
        found: u64,
        /// The most that can be.
        max: u64,
    },
    /// A line of the text form that cannot be read.
    #[error("column {column}: found “{found}”, expected {expected}")]
    Text {
        /// Where in the line, from 1.
        column: usize,
        /// What stands there.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A header field that the format cannot hold.
    #[error("{field} is {found}: the {format} header holds {min} to {max}")]
    HeaderRange {
        /// The format.
        format: Format,
        /// The field.
        field: &'static str,
        /// Its value.
        found: i64,
        /// The least that fits.
        min: i64,
        /// The most that fits.
        max: i64,
    },
    /// A header field that the format demands.
    #[error("{field} is not known: the {format} header cannot do without it")]
    HeaderMissing {
        /// The format.
        format: Format,
        /// The field.
        field: &'static str,
    },
    /// A position that cannot be. Reading can go on behind it.
    #[error(transparent)]
    Fault(#[from] Fault),
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

    /// The error with the name of its input or output, unless that has none.
    pub(crate) fn named<'a>(mut self, name: impl Into<Option<&'a str>>) -> Error {
        if let Some(name) = name.into() {
            self.0.name = Some(name.to_owned());
        }
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file's path, or "standard input"; `None` where the reader or writer was given no name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Which position of the file, counted from 1; `None` in the header or where no position is concerned.
    #[must_use]
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// Where the position or header begins, in bytes from the start of the uncompressed input.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Whether the error is about one position only, so that the reader can go on to the next.
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
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            ErrorKind::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(error)
    }
}

/// Bytes as a person would recognise them: as text where they are, else in hexadecimal; 16 at most.
fn show_bytes(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(16)];
    if head.is_empty() {
        "nothing".to_owned()
    } else if head.iter().all(|b| b.is_ascii_graphic() || *b == b' ') {
        format!("“{}”", String::from_utf8_lossy(head))
    } else {
        let hex: Vec<String> = head.iter().map(|b| format!("{b:02x}")).collect();
        hex.join(" ")
    }
}
