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
    /// Something after the side to move.
    Trailing {
        /// Character position, from 1.
        at: usize,
        /// The first character too many.
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

    /// The same with the real colours: `X` is black, and the last letter says who moves.
    ///
    /// ```
    /// use obook_othello::{Board, Side};
    /// let text = Board::START.to_text_for(Side::White);
    /// assert_eq!(text, "---------------------------XO------OX--------------------------- O");
    /// ```
    #[must_use]
    pub fn to_text_for(self, side: Side) -> String {
        match side {
            Side::Black => self.to_text(),
            Side::White => self.passed().to_text().replace(" X", " O"),
        }
    }

    /// A drawing with coordinates, the side to move as black: `*`, legal moves as `.`.
    ///
    /// ```
    /// use obook_othello::Board;
    /// assert_eq!(
    ///     Board::START.diagram().to_string(),
    ///     "  A B C D E F G H\n\
    ///      1 - - - - - - - - 1\n\
    ///      2 - - - - - - - - 2\n\
    ///      3 - - - . - - - - 3\n\
    ///      4 - - . O * - - - 4\n\
    ///      5 - - - * O . - - 5\n\
    ///      6 - - - - . - - - 6\n\
    ///      7 - - - - - - - - 7\n\
    ///      8 - - - - - - - - 8\n  \
    ///        A B C D E F G H"
    /// );
    /// ```
    #[must_use]
    pub const fn diagram(self) -> Diagram {
        Diagram {
            board: self,
            side: Side::Black,
        }
    }

    /// A drawing with coordinates in which `side` is to move, as Edax draws a board (`O` stays white there).
    #[must_use]
    pub const fn diagram_for(self, side: Side) -> Diagram {
        Diagram { board: self, side }
    }
}

impl FromStr for Board {
    type Err = TextError;

    /// 64 squares (`X`, `x`, `*`, `B`, `b` black; `O`, `o`, `0`, `W`, `w` white; `-`, `.` empty), then the side to
    /// move in the same letters and nothing more; white space is passed over, so eight lines of eight will do.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let board: Board = "
    ///     --------
    ///     --------
    ///     --------
    ///     ---OX---
    ///     ---XXX--
    ///     --------
    ///     --------
    ///     -------- O".parse()?;
    /// assert_eq!(Some(board), Board::START.place("f5".parse().unwrap()));
    /// # Ok::<(), obook_othello::TextError>(())
    /// ```
    ///
    /// # Errors
    /// [`TextError`] with the place of the first character that does not belong there.
    fn from_str(text: &str) -> Result<Board, TextError> {
        Board::read_with_side(text).map(|(board, _)| board)
    }
}

impl Board {
    /// Reads a board as [`Board::from_str`] does, and says which side is to move.
    ///
    /// ```
    /// use obook_othello::{Board, Side};
    /// let text = Board::START.to_text();
    /// assert_eq!(Board::read_with_side(&text), Ok((Board::START, Side::Black)));
    /// ```
    ///
    /// # Errors
    /// As [`Board::from_str`].
    pub fn read_with_side(text: &str) -> Result<(Board, Side), TextError> {
        let mut written = text
            .chars()
            .zip(1..)
            .filter(|(found, _)| !found.is_whitespace());
        let (mut black, mut white) = (0u64, 0u64);
        for square in Square::all() {
            let (found, at) = written.next().ok_or(TextError::TooShort {
                found: usize::from(square.index()),
            })?;
            match (side_of(found), found) {
                (Some(Side::Black), _) => black |= square.bit(),
                (Some(Side::White), _) => white |= square.bit(),
                (None, '-' | '.') => {}
                (None, _) => return Err(TextError::Unexpected { at, found }),
            }
        }
        let (found, at) = written.next().ok_or(TextError::TooShort { found: 64 })?;
        let side = side_of(found).ok_or(TextError::Unexpected { at, found })?;
        if let Some((found, at)) = written.next() {
            return Err(TextError::Trailing { at, found });
        }
        Ok(match side {
            Side::Black => (Board::new_unchecked(black, white), side),
            Side::White => (Board::new_unchecked(white, black), side),
        })
    }
}

/// The side that a letter means.
const fn side_of(letter: char) -> Option<Side> {
    match letter {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Side::Black),
        'O' | 'o' | '0' | 'W' | 'w' => Some(Side::White),
        _ => None,
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::TooShort { found } => write!(
                f,
                "the board ends after {found} characters: expected 64 squares and the side to move"
            ),
            TextError::Unexpected { at, found } => write!(
                f,
                "“{}” at character {at}: expected X, O or - for a square, then X or O for the side to move",
                found.escape_debug()
            ),
            TextError::Trailing { at, found } => write!(
                f,
                "“{}” at character {at}: expected nothing after 64 squares and the side to move",
                found.escape_debug()
            ),
        }
    }
}

impl std::error::Error for TextError {}

/// A board drawn with coordinates, nine line ends inside and none at the end; made by [`Board::diagram`] and
/// [`Board::diagram_for`].
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
