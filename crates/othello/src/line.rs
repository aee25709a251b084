//! A line: moves from a position, as people write them.

use crate::square::Misread;
use crate::{Board, CanonicalBoard, Move, OverlapError, ParseMoveError, Side, Square, TextError};
use std::fmt;
use std::str::FromStr;

/// A sequence of legal moves from the start position or another one, with the position and the side to move at its end.
///
/// In text, passes may be left out: if the side to move must pass, a square is read as the other side's move. The line itself
/// contains every pass, as do [`Line::moves`] and its text.
///
/// ```
/// use obook_othello::{Line, Side};
/// let line: Line = "F5d6 c3".parse()?;
/// assert_eq!(line.to_string(), "f5d6c3");
/// assert_eq!((line.ply(), line.side()), (3, Side::White));
/// assert_eq!("1. F5 d6 2. c3".parse(), Ok(line));
///
/// // After White's h6 Black has no move, so White moves again: c5 or e7.
/// let line: Line = "f5f6d3g5h5h4f7h6 e7".parse()?;
/// assert_eq!(line.to_string(), "f5f6d3g5h5h4f7h6pae7");
///
/// let error = "f5f5".parse::<Line>().unwrap_err();
/// assert_eq!(error.to_string(), "move 2, f5, is not legal after f5: legal moves are f4 d6 f6");
///
/// // From a database key, and from 64 squares and the side to move.
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

/// What's wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line begins with something that should be a board but isn't.
    #[error(transparent)]
    Board(TextError),
    /// The line begins with a key in which both sides hold a square.
    #[error("the key is not a board: {0}")]
    Key(OverlapError),
    /// Something in the text isn't a move.
    #[error("at character {at}: {}", ParseMoveError(Misread::new(found)))]
    NoMove {
        /// Character position, from 1.
        at: usize,
        /// The text found there.
        found: String,
    },
    /// A move is illegal.
    #[error("move {number}, {mv}, is not legal {}", rather(after, legal))]
    Illegal {
        /// The number of the move in the line, from 1, counting passes whether written or not.
        number: usize,
        /// The move.
        mv: Move,
        /// The line before it, with all passes.
        after: String,
        /// The moves that would have been accepted; none if the game is over. If the side to move must pass, these are the
        /// pass and every move of the other side, because the pass may be left out.
        legal: Vec<Move>,
    },
}

impl Line {
    /// The start position, Black to move, without moves.
    #[must_use]
    pub const fn new() -> Line {
        Line::at(Board::START, Side::Black)
    }

    /// This position with this side to move, without moves.
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

    /// Parses the position that a line's text begins with, like [`Line::from_str`]. Returns it with the byte offset of the moves.
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
    /// Returns [`LineError::Board`] or [`LineError::Key`] if the text begins with something that should be a board but isn't.
    pub fn begin(text: &str) -> Result<(Line, usize), LineError> {
        if let Some((player, opponent, end)) = key(text) {
            let board = Board::new(player, opponent).map_err(LineError::Key)?;
            return Ok((Line::at(board, Side::Black), end));
        }
        let Some(end) = end_of_board(text) else {
            return Ok((Line::new(), 0));
        };
        let (board, side) = Board::read_with_side(&text[..end]).map_err(LineError::Board)?;
        Ok((Line::at(board, side), end))
    }

    /// The line of the first `count` moves, or of all if there are fewer.
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

    /// Creates a line from these moves; passes may be left out.
    ///
    /// ```
    /// use obook_othello::{Board, Line, Move, Square};
    /// let diagonal = [37, 43, 18].map(|index| Move::Place(Square::new(index).unwrap()));
    /// assert_eq!(Line::from_moves(diagonal)?.to_string(), "f5d6c3");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`LineError::Illegal`] for the first illegal move.
    pub fn from_moves(moves: impl IntoIterator<Item = Move>) -> Result<Line, LineError> {
        let mut line = Line::new();
        moves.into_iter().try_for_each(|mv| line.push(mv))?;
        Ok(line)
    }

    /// The moves through these positions, as people write them: f5 first. The first position is the start position, and each
    /// of the others comes from the one before by a move or a pass; otherwise the result is `None`.
    ///
    /// ```
    /// use obook_othello::Line;
    /// let game: Line = "d3c5f6".parse()?;
    /// let boards = game.positions().map(|(board, _)| board.canonical());
    /// assert_eq!(Line::through(boards).unwrap().to_string(), "f5d6c3");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    pub fn through(boards: impl IntoIterator<Item = CanonicalBoard>) -> Option<Line> {
        let mut boards = boards.into_iter();
        let mut line = Line::new();
        if boards.next() != Some(line.board.canonical()) {
            return None;
        }
        for board in boards {
            let mv = line.board.move_to(board)?;
            line.push(mv).ok()?;
        }
        Some(line)
    }

    /// Plays one more move, after a pass if the side to move must pass and `mv` is a square. To try moves out, use
    /// [`Line::board`] instead: errors here allocate a copy of the line.
    ///
    /// # Errors
    /// Returns [`LineError::Illegal`] if the move is illegal. The line is then unchanged.
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
        let after_pass = passed.into_iter().flat_map(Board::moves);
        Err(LineError::Illegal {
            number: self.moves.len() + 1,
            mv,
            after: self.to_string(),
            legal: self.board.moves().chain(after_pass).collect(),
        })
    }

    fn advance(&mut self, mv: Move, board: Board) {
        self.moves.push(mv);
        self.board = board;
        self.side = self.side.other();
    }

    /// The moves, including passes.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Every position from start to end, with the side to move. There is one more than there are moves.
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

    /// Whether it begins at the start position with Black to move.
    #[must_use]
    pub fn is_from_start(&self) -> bool {
        self.start == Board::START && self.first == Side::Black
    }

    /// The position at the end.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The side to move at the end.
    #[must_use]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// The number of discs placed since the start position of the game. A pass isn't a ply.
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

    /// Parses moves such as `f5d6c3`, `F5 D6`, `f5-d6-c3` or `1. f5 d6 2. c3`, with passes as in [`Move`]. They may follow a
    /// board: 64 squares and the side to move, as in [`Board::from_str`], or a database key of 32 hexadecimal digits, which
    /// counts as Black to move.
    ///
    /// # Errors
    /// Returns [`LineError`] for the first text that isn't a move or board, or the first illegal move.
    fn from_str(text: &str) -> Result<Line, LineError> {
        let (mut line, moves) = Line::begin(text)?;
        for (at, found) in words(text, moves) {
            let mv = found.parse().map_err(|_| LineError::NoMove { at, found })?;
            line.push(mv)?;
        }
        Ok(line)
    }
}

/// The end of a sentence about a move that isn't legal.
fn rather(after: &str, legal: &[Move]) -> String {
    let place = match after {
        "" => String::from("at the start"),
        line => format!("after {line}"),
    };
    let legal: String = legal.iter().map(|mv| format!(" {mv}")).collect();
    match legal.is_empty() {
        true => format!("{place}: the game is over"),
        false => format!("{place}: legal moves are{legal}"),
    }
}

/// Squares of a board and the side to move.
const BOARD_LEN: usize = 65;
/// Hexadecimal digits of a key.
const KEY_LEN: usize = 32;
/// This many characters without the digit of a rank can only be the squares of a board.
const NO_MOVES_LEN: usize = 16;

/// The end of the board at the start of a text; `None` if the text begins with moves, or is empty.
fn end_of_board(text: &str) -> Option<usize> {
    let letters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut letters = letters.peekable();
    // The number of rows.
    letters.next_if(|(_, c)| *c == '8');
    let is_rank = |(_, c): (usize, char)| ('1'..='8').contains(&c);
    let begin = || letters.clone().take(NO_MOVES_LEN);
    if begin().count() < NO_MOVES_LEN || begin().any(is_rank) {
        return None;
    }
    let last = letters.nth(BOARD_LEN - 1);
    Some(last.map_or(text.len(), |(at, c)| at + c.len_utf8()))
}

/// Parses a key, `x'…'` or without quotes, possibly with a space between its halves. Returns both, and where it ends.
fn key(text: &str) -> Option<(u64, u64, usize)> {
    let begin = text.trim_start();
    let quoted = begin.strip_prefix(['x', 'X']);
    let quoted = quoted.and_then(|rest| rest.strip_prefix('\''));
    let digits = quoted.unwrap_or(begin);
    let (first, rest) = digits.split_at_checked(KEY_LEN / 2)?;
    let (second, rest) = rest.trim_start().split_at_checked(KEY_LEN / 2)?;
    let rest = match quoted {
        Some(_) => rest.strip_prefix('\'')?,
        None => rest,
    };
    let is_hex = |half: &str| half.bytes().all(|digit| digit.is_ascii_hexdigit());
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    // Digits that could be moves are moves: no real key looks like that, since its board is the smallest of eight.
    let both = [first, second].concat();
    let mut moves = both.as_bytes().chunks(2);
    let are_moves = moves.all(|mv| Square::named(mv[0], mv[1]).is_some());
    if !is_hex(first) || !is_hex(second) || !ends || are_moves {
        return None;
    }
    let half = |half: &str| u64::from_str_radix(half, 16).ok();
    Some((half(first)?, half(second)?, text.len() - rest.len()))
}

/// Splits a text into moves from byte `from` on, without the white space, punctuation and move numbers between them. Each comes with the
/// position of its first character, from 1.
fn words(text: &str, from: usize) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut rest = &text[from..];
    let mut at = text[..from].chars().count();
    std::iter::from_fn(move || {
        let begin = skip(rest);
        at += rest[..rest.len() - begin.len()].chars().count() + 1;
        let word_at = at;
        let mut letters = begin.chars();
        let mut word = String::from(letters.next()?);
        // People may type white space inside a move.
        let second = letters.as_str().trim_start();
        let mut letters = second.chars();
        word.extend(letters.next());
        rest = letters.as_str();
        if word.eq_ignore_ascii_case("pa") {
            rest = skip_rest_of_pass(rest);
        }
        at += begin[..begin.len() - rest.len()].chars().count() - 1;
        Some((word_at, word))
    })
}

/// Skips everything between moves.
fn skip(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || ",;.".contains(c));
        // Two dashes are a pass.
        let rest = match rest.strip_prefix('-') {
            Some(after) if !after.starts_with('-') => after,
            _ => rest,
        };
        // The number of a move ends with a point or a bracket.
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = match after.strip_prefix(['.', ')', ':']) {
            Some(after_number) if after.len() < rest.len() => after_number,
            _ => rest,
        };
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Skips the `ss` of a `pass`: no move begins with that letter.
fn skip_rest_of_pass(text: &str) -> &str {
    fn after_s(text: &str) -> Option<&str> {
        text.trim_start().strip_prefix(['s', 'S'])
    }
    after_s(text).and_then(after_s).unwrap_or(text)
}
