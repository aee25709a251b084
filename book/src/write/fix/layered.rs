//! Books that don't fit in memory, two layers at a time.
//!
//! A move leads one layer down and a pass stays in its layer, so a layer can be linked and computed once the layer
//! below is done. All positions go to temporary files by layer. From the end of the game up, each layer is read,
//! computed on top of the one below, and passed on to be sorted by key for writing.

use super::draft::{Draft, EXAMPLES, Legible, drop_illegible};
use super::rows::DifferingRows;
use super::{ChangedPositions, Plan, Recomputed};
use crate::check::Findings;
use crate::{BookFile, Change, Error, Progress, Result, Sorted, Sorter, Store};
use foldhash::{HashMap, HashSet};
use obook_graph::link::{LinkReport, link};
use obook_graph::loops::Loops;
use obook_graph::negamax;
use obook_graph::passes::restore_passes_of;
use obook_graph::sort::Layers;
use obook_graph::{Graph, Selection, TooLarge};
use obook_model::RuleSet;
use obook_othello::CanonicalBoard;
use obook_store::Missing;
use std::path::Path;

/// The number of sorters that hold positions at the same time.
const SORTERS: u64 = 4;

/// Carries out a plan with two layers in memory. The sorters use at most half of `budget` bytes.
pub(super) fn work(
    update: &Change<'_>,
    rules: RuleSet,
    plan: Plan,
    budget: u64,
) -> Result<Recomputed> {
    let store = update.store().reader()?;
    let progress = update.store().context().progress();
    let mut book = LayeredBook::new(Layers::default(), update.store().path(), progress);
    let (gone, orphans) = read(&store, plan.repair, &mut book)?;
    let mut restored = 0;
    if plan.repair && rules != RuleSet::Edax {
        let boards = book.restore_passes(None)?;
        restored = boards.len() as u64;
        boards.into_iter().for_each(|board| book.stale.add(board));
    }
    let mut rows = ComputedPositions::new(book.layers.positions(), sorter_budget(budget));
    let computed = book.compute(rules, plan, |draft, layer| rows.take(draft, layer))?;
    progress.step("writing", None);
    drop_illegible(update, &gone, orphans)?;
    let same_rows = gone.is_empty() && !rows.any_stale;
    let (positions, changed) = rows.write(update, same_rows)?;
    plan.record(update, &computed.missing)?;
    Ok(Recomputed {
        positions,
        rules,
        repaired: computed.repaired.into_groups(),
        restored,
        link: plan.link.then_some(computed.link),
        loops: Loops::default(),
        changed,
        todo: computed.missing.len() as u64,
    })
}

/// A book in temporary files.
pub(crate) struct LayeredBook<'a> {
    layers: Layers,
    stale: Stale,
    /// Faults in the rows; the positions are free of them.
    repaired: Findings,
    path: &'a Path,
    progress: &'a Progress,
}

/// The result of computing a [`LayeredBook`].
pub(crate) struct Computed {
    pub(crate) link: LinkReport,
    repaired: Findings,
    /// The positions that lack a leaf, in key order.
    pub(crate) missing: Vec<Missing>,
}

impl<'a> LayeredBook<'a> {
    pub(crate) fn new(layers: Layers, path: &'a Path, progress: &'a Progress) -> LayeredBook<'a> {
        LayeredBook {
            layers,
            stale: Stale::default(),
            repaired: Findings::new(EXAMPLES),
            path,
            progress,
        }
    }

    /// Adds the pass positions that lie between two positions of the book, if one of these is in `next_to`, or any. Returns their
    /// boards.
    pub(crate) fn restore_passes(
        &mut self,
        next_to: Option<&mut Layers>,
    ) -> Result<Vec<CanonicalBoard>> {
        restore(&mut self.layers, next_to, Error::too_large(self.path))
    }

    /// Carries out a plan from the end of the game up, each layer on top of the one below. `take` gets each layer when it is
    /// done.
    pub(crate) fn compute(
        self,
        rules: RuleSet,
        plan: Plan,
        mut take: impl FnMut(&Draft, &Selection) -> Result<()>,
    ) -> Result<Computed> {
        let LayeredBook {
            mut layers,
            mut stale,
            mut repaired,
            path,
            progress,
        } = self;
        let too_large = Error::too_large(path);
        progress.step("computing", Some(layers.positions()));
        let mut linked = LinkReport::default();
        let mut missing = Vec::new();
        let mut below = Graph::builder().finish().map_err(&too_large)?.0;
        for empties in Layers::all() {
            let (graph, _) = on_top(&below, &mut layers, empties, &too_large)?;
            let mend = plan.repair.then_some(rules);
            let mut draft = Draft::of_layers(graph, stale.take(empties), mend, &mut repaired);
            if plan.link {
                linked += link(&mut draft.graph).map_err(&too_large)?;
            }
            if let Some(scoring) = plan.negamax {
                negamax::negamax(&mut draft.graph, scoring);
            }
            let layer = Selection::matching(&draft.graph, |id| !draft.graph.is_frozen(id));
            take(&draft, &layer)?;
            missing.extend(draft.missing(&layer));
            progress.advance(layer.count() as u64);
            below = draft.graph;
        }
        missing.sort_unstable_by_key(|missing| missing.board);
        Ok(Computed {
            link: linked,
            repaired,
            missing,
        })
    }
}

/// Reads the whole book, or whatever is legible if it is to be repaired. Returns the keys whose rows must be deleted, and whether
/// some rows belong to no position.
fn read(store: &Store, repair: bool, book: &mut LayeredBook<'_>) -> Result<(Vec<[u8; 16]>, bool)> {
    let progress = book.progress;
    if repair {
        let Legible {
            gone,
            orphans,
            repaired,
        } = Legible::walk(store, progress, |position, is_stale| {
            if is_stale {
                book.stale.add(position.board);
            }
            Ok(book.layers.push(&position)?)
        })?;
        book.repaired = repaired;
        return Ok((gone, orphans));
    }
    progress.step("reading", Some(store.estimated_positions()?));
    for position in store.positions()? {
        book.layers.push(&position?)?;
        progress.advance(1);
    }
    Ok((Vec::new(), false))
}

/// Boards whose rows must be rewritten in any case, by layer. There are few unless the book is damaged.
#[derive(Default)]
struct Stale(HashMap<usize, Vec<CanonicalBoard>>);

impl Stale {
    fn add(&mut self, board: CanonicalBoard) {
        let empties = board.board().empties() as usize;
        self.0.entry(empties).or_default().push(board);
    }

    fn take(&mut self, empties: usize) -> Vec<CanonicalBoard> {
        self.0.remove(&empties).unwrap_or_default()
    }
}

/// Does for the records of `file` what [`complete`](crate::read::book::complete) does in memory, two layers at a time, and shows each
/// layer to `look`. Returns the positions by key, and how many boards occurred before. Sorting uses at most half of `budget` bytes.
///
/// # Errors
/// If temporary files can't be written or read, or two layers don't fit in memory.
pub(crate) fn complete_layers(
    layers: &mut Layers,
    file: &BookFile,
    budget: u64,
    progress: &Progress,
    mut look: impl FnMut(&Graph),
) -> Result<(Sorted, u64)> {
    let too_large = Error::too_large(file.path());
    let has_links = file.has_links();
    if !has_links && file.header().rules != RuleSet::Edax {
        restore(layers, None, &too_large)?;
    }
    progress.step("linking", Some(layers.positions()));
    let mut sorter = Sorter::with_budget(sorter_budget(budget));
    let mut duplicates = 0;
    let mut below = Graph::builder().finish().map_err(&too_large)?.0;
    for empties in Layers::all() {
        let (mut graph, again) = on_top(&below, layers, empties, &too_large)?;
        duplicates += again;
        if !has_links {
            link(&mut graph).map_err(&too_large)?;
        }
        look(&graph);
        for id in graph.ids().filter(|id| !graph.is_frozen(*id)) {
            sorter.push(&graph.position(id))?;
            progress.advance(1);
        }
        below = graph;
    }
    Ok((sorter.finish()?, duplicates))
}

/// Adds the pass positions that lie between two positions of the book, if one of these is in `next_to`, or any. Returns their
/// boards.
fn restore(
    layers: &mut Layers,
    mut next_to: Option<&mut Layers>,
    too_large: impl Fn(TooLarge) -> Error,
) -> Result<Vec<CanonicalBoard>> {
    let mut restored = Vec::new();
    for empties in Layers::all().skip(1) {
        let both = empties - 1..empties + 1;
        let next_to = next_to.as_deref_mut();
        let chosen = next_to.map(|it| boards(it, both.clone())).transpose()?;
        if chosen.as_ref().is_some_and(HashSet::is_empty) {
            continue;
        }
        let mut builder = Graph::builder();
        for empties in both {
            for position in layers.read(empties)? {
                builder.push(position?);
            }
        }
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        let is_chosen = |board| chosen.as_ref().is_none_or(|it| it.contains(&board));
        let passes = restore_passes_of(&mut graph, is_chosen).map_err(&too_large)?;
        for board in &passes {
            let id = graph.find(*board).expect("it was put in");
            layers.push(&graph.position(id))?;
        }
        restored.extend(passes);
    }
    Ok(restored)
}

/// The boards of some layers.
pub(crate) fn boards(
    layers: &mut Layers,
    of: std::ops::Range<usize>,
) -> Result<HashSet<CanonicalBoard>> {
    let mut boards = HashSet::default();
    for empties in of {
        for position in layers.read(empties)? {
            boards.insert(position?.board);
        }
    }
    Ok(boards)
}

/// A layer on top of the one below, which is frozen and has neither links nor leaves; and the number of duplicates in
/// the layer.
fn on_top(
    below: &Graph,
    layers: &mut Layers,
    empties: usize,
    too_large: impl Fn(TooLarge) -> Error,
) -> Result<(Graph, u64)> {
    let mut builder = Graph::builder();
    let own = below.ids().filter(|id| !below.is_frozen(*id));
    let next = own.filter(|id| below.board(*id).board().empties() as usize + 1 == empties);
    let mut frozen = 0;
    for id in next {
        builder.push(below.numbers(id));
        frozen += 1;
    }
    for position in layers.read(empties)? {
        builder.push(position?);
    }
    let (mut graph, report) = builder.finish().map_err(&too_large)?;
    graph.freeze(frozen);
    Ok((graph, report.duplicates))
}

/// Memory for each sorter: enough to avoid many tiny files, and no more than it can use.
pub(crate) fn sorter_budget(budget: u64) -> usize {
    (budget / 2 / SORTERS).clamp(1 << 20, 1 << 30) as usize
}

/// Computed positions that will be written to the tables.
struct ComputedPositions {
    all: Sorter,
    rows: DifferingRows,
    any_stale: bool,
}

impl ComputedPositions {
    fn new(expected: u64, budget: usize) -> ComputedPositions {
        ComputedPositions {
            all: Sorter::with_budget(budget),
            rows: DifferingRows::new(expected, budget),
            any_stale: false,
        }
    }

    /// Takes a computed layer.
    fn take(&mut self, draft: &Draft, layer: &Selection) -> Result<()> {
        let graph = &draft.graph;
        let differs = draft.differs(layer);
        self.any_stale |= draft.has_stale();
        for id in graph.ids().filter(|id| layer.contains(*id)) {
            let position = graph.position(id);
            self.rows.add(differs[id.index()], &position)?;
            self.all.push(&position)?;
        }
        Ok(())
    }

    /// Updates the tables, and returns the number of positions and of changes. `same_rows` means that no position was
    /// added or removed.
    fn write(self, update: &Change<'_>, same_rows: bool) -> Result<(u64, ChangedPositions)> {
        let (positions, changed) = (self.rows.positions(), self.rows.changed());
        self.rows.write(update, &self.all.finish()?, same_rows)?;
        Ok((positions, changed))
    }
}
