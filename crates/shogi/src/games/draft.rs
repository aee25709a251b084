//! A game while it is read, and what its positions say about the record.

use super::{End, Outcome, Record};
use crate::book::{Fault, FilePlace};
use crate::{Board, BoardError, Colour, Move, Repetition, shown};
use std::collections::HashMap;
use std::error::Error;

/// The most moves of a game that are read. Files may be hostile; the longest games of engines have some hundreds.
pub(super) const LONGEST: usize = 10_000;
/// The most bytes of a name.
const LONGEST_NAME: usize = 1000;
/// The most faults that are kept of one game.
const FAULTS: usize = 16;
/// How often a position stands before the game is over.
const TIMES: u32 = 4;

/// The position before the first move; or that its text can't be read, or a [`BoardError`].
pub(super) type Start = Result<Board, Box<dyn Error>>;

/// A game while it is read.
#[derive(Default)]
pub(super) struct Draft {
    /// The record so far.
    pub(super) record: Record,
    /// The line that is read.
    pub(super) line: usize,
    /// Whether its moves have begun.
    pub(super) has_start: bool,
    /// Whether the record names an end, known or not.
    pub(super) has_ended: bool,
    /// The side to move in the record, which goes on after a move that can't be played.
    pub(super) turn: Colour,
    /// Moves from the first one that can't be played.
    skipped: usize,
    positions: Positions,
    /// Whether it has gone on after a position stood for the last time that it may.
    goes_on: bool,
}

impl Draft {
    /// A game whose record begins on this line.
    pub(super) fn new(line: usize) -> Self {
        let mut draft = Self::default();
        (draft.record.line, draft.line) = (line, line);
        draft
    }

    pub(super) fn fault(&mut self, reason: impl Into<String>) {
        keep(&mut self.record.faults, self.line, reason.into());
    }

    /// Keeps what the record says and a game has no field for.
    pub(super) fn note(&mut self, text: &str) {
        keep(&mut self.record.notes, self.line, shown(text));
    }

    /// Whether there was a move, played or not.
    pub(super) fn has_moves(&self) -> bool {
        !self.record.game.moves().is_empty() || self.skipped > 0
    }

    /// Whether a move can't be played, so that those behind it aren't, either.
    pub(super) const fn skips(&self) -> bool {
        self.skipped > 0
    }

    /// Whether the last move can't be played, and no other.
    pub(super) const fn is_cut_off(&self) -> bool {
        self.skipped == 1
    }

    /// Sets the position before the first move, or gives up the moves if it can't be read.
    pub(super) fn begin(&mut self, start: Start) {
        self.has_start = true;
        let error = match start {
            Ok(board) => {
                let game = &mut self.record.game;
                (game.start, game.board) = (board, board);
                self.turn = board.turn();
                return;
            }
            Err(error) => error,
        };
        match error.downcast_ref() {
            Some(BoardError::Kings { found: 0, .. }) => self.record.is_problem = true,
            _ => self.fault(format!(
                "the start position: {error}; its moves aren't read"
            )),
        }
        self.skipped = 1;
    }

    /// Plays the move that `read` finds in the position. The first that fails ends the game's moves.
    pub(super) fn play(&mut self, read: impl FnOnce(&Board) -> Result<Move, String>) {
        self.turn = self.turn.other();
        let number = self.record.game.moves().len() + 1;
        if self.skips() {
            self.skipped += 1;
            return;
        }
        if number == 1 {
            self.positions.add(self.record.game.start());
        }
        let board = *self.record.game.board();
        let played = if number > LONGEST {
            Err(format!("a game has at most {LONGEST} moves here"))
        } else {
            read(&board).and_then(|mv| {
                let illegal = || format!("{mv} isn't legal in {board}");
                self.record.game.play(mv).ok_or_else(illegal)
            })
        };
        if let Err(reason) = played {
            let fault = format!("move {number}: {reason}; the moves from here on aren't read");
            self.fault(fault);
            self.skipped = 1;
            return;
        }
        // If the game continues for long, all positions of the cycle stand for the fourth time.
        if self.positions.verdict().is_some() && !self.goes_on {
            self.goes_on = true;
            let fault = self.positions.repeated(number - 1);
            self.fault(format!("{fault}, but the game continues"));
        }
        self.positions.add(self.record.game.board());
    }

    /// Ends the game with the side to move that the record has now.
    pub(super) fn end(&mut self, end: End) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        self.record.game.end = Some(end);
        self.record.game.outcome = end.outcome(self.turn);
        if matches!(end, End::Foul(_)) && self.is_cut_off() {
            // The record says itself that the move breaks the rules.
            let is_other = |fault: &Fault| !fault.reason.starts_with("move ");
            self.record.faults.retain(is_other);
        }
    }

    /// Ends the game with a result, if the record's word for the end tells one, but no more.
    pub(super) fn end_unnamed(&mut self, outcome: Option<Outcome>) {
        if !self.has_ended {
            self.has_ended = true;
            self.record.game.outcome = outcome;
        }
    }

    /// Compares the end with the last position.
    pub(super) fn finish(mut self) -> Record {
        let Record { game, faults, .. } = &mut self.record;
        for (what, text) in [
            ("Black's name", &mut game.black),
            ("White's name", &mut game.white),
            ("the event", &mut game.event),
            ("the place", &mut game.site),
            ("the date", &mut game.date),
        ] {
            if let Some(text) = text.take_if(|text| text.len() > LONGEST_NAME) {
                let length = text.len();
                let fault = format!("{what} has {length} bytes; expected at most {LONGEST_NAME}");
                keep(faults, self.line, fault);
            }
        }
        let is_whole = self.skipped == 0;
        let game = &mut self.record.game;
        let moves = game.moves().len();
        match game.end {
            None if is_whole && game.board().is_lost() => game.end(End::Mate),
            // No word for the end: it was broken off.
            None if is_whole && !self.has_ended => game.end(End::BrokenOff),
            None => {}
            Some(End::Mate) if is_whole && !game.board().is_lost() => {
                self.fault("the record says that the side to move is mate, but it has legal moves");
            }
            Some(end) if is_whole && moves > 0 && !self.goes_on => {
                self.compare_repetition(end, moves)
            }
            Some(_) => {}
        }
        self.record
    }

    fn compare_repetition(&mut self, end: End, moves: usize) {
        let is_foul = |by| end == End::Foul(by);
        match (end, self.positions.verdict()) {
            (End::Repetition, None) => {
                let times = self.positions.last.0;
                self.fault(format!(
                    "the record ends by repetition, but its last position stands for the {} time; expected the fourth",
                    ["", "first", "second", "third"].get(times as usize).unwrap_or(&"last")
                ));
            }
            (End::Repetition, Some(Repetition::Draw)) | (_, None) => {}
            (_, Some(Repetition::Perpetual(by))) if is_foul(by) => {}
            (End::BrokenOff, Some(_)) => {}
            (end, Some(_)) => {
                let fault = self.positions.repeated(moves);
                let said = match end {
                    End::Repetition => "draw by repetition",
                    end => end.name(),
                };
                self.fault(format!("{fault}, but the record says: {said}"));
            }
        }
    }
}

/// Adds what was found on a line, unless there is much already.
fn keep(found: &mut Vec<Fault>, line: usize, reason: String) {
    if found.len() < FAULTS {
        let place = FilePlace::Line(line);
        found.push(Fault { place, reason });
    }
}

/// The positions of a game so far.
#[derive(Default)]
pub(crate) struct Positions {
    /// How often each stood, and the number of moves before the first time.
    stood: HashMap<Board, (u32, usize)>,
    /// Of each position, who is to move, and whether in check.
    checks: Vec<(Colour, bool)>,
    /// Of the last position.
    last: (u32, usize),
}

impl Positions {
    pub(crate) fn add(&mut self, board: &Board) {
        let stood = self.stood.entry(*board).or_insert((0, self.checks.len()));
        stood.0 += 1;
        self.last = *stood;
        self.checks.push((board.turn(), board.is_check()));
    }

    /// The outcome of a repetition, if the last position stood often enough.
    pub(crate) fn verdict(&self) -> Option<Repetition> {
        let (times, first) = self.last;
        (times >= TIMES).then(|| Repetition::of(self.checks[first + 1..].iter().copied()))
    }

    /// The repetition in words.
    fn repeated(&self, moves: usize) -> String {
        let means = match self.verdict() {
            Some(Repetition::Perpetual(by)) => format!("which {by} loses by perpetual check"),
            _ => "a draw".to_owned(),
        };
        format!("after move {moves} the position stands for the fourth time, {means}")
    }
}
