//! A position as the search holds it: two sets of discs, without the checks of a [`Board`].

use obook_othello::Board;

/// The four corners.
pub(crate) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The four quarters of the board.
pub(crate) const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// The discs of the side to move and of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Discs {
    pub(crate) player: u64,
    pub(crate) opponent: u64,
}

impl Discs {
    pub(crate) fn new(board: Board) -> Discs {
        Discs {
            player: board.player(),
            opponent: board.opponent(),
        }
    }

    #[inline(always)]
    pub(crate) fn empty(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// After a disc on `square` that turns `flips`, seen by the side that then moves.
    #[inline(always)]
    pub(crate) fn after(self, square: usize, flips: u64) -> Discs {
        Discs {
            player: self.opponent ^ flips,
            opponent: self.player ^ flips ^ (1 << (square & 63)),
        }
    }

    #[inline(always)]
    pub(crate) fn passed(self) -> Discs {
        Discs {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// The score of a finished game: the winner gets the empty squares.
    #[inline(always)]
    pub(crate) fn final_score(self) -> i32 {
        let player = self.player.count_ones() as i32;
        let opponent = self.opponent.count_ones() as i32;
        let difference = player - opponent;
        difference + difference.signum() * (64 - player - opponent)
    }
}

/// The squares of a set, by their numbers.
#[inline(always)]
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let square = set.trailing_zeros() as usize;
            (set != 0).then(
                #[inline(always)]
                || {
                    set &= set - 1;
                    square
                },
            )
        },
    )
}
