//! The task list of “Othello is solved” by Hiroki Takizawa (2023): 2 587 positions whose proofs together prove that the start
//! position is a draw. It is read, not written.
//!
//! The file is `empty50_tasklist_edax_knowledge.csv`: a line with the names of the columns, then a line for each position with 50
//! empty squares.
//!
//! ```text
//! obf,count,score,alpha,beta
//! ------------------XO-O----XXOO-----XOX-----OOX------O----------- X;,120,0,-64,64
//! ------------O------OO-----OOOXX----OOO-----OOO------------------ X;,7,4,-64,0
//! ```
//!
//! `obf` is the board from a1 to h8, in which X is to move; `count` how often it occurred in games; `score` what Edax
//! predicted, for X. The search to the end of the game had the window from `alpha` to `beta`, and it confirmed all predictions:
//!
//! | prediction | proven |
//! | --- | --- |
//! | `score` ≥ `beta` | at least `beta` |
//! | `score` ≤ `alpha` | at most `alpha` |
//! | between them | exactly `score` |
//!
//! A byte order mark before the first line and line ends of Windows make no difference.
//!
//! A position has the prediction as its value, within the [proof](obook_othello::Proof).

use crate::account::tally;
use crate::book_reader::Opened;
use crate::check::{self, Checker, need, out_of_range};
use crate::edax_text::{self, MARK, Rest, SQUARES, text_error};
use crate::record::{BookHeader, BookRecord};
use crate::row::{Bytes, Holds, Row, Source};
use crate::{Account, Error, ErrorKind, Fault, Format, reader};
use obook_base::Budget;
use obook_othello::{Engine, Position, Proof};

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "takizawa",
    endings: &["csv"],
    program: "*Othello is solved*: proofs",
    begins: "the columns obf,count,score,alpha,beta",
    engine: Engine::Takizawa,
    holds: Holds {
        values: true,
        proofs: true,
        canonical: false,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(|head| first_line(head).is_some()),
        guess: None,
        open,
    },
    writer: None,
};

fn open(input: Bytes, name: &str, _: Budget) -> Result<Opened, Error> {
    let mut account = Account::of("Task list of “Othello is solved”");
    let lost = "column that says how often positions occurred in games";
    tally(&mut account.lost, lost, 1);
    Ok(Opened {
        account,
        ..Opened::of(Reader::named(input, name)?)
    })
}

/// Reads the task list.
pub type Reader<R> = reader::Reader<R, Record>;

/// The first line: the names of the columns.
const NAMES: &[u8; 26] = b"obf,count,score,alpha,beta";

/// The length of the first line and its end, if it has the names of the columns.
fn first_line(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let rest = rest.strip_prefix(NAMES)?;
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    Some(bytes.len() - rest.strip_prefix(b"\n")?.len())
}

/// The text after the squares of a board.
const X_TO_MOVE: &[u8] = b" X;";

/// The names of the columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header;

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// How often the position occurred in games.
    pub count: u32,
    /// The predicted score.
    pub score: i8,
    /// The lower end of the window of the search.
    pub alpha: i8,
    /// Its upper end.
    pub beta: i8,
}

impl BookHeader for Header {
    fn decode(bytes: &[u8]) -> Result<Header, ErrorKind> {
        if first_line(bytes).is_some() {
            return Ok(Header);
        }
        let found = &bytes[..bytes.len().min(NAMES.len())];
        let expected = "the line obf,count,score,alpha,beta";
        Err(ErrorKind::magic(Format::Takizawa, found, expected))
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(NAMES);
        out.push(b'\n');
    }

    fn from_neutral(_: &crate::Header) -> Result<Header, ErrorKind> {
        Ok(Header)
    }
}

impl BookRecord for Record {
    const FORMAT: Format = Format::Takizawa;
    const HEADER_LEN: usize = NAMES.len() + 1;
    const MAX_LEN: usize = edax_text::MAX_LEN;
    type Header = Header;
    type Layout = ();

    fn decode(bytes: &[u8], (): ()) -> Result<(Record, usize), ErrorKind> {
        let (line, len) = edax_text::line(bytes)?;
        let (player, opponent) = edax_text::discs(line)?;
        if !line[SQUARES..].starts_with(X_TO_MOVE) {
            return Err(text_error(line, SQUARES, "a space, X and a semicolon"));
        }
        let mut rest = Rest::new(line, SQUARES + X_TO_MOVE.len());
        let record = Record {
            player,
            opponent,
            count: rest.number("a comma and a number of games")?,
            score: rest.number("a comma and a score of -64 to 64")?,
            alpha: rest.number("a comma and a score of -64 to 64")?,
            beta: rest.number("a comma and a score of -64 to 64")?,
        };
        rest.end()?;
        Ok((record, len))
    }

    fn encode(&self, (): (), out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let numbers = format!(
            ",{},{},{},{}\n",
            self.count, self.score, self.alpha, self.beta
        );
        out.extend_from_slice(&edax_text::squares(self.player, self.opponent));
        out.extend_from_slice(X_TO_MOVE);
        out.extend_from_slice(numbers.as_bytes());
        Ok(())
    }

    fn header_len(bytes: &[u8]) -> usize {
        first_line(bytes).unwrap_or(Self::HEADER_LEN)
    }

    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    fn check(&self) -> Result<Position, Fault> {
        let checker = Checker::new(self.player, self.opponent)?;
        let score = |field, found: i8| check::score(checker.board, field, found);
        let predicted = score("the score", self.score)?;
        let (alpha, beta) = (score("alpha", self.alpha)?, score("beta", self.beta)?);
        if alpha >= beta {
            let (field, found, min, max) = match beta {
                // No alpha is below it.
                -64 => ("beta", beta, -63, 64),
                _ => ("alpha", alpha, -64, i64::from(beta) - 1),
            };
            return Err(out_of_range(checker.board, field, found.into(), min, max));
        }
        let (lower, upper) = match predicted {
            _ if predicted >= beta => (beta, 64),
            _ if predicted <= alpha => (-64, alpha),
            _ => (predicted, predicted),
        };
        Ok(Position {
            value: Some(predicted.into()),
            proof: Proof::new(lower, upper, Engine::Takizawa),
            ..Position::new(checker.canonical, Engine::Takizawa)
        })
    }

    /// The list can't be written: positions don't say how often they occurred in games.
    fn from_position(position: &Position) -> Result<Record, Fault> {
        need(position.board.board(), "the number of games", None)
    }
}
