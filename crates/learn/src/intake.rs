//! Answers on their way into a book: one way for all commands that search.
//!
//! A batch goes in as one transaction, and leaves the book as `obook fix` would. Between two batches anybody may read or write
//! the book.

use crate::Result;
use crate::queue::{Queue, Task, Want};
use crate::report::{Correction, SearchCounts, Totals};
use crate::search::request_of;
use obook::write::fix::{ChangedPositions, Steps, recompute_in};
use obook::write::increment::{Delta, Increment, KeyFilter};
use obook::write::merge::rule::is_derived;
use obook::{Change, Store};
use obook_graph::mapping::demands::record_lacks_leaf;
use obook_graph::sort::{Combined, Ties, Verdict};
use obook_othello::levels::{MAX_LEVEL, is_solved, of_leaf};
use obook_othello::{CanonicalBoard, Engine, Leaf, Position, RuleSet, SquareSet, final_leaf};
use serde_json::Value;

/// The outcome of a task.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The best move, not counting those that were left out.
    Leaf(Leaf),
    /// The game is over, or every move is a link: there is nothing to search. A new position gets this engine.
    NotNeeded(Engine),
    /// There is no answer. Some reasons count as several failures.
    Failed { reason: String, failures: u32 },
}

/// The result of a batch of answers.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Searches that are done, in whatever way.
    pub(crate) done: u64,
    pub(crate) totals: Totals,
    /// Positions by result. One that is gone needs no search.
    pub(crate) counts: SearchCounts,
    /// Positions whose links have changed since they were asked about, so that their answers don't help.
    pub(crate) stale: Vec<CanonicalBoard>,
    /// Proven scores that were found otherwise.
    pub(crate) corrections: Vec<Correction>,
    /// Whether another change has come since the last batch, so that this one begins an entry of the history.
    pub(crate) begins: bool,
    /// All positions that have changed, and some that have not; `None` if the book had to be fixed, so that any may have.
    pub(crate) changed: Option<Vec<Position>>,
}

/// Additional writes of a command, in the same transaction as the answers.
pub(crate) trait Ledger {
    /// A task has this outcome.
    ///
    /// # Errors
    /// Fails if the database can't be written.
    fn settle(&self, queue: Queue<'_>, task: &Task, outcome: &Outcome) -> obook::Result<()> {
        queue.settle(task, outcome)
    }

    /// All of the batch is in. Returns the counts of all batches since the entry of the change in the book's history began. `before`
    /// sees the book as it was.
    ///
    /// # Errors
    /// Fails if the database can't be read or written.
    fn enter(&mut self, update: &Change<'_>, before: &Store, taken: &Taken) -> Result<Value>;
}

/// A book that answers go into. All batches are one change in its history, as long as nobody else changes it meanwhile.
pub(crate) struct Intake<'a> {
    pub(crate) store: &'a mut Store,
    /// It sees the book as it was committed last.
    pub(crate) reader: Store,
    /// Its number in the history, once it has one.
    pub(crate) change: Option<i64>,
    /// The changes by fixing the book.
    pub(crate) fixed: Option<ChangedPositions>,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(store: &'a mut Store) -> Result<Intake<'a>> {
        Ok(Intake {
            reader: store.reader()?,
            store,
            change: None,
            fixed: None,
        })
    }

    /// Fixes the book if it isn't, so that links and numbers are right and `todo` is complete.
    pub(crate) fn prepare(&mut self) -> Result<()> {
        if self.store.is_fixed()? {
            return Ok(());
        }
        let update = self.store.change()?;
        let changed = fix(&update)?;
        self.change = update.commit(&changed)?;
        self.fixed = Some(changed);
        Ok(())
    }

    /// Takes a batch in.
    pub(crate) fn take(
        &mut self,
        found: Vec<(Task, Outcome)>,
        ledger: &mut dyn Ledger,
    ) -> Result<Taken> {
        let update = self.store.continue_change(self.change)?;
        let was_fixed = self.reader.is_fixed()?;
        if !was_fixed {
            let changed = fix(&update)?;
            self.fixed.get_or_insert(changed);
        }
        let mut taken = take_in(&update, &self.reader, was_fixed, found, ledger)?;
        taken.begins = self.change.is_some_and(|last| last != update.number());
        let counts = ledger.enter(&update, &self.reader, &taken)?;
        self.change = update.commit(&counts)?.or(self.change);
        Ok(taken)
    }
}

fn fix(update: &Change<'_>) -> Result<ChangedPositions> {
    let steps = Steps::Fix { rules: None };
    Ok(recompute_in(update, steps)?.changed)
}

fn take_in(
    update: &Change<'_>,
    before: &Store,
    was_fixed: bool,
    mut found: Vec<(Task, Outcome)>,
    ledger: &mut dyn Ledger,
) -> Result<Taken> {
    found.sort_unstable_by_key(|(task, _)| task.board);
    let header = before.header()?;
    let mut taken = Taken {
        done: found.len() as u64,
        ..Taken::default()
    };
    let mut changes = Vec::new();
    for (task, outcome) in found {
        ledger.settle(Queue::of(update.store()), &task, &outcome)?;
        let is_leaf = matches!(outcome, Outcome::Leaf(_));
        taken.totals.searches += u64::from(is_leaf);
        let old = update.position(task.board)?;
        let new = match (&old, outcome) {
            (_, Outcome::Failed { .. }) => {
                taken.counts.failed += 1;
                continue;
            }
            (None, _) if task.want == Want::Leaf => {
                taken.counts.not_needed += 1;
                continue;
            }
            (Some(own), Outcome::Leaf(leaf)) if is_answer(task.without, own) => {
                let correction = correction(task.without, own, leaf);
                taken.corrections.extend(correction);
                let (new, verdict) = merged(own, leaf, header.rules);
                match verdict {
                    // The move has become a link, and the leaf is lost at once.
                    _ if own.links.iter().any(|link| Some(link.mv) == leaf.mv) => {
                        taken.stale.push(task.board);
                    }
                    Verdict::Kept => taken.counts.kept += 1,
                    Verdict::Raised | Verdict::Equal => taken.counts.searched += 1,
                }
                new
            }
            (Some(own), Outcome::NotNeeded(_)) if request_of(own, 0).is_err() => {
                taken.counts.not_needed += 1;
                with_final_score(own, header.rules)
            }
            (Some(_), _) => {
                taken.stale.push(task.board);
                continue;
            }
            (None, Outcome::Leaf(leaf)) => {
                taken.counts.searched += 1;
                let mut new = Position::new(task.board, leaf.engine);
                new.value = Some(leaf.score.into());
                new.level = leaf.level;
                new.set_leaf(leaf);
                new
            }
            (None, Outcome::NotNeeded(engine)) => {
                let mut new = Position::new(task.board, engine);
                new.level = Some(task.level);
                with_final_score(&new, header.rules)
            }
        };
        if old.is_some() && !record_lacks_leaf(&new) {
            update.remove_todo(task.board)?;
        }
        if old.as_ref().is_some_and(|old| *old == new) {
            continue;
        }
        taken.totals.leaves += u64::from(is_leaf);
        changes.push(Delta::new(old, new));
    }
    let mut changed = Vec::new();
    if !changes.is_empty() {
        let boards: Vec<CanonicalBoard> = changes.iter().map(|it| it.new.board).collect();
        let filter = match was_fixed {
            true => KeyFilter::new(before, &boards)?,
            // It doesn't see the passes that were restored in the same transaction.
            false => KeyFilter::ANY,
        };
        let increment = Increment::new(update, &header, filter, changes)?;
        taken.totals.added = increment.write(update)?.added;
        changed = increment.into_positions().collect();
    }
    taken.changed = was_fixed.then_some(changed);
    taken.totals.failed = taken.counts.failed;
    taken.totals.corrected = taken.corrections.len() as u64;
    Ok(taken)
}

/// Whether an answer that left these squares out tells about the position as it is now: none of them leads out of the book.
fn is_answer(without: SquareSet, own: &Position) -> bool {
    request_of(own, 0).is_ok_and(|now| without.0 & !now.excluded().0 == 0)
}

/// The difference between two proven scores of the same moves, if there is one.
fn correction(without: SquareSet, own: &Position, leaf: Leaf) -> Option<Correction> {
    let before = own.leaf.filter(|it| it.mv.is_some())?;
    let empties = own.board.board().empties() as u8;
    let is_proven = |leaf: Leaf| {
        let level = of_leaf(leaf, own.level, own.engine);
        level.is_some_and(|level| level <= MAX_LEVEL && is_solved(leaf.engine, level, empties))
    };
    let same_moves = request_of(own, 0).is_ok_and(|now| now.excluded() == without);
    let differ = before.score != leaf.score && same_moves;
    (differ && is_proven(before) && is_proven(leaf)).then(|| Correction {
        board: own.board.board().to_text(),
        before: before.score,
        after: leaf.score,
    })
}

/// The position with a leaf that was searched for it, as merging a record of it gives.
fn merged(own: &Position, leaf: Leaf, rules: RuleSet) -> (Position, Verdict) {
    let mut record = Position::new(own.board, leaf.engine);
    // Egaroucid's level is that of the value, which follows from the links.
    if rules == RuleSet::Edax {
        record.level = leaf.level;
    }
    record.set_leaf(leaf);
    // An answer also replaces an equal search, and may be weaker than a leaf that was lost.
    let mut merged = Combined::new(own.clone(), Ties::Later).recomputed(is_derived(own, rules));
    let verdict = merged.add(record, None);
    (merged.finish(), verdict)
}

/// The position with the score of its game, if that is over.
fn with_final_score(own: &Position, rules: RuleSet) -> Position {
    let mut position = own.clone();
    let board = own.board.board();
    if !board.is_over() {
        return position;
    }
    match rules {
        RuleSet::Edax if position.leaf.is_none() => {
            position.set_leaf(final_leaf(board, own.level, own.engine));
        }
        // By Egaroucid's rules the end of a game is a position with a value of the highest level.
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax if position.value.is_none() => {
            position.value = Some(board.final_score().into());
            position.level = Some(MAX_LEVEL);
        }
        _ => {}
    }
    position
}
