//! Decimal numbers in records: ratings and evaluations.

use std::fmt;
use std::str::FromStr;

/// A finite decimal number, such as a rating or an evaluation in discs.
///
/// ```
/// use obook_games::Decimal;
/// let rating: Decimal = "+1837.50".parse()?;
/// assert_eq!(rating.to_string(), "1837.5");
/// assert_eq!(Decimal::new(f64::NAN), None);
/// assert!("1e999".parse::<Decimal>().is_err());
/// # Ok::<(), obook_games::ParseDecimalError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decimal(f64);

/// The error for text that is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number such as 12.5")]
pub struct ParseDecimalError;

impl Decimal {
    /// Returns `None` for infinity and NaN.
    #[must_use]
    pub fn new(value: f64) -> Option<Decimal> {
        // Turns -0 into 0, so that equal numbers are written alike.
        value.is_finite().then_some(Decimal(value + 0.0))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// It is never NaN.
impl Eq for Decimal {}

impl fmt::Display for Decimal {
    /// Writes the shortest text that reads back as the same number, without an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Decimal {
    type Err = ParseDecimalError;

    fn from_str(text: &str) -> Result<Decimal, ParseDecimalError> {
        let number = text.trim().parse().ok();
        number.and_then(Decimal::new).ok_or(ParseDecimalError)
    }
}
