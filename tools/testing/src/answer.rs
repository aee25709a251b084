//! Answers of engines that tests make up or have recorded.

use obook_engine::{Answer, Request};
use obook_othello::{Engine, Move};
use std::time::Duration;

/// An answer with the move, score and level that a book stores.
pub fn answer(request: &Request, engine: Engine, mv: Move, score: i8) -> Answer {
    Answer {
        mv,
        score,
        depth: request.level(),
        probability: None,
        proven: false,
        complete: true,
        variation: vec![mv],
        nodes: None,
        time: Duration::ZERO,
        engine,
        level: request.level(),
    }
}
