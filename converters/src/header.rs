//! The header of a book.

use std::fmt;

/// A book file's header, common to all formats. Anything a format lacks is `None`.
///
/// ```
/// use obook_converters::Header;
/// let header = Header { n_empties: Some(53), ..Header::default() };
/// assert_eq!(header.depth(), Some(8));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The version of the format.
    pub version: Option<u8>,
    /// The release of the program that wrote the file (Edax 4.`release`).
    pub release: Option<u8>,
    /// When the book was last saved, in the local time of the machine that wrote it.
    pub date: Option<Date>,
    /// The level of the book's searches, on the engine's scale.
    pub level: Option<i32>,
    /// The number of empty squares down to which the book grows: 61 − depth.
    pub n_empties: Option<i32>,
    /// The error allowed for searches that don't reach the end, in discs.
    pub midgame_error: Option<i32>,
    /// The error allowed for selective searches to the end, in discs.
    pub endcut_error: Option<i32>,
    /// The engine's verbosity while it worked on the book.
    pub verbosity: Option<i32>,
    /// The stated number of positions, which may be wrong in damaged files.
    pub count: Option<i64>,
}

impl Header {
    /// The errors that Edax allows by default: for searches that don't reach the end, and for selective ones that do.
    pub const EDAX_ERRORS: (i32, i32) = (2, 1);

    /// The errors that the book allows, or Edax's defaults.
    ///
    /// ```
    /// use obook_converters::Header;
    /// let header = Header { endcut_error: Some(0), ..Header::default() };
    /// assert_eq!(header.errors(), (2, 0));
    /// ```
    #[must_use]
    pub fn errors(&self) -> (i32, i32) {
        let (midgame_error, endcut_error) = Header::EDAX_ERRORS;
        (
            self.midgame_error.unwrap_or(midgame_error),
            self.endcut_error.unwrap_or(endcut_error),
        )
    }

    /// The depth of the book in discs placed since the start position, as users of the engines count it.
    #[must_use]
    pub fn depth(&self) -> Option<i32> {
        61i32.checked_sub(self.n_empties?)
    }

    /// Sets the depth of the book, as counted by [`Header::depth`].
    pub fn set_depth(&mut self, depth: i32) {
        self.n_empties = Some(61i32.saturating_sub(depth));
    }
}

/// A date and time as stored in a file, not checked against the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Date {
    /// The full year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day, from 1.
    pub day: u8,
    /// The hour, from 0.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second.
    pub second: u8,
}

impl fmt::Display for Date {
    /// Formats the date like Edax's `book info`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{:02}-{:02} {:02}:{:02}:{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }
}
