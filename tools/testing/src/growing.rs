//! A plain model of growing: records by board, with the whole book linked and computed again after each wave.

use crate::random_book::graph_of;
use obook_engine::Request;
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax};
use obook_learn::{Chosen, Played, Setting, Variation, Want};
use obook_othello::levels::of_leaf;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use std::collections::BTreeMap;

/// Finds the best move of a request, and its score.
pub type Answers<'a> = dyn FnMut(&Request) -> (Move, i8) + 'a;

/// The setting of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    pub root: CanonicalBoard,
    pub scoring: Scoring,
    pub depth: u8,
    pub level: u8,
    pub engine: Engine,
}

impl Stage {
    pub fn setting(&self, turn: u64) -> Setting<'static> {
        Setting {
            root: self.root,
            depth: self.depth,
            level: self.level,
            engine: self.engine,
            turn,
            played: const { &Played::NOTHING },
        }
    }
}

/// A growing book.
#[derive(Clone, Debug)]
pub struct Growing {
    pub positions: BTreeMap<CanonicalBoard, Position>,
    pub stage: Stage,
}

impl Growing {
    pub fn new(positions: impl IntoIterator<Item = Position>, stage: Stage) -> Growing {
        let by_board = positions.into_iter().map(|it| (it.board, it));
        Growing {
            positions: by_board.collect(),
            stage,
        }
    }

    /// The book, fixed.
    pub fn graph(&self) -> Graph {
        let mut graph = graph_of(self.positions.values().cloned());
        link(&mut graph).unwrap();
        negamax(&mut graph, self.stage.scoring);
        graph
    }

    /// Whether a board is in the book.
    #[must_use]
    pub fn has(&self, board: Board) -> bool {
        self.positions.contains_key(&board.canonical())
    }

    /// A search for a move that leads out of the book, if there is one.
    fn request(&self, board: CanonicalBoard, level: u8) -> Option<Request> {
        let mut request = Request::new(board.board(), level).ok()?;
        for (mv, child) in board.board().children() {
            if self.has(child) {
                request = request.without(mv).ok()?;
            }
        }
        Some(request)
    }

    /// Fixes the book and finds missing leaves, at the level of the lost leaf.
    pub fn complete(&mut self, answers: &mut Answers<'_>) {
        let mut lost = BTreeMap::new();
        for (board, position) in &self.positions {
            let leads_in = |mv| board.board().play(mv).is_some_and(|child| self.has(child));
            if let Some(leaf) = position.leaf.filter(|leaf| leaf.mv.is_some_and(leads_in)) {
                lost.insert(*board, of_leaf(leaf, position.level, position.engine));
            }
        }
        let graph = self.graph();
        let lacking = graph.positions().filter(|it| it.leaf.is_none());
        let lacking: Vec<CanonicalBoard> = lacking.map(|it| it.board).collect();
        for board in lacking {
            self.positions.get_mut(&board).unwrap().leaf = None;
            let level = lost.get(&board).copied().flatten();
            let found = self.searched(board, level.unwrap_or(self.stage.level), answers);
            self.positions.insert(board, found);
        }
        let graph = self.graph();
        self.positions = graph.positions().map(|it| (it.board, it)).collect();
    }

    /// A position with the leaf that a search finds, or unchanged if there is none.
    fn searched(&self, board: CanonicalBoard, level: u8, answers: &mut Answers<'_>) -> Position {
        let engine = self.stage.engine;
        let mut position = match self.positions.get(&board) {
            Some(position) => position.clone(),
            None => Position::new(board, engine),
        };
        let (mv, score) = match self.request(board, level).map(|request| answers(&request)) {
            Some((mv, score)) => (Some(mv), score),
            None if board.board().is_over() => (None, board.board().final_score()),
            None => return position,
        };
        if position.level.is_none() || matches!(self.stage.scoring, Scoring::Edax { .. }) {
            (position.level, position.engine) = (Some(level), engine);
        }
        position.leaf = Some(Leaf {
            mv,
            score,
            level: Some(level),
            engine,
        });
        position
    }

    /// A wave. All its questions are about the book before it. What it makes lack its leaf lacks it until the book is
    /// [complete](Growing::complete).
    pub fn take(&mut self, chosen: &[Chosen], answers: &mut Answers<'_>) {
        let mut new = Vec::new();
        for it in chosen {
            let level = it.level.unwrap_or(self.stage.level);
            assert_eq!(self.has(it.board.board()), it.want == Want::Leaf);
            match it.want {
                Want::Leaf | Want::Position => new.push(self.searched(it.board, level, answers)),
                Want::Variation(variation) => {
                    self.walk(it.board, variation, level, answers, &mut new);
                }
            }
        }
        let by_board = new.into_iter().map(|it| (it.board, it));
        self.positions.extend(by_board);
    }

    /// A whole variation.
    fn walk(
        &self,
        mut board: CanonicalBoard,
        mut variation: Variation,
        level: u8,
        answers: &mut Answers<'_>,
        new: &mut Vec<Position>,
    ) {
        while !self.has(board.board()) {
            let room = board.board().empties() >= u32::from(61u8.saturating_sub(self.stage.depth));
            if board.board().must_pass() {
                // Egaroucid has no such positions. Here they connect their neighbours.
                new.push(Position::new(board, self.stage.engine));
                variation = variation.after(-variation.promised);
                board = board.board().passed().canonical();
                continue;
            }
            let found = self.searched(board, level, answers);
            new.push(found.clone());
            let Some(leaf) = found.leaf else { return };
            let Some(child) = leaf.mv.and_then(|mv| board.board().play(mv)) else {
                return;
            };
            let links = board.board().children().filter_map(|(_, child)| {
                let child = self.positions.get(&child.canonical())?;
                Some(-child.value?)
            });
            let score = i16::from(leaf.score);
            let worth = links.fold(score, i16::max);
            if score < worth || !room || !variation.goes_on(worth) {
                return;
            }
            variation = variation.after(worth);
            board = child.canonical();
        }
    }
}
