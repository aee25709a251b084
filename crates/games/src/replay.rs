//! Replaying the moves of a record, legal or not.

use crate::{Ending, Fault, Game, Note, Score, text};
use obook_othello::{Line, Move, Side};
use std::str::FromStr;

/// The most bytes of a name. Files may be hostile, and names are kept in memory.
const LONGEST_NAME: usize = 1000;

/// A game being read: the moves up to the first that can't be played, and the faults.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    line: Line,
    notes: Vec<(usize, Note)>,
    faults: Vec<Fault>,
    /// Set once a move could not be played: the rest is meaningless.
    stopped: bool,
    /// A result without discs, and the fault if the discs contradict it.
    winner: Option<(i8, Fault)>,
}

impl Replay {
    /// Begins at a position, without moves, or with its fault: then no moves are read.
    pub(crate) fn begin(start: Result<Line, Fault>) -> Replay {
        let mut replay = Replay::default();
        match start {
            Ok(start) => replay.line = start,
            Err(fault) => replay.stop(fault),
        }
        replay
    }

    /// Plays the next move. Adds passes that are not written, and ignores passes after the end of the game. Does nothing after a
    /// move that could not be played.
    #[inline]
    pub(crate) fn play(&mut self, mv: Move) {
        if !self.stopped
            && let Err(error) = self.line.push(mv)
            && !(mv == Move::Pass && self.line.board().is_over())
        {
            self.stop(Fault::Illegal(error));
        }
    }

    /// Plays the next move, checks whose move it is if the record says so, and keeps its note.
    pub(crate) fn play_with(&mut self, side: Option<Side>, mv: Move, note: Note) {
        if self.stopped {
            return;
        }
        // If a pass was left out, it is the other side's turn.
        let turn = match (mv, self.line.board().must_pass()) {
            (Move::Place(_), true) => self.line.side().other(),
            _ => self.line.side(),
        };
        if let Some(said) = side.filter(|said| *said != turn) {
            let number = self.line.moves().len() + 1;
            self.stop(Fault::Side { number, said });
            return;
        }
        let before = self.line.moves().len();
        self.play(mv);
        let after = self.line.moves().len();
        if after > before && note != Note::NONE {
            self.notes.push((after - 1, note));
        }
    }

    /// Adds the fault that something other than a move was found.
    pub(crate) fn no_move(&mut self, found: &str, expected: &'static str) {
        if !self.stopped {
            self.stop(Fault::NoMove {
                number: self.line.moves().len() + 1,
                found: Fault::cut(found),
                expected,
            });
        }
    }

    /// The note of the last move, or `None` before the first move and after one that could not be played.
    pub(crate) fn last_note(&mut self) -> Option<&mut Note> {
        let last = self.line.moves().len().checked_sub(1)?;
        if self.stopped {
            return None;
        }
        if self.notes.last().is_none_or(|(index, _)| *index != last) {
            self.notes.push((last, Note::NONE));
        }
        self.notes.last_mut().map(|(_, note)| note)
    }

    /// Adds a comment on the last move, or on the game if there is no move yet.
    pub(crate) fn comment(&mut self, game: &mut Game, comment: &str) {
        if let Some(note) = self.last_note() {
            text::add_lines(&mut note.comment, comment);
        } else if !self.stopped {
            text::add_lines(&mut game.comment, comment);
        }
    }

    /// Begins again at another position, and keeps the faults.
    pub(crate) fn restart(&mut self, start: Line) {
        self.line = start;
        self.notes.clear();
    }

    /// The moves so far.
    pub(crate) fn line(&self) -> &Line {
        &self.line
    }

    /// Reads a field. Returns `None` if it is empty or `?`, and also adds a fault if it can't be read.
    pub(crate) fn field<T>(
        &mut self,
        name: &'static str,
        text: &str,
        expected: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text.trim();
        if text.trim_matches('?').is_empty() {
            return None;
        }
        let found = read(text);
        if found.is_none() {
            self.fault(Fault::field(name, text, expected));
        }
        found
    }

    /// Reads a field that says the same in all formats, such as a number or a date.
    pub(crate) fn parsed<T: FromStr>(
        &mut self,
        name: &'static str,
        text: &str,
        expected: &'static str,
    ) -> Option<T> {
        self.field(name, text, expected, |text| text.parse().ok())
    }

    /// Notes a result without discs, as found in a field: 1 if Black won, -1 for White, 0 for a draw.
    pub(crate) fn won(&mut self, winner: i8, name: &'static str, text: &str) {
        let fault = Fault::field(name, text, "the result by the discs");
        self.winner = Some((winner, fault));
    }

    /// Adds a fault.
    pub(crate) fn fault(&mut self, fault: Fault) {
        match self.faults.len() {
            0..Fault::MOST => self.faults.push(fault),
            Fault::MOST => self.faults.push(Fault::More),
            _ => {}
        }
    }

    /// Adds a fault that makes the rest of the moves meaningless.
    pub(crate) fn stop(&mut self, fault: Fault) {
        self.stopped = true;
        self.fault(fault);
    }

    /// Completes `game` with the moves, and checks its result against them.
    pub(crate) fn finish(mut self, mut game: Game) -> (Game, Vec<Fault>) {
        for (name, text) in game.names() {
            if let Some(long) = text.take_if(|text| text.len() > LONGEST_NAME) {
                self.fault(Fault::field(name, &long, "at most 1000 bytes"));
            }
        }
        let discs = Score::at_end(&self.line);
        if let Some((winner, fault)) = self.winner.take() {
            match discs {
                // The discs say more.
                Some(discs) if game.ending.is_none() => {
                    if winner != discs.get().signum() {
                        self.fault(fault);
                    }
                }
                _ if game.score.is_some() || self.stopped && game.ending.is_none() => {}
                // A player who resigns or runs out of time loses all discs; a draw was agreed on.
                _ => {
                    game.score = Score::new(64 * winner);
                    game.ending = game.ending.or(Some(match winner {
                        0 => Ending::Agreed,
                        _ => Ending::Resigned,
                    }));
                }
            }
        }
        // After a resignation or a time-out, the discs decide nothing.
        if let (Some(discs), Some(said), None) = (discs, game.score, game.ending)
            && said != discs
        {
            if said == Score::of_plain_difference(&self.line) {
                // Some programs count empty squares for nobody.
                game.score = Some(discs);
            } else if !self.stopped {
                self.fault(Fault::Score { said, discs });
            }
        }
        // Without a result it is unfinished.
        if discs.is_none() && game.score.is_some() && game.ending.is_none() && !self.stopped {
            self.fault(Fault::EndsEarly {
                moves: self.line.moves().len(),
                empties: self.line.board().empties(),
            });
        }
        game.set_moves(self.line, self.notes);
        (game, self.faults)
    }
}
