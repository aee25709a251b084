//! Boards as text: 64 characters and the side to move, and diagrams with coordinates.

use crate::{Board, Side, Square};
use std::fmt;
use std::str::FromStr;

/// What's wrong with a board's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// There are fewer than 64 squares and a side.
    #[error("the board ends after {found} characters: expected 64 squares and the side to move")]
    TooShort {
        /// The number of characters found, not counting white space.
        found: usize,
    },
    /// A character isn't a disc, an empty square or a side.
    #[error(
        "“{}” at character {at}: expected X, O or - for a square, then X or O for the side to move",
        found.escape_debug()
    )]
    Unexpected {
        /// Character position, from 1.
        at: usize,
        /// The character.
        found: char,
    },
    /// There is something after the side to move.
    #[error(
        "“{}” at character {at}: expected nothing after 64 squares and the side to move",
        found.escape_debug()
    )]
    Trailing {
        /// Character position, from 1.
        at: usize,
        /// The first surplus character.
        found: char,
    },
}

impl Board {
    /// Writes 64 characters from a1 to h8, `X` for the side to move, `O` for the other side and `-` for an empty square, then a
    /// space and `X`, as Edax does.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let text = Board::START.to_text();
    /// assert_eq!(text, "---------------------------OX------XO--------------------------- X");
    /// assert_eq!(text.parse(), Ok(Board::START));
    /// ```
    #[must_use]
    pub fn to_text(self) -> String {
        let letter = |square: Square| match square.bit() {
            bit if self.player() & bit != 0 => 'X',
            bit if self.opponent() & bit != 0 => 'O',
            _ => '-',
        };
        Square::all().map(letter).chain([' ', 'X']).collect()
    }

    /// The same with real colours: `X` is Black, and the last letter is the side to move.
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

    /// Draws the board with coordinates. The side to move is black (`*`), and legal moves are marked `.`.
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
        self.diagram_for(Side::Black)
    }

    /// Draws the board with coordinates and with `side` to move, as Edax does: `*` is black and `O` is white.
    #[must_use]
    pub const fn diagram_for(self, side: Side) -> Diagram {
        Diagram { board: self, side }
    }

    /// Parses a board like [`Board::from_str`], and returns the side to move too. The number of rows, 8, may stand in front, as the
    /// Generic Game Server has it.
    ///
    /// ```
    /// use obook_othello::{Board, Side};
    /// let text = Board::START.to_text();
    /// assert_eq!(Board::read_with_side(&text), Ok((Board::START, Side::Black)));
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`Board::from_str`].
    pub fn read_with_side(text: &str) -> Result<(Board, Side), TextError> {
        let letters = text.chars().zip(1..);
        let letters = letters.filter(|(found, _)| !found.is_whitespace());
        let mut written = letters.peekable();
        written.next_if(|(found, _)| *found == '8');
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

impl FromStr for Board {
    type Err = TextError;

    /// Parses 64 squares (`X`, `x`, `*`, `B`, `b` black; `O`, `o`, `0`, `W`, `w` white; `-`, `.` empty), then the side to move in
    /// the same letters. White space is ignored, so eight lines of eight squares work too.
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
    /// Returns [`TextError`] with the position of the first wrong character.
    fn from_str(text: &str) -> Result<Board, TextError> {
        Board::read_with_side(text).map(|(board, _)| board)
    }
}

/// The side that a letter stands for.
const fn side_of(letter: char) -> Option<Side> {
    match letter {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Side::Black),
        'O' | 'o' | '0' | 'W' | 'w' => Some(Side::White),
        _ => None,
    }
}

/// A diagram of a board with coordinates, without a line end at the end. Created by [`Board::diagram`] and
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
        let discs = self.board.to_text_for(self.side).replace('X', "*");
        let drawn = |(square, disc)| if moves.contains(square) { '.' } else { disc };
        let drawn: Vec<char> = Square::all().zip(discs.chars()).map(drawn).collect();
        writeln!(f, "{FILES}")?;
        for (rank, squares) in (1..).zip(drawn.chunks(8)) {
            write!(f, "{rank}")?;
            squares.iter().try_for_each(|it| write!(f, " {it}"))?;
            writeln!(f, " {rank}")?;
        }
        write!(f, "{FILES}")
    }
}
