//! The choices of a rule.

use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};

/// A board that a rule wants to search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chosen {
    /// The board.
    pub board: CanonicalBoard,
    /// The purpose of the search.
    pub want: Want,
    /// The level of the search, on the engine's scale; `None`: the stage's.
    pub level: Option<u8>,
    /// Higher priorities are searched first.
    pub priority: f64,
}

impl Chosen {
    /// A board that should be searched, at this level or else the stage's.
    pub(crate) fn new(board: CanonicalBoard, want: Want, level: Option<u8>) -> Chosen {
        Chosen {
            board,
            want,
            level,
            // Results near the root decide what is wanted below it.
            priority: board.board().empties().into(),
        }
    }

    /// The order in which those with the highest priority come first.
    pub(crate) fn highest_first(a: &Chosen, b: &Chosen) -> Ordering {
        let by_priority = b.priority.total_cmp(&a.priority);
        by_priority.then_with(|| a.board.cmp(&b.board))
    }
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// A position of the book: its best move that leads out of the book.
    Leaf,
    /// A board that the book lacks: it becomes a position, with its best move that leads out of the book as its leaf.
    Position,
    /// The same, and if the search keeps what the parent promised, what its best move leads to becomes a position, too, and so on: a
    /// whole variation.
    Variation(Variation),
}

/// How far a variation goes, as in Egaroucid.
///
/// Each board is searched for its best move. The move becomes the leaf, and the variation ends, if one more disc would be too
/// many, if the book holds what the move leads to, or if the move *falls short*: if it is worth more than
/// [`within`](Variation::within) discs less, for the side that plays it, than the position before promised. Otherwise the next board
/// is what the move leads to, and it promises what the move was worth. A pass is a move like any other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The value of the position before for its side to move, in discs. The board itself should be worth as much for the other
    /// side.
    pub promised: i16,
    /// The number of discs by which each move may fall short; `None`: any number.
    pub within: Option<u16>,
}

impl Variation {
    /// Whether the variation continues with the best move of a board, which is worth this much for the side that plays it.
    ///
    /// ```
    /// use obook_learn::Variation;
    /// // The parent promises 3 discs to its side, so the other side may hope for −3.
    /// let variation = Variation { promised: 3, within: Some(2) };
    /// assert!(variation.goes_on(-5) && variation.goes_on(10));
    /// assert!(!variation.goes_on(-6));
    /// ```
    #[must_use]
    pub fn goes_on(self, worth: i16) -> bool {
        let short = -i32::from(self.promised) - i32::from(worth);
        self.within.is_none_or(|within| short <= within.into())
    }

    /// The variation for the board after the best move, which is worth this much for the side that plays it.
    #[must_use]
    pub fn after(self, worth: i16) -> Variation {
        Variation {
            promised: worth,
            ..self
        }
    }
}

/// Each board once, sorted: of several choices of a board, the one of the highest level, then the one whose variation goes
/// furthest.
pub(crate) fn each_once(mut chosen: Vec<Chosen>, level: u8) -> Vec<Chosen> {
    let greatest_first = |it: &Chosen| {
        let furthest = match it.want {
            Want::Variation(Variation { promised, within }) => {
                (within.map_or(u32::MAX, u32::from), promised)
            }
            Want::Leaf | Want::Position => (0, 0),
        };
        let greatest = (it.level.unwrap_or(level), it.level, furthest);
        (it.board, Reverse(greatest))
    };
    chosen.par_sort_unstable_by_key(greatest_first);
    chosen.dedup_by_key(|it| it.board);
    chosen
}
