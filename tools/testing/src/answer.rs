//! Answers of engines that tests make up or have recorded.

use obook_engine::{Answer, Request};
use obook_othello::{Engine, Move};

/// An answer with the move, score and level that a book stores.
pub fn answer(request: &Request, engine: Engine, mv: Move, score: i8) -> Answer {
    Answer {
        variation: vec![mv],
        ..Answer::new(engine, request, mv, score, request.level())
    }
}
