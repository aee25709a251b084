//! Explanations of values, as shown to the user.

use crate::{BookHeader, Error, Lookup, Result, StoreError};
use itertools::Itertools;
use obook_othello::{Line, Move};
pub use obook_sql::rows::why::{
    Addition, Alternative, Lead, Lowering, Payoff, PayoffKind, Rules, Shift, Step, Why,
};
use obook_sql::rows::why::{Unexplained, explain};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// An explanation of the value at the end of a line.
///
/// Its JSON has the line, the value, the `steps` to the payoff that `decides`, the `shifts` of single payoffs, and what to
/// search if the value seems `too_low` or `too_high`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    line: Line,
    why: Why,
}

impl Explanation {
    /// Explains the value at the end of a line. Reads the line that carries the value and at most `most` more positions,
    /// those nearest to best play.
    ///
    /// ```
    /// use obook::{Context, Book, Lookup, Progress, read::why::Explanation};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
    /// let book = Book::open(path, &Context::default())?;
    /// let header = book.header()?;
    /// let lookup = Lookup::new(book, &Context::default())?;
    /// let explained = Explanation::of(&lookup, &header, "f5d6c5".parse()?, 1000)?;
    /// assert_eq!(explained.why().line[0].mv.to_string(), "b4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the book can't be read or ends before the line, [`StoreError::NoValue`] if a position on the way has no
    /// value, and [`StoreError::Unfixed`] if values on the way don't follow from those below.
    pub fn of(lookup: &Lookup, header: &BookHeader, line: Line, most: u64) -> Result<Explanation> {
        let rules = Rules::of(header.rules, &header.header);
        let why = explain(|board| lookup.position(board), line.board(), rules, most);
        let why = why.map_err(|why| {
            let (path, problem) = (lookup.path().to_owned(), why.to_string());
            match why {
                Unexplained::Read(error) => error,
                Unexplained::Absent(_) => match lookup.require(&line) {
                    Err(error) => error,
                    Ok(_) => Error::unfit(&path, "it changed while it was read"),
                },
                Unexplained::NoValue(_) => StoreError::NoValue { path, problem }.into(),
                _ => StoreError::Unfixed { path, problem }.into(),
            }
        })?;
        Ok(Explanation { line, why })
    }

    /// The moves to the position.
    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The explanation, in the orientation of the line.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// The whole line through these moves, with a `last` move that may leave the book.
    ///
    /// # Panics
    /// Panics if the moves are not those of the explanation.
    #[must_use]
    pub fn line_to(&self, moves: &[Move], last: Option<Move>) -> Line {
        let mut line = self.line.clone();
        for mv in moves.iter().copied().chain(last) {
            line.push(mv)
                .expect("the moves of an explanation are legal");
        }
        line
    }

    /// The searches that would make the value more certain: the move that is the most likely to raise it, unless it is far behind,
    /// and the payoffs that would have to fall if the value is too high. Each board is listed once.
    #[must_use]
    pub fn leads(&self) -> Vec<Lead> {
        let addition = self.why.additions.first();
        let addition = addition.filter(|it| it.is_within_reach()).map(|it| it.lead);
        let payoffs = match &self.why.lowering {
            Lowering::Payoffs { payoffs, .. } => &payoffs[..],
            Lowering::Exact | Lowering::Unknown => &[],
        };
        let payoffs = payoffs.iter().filter_map(|it| it.lead);
        addition.into_iter().chain(payoffs).unique().collect()
    }

    fn payoff(&self, payoff: &Payoff) -> Value {
        json!({
            "line": self.line_to(&payoff.line, payoff.mv).to_string(),
            "kind": payoff.kind.name(),
            "score": payoff.score,
            "level": payoff.level,
            "engine": payoff.engine.name(),
            "depth": payoff.search.map(|search| search.depth),
            "probability": payoff.search.map(|search| search.probability),
            "error": payoff.error,
        })
    }

    fn addition(&self, addition: &Addition) -> Value {
        json!({
            "line": self.line_to(&addition.line, addition.mv).to_string(),
            "searched": addition.mv.is_some(),
            "worse": addition.worse,
            "at_most": addition.ceiling,
        })
    }
}

impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let why = self.why();
        let mut line = self.line().clone();
        let step = |step: &Step| {
            line.push(step.mv)
                .expect("the moves of an explanation are legal");
            json!({
                "ply": line.ply(),
                "move": step.mv.to_string(),
                "score": step.score,
                "others": alternatives(&step.others),
            })
        };
        let steps: Vec<Value> = why.line.iter().map(step).collect();
        let shift = |it: &Shift| {
            json!({
                "payoff": self.payoff(&it.payoff),
                "shift": it.shift,
                "value": it.value,
            })
        };
        let too_high = match &why.lowering {
            Lowering::Payoffs { by, payoffs } => {
                let payoffs: Vec<Value> = payoffs.iter().map(|it| self.payoff(it)).collect();
                json!({ "hangs_on": "payoffs", "by": by, "payoffs": payoffs })
            }
            Lowering::Exact => json!({ "hangs_on": "exact" }),
            Lowering::Unknown => json!({ "hangs_on": "unknown" }),
        };
        json!({
            "line": self.line().to_string(),
            "board": self.line().board().to_text_for(self.line().side()),
            "value": why.value,
            "steps": steps,
            "decides": self.payoff(&why.payoff),
            "beside": alternatives(&why.beside),
            "shifts": why.shifts.iter().map(shift).collect::<Vec<_>>(),
            "complete_to": why.complete_to,
            "too_low": why.additions.iter().map(|it| self.addition(it)).collect::<Vec<_>>(),
            "too_high": too_high,
            "read": why.read,
        })
        .serialize(serializer)
    }
}

fn alternatives(all: &[Alternative]) -> Vec<Value> {
    let view = |it: &Alternative| {
        let kind = if it.is_link { "link" } else { "leaf" };
        json!({ "move": it.mv.to_string(), "kind": kind, "worse": it.worse })
    };
    all.iter().map(view).collect()
}
