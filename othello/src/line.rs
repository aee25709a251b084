//! A line: moves from a position, as people write them.

use crate::notation::{self, Written};
use crate::square::Misread;
use crate::{Board, Move, OverlapError, ParseMoveError, Side, TextError};
use std::fmt;
use std::str::FromStr;

/// A sequence of legal moves from the start position, or from another one, with the position and the side to move at its
/// end.
///
/// Passes need not be written: where the side to move must pass, a square is read as the other side's move. The line
/// itself, [`Line::moves`] and what it is written as, has every pass.
///
/// ```
/// use obook_othello::{Line, Side};
/// let line: Line = "F5d6 c3".parse()?;
/// assert_eq!(line.to_string(), "f5d6c3");
/// assert_eq!((line.ply(), line.side()), (3, Side::White));
/// assert_eq!("1. F5 d6 2. c3".parse(), Ok(line));
///
/// // White's h6 leaves black without a move, and white moves again: to c5 or e7.
/// let line: Line = "f5f6d3g5h5h4f7h6 e7".parse()?;
/// assert_eq!(line.to_string(), "f5f6d3g5h5h4f7h6pae7");
///
/// let error = "f5f5".parse::<Line>().unwrap_err();
/// assert_eq!(error.to_string(), "move 2, f5, is not legal after f5: legal are f4 d6 f6");
///
/// // From a database key, and from 64 squares with the side to move.
/// let key: Line = "00000008100000000000001008000000 d3".parse()?;
/// let board: Line = "---------------------------OX------XO--------------------------- X d3".parse()?;
/// assert_eq!(key.board(), board.board());
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    start: Board,
    first: Side,
    moves: Vec<Move>,
    board: Board,
    side: Side,
}

/// What is wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The line begins with something that is no board.
    Board(TextError),
    /// The line begins with a key in which both sides hold a square.
    Key(OverlapError),
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
        Line::at(Board::START, Side::Black)
    }

    /// No move yet: this position, and whose turn it is.
    ///
    /// ```
    /// use obook_othello::{Board, Line, Side};
    /// let mut line = Line::at(Board::START.passed(), Side::White);
    /// assert!(!line.is_from_start());
    /// line.push("e3".parse()?)?;
    /// assert_eq!((line.ply(), line.side()), (1, Side::Black));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn at(board: Board, side: Side) -> Line {
        Line {
            start: board,
            first: side,
            moves: Vec::new(),
            board,
            side,
        }
    }

    /// The position with which a line's text begins, as [`Line::from_str`] reads it, and the byte at which its moves do.
    ///
    /// ```
    /// use obook_othello::{Board, Line};
    /// let text = "---------------------------OX------XO--------------------------- X d3 c5?";
    /// let (start, moves) = Line::begin(text)?;
    /// assert_eq!((start.board(), &text[moves..]), (Board::START, " d3 c5?"));
    /// assert_eq!(Line::begin("f5d6")?, (Line::new(), 0));
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    ///
    /// # Errors
    /// [`LineError::Board`] or [`LineError::Key`]: it begins with something that should be a board and is none.
    pub fn begin(text: &str) -> Result<(Line, usize), LineError> {
        Ok(match notation::split(text) {
            Written::Moves => (Line::new(), 0),
            Written::Key { key, end } => {
                let board = Board::new((key >> 64) as u64, key as u64).map_err(LineError::Key)?;
                (Line::at(board, Side::Black), end)
            }
            Written::Squares { end } => {
                let (board, side) =
                    Board::read_with_side(&text[..end]).map_err(LineError::Board)?;
                (Line::at(board, side), end)
            }
        })
    }

    /// The first `count` moves, or all where there are fewer.
    ///
    /// ```
    /// use obook_othello::Line;
    /// let line: Line = "f5d6c3".parse()?;
    /// assert_eq!(line.prefix(2).to_string(), "f5d6");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn prefix(&self, count: usize) -> Line {
        let mut prefix = Line::at(self.start, self.first);
        for mv in self.moves.iter().take(count) {
            let board = prefix.board.play(*mv).expect("a line's moves are legal");
            prefix.advance(*mv, board);
        }
        prefix
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

    /// Every position, from the start to the end, with the side to move: one more than there are moves.
    ///
    /// ```
    /// use obook_othello::{Line, Side};
    /// let line: Line = "f5d6".parse()?;
    /// let sides: Vec<Side> = line.positions().map(|(_, side)| side).collect();
    /// assert_eq!(sides, [Side::Black, Side::White, Side::Black]);
    /// assert_eq!(line.positions().last(), Some((line.board(), line.side())));
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    pub fn positions(&self) -> impl Iterator<Item = (Board, Side)> {
        let first = (self.start, self.first);
        let after = self.moves.iter().scan(first, |(board, side), mv| {
            *board = board.play(*mv)?;
            *side = side.other();
            Some((*board, *side))
        });
        std::iter::once(first).chain(after)
    }

    /// The position before the first move.
    #[must_use]
    pub const fn start(&self) -> Board {
        self.start
    }

    /// Whether it begins at the start position of the game, with black's move.
    #[must_use]
    pub fn is_from_start(&self) -> bool {
        self.start == Board::START && self.first == Side::Black
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

    /// How many discs were placed since the start position of the game; a pass is no ply.
    #[must_use]
    pub const fn ply(&self) -> usize {
        self.board.ply()
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::new()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_from_start() {
            f.write_str(&self.start.to_text_for(self.first))?;
            if !self.moves.is_empty() {
                f.write_str(" ")?;
            }
        }
        self.moves.iter().try_for_each(|mv| mv.fmt(f))
    }
}

impl FromStr for Line {
    type Err = LineError;

    /// Moves such as `f5d6c3`, `F5 D6`, `f5-d6-c3` or `1. f5 d6 2. c3`; passes as in [`Move`]. They may follow a board: 64
    /// squares and the side to move, as [`Board::from_str`] reads them, or a database key of 32 hexadecimal digits, whose
    /// side to move is taken to be black.
    ///
    /// # Errors
    /// [`LineError`] for the first text that is no move or board, or move that is not legal.
    fn from_str(text: &str) -> Result<Line, LineError> {
        let (mut line, moves) = Line::begin(text)?;
        for word in notation::moves(text, moves) {
            let mv = word.text.parse().map_err(|_| LineError::NoMove {
                at: word.at,
                found: word.text,
            })?;
            line.push(mv)?;
        }
        Ok(line)
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::Board(error) => error.fmt(f),
            LineError::Key(error) => write!(f, "the key is no board: {error}"),
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
