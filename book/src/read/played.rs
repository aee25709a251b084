//! A game beside the book: what its positions were worth, and what each move gave up.
//!
//! - A finished game is worth its discs.
//! - Where a side has one move, or only the pass, its position is worth what comes after it: there was nothing to choose.
//! - What the book holds is worth the book's value; what it has only searched, as the leaf of the position before, that
//!   leaf's score.
//! - Everything else is worth what a search finds.
//!
//! The *loss* of a move is what its side gave up by it, in discs: the worth of the position before it less that of the
//! position after it, both seen by the side that moves. So losses add up, however good or bad the numbers are: what the first
//! position is worth to Black, less Black's losses, plus White's, is what the last one is worth to Black, in a game that was
//! played to its end the final score. A loss below zero says that the move was better than was known before it.

use crate::{Result, Store};
use obook_model::Position;
use obook_othello::{Board, Line, Move, Side};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// A game whose positions were looked up, before what the book lacks is searched.
#[derive(Clone, Debug)]
pub struct Played {
    line: Line,
    /// From the first position to the last, one more than there are moves.
    seen: Vec<Seen>,
    /// How many positions from the first on are in the book, without a gap.
    in_book: usize,
}

/// A position of the game, and what is known without a search.
#[derive(Clone, Debug)]
struct Seen {
    board: Board,
    known: Known,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// What the discs say.
    Over(i16),
    /// There is one move, and it was played.
    Forced,
    /// By a position of the book, with its best move.
    Book(i16, Option<Move>),
    /// By the leaf of the position before.
    Leaf(i16),
    Nothing,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The best move.
    pub mv: Move,
    /// Its score for the side to move, in discs.
    pub score: i8,
    /// Whether the score is exact.
    pub proven: bool,
}

/// Where a number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A position of the book.
    Book,
    /// A leaf of the book.
    Leaf,
    /// A search.
    Search,
    /// A search that reached the end of the game and pruned nothing that could matter.
    Solved,
    /// The discs at the end.
    Final,
}

/// What a position is worth to one side, in discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Worth {
    /// The number.
    pub score: i16,
    /// Where it comes from.
    pub source: Source,
}

/// A part of the game, by the discs that were placed when a move was made, itself among them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Moves 1 to 20.
    Opening,
    /// Moves 21 to 40.
    Midgame,
    /// Moves 41 to 60.
    Endgame,
}

/// A move of the game and what it gave up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JudgedMove {
    /// Discs placed since the start position, this one among them.
    pub ply: usize,
    /// Who moved.
    #[serde(serialize_with = "side")]
    pub side: Side,
    /// The move.
    #[serde(rename = "move", serialize_with = "crate::read::view::as_text")]
    pub mv: Move,
    /// What the position was worth to the side before it moved.
    pub before: Worth,
    /// What it was worth to the same side afterwards.
    pub after: Worth,
    /// What the side gave up, in discs.
    pub loss: i16,
    /// Whether there was another move.
    pub choice: bool,
    /// The best move, by the book or the search; `None` where there was no choice, or the book does not say.
    #[serde(serialize_with = "or_null")]
    pub best: Option<Move>,
    /// Whether the book holds the position after the move, and all before it.
    pub in_book: bool,
}

/// A game, judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Judgement {
    /// What the first position was worth to Black.
    pub start: Worth,
    /// What the last one was worth to Black: the final score of a game that was played to its end.
    pub end: Worth,
    /// How many positions from the first on are in the book, without a gap: 0 where it lacks the first.
    pub in_book: usize,
    /// The moves, every pass included.
    pub moves: Vec<JudgedMove>,
}

/// How well somebody moved where there was a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Moves where another one was legal.
    pub moves: u64,
    /// Those of them that gave nothing up.
    pub best: u64,
    /// What all of them gave up, in discs.
    pub loss: i64,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Midgame, Phase::Endgame];

    /// The part of the game to which the move that places this disc belongs, counted from 1.
    #[must_use]
    pub const fn of_ply(ply: usize) -> Phase {
        match ply {
            0..=20 => Phase::Opening,
            21..=40 => Phase::Midgame,
            _ => Phase::Endgame,
        }
    }

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Midgame => "midgame",
            Phase::Endgame => "endgame",
        }
    }
}

impl Source {
    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Source::Book => "book",
            Source::Leaf => "leaf",
            Source::Search => "search",
            Source::Solved => "solved",
            Source::Final => "final",
        }
    }
}

impl Worth {
    /// The same, seen by the other side.
    #[must_use]
    pub const fn to_other(self) -> Worth {
        Worth {
            score: -self.score,
            ..self
        }
    }

    /// The same seen by Black, of what `side` sees.
    #[must_use]
    pub fn to_black(self, side: Side) -> Worth {
        match side {
            Side::Black => self,
            Side::White => self.to_other(),
        }
    }
}

impl Played {
    /// Looks up all positions of a game; without a book, nothing is known.
    ///
    /// # Errors
    /// Where the book can't be read.
    pub fn new(book: Option<&Store>, line: Line) -> Result<Played> {
        let look_up = |board: Board| match book {
            Some(book) => book.position(board.canonical()),
            None => Ok(None),
        };
        let mut boards = vec![line.start()];
        for mv in line.moves() {
            let board = boards[boards.len() - 1];
            boards.push(board.play(*mv).expect("a line's moves are legal"));
        }
        let mut seen = Vec::with_capacity(boards.len());
        let mut in_book = 0;
        let mut before: Option<(Board, Position)> = None;
        for (index, board) in boards.iter().copied().enumerate() {
            let position = look_up(board)?;
            if position.is_some() && in_book == index {
                in_book += 1;
            }
            let is_last = index + 1 == boards.len();
            let known = if board.is_over() {
                Known::Over(board.final_score().into())
            } else if !is_last && board.moves().nth(1).is_none() {
                Known::Forced
            } else if let Some((position, value)) =
                position.as_ref().and_then(|it| Some((it, it.value?)))
            {
                Known::Book(value, best_of(position, board))
            } else {
                let leaf = before
                    .as_ref()
                    .and_then(|(from, it)| leaf_to(it, *from, board));
                leaf.map_or(Known::Nothing, Known::Leaf)
            };
            before = position.map(|position| (board, position));
            seen.push(Seen { board, known });
        }
        Ok(Played {
            line,
            seen,
            in_book,
        })
    }

    /// The positions to search, each with its index from 0: those whose worth is not known, and those of which only that is.
    pub fn questions(&self) -> impl Iterator<Item = (usize, Board)> + '_ {
        let positions = self.seen.iter().enumerate();
        positions.filter_map(|(index, Seen { board, known })| {
            let is_last = index + 1 == self.seen.len();
            match known {
                Known::Nothing => Some((index, *board)),
                // Nobody moved from the last one.
                Known::Leaf(_) if !is_last => Some((index, *board)),
                _ => None,
            }
        })
    }

    /// What each move gave up, given what was found of each question.
    ///
    /// # Panics
    /// Where a question has no answer.
    #[must_use]
    pub fn judge(&self, found: &BTreeMap<usize, Found>) -> Judgement {
        let worths = self.worths(found);
        let mut side = match self.line.moves().len() % 2 {
            0 => self.line.side(),
            _ => self.line.side().other(),
        };
        let first = side;
        let mut moves = Vec::with_capacity(self.line.moves().len());
        for (index, mv) in self.line.moves().iter().enumerate() {
            let Seen { board, known } = &self.seen[index];
            let (before, after) = (worths[index], worths[index + 1].to_other());
            moves.push(JudgedMove {
                ply: self.seen[index + 1].board.ply(),
                side,
                mv: *mv,
                before,
                after,
                loss: before.score - after.score,
                choice: board.moves().nth(1).is_some(),
                best: match known {
                    Known::Book(_, best) => *best,
                    Known::Leaf(_) | Known::Nothing => Some(found[&index].mv),
                    Known::Over(_) | Known::Forced => None,
                },
                in_book: index + 1 < self.in_book,
            });
            side = side.other();
        }
        Judgement {
            start: worths[0].to_black(first),
            end: worths[worths.len() - 1].to_black(side),
            in_book: self.in_book,
            moves,
        }
    }

    /// What each position is worth to its side to move.
    fn worths(&self, found: &BTreeMap<usize, Found>) -> Vec<Worth> {
        let mut worths: Vec<Worth> = Vec::with_capacity(self.seen.len());
        for (index, Seen { known, .. }) in self.seen.iter().enumerate().rev() {
            let (score, source) = match *known {
                Known::Over(score) => (score, Source::Final),
                Known::Book(value, _) => (value, Source::Book),
                Known::Leaf(score) => (score, Source::Leaf),
                Known::Forced => {
                    let after = worths[worths.len() - 1].to_other();
                    (after.score, after.source)
                }
                Known::Nothing => {
                    let Found { score, proven, .. } = found[&index];
                    let source = match proven {
                        true => Source::Solved,
                        false => Source::Search,
                    };
                    (score.into(), source)
                }
            };
            worths.push(Worth { score, source });
        }
        worths.reverse();
        worths
    }
}

impl Judgement {
    /// How well a side moved, in one part of the game or in all of it.
    #[must_use]
    pub fn tally(&self, side: Side, phase: Option<Phase>) -> Tally {
        let mut tally = Tally::default();
        let moves = self.moves.iter().filter(|mv| mv.side == side && mv.choice);
        for mv in moves.filter(|mv| phase.is_none_or(|phase| phase == Phase::of_ply(mv.ply))) {
            tally += Tally {
                moves: 1,
                best: u64::from(mv.loss <= 0),
                loss: mv.loss.into(),
            };
        }
        tally
    }

    /// The first move that leads out of the book; `None` where the book lacks the first position, or holds all of them.
    #[must_use]
    pub fn first_outside(&self) -> Option<&JudgedMove> {
        self.moves.get(self.in_book.checked_sub(1)?)
    }
}

impl Tally {
    /// The share of moves that gave nothing up, in percent; `None` where there was never a choice.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| 100.0 * self.best as f64 / self.moves as f64)
    }

    /// What a move gave up on average, in discs; `None` where there was never a choice.
    #[must_use]
    pub fn mean_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.loss as f64 / self.moves as f64)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.moves += other.moves;
        self.best += other.best;
        self.loss += other.loss;
    }
}

/// The best of the moves whose score the book knows, in the orientation of `board`; of equal ones links before the leaf.
fn best_of(position: &Position, board: Board) -> Option<Move> {
    let links = position.links.iter();
    let links = links.filter_map(|link| Some((link.score?, link.mv)));
    let leaf = position.leaf.and_then(|leaf| Some((leaf.score, leaf.mv?)));
    let (_, best) = links.chain(leaf).min_by_key(|(score, _)| Reverse(*score))?;
    let (_, symmetry) = board.canonicalize();
    Some(symmetry.inverse().play(best))
}

/// What the leaf of the position before says of `board`, where its move leads there.
fn leaf_to(position: &Position, from: Board, board: Board) -> Option<i16> {
    let leaf = position.leaf?;
    let child = from.canonical().board().play(leaf.mv?)?;
    (child.canonical() == board.canonical()).then(|| -i16::from(leaf.score))
}

fn side<S: serde::Serializer>(side: &Side, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(match side {
        Side::Black => "black",
        Side::White => "white",
    })
}

fn or_null<S: serde::Serializer>(
    mv: &Option<Move>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    match mv {
        Some(mv) => serializer.collect_str(mv),
        None => serializer.serialize_none(),
    }
}
