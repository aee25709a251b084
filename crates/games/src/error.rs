//! The error type of this crate.

use crate::{Format, Place};
use obook_converters::show_bytes;
use std::fmt;
use std::io;

/// An error that ends reading or writing, with its place. An error in a single game is a [`Fault`](crate::Fault) instead.
///
/// ```
/// use obook_games::{ErrorKind, Reader};
/// let error = Reader::new(&b"(;GM[Othello]B[f5"[..], Some("cut.ggf".into()), None).unwrap().next().unwrap().unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Unfinished { .. }));
/// assert_eq!(error.place().unwrap().number, 1);
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Placed>);

/// An [`ErrorKind`] with its place. Boxed, so that results stay small.
#[derive(Debug)]
struct Placed {
    kind: ErrorKind,
    /// The name of the file, if the error is not about a game.
    name: Option<String>,
    place: Option<Place>,
}

/// The kind of an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the decompressor failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input is in none of the formats.
    #[error(
        "no game record begins like this: found {}, expected {}; name the format if the file is damaged",
        show_bytes(found),
        likely(found)
    )]
    UnknownFormat {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// The input is a list of names for WTHOR files.
    #[error("this is a list of {of} for WTHOR files; the games are in the .wtb file beside it")]
    Names {
        /// `players` or `tournaments`.
        of: &'static str,
    },
    /// The input ends inside a header or a record of fixed size.
    #[error(
        "the file ends too early: found {found} bytes, expected {expected}; it is probably truncated, get a complete copy"
    )]
    Truncated {
        /// The number of bytes found.
        found: u64,
        /// The number of bytes expected.
        expected: u64,
    },
    /// The input ends inside a game.
    #[error(
        "the file ends inside the game: expected {expected}; it is probably truncated, get a complete copy"
    )]
    Unfinished {
        /// The expected form.
        expected: &'static str,
    },
    /// A game that is too long to be one.
    #[error("the game is longer than {limit} bytes without {expected}; the file is damaged here")]
    TooLong {
        /// The maximum size of a game in bytes.
        limit: usize,
        /// The expected form.
        expected: &'static str,
    },
    /// A header field with an unsupported value.
    #[error("{field} is {found} in the header: expected {expected}")]
    Header {
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The supported values.
        expected: &'static str,
    },
    /// The number of games in the header is not the number in the file.
    #[error(
        "the header promises {promised} games, but the file holds {found}; it is damaged or incomplete"
    )]
    Count {
        /// The number in the header.
        promised: u64,
        /// The number of games found.
        found: u64,
    },
    /// A game that the format can't hold. The file is unchanged.
    #[error("{what} is {found}: {format} holds {limit}")]
    DoesNotFit {
        /// The format.
        format: Format,
        /// The part of the game that does not fit.
        what: &'static str,
        /// Its value, shortened.
        found: String,
        /// The limit of the format.
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

    /// The input ends inside a header or a record: it has `found` of the `expected` bytes.
    pub(crate) fn cut_off(found: usize, expected: usize) -> Error {
        Error::new(ErrorKind::Truncated {
            found: found as u64,
            expected: expected as u64,
        })
    }

    pub(crate) fn at(mut self, place: Place) -> Error {
        self.0.place = Some(place);
        self
    }

    /// Adds the name of the file, if there is one and the error has no place.
    pub(crate) fn named(mut self, name: Option<&str>) -> Error {
        if self.0.place.is_none()
            && let Some(name) = name
        {
            self.0.name = Some(name.to_owned());
        }
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The name of the file, if the error is about the file and not about a game.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The place of the game, or `None` if the error is not about a game.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

/// How records that resemble these bytes begin; if none does, how each kind begins.
fn likely(found: &[u8]) -> &'static str {
    if found.contains(&0) {
        return "a WTHOR file (.wtb), or text, which has no NUL byte";
    }
    let text = found.strip_prefix(b"\xef\xbb\xbf").unwrap_or(found);
    match text.trim_ascii_start().first() {
        Some(b'{') => "Othello Quest's JSON, with {\"players\": near its beginning (quest)",
        Some(b'[') => "[Event \"…\"] and other tags (pgn), or [{\"players\": (quest)",
        Some(b'(') => "(;GM[Othello] (ggf), or (; and GM[2] (sgf)",
        _ => {
            "a WTHOR file (.wtb), (;GM[Othello] (ggf), (; and GM[2] (sgf), [Event \"…\"] (pgn), {\"players\": (quest) or a line of \
             moves such as f5d6c3 (transcript)"
        }
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
        std::error::Error::source(&self.kind)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(error)
    }
}
