//! The checks that all formats share: of raw boards, moves and numbers.

use crate::{Fault, FaultKind, MoveOf};
use obook_othello::{Board, CanonicalBoard, Move, Square, Symmetry};

/// The largest score: scores are disc differences.
const MAX_SCORE: i16 = 64;
/// The largest bound. Bounds exceed scores by the errors in a book's header, which may be any numbers; their negations are bounds
/// too.
const MAX_BOUND: i16 = i16::MAX;

/// A valid board, with what is needed to check and turn its moves.
pub(crate) struct Checker {
    pub(crate) board: Board,
    pub(crate) canonical: CanonicalBoard,
    symmetry: Symmetry,
    legal: u64,
    /// The moves seen so far, by number.
    seen: u128,
}

impl Checker {
    pub(crate) fn new(player: u64, opponent: u64) -> Result<Checker, Fault> {
        let fault = |kind| Fault {
            player,
            opponent,
            kind,
        };
        let board = Board::new(player, opponent).map_err(|_| fault(FaultKind::Overlap))?;
        if (player | opponent) & Board::CENTRE != Board::CENTRE {
            return Err(fault(FaultKind::EmptyCentre));
        }
        let (canonical, symmetry) = board.canonicalize();
        Ok(Checker {
            board,
            canonical,
            symmetry,
            legal: board.legal_moves().0,
            seen: 0,
        })
    }

    /// Converts the move with this number to the canonical board. It must be legal and not seen before.
    pub(crate) fn mv(&mut self, code: u8, of: MoveOf) -> Result<Move, Fault> {
        let mv = match Square::new(code) {
            Some(square) if self.legal & square.bit() != 0 => Move::Place(square),
            None if code == Move::Pass.code() && self.legal == 0 && self.board.must_pass() => {
                Move::Pass
            }
            _ => return Err(illegal_move(self.board, of, code)),
        };
        if self.seen >> code & 1 != 0 {
            return Err(fault(self.board, FaultKind::DuplicateMove { code }));
        }
        self.seen |= 1 << code;
        Ok(self.symmetry.play(mv))
    }
}

/// Whether the two sets could be a position of a game: a cheap test that random bytes fail.
pub(crate) const fn could_be_board(player: u64, opponent: u64) -> bool {
    player & opponent == 0 && (player | opponent) & Board::CENTRE == Board::CENTRE
}

/// Whether this is a disc difference.
pub(crate) fn is_score(score: i8) -> bool {
    (-MAX_SCORE..=MAX_SCORE).contains(&score.into())
}

/// Whether the board is not affected by a fault.
pub(crate) fn is_about_moves(fault: &FaultKind) -> bool {
    !matches!(fault, FaultKind::Overlap | FaultKind::EmptyCentre)
}

/// Checks that a score is a disc difference.
pub(crate) fn score<N>(board: Board, field: &'static str, score: N) -> Result<N, Fault>
where
    N: Copy + Into<i16>,
{
    at_most(board, field, score, MAX_SCORE)
}

/// Checks that a bound can be negated.
pub(crate) fn bound(board: Board, field: &'static str, bound: i16) -> Result<i16, Fault> {
    at_most(board, field, bound, MAX_BOUND)
}

/// Checks that a number's absolute value is at most `most`.
fn at_most<N>(board: Board, field: &'static str, number: N, most: i16) -> Result<N, Fault>
where
    N: Copy + Into<i16>,
{
    let found: i16 = number.into();
    if (-most..=most).contains(&found) {
        return Ok(number);
    }
    let most = i64::from(most);
    Err(out_of_range(board, field, found.into(), -most, most))
}

/// Returns the number, or a fault if it's missing.
pub(crate) fn need<T>(board: Board, field: &'static str, number: Option<T>) -> Result<T, Fault> {
    number.ok_or_else(|| fault(board, FaultKind::Missing { field }))
}

pub(crate) fn out_of_range(
    board: Board,
    field: &'static str,
    found: i64,
    min: i64,
    max: i64,
) -> Fault {
    let kind = FaultKind::OutOfRange {
        field,
        found,
        min,
        max,
    };
    fault(board, kind)
}

pub(crate) fn illegal_move(board: Board, of: MoveOf, code: u8) -> Fault {
    fault(board, FaultKind::IllegalMove { of, code })
}

pub(crate) fn fault(board: Board, kind: FaultKind) -> Fault {
    Fault {
        player: board.player(),
        opponent: board.opponent(),
        kind,
    }
}
