//! The grades.

use super::Grading;
use super::ends::{End, Ends};
use serde::{Serialize, Serializer};
use std::fmt;

/// How far a position's value is proved, from `AA` (best) to `F`; see the [module](super) for what they mean.
///
/// The ends within 2 discs include those within 1, all of which are exact in grade A. So of the definition's `AA` to
/// `AF` only `AA`, `AB` and `AD` can come up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// All ends are exact, also within 2 discs.
    AA,
    /// All ends are exact; within 2 discs some are only searched to the end.
    AB,
    /// All ends are exact; within 2 discs some are midgame searches.
    AD,
    /// Ends are exact and searched to the end.
    B,
    /// All ends are searched to the end, none is exact.
    C,
    /// Some ends are midgame searches, at least one is exact.
    D,
    /// Some ends are midgame searches, none is exact, at least one is searched to the end.
    E,
    /// All ends are midgame searches.
    F,
}

impl Grade {
    /// All of them, the best first.
    pub const ALL: [Grade; 8] = [
        Grade::AA,
        Grade::AB,
        Grade::AD,
        Grade::B,
        Grade::C,
        Grade::D,
        Grade::E,
        Grade::F,
    ];

    /// As the database spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grade::AA => "AA",
            Grade::AB => "AB",
            Grade::AD => "AD",
            Grade::B => "B",
            Grade::C => "C",
            Grade::D => "D",
            Grade::E => "E",
            Grade::F => "F",
        }
    }

    /// The grade of a position whose lines within 1 disc of the best, and within 2, end so.
    pub(super) fn new(near: Ends, wide: Ends, rules: Grading) -> Grade {
        let has = |end| near.contains(end);
        match (has(End::Exact), has(End::ToTheEnd), has(End::Midgame)) {
            (true, false, false) if wide.contains(End::Midgame) => Grade::AD,
            (true, false, false) if wide.contains(End::ToTheEnd) => Grade::AB,
            (true, false, false) => Grade::AA,
            (true, true, false) => Grade::B,
            (false, true, false) => Grade::C,
            (true, _, true) => Grade::D,
            (false, true, true) => match rules {
                Grading::Published => Grade::E,
                Grading::Egaroucid => Grade::D,
            },
            (false, false, _) => Grade::F,
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Grade {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
