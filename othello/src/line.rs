//! A line: the moves from the start position, as people write them.

use crate::square::Misread;
use crate::{Board, Move, ParseMoveError, Side};
use std::fmt;
use std::str::FromStr;

/// A sequence of legal moves from the start position, with the position and the side to move at its end.
///
/// Passes need not be written: where the side to move must pass, a square is read as the other side's move. The line
/// itself, [`Line::moves`] and what it is written as, has every pass.
///
/// ```
/// use obook_othello::{Line, Side};
/// let line: Line = "F5d6 c3".parse()?;
/// assert_eq!(line.to_string(), "f5d6c3");
/// assert_eq!((line.ply(), line.side()), (3, Side::White));
///
/// // White's h6 leaves black without a move, and white moves again: to c5 or e7.
/// let line: Line = "f5f6d3g5h5h4f7h6 e7".parse()?;
/// assert_eq!(line.to_string(), "f5f6d3g5h5h4f7h6pae7");
///
/// let error = "f5f5".parse::<Line>().unwrap_err();
/// assert_eq!(error.to_string(), "move 2, f5, is not legal after f5: legal are f4 d6 f6");
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
        /// Which move of the line, from 1, passes counted whether they were written or not.
        number: usize,
        /// The move.
        mv: Move,
        /// The line up to it, passes written.
        after: String,
        /// What could have stood there; none when the game is over. Where the side to move must pass that is the pass,
        /// and every move of the other side, because the pass need not be written.
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

    /// The line of these moves; passes may be left out.
    ///
    /// ```
    /// use obook_othello::{Board, Line, Move, Square};
    /// let diagonal = [37, 43, 18].map(|index| Move::Place(Square::new(index).unwrap()));
    /// assert_eq!(Line::from_moves(diagonal)?.to_string(), "f5d6c3");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    ///
    /// # Errors
    /// [`LineError::Illegal`] for the first move that is not legal.
    pub fn from_moves(moves: impl IntoIterator<Item = Move>) -> Result<Line, LineError> {
        let mut line = Line::new();
        moves.into_iter().try_for_each(|mv| line.push(mv))?;
        Ok(line)
    }

    /// Plays one more move; passes first where the side to move must pass and `mv` is a square. To try moves out, ask
    /// [`Line::board`]: it allocates nothing, where an error here writes the line down.
    ///
    /// # Errors
    /// [`LineError::Illegal`]; the line is then as it was.
    pub fn push(&mut self, mv: Move) -> Result<(), LineError> {
        if let Some(board) = self.board.play(mv) {
            self.advance(mv, board);
            return Ok(());
        }
        let passed = self.board.play(Move::Pass);
        if let Some((passed, board)) = passed.and_then(|board| Some((board, board.play(mv)?))) {
            self.advance(Move::Pass, passed);
            self.advance(mv, board);
            return Ok(());
        }
        Err(LineError::Illegal {
            number: self.moves.len() + 1,
            mv,
            after: self.to_string(),
            legal: self
                .board
                .moves()
                .chain(passed.into_iter().flat_map(Board::moves))
                .collect(),
        })
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

    /// Moves such as `f5d6c3`, upper or lower case, spaces and commas between them allowed; passes as in [`Move`].
    ///
    /// # Errors
    /// [`LineError`] for the first text that is no move, or move that is not legal.
    fn from_str(text: &str) -> Result<Line, LineError> {
        let mut line = Line::new();
        let mut written = text
            .chars()
            .zip(1..)
            .filter(|(c, _)| !c.is_whitespace() && *c != ',');
        while let Some((first, at)) = written.next() {
            let mut word = String::from(first);
            word.extend(written.next().map(|(second, _)| second));
            let mv = word
                .parse()
                .map_err(|_| LineError::NoMove { at, found: word })?;
            line.push(mv)?;
            if mv == Move::Pass {
                skip_rest_of_pass(&mut written);
            }
        }
        Ok(line)
    }
}

/// Passes over the `ss` of a `pass`: no move begins with that letter.
fn skip_rest_of_pass(written: &mut (impl Iterator<Item = (char, usize)> + Clone)) {
    let mut rest = written.clone().map(|(c, _)| c.to_ascii_lowercase());
    if (rest.next(), rest.next()) == (Some('s'), Some('s')) {
        written.nth(1);
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::NoMove { at, found } => {
                write!(
                    f,
                    "at character {at}: {}",
                    ParseMoveError(Misread::new(found))
                )
            }
            LineError::Illegal {
                number,
                mv,
                after,
                legal,
            } => {
                write!(f, "move {number}, {mv}, is not legal ")?;
                match after.as_str() {
                    "" => f.write_str("at the start: ")?,
                    line => write!(f, "after {line}: ")?,
                }
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
