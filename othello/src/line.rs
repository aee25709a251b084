//! A line: the moves from the start position, as people write them.

use crate::{Board, Move, Side};
use std::fmt;
use std::str::FromStr;

/// A sequence of legal moves from the start position, with the position and the side to move at its end.
///
/// Passes need not be written: where the side to move must pass, a square is read as the other side's move.
///
/// ```
/// use obook_othello::Line;
/// let line: Line = "F5d6 c3".parse()?;
/// assert_eq!(line.to_string(), "f5d6c3");
/// assert_eq!(line.ply(), 3);
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    moves: Vec<Move>,
    board: Board,
    side: Side,
}

/// What is wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The text at this character (counted from 1) is no move.
    NoMove {
        /// Character position, from 1.
        at: usize,
        /// What stands there.
        found: String,
    },
    /// The move is not legal there.
    Illegal {
        /// Which move of the text, from 1.
        number: usize,
        /// The move.
        mv: Move,
        /// The line up to it.
        after: String,
        /// What would have been legal.
        legal: Vec<Move>,
    },
}

impl Line {
    /// No move yet: the start position, black to move.
    #[must_use]
    pub const fn new() -> Line {
        Line {
            moves: Vec::new(),
            board: Board::START,
            side: Side::Black,
        }
    }

    /// Plays one more move; passes first where the side to move must pass and `mv` is a square.
    ///
    /// # Errors
    /// [`LineError::Illegal`]; the line is then as it was.
    pub fn push(&mut self, mv: Move) -> Result<(), LineError> {
        if mv != Move::Pass && self.board.must_pass() && self.board.passed().play(mv).is_some() {
            self.advance(Move::Pass, self.board.passed());
        }
        match self.board.play(mv) {
            Some(board) => {
                self.advance(mv, board);
                Ok(())
            }
            None => Err(LineError::Illegal {
                number: self.moves.len() + 1,
                mv,
                after: self.to_string(),
                legal: self.board.moves().collect(),
            }),
        }
    }

    fn advance(&mut self, mv: Move, board: Board) {
        self.moves.push(mv);
        self.board = board;
        self.side = self.side.other();
    }

    /// The moves, passes included.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position at the end.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// Whose turn it is at the end.
    #[must_use]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// How many moves were made, passes included.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.moves.len()
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::new()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.moves.iter().try_for_each(|mv| mv.fmt(f))
    }
}

impl FromStr for Line {
    type Err = LineError;

    /// Moves such as `f5d6c3`, upper or lower case, spaces and commas between them allowed.
    fn from_str(text: &str) -> Result<Line, LineError> {
        let mut line = Line::new();
        let written: Vec<(usize, char)> = text
            .chars()
            .enumerate()
            .filter(|(_, c)| !c.is_whitespace() && *c != ',')
            .collect();
        for pair in written.chunks(2) {
            let word: String = pair.iter().map(|(_, c)| c).collect();
            let mv = word.parse().map_err(|_| LineError::NoMove {
                at: pair[0].0 + 1,
                found: word.clone(),
            })?;
            line.push(mv)?;
        }
        Ok(line)
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::NoMove { at, found } => {
                write!(
                    f,
                    "“{found}” at character {at} is no move: expected a square such as f5, or pa for a pass"
                )
            }
            LineError::Illegal {
                number,
                mv,
                after,
                legal,
            } => {
                let place = if after.is_empty() {
                    "at the start"
                } else {
                    after.as_str()
                };
                write!(f, "move {number}, {mv}, is not legal after {place}: ")?;
                if legal.is_empty() {
                    return f.write_str("the game is over");
                }
                f.write_str("legal are")?;
                legal.iter().try_for_each(|mv| write!(f, " {mv}"))
            }
        }
    }
}

impl std::error::Error for LineError {}
