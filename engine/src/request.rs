//! What is asked of an engine.

use obook_othello::{Board, Move, SquareSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use thiserror::Error;

/// A position to search, the moves to leave out, the level, and limits. There is always a move left to search.
///
/// ```
/// use obook_engine::{NothingToSearch, Request};
/// use obook_othello::Board;
/// let mut request = Request::new(Board::START, 10)?;
/// for (played, _) in Board::START.children().take(3) {
///     request = request.without(played)?;
/// }
/// assert_eq!(request.moves().count(), 1);
/// let last = request.moves().next().unwrap();
/// assert_eq!(request.without(last), Err(NothingToSearch::AllLeftOut));
/// # Ok::<(), NothingToSearch>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    board: Board,
    excluded: SquareSet,
    level: u8,
    limits: Limits,
}

/// What ends a search before it is finished. None of them does at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time for this search.
    pub time: Option<Duration>,
    /// Nodes that this search may visit.
    pub nodes: Option<u64>,
    /// Ends the search as soon as it is set.
    pub stop: Stop,
}

/// A flag that ends searches from another thread; its clones are one flag.
///
/// ```
/// use obook_engine::Stop;
/// let stop = Stop::default();
/// let same = stop.clone();
/// stop.set();
/// assert!(same.is_set());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

/// Why there is nothing to search in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NothingToSearch {
    /// Neither side can move.
    #[error("the game is over")]
    GameOver,
    /// Every legal move is left out.
    #[error("all legal moves are left out")]
    AllLeftOut,
}

impl Request {
    /// A search of `board` at `level`, on the scale of the engine that will search; without limits.
    ///
    /// # Errors
    /// [`NothingToSearch::GameOver`] where neither side can move.
    pub fn new(board: Board, level: u8) -> Result<Request, NothingToSearch> {
        if board.is_over() {
            return Err(NothingToSearch::GameOver);
        }
        Ok(Request {
            board,
            excluded: SquareSet::default(),
            level,
            limits: Limits::default(),
        })
    }

    /// The same without this move too. A move that is not legal is not there anyway.
    ///
    /// # Errors
    /// [`NothingToSearch::AllLeftOut`] where no legal move remains.
    pub fn without(mut self, left_out: Move) -> Result<Request, NothingToSearch> {
        match left_out {
            Move::Place(square) => self.excluded.0 |= square.bit(),
            Move::Pass if self.board.must_pass() => return Err(NothingToSearch::AllLeftOut),
            Move::Pass => {}
        }
        if self.moves().next().is_none() {
            return Err(NothingToSearch::AllLeftOut);
        }
        Ok(self)
    }

    /// The same within these limits.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Request {
        self.limits = limits;
        self
    }

    /// The position, seen by the side to move.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board
    }

    /// The squares to leave out.
    #[must_use]
    pub fn excluded(&self) -> SquareSet {
        self.excluded
    }

    /// The level, on the scale of the engine that searches.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// What ends the search early.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The moves among which the best is asked for, at least one: legal and not left out, or the pass.
    pub fn moves(&self) -> impl Iterator<Item = Move> + use<> {
        let excluded = self.excluded;
        self.board.moves().filter(move |mv| match mv {
            Move::Place(square) => !excluded.contains(*square),
            Move::Pass => true,
        })
    }
}

impl Stop {
    /// Ends all searches that look at this flag, for good.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether searches are to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two are equal where they are the same flag.
impl PartialEq for Stop {
    fn eq(&self, other: &Stop) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stop {}
