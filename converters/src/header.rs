//! What books say about themselves.

use std::fmt;

/// What a book file's header says, whatever the format; what a format lacks is `None`.
///
/// ```
/// use obook_converters::Header;
/// let header = Header { n_empties: Some(53), ..Header::default() };
/// assert_eq!(header.depth(), Some(8));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Version of the format.
    pub version: Option<u8>,
    /// Release of the program that wrote the file (Edax 4.`release`).
    pub release: Option<u8>,
    /// When the book was last saved, in the local time of the machine that wrote it.
    pub date: Option<Date>,
    /// Level of the book's searches, on the engine's scale.
    pub level: Option<i32>,
    /// Number of empty squares down to which the book grows: 61 − depth.
    pub n_empties: Option<i32>,
    /// Error allowed for searches that do not reach the end, in discs.
    pub midgame_error: Option<i32>,
    /// Error allowed for selective searches to the end, in discs.
    pub endcut_error: Option<i32>,
    /// How much the engine told while working on the book.
    pub verbosity: Option<i32>,
    /// How many positions the file is said to hold. A promise: damaged files hold another number.
    pub count: Option<i64>,
}

impl Header {
    /// The errors that Edax allows for where nothing else is said: of searches that do not reach the end, and of selective ones
    /// that do.
    pub const EDAX_ERRORS: (i32, i32) = (2, 1);

    /// The errors that the book allows for, or Edax's own.
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

    /// How deep the book grows, in discs placed from the start position, as the engines' users count it.
    #[must_use]
    pub fn depth(&self) -> Option<i32> {
        61i32.checked_sub(self.n_empties?)
    }

    /// Says how deep the book grows, as [`Header::depth`] counts it.
    pub fn set_depth(&mut self, depth: i32) {
        self.n_empties = Some(61i32.saturating_sub(depth));
    }
}

/// A date and time of day, as a file says it: not checked against the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Date {
    /// Year, in full.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
    /// Hour, from 0.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
}

impl fmt::Display for Date {
    /// As Edax's `book info` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{:02}-{:02} {:02}:{:02}:{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }
}
