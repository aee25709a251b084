//! Answers on their way into the book: as a merge takes in records, so many at once.

use crate::search::question_of;
use obook_book::write::fix::{ChangedPositions, Steps, recompute_in};
use obook_book::write::increment::{Delta, Increment, KeyFilter};
use obook_book::write::merge::rule::{Target, Verdict};
use obook_book::{Book, ChangeInParts, Progress, Result, Store};
use obook_graph::mapping::demands::{MAX_LEVEL, record_lacks_leaf};
use obook_model::{Leaf, Position, RuleSet};
use obook_othello::{CanonicalBoard, SquareSet};
use serde::Serialize;
use std::path::Path;

/// What is known now of a position that was to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) board: CanonicalBoard,
    pub(crate) leaf: FoundLeaf,
}

#[derive(Clone, Debug)]
pub(crate) enum FoundLeaf {
    /// The best of its moves but for these, which were links when it was asked for.
    Searched(Leaf, SquareSet),
    /// The game is over, or every move is a link: no engine is needed.
    NotNeeded,
}

/// What became of the answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Positions that have the leaf that was found.
    pub searched: u64,
    /// Positions whose own leaf is as good, and stays.
    pub kept: u64,
    /// Positions that wait no more without a search: their game is over, or all moves lead to positions of the book.
    pub not_needed: u64,
    /// Positions that gave no answer.
    pub failed: u64,
}

impl Counts {
    /// All positions that were dealt with.
    #[must_use]
    pub fn done(self) -> u64 {
        self.searched + self.kept + self.not_needed + self.failed
    }
}

/// The book that answers go into. Between two batches it lies as anybody may read and write it.
pub(crate) struct Intake<'a> {
    store: Store,
    command: &'a str,
    change: ChangeInParts,
    pub(crate) counts: Counts,
    /// What fixing the book changed, where it was not fixed.
    pub(crate) fixed: Option<ChangedPositions>,
}

impl<'a> Intake<'a> {
    pub(crate) fn open(path: &Path, command: &'a str) -> Result<Intake<'a>> {
        let store = Book::open_for_writing(path, "search")?;
        Ok(Intake {
            store,
            command,
            change: ChangeInParts::default(),
            counts: Counts::default(),
            fixed: None,
        })
    }

    /// What a position is worth now.
    pub(crate) fn value(&self, board: CanonicalBoard) -> Result<Option<i16>> {
        let position = self.store.numbers(board)?;
        Ok(position.and_then(|position| position.value))
    }

    /// Fixes the book where it is not, so that links and numbers are right and `todo` is complete.
    pub(crate) fn prepare(&mut self, progress: &Progress) -> Result<()> {
        match self.store.is_fixed()? {
            true => Ok(()),
            false => self.take(Vec::new(), progress).map(drop),
        }
    }

    /// Takes answers in, in one transaction. A book that is not fixed is fixed in it. Gives those whose position has got other
    /// links since it was asked for, so that the answer is none: they have to be searched again.
    pub(crate) fn take(
        &mut self,
        mut found: Vec<Found>,
        progress: &Progress,
    ) -> Result<Vec<CanonicalBoard>> {
        found.sort_unstable_by_key(|found| found.board);
        let update = self.store.change()?;
        // It sees the book as it is before the batch.
        let reader = Store::open(update.store().path())?;
        if !reader.is_fixed()? {
            let steps = Steps::Fix { rules: None };
            let changed = recompute_in(&update, steps, None, progress)?.changed;
            self.fixed.get_or_insert(changed);
        }
        let header = reader.header()?;
        let mut counts = self.counts;
        let mut again = Vec::new();
        let mut changes = Vec::new();
        for Found { board, leaf } in found {
            let Some(own) = update.position(board)? else {
                counts.not_needed += 1;
                continue;
            };
            let new = match leaf {
                FoundLeaf::Searched(leaf, left_out) if fits(leaf, left_out, &own) => {
                    let (new, verdict) = merged(&own, leaf, header.rules);
                    match verdict {
                        Verdict::Kept => counts.kept += 1,
                        Verdict::Raised | Verdict::Newer => counts.searched += 1,
                    }
                    new
                }
                FoundLeaf::NotNeeded if question_of(&own, 0).is_err() => {
                    counts.not_needed += 1;
                    with_final_score(&own, header.rules)
                }
                _ => {
                    again.push(board);
                    continue;
                }
            };
            if !record_lacks_leaf(&new) {
                update.remove_todo(board)?;
            }
            if new != own {
                changes.push(Delta {
                    old: Some(own),
                    new,
                    dropped: None,
                });
            }
        }
        if !changes.is_empty() {
            let increment =
                Increment::new(&mut &update, KeyFilter::Any, &header, changes, u64::MAX)?;
            let increment = increment.expect("no number of changes is too much");
            increment.write(&update)?;
        }
        let entry = Entry::new(self.command).counts(&counts);
        update.commit_part(&entry, &mut self.change)?;
        self.counts = counts;
        Ok(again)
    }
}

/// Whether an answer is one to what would be asked of the position now: no move that was left out is one that leads out of the
/// book now, and none that leads into it is the answer.
fn fits(leaf: Leaf, left_out: SquareSet, own: &Position) -> bool {
    let Ok(now) = question_of(own, 0) else {
        return false;
    };
    let now = now.request;
    left_out.0 & !now.excluded().0 == 0 && now.moves().any(|mv| Some(mv) == leaf.mv)
}

/// The position with a leaf that was searched for it, as merging a record of it gives; and whether it is another one.
pub(crate) fn merged(own: &Position, leaf: Leaf, rules: RuleSet) -> (Position, Verdict) {
    let mut record = Position::new(own.board, leaf.engine);
    // Egaroucid's level is that of the value, which follows from the links.
    if rules == RuleSet::Edax {
        record.level = leaf.level;
    }
    record.set_leaf(leaf);
    // A leaf that was lost to a link keeps weaker ones away that come with other books, not what was asked for here.
    let mut target = Target::of(own, None, rules);
    let verdict = target.add(&record);
    (target.into_position(), verdict)
}

/// The position with the score of its game, where that is over.
pub(crate) fn with_final_score(own: &Position, rules: RuleSet) -> Position {
    let mut position = own.clone();
    let board = own.board.board();
    if !board.is_over() {
        return position;
    }
    match rules {
        RuleSet::Edax if position.leaf.is_none() => position.set_leaf(Leaf {
            mv: None,
            score: board.final_score(),
            level: own.level,
            engine: own.engine,
        }),
        // Egaroucid's rules know the end of a game as a position with a value of the highest level.
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax if position.value.is_none() => {
            position.value = Some(board.final_score().into());
            position.level = Some(MAX_LEVEL);
        }
        _ => {}
    }
    position
}
