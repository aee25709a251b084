//! The report of a command that stores ratings.

use serde::Serialize;

/// The result of storing ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StoredRatings {
    /// The number of games used.
    pub games: u64,
    /// The number of games without a result, which are not used.
    pub left_out: u64,
    /// The number of positions rated.
    pub positions: u64,
    /// The number of positions reached by too few games.
    pub too_few: u64,
}
