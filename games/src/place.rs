//! Where in which file a game stands.

use crate::{Fault, Game};
use std::fmt;
use std::sync::Arc;

/// Where a record was read.
///
/// ```
/// let mut games = obook_games::Reader::new(&b"# two openings\nf5d6c3\nf5f6\n"[..], Some("openings.txt".into()))?;
/// let place = games.by_ref().last().unwrap()?.place;
/// assert_eq!(place.to_string(), "openings.txt: game 2 (line 3)");
/// assert_eq!((place.number, place.offset), (2, 22));
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name; `None` where the reader was given none.
    pub file: Option<Arc<str>>,
    /// Which game of the file, from 1.
    pub number: u64,
    /// Where it begins, in bytes from the start of the uncompressed input.
    pub offset: u64,
    /// The line in which it begins, from 1; `None` in a format that has no lines.
    pub line: Option<u64>,
}

/// A game that was read: as far as it is legal, with what is wrong with its record beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The game. After an illegal move it has the moves before that.
    pub game: Game,
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it, in the order in which it was found; empty for most.
    pub faults: Vec<Fault>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        match self.line {
            Some(line) => write!(f, "game {} (line {line})", self.number),
            None => write!(f, "game {} (byte {})", self.number, self.offset),
        }
    }
}
