//! A book in memory that grows by a rule, wave by wave.

use obook_graph::Graph;
use obook_learn::{Chosen, Played, Rule, Setting};
use obook_testing::growing::{Answers, Growing};

/// The wants of a rule for a book in memory.
pub(crate) fn choose(rule: &Rule, book: &Graph, setting: &Setting<'_>) -> Vec<Chosen> {
    rule.choose(&mut book.clone().into(), setting).unwrap()
}

/// Carries out the rule's wants until there are none or the limit of turns is reached. Returns the number of turns.
pub(crate) fn grow(
    book: &mut Growing,
    rule: &Rule,
    played: &Played,
    most: u64,
    answers: &mut Answers<'_>,
) -> u64 {
    let mut nothing = 0;
    for turn in 0..most {
        book.complete(answers);
        let setting = Setting {
            played,
            ..book.stage.setting(turn)
        };
        let chosen = choose(rule, &book.graph(), &setting);
        nothing = if chosen.is_empty() { nothing + 1 } else { 0 };
        if nothing == rule.turns() {
            return turn + 1;
        }
        book.take(&chosen, answers);
    }
    book.complete(answers);
    most
}
