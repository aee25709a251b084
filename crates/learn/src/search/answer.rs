//! Which answers count: engines are other people's programs.

use obook_engine::wire::Failure;
use obook_engine::{Answer, Request, SearchError};
use obook_othello::Leaf;
use obook_othello::levels::Effort;

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
    /// The search ended early.
    #[error("the search was not finished")]
    Unfinished,
    /// The answer can't be, or isn't one to the question, for this reason.
    #[error("{0}")]
    Wrong(String),
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
    let Answer {
        mv,
        score,
        level,
        engine,
        ..
    } = *answer;
    let asked = request.level();
    let empties = request.board().empties() as u8;
    let is_solved = || Effort::new(engine, level, empties).is_solved();
    let wrong = if !request.moves().any(|it| it == mv) {
        format!("the answer {mv} is not one of the requested moves")
    } else if !(-64..=64).contains(&score) {
        format!("the score {score} is beyond 64 discs")
    } else if level != asked {
        format!("the answer has level {level}, not the requested {asked}")
    } else if is_solved() && score % 2 != 0 {
        // A game that is played to its end has an even score: the winner gets the empty squares.
        format!("the score {score} of a solved position is odd")
    } else {
        return Ok(leaf(answer));
    };
    Err(NoAnswer::Wrong(wrong))
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
