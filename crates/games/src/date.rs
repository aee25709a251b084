//! The date of a game, as far as it is known.

use std::fmt;
use std::str::FromStr;

/// A date: complete, year and month, the year alone, or unknown.
///
/// ```
/// use obook_games::Date;
/// let date = Date::new(Some(2003), Some(12), Some(15)).unwrap();
/// assert_eq!((date.year(), date.to_string().as_str()), (Some(2003), "2003-12-15"));
/// assert_eq!(Date::of_year(1998).unwrap().to_string(), "1998");
/// assert_eq!(Date::UNKNOWN.to_string(), "");
/// assert_eq!(Date::new(Some(2001), Some(2), Some(29)), None, "not a leap year");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// A known day has a known month, and a known month a known year.
    year: Option<u16>,
    month: Option<u8>,
    day: Option<u8>,
}

impl Date {
    /// An unknown date.
    pub const UNKNOWN: Date = Date {
        year: None,
        month: None,
        day: None,
    };

    /// The last year that can be written with four digits.
    pub const LAST_YEAR: u16 = 9999;

    /// Makes a date of a year from 1 to 9999, a month and a day. Returns `None` if there is no such date, or if there is a month
    /// without a year or a day without a month.
    #[must_use]
    pub fn new(year: Option<u16>, month: Option<u8>, day: Option<u8>) -> Option<Date> {
        let is_year = year.is_none_or(|year| (1..=Date::LAST_YEAR).contains(&year));
        let is_day = match (year, month, day) {
            (_, None, None) => true,
            (Some(_), Some(month), None) => (1..=12).contains(&month),
            (Some(year), Some(month), Some(day)) => (1..=days(year, month)).contains(&day),
            _ => false,
        };
        (is_year && is_day).then_some(Date { year, month, day })
    }

    /// A date of which only the year is known, from 1 to 9999.
    #[must_use]
    pub fn of_year(year: u16) -> Option<Date> {
        Date::new(Some(year), None, None)
    }

    /// The date in UTC of a Unix time, or `None` after the year 9999.
    ///
    /// ```
    /// use obook_games::Date;
    /// assert_eq!(Date::of_unix_time(945_277_754).unwrap().to_string(), "1999-12-15");
    /// ```
    #[must_use]
    pub fn of_unix_time(seconds: u64) -> Option<Date> {
        let mut left = seconds / 86_400;
        for year in 1970..=Date::LAST_YEAR {
            for month in 1..=12 {
                let days = days(year, month);
                if left < u64::from(days) {
                    return Date::new(Some(year), Some(month), Some(left as u8 + 1));
                }
                left -= u64::from(days);
            }
        }
        None
    }

    /// The year, from 1 to 9999.
    #[must_use]
    pub fn year(self) -> Option<u16> {
        self.year
    }

    /// The month, from 1 to 12.
    #[must_use]
    pub fn month(self) -> Option<u8> {
        self.month
    }

    /// The day, from 1 to 31.
    #[must_use]
    pub fn day(self) -> Option<u8> {
        self.day
    }
}

/// The error for text that is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a day such as 2003-12-15, or a month or a year")]
pub struct ParseDateError;

impl FromStr for Date {
    type Err = ParseDateError;

    /// Reads year, month and day, separated by dots, dashes or slashes. Question marks or zeros mean unknown.
    ///
    /// ```
    /// use obook_games::Date;
    /// assert_eq!("2026.11.??".parse::<Date>()?.to_string(), "2026-11");
    /// assert_eq!("2000-4-16".parse::<Date>()?.to_string(), "2000-04-16");
    /// assert_eq!("????.??.??".parse(), Ok(Date::UNKNOWN));
    /// # Ok::<(), obook_games::ParseDateError>(())
    /// ```
    fn from_str(text: &str) -> Result<Date, ParseDateError> {
        let number = |part: &str| match part.trim_matches(['?', '0']) {
            "" => Ok(None),
            _ => part.parse::<u16>().map(Some).map_err(|_| ParseDateError),
        };
        let mut parts = text.split(['.', '-', '/']).map(number);
        let mut next = || parts.next().transpose().map(Option::flatten);
        let (year, month, day) = (next()?, next()?, next()?);
        let small = |part: Option<u16>| part.map(u8::try_from).transpose();
        match (parts.next(), small(month), small(day)) {
            (None, Ok(month), Ok(day)) => Date::new(year, month, day).ok_or(ParseDateError),
            _ => Err(ParseDateError),
        }
    }
}

/// The number of days in a month, or 0 if there is no such month.
fn days(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 0,
    }
}

impl fmt::Display for Date {
    /// Writes ISO 8601 as far as the date is known: `2003-12-15`, `2003-12`, `2003` or nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(year) = self.year() {
            write!(f, "{year:04}")?;
        }
        for part in [self.month(), self.day()].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}
