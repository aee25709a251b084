//! Positions near best play, read as they are needed and no more than so many.

use super::answer::{Lead, Payoff, PayoffKind};
use super::node::{CanonicalPayoff, Node, Rules};
use super::unexplained::Unexplained;
use obook_model::Position;
use obook_othello::{Board, CanonicalBoard, Move};
use std::collections::HashMap;
use std::rc::Rc;

/// A position that was read.
pub(super) type Id = usize;

/// The positions that were read, each of them once.
pub(super) struct Reader<F> {
    look_up: F,
    rules: Rules,
    /// What was asked for.
    board: Board,
    /// So many more may be read.
    left: u64,
    ids: HashMap<CanonicalBoard, Id>,
    nodes: Vec<Rc<Node>>,
    /// From where each was reached first, and by which move of that position.
    reached: Vec<Option<(Id, Move)>>,
    /// Whether one was not read for there were too many.
    pub(super) is_cut_short: bool,
}

impl<E, F: FnMut(CanonicalBoard) -> Result<Option<Position>, E>> Reader<F> {
    pub(super) fn new(look_up: F, rules: Rules, board: Board, most: u64) -> Reader<F> {
        Reader {
            look_up,
            rules,
            board,
            left: most,
            ids: HashMap::new(),
            nodes: Vec::new(),
            reached: Vec::new(),
            is_cut_short: false,
        }
    }

    /// Reads the position that was asked for.
    pub(super) fn root(&mut self) -> Result<Id, Unexplained<E>> {
        let board = self.board.canonical();
        let position = (self.look_up)(board).map_err(Unexplained::Read)?;
        let position = position.ok_or(Unexplained::Absent(board))?;
        self.add(&position, None)
    }

    /// The position that a child of `from` is, though it were one too many.
    pub(super) fn follow(&mut self, from: Id, child: usize) -> Result<Id, Unexplained<E>> {
        let child = self.nodes[from].children[child];
        if let Some(id) = self.ids.get(&child.board) {
            return Ok(*id);
        }
        self.left = self.left.saturating_sub(1);
        let position = (self.look_up)(child.board).map_err(Unexplained::Read)?;
        let bad_link = |value| Unexplained::BadLink {
            board: child.board,
            linked: -child.score,
            value,
        };
        let position = position.ok_or_else(|| bad_link(None))?;
        if position.value.is_some_and(|value| value != -child.score) {
            return Err(bad_link(position.value));
        }
        self.add(&position, Some((from, child.mv)))
    }

    /// The same; `None` where it is one too many.
    pub(super) fn child(&mut self, from: Id, child: usize) -> Result<Option<Id>, Unexplained<E>> {
        let board = self.nodes[from].children[child].board;
        if self.left == 0 && !self.ids.contains_key(&board) {
            self.is_cut_short = true;
            return Ok(None);
        }
        self.follow(from, child).map(Some)
    }

    fn add(
        &mut self,
        position: &Position,
        reached: Option<(Id, Move)>,
    ) -> Result<Id, Unexplained<E>> {
        let node = Node::new(position, self.rules.set)?;
        let id = self.nodes.len();
        self.ids.insert(node.board, id);
        self.nodes.push(Rc::new(node));
        self.reached.push(reached);
        Ok(id)
    }
}

impl<F> Reader<F> {
    pub(super) fn node(&self, id: Id) -> Rc<Node> {
        Rc::clone(&self.nodes[id])
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether something was left out since this was asked last.
    pub(super) fn was_cut_short(&mut self) -> bool {
        std::mem::take(&mut self.is_cut_short)
    }

    /// The moves from the position that was asked for to another, as they are seen there, and what they make of the board.
    pub(super) fn way(&self, mut id: Id) -> (Vec<Move>, Board) {
        let mut moves = Vec::new();
        while let Some((before, mv)) = self.reached[id] {
            moves.push(mv);
            id = before;
        }
        moves.reverse();
        let mut board = self.board;
        for mv in &mut moves {
            *mv = turned(board, *mv);
            board = board.play(*mv).expect("a link that counts is legal");
        }
        (moves, board)
    }

    /// The payoff of a position that has one.
    pub(super) fn payoff(&self, id: Id) -> Payoff {
        let node = self.node(id);
        let payoff: CanonicalPayoff = node.payoff.expect("its payoff counts");
        let (line, board) = self.way(id);
        let search = payoff.search(node.empties());
        let lead = match payoff.kind {
            PayoffKind::Leaf => node.lead_out(),
            PayoffKind::Position if node.is_unsearched => Some(Lead::Search(node.board)),
            _ => None,
        };
        Payoff {
            line,
            board: node.board,
            kind: payoff.kind,
            mv: payoff.mv.map(|mv| turned(board, mv)),
            score: payoff.score,
            level: payoff.level,
            engine: payoff.engine,
            search,
            error: match payoff.kind {
                PayoffKind::GameOver => Some(0),
                _ => search.and_then(|search| self.rules.error(search)),
            },
            lead,
        }
    }
}

/// A move of the canonical board, as it is on this one.
pub(super) fn turned(board: Board, mv: Move) -> Move {
    board.canonicalize().1.inverse().play(mv)
}
