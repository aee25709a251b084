//! The engine inside.

use crate::{Answer, Request, SearchError, Searcher};
use obook_converters::Engine;
use obook_converters::levels::Search;
use obook_othello::{Board, Move};
use std::time::Instant;

/// The engine of this crate, which needs nothing installed.
#[derive(Debug, Default)]
pub struct Inside {
    nodes: u64,
}

impl Inside {
    /// One searcher.
    #[must_use]
    pub fn new() -> Inside {
        Inside::default()
    }

    fn negamax(&mut self, board: Board, depth: u8, mut alpha: i8, beta: i8) -> (i8, Vec<Move>) {
        self.nodes += 1;
        if board.is_over() {
            return (board.final_score(), Vec::new());
        }
        if depth == 0 {
            let mobility =
                board.legal_moves().len() as i8 - board.passed().legal_moves().len() as i8;
            return (mobility, Vec::new());
        }
        let mut best = (-65, Vec::new());
        for (mv, child) in board.children() {
            let rest = if mv == Move::Pass { depth } else { depth - 1 };
            let (score, line) = self.negamax(child, rest, -beta, -alpha);
            if -score > best.0 {
                best = (-score, [vec![mv], line].concat());
                alpha = alpha.max(-score);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }
}

impl Searcher for Inside {
    fn name(&self) -> &str {
        "inside"
    }

    fn engine(&self) -> Engine {
        Engine::Edax
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let start = Instant::now();
        self.nodes = 0;
        let board = request.board();
        let search = Search::new(self.engine(), request.level(), board.empties() as u8);
        let depth = search.depth.clamp(1, 6);
        let mut best: Option<(i8, Vec<Move>)> = None;
        for mv in request.moves() {
            let child = board.play(mv).unwrap_or(board);
            let alpha = best.as_ref().map_or(-65, |(score, _)| *score);
            let (score, line) = self.negamax(child, depth - 1, -65, -alpha);
            if best.as_ref().is_none_or(|(known, _)| -score > *known) {
                best = Some((-score, [vec![mv], line].concat()));
            }
        }
        let (score, variation) = best.ok_or(SearchError::Stopped)?;
        Ok(Answer {
            mv: variation[0],
            score,
            depth: search.depth,
            probability: Some(search.probability),
            proven: search.is_solved(),
            complete: true,
            variation,
            nodes: Some(self.nodes),
            time: start.elapsed(),
            engine: self.engine(),
            level: request.level(),
        })
    }
}
