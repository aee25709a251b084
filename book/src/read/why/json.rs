//! An explanation as JSON.

use super::{Addition, Alternative, Explanation, Lowering, Payoff, Step};
use crate::read::view::{Kind, as_text};
use obook_othello::{Line, Move};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Explained<'a> {
    #[serde(serialize_with = "as_text")]
    line: &'a Line,
    board: String,
    value: i16,
    steps: Vec<StepView>,
    decides: PayoffView,
    beside: Vec<AlternativeView>,
    shifts: Vec<ShiftView>,
    complete_to: i16,
    too_low: Vec<AdditionView>,
    too_high: LoweringView,
    read: u64,
}

#[derive(Serialize)]
struct StepView {
    ply: usize,
    #[serde(rename = "move", serialize_with = "as_text")]
    mv: Move,
    score: i16,
    others: Vec<AlternativeView>,
}

#[derive(Serialize)]
struct AlternativeView {
    #[serde(rename = "move", serialize_with = "as_text")]
    mv: Move,
    kind: Kind,
    worse: i16,
}

#[derive(Serialize)]
struct PayoffView {
    #[serde(serialize_with = "as_text")]
    line: Line,
    kind: &'static str,
    score: i16,
    level: Option<u8>,
    engine: &'static str,
    depth: Option<u8>,
    probability: Option<u8>,
    error: Option<i32>,
}

#[derive(Serialize)]
struct ShiftView {
    payoff: PayoffView,
    shift: i16,
    value: i16,
}

#[derive(Serialize)]
struct AdditionView {
    #[serde(serialize_with = "as_text")]
    line: Line,
    searched: bool,
    worse: Option<i16>,
    at_most: Option<i16>,
}

#[derive(Serialize)]
#[serde(tag = "hangs_on", rename_all = "lowercase")]
enum LoweringView {
    Payoffs { by: i16, payoffs: Vec<PayoffView> },
    Exact,
    Unknown,
}

impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let why = self.why();
        let mut line = self.line().clone();
        let step = |step: &Step| {
            line.push(step.mv)
                .expect("the moves of an explanation are legal");
            StepView {
                ply: line.ply(),
                mv: step.mv,
                score: step.score,
                others: alternatives(&step.others),
            }
        };
        let steps = why.line.iter().map(step).collect();
        let payoffs = |payoffs: &[Payoff]| payoffs.iter().map(|it| self.payoff(it)).collect();
        Explained {
            line: self.line(),
            board: self.line().board().to_text_for(self.line().side()),
            value: why.value,
            steps,
            decides: self.payoff(&why.payoff),
            beside: alternatives(&why.beside),
            shifts: (why.shifts.iter())
                .map(|it| ShiftView {
                    payoff: self.payoff(&it.payoff),
                    shift: it.shift,
                    value: it.value,
                })
                .collect(),
            complete_to: why.complete_to,
            too_low: why.additions.iter().map(|it| self.addition(it)).collect(),
            too_high: match &why.lowering {
                Lowering::Payoffs { by, payoffs: all } => LoweringView::Payoffs {
                    by: *by,
                    payoffs: payoffs(all),
                },
                Lowering::Exact => LoweringView::Exact,
                Lowering::Unknown => LoweringView::Unknown,
            },
            read: why.read,
        }
        .serialize(serializer)
    }
}

impl Explanation {
    fn payoff(&self, payoff: &Payoff) -> PayoffView {
        PayoffView {
            line: self.line_to(&payoff.line, payoff.mv),
            kind: payoff.kind.name(),
            score: payoff.score,
            level: payoff.level,
            engine: payoff.engine.name(),
            depth: payoff.search.map(|search| search.depth),
            probability: payoff.search.map(|search| search.probability),
            error: payoff.error,
        }
    }

    fn addition(&self, addition: &Addition) -> AdditionView {
        AdditionView {
            line: self.line_to(&addition.line, addition.mv),
            searched: addition.mv.is_some(),
            worse: addition.worse,
            at_most: addition.ceiling,
        }
    }
}

fn alternatives(all: &[Alternative]) -> Vec<AlternativeView> {
    let view = |it: &Alternative| AlternativeView {
        mv: it.mv,
        kind: match it.is_link {
            true => Kind::Link,
            false => Kind::Leaf,
        },
        worse: it.worse,
    };
    all.iter().map(view).collect()
}
