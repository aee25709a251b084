//! The rows of a database that differ after a change.

use super::{ChangedPositions, Plan};
use crate::check::Damage;
use crate::database::{Missing, TableChange, rows_differ};
use crate::{Change, Error, Result};
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::slabs::{ADDED, ByKey, Slab, Slabs};
use obook_graph::{Differs, Graph, NodeId, slabs};
use obook_othello::{CanonicalBoard, Leaf, Lost};
use obook_sql::rows::Table;
use rayon::prelude::*;
use rusqlite::Connection;

/// The mark of a position whose rows are written even if nothing differs since it was remembered. Other work uses lower bits.
const STALE: u8 = 128;

/// Gives positions of a slab, if they are there, the mark that they are written in any case.
pub(crate) fn mark_stale(slab: &mut Slab, boards: impl IntoIterator<Item = CanonicalBoard>) {
    let mut boards = boards.into_iter().peekable();
    if boards.peek().is_none() {
        return;
    }
    let (graph, marks) = slab.graph_and_marks();
    for id in boards.filter_map(|board| graph.find(board)) {
        marks[id.index()] |= STALE;
    }
}

/// The set of positions that go.
const REMOVED: u8 = 2;

/// The set of positions that stay and whose rows in a table differ.
const fn differing(table: Table) -> u8 {
    match table {
        Table::Positions => 4,
        Table::Links => 8,
        Table::Leaves => 16,
    }
}

/// How a book that was changed in slabs differs from the tables that it was read from.
pub(crate) struct DifferingRows {
    positions: ByKey,
    tally: Tally,
    /// The number of positions before any were removed.
    before: u64,
    /// The positions that stay and lack a leaf, in key order.
    pub(crate) missing: Vec<Missing>,
}

/// Counts of the differences.
#[derive(Default)]
struct Tally {
    /// Positions that differ in any way, and by table.
    any: u64,
    changed: [u64; Table::ALL.len()],
    /// Links of positions that stay.
    links: u64,
    /// Whether positions were added, or rows must be rewritten in any case.
    has_new: bool,
    /// Whether anything but derived columns differs, by table.
    underived: [bool; Table::ALL.len()],
}

impl DifferingRows {
    /// Changes a book whose positions are [remembered](Slabs::remember) for the last time, slab by slab from the end of the game up.
    /// `change` returns for each position whether it stays. Rows of positions that were added or [marked](mark_stale) differ in any case.
    ///
    /// # Errors
    /// The first error of `change`, and those of temporary files.
    pub(crate) fn of(
        book: Slabs,
        mut change: impl FnMut(&mut Slab) -> slabs::Result<Vec<bool>>,
    ) -> slabs::Result<DifferingRows> {
        let before = book.len();
        let (mut tally, mut missing) = (Tally::default(), Vec::new());
        let few = TableChange::most_that_are_few(before);
        let positions = book.finish_in_sets(Slab::position, few, |slab| {
            let stays = change(slab)?;
            let stay = |id: NodeId| stays[id.index()];
            missing.extend(self::missing(slab.graph(), stay, |id| {
                slab.before().leaf(id)
            }));
            Ok(tally.take(slab, &stays))
        })?;
        missing.par_sort_unstable_by_key(|missing| missing.board);
        Ok(DifferingRows {
            positions,
            tally,
            before,
            missing,
        })
    }

    /// The positions that stay and differ.
    pub(crate) fn changed(&self) -> ChangedPositions {
        let [positions, links, leaves] = self.tally.changed;
        ChangedPositions {
            any: self.tally.any,
            positions,
            links,
            leaves,
        }
    }

    /// The number of positions that stay.
    pub(crate) fn positions(&self) -> u64 {
        self.positions.len(ByKey::ALL)
    }

    /// The number of their links.
    pub(crate) fn links(&self) -> u64 {
        self.tally.links
    }

    /// Updates the tables, and first deletes rows that are beyond repair. At last records what holds for the whole book once this plan
    /// is carried out. Every recomputation of a whole book ends here.
    ///
    /// # Errors
    /// If the tables can't be written or temporary files can't be read.
    pub(crate) fn write(&self, update: &Change<'_>, damage: &Damage, plan: Plan) -> Result<()> {
        delete_damaged(update, damage)?;
        let removed = self.positions.len(REMOVED);
        let same_rows = !self.tally.has_new && removed == 0 && damage.gone.is_empty();
        for (place, table) in Table::ALL.into_iter().enumerate() {
            let changed = self.tally.changed[place] + removed;
            if changed == 0 {
                continue;
            }
            let rows = match table {
                Table::Positions => self.positions(),
                Table::Links => self.tally.links,
                // Nothing in a leaf is derived.
                Table::Leaves => 0,
            };
            let is_derived = same_rows && !self.tally.underived[place];
            let change = TableChange {
                changed,
                all: self.before,
                derived: is_derived && update.count(table)? == rows,
            };
            let set = match change.is_large_part() {
                true => ByKey::ALL,
                false => {
                    let removed = self.positions.positions::<Error>(REMOVED)?;
                    delete_rows(update, table, removed.map(|it| Ok(it?.board.to_key())))?;
                    differing(table)
                }
            };
            update.replace_rows(table, change, &mut self.positions.positions(set)?)?;
        }
        plan.record(update, &self.missing)
    }
}

impl Tally {
    /// Compares a slab with what it was. Returns the sets of each position.
    fn take(&mut self, slab: &Slab, stays: &[bool]) -> Vec<u8> {
        let graph = slab.graph();
        let since = graph.since(slab.before());
        let own = graph.unfrozen_places();
        let mut sets = vec![0; graph.len()];
        let tally = |mut tally: Tally, (place, sets): (usize, &mut u8)| {
            let id = graph.id(place);
            if !stays[place] {
                *sets = REMOVED;
                return tally;
            }
            let is_new = slab.mark(id) & (ADDED | STALE) != 0;
            let differs = if is_new { Differs::ALL } else { since[place] };
            *sets = tally.add(differs, is_new, graph.links(id).len());
            tally
        };
        let more = (own.clone().into_par_iter(), &mut sets[own])
            .into_par_iter()
            .fold(Tally::default, tally)
            .reduce(Tally::default, Tally::with);
        *self = std::mem::take(self).with(more);
        sets
    }

    /// Counts a position that stays. Returns its sets.
    fn add(&mut self, differs: Differs, is_new: bool, links: usize) -> u8 {
        self.links += links as u64;
        self.has_new |= is_new;
        self.any += u64::from(differs.any());
        let mut sets = ByKey::ALL;
        for (place, table) in Table::ALL.into_iter().enumerate() {
            let [differ, underived] = rows_differ(differs, table);
            if differ {
                sets |= differing(table);
                self.changed[place] += 1;
                self.underived[place] |= underived;
            }
        }
        sets
    }

    /// The counts of two parts of a book.
    fn with(mut self, more: Tally) -> Tally {
        self.any += more.any;
        self.links += more.links;
        self.has_new |= more.has_new;
        for place in 0..Table::ALL.len() {
            self.changed[place] += more.changed[place];
            self.underived[place] |= more.underived[place];
        }
        self
    }
}

/// The positions accepted by `stays` that lack a leaf; frozen ones don't count. `before` returns the leaf that a position had before a
/// link replaced it.
pub(crate) fn missing(
    graph: &Graph,
    stays: impl Fn(NodeId) -> bool + Sync,
    before: impl Fn(NodeId) -> Option<Leaf> + Sync,
) -> Vec<Missing> {
    let lacking = |id: &NodeId| stays(*id) && lacks_leaf(graph, *id);
    let lacking = graph.unfrozen().filter(lacking).map(|id| Missing {
        board: graph.board(id),
        lost: before(id).and_then(|leaf| Lost::of(leaf, &graph.position(id))),
    });
    lacking.collect()
}

/// Deletes rows that are beyond repair.
fn delete_damaged(update: &Change<'_>, damage: &Damage) -> Result<()> {
    for table in Table::ALL {
        delete_rows(update, table, damage.gone.iter().copied().map(Ok))?;
    }
    if damage.has_orphans() {
        delete_orphans(update.connection()).map_err(update.failed())?;
    }
    Ok(())
}

/// Deletes the rows that a table has for these keys.
fn delete_rows(
    update: &Change<'_>,
    table: Table,
    keys: impl Iterator<Item = Result<[u8; 16]>>,
) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE board = ?", table.name());
    let mut delete = update.connection().prepare(&sql).map_err(update.failed())?;
    for key in keys {
        delete.execute([key?]).map_err(update.failed())?;
    }
    Ok(())
}

/// Deletes rows with malformed keys, and links and leaves without a position. Returns their number.
pub(crate) fn delete_orphans(connection: &Connection) -> rusqlite::Result<usize> {
    let malformed = "typeof(board) <> 'blob' OR length(board) <> 16";
    let all = Table::ALL.map(|table| (table, malformed)).into_iter();
    let lost = "board NOT IN (SELECT board FROM positions)";
    let beside = [Table::Links, Table::Leaves].map(|table| (table, lost));
    let deleted = all
        .chain(beside)
        .map(|(table, rows)| connection.execute(&format!("DELETE FROM {table} WHERE {rows}"), []));
    deleted.sum()
}
