//! Books that do not fit in memory: two layers at a time.
//!
//! A move leads one layer down and a pass stays in its layer, so the positions with some number of empties can be linked
//! and computed when those with one empty fewer are there. All positions go to temporary files by their number of empties;
//! from the end of the game up each layer is read, computed on top of the one below, and goes on to be sorted by key
//! for being written.

use super::draft::{Salvage, drop_salvaged};
use super::spilled::Spilled;
use super::{Changed, Draft, Plan, Recomputed};
use crate::check::Findings;
use crate::graph::link::{LinkReport, link};
use crate::graph::loops::Loops;
use crate::graph::negamax;
use crate::graph::passes::restore_passes;
use crate::graph::{Differs, Graph, GraphBuilder, Kept, TooLarge};
use crate::store::ChangedRows;
use crate::{Error, Progress, Result, Sorter, Store, Update};
use obook_converters::Position;
use obook_converters::RuleSet;
use obook_rows::Table;

/// Sorters that may hold positions at once.
const SORTERS: u64 = 4;

/// Does the work of [`work`](super::work) with two layers in memory, and sorters that take at most half of `budget` bytes.
pub(super) fn work(
    update: &Update<'_>,
    rules: RuleSet,
    plan: Plan,
    budget: u64,
    progress: &Progress,
) -> Result<Recomputed> {
    let path = update.path();
    let too_large = Error::too_large(path);
    let store = Store::open(path)?;
    let mut spilled = Spilled::new()?;
    let mut read = read(&store, plan.repair, &mut spilled, progress)?;
    let mut restored = 0;
    if plan.repair && rules != RuleSet::Edax {
        for empties in Spilled::layers().skip(1) {
            restored += restore(&mut spilled, empties, &too_large)?;
        }
    }
    progress.step("computing", Some(spilled.len()));
    let mut written = Written::new(spilled.len(), sorter_budget(budget));
    let mut linked = plan.link.then(LinkReport::default);
    let mut missing = Vec::new();
    let mut below = Graph::builder().finish().map_err(&too_large)?.0;
    for empties in Spilled::layers() {
        let mut builder = Graph::builder();
        let settled = settle(&below, empties, &mut builder);
        let mut stale = Vec::new();
        spilled.read(empties, |position, is_stale| {
            if is_stale {
                stale.push(position.board);
            }
            builder.push(position);
        })?;
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        graph.settle(settled);
        let mend = plan.repair.then_some(rules);
        let mut draft = Draft::of_layers(graph, stale, mend, &mut read.repaired);
        if let Some(linked) = &mut linked {
            *linked += link(&mut draft.graph).map_err(&too_large)?;
        }
        if let Some(scoring) = plan.negamax {
            negamax::negamax(&mut draft.graph, scoring);
        }
        let layer = Kept::those(&draft.graph, |id| !draft.graph.is_settled(id));
        written.take(&draft, &layer)?;
        missing.extend(draft.missing(&layer));
        progress.advance((draft.graph.len() - settled) as u64);
        below = draft.graph;
    }
    drop((below, spilled));
    progress.step("writing", None);
    drop_salvaged(update, &read.gone, read.orphans)?;
    let same_rows = read.gone.is_empty() && !written.any_stale;
    let (positions, changed) = written.write(update, same_rows)?;
    missing.sort_unstable_by_key(|missing| missing.board);
    update.replace_todo(&missing)?;
    Ok(Recomputed {
        positions,
        rules,
        repaired: read.repaired.into_groups(),
        restored,
        link: linked,
        loops: Loops::default(),
        changed,
        todo: missing.len() as u64,
    })
}

/// Reads the whole book, whatever is there if it is to be repaired.
fn read(
    store: &Store,
    repair: bool,
    spilled: &mut Spilled,
    progress: &Progress,
) -> Result<Salvage> {
    if repair {
        return Salvage::walk(store, progress, |position, stale| {
            spilled.push(&position, stale)
        });
    }
    progress.step("reading", Some(store.estimated_positions()?));
    for position in store.positions()? {
        spilled.push(&position?, false)?;
        progress.advance(1);
    }
    Ok(Salvage {
        gone: Vec::new(),
        orphans: false,
        repaired: Findings::new(0),
    })
}

/// Puts in the pass positions, one layer below, that lie between two positions of the book.
fn restore(
    spilled: &mut Spilled,
    empties: usize,
    too_large: impl Fn(TooLarge) -> Error,
) -> Result<u64> {
    let mut builder = Graph::builder();
    for empties in [empties - 1, empties] {
        spilled.read(empties, |position, _| builder.push(position))?;
    }
    let (mut graph, _) = builder.finish().map_err(&too_large)?;
    let boards = restore_passes(&mut graph).map_err(&too_large)?;
    for board in &boards {
        let id = graph.find(*board).expect("it was put in");
        spilled.push(&graph.position(id), true)?;
    }
    Ok(boards.len() as u64)
}

/// A part of the memory for each sorter: not so little that it makes a file of every few positions, and not more than it
/// needs to be fast.
fn sorter_budget(budget: u64) -> usize {
    (budget / 2 / SORTERS).clamp(1 << 20, 1 << 30) as usize
}

/// Takes the layer below into the next graph, without links and leaves; how many positions it has.
fn settle(below: &Graph, empties: usize, builder: &mut GraphBuilder) -> usize {
    let layer = below.ids().filter(|id| !below.is_settled(*id));
    let layer = layer.filter(|id| below.board(*id).board().empties() as usize + 1 == empties);
    let mut settled = 0;
    for id in layer {
        builder.push(below.numbers(id));
        settled += 1;
    }
    settled
}

/// Positions as they shall be, on their way to the tables.
struct Written {
    all: Sorter,
    /// Those that differ, by table; `None` where they are so many that the table is written as a whole.
    changed: [Option<Sorter>; Table::ALL.len()],
    counts: [u64; Table::ALL.len()],
    any: u64,
    any_stale: bool,
    /// Whether, in each table, anything differs that is not derived.
    underived: [bool; Table::ALL.len()],
    /// How many positions there are, duplicates among them.
    expected: u64,
    positions: u64,
    links: u64,
}

impl Written {
    fn new(expected: u64, budget: usize) -> Written {
        Written {
            all: Sorter::with_budget(budget),
            changed: [(); Table::ALL.len()].map(|()| Some(Sorter::with_budget(budget))),
            counts: [0; Table::ALL.len()],
            any: 0,
            any_stale: false,
            underived: [false; Table::ALL.len()],
            expected,
            positions: 0,
            links: 0,
        }
    }

    /// Takes a layer as it was computed.
    fn take(&mut self, draft: &Draft, layer: &Kept) -> Result<()> {
        let graph = &draft.graph;
        let differs = draft.differs(layer);
        self.any_stale |= draft.has_stale();
        for id in graph.ids().filter(|id| layer.contains(*id)) {
            let position = graph.position(id);
            let differs = differs[id.index()];
            self.any += u64::from(differs.any());
            self.positions += 1;
            self.links += position.links.len() as u64;
            self.differing(differs, &position)?;
            self.all.push(&position)?;
        }
        Ok(())
    }

    fn differing(&mut self, differs: Differs, position: &Position) -> Result<()> {
        for (place, table) in Table::ALL.into_iter().enumerate() {
            if !differs.in_table(table) {
                continue;
            }
            self.counts[place] += 1;
            self.underived[place] |= differs.in_underived(table);
            let rows = ChangedRows {
                changed: self.counts[place],
                all: self.expected,
                derived: false,
            };
            if rows.is_large_part() {
                self.changed[place] = None;
            }
            if let Some(changed) = &mut self.changed[place] {
                changed.push(position)?;
            }
        }
        Ok(())
    }

    /// Brings the tables up to the positions; how many there are and which changed. `same_rows` says that no position came
    /// or went.
    fn write(self, update: &Update<'_>, same_rows: bool) -> Result<(u64, Changed)> {
        let all = self.all.finish()?;
        for (place, (table, changed)) in Table::ALL.into_iter().zip(self.changed).enumerate() {
            let rows = match table {
                Table::Positions => self.positions,
                Table::Links => self.links,
                Table::Leaves => u64::MAX,
            };
            let changed = changed.unwrap_or_default().finish()?;
            let count = ChangedRows {
                changed: self.counts[place],
                all: self.expected,
                derived: same_rows
                    && !self.underived[place]
                    && table != Table::Leaves
                    && update.count(table)? == rows,
            };
            update.rewrite(table, count, all.positions()?, changed.positions()?)?;
        }
        let [positions, links, leaves] = self.counts;
        let changed = Changed {
            any: self.any,
            positions,
            links,
            leaves,
        };
        Ok((self.positions, changed))
    }
}
