//! Playing a record's moves, whatever they are.

use crate::{Ending, Fault, Game, Note, Score};
use obook_othello::{Line, Move};

/// A game as its record is read: moves up to the first that can't be played, and the faults.
#[derive(Debug)]
pub(crate) struct Replay {
    line: Line,
    notes: Vec<(usize, Note)>,
    faults: Vec<Fault>,
    /// A move could not be played: what follows means nothing.
    stopped: bool,
}

impl Replay {
    /// No move yet.
    pub(crate) fn new(start: Line) -> Replay {
        Replay {
            line: start,
            notes: Vec::new(),
            faults: Vec::new(),
            stopped: false,
        }
    }

    /// Plays the next move; a pass that is not written is put in. Nothing happens after a move that could not be played.
    #[inline]
    pub(crate) fn play(&mut self, mv: Move) {
        if !self.stopped
            && let Err(error) = self.line.push(mv)
        {
            self.stop(Fault::Illegal(error));
        }
    }

    /// Something stands where a move should.
    pub(crate) fn no_move(&mut self, found: &str, expected: &'static str) {
        if !self.stopped {
            self.stop(Fault::NoMove {
                number: self.line.moves().len() + 1,
                found: Fault::cut(found),
                expected,
            });
        }
    }

    /// Something else is wrong.
    pub(crate) fn fault(&mut self, fault: Fault) {
        match self.faults.len() {
            0..Fault::MOST => self.faults.push(fault),
            Fault::MOST => self.faults.push(Fault::More),
            _ => {}
        }
    }

    fn stop(&mut self, fault: Fault) {
        self.stopped = true;
        self.fault(fault);
    }

    /// Puts the moves into `game`, which has everything else, and holds its result against them.
    pub(crate) fn finish(mut self, mut game: Game) -> (Game, Vec<Fault>) {
        match Score::at_end(&self.line) {
            Some(discs) => {
                if let Some(said) = game.score
                    && said != discs
                    // After time has run out, or a move that could not be played, the discs decide nothing.
                    && !self.stopped
                    && !matches!(game.ending, Some(Ending::TimeOut))
                {
                    self.fault(Fault::Score { said, discs });
                }
            }
            None => {
                let said = matches!(
                    game.ending,
                    Some(Ending::Resigned | Ending::TimeOut | Ending::Agreed)
                );
                if !said && !self.stopped {
                    self.fault(Fault::EndsEarly {
                        moves: self.line.moves().len(),
                        empties: self.line.board().empties(),
                    });
                }
            }
        }
        game.set_moves(self.line, self.notes);
        (game, self.faults)
    }
}
