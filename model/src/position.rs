//! A position of a book, as every format and the database know it.

use obook_othello::{CanonicalBoard, Move};
use smallvec::SmallVec;

/// The engine on whose scale a level is: what a level says about a search depends on the engine and on the number of
/// empty squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Engine {
    /// Levels 0–60.
    Edax = 1,
    /// Levels 1–60; 70 means that a person entered the value.
    Egaroucid = 2,
    /// The engine that comes with obook. Its levels mean what Edax's do.
    Obook = 3,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 3] = [Engine::Edax, Engine::Egaroucid, Engine::Obook];

    /// The number by which databases know it: `engines.engine`.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The engine of this number.
    ///
    /// ```
    /// use obook_model::Engine;
    /// assert!(Engine::ALL.iter().all(|engine| Engine::from_code(engine.code().into()) == Some(*engine)));
    /// assert_eq!(Engine::from_code(0), None);
    /// ```
    #[must_use]
    pub fn from_code(code: i64) -> Option<Engine> {
        Engine::ALL
            .into_iter()
            .find(|engine| i64::from(engine.code()) == code)
    }

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Edax => "edax",
            Engine::Egaroucid => "egaroucid",
            Engine::Obook => "obook",
        }
    }
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The level that says that a person, not an engine, gave the value; both engines' scales end below it.
pub const PERSON_LEVEL: u8 = 70;

/// A position, its links and its leaf. What a format lacks is `None`.
///
/// Scores are disc differences for the side to move. Moves are in the orientation of the canonical board.
///
/// ```
/// use obook_model::{Engine, Position};
/// use obook_othello::Board;
/// let position = Position::new(Board::START.canonical(), Engine::Edax);
/// assert!(position.links.is_empty() && position.value.is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The key of the position.
    pub board: CanonicalBoard,
    /// Score of the best move, in discs.
    pub value: Option<i16>,
    /// What the value may be, given the errors of the searches below it.
    pub bounds: Option<Bounds>,
    /// Level of the search that gave the value or the leaf, on the engine's scale.
    pub level: Option<u8>,
    /// Whose scale the level is on.
    pub engine: Engine,
    /// Solved lines below, by their result.
    pub outcomes: Option<Outcomes>,
    /// Lines below, by paths; how they are counted depends on the book's rules.
    pub lines: Option<u32>,
    /// The moves that lead to positions of the book, best first where the book has scores.
    pub links: Links,
    /// The best move that leads to no position of the book, or the final score of a finished game.
    pub leaf: Option<Leaf>,
    /// What the book says of a leaf that it lacks; `None` where it says nothing, or where there is a leaf.
    pub no_leaf: Option<NoLeaf>,
}

/// Lower and upper bound of a value, in discs for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// At least this.
    pub lower: i16,
    /// At most this.
    pub upper: i16,
}

/// Numbers of solved lines by their result for the side to move; they saturate at 2³² − 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// Lines that the side to move wins.
    pub wins: u32,
    /// Drawn lines.
    pub draws: u32,
    /// Lines that it loses.
    pub losses: u32,
}

/// A legal move whose child is a position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The move, in the orientation of the canonical board.
    pub mv: Move,
    /// The child's value for the side to move, if it is known.
    pub score: Option<i8>,
}

/// Links of one position. Few positions have more than four.
pub type Links = SmallVec<[Link; 4]>;

/// A searched move that leads to no position of the book; without a move, the score of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The move, in the orientation of the canonical board; `None` when the game is over.
    pub mv: Option<Move>,
    /// Score for the side to move, in discs.
    pub score: i8,
    /// Level of the search behind the score, if the book says so.
    pub level: Option<u8>,
    /// Whose scale the level is on: where books of two engines were merged, it need not be the position's.
    pub engine: Engine,
}

/// What a book says of a leaf that it lacks. Where it says nothing, the moves tell: those that lead out of the book are
/// not searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLeaf {
    /// No legal move leads out of the book: there is nothing to search.
    AllMovesInBook,
    /// A move leads out of the book, and none was searched yet.
    Undefined,
}

impl NoLeaf {
    /// All of them.
    pub const ALL: [NoLeaf; 2] = [NoLeaf::AllMovesInBook, NoLeaf::Undefined];
}

impl std::fmt::Display for NoLeaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoLeaf::AllMovesInBook => "all moves in the book",
            NoLeaf::Undefined => "undefined",
        })
    }
}

impl Position {
    /// A position of which nothing is known yet.
    #[must_use]
    pub fn new(board: CanonicalBoard, engine: Engine) -> Position {
        Position {
            board,
            value: None,
            bounds: None,
            level: None,
            engine,
            outcomes: None,
            lines: None,
            links: Links::new(),
            leaf: None,
            no_leaf: None,
        }
    }

    /// Gives it a leaf: what was said of a missing one no longer holds.
    pub fn set_leaf(&mut self, leaf: Leaf) {
        self.leaf = Some(leaf);
        self.no_leaf = None;
    }
}
