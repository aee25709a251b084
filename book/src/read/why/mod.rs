//! Why a position is worth what it is, as its reader sees it.

mod json;

pub use obook_rows::why::{
    Addition, Alternative, Lead, Lowering, Payoff, PayoffKind, Rules, Shift, Step, Why,
};

use crate::{BookHeader, Error, Lookup, Result};
use obook_othello::{Line, Move};
use obook_rows::why::{Unexplained, explain};

/// What the position at the end of a line is worth, and why.
///
/// As JSON it has the line, the value, `steps` to the payoff that `decides`, `shifts` of single payoffs, and what to do where the
/// value is `too_low` or `too_high`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    line: Line,
    why: Why,
}

impl Explanation {
    /// Explains the position at the end of a line. Beside the positions of the line that carries its value no more than `most` are
    /// read: those near best play, for the others have no say.
    ///
    /// ```
    /// use obook_book::{Book, Lookup, Progress, read::why::Explanation};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
    /// let book = Book::open(path.as_ref(), &Context::default())?;
    /// let header = book.header()?;
    /// let lookup = Lookup::new(book, &Progress::hidden())?;
    /// let explained = Explanation::of(&lookup, &header, "f5d6c5".parse()?, 1000)?;
    /// assert_eq!(explained.why().line[0].mv.to_string(), "b4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the book can't be read or ends before the line, and [`Error::Unfixed`] where numbers on the way do not follow from
    /// those below them.
    pub fn of(lookup: &Lookup, header: &BookHeader, line: Line, most: u64) -> Result<Explanation> {
        let rules = Rules::of(header.rules, &header.header);
        let why = explain(|board| lookup.position(board), line.board(), rules, most);
        let why = why.map_err(|why| match why {
            Unexplained::Read(error) => error,
            Unexplained::Absent(_) => match lookup.require(&line) {
                Err(error) => error,
                Ok(()) => Error::unfit(lookup.path(), "it changed while it was read"),
            },
            other => Error::Unfixed {
                path: lookup.path().to_owned(),
                problem: other.to_string(),
            },
        })?;
        Ok(Explanation { line, why })
    }

    /// The moves that lead to the position.
    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The explanation, in the orientation of the line.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// The whole line to a position, or by a leaf out of the book.
    ///
    /// # Panics
    /// Where the moves are not those of the explanation.
    #[must_use]
    pub fn line_to(&self, moves: &[Move], last: Option<Move>) -> Line {
        let mut line = self.line.clone();
        for mv in moves.iter().copied().chain(last) {
            line.push(mv)
                .expect("the moves of an explanation are legal");
        }
        line
    }

    /// What to search to know the value better: the move to add if it is too low, and what has to come down if it is too high.
    /// Each board once.
    #[must_use]
    pub fn leads(&self) -> Vec<Lead> {
        let addition = self.why.additions.first().map(|it| it.lead);
        let payoffs = match &self.why.lowering {
            Lowering::Payoffs { payoffs, .. } => &payoffs[..],
            Lowering::Exact | Lowering::Unknown => &[],
        };
        let mut leads: Vec<Lead> = Vec::new();
        for lead in addition
            .into_iter()
            .chain(payoffs.iter().filter_map(|it| it.lead))
        {
            if !leads.contains(&lead) {
                leads.push(lead);
            }
        }
        leads
    }
}
