//! The meaning of a repeated position.

use crate::Colour;

/// A repetition's effect on the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Neither side only gave checks.
    Draw,
    /// This side only gave checks, and loses.
    Perpetual(Colour),
}

impl Repetition {
    /// The effect of a cycle. For the position after each of its moves it gets the side to move, and whether that is in check.
    pub fn of(cycle: impl IntoIterator<Item = (Colour, bool)>) -> Self {
        // A side that is to move in check was checked by the other one.
        let mut only_checks = [true; 2];
        for (turn, in_check) in cycle {
            only_checks[turn.other() as usize] &= in_check;
        }
        match only_checks {
            [true, false] => Self::Perpetual(Colour::Black),
            [false, true] => Self::Perpetual(Colour::White),
            _ => Self::Draw,
        }
    }
}
