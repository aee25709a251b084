//! Answers on their way into the book: new positions, new leaves, and what is to be searched because of them.

use super::Want;
use super::queue::{Queue, Task};
use super::report::{Correction, Totals};
use crate::complete::{merged, with_final_score};
use crate::search::question_of;
use obook_book::write::increment::{Delta, Increment, KeyFilter};
use obook_book::{Error, Result, Store, Change};
use obook_graph::mapping::demands::MAX_LEVEL;
use obook_model::levels::{is_solved, of_leaf};
use obook_model::{Engine, Leaf, Position};
use obook_othello::{CanonicalBoard, SquareSet};

/// A task, and what became of it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) task: Task,
    pub(crate) outcome: Outcome,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    /// The best of its moves but for those that are left out.
    Leaf(Leaf),
    /// The game is over, or every move is a link: no engine is needed.
    NotNeeded,
    /// There was no answer, for this reason; that is as bad as so many failures.
    Failed { reason: String, failures: u32 },
}

/// What answers came to.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) totals: Totals,
    /// Proven scores that were found otherwise.
    pub(crate) corrections: Vec<Correction>,
    /// All positions that are new or others than before, and some that are as they were.
    pub(crate) changed: Vec<Position>,
}

/// Makes an update of what was found: book and queue are right together, whatever ends the process next.
pub(crate) fn take_in(
    update: &Change<'_>,
    before: &Store,
    mut found: Vec<Found>,
    engine: Engine,
) -> Result<Taken> {
    let queue = Queue(update.connection());
    let failed = || Error::sqlite(before.path(), "write");
    found.sort_unstable_by_key(|found| found.task.board);
    let header = before.header()?;
    let mut totals = Totals::default();
    let mut corrections = Vec::new();
    let mut changes = Vec::new();
    for Found { task, outcome } in found {
        let leaf = match outcome {
            Outcome::Failed { reason, failures } => {
                totals.failed += 1;
                let fail = queue.fail(task.board, &reason, failures);
                fail.map_err(failed())?;
                continue;
            }
            Outcome::Leaf(leaf) => Some(leaf),
            Outcome::NotNeeded => None,
        };
        match (task.want, leaf) {
            (Want::Variation(_), Some(_)) => queue.wait(task.board),
            _ => queue.delete(task.board),
        }
        .map_err(failed())?;
        totals.searches += u64::from(leaf.is_some());
        let old = before.position(task.board)?;
        let new = match (&old, leaf) {
            // It went away meanwhile.
            (None, _) if task.want == Want::Leaf => continue,
            (Some(own), Some(leaf)) if is_answer(task.without, own) => {
                corrections.extend(correction(task.without, own, leaf));
                merged(own, leaf, header.rules).0
            }
            (Some(own), None) if question_of(own, 0).is_err() => {
                with_final_score(own, header.rules)
            }
            // Its links are others than when it was asked for.
            (Some(_), _) => continue,
            (None, Some(leaf)) => with_leaf(task.board, leaf),
            (None, None) => {
                let mut new = Position::new(task.board, engine);
                new.level = Some(task.level);
                with_final_score(&new, header.rules)
            }
        };
        if old.as_ref().is_some_and(|old| *old == new) {
            continue;
        }
        totals.leaves += u64::from(leaf.is_some());
        changes.push(Delta {
            old,
            new,
            dropped: None,
        });
    }
    let mut changed = Vec::new();
    if !changes.is_empty() {
        let increment = Increment::new(&mut &*update, KeyFilter::Any, &header, changes, u64::MAX)?;
        let increment = increment.expect("no number of changes is too much");
        totals.added = increment.write(update)?.added;
        changed = increment.into_positions().collect();
    }
    totals.corrected = corrections.len() as u64;
    Ok(Taken {
        totals,
        corrections,
        changed,
    })
}

/// Whether an answer that left these squares out says something of the position as it is now: none of them leads out of the
/// book.
fn is_answer(without: SquareSet, own: &Position) -> bool {
    question_of(own, 0).is_ok_and(|now| without.0 & !now.request.excluded().0 == 0)
}

/// Where two searches have proven scores of the same moves, and not the same.
fn correction(without: SquareSet, own: &Position, leaf: Leaf) -> Option<Correction> {
    let before = own.leaf.filter(|it| it.mv.is_some())?;
    let empties = own.board.board().empties() as u8;
    let is_proven = |leaf: Leaf| {
        let level = of_leaf(leaf, own.level, own.engine);
        level.is_some_and(|level| level <= MAX_LEVEL && is_solved(leaf.engine, level, empties))
    };
    let same_moves = question_of(own, 0).is_ok_and(|now| now.request.excluded() == without);
    let differ = before.score != leaf.score && same_moves;
    (differ && is_proven(before) && is_proven(leaf)).then(|| Correction {
        board: own.board.board().to_text(),
        before: before.score,
        after: leaf.score,
    })
}

/// A new position with the leaf that was searched for it.
fn with_leaf(board: CanonicalBoard, leaf: Leaf) -> Position {
    let mut position = Position::new(board, leaf.engine);
    position.value = Some(leaf.score.into());
    position.level = leaf.level;
    position.set_leaf(leaf);
    position
}
