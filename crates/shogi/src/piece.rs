//! Pieces and the two sides.

obook_base::named! {
    /// A side. Black (先手) moves first from the start position, and up the board.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "database", derive(serde::Serialize))]
    #[cfg_attr(feature = "database", serde(rename_all = "lowercase"))]
    pub enum Colour {
        /// Sente, with upper-case letters in SFEN.
        #[default]
        Black = "Black",
        /// Gote.
        White = "White",
    }
}

impl Colour {
    /// White if this is so, else Black.
    pub(crate) const fn white_if(is_white: bool) -> Self {
        if is_white { Self::White } else { Self::Black }
    }

    /// 1 for Black, −1 for White.
    pub(crate) const fn sign(self) -> i32 {
        1 - 2 * self as i32
    }

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

obook_base::table! {
    /// A kind of piece. Its number is that of YaneuraOu's formats: a promoted piece has 8 more.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs)]
    pub enum PieceType {
        Pawn = "歩",
        Lance = "香",
        Knight = "桂",
        Silver = "銀",
        Bishop = "角",
        Rook = "飛",
        Gold = "金",
        King = "玉",
        ProPawn = "と",
        ProLance = "杏",
        ProKnight = "圭",
        ProSilver = "全",
        Horse = "馬",
        Dragon = "龍",
    }
    /// Its Japanese name in one character, such as 歩.
    pub fn kanji -> &'static str
}

impl PieceType {
    /// The kinds that a hand can hold, by number.
    pub const IN_HAND: [Self; 7] = *Self::ALL.first_chunk().expect("there are more kinds");

    /// The same by value, as most formats order them.
    pub(crate) const BY_VALUE: [Self; 7] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Gold,
        Self::Bishop,
        Self::Rook,
    ];

    /// The kind with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1..=14 => Some(Self::ALL[number as usize - 1]),
            _ => None,
        }
    }

    /// 1 for a pawn to 14 for a dragon.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The kind that it becomes by promotion, if it can.
    #[must_use]
    pub const fn promoted(self) -> Option<Self> {
        // There are no such numbers beyond that of the rook.
        Self::from_number(self.number() + 8)
    }

    /// Whether it is a promoted piece.
    #[must_use]
    pub const fn is_promoted(self) -> bool {
        self.number() > Self::King.number()
    }

    /// The kind that it is in the hand of a side that captures it.
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        if self.is_promoted() {
            Self::ALL[self.number() as usize - 9]
        } else {
            self
        }
    }

    /// A side's piece of this kind.
    pub(crate) const fn of(self, colour: Colour) -> Piece {
        let kind = self;
        Piece { kind, colour }
    }

    /// How many pieces of this kind a game has, promoted or not.
    #[must_use]
    pub const fn most(self) -> u8 {
        match self.unpromoted() {
            Self::Pawn => 18,
            Self::Bishop | Self::Rook | Self::King => 2,
            _ => 4,
        }
    }

    /// The letter in SFEN and USI, without the plus of a promoted piece.
    #[must_use]
    pub const fn letter(self) -> char {
        b"PLNSBRGK"[self.unpromoted().number() as usize - 1] as char
    }

    /// The unpromoted kind with this upper-case letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        // Promoted kinds, which have the same letters, come later.
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// Its type.
    pub kind: PieceType,
    /// Whose it is.
    pub colour: Colour,
}

impl Piece {
    /// The letter in SFEN, without the plus of a promoted piece: Black's are upper case.
    #[must_use]
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::Black => self.kind.letter(),
            Colour::White => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// The same piece of the other side.
    #[must_use]
    pub const fn turned(self) -> Self {
        self.kind.of(self.colour.other())
    }
}

/// The pieces in a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand([u8; 7]);

impl Hand {
    /// How many pieces of a kind it holds: none of kinds that can't be in a hand.
    #[must_use]
    pub fn count(self, kind: PieceType) -> u8 {
        self.0.get(kind.number() as usize - 1).copied().unwrap_or(0)
    }

    /// Sets how many pieces of a kind it holds, which must be one of [`PieceType::IN_HAND`].
    ///
    /// # Panics
    /// Panics if a hand can't hold this kind.
    pub fn set(&mut self, kind: PieceType, count: u8) {
        self.0[kind.number() as usize - 1] = count;
    }

    /// The kinds that it holds, by number, and how many pieces of each.
    pub(crate) fn pieces(self) -> impl Iterator<Item = (PieceType, u8)> {
        let counted = PieceType::IN_HAND.into_iter().zip(self.0);
        counted.filter(|&(_, count)| count > 0)
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}
