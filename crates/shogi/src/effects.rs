//! An evaluation by effects (利き): who controls which squares, and how near to the kings.
//!
//! YaneuraOu's author described it in a series of articles, and found its constants by self-play. Everything is an integer, and
//! divisions round towards 0.

use crate::{Board, Colour, PieceType, Square};

/// The worth of several effects on one square together, in 1024ths of one: each adds less than the one before.
pub(crate) const TOGETHER: [i32; 11] = [
    0, 1024, 1811, 2483, 3055, 3544, 3960, 4314, 4617, 4875, 5094,
];

/// The worth of a side's effect on its own king's square, and on the other king's, in 1024ths of a centipawn. One at distance d is
/// worth this divided by d + 1.
const OWN_KING: i32 = 85 * 1024;
const OTHER_KING: i32 = 98 * 1024;

/// The worth of a pawn, lance, knight, silver, bishop, rook, gold and king, and of those that are promoted.
const VALUES: [i32; PieceType::ALL.len()] = [
    90, 315, 405, 495, 855, 990, 540, 0, 540, 540, 540, 540, 945, 1395,
];

/// The worth of a piece in centipawns.
#[must_use]
pub const fn value(kind: PieceType) -> i32 {
    VALUES[kind.number() as usize - 1]
}

/// How many pieces of Black, and of White, attack each square, also if their own piece stands there. A piece behind another one
/// attacks nothing, and a pinned one attacks all that it would without the pin.
///
/// ```
/// use obook_shogi::{Board, effects};
///
/// let [black, white] = effects::count(&Board::start());
/// let bishop = "8h".parse::<obook_shogi::Square>()?;
/// // The rook and a silver.
/// assert_eq!((black[bishop.index()], white[bishop.index()]), (2, 0));
/// # Ok::<(), obook_shogi::ParseSquareError>(())
/// ```
#[must_use]
pub fn count(board: &Board) -> [[u8; Square::COUNT]; 2] {
    let mut counts = [[0; Square::COUNT]; 2];
    for (from, piece) in board.pieces() {
        let counts = &mut counts[piece.colour as usize];
        board.for_attacks(from, piece, |to| counts[to.index()] += 1);
    }
    counts
}

/// The parts of an evaluation in centipawns, from Black's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The worth of Black's pieces minus that of White's, in hand and on the board.
    pub material: i32,
    /// A tenth of the same for the board alone, which is taken off: a piece in hand is worth more.
    pub on_board: i32,
    /// The worth of the effects on each square.
    pub squares: [i32; Square::COUNT],
    turn: Colour,
}

impl Evaluation {
    /// The evaluation of a position.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let mut evaluation = Self::without_effects(board);
        let counts = count(board);
        let together = |colour, square: Square| {
            TOGETHER[usize::from(counts[colour as usize][square.index()]).min(TOGETHER.len() - 1)]
        };
        for (square, worth) in Square::all().zip(&mut evaluation.squares) {
            for colour in Colour::ALL {
                let distance = i32::from(distance(square, board.king(colour)));
                let effects = |by, weight: i32| {
                    together(by, square) * (weight / (distance + 1)) / (1024 * 1024)
                };
                let defence = effects(colour, OWN_KING);
                let attack = effects(colour.other(), OTHER_KING);
                *worth += colour.sign() * (defence - attack);
            }
        }
        evaluation
    }

    /// The evaluation of a position in which effects count nothing.
    #[must_use]
    pub fn without_effects(board: &Board) -> Self {
        let mut evaluation = Self {
            material: 0,
            on_board: 0,
            squares: [0; Square::COUNT],
            turn: board.turn(),
        };
        for (_, piece) in board.pieces() {
            let value = piece.colour.sign() * value(piece.kind);
            evaluation.material += value;
            evaluation.on_board += value * 104 / 1024;
        }
        for colour in Colour::ALL {
            for (kind, count) in board.hand(colour).pieces() {
                evaluation.material += colour.sign() * i32::from(count) * value(kind);
            }
        }
        evaluation
    }

    /// The sum, for the side to move.
    ///
    /// ```
    /// use obook_shogi::{Board, effects::Evaluation};
    ///
    /// assert_eq!(Evaluation::new(&Board::start()).score(), 0);
    /// ```
    #[must_use]
    pub fn score(&self) -> i32 {
        self.turn.sign() * (self.material - self.on_board + self.squares.iter().sum::<i32>())
    }
}

/// The number of a king's moves between two squares.
pub(crate) const fn distance(one: Square, other: Square) -> u8 {
    let files = one.file().abs_diff(other.file());
    let ranks = one.rank().abs_diff(other.rank());
    if files > ranks { files } else { ranks }
}
