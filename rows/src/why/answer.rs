//! The explanation of a value.

use obook_model::Engine;
use obook_model::levels::Effort;
use obook_othello::{CanonicalBoard, Move};

/// Why a position is worth what it is.
///
/// Moves are in the orientation of the board that was asked for, as they are seen after the moves before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// What the position is worth to its side to move, in discs.
    pub value: i16,
    /// The line that carries the value: best moves of both sides, through links, to the position whose payoff decides.
    pub line: Vec<Step>,
    /// The payoff that decides.
    pub payoff: Payoff,
    /// The other moves that count in its position, the best first.
    pub beside: Vec<Alternative>,
    /// What single payoffs change if they move by one or two discs, by line and then by shift.
    pub shifts: Vec<Shift>,
    /// Those are all up to so many discs: 2, or less where too many positions would have to be read.
    pub complete_to: i16,
    /// If the value is too low: the moves to add, those first that can help most nearly.
    pub additions: Vec<Addition>,
    /// If it is too high: what has to come down.
    pub lowering: Lowering,
    /// How many positions were read.
    pub read: u64,
}

/// A move on the line that carries the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The position in which it is made.
    pub board: CanonicalBoard,
    /// The move.
    pub mv: Move,
    /// What it is worth to who makes it.
    pub score: i16,
    /// The other moves that count in this position, the best first.
    pub others: Vec<Alternative>,
}

/// Another move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// The move.
    pub mv: Move,
    /// Whether it leads to a position of the book.
    pub is_link: bool,
    /// By how many discs it is worse than the best.
    pub worse: i16,
}

/// A score that is not computed from others, with the line to its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Payoff {
    /// The moves from the position that was asked for to
    pub line: Vec<Move>,
    /// this one.
    pub board: CanonicalBoard,
    /// Where the score comes from.
    pub kind: PayoffKind,
    /// The move of a leaf.
    pub mv: Option<Move>,
    /// For the side to move in its position.
    pub score: i16,
    /// Of the search behind it, on the scale of
    pub level: Option<u8>,
    /// this engine.
    pub engine: Engine,
    /// What the level says of the search; `None` where there was none, or its level is not known.
    pub search: Option<Effort>,
    /// By how many discs it may be off: 0 where it is exact, `None` where the rules of the book don't say.
    pub error: Option<i32>,
    /// What to search to know better; `None` where no search can.
    pub lead: Option<Lead>,
}

/// Where a payoff comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PayoffKind {
    /// The search of a move that leads out of the book.
    Leaf,
    /// The end of a game.
    GameOver,
    /// A search of the position itself, which knows no other.
    Position,
    /// A person, whose value holds whatever lies below.
    Person,
}

impl PayoffKind {
    /// Its name, in lower case.
    ///
    /// ```
    /// assert_eq!(obook_rows::why::PayoffKind::GameOver.name(), "end");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PayoffKind::Leaf => "leaf",
            PayoffKind::GameOver => "end",
            PayoffKind::Position => "position",
            PayoffKind::Person => "person",
        }
    }
}

/// A board to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lead {
    /// What a leaf leads to: it becomes a position of the book.
    Add(CanonicalBoard),
    /// A position of the book that lacks a leaf.
    Search(CanonicalBoard),
}

/// What one payoff changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shift {
    /// The payoff.
    pub payoff: Payoff,
    /// By how many discs it moves, for the side to move in its position: −2 to 2, never 0.
    pub shift: i16,
    /// What the position that was asked for is worth then.
    pub value: i16,
}

/// A move to add if a value is too low: it leads out of the book, from a position on the line in which the side that asks is to
/// move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addition {
    /// The moves from the position that was asked for to
    pub line: Vec<Move>,
    /// this one.
    pub board: CanonicalBoard,
    /// The leaf's move; `None` where no move that leads out of the book was searched yet.
    pub mv: Option<Move>,
    /// By how many discs it is worse than the best move, as far as it was searched; `None` where it was not.
    pub worse: Option<i16>,
    /// So much the position that was asked for can become worth by this move, for else the other side plays another move on the
    /// line, as long as those are worth what they are; `None`: any.
    pub ceiling: Option<i16>,
    /// What to search.
    pub lead: Lead,
}

/// What has to come down for a value to fall.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lowering {
    /// All of these payoffs, each by so many discs for the side that asks; if one of them stays, the value does.
    Payoffs {
        /// How many discs: 1 or 2.
        by: i16,
        /// By line.
        payoffs: Vec<Payoff>,
    },
    /// No payoffs that move by one or two discs bring it down: it hangs on exact scores.
    Exact,
    /// Too many positions would have to be read, or too many payoffs have to come down.
    Unknown,
}
