//! Boards as text: 64 characters and a side, and a drawing with coordinates.

use crate::{Board, Side, Square};
use std::fmt;
use std::str::FromStr;

/// What is wrong with a board's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// Fewer than 64 squares and a side.
    TooShort {
        /// How many characters that mean something were there.
        found: usize,
    },
    /// A character that is no disc, empty square or side.
    Unexpected {
        /// Character position, from 1.
        at: usize,
        /// The character.
        found: char,
    },
}

impl Board {
    /// 64 characters from a1 to h8, `X` for the side to move and `O` for the other, `-` for an empty square, then a
    /// space and `X`: the way Edax writes a board on one line.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let text = Board::START.to_text();
    /// assert_eq!(text, "---------------------------OX------XO--------------------------- X");
    /// assert_eq!(text.parse(), Ok(Board::START));
    /// ```
    #[must_use]
    pub fn to_text(self) -> String {
        let mut text: String = Square::all()
            .map(
                |square| match (self.player() & square.bit(), self.opponent() & square.bit()) {
                    (0, 0) => '-',
                    (0, _) => 'O',
                    _ => 'X',
                },
            )
            .collect();
        text.push_str(" X");
        text
    }

    /// A drawing with coordinates, the side to move as black: `*`, legal moves as `.`.
    #[must_use]
    pub const fn diagram(self) -> Diagram {
        Diagram {
            board: self,
            side: Side::Black,
        }
    }

    /// A drawing with coordinates in which `side` is to move.
    #[must_use]
    pub const fn diagram_for(self, side: Side) -> Diagram {
        Diagram { board: self, side }
    }
}

impl FromStr for Board {
    type Err = TextError;

    /// 64 squares (`X`, `x`, `*`, `B`, `b` black; `O`, `o`, `0`, `W`, `w` white; `-`, `.` empty), then the side to
    /// move in the same letters; white space is passed over.
    fn from_str(text: &str) -> Result<Board, TextError> {
        let (mut black, mut white) = (0u64, 0u64);
        let mut count = 0;
        for (at, c) in text.chars().enumerate().filter(|(_, c)| !c.is_whitespace()) {
            let side = match c {
                'X' | 'x' | '*' | 'B' | 'b' => Some(Side::Black),
                'O' | 'o' | '0' | 'W' | 'w' => Some(Side::White),
                '-' | '.' if count < 64 => None,
                _ => {
                    return Err(TextError::Unexpected {
                        at: at + 1,
                        found: c,
                    });
                }
            };
            match (count, side) {
                (0..64, Some(Side::Black)) => black |= 1 << count,
                (0..64, Some(Side::White)) => white |= 1 << count,
                (64, Some(Side::Black)) => return Ok(Board::new_unchecked(black, white)),
                (64, Some(Side::White)) => return Ok(Board::new_unchecked(white, black)),
                _ => {}
            }
            count += 1;
        }
        Err(TextError::TooShort { found: count })
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::TooShort { found } => {
                write!(
                    f,
                    "the board ends after {found} characters: expected 64 squares and the side to move"
                )
            }
            TextError::Unexpected { at, found } => {
                write!(
                    f,
                    "“{found}” at character {at}: expected X, O or - for a square, then X or O for the side to move"
                )
            }
        }
    }
}

impl std::error::Error for TextError {}

/// A board drawn with coordinates; made by [`Board::diagram`] and [`Board::diagram_for`].
///
/// ```
/// use obook_othello::Board;
/// let drawing = Board::START.diagram().to_string();
/// assert!(drawing.contains("4 - - . O * - - - 4"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Diagram {
    board: Board,
    side: Side,
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FILES: &str = "  A B C D E F G H";
        let moves = self.board.legal_moves();
        let (mine, theirs) = match self.side {
            Side::Black => ('*', 'O'),
            Side::White => ('O', '*'),
        };
        writeln!(f, "{FILES}")?;
        for rank in 0..8 {
            write!(f, "{}", rank + 1)?;
            for square in Square::all().filter(|square| square.rank() == rank) {
                let c = if self.board.player() & square.bit() != 0 {
                    mine
                } else if self.board.opponent() & square.bit() != 0 {
                    theirs
                } else if moves.contains(square) {
                    '.'
                } else {
                    '-'
                };
                write!(f, " {c}")?;
            }
            writeln!(f, " {}", rank + 1)?;
        }
        write!(f, "{FILES}")
    }
}
