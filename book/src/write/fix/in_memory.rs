//! Books that fit in memory, all at once.

use super::draft::Draft;
use super::plan::{Plan, Recomputed};
use crate::{Change, Error, Result};
use obook_graph::Selection;
use obook_graph::link::link_shown;
use obook_graph::loops::{self, Loops};
use obook_graph::negamax;
use obook_model::RuleSet;

/// Does the work in a transaction that has written no rows of positions yet: they are read past it.
pub fn work(update: &Change<'_>, rules: RuleSet, plan: Plan) -> Result<Recomputed> {
    let progress = update.store().context().progress();
    let path = update.store().path();
    let store = update.store().reader()?;
    let mut draft = if plan.repair {
        Draft::of_legible(&store, rules, progress)?
    } else {
        Draft::read(store, progress)?
    };
    let graph = &mut draft.graph;
    let mut linked = None;
    if plan.link {
        linked = Some(link_shown(graph, progress).map_err(Error::too_large(path))?);
    }
    let mut loops = Loops::default();
    if let Some(scoring) = plan.negamax {
        progress.step("computing", None);
        negamax::negamax(graph, scoring);
        loops = loops::resolve(graph, scoring, plan.repetition);
    }
    progress.step("writing", None);
    let kept = Selection::all(&draft.graph);
    let changed = draft.write(update, &kept)?;
    let missing = draft.missing(&kept);
    update.replace_todo(&missing)?;
    let Draft {
        graph,
        repaired,
        restored,
        ..
    } = draft;
    Ok(Recomputed {
        positions: graph.len() as u64,
        rules,
        repaired: repaired.into_groups(),
        restored,
        link: linked,
        loops,
        changed,
        todo: missing.len() as u64,
    })
}
