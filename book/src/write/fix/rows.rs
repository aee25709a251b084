//! The rows that differ after a change, for books in temporary files.

use super::ChangedPositions;
use super::draft::drop_rows;
use crate::read::book::errors_first;
use crate::{Change, Result, Sorted, Sorter, Store};
use itertools::{EitherOrBoth, Itertools};
use obook_graph::Differs;
use obook_graph::mapping::demands::record_lacks_leaf;
use obook_model::{Engine, Lost, Position};
use obook_othello::CanonicalBoard;
use obook_rows::Table;
use obook_store::{Missing, TableChange, rows_differ, searched_rows_differ};

/// The positions with rows that differ.
pub(super) struct DifferingRows {
    /// By table; `None` if there are too many, so that the whole table is written.
    changed: [Option<Sorter>; Table::ALL.len()],
    /// Boards whose rows go; `None` if there are too many.
    removed: Option<Sorter>,
    removals: u64,
    counts: [u64; Table::ALL.len()],
    any: u64,
    /// Whether anything but derived columns differs, by table.
    underived: [bool; Table::ALL.len()],
    /// The number of all positions, including duplicates and positions that go.
    expected: u64,
    /// The number of positions that stay, and of their links.
    positions: u64,
    links: u64,
}

impl DifferingRows {
    pub(super) fn new(expected: u64, budget: usize) -> DifferingRows {
        DifferingRows {
            changed: [(); Table::ALL.len()].map(|()| Some(Sorter::with_budget(budget))),
            removed: Some(Sorter::with_budget(budget)),
            removals: 0,
            counts: [0; Table::ALL.len()],
            any: 0,
            underived: [false; Table::ALL.len()],
            expected,
            positions: 0,
            links: 0,
        }
    }

    /// Takes a position that stays.
    pub(super) fn add(&mut self, differs: Differs, position: &Position) -> Result<()> {
        self.positions += 1;
        self.links += position.links.len() as u64;
        self.any += u64::from(differs.any());
        for (place, table) in Table::ALL.into_iter().enumerate() {
            if !rows_differ(differs, table) {
                continue;
            }
            self.counts[place] += 1;
            self.underived[place] |= searched_rows_differ(differs, table);
            if self.change(self.counts[place]).is_large_part() {
                self.changed[place] = None;
            }
            if let Some(changed) = &mut self.changed[place] {
                changed.push(position)?;
            }
        }
        Ok(())
    }

    /// Takes a position that goes.
    fn remove(&mut self, board: CanonicalBoard) -> Result<()> {
        self.removals += 1;
        if self.change(0).is_large_part() {
            self.removed = None;
        }
        if let Some(removed) = &mut self.removed {
            removed.push(&Position::new(board, Engine::Obook))?;
        }
        Ok(())
    }

    /// The change of a table in which so many positions that stay differ.
    fn change(&self, differing: u64) -> TableChange {
        TableChange {
            changed: differing + self.removals,
            all: self.expected,
            derived: false,
        }
    }

    /// The number of positions that stay.
    pub(super) fn positions(&self) -> u64 {
        self.positions
    }

    /// The positions that stay and differ.
    pub(super) fn changed(&self) -> ChangedPositions {
        let [positions, links, leaves] = self.counts;
        ChangedPositions {
            any: self.any,
            positions,
            links,
            leaves,
        }
    }

    /// Updates the tables to `all` positions that stay. `same_rows` means that no position was added.
    pub(super) fn write(self, update: &Change<'_>, all: &Sorted, same_rows: bool) -> Result<()> {
        let changes = self.counts.map(|count| self.change(count));
        let same_rows = same_rows && self.removals == 0;
        let removed = self.removed.unwrap_or_default().finish()?;
        for (place, (table, changed)) in Table::ALL.into_iter().zip(self.changed).enumerate() {
            let rows = match table {
                Table::Positions => self.positions,
                Table::Links => self.links,
                Table::Leaves => u64::MAX,
            };
            let count = TableChange {
                derived: same_rows
                    && !self.underived[place]
                    && table != Table::Leaves
                    && update.count(table)? == rows,
                ..changes[place]
            };
            if !count.is_large_part() {
                let keys = removed.positions()?;
                drop_rows(update, table, keys.map(|it| Ok(it?.board.to_key())))?;
            }
            let changed = changed.unwrap_or_default().finish()?;
            let all = all.positions()?.map(|position| Ok(position?));
            let changed = changed.positions()?.map(|position| Ok(position?));
            update.replace_rows(table, count, all, changed)?;
        }
        Ok(())
    }
}

/// A changed book in temporary files, compared with the tables that it came from.
pub(crate) struct Compared {
    positions: Sorted,
    rows: DifferingRows,
    /// Whether positions were added.
    has_new: bool,
    missing: Vec<Missing>,
}

impl Compared {
    /// Compares the `positions` that stay of a book in a database, which had `expected` positions. Sorting uses at most `budget`
    /// bytes for each table.
    ///
    /// # Errors
    /// If the database or temporary files can't be read, or temporary files can't be written.
    pub(crate) fn with(
        store: &Store,
        positions: Sorted,
        expected: u64,
        budget: usize,
    ) -> Result<Compared> {
        let mut rows = DifferingRows::new(expected, budget);
        let mut has_new = false;
        let mut missing = Vec::new();
        let new = positions.positions()?.map(|position| Ok(position?));
        let joined = store.positions()?.merge_join_by(new, |old, new| {
            errors_first(old, new, |old, new| old.board.cmp(&new.board))
        });
        for pair in joined {
            let (old, new) = match pair {
                EitherOrBoth::Left(old) => {
                    rows.remove(old?.board)?;
                    continue;
                }
                EitherOrBoth::Right(new) => (None, new?),
                EitherOrBoth::Both(old, new) => (Some(old?), new?),
            };
            has_new |= old.is_none();
            let between = |old| Differs::between(old, &new);
            rows.add(old.as_ref().map_or(Differs::ALL, between), &new)?;
            if record_lacks_leaf(&new) {
                let leaf = old.and_then(|old| old.leaf);
                missing.push(Missing {
                    board: new.board,
                    lost: leaf.and_then(|leaf| Lost::of(leaf, &new)),
                });
            }
        }
        Ok(Compared {
            positions,
            rows,
            has_new,
            missing,
        })
    }

    /// The positions that stay and differ.
    pub(crate) fn changed(&self) -> ChangedPositions {
        self.rows.changed()
    }

    /// Updates the tables. Also returns the positions that lack a leaf, in key order.
    ///
    /// # Errors
    /// If the tables can't be written or temporary files can't be read.
    pub(crate) fn write(self, update: &Change<'_>) -> Result<(ChangedPositions, Vec<Missing>)> {
        let changed = self.changed();
        self.rows.write(update, &self.positions, !self.has_new)?;
        Ok((changed, self.missing))
    }
}
