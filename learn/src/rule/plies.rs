//! How far to look for positions.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number of plies from one position to another, 1 to 6: each one more takes about ten times as long.
///
/// ```
/// use obook_learn::Plies;
/// assert_eq!(Plies::try_from(3)?.get(), 3);
/// let problem = Plies::try_from(30).unwrap_err().to_string();
/// assert_eq!(problem, "30 plies: from 1 to 6 can be looked ahead");
/// # Ok::<(), obook_learn::NotPlies>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Plies(u8);

impl Plies {
    const MOST: u8 = 6;

    /// How many.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }
}

/// What is no [`Plies`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotPlies(u8);

impl fmt::Display for NotPlies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, most) = (self.0, Plies::MOST);
        write!(f, "{found} plies: from 1 to {most} can be looked ahead")
    }
}

impl std::error::Error for NotPlies {}

impl TryFrom<u8> for Plies {
    type Error = NotPlies;

    fn try_from(plies: u8) -> Result<Plies, NotPlies> {
        match plies {
            1..=Plies::MOST => Ok(Plies(plies)),
            _ => Err(NotPlies(plies)),
        }
    }
}

impl From<Plies> for u8 {
    fn from(plies: Plies) -> u8 {
        plies.0
    }
}
