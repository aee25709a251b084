//! The explanation of a value.

use obook_othello::levels::Effort;
use obook_othello::{CanonicalBoard, Engine, Move};

/// Why a position has its value.
///
/// Moves are in the orientation of the board asked about, as seen after the moves before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// The position's value for its side to move, in discs.
    pub value: i16,
    /// The principal line: both sides' best moves, through links, to the position whose payoff decides.
    pub line: Vec<Step>,
    /// The payoff that decides.
    pub payoff: Payoff,
    /// The other relevant moves in that position, best first.
    pub beside: Vec<Alternative>,
    /// The effects of shifting single payoffs by one or two discs, sorted by line and then by shift.
    pub shifts: Vec<Shift>,
    /// The largest shift for which that list is complete: 2, or less if too many positions would have to be read.
    pub complete_to: i16,
    /// If the value is too low: the moves to search, most promising first.
    pub additions: Vec<Addition>,
    /// If the value is too high: what has to come down.
    pub lowering: Lowering,
    /// The number of positions read.
    pub read: u64,
}

/// A move on the principal line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The position before the move.
    pub board: CanonicalBoard,
    /// The move.
    pub mv: Move,
    /// The move's score for the side that plays it.
    pub score: i16,
    /// The other relevant moves in this position, best first.
    pub others: Vec<Alternative>,
}

/// Another move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// The move.
    pub mv: Move,
    /// Whether it leads to a position in the book.
    pub is_link: bool,
    /// By how many discs it is worse than the best move.
    pub worse: i16,
}

/// A score that isn't computed from others, with the line to its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Payoff {
    /// The moves that lead to its position.
    pub line: Vec<Move>,
    /// Its position.
    pub board: CanonicalBoard,
    /// The source of the score.
    pub kind: PayoffKind,
    /// The move, for a leaf.
    pub mv: Option<Move>,
    /// The score for the side to move in its position.
    pub score: i16,
    /// The level of the search behind it.
    pub level: Option<u8>,
    /// The engine whose scale the level is on.
    pub engine: Engine,
    /// The effort of the search; `None` if there was none or its level is unknown.
    pub search: Option<Effort>,
    /// By how many discs it may be off: 0 if exact, `None` if the book's rules don't say.
    pub error: Option<i32>,
    /// The search that could improve it; `None` if no search can.
    pub lead: Option<Lead>,
}

obook_base::named! {
    /// The source of a payoff.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum PayoffKind {
        /// The search of a move that leads out of the book.
        Leaf = "leaf",
        /// The end of the game.
        GameOver = "end",
        /// A search of the position itself, which has no other score.
        Position = "position",
        /// A person, whose value holds regardless of anything below.
        Person = "person",
        /// A proven bound, which the scores below contradict or don't reach.
        Proof = "proof",
    }
}

/// A board to search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lead {
    /// The position after a leaf's move, to be added to the book.
    Add(CanonicalBoard),
    /// A position of the book without a leaf.
    Search(CanonicalBoard),
}

/// The effect of shifting one payoff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shift {
    /// The payoff.
    pub payoff: Payoff,
    /// The shift in discs for the side to move in its position: −2 to 2, never 0.
    pub shift: i16,
    /// The resulting value of the position asked about.
    pub value: i16,
}

/// A move to search if a value is too low. It leads out of the book from a position on the principal line in which the side asked
/// about is to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addition {
    /// The moves that lead to its position.
    pub line: Vec<Move>,
    /// Its position.
    pub board: CanonicalBoard,
    /// The leaf's move; `None` if no move out of the book has been searched yet.
    pub mv: Option<Move>,
    /// By how many discs it is worse than the best move, according to its search; `None` if it hasn't been searched.
    pub worse: Option<i16>,
    /// The highest value that this move can give the position asked about. Beyond it the other side would play a different move
    /// on the line. `None` if there is no limit.
    pub ceiling: Option<i16>,
    /// The search.
    pub lead: Lead,
}

impl Addition {
    /// The largest difference in discs that a search can plausibly make up.
    pub const WITHIN_REACH: i16 = 4;

    /// Whether a search can plausibly make it the best move.
    #[must_use]
    pub fn is_within_reach(&self) -> bool {
        self.worse
            .is_none_or(|worse| worse <= Addition::WITHIN_REACH)
    }
}

/// The payoffs that have to come down to lower a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lowering {
    /// All of these payoffs, each by this many discs for the side asked about. If one of them stays, so does the value.
    Payoffs {
        /// The number of discs: 1 or 2.
        by: i16,
        /// The payoffs, sorted by line.
        payoffs: Vec<Payoff>,
    },
    /// Shifting payoffs by one or two discs can't lower it: it rests on exact scores.
    Exact,
    /// Too many positions would have to be read, or too many payoffs would have to come down.
    Unknown,
}

/// An explanation, or the reason why there is none.
pub(super) type Explained<T, E> = Result<T, Unexplained<E>>;

/// Why there is no explanation.
#[derive(Debug, thiserror::Error)]
pub enum Unexplained<E> {
    /// The book can't be read.
    #[error(transparent)]
    Read(E),
    /// The position isn't in the book.
    #[error("the book does not hold {}", .0.board().to_text())]
    Absent(CanonicalBoard),
    /// A position has no value.
    #[error("{}: the book has no value for it", .0.board().to_text())]
    NoValue(CanonicalBoard),
    /// A position contradicts a link to it, or its value isn't the best of the scores below it.
    #[error("{}: {}", .0.board().to_text(), .1)]
    Contradiction(CanonicalBoard, String),
}
