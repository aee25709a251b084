//! Requests to engines.

use obook_othello::{Board, Move, SquareSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use thiserror::Error;

/// A position to search, the moves to leave out, the level, and limits. There's always a move left to search.
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

/// Limits that end a search early. By default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The wall-clock time for this search.
    pub time: Option<Duration>,
    /// The number of nodes that this search may visit.
    pub nodes: Option<u64>,
    /// Ends the search as soon as it's set.
    pub stop: Stop,
}

impl Limits {
    /// No limit but this flag.
    #[must_use]
    pub fn until(stop: &Stop) -> Limits {
        Limits {
            stop: stop.clone(),
            ..Limits::default()
        }
    }
}

/// A flag that ends searches from another thread. Clones share the flag.
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

/// Why there's nothing to search in a position.
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
    /// Creates a request to search `board` at `level`, on the scale of the engine that will search, without limits.
    ///
    /// # Errors
    /// Returns [`NothingToSearch::GameOver`] if neither side can move.
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

    /// Leaves out this move too. Illegal moves are ignored.
    ///
    /// # Errors
    /// Returns [`NothingToSearch::AllLeftOut`] if no legal move remains.
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

    /// Sets the limits.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Request {
        self.limits = limits;
        self
    }

    /// The position.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board
    }

    /// The squares left out.
    #[must_use]
    pub fn excluded(&self) -> SquareSet {
        self.excluded
    }

    /// The level, on the scale of the engine that searches.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The moves to search, at least one: legal and not left out, or the pass.
    pub fn moves(&self) -> impl Iterator<Item = Move> + use<> {
        let excluded = self.excluded;
        let left_out = move |square| excluded.contains(square);
        let moves = self.board.moves();
        moves.filter(move |mv| !mv.square().is_some_and(left_out))
    }
}

impl Stop {
    /// Ends all searches with this flag, for good.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two are equal if they are the same flag.
impl PartialEq for Stop {
    fn eq(&self, other: &Stop) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stop {}
