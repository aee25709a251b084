//! A game compared with the book: the score of each position and the loss of each move.
//!
//! - A finished game has its final score.
//! - If all legal moves lead to the same position up to symmetry, or only a pass is legal, the position has the score of the next
//!   one.
//! - A position of the book has its value. A position that is the leaf of the one before has that leaf's score.
//! - All other positions are searched. If the move that was played turns out better than the search before it suggested, the
//!   position has the score of that move: the later search saw more.
//!
//! The *loss* of a move is the score before it minus the score after it, both in discs for the side that moves. So losses add
//! up: the first score for Black, minus Black's losses, plus White's, is the last score for Black, which is the final score of
//! a complete game. A loss is negative only if the score before the move is the book's and a search finds the move better.

use crate::read::view::{as_text, or_null};
use crate::{Result, Store};
use obook_othello::{Board, Line, Move, Position, Side};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A game whose positions were looked up, but not yet searched.
#[derive(Clone, Debug)]
pub struct Played {
    line: Line,
    /// The scores of the positions without a search, from first to last: one more than the moves.
    known: Vec<Known>,
    /// The number of positions in the book before the first gap.
    in_book: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// The game is over, with this final score.
    Over(i16),
    /// All legal moves lead to the same position, up to symmetry.
    Forced,
    /// Value and best move of a position in the book.
    Book(i16, Option<Move>),
    /// Score of the leaf before.
    Leaf(i16),
    Nothing,
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchedMove {
    /// The best move.
    pub mv: Move,
    /// Its score for the side to move, in discs.
    pub score: i8,
    /// Whether the score is exact.
    pub proven: bool,
}

obook_base::named! {
    /// The origin of a score.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Source {
        /// A position of the book.
        Book = "book",
        /// A leaf of the book.
        Leaf = "leaf",
        /// A search.
        Search = "search",
        /// An exact search to the end of the game.
        Solved = "solved",
        /// The final score.
        Final = "final",
    }
}

/// The score of a position for one side, in discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Worth {
    /// The score.
    pub score: i16,
    /// Its origin.
    pub source: Source,
}

obook_base::named! {
    /// A part of the game, by the number of discs placed, including the move itself.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Phase {
        /// Moves 1 to 20.
        Opening = "opening",
        /// Moves 21 to 40.
        Midgame = "midgame",
        /// Moves 41 to 60.
        Endgame = "endgame",
    }
}

/// A move of the game and its loss.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct JudgedMove {
    /// Discs placed since the start position, including this one.
    pub ply: usize,
    /// The side that moved.
    #[serde(serialize_with = "obook_sql::rows::json::name")]
    pub side: Side,
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// The score before the move, for the side that moved.
    pub before: Worth,
    /// The score after the move, for the same side.
    pub after: Worth,
    /// The loss in discs.
    pub loss: i16,
    /// Whether another legal move leads to another position, not only to a mirror image.
    pub choice: bool,
    /// The best move by the book or the search: the played one if both lead to the same position up to symmetry. `None` if there was
    /// no choice or the book has no scored move.
    #[serde(serialize_with = "or_null")]
    pub best: Option<Move>,
    /// Whether the book holds the position after the move and all positions before it.
    pub in_book: bool,
}

/// The scores of a game and the losses of its moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Judgement {
    /// The score of the first position, for Black.
    pub start: Worth,
    /// The score of the last position, for Black: the final score if the game is complete.
    pub end: Worth,
    /// The number of positions in the book before the first gap.
    pub in_book: usize,
    /// The moves, including passes.
    pub moves: Vec<JudgedMove>,
}

/// How well a side moved when it had a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Tally {
    /// Moves with a choice.
    pub moves: u64,
    /// Moves without a loss.
    pub best: u64,
    /// The total loss in discs.
    pub loss: i64,
}

impl Phase {
    /// The phase of the move that places this disc, counted from 1.
    #[must_use]
    pub const fn of_ply(ply: usize) -> Phase {
        match ply {
            0..=20 => Phase::Opening,
            21..=40 => Phase::Midgame,
            _ => Phase::Endgame,
        }
    }
}

impl Worth {
    /// The score for the other side.
    #[must_use]
    pub const fn to_other(self) -> Worth {
        let score = -self.score;
        Worth { score, ..self }
    }

    /// Turns a score for `side` into a score for Black.
    #[must_use]
    pub fn to_black(self, side: Side) -> Worth {
        let score = side.for_black(self.score);
        Worth { score, ..self }
    }
}

impl Played {
    /// Looks up all positions of a game, if there is a book.
    ///
    /// # Errors
    /// Returns an error if the book can't be read.
    pub fn new(book: Option<&Store>, line: Line) -> Result<Played> {
        let boards: Vec<Board> = line.positions().map(|(board, _)| board).collect();
        let mut known = Vec::with_capacity(boards.len());
        let mut in_book = 0;
        let mut before: Option<(Board, Position)> = None;
        for (index, board) in boards.iter().copied().enumerate() {
            let position = book.map(|book| book.position(board.canonical()));
            let position = position.transpose()?.flatten();
            if position.is_some() && in_book == index {
                in_book += 1;
            }
            let is_last = index + 1 == boards.len();
            known.push(if board.is_over() {
                Known::Over(board.final_score().into())
            } else if !is_last && !has_choice(board) {
                Known::Forced
            } else if let Some((position, value)) =
                position.as_ref().and_then(|it| Some((it, it.value?)))
            {
                Known::Book(value, best_of(position, board).map(|(mv, _)| mv))
            } else {
                let before = before.as_ref();
                let leaf = before.and_then(|(from, it)| leaf_to(it, *from, board));
                leaf.map_or(Known::Nothing, Known::Leaf)
            });
            before = position.map(|position| (board, position));
        }
        Ok(Played {
            line,
            known,
            in_book,
        })
    }

    /// The number of positions, one more than the moves.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.known.len()
    }

    /// The positions to search, each with its index: those without a score or without a best move.
    pub fn questions(&self) -> impl Iterator<Item = (usize, Board)> + '_ {
        let positions = self.line.positions().zip(&self.known).enumerate();
        positions.filter_map(|(index, ((board, _), known))| match known {
            Known::Nothing => Some((index, board)),
            // The last position needs no best move.
            Known::Leaf(_) if index + 1 < self.positions() => Some((index, board)),
            _ => None,
        })
    }

    /// Computes the losses from the results of the searches.
    ///
    /// # Panics
    /// Panics if a question has no result.
    #[must_use]
    pub fn judge(&self, found: &BTreeMap<usize, SearchedMove>) -> Judgement {
        self.judge_first(self.line.moves().len(), found)
    }

    /// Computes the losses of the first moves if some searches at the end have no result; `None` if there are no such moves.
    #[must_use]
    pub fn judge_begun(&self, found: &BTreeMap<usize, SearchedMove>) -> Option<Judgement> {
        let open = self.questions().find(|(it, _)| !found.contains_key(it));
        let known = &self.known[..open.map_or(self.positions(), |(index, _)| index)];
        // The score of a forced position is that of the next one.
        let last = known.iter().rposition(|it| *it != Known::Forced)?;
        (last > 0).then(|| self.judge_first(last, found))
    }

    /// Computes the losses of the first `count` moves.
    fn judge_first(&self, count: usize, found: &BTreeMap<usize, SearchedMove>) -> Judgement {
        let worths = self.worths(count, found);
        let positions: Vec<(Board, Side)> = self.line.positions().collect();
        let judged = |(index, mv): (usize, &Move)| {
            let (board, side) = positions[index];
            let (before, after) = (worths[index], worths[index + 1].to_other());
            let is_raised = |found: &SearchedMove| before.score > found.score.into();
            let best = match self.known[index] {
                Known::Book(_, best) => best,
                Known::Nothing if is_raised(&found[&index]) => Some(*mv),
                Known::Leaf(_) | Known::Nothing => Some(found[&index].mv),
                Known::Over(_) | Known::Forced => None,
            };
            let leads_to = |mv| board.play(mv).map(Board::canonical);
            JudgedMove {
                ply: positions[index + 1].0.ply(),
                side,
                mv: *mv,
                before,
                after,
                loss: before.score - after.score,
                choice: has_choice(board),
                best: best.map(|best| match leads_to(best) == leads_to(*mv) {
                    true => *mv,
                    false => board.conventional(best),
                }),
                in_book: index + 1 < self.in_book,
            }
        };
        let moves = self.line.moves().iter().take(count).enumerate();
        Judgement {
            start: worths[0].to_black(positions[0].1),
            end: worths[count].to_black(positions[count].1),
            in_book: self.in_book.min(count + 1),
            moves: moves.map(judged).collect(),
        }
    }

    /// The score of each position up to the one after `count` moves, for its side to move.
    fn worths(&self, count: usize, found: &BTreeMap<usize, SearchedMove>) -> Vec<Worth> {
        let mut worths: Vec<Worth> = Vec::with_capacity(count + 1);
        for (index, known) in self.known[..=count].iter().enumerate().rev() {
            let worth = |score, source| Worth { score, source };
            worths.push(match *known {
                Known::Over(score) => worth(score, Source::Final),
                Known::Book(value, _) => worth(value, Source::Book),
                Known::Leaf(score) => worth(score, Source::Leaf),
                Known::Forced => worths[worths.len() - 1].to_other(),
                Known::Nothing => {
                    let SearchedMove { score, proven, .. } = found[&index];
                    let own = match proven {
                        true => worth(score.into(), Source::Solved),
                        false => worth(score.into(), Source::Search),
                    };
                    let played = worths.last().map(|after| after.to_other());
                    let better = played.filter(|it| !proven && it.score > own.score);
                    better.unwrap_or(own)
                }
            });
        }
        worths.reverse();
        worths
    }
}

impl Judgement {
    /// Returns the score of each position for Black, from the first to the last.
    #[must_use]
    pub fn worths(&self) -> Vec<i16> {
        let after = |mv: &JudgedMove| mv.after.to_black(mv.side).score;
        let first = std::iter::once(self.start.score);
        first.chain(self.moves.iter().map(after)).collect()
    }

    /// Sums up the moves of a side, in one phase or in the whole game.
    #[must_use]
    pub fn tally(&self, side: Side, phase: Option<Phase>) -> Tally {
        let mut tally = Tally::default();
        let moves = self.moves.iter().filter(|mv| mv.side == side && mv.choice);
        for mv in moves.filter(|mv| phase.is_none_or(|phase| phase == Phase::of_ply(mv.ply))) {
            tally.moves += 1;
            tally.best += u64::from(mv.loss <= 0);
            tally.loss += i64::from(mv.loss);
        }
        tally
    }

    /// The first move that leaves the book; `None` if the book lacks the first position or holds all of them.
    #[must_use]
    pub fn first_outside(&self) -> Option<&JudgedMove> {
        self.moves.get(self.in_book.checked_sub(1)?)
    }
}

impl Tally {
    /// The percentage of moves without a loss; `None` if there was never a choice.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| 100.0 * self.best as f64 / self.moves as f64)
    }

    /// The mean loss in discs; `None` if there was never a choice.
    #[must_use]
    pub fn mean_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.loss as f64 / self.moves as f64)
    }
}

obook_base::sums! { Tally { moves, best, loss } }

/// Whether the legal moves lead to more than one position, mirror images being the same.
fn has_choice(board: Board) -> bool {
    let mut children = board.children().map(|(_, child)| child.canonical());
    let first = children.next();
    children.any(|child| Some(child) != first)
}

/// The best scored move in the orientation of `board`, with its score: the first one of [`View`](crate::read::view::View).
pub(crate) fn best_of(position: &Position, board: Board) -> Option<(Move, i16)> {
    let scored = |(mv, score, is_leaf): (_, Option<i8>, bool)| {
        Some((Reverse(score?), is_leaf, board.written(mv)))
    };
    let best = position.known_moves().filter_map(scored).min();
    best.map(|(Reverse(score), _, mv)| (mv, score.into()))
}

/// The score of `board` by the leaf of the position before, if its move leads there.
fn leaf_to(position: &Position, from: Board, board: Board) -> Option<i16> {
    let leaf = position.leaf?;
    let child = from.canonical().board().play(leaf.mv?)?;
    (child.canonical() == board.canonical()).then(|| -i16::from(leaf.score))
}
