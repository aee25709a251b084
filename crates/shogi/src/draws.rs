//! The worth of draws.

use crate::MATE;
use crate::positions::{Game, Positions};
use obook_cycles::Score;
use std::num::NonZeroU16;

/// The worth of draws to the side for which a book is made, and when games end.
///
/// The moves with Black to move are for an engine that plays Black, those with White to move for one that plays White. So each side's
/// moves are those of a game in which a draw is worth the same throughout: `black` to Black and `-black` to White in Black's game,
/// `white` to White and `-white` to Black in White's. If `black` is `-white`, both are one game. Two values below 0 are contempt. These
/// are YaneuraOu's options `DrawValueBlack`, `DrawValueWhite` and `MaxMovesToDraw`.
///
/// ```
/// use obook_shogi::{Board, Draws, OwnScores, db};
///
/// // Either side can repeat. To leave costs Black 10, and White 6.
/// let text = "#YANEURAOU-DB2016 1.00
/// sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
/// 2h3h none 0 1 1
/// 7g7f none -10 10 1
/// sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B4R2/LNSGKGSNL w - 2
/// 8b7b none 0 1 1
/// sfen lnsgkgsnl/2r4b1/ppppppppp/9/9/9/PPPPPPPPP/1B4R2/LNSGKGSNL b - 3
/// 3h2h none 0 1 1
/// sfen lnsgkgsnl/2r4b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 4
/// 7b8b none 0 1 1
/// 3c3d none -6 10 1
/// ";
/// let own = OwnScores::new(&db::read(text.as_bytes()).book);
/// let start = Board::start();
/// assert_eq!(own.of(&start), Some(0));
/// let contempt = Draws { black: -4, white: -4, max_moves: None };
/// assert_eq!(own.with_draws(contempt).of(&start), Some(-4));
/// ```
///
/// # When this is right
/// The scores are those of a game that starts at the position, and right on every path to it, by the theorem for
/// [own scores](obook_cycles::exact): a game in which a draw is worth R to Black is the game in which it is worth 0 and every other
/// result R less. A position counts once for each side to move, because these two differ. No score is beyond a mate: a result above
/// [`MATE`] would count as [`MATE`], which keeps the order of all others.
///
/// A limit of moves depends on the path. Here it is that of the ply that the book has for a position, the smallest if it has several:
/// the scores are right on all lines that reach positions at that ply, and in the whole book if no line reaches one at another. A
/// position without a ply is before the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "database", derive(serde::Serialize))]
pub struct Draws {
    /// The worth of a draw to Black, for moves with Black to move, in centipawns, at most [`MATE`] from 0.
    pub black: Score,
    /// The worth of a draw to White, for moves with White to move.
    pub white: Score,
    /// The number of moves after which a game is a draw, unless the last one mates.
    pub max_moves: Option<NonZeroU16>,
}

impl Draws {
    /// The worth of a draw to Black in the game of each side: none if that is the game of own scores, and one if both sides have the
    /// same game.
    pub(crate) fn games(self) -> Vec<Score> {
        let [black, white] =
            [self.black, self.white.saturating_neg()].map(|worth| worth.clamp(-MATE, MATE));
        match black == white {
            true if black == 0 && self.max_moves.is_none() => Vec::new(),
            true => vec![black],
            false => vec![black, white],
        }
    }

    /// A book as a game in which a draw is worth this much to Black, but every score is by so much lower, so that a draw is 0.
    pub(crate) fn game(self, positions: &Positions, worth: Score) -> Game<'_> {
        Game {
            positions,
            sides_differ: true,
            made: |score, worth| score - worth,
            by: [worth, -worth],
            limit: MATE + worth.abs(),
            max_moves: self.max_moves,
        }
    }
}
