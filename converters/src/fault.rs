//! What can be wrong with one position of a book.

use obook_othello::{Board, SquareSet};
use std::fmt;

/// A position that no game and no engine could have made, or that a format cannot hold.
///
/// ```
/// use obook_converters::{BookRecord, FaultKind, egbk3};
/// let record = egbk3::Record { player: 3, opponent: 1, ..egbk3::Record::default() };
/// let fault = record.check().unwrap_err();
/// assert_eq!(fault.kind, FaultKind::Overlap);
/// assert!(fault.to_string().contains("both sides hold a1"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Discs of the side to move, as the file has them.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with a position. Moves are numbers as books write them, in the orientation of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Both sides hold a square.
    Overlap,
    /// A centre square is empty, which no game reaches.
    EmptyCentre,
    /// The move of a link or leaf is not legal.
    IllegalMove {
        /// Whose move.
        of: MoveOf,
        /// Its number.
        code: u8,
    },
    /// A move stands twice among the links and the leaf.
    DuplicateMove {
        /// Its number.
        code: u8,
    },
    /// A leaf says that there is no move but has a score, although the game is not over.
    ScoreWithoutMove {
        /// The score.
        score: i16,
    },
    /// A number is outside its range.
    OutOfRange {
        /// Which number.
        field: &'static str,
        /// What it is.
        found: i64,
        /// The least that is allowed.
        min: i64,
        /// The most that is allowed.
        max: i64,
    },
    /// The format demands a number that the position does not have.
    Missing {
        /// Which number.
        field: &'static str,
    },
    /// The leaf's search had another level than the position, and the format has one level for both.
    LeafLevel {
        /// The leaf's.
        leaf: u8,
        /// The position's.
        position: u8,
    },
}

/// Which of a position's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOf {
    /// A link, numbered from 1.
    Link(u8),
    /// The leaf.
    Leaf,
}

impl Fault {
    /// The board as text, one character a square: `#` where both sides hold it.
    #[must_use]
    pub fn board_text(&self) -> String {
        match Board::new(self.player, self.opponent) {
            Ok(board) => board.to_text(),
            Err(_) => (0..64)
                .map(|i| match (self.player >> i & 1, self.opponent >> i & 1) {
                    (0, 0) => '-',
                    (1, 0) => 'X',
                    (0, _) => 'O',
                    _ => '#',
                })
                .chain(" X".chars())
                .collect(),
        }
    }

    fn legal(&self) -> String {
        match Board::new(self.player, self.opponent) {
            Ok(board) => {
                let moves: Vec<String> = board.moves().map(|mv| mv.to_string()).collect();
                if moves.is_empty() {
                    "none, the game is over".to_owned()
                } else {
                    moves.join(" ")
                }
            }
            Err(_) => "none".to_owned(),
        }
    }
}

/// A move number as text: a square, `pa`, or what the engines mean by the others.
fn code_text(code: u8) -> String {
    match (obook_othello::Move::from_code(code), code) {
        (Some(mv), _) => format!("{mv} ({code})"),
        (None, 65) => "no move (65)".to_owned(),
        (None, 125) => "undefined (125)".to_owned(),
        (None, _) => format!("number {code}"),
    }
}

fn squares(set: u64) -> String {
    let names: Vec<String> = SquareSet(set)
        .into_iter()
        .map(|square| square.to_string())
        .collect();
    names.join(" ")
}

impl fmt::Display for MoveOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveOf::Link(number) => write!(f, "link {number}"),
            MoveOf::Leaf => f.write_str("the leaf"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board {}: ", self.board_text())?;
        self.remark_to(f)
    }
}

impl Fault {
    /// What is wrong, for where the board stands beside it.
    #[must_use]
    pub fn remark(&self) -> String {
        fmt::from_fn(|f| self.remark_to(f)).to_string()
    }

    fn remark_to(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Overlap => write!(
                f,
                "both sides hold {}: expected one side at most",
                squares(self.player & self.opponent)
            ),
            FaultKind::EmptyCentre => write!(
                f,
                "{} is empty: expected discs on d4, e4, d5 and e5",
                squares(Board::CENTRE & !(self.player | self.opponent))
            ),
            FaultKind::IllegalMove { of, code } => write!(
                f,
                "the move of {of} is {}: expected a legal move ({})",
                code_text(*code),
                self.legal()
            ),
            FaultKind::DuplicateMove { code } => write!(
                f,
                "the move {} stands twice: expected each move once among links and leaf",
                code_text(*code)
            ),
            FaultKind::ScoreWithoutMove { score } => write!(
                f,
                "the leaf has the score {score} but no move: expected a legal move ({})",
                self.legal()
            ),
            FaultKind::OutOfRange {
                field,
                found,
                min,
                max,
            } => write!(f, "{field} is {found}: expected {min} to {max}"),
            FaultKind::Missing { field } => {
                write!(f, "{field} is not known: the format cannot do without it")
            }
            FaultKind::LeafLevel { leaf, position } => write!(
                f,
                "the leaf has level {leaf} and the position {position}: the format has one level for both"
            ),
        }
    }
}

impl std::error::Error for Fault {}
