//! The one error type: what went wrong, and where.

use crate::{Format, Place};
use std::fmt;
use std::io;

/// Why reading or writing can't go on, and where. What is wrong with one game only is a [`Fault`](crate::Fault).
///
/// ```
/// use obook_games::{ErrorKind, Reader};
/// let error = Reader::new(&b"(;GM[Othello]B[f5"[..], Some("cut.ggf".into())).unwrap().next().unwrap().unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Unfinished { .. }));
/// assert_eq!(error.place().unwrap().number, 1);
/// ```
#[derive(thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Placed>);

/// An [`ErrorKind`] with its place. Boxed, so that results stay small.
#[derive(Debug)]
struct Placed {
    kind: ErrorKind,
    /// The file's name, where no game is concerned.
    name: Option<String>,
    place: Option<Place>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the decompressor failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input is in none of the formats.
    #[error(
        "no game record begins like this: found {}, expected a WTHOR file (.wtb), (;GM[Othello] (ggf), (; and GM[2] (sgf), \
         [Event \"…\"] (pgn) or a line of moves such as f5d6c3 (transcript); name the format if the file is damaged",
        show_bytes(found)
    )]
    UnknownFormat {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// The input holds names for WTHOR files, and no games.
    #[error("this is a list of {of} for WTHOR files, without games: open the .wtb file beside it")]
    Names {
        /// Players or tournaments.
        of: &'static str,
    },
    /// The input ends inside a header or record of fixed size.
    #[error(
        "the file ends too early: found {found} bytes, expected {expected}; it was probably cut off, get a whole copy"
    )]
    Truncated {
        /// Bytes that were there.
        found: u64,
        /// Bytes that should have been.
        expected: u64,
    },
    /// The input ends inside a game.
    #[error(
        "the game does not end: expected {expected} before the end of the file; it was probably cut off, get a whole copy"
    )]
    Unfinished {
        /// What should have come.
        expected: &'static str,
    },
    /// A game of a size that none has.
    #[error(
        "the game takes more than {limit} bytes: expected {expected} before; the file is damaged here"
    )]
    TooLong {
        /// How many bytes a game may take.
        limit: usize,
        /// What should have come.
        expected: &'static str,
    },
    /// A header field that says what can't be read.
    #[error("{field} is {found} in the header: expected {expected}")]
    Header {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What can be read.
        expected: &'static str,
    },
    /// The header's count and the contents disagree.
    #[error(
        "the header promises {promised} games, but the file holds {found}: it is damaged or was not written to its end"
    )]
    Count {
        /// What the header says.
        promised: u64,
        /// What is there.
        found: u64,
    },
    /// A game that the format can't hold. The writer is as it was before.
    #[error("{what} is {found}: {format} holds {limit}")]
    DoesNotFit {
        /// The format.
        format: Format,
        /// What of the game.
        what: &'static str,
        /// What it is, cut short.
        found: String,
        /// What the format holds.
        limit: &'static str,
    },
}

impl Error {
    pub(crate) fn new(kind: impl Into<ErrorKind>) -> Error {
        Error(Box::new(Placed {
            kind: kind.into(),
            name: None,
            place: None,
        }))
    }

    pub(crate) fn at(mut self, place: Place) -> Error {
        self.0.place = Some(place);
        self
    }

    /// The error with the name of its file, unless that has none.
    pub(crate) fn named(mut self, name: Option<&str>) -> Error {
        if self.0.place.is_none()
            && let Some(name) = name
        {
            self.0.name = Some(name.to_owned());
        }
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The game where it happened; `None` where no game is concerned.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, &self.name) {
            (Some(place), _) => write!(f, "{place}: ")?,
            (None, Some(name)) => write!(f, "{name}: ")?,
            (None, None) => {}
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for Placed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
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
