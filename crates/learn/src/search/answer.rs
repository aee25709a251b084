//! Which answers count: engines are other people's programs.

use obook_engine::wire::Failure;
use obook_engine::{Answer, Request, SearchError, Trouble};
use obook_othello::levels::Effort;
use obook_othello::{Leaf, Move};

/// Why an engine's answer does not count.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnswer {
    /// The engine gave none.
    #[error(transparent)]
    Failed(#[from] SearchError),
    /// The engine panicked. Its searcher is gone.
    #[error("the searcher panicked: {0}")]
    Panicked(String),
    /// Other machines gave none.
    #[error(transparent)]
    Elsewhere(#[from] Failure),
    /// The move is illegal or was left out.
    #[error("the answer {0} is not one of the requested moves")]
    Move(Move),
    /// The score is impossible.
    #[error("the score {0} is beyond 64 discs")]
    Score(i8),
    /// The search was of another level.
    #[error("the answer has level {found}, not the requested {asked}")]
    Level {
        /// The level of the answer.
        found: u8,
        /// The level of the request.
        asked: u8,
    },
    /// The search ended early.
    #[error("the search was not finished")]
    Unfinished,
    /// A move of an answer for shogi can't be.
    #[error("the engine failed: {0}")]
    Shogi(#[from] Trouble),
    /// A move of an answer for shogi is there twice.
    #[error("the answer {0} comes twice")]
    Twice(obook_shogi::Move),
    /// It lists no moves, or more than asked for.
    #[error("the answer has {0} moves")]
    Moves(usize),
    /// A game that is played to its end has an even score: the winner gets the empty squares.
    #[error("the score {0} of a solved position is odd")]
    Odd(i8),
}

/// The leaf that an answer gives, if it answers the request.
///
/// ```
/// use obook_engine::{Inside, Request, Searcher};
/// use obook_learn::search::leaf_of;
/// use obook_othello::Board;
/// let request = Request::new(Board::START, 2)?;
/// let answer = Inside::new().search(&request)?;
/// assert_eq!(leaf_of(&request, &answer)?.mv, Some(answer.mv));
/// // The same answer says nothing about the moves that are left without it.
/// assert!(leaf_of(&request.without(answer.mv)?, &answer).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails with the reason if it does not.
pub fn leaf_of(request: &Request, answer: &Answer) -> Result<Leaf, NoAnswer> {
    if !answer.complete {
        return Err(NoAnswer::Unfinished);
    }
    if !request.moves().any(|mv| mv == answer.mv) {
        return Err(NoAnswer::Move(answer.mv));
    }
    if !(-64..=64).contains(&answer.score) {
        return Err(NoAnswer::Score(answer.score));
    }
    if answer.level != request.level() {
        return Err(NoAnswer::Level {
            found: answer.level,
            asked: request.level(),
        });
    }
    let empties = request.board().empties() as u8;
    let search = Effort::new(answer.engine, answer.level, empties);
    if search.is_solved() && answer.score % 2 != 0 {
        return Err(NoAnswer::Odd(answer.score));
    }
    Ok(leaf(answer))
}

/// The leaf of an answer that counts.
pub(crate) fn leaf(answer: &Answer) -> Leaf {
    Leaf {
        mv: Some(answer.mv),
        score: answer.score,
        level: Some(answer.level),
        engine: answer.engine,
    }
}
