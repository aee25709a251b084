//! Questions for engines, with their levels.

use super::{NoAnswer, leaf_of};
use obook_engine::{Answer, NothingToSearch, Request, wire};
use obook_othello::levels::{MAX_LEVEL, Strength, is_solved};
use obook_othello::{CanonicalBoard, Engine, Move, Position};
use std::fmt::{Debug, Display};

/// A question to an engine, on this machine or another one: what the rules of asking need to know of a game.
pub trait Asked: Clone + Debug + Send + Sync + 'static {
    /// The answer to it.
    type Answer: Clone + Debug + Send + Sync;
    /// The identity of an engine.
    type Engine: Copy + PartialEq + Debug + Display + Send + Sync + 'static;
    /// The question in the form in which it travels.
    type Wire: wire::Sent<Answer = Self::Answer>;

    /// The position, as people write it.
    fn position(&self) -> String;

    /// Checks that the answer counts.
    ///
    /// # Errors
    /// Fails with the reason if it doesn't: [`NoAnswer::Unfinished`] if the search was ended early.
    fn check(&self, answer: &Self::Answer) -> Result<(), NoAnswer>;

    /// The question, ready to travel, with the engine that it is for.
    fn to_wire(&self, engine: Self::Engine) -> Self::Wire;

    /// A question that has arrived, and the engine that it is for.
    fn from_wire(wire: Self::Wire) -> (Self, Self::Engine);

    /// The engine in the names of a server: letters, digits and hyphens.
    fn token(engine: Self::Engine) -> String;

    /// How much is searched, in letters, digits and hyphens.
    fn effort(&self) -> String;

    /// Whether both answers may be right.
    fn agree(&self, one: &Self::Answer, other: &Self::Answer) -> bool;
}

/// How far two inexact scores of an outside engine may differ, in discs. Machines may have different builds, with different
/// evaluations.
const TOLERANCE: i16 = 4;

/// The board of a request has any orientation, and answers have the same. A search for a book has the canonical one, and leaves out the
/// moves that lead into the book.
impl Asked for Request {
    type Answer = Answer;
    type Engine = Engine;
    type Wire = wire::Question;

    fn position(&self) -> String {
        self.board().canonical().board().to_text()
    }

    fn check(&self, answer: &Answer) -> Result<(), NoAnswer> {
        leaf_of(self, answer).map(drop)
    }

    fn to_wire(&self, engine: Engine) -> wire::Question {
        wire::Question {
            request: self.clone(),
            engine,
        }
    }

    fn from_wire(wire: wire::Question) -> (Request, Engine) {
        (wire.request, wire.engine)
    }

    fn token(engine: Engine) -> String {
        engine.token()
    }

    fn effort(&self) -> String {
        self.level().to_string()
    }

    /// Exact scores must be equal. Answers of the built-in engine must have the same score and move, since it finds the same on all
    /// machines.
    fn agree(&self, one: &Answer, other: &Answer) -> bool {
        let difference = (i16::from(one.score) - i16::from(other.score)).abs();
        let empties = self.board().empties() as u8;
        match one.engine {
            Engine::Obook => difference == 0 && one.mv == other.mv,
            engine if is_solved(engine, self.level(), empties) => difference == 0,
            _ => difference <= TOLERANCE,
        }
    }
}

/// A request about a board at this level, with these moves left out.
///
/// # Errors
/// Fails if there is nothing to search: the game is over, or every move is left out.
pub(crate) fn request(
    board: CanonicalBoard,
    level: u8,
    without: impl IntoIterator<Item = Move>,
) -> Result<Request, NothingToSearch> {
    let whole = Request::new(board.board(), level)?;
    without.into_iter().try_fold(whole, Request::without)
}

/// The request whose answer is the leaf of a position.
///
/// # Errors
/// Fails if there is nothing to search: the game is over, or every move is a link.
pub(crate) fn request_of(position: &Position, level: u8) -> Result<Request, NothingToSearch> {
    let links = position.links.iter().map(|link| link.mv);
    request(position.board, level, links)
}

/// The lowest level of this engine, `level` or higher, at which it searches as much as another engine at a level of its own. Its
/// levels are taken at their word, whatever its place.
pub(crate) fn as_strong_as(
    (other, at): (Engine, u8),
    engine: Engine,
    level: u8,
    board: CanonicalBoard,
) -> u8 {
    let empties = board.board().empties() as u8;
    let claimed = |engine: Engine, level| Strength::new(engine.scale(), Some(level), empties);
    let is_enough = |level: &u8| claimed(engine, *level) >= claimed(other, at);
    (level..MAX_LEVEL).find(is_enough).unwrap_or(MAX_LEVEL)
}
