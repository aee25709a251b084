//! Positions in 256 bits, as YaneuraOu packs them.

use crate::board::BoardError;
use crate::{Board, Colour, Hand, Piece, PieceType, Square};

/// A position in 256 bits: the side to move, the kings' squares, the other squares, the hands, and the pieces that are missing.
/// Pieces have codes of different lengths, and there is exactly one way to pack a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packed(pub [u8; 32]);

/// Bytes are not a packed position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackedError {
    /// The bits end too early, or a king is outside the board.
    #[error("the 32 bytes are no packed position")]
    Bits,
    /// The position is packed in another order than YaneuraOu's.
    #[error("the 32 bytes are a position in an unusual order")]
    Order,
    /// No game has these pieces.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// A kind of piece: its bits, lowest first, and their number.
const fn code(kind: PieceType) -> (u8, u8) {
    match kind {
        PieceType::Pawn => (0b0, 1),
        PieceType::Lance => (0b001, 3),
        PieceType::Knight => (0b101, 3),
        PieceType::Silver => (0b011, 3),
        PieceType::Gold => (0b0111, 4),
        PieceType::Bishop => (0b0_1111, 5),
        _ => (0b1_1111, 5),
    }
}

/// A piece in a hand: its kind, whether it is promoted, which no such piece is, and whose it is.
const fn in_hand(Piece { kind, colour }: Piece) -> (u8, u8) {
    let (bits, count) = code(kind.unpromoted());
    // Gold is never promoted.
    let (bits, count) = match kind.unpromoted() {
        PieceType::Gold => (bits, count),
        _ => (bits | (kind.is_promoted() as u8) << count, count + 1),
    };
    (bits | (colour as u8) << count, count + 1)
}

/// A piece on the board: as in a hand, and a 1 before it. An empty square is a 0.
const fn on_board(piece: Piece) -> (u8, u8) {
    let (bits, count) = in_hand(piece);
    (bits << 1 | 1, count + 1)
}

/// A piece that no side has: a promoted one in Black's hand; for gold, which is never promoted, a promoted silver in White's.
const fn missing(kind: PieceType) -> (u8, u8) {
    let (kind, colour) = match kind.promoted() {
        Some(kind) => (kind, Colour::Black),
        None => (PieceType::ProSilver, Colour::White),
    };
    in_hand(Piece { kind, colour })
}

/// Collects bits, lowest first.
#[derive(Default)]
struct Writer {
    words: [u64; 4],
    at: usize,
}

impl Writer {
    /// Adds so many bits. A position with two kings and at most 40 pieces always fits.
    fn put(&mut self, (bits, count): (u8, u8)) {
        let bits = u64::from(bits);
        let (word, shift) = (self.at / 64, self.at % 64);
        self.words[word] |= bits << shift;
        if shift + usize::from(count) > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
        self.at += usize::from(count);
    }

    fn bytes(&self) -> [u8; 32] {
        let words = self.words.map(u64::to_le_bytes);
        std::array::from_fn(|at| words[at / 8][at % 8])
    }
}

struct BitReader<'a> {
    bytes: &'a [u8; 32],
    at: usize,
}

impl BitReader<'_> {
    fn bit(&mut self) -> Result<bool, PackedError> {
        let byte = self.bytes.get(self.at / 8).ok_or(PackedError::Bits)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Ok(bit == 1)
    }

    fn square(&mut self) -> Result<Square, PackedError> {
        let mut index = 0;
        for bit in 0..7 {
            index |= u8::from(self.bit()?) << bit;
        }
        Square::from_index(index).ok_or(PackedError::Bits)
    }

    /// The kind of a piece in a hand, before the bits for promotion and colour.
    fn kind(&mut self) -> Result<PieceType, PackedError> {
        if !self.bit()? {
            return Ok(PieceType::Pawn);
        }
        Ok(match (self.bit()?, self.bit()?) {
            (false, false) => PieceType::Lance,
            (false, true) => PieceType::Knight,
            (true, false) => PieceType::Silver,
            (true, true) => match self.bit()? {
                false => PieceType::Gold,
                true if self.bit()? => PieceType::Rook,
                true => PieceType::Bishop,
            },
        })
    }

    /// Whether the piece is promoted, and whose it is.
    fn owner(&mut self, kind: PieceType) -> Result<(bool, Colour), PackedError> {
        let promoted = kind != PieceType::Gold && self.bit()?;
        Ok((promoted, Colour::white_if(self.bit()?)))
    }
}

impl Board {
    /// The position in 256 bits.
    ///
    /// ```
    /// use obook_shogi::Board;
    ///
    /// let packed = Board::start().packed();
    /// assert_eq!(packed.0[..4], [0x58, 0xa4, 0x51, 0x22]);
    /// assert_eq!(packed.board(), Ok(Board::start()));
    /// ```
    #[must_use]
    pub fn packed(&self) -> Packed {
        let mut writer = Writer::default();
        writer.put((self.turn() as u8, 1));
        for colour in Colour::ALL {
            writer.put((self.king(colour).index() as u8, 7));
        }
        let mut left = PieceType::IN_HAND.map(PieceType::most);
        let place = |kind: PieceType| usize::from(kind.number()) - 1;
        for square in Square::all() {
            match self.piece(square) {
                None => writer.put((0, 1)),
                Some(piece) if piece.kind == PieceType::King => {}
                Some(piece) => {
                    left[place(piece.kind.unpromoted())] -= 1;
                    writer.put(on_board(piece));
                }
            }
        }
        for colour in Colour::ALL {
            for kind in PieceType::BY_VALUE {
                for _ in 0..self.hand(colour).count(kind) {
                    left[place(kind)] -= 1;
                    writer.put(in_hand(Piece { kind, colour }));
                }
            }
        }
        for kind in PieceType::BY_VALUE {
            for _ in 0..left[place(kind)] {
                writer.put(missing(kind));
            }
        }
        assert_eq!(writer.at, 256);
        Packed(writer.bytes())
    }

    /// The key of the position in a book: its [canonical](Self::canonical) position, packed.
    #[must_use]
    pub fn key(&self) -> Packed {
        self.canonical().packed()
    }
}

impl Packed {
    /// The position.
    ///
    /// # Errors
    /// Returns [`PackedError`] if the bytes are no position, or not as YaneuraOu packs it.
    pub fn board(&self) -> Result<Board, PackedError> {
        let board = self.pieces()?.checked()?;
        if board.packed() == *self {
            Ok(board)
        } else {
            Err(PackedError::Order)
        }
    }

    /// The position, which was [packed](Board::packed) here: this isn't checked.
    pub(crate) fn unpacked(&self) -> Board {
        self.pieces().expect("it was packed here")
    }

    /// The position with these pieces, whether or not a game has them.
    fn pieces(&self) -> Result<Board, PackedError> {
        let mut reader = BitReader {
            bytes: &self.0,
            at: 0,
        };
        let turn = Colour::white_if(reader.bit()?);
        let mut squares = [None; Square::COUNT];
        let kings = [reader.square()?, reader.square()?];
        for (king, colour) in kings.into_iter().zip(Colour::ALL) {
            squares[king.index()] = Some(PieceType::King.of(colour));
        }
        for square in Square::all().filter(|square| !kings.contains(square)) {
            if reader.bit()? {
                let kind = reader.kind()?;
                let (promoted, colour) = reader.owner(kind)?;
                let kind = kind.promoted().filter(|_| promoted).unwrap_or(kind);
                squares[square.index()] = Some(Piece { kind, colour });
            }
        }
        let mut hands = [Hand::default(); 2];
        while reader.at < 256 {
            let kind = reader.kind()?;
            let (is_missing, colour) = reader.owner(kind)?;
            if !is_missing {
                let hand = &mut hands[colour as usize];
                hand.set(kind, hand.count(kind) + 1);
            }
        }
        Ok(Board::unchecked(squares, hands, turn))
    }
}
