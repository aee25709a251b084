//! A position of a game.

use crate::{Colour, Hand, Move, Piece, PieceType, Sfen, Square};
use std::sync::LazyLock;

/// A position: the pieces on the board and in the hands, and the side to move. It has one king of each side, no more pieces of a
/// kind than a game has, and the side that has just moved isn't in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    squares: [Cell; Square::COUNT],
    hands: [Hand; 2],
    turn: Colour,
    /// The kings' squares, Black's first.
    kings: [Square; 2],
}

impl Default for Board {
    /// [The start position](Board::start).
    fn default() -> Self {
        Self::start()
    }
}

/// A square in a byte: 0 if it is empty, or else a piece's kind and, in bit 4, its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Cell(u8);

impl Cell {
    const EMPTY: Self = Self(0);
    const WHITE: u8 = 1 << 4;

    const fn new(piece: Piece) -> Self {
        Self(piece.kind.number() | (piece.colour as u8) << 4)
    }

    const fn piece(self) -> Option<Piece> {
        let colour = Colour::white_if(self.0 & Self::WHITE != 0);
        match PieceType::from_number(self.0 & !Self::WHITE) {
            Some(kind) => Some(Piece { kind, colour }),
            None => None,
        }
    }

    const fn turned(self) -> Self {
        match self {
            Self::EMPTY => self,
            Self(piece) => Self(piece ^ Self::WHITE),
        }
    }
}

/// Why pieces are not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// A side has no king, or several.
    #[error("{colour} has {found} kings; expected one")]
    Kings {
        /// The side.
        colour: Colour,
        /// How many kings it has.
        found: usize,
    },
    /// There are more pieces of a kind than in a game.
    #[error("{found} pieces of kind {kind:?}, promoted ones and those in hand included; a game has {}", kind.most())]
    TooMany {
        /// The unpromoted kind.
        kind: PieceType,
        /// How many there are.
        found: usize,
    },
    /// The king of the side that isn't to move can be captured.
    #[error("{0} is in check, but it's the other side's turn")]
    LeftInCheck(Colour),
}

impl Board {
    /// The position with these pieces. Hands are Black's and White's.
    ///
    /// # Errors
    /// Returns [`BoardError`] if no game has them.
    pub fn new(
        squares: [Option<Piece>; Square::COUNT],
        hands: [Hand; 2],
        turn: Colour,
    ) -> Result<Self, BoardError> {
        Self::unchecked(squares, hands, turn).checked()
    }

    /// The position, if a game has its pieces.
    pub(crate) fn checked(self) -> Result<Self, BoardError> {
        let mut count = [[0; PieceType::ALL.len()]; 2];
        for (_, Piece { kind, colour }) in self.pieces() {
            count[colour as usize][usize::from(kind.unpromoted().number()) - 1] += 1;
        }
        let on_board = |kind: PieceType| count.map(|count| count[usize::from(kind.number()) - 1]);
        for (colour, found) in Colour::ALL.into_iter().zip(on_board(PieceType::King)) {
            if found != 1 {
                return Err(BoardError::Kings { colour, found });
            }
        }
        for kind in PieceType::IN_HAND {
            let in_hand = self.hands.map(|hand| usize::from(hand.count(kind)));
            let found = on_board(kind).iter().chain(&in_hand).sum::<usize>();
            if found > usize::from(kind.most()) {
                return Err(BoardError::TooMany { kind, found });
            }
        }
        let waits = self.turn.other();
        if self.is_attacked(self.king(waits), self.turn) {
            return Err(BoardError::LeftInCheck(waits));
        }
        Ok(self)
    }

    /// The position with these pieces, which may not be one. A king that is missing is at 1a.
    pub(crate) fn unchecked(
        squares: [Option<Piece>; Square::COUNT],
        hands: [Hand; 2],
        turn: Colour,
    ) -> Self {
        let kings = Colour::ALL.map(|colour| {
            let king = Some(PieceType::King.of(colour));
            let is_king = |at: &Square| squares[at.index()] == king;
            Square::all().find(is_king).unwrap_or_default()
        });
        Self {
            squares: squares.map(|piece| piece.map_or(Cell::EMPTY, Cell::new)),
            hands,
            turn,
            kings,
        }
    }

    /// The start position of a game without handicap.
    #[must_use]
    pub fn start() -> Self {
        const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
        static BOARD: LazyLock<Board> = LazyLock::new(|| {
            let start: Sfen = START.parse().expect("it is a position");
            start.board
        });
        *BOARD
    }

    /// The piece on a square.
    #[must_use]
    pub const fn piece(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()].piece()
    }

    /// The pieces on all squares.
    pub(crate) fn squares(&self) -> [Option<Piece>; Square::COUNT] {
        self.squares.map(Cell::piece)
    }

    /// All pieces on the board, by square.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        Square::all().filter_map(|square| Some((square, self.piece(square)?)))
    }

    /// A side's hand.
    #[must_use]
    pub const fn hand(&self, colour: Colour) -> Hand {
        self.hands[colour as usize]
    }

    /// The side to move.
    #[must_use]
    pub const fn turn(&self) -> Colour {
        self.turn
    }

    /// The square of a side's king.
    #[must_use]
    pub const fn king(&self, colour: Colour) -> Square {
        self.kings[colour as usize]
    }

    /// The position seen from the other side of the board: turned, with the colours of pieces, hands and the side to move changed.
    #[must_use]
    pub fn turned(&self) -> Self {
        let mut squares = self.squares.map(Cell::turned);
        squares.reverse();
        let [black, white] = self.hands;
        let [of_black, of_white] = self.kings.map(Square::turned);
        Self {
            squares,
            hands: [white, black],
            turn: self.turn.other(),
            kings: [of_white, of_black],
        }
    }

    /// The position that stands for this one and its [turned](Self::turned) one: that in which Black moves.
    #[must_use]
    pub fn canonical(&self) -> Self {
        match self.turn {
            Colour::Black => *self,
            Colour::White => self.turned(),
        }
    }

    /// The position after a move that obeys the rules, but may leave the king in check.
    pub(crate) fn after(&self, mv: Move) -> Self {
        let mut next = *self;
        let hand = &mut next.hands[self.turn as usize];
        match mv {
            Move::Drop { kind, to } => {
                hand.set(kind, hand.count(kind) - 1);
                next.squares[to.index()] = Cell::new(kind.of(self.turn));
            }
            Move::Step { from, to, promotes } => {
                let mut moved = std::mem::replace(&mut next.squares[from.index()], Cell::EMPTY);
                if let Some(Piece { kind, colour }) = moved.piece() {
                    if kind == PieceType::King {
                        next.kings[self.turn as usize] = to;
                    } else if promotes && let Some(kind) = kind.promoted() {
                        moved = Cell::new(Piece { kind, colour });
                    }
                }
                let captured = std::mem::replace(&mut next.squares[to.index()], moved);
                if let Some(captured) = captured.piece() {
                    let kind = captured.kind.unpromoted();
                    hand.set(kind, hand.count(kind) + 1);
                }
            }
        }
        next.turn = self.turn.other();
        next
    }
}
