//! Positions of a book.

use crate::levels::of_leaf;
use crate::{Board, CanonicalBoard, Engine, Move, Proof};
use smallvec::SmallVec;
use std::cmp::Reverse;

/// The level of a value entered by a person. Both engines' scales end below it.
pub const PERSON_LEVEL: u8 = 70;

/// Whether a value of this level was entered by a person: it counts as exact, and no search or child changes it.
///
/// ```
/// use obook_othello::{PERSON_LEVEL, is_entered};
/// assert!(is_entered(Some(PERSON_LEVEL)) && !is_entered(Some(60)) && !is_entered(None));
/// ```
#[must_use]
pub fn is_entered(level: Option<u8>) -> bool {
    level.is_some_and(|level| level >= PERSON_LEVEL)
}

/// A position with its links and its leaf. Anything a format lacks is `None`.
///
/// Scores are disc differences for the side to move. Moves are in the orientation of the board: of the canonical one in books,
/// of the players' own in a `Position<Board>`, which [`Position::on`] makes.
///
/// ```
/// use obook_othello::{Board, Engine, Position};
/// let position = Position::new(Board::START.canonical(), Engine::Edax);
/// assert!(position.links.is_empty() && position.value.is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position<B = CanonicalBoard> {
    /// The board. A canonical one is the position's key.
    pub board: B,
    /// The score of the best move, in discs.
    pub value: Option<i16>,
    /// Bounds of the value, given the errors of the searches below it.
    pub bounds: Option<Bounds>,
    /// The proven bounds of the value.
    pub proof: Option<Proof>,
    /// The level of the search behind the value or the leaf.
    pub level: Option<u8>,
    /// The engine whose scale the level is on.
    pub engine: Engine,
    /// The number of solved lines below, by result.
    pub outcomes: Option<Outcomes>,
    /// The number of lines below, counted by paths; the book's rules say how.
    pub lines: Option<u32>,
    /// The moves that lead to positions of the book, best first if the book has scores.
    pub links: Links,
    /// The best searched move out of the book, or the final score of a finished game.
    pub leaf: Option<Leaf>,
    /// Why there is no leaf; `None` if the book doesn't say, or if there is one.
    pub no_leaf: Option<NoLeaf>,
}

/// A lower and an upper bound of a value, in discs for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: i16,
    /// The value is at most this.
    pub upper: i16,
}

impl Bounds {
    /// The same bounds seen by the other side.
    #[must_use]
    pub fn turned(self) -> Bounds {
        Bounds {
            lower: self.upper.saturating_neg(),
            upper: self.lower.saturating_neg(),
        }
    }

    /// The greater bounds of both, each by itself: those of a position that both are moves of.
    #[must_use]
    pub fn greater(self, other: Bounds) -> Bounds {
        Bounds {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }
}

/// The numbers of solved lines by result for the side to move. They saturate at 2³² − 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// Lines won by the side to move.
    pub wins: u32,
    /// Drawn lines.
    pub draws: u32,
    /// Lines lost by the side to move.
    pub losses: u32,
}

impl From<[u32; 3]> for Outcomes {
    fn from([wins, draws, losses]: [u32; 3]) -> Outcomes {
        Outcomes {
            wins,
            draws,
            losses,
        }
    }
}

impl std::ops::AddAssign for Outcomes {
    #[inline]
    fn add_assign(&mut self, more: Outcomes) {
        self.wins = self.wins.saturating_add(more.wins);
        self.draws = self.draws.saturating_add(more.draws);
        self.losses = self.losses.saturating_add(more.losses);
    }
}

/// A legal move whose child is a position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The move, in the orientation of the position's board.
    pub mv: Move,
    /// The child's value for the side to move here, if known.
    pub score: Option<i8>,
}

/// The links of a position. Few positions have more than four.
pub type Links = SmallVec<[Link; 4]>;

/// A searched move that leads out of the book; without a move, the score of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The move, in the orientation of the position's board; `None` if the game is over.
    pub mv: Option<Move>,
    /// The score for the side to move, in discs.
    pub score: i8,
    /// The level of the search behind the score, if known.
    pub level: Option<u8>,
    /// The engine whose scale the level is on. In a merged book it may differ from the position's.
    pub engine: Engine,
}

/// The leaf of a finished game: its score, which an engine states at this level.
///
/// ```
/// use obook_othello::{Engine, Line, final_leaf};
/// let line: Line = "e6f4e3f6g5d6e7f5c5".parse()?;
/// let leaf = final_leaf(line.board(), Some(60), Engine::Edax);
/// assert_eq!((leaf.mv, leaf.score.abs()), (None, 64));
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[must_use]
pub const fn final_leaf(board: Board, level: Option<u8>, engine: Engine) -> Leaf {
    Leaf {
        mv: None,
        score: board.final_score(),
        level,
        engine,
    }
}

/// A leaf that a position lost because its move became a link. The search that is due must not be weaker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The move, in the orientation of the canonical board.
    pub mv: Move,
    /// The score for the side to move, in discs.
    pub score: i8,
    /// The level of the search behind the score, if known.
    pub level: Option<u8>,
    /// The engine whose scale the level is on.
    pub engine: Engine,
}

impl Lost {
    /// Remembers a leaf of this position; `None` if it is the score of a finished game.
    #[must_use]
    pub fn of(leaf: Leaf, position: &Position) -> Option<Lost> {
        Some(Lost {
            mv: leaf.mv?,
            score: leaf.score,
            level: of_leaf(leaf, position.level, position.engine),
            engine: leaf.engine,
        })
    }
}

impl From<Lost> for Leaf {
    fn from(lost: Lost) -> Leaf {
        Leaf {
            mv: Some(lost.mv),
            score: lost.score,
            level: lost.level,
            engine: lost.engine,
        }
    }
}

/// Why a position has no leaf, if the book says so. Otherwise any move that leads out of the book hasn't been searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLeaf {
    /// All legal moves stay in the book, so there is nothing to search.
    AllMovesInBook,
    /// A move leads out of the book, but hasn't been searched yet.
    Undefined,
}

impl NoLeaf {
    /// All reasons.
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
    /// Creates a position about which nothing is known yet.
    #[must_use]
    pub fn new(board: CanonicalBoard, engine: Engine) -> Position {
        Position {
            board,
            value: None,
            bounds: None,
            proof: None,
            level: None,
            engine,
            outcomes: None,
            lines: None,
            links: Links::new(),
            leaf: None,
            no_leaf: None,
        }
    }

    /// The position as seen on this board: with all moves in its orientation.
    ///
    /// ```
    /// use obook_othello::{Board, Engine, Line, Link, Position};
    /// let board = "f5d6".parse::<Line>()?.board();
    /// let mut position = Position::new(board.canonical(), Engine::Edax);
    /// position.links.extend(position.board.board().moves().map(|mv| Link { mv, score: None }));
    /// for (mv, _) in position.on(board).moves() {
    ///     assert!(board.play(mv).is_some());
    /// }
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    ///
    /// # Panics
    /// If the board isn't one of the eight that mean this position.
    #[must_use]
    pub fn on(self, board: Board) -> Position<Board> {
        let (canonical, symmetry) = board.canonicalize();
        assert!(canonical == self.board, "the board of another position");
        let back = symmetry.inverse();
        let mut position = Position {
            board,
            value: self.value,
            bounds: self.bounds,
            proof: self.proof,
            level: self.level,
            engine: self.engine,
            outcomes: self.outcomes,
            lines: self.lines,
            links: self.links,
            leaf: self.leaf,
            no_leaf: self.no_leaf,
        };
        for link in &mut position.links {
            link.mv = back.play(link.mv);
        }
        if let Some(Leaf { mv: Some(mv), .. }) = &mut position.leaf {
            *mv = back.play(*mv);
        }
        position.sort_links();
        position
    }
}

impl<B> Position<B> {
    /// The moves that the book knows, with their scores, best first: the links, and the leaf, which comes after links that are as
    /// good.
    pub fn moves(&self) -> impl Iterator<Item = (Move, Option<i8>)> + use<B> {
        let moves = self.known_moves().map(|(mv, score, _)| (mv, score));
        let mut moves: SmallVec<[_; 8]> = moves.collect();
        moves.sort_by_key(|(_, score)| Reverse(*score));
        moves.into_iter()
    }

    /// The moves that the book knows, with their scores, and whether each is the leaf: the links, and then the leaf.
    pub fn known_moves(&self) -> impl Iterator<Item = (Move, Option<i8>, bool)> {
        let leaf = self.leaf;
        let leaf = leaf.and_then(|leaf| Some((leaf.mv?, Some(leaf.score), true)));
        let links = self.links.iter().map(|link| (link.mv, link.score, false));
        links.chain(leaf)
    }

    /// Sorts links by score, best first, as Edax does, and equal ones by move.
    pub fn sort_links(&mut self) {
        self.links
            .sort_unstable_by_key(|link| (Reverse(link.score), link.mv));
    }

    /// Sets the leaf, and clears the reason for a missing one.
    pub fn set_leaf(&mut self, leaf: Leaf) {
        self.leaf = Some(leaf);
        self.no_leaf = None;
    }
}
