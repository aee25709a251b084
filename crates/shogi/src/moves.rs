//! Moves, as USI texts and as the 16 bits of YaneuraOu's formats.

use crate::{Colour, PieceType, Square};
use std::fmt;
use std::str::FromStr;

/// A move: a piece from one square to another, or a piece from the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A piece on the board moves.
    Step {
        /// The square that it leaves.
        from: Square,
        /// The square that it goes to.
        to: Square,
        /// Whether it promotes.
        promotes: bool,
    },
    /// A piece in the hand is dropped.
    Drop {
        /// The piece that is dropped, one of [`PieceType::IN_HAND`].
        kind: PieceType,
        /// The square that it goes to.
        to: Square,
    },
}

const DROP: u16 = 1 << 14;
const PROMOTION: u16 = 1 << 15;

impl Move {
    /// A drop, if a hand can hold a piece of this kind.
    pub(crate) fn dropped(kind: PieceType, to: Square) -> Option<Self> {
        (PieceType::IN_HAND.contains(&kind)).then_some(Self::Drop { kind, to })
    }

    /// The square that the piece goes to.
    #[must_use]
    pub const fn to(self) -> Square {
        match self {
            Self::Step { to, .. } | Self::Drop { to, .. } => to,
        }
    }

    /// The same move seen from the other side of the board.
    #[must_use]
    pub const fn turned(self) -> Self {
        match self {
            Self::Step { from, to, promotes } => Self::Step {
                from: from.turned(),
                to: to.turned(),
                promotes,
            },
            Self::Drop { kind, to } => Self::Drop {
                kind,
                to: to.turned(),
            },
        }
    }

    /// A move as the canonical position has it, if this is one of a position in which `turn` moves, or the other way round.
    #[must_use]
    pub const fn seen_by(self, turn: Colour) -> Self {
        match turn {
            Colour::Black => self,
            Colour::White => self.turned(),
        }
    }

    /// The move in 16 bits: 7 for the target, 7 for the square it comes from (or the kind that is dropped), one for a drop, one
    /// for a promotion.
    ///
    /// ```
    /// use obook_shogi::Move;
    ///
    /// let drop: Move = "P*5e".parse()?;
    /// assert_eq!(drop.bits(), 0x40a8);
    /// assert_eq!(Move::from_bits(0x8546), "2b8h+".parse().ok());
    /// # Ok::<(), obook_shogi::ParseMoveError>(())
    /// ```
    #[must_use]
    pub const fn bits(self) -> u16 {
        match self {
            Self::Step { from, to, promotes } => {
                let squares = to.index() as u16 | (from.index() as u16) << 7;
                if promotes {
                    squares | PROMOTION
                } else {
                    squares
                }
            }
            Self::Drop { kind, to } => to.index() as u16 | (kind.number() as u16) << 7 | DROP,
        }
    }

    /// The move with these bits. `None` if they are no move of any game, like those for “none” and “resign”.
    #[must_use]
    pub fn from_bits(bits: u16) -> Option<Self> {
        let to = Square::from_index((bits & 0x7f) as u8)?;
        let from = (bits >> 7 & 0x7f) as u8;
        if bits & DROP == 0 {
            let from = Square::from_index(from).filter(|&from| from != to)?;
            let promotes = bits & PROMOTION != 0;
            Some(Self::Step { from, to, promotes })
        } else {
            let kind = PieceType::from_number(from).filter(|_| bits & PROMOTION == 0)?;
            Self::dropped(kind, to)
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { from, to, promotes } => {
                write!(f, "{from}{to}{}", if *promotes { "+" } else { "" })
            }
            Self::Drop { kind, to } => write!(f, "{}*{to}", kind.letter()),
        }
    }
}

/// A text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a move; expected one in USI, such as 7g7f, 8h2b+ or P*5e")]
pub struct ParseMoveError(String);

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let square = |at: usize| text.get(at..at + 2)?.parse::<Square>().ok();
            if text.get(1..2) == Some("*") {
                let kind = PieceType::from_letter(text.chars().next()?)?;
                return Self::dropped(kind, square(2)?).filter(|_| text.len() == 4);
            }
            let promotes = match text.get(4..)? {
                "" => false,
                "+" => true,
                _ => return None,
            };
            let (from, to) = (square(0)?, square(2)?);
            (from != to).then_some(Self::Step { from, to, promotes })
        };
        parse().ok_or_else(|| ParseMoveError(crate::shown(text)))
    }
}
