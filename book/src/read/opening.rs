//! The name of an opening, as answers tell it.

use obook_games::names::{self, Opening};
use obook_othello::{CanonicalBoard, Line};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

/// An opening that has a name: as JSON its `name`, its `japanese` name, and the `line` that leads to it, f5 first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named(&'static Opening);

impl Named {
    /// The opening that a line belongs to: the one that it reached last.
    ///
    /// ```
    /// use obook_book::read::opening::Named;
    /// let opening = Named::of_line(&"f5d6c3d3c4f4".parse()?).unwrap();
    /// assert_eq!(opening.to_string(), "Tiger (虎)");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn of_line(line: &Line) -> Option<Named> {
        names::of_line(line).map(Named)
    }

    /// The opening whose position this is.
    #[must_use]
    pub fn of_board(board: CanonicalBoard) -> Option<Named> {
        names::of_board(board).map(Named)
    }

    /// Its English name, or the Japanese one where there is no other.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut opening = serializer.serialize_struct("Opening", 3)?;
        opening.serialize_field("name", self.0.name())?;
        opening.serialize_field("japanese", &self.0.japanese())?;
        opening.serialize_field("line", &self.0.line().to_string())?;
        opening.end()
    }
}
