//! What the lines of a book end in.

use obook_model::Engine;
use obook_model::levels::Effort;
use serde::Serialize;

/// How far the search at the end of a line vouches for its score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It solves the position.
    Exact,
    /// It reaches the end of the game, but prunes what is unlikely to matter.
    ToTheEnd,
    /// It stops before.
    Midgame,
}

impl End {
    /// All three, the surest first.
    pub const ALL: [End; 3] = [End::Exact, End::ToTheEnd, End::Midgame];

    /// What `level` on `engine`'s scale is worth where `empties` squares are empty. A level that is not known vouches
    /// for nothing.
    ///
    /// ```
    /// use obook_graph::accuracy::End;
    /// use obook_model::Engine;
    /// let level_21 = |empties| End::new(Engine::Edax, Some(21), empties);
    /// assert_eq!([24, 30, 31].map(level_21), [End::Exact, End::ToTheEnd, End::Midgame]);
    /// ```
    #[must_use]
    pub fn new(engine: Engine, level: Option<u8>, empties: u8) -> End {
        match level.map(|level| Effort::new(engine, level, empties)) {
            Some(search) if search.is_solved() => End::Exact,
            Some(search) if search.to_the_end => End::ToTheEnd,
            _ => End::Midgame,
        }
    }
}

/// A set of kinds of ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Ends(u8);

impl Ends {
    pub(super) fn insert(&mut self, end: End) {
        self.0 |= 1 << end as u8;
    }

    pub(super) fn contains(self, end: End) -> bool {
        self.0 & 1 << end as u8 != 0
    }
}

impl std::ops::BitOrAssign for Ends {
    fn bitor_assign(&mut self, other: Ends) {
        self.0 |= other.0;
    }
}

impl FromIterator<End> for Ends {
    fn from_iter<I: IntoIterator<Item = End>>(ends: I) -> Ends {
        let mut set = Ends::default();
        ends.into_iter().for_each(|end| set.insert(end));
        set
    }
}

/// How many ends of each kind there are, each position counted once however many lines lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct EndCounts {
    /// Solved.
    pub exact: u64,
    /// Searched to the end of the game, selectively.
    pub to_the_end: u64,
    /// Searched to some depth.
    pub midgame: u64,
}

impl EndCounts {
    pub(super) fn add(&mut self, end: End) {
        *match end {
            End::Exact => &mut self.exact,
            End::ToTheEnd => &mut self.to_the_end,
            End::Midgame => &mut self.midgame,
        } += 1;
    }

    /// The kinds of which there are some.
    pub(super) fn kinds(self) -> Ends {
        let counts = [self.exact, self.to_the_end, self.midgame];
        let some = End::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
        some.map(|(end, _)| *end).collect()
    }
}
