//! Sets of moves, the pass included.

use obook_othello::{Board, Move};

/// A set of moves by number: bit 0 = a1, bit 63 = h8, bit 64 = pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moves(u128);

impl Moves {
    pub(super) const NONE: Moves = Moves(0);

    /// The moves that the rules allow.
    pub(super) fn legal(board: Board) -> Moves {
        let places = board.legal_moves().0;
        let pass = places == 0 && board.must_pass();
        Moves(u128::from(places) | u128::from(pass) << Move::Pass.code())
    }

    pub(super) fn contains(self, mv: Move) -> bool {
        self.0 >> mv.code() & 1 != 0
    }

    /// Adds a move; `false` where it was there before.
    pub(super) fn insert(&mut self, mv: Move) -> bool {
        let new = !self.contains(mv);
        self.0 |= 1 << mv.code();
        new
    }

    pub(super) fn remove(&mut self, mv: Move) {
        self.0 &= !(1 << mv.code());
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The move with the smallest number.
    pub(super) fn first(self) -> Option<Move> {
        Move::from_code(self.0.trailing_zeros() as u8)
    }
}

impl std::ops::Sub for Moves {
    type Output = Moves;

    fn sub(self, other: Moves) -> Moves {
        Moves(self.0 & !other.0)
    }
}
