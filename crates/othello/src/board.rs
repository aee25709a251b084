//! A position: the discs of the side to move and of the other side.

use crate::{Move, Square, SquareSet, bits};
use std::ops::Neg;

/// A colour. Boards have none; colours exist only for people.
///
/// ```
/// use obook_othello::{Line, Side};
/// assert_eq!(Line::new().side(), Side::Black);
/// assert_eq!(Side::Black.other(), Side::White);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Moves first; drawn `*` or `X`.
    Black,
    /// Drawn `O`.
    White,
}

impl Side {
    /// The other colour.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }

    /// The name in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::Black => "black",
            Side::White => "white",
        }
    }

    /// Turns a score for this side into one for Black, and back.
    ///
    /// ```
    /// use obook_othello::Side;
    /// assert_eq!((Side::Black.for_black(4), Side::White.for_black(4)), (4, -4));
    /// ```
    #[must_use]
    pub fn for_black<T: Neg<Output = T>>(self, score: T) -> T {
        match self {
            Side::Black => score,
            Side::White => -score,
        }
    }
}

/// A position: the discs of the side to move (`player`) and of the other side (`opponent`), which never overlap.
///
/// Nothing else is checked. The centre may be empty, and the position may be one that no game reaches, as in some books.
///
/// ```
/// use obook_othello::{Board, Move, Side};
/// let board = Board::START.play("f5".parse()?).unwrap();
/// assert_eq!(board.diagram_for(Side::White).to_string(), "  A B C D E F G H
/// 1 - - - - - - - - 1
/// 2 - - - - - - - - 2
/// 3 - - - - - - - - 3
/// 4 - - - O * . - - 4
/// 5 - - - * * * - - 5
/// 6 - - - . - . - - 6
/// 7 - - - - - - - - 7
/// 8 - - - - - - - - 8
///   A B C D E F G H");
/// assert_eq!(board.empties(), 59);
/// assert_eq!(board.play(Move::Pass), None, "a side that can move must");
/// # Ok::<(), obook_othello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    player: u64,
    opponent: u64,
}

/// Two sets of discs that both contain these squares (at least one), so they aren't a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both sides hold {0}")]
pub struct OverlapError(pub SquareSet);

impl Board {
    /// The start position, Black to move.
    pub const START: Board = Board {
        player: 0x0000_0008_1000_0000,
        opponent: 0x0000_0010_0800_0000,
    };

    /// The squares that are occupied from the start of a game: d4, e4, d5, e5.
    ///
    /// ```
    /// use obook_othello::Board;
    /// assert_eq!(Board::CENTRE, Board::START.player() | Board::START.opponent());
    /// ```
    pub const CENTRE: u64 = Board::START.player | Board::START.opponent;

    /// Creates a board from two sets of discs, the side to move first, bit 0 = a1.
    ///
    /// ```
    /// use obook_othello::Board;
    /// assert_eq!(Board::new(0x0000_0008_1000_0000, 0x0000_0010_0800_0000), Ok(Board::START));
    /// assert_eq!(Board::new(0b011, 0b110).unwrap_err().to_string(), "both sides hold b1");
    /// ```
    ///
    /// # Errors
    /// Returns [`OverlapError`] if both sides hold a square.
    pub const fn new(player: u64, opponent: u64) -> Result<Board, OverlapError> {
        if player & opponent == 0 {
            Ok(Board { player, opponent })
        } else {
            Err(OverlapError(SquareSet(player & opponent)))
        }
    }

    /// Creates a board from two sets that are known not to overlap.
    pub(crate) const fn new_unchecked(player: u64, opponent: u64) -> Board {
        Board { player, opponent }
    }

    /// The discs of the side to move, bit 0 = a1.
    #[must_use]
    pub const fn player(self) -> u64 {
        self.player
    }

    /// The discs of the other side, bit 0 = a1.
    #[must_use]
    pub const fn opponent(self) -> u64 {
        self.opponent
    }

    /// The number of empty squares, 0–64.
    #[must_use]
    pub const fn empties(self) -> u32 {
        64 - (self.player | self.opponent).count_ones()
    }

    /// The number of discs placed since the start position, which has four.
    ///
    /// ```
    /// use obook_othello::Board;
    /// assert_eq!(Board::START.ply(), 0);
    /// ```
    #[must_use]
    pub const fn ply(self) -> usize {
        60usize.saturating_sub(self.empties() as usize)
    }

    /// The squares where the side to move may place a disc. Empty if it must pass or the game is over.
    #[inline]
    #[must_use]
    pub const fn legal_moves(self) -> SquareSet {
        SquareSet(bits::legal_moves(self.player, self.opponent))
    }

    /// The discs that a disc on `square` flips. Empty if the square is occupied or the move is illegal.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let turned: Vec<_> = Board::START.flips("f5".parse()?).iter().map(|s| s.to_string()).collect();
    /// assert_eq!(turned, ["e5"]);
    /// assert!(Board::START.flips("a1".parse()?).is_empty());
    /// # Ok::<(), obook_othello::ParseSquareError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn flips(self, square: Square) -> SquareSet {
        if (self.player | self.opponent) & square.bit() != 0 {
            return SquareSet(0);
        }
        let flips = bits::flips(self.player, self.opponent, square.index() as u32);
        SquareSet(flips)
    }

    /// Returns the position after `mv`, for the side that then moves, or `None` if the move is illegal. A pass is legal only
    /// if the side to move can't place a disc and the other side can.
    ///
    /// ```
    /// use obook_othello::{Board, Line, Move};
    /// assert_eq!(Board::START.play(Move::Pass), None);
    /// let board = "f5f6d3g5h5h4f7h6".parse::<Line>()?.board();
    /// assert_eq!(board.play(Move::Pass), Some(board.passed()));
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn play(self, mv: Move) -> Option<Board> {
        match mv {
            Move::Place(square) => self.place(square),
            Move::Pass if self.must_pass() => Some(self.passed()),
            Move::Pass => None,
        }
    }

    /// Returns the position after a disc on `square`, for the other side, or `None` if the move is illegal.
    #[inline]
    #[must_use]
    pub const fn place(self, square: Square) -> Option<Board> {
        let flips = self.flips(square).0;
        if flips == 0 {
            return None;
        }
        Some(Board {
            player: self.opponent ^ flips,
            opponent: self.player ^ flips ^ square.bit(),
        })
    }

    /// Like [`Board::place`], but without checks: for squares from [`Board::legal_moves`].
    ///
    /// If the move is illegal, this panics with debug assertions on, and otherwise returns a meaningless board (but never one
    /// whose sides overlap).
    ///
    /// ```
    /// use obook_othello::Board;
    /// for square in Board::START.legal_moves() {
    ///     assert_eq!(Some(Board::START.after(square)), Board::START.place(square));
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub const fn after(self, square: Square) -> Board {
        debug_assert!(self.legal_moves().contains(square), "the move is not legal");
        let turned = bits::flips(self.player, self.opponent, square.index() as u32) | square.bit();
        Board {
            player: self.opponent & !turned,
            opponent: self.player | turned,
        }
    }

    /// The same discs from the other side's point of view, whether or not a pass is legal.
    #[inline]
    #[must_use]
    pub const fn passed(self) -> Board {
        Board {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// Whether the side to move has no move but the other side has one.
    #[inline]
    #[must_use]
    pub const fn must_pass(self) -> bool {
        self.legal_moves().is_empty() && !self.passed().legal_moves().is_empty()
    }

    /// Whether neither side can move, so the game is over.
    #[inline]
    #[must_use]
    pub const fn is_over(self) -> bool {
        self.legal_moves().is_empty() && self.passed().legal_moves().is_empty()
    }

    /// Every legal move: squares, or a pass, or nothing if the game is over.
    pub fn moves(self) -> impl Iterator<Item = Move> {
        let places = self.legal_moves();
        let pass = (places.is_empty() && self.must_pass()).then_some(Move::Pass);
        places.iter().map(Move::Place).chain(pass)
    }

    /// Every legal move with the position after it, for the side that then moves.
    ///
    /// ```
    /// use obook_othello::Board;
    /// // All four first moves lead to the same position, up to symmetry.
    /// let first = Board::START.children().next().unwrap().1.canonical();
    /// assert!(Board::START.children().all(|(_, child)| child.canonical() == first));
    /// ```
    pub fn children(self) -> impl Iterator<Item = (Move, Board)> {
        self.moves().map(move |mv| match mv {
            Move::Place(square) => (mv, self.after(square)),
            Move::Pass => (mv, self.passed()),
        })
    }

    /// The disc difference for the side to move as if the game were over, −64 to 64. The winner gets the empty squares, as in
    /// the rules of the World Othello Federation.
    ///
    /// ```
    /// use obook_othello::Line;
    /// // Black wins after nine moves: no white disc is left. It's White's turn.
    /// let board = "e6f4e3f6g5d6e7f5c5".parse::<Line>()?.board();
    /// assert!(board.is_over());
    /// assert_eq!(board.final_score(), -64);
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub const fn final_score(self) -> i8 {
        let difference = self.player.count_ones() as i8 - self.opponent.count_ones() as i8;
        difference + difference.signum() * self.empties() as i8
    }
}

/// Perft, the standard check of a move generator: counts the sequences of `depth` moves from `board`. A pass counts as a
/// move, and a game that ends earlier counts once.
///
/// ```
/// use obook_othello::{Board, perft};
/// assert_eq!(perft(Board::START, 5), 1396);
/// ```
#[must_use]
pub fn perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        return match board.is_over() {
            true => 1,
            false => perft(board.passed(), depth - 1),
        };
    }
    if depth == 1 {
        return moves.len() as u64;
    }
    let children = moves.iter().map(|square| board.after(square));
    children.map(|child| perft(child, depth - 1)).sum()
}
