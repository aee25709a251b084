//! Why a position has its value: the line that carries it, the moves that lead round, and what holds a draw.

use crate::database::position::Answer;
use crate::database::view::{Ending, Shown, answers, follow, look_up_own, play};
use crate::games::Game;
use crate::{Board, Colour, MATE, Move};
use obook_store::{Result, Store};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Why a position has its value.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    /// The position in SFEN.
    pub sfen: String,
    /// The side to move.
    pub side: Colour,
    /// Whether the book has it.
    pub in_book: bool,
    /// Its own score, if anything is known about it.
    pub value: Option<i32>,
    /// The best line, which carries the value.
    pub steps: Vec<Step>,
    /// How it ends.
    #[serde(flatten)]
    pub end: Ending,
    /// Moves beside the line that keep its score, but get nowhere.
    pub detours: Vec<Detour>,
    /// If the line is a draw by repetition: what holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standoff: Option<Standoff>,
}

/// A move of the best line.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The move.
    #[serde(flatten)]
    pub best: Shown,
    /// The other moves of its position, the best first.
    pub others: Vec<Other>,
}

/// A move beside the best one.
#[derive(Clone, Debug, Serialize)]
pub struct Other {
    /// The move.
    #[serde(flatten)]
    pub shown: Shown,
    /// By how much its score is lower. A move out of the book without a score counts as 0.
    pub worse: i32,
}

/// A move that keeps the score, but loses what the score promises if it is repeated.
#[derive(Clone, Debug, Serialize)]
pub struct Detour {
    /// The moves of the best line before it.
    pub after: Vec<String>,
    /// The move, and the best line after it.
    pub moves: Vec<String>,
    /// How that ends.
    #[serde(flatten)]
    pub end: Ending,
}

/// The positions between which both sides can move without a loss, and the best moves out of them. None of these is above 0, so
/// nobody gains by leaving.
#[derive(Clone, Debug, Serialize)]
pub struct Standoff {
    /// How many positions there are, those with colours changed counted apart.
    pub positions: u64,
    /// Whether these are all.
    pub complete: bool,
    /// Black's best move out of them, and White's.
    pub exits: [Option<Exit>; 2],
}

/// A move that gives a draw up.
#[derive(Clone, Debug, Serialize)]
pub struct Exit {
    /// The moves that lead there.
    pub after: Vec<String>,
    /// The move.
    #[serde(flatten)]
    pub shown: Shown,
    /// Its score, at most 0.
    pub worth: i32,
}

/// Limits of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most moves of a line.
    pub moves: usize,
    /// The most positions to read for a [`Standoff`].
    pub positions: usize,
}

impl Why {
    /// Explains the own score of the position that a line leads to, in a book that is fixed. So a draw is worth 0 here.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read, and [`Error::Unfit`] if it has a row that makes no sense.
    ///
    /// [`Error::Sqlite`]: obook_store::Error::Sqlite
    /// [`Error::Unfit`]: obook_store::Error::Unfit
    pub fn new(store: &Store, line: &Game, limits: Limits) -> Result<Why> {
        let found = look_up_own(store, line.board())?;
        let mut why = Why {
            sfen: line.board().to_string(),
            side: line.board().turn(),
            in_book: found.is_some(),
            value: found.and_then(|found| found.own.value),
            steps: Vec::new(),
            end: Ending::NoMoves,
            detours: Vec::new(),
            standoff: None,
        };
        let Some(value) = why.value else {
            return Ok(why);
        };
        // A position counts as coming back only if it does so on this line.
        let start = Game::new(*line.board());
        let mut ways_round = Vec::new();
        let mut best_line = start.clone();
        let each = |line: &Game, answers: &[Answer]| {
            let [best, others @ ..] = answers else { return };
            let other = |other: &Answer| Other {
                shown: Shown::of(other, line),
                worse: worth(best) - worth(other),
            };
            why.steps.push(Step {
                best: Shown::of(best, line),
                others: others.iter().map(other).collect(),
            });
            let equal = others.iter().filter(|other| worth(other) == worth(best));
            let links = equal.filter(|other| other.is_link);
            ways_round.extend(links.map(|link| (line.clone(), link.listed.mv, worth(best))));
        };
        why.end = follow(store, &mut best_line, limits.moves, look_up_own, each)?;
        for (line, mv, worth) in ways_round {
            let detour = Detour::of(store, line, mv, worth, limits.moves)?;
            why.detours.extend(detour);
        }
        if value == 0 && why.end == Ending::Repetition {
            why.standoff = Some(Standoff::around(store, &start, limits.positions)?);
        }
        Ok(why)
    }
}

/// The worth of a move: a move out of the book without a score counts as 0, as in a fix.
fn worth(answer: &Answer) -> i32 {
    answer.listed.score.unwrap_or(0)
}

impl Detour {
    /// The way on after a move that keeps the score `worth`, if it comes back and going on like that is worth less.
    fn of(
        store: &Store,
        mut line: Game,
        mv: Move,
        worth: i32,
        longest: usize,
    ) -> Result<Option<Detour>> {
        let side = line.board().turn();
        let before = line.moves().len();
        play(store, &mut line, mv)?;
        let end = match line.repetition() {
            Some(repetition) => repetition.into(),
            None => follow(store, &mut line, longest, look_up_own, |_, _| {})?,
        };
        // The result of coming back again and again.
        let result = match end {
            Ending::Repetition => 0,
            Ending::PerpetualCheck { loser } if loser == side => -MATE,
            _ => return Ok(None),
        };
        let (after, moves) = line.moves().split_at(before);
        Ok((result < worth).then(|| Detour {
            after: names(after),
            moves: names(moves),
            end,
        }))
    }
}

fn names(moves: &[Move]) -> Vec<String> {
    moves.iter().map(Move::to_string).collect()
}

impl Standoff {
    /// Follows all moves that keep a draw.
    fn around(store: &Store, start: &Game, most: usize) -> Result<Standoff> {
        let mut standoff = Standoff {
            positions: 0,
            complete: true,
            exits: [None, None],
        };
        let mut best: [Option<(Board, Answer)>; 2] = [None, None];
        // Each position with the one before it, and the move between.
        let mut ways = HashMap::from([(*start.board(), None::<(Board, Move)>)]);
        let mut open = VecDeque::from([*start.board()]);
        while let Some(at) = open.pop_front() {
            standoff.positions += 1;
            for answer in answers(look_up_own(store, &at)?.as_ref(), at.turn()) {
                if worth(&answer) == 0 && answer.is_link {
                    let mut line = Game::new(at);
                    play(store, &mut line, answer.listed.mv)?;
                    let next = *line.board();
                    if ways.contains_key(&next) {
                        continue;
                    }
                    if ways.len() == most {
                        standoff.complete = false;
                        continue;
                    }
                    ways.insert(next, line.moves().last().map(|&mv| (at, mv)));
                    open.push_back(next);
                } else {
                    let known = &mut best[at.turn() as usize];
                    let is_better = |known: &(Board, Answer)| worth(&answer) > worth(&known.1);
                    if known.as_ref().is_none_or(is_better) {
                        *known = Some((at, answer));
                    }
                }
            }
        }
        for (exit, best) in standoff.exits.iter_mut().zip(best) {
            let Some((at, answer)) = best else { continue };
            let mut moves = Vec::new();
            let mut back = at;
            while let Some(Some((before, mv))) = ways.get(&back) {
                moves.push(*mv);
                back = *before;
            }
            let mut line = start.clone();
            for mv in moves.iter().rev() {
                line.play(*mv).expect("it was played before");
            }
            *exit = Some(Exit {
                after: names(line.moves()),
                shown: Shown::of(&answer, &line),
                worth: worth(&answer),
            });
        }
        Ok(standoff)
    }
}
