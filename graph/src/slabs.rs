//! A book of any size, one slab at a time.
//!
//! A slab is a run of consecutive layers. A move leads one layer down and a pass stays in its layer, so what is to be known about a
//! slab follows from its positions and those of the layer below. A book that fits in memory is one slab. The slabs of a larger one
//! lie in temporary files, and a sweep reads them one after another, each with the layer below it, which is frozen.

use crate::sort::{self, Layers, Sorted, Sorter};
use crate::{BuildReport, Graph, GraphBuilder, NodeId, Selection, TooLarge};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::ops::Range;

/// Memory for a position of a slab in bytes, while the slab is made and changed: enough for a few links each.
const POSITION: u64 = 200;

/// The layers of all slabs: one more than there are numbers of empty squares, so that they include the layer above any other.
const LAYERS: Range<usize> = 0..66;

/// A book in slabs.
#[derive(Debug)]
pub struct Slabs(Place);

#[derive(Debug)]
enum Place {
    Memory(Box<Slab>),
    Disk(Files),
}

/// Positions in memory: all those of some layers, and those of the layer below, which is frozen.
#[derive(Debug)]
pub struct Slab {
    graph: Graph,
    /// A byte for each position; none as long as all are zero.
    marks: Vec<u8>,
    /// The layers that are not frozen.
    layers: Range<usize>,
    /// Whether positions changed.
    is_changed: bool,
    /// Whether marks changed.
    is_marked: bool,
}

/// The mark of a position that [`Slabs::grow`] added. All other bits of a mark are free.
pub const ADDED: u8 = 1;

/// A temporary file fails, or there are too many positions.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A temporary file can't be written or read.
    #[error(transparent)]
    Sort(#[from] sort::Error),
    /// A slab is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl From<Graph> for Slabs {
    fn from(graph: Graph) -> Slabs {
        let slab = Slab::new(graph, Vec::new(), LAYERS);
        Slabs(Place::Memory(Box::new(slab)))
    }
}

impl Slabs {
    /// Makes slabs of the positions of a book, and counts duplicates. Those of a book in temporary files take about `memory` bytes
    /// each, or more if two layers do.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn new(book: Gathered, memory: u64) -> Result<(Slabs, BuildReport), Error> {
        match book {
            Gathered::Memory(builder) => {
                let (graph, report) = builder.finish()?;
                Ok((graph.into(), report))
            }
            Gathered::Disk { layers, condensed } => {
                let (files, duplicates) = Files::new(layers, memory)?;
                let report = BuildReport {
                    duplicates: condensed + duplicates,
                    ..BuildReport::default()
                };
                Ok((Slabs(Place::Disk(files)), report))
            }
        }
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Place::Memory(slab) => slab.graph.len() as u64,
            Place::Disk(files) => files.layers.positions(),
        }
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The only slab of a book in memory; `None` if the book is in temporary files.
    #[must_use]
    pub fn only(&self) -> Option<&Slab> {
        match &self.0 {
            Place::Memory(slab) => Some(slab),
            Place::Disk(_) => None,
        }
    }

    /// As [`Slabs::only`]. Temporary files are gone then.
    #[must_use]
    pub fn into_only(self) -> Option<Slab> {
        match self.0 {
            Place::Memory(slab) => Some(*slab),
            Place::Disk(_) => None,
        }
    }

    /// Whether the book has a board. Of a book in temporary files, its layer is read.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn has(&mut self, board: CanonicalBoard) -> Result<bool, Error> {
        let files = match &mut self.0 {
            Place::Memory(slab) => return Ok(slab.graph.find(board).is_some()),
            Place::Disk(files) => files,
        };
        for position in files.layers.read(board.board().empties() as usize)? {
            if position?.board == board {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Visits the slabs from the end of the game up. The layer below a slab is as its own visit left it.
    ///
    /// # Errors
    /// Returns the first error of `visit`, and [`Error`].
    pub fn sweep_up<E: From<Error>>(
        &mut self,
        visit: impl FnMut(&mut Slab) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.0 {
            Place::Memory(slab) => once(slab, visit),
            Place::Disk(files) => files.sweep(files.slabs.clone(), visit),
        }
    }

    /// Visits the slabs from the start position down. The layer below a slab is as it was before the sweep, but the marks that it
    /// gets stay.
    ///
    /// # Errors
    /// As [`Slabs::sweep_up`].
    pub fn sweep_down<E: From<Error>>(
        &mut self,
        visit: impl FnMut(&mut Slab) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.0 {
            Place::Memory(slab) => once(slab, visit),
            Place::Disk(files) => {
                let down = files.slabs.iter().rev().cloned().collect();
                files.sweep(down, visit)
            }
        }
    }

    /// As [`Slabs::sweep_down`], with a state for each position of a slab and of the layer below, in their order. What a visit leaves
    /// in the layer below is there when its own slab is visited. States begin as their default, but for those of `from`.
    ///
    /// ```
    /// use obook_graph::link::link;
    /// use obook_graph::slabs::{Error, Slabs};
    /// use obook_graph::{Graph, TooLarge};
    /// use obook_model::{Engine, Position};
    /// use obook_othello::Line;
    ///
    /// let lines = ["", "f5", "f5d6", "f5d6c3d3"].map(|line| line.parse::<Line>().unwrap());
    /// let boards = lines.map(|line| line.board().canonical());
    /// let positions = boards.map(|board| Ok::<_, TooLarge>(Position::new(board, Engine::Edax)));
    /// let (mut graph, _) = Graph::from_positions(positions)?;
    /// link(&mut graph)?;
    ///
    /// let mut reached = Vec::new();
    /// Slabs::from(graph).sweep_down_from(&[(boards[1], true)], |slab, states| {
    ///     let graph = slab.graph();
    ///     // Parents come after their children.
    ///     for id in graph.unfrozen_places().rev().map(|place| graph.id(place)) {
    ///         if states[id.index()] {
    ///             reached.push(graph.board(id));
    ///             let children = graph.links(id).filter_map(|link| link.child);
    ///             children.for_each(|child| states[child.index()] = true);
    ///         }
    ///     }
    ///     Ok::<(), Error>(())
    /// })?;
    /// assert_eq!(reached, [boards[1], boards[2]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Slabs::sweep_up`].
    pub fn sweep_down_from<S: Copy + Default, E: From<Error>>(
        &mut self,
        from: &[(CanonicalBoard, S)],
        mut visit: impl FnMut(&mut Slab, &mut [S]) -> Result<(), E>,
    ) -> Result<(), E> {
        // The layer below a slab is the last one of the next slab.
        let mut of_layer: Vec<S> = Vec::new();
        self.sweep_down(|slab| {
            let mut states = vec![S::default(); slab.graph.len() - of_layer.len()];
            for (board, state) in from {
                let place = slab.graph.find(*board).map(NodeId::index);
                // A board of the last layer was there when that was the layer below.
                if let Some(begun) = place.and_then(|place| states.get_mut(place)) {
                    *begun = *state;
                }
            }
            states.append(&mut of_layer);
            visit(slab, &mut states)?;
            states.truncate(slab.graph.unfrozen_places().start);
            of_layer = states;
            Ok(())
        })
    }

    /// Visits the slabs from the end of the game up without changing them.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn scan(&mut self, visit: impl FnMut(&Slab)) -> Result<(), Error> {
        self.scan_layers(|_| true, visit)
    }

    /// As [`Slabs::scan`], but visits only slabs with such layers, given their numbers of empty squares.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn scan_layers(
        &mut self,
        is_wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(&Slab),
    ) -> Result<(), Error> {
        let visit = |slab: &mut Slab| {
            visit(slab);
            Ok(())
        };
        match &mut self.0 {
            Place::Memory(slab) => once(slab, visit),
            Place::Disk(files) => {
                let mut slabs = files.slabs.clone();
                slabs.retain(|layers| layers.clone().any(&is_wanted));
                files.sweep(slabs, visit)
            }
        }
    }

    /// The whole book, if it is in memory. Positions may come and go. Marks are void then.
    pub fn whole(&mut self) -> Option<&mut Graph> {
        match &mut self.0 {
            Place::Memory(slab) => {
                slab.marks.clear();
                Some(&mut slab.graph)
            }
            Place::Disk(_) => None,
        }
    }

    /// Adds the positions that `find` finds in each slab, from the end of the game up: new boards of its layers or of the layer
    /// below. They are added when all slabs have been visited, and get the mark [`ADDED`]. Marks of other positions are void then,
    /// and the next sweep must go up.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn grow(&mut self, mut find: impl FnMut(&Slab, &mut GraphBuilder)) -> Result<(), Error> {
        match &mut self.0 {
            Place::Memory(slab) => {
                let mut builder = Graph::builder();
                find(slab, &mut builder);
                Ok(slab.add(&builder.finish()?.0)?)
            }
            Place::Disk(files) => files.grow(find),
        }
    }

    /// Removes the positions that [`Slabs::grow`] added. Links to them stay without a child, and all marks are void.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn shrink(&mut self) -> Result<(), Error> {
        let (nothing, _) = Graph::builder().finish()?;
        self.sweep_up(|slab| {
            slab.restructure(|graph, marks| {
                let is_added = |id: NodeId| marks.get(id.index()).is_some_and(|it| it & ADDED != 0);
                match graph.unfrozen().any(is_added) {
                    true => {
                        graph.revise(|graph, id| graph.is_frozen(id) || !is_added(id), &nothing)
                    }
                    false => Ok(()),
                }
            })?;
            Ok(())
        })
    }

    /// The whole book in memory, or its positions by key after `prepare`, which also gets the slab of each.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn finish(
        self,
        memory: u64,
        prepare: impl Fn(&mut Position, &Graph) + Sync,
    ) -> Result<Finished, Error> {
        let mut files = match self.0 {
            Place::Memory(slab) => return Ok(Finished::Graph(slab.graph)),
            Place::Disk(files) => files,
        };
        let mut sorter = Sorter::with_budget(sorter_budget(memory));
        files.sweep(files.slabs.clone(), |slab| {
            for place in slab.graph.unfrozen_places() {
                let mut position = slab.graph.position(slab.graph.id(place));
                prepare(&mut position, &slab.graph);
                sorter.push(&position)?;
            }
            Ok::<(), Error>(())
        })?;
        drop(files);
        Ok(Finished::Sorted(sorter.finish()?))
    }
}

/// All positions of a book: see [`Slabs::finish`].
pub enum Finished {
    /// In memory.
    Graph(Graph),
    /// In temporary files.
    Sorted(Sorted),
}

/// Memory for a sorter beside other work: enough to avoid many tiny files, and no more than it can use.
fn sorter_budget(memory: u64) -> usize {
    (memory / 8).clamp(1 << 20, 1 << 30) as usize
}

/// Visits the only slab.
fn once<E>(slab: &mut Slab, mut visit: impl FnMut(&mut Slab) -> Result<(), E>) -> Result<(), E> {
    visit(slab)
}

impl Slab {
    fn new(graph: Graph, marks: Vec<u8>, layers: Range<usize>) -> Slab {
        Slab {
            graph,
            marks,
            layers,
            is_changed: false,
            is_marked: false,
        }
    }

    /// The positions.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// As [`Slab::graph`].
    #[must_use]
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    /// The positions, to change those that are not frozen. None may come or go.
    pub fn graph_mut(&mut self) -> &mut Graph {
        self.is_changed = true;
        &mut self.graph
    }

    /// The numbers of empty squares of the positions that are not frozen.
    #[must_use]
    pub fn layers(&self) -> Range<usize> {
        self.layers.clone()
    }

    /// The mark of a position.
    #[must_use]
    pub fn mark(&self, id: NodeId) -> u8 {
        self.marks.get(id.index()).copied().unwrap_or(0)
    }

    /// The positions whose mark has this bit.
    #[must_use]
    pub fn marked(&self, bit: u8) -> Selection {
        Selection::matching(&self.graph, |id| self.mark(id) & bit != 0)
    }

    /// The positions, and the marks of all in their order.
    pub fn graph_and_marks(&mut self) -> (&Graph, &mut [u8]) {
        self.is_marked = true;
        self.marks.resize(self.graph.len(), 0);
        (&self.graph, &mut self.marks)
    }

    /// Lets `change` add and remove positions, but no frozen ones. It gets the marks, which the other positions then lose.
    pub(crate) fn restructure<T>(&mut self, change: impl FnOnce(&mut Graph, &[u8]) -> T) -> T {
        self.is_changed = true;
        let done = change(&mut self.graph, &self.marks);
        self.marks.truncate(self.graph.unfrozen_places().start);
        done
    }

    /// Adds positions of new boards.
    fn add(&mut self, new: &Graph) -> Result<(), TooLarge> {
        if new.is_empty() {
            return Ok(());
        }
        self.restructure(|graph, _| graph.revise(|_, _| true, new))?;
        let (graph, marks) = self.graph_and_marks();
        for id in new.ids() {
            let added = graph.find(new.board(id)).expect("it was put in");
            marks[added.index()] |= ADDED;
        }
        Ok(())
    }
}

/// A book in temporary files.
#[derive(Debug)]
struct Files {
    layers: Layers,
    /// The numbers of positions by layer before others were added.
    settled: Vec<u64>,
    /// The layers of each slab.
    slabs: Vec<Range<usize>>,
}

impl Files {
    /// Sorts the positions and counts duplicates.
    fn new(layers: Layers, memory: u64) -> Result<(Files, u64), Error> {
        let mut files = Files {
            slabs: slabs(&layers, memory),
            settled: LAYERS.map(|empties| layers.count(empties)).collect(),
            layers,
        };
        let mut duplicates = 0;
        for layers in files.slabs.clone() {
            let mut builder = Graph::builder();
            for empties in layers.clone() {
                files.read(empties, |position| builder.push(position))?;
            }
            let (graph, report) = builder.finish()?;
            duplicates += report.duplicates;
            let mut slab = Slab::new(graph, Vec::new(), layers);
            slab.is_changed = report.duplicates > 0;
            files.store(&slab)?;
        }
        Ok((files, duplicates))
    }

    /// Brings slabs to memory one after another, and stores what changed.
    fn sweep<E: From<Error>>(
        &mut self,
        slabs: Vec<Range<usize>>,
        mut visit: impl FnMut(&mut Slab) -> Result<(), E>,
    ) -> Result<(), E> {
        for layers in slabs {
            let mut slab = self.load(layers)?;
            visit(&mut slab)?;
            self.store(&slab)?;
        }
        Ok(())
    }

    fn grow(&mut self, mut find: impl FnMut(&Slab, &mut GraphBuilder)) -> Result<(), Error> {
        let mut found = Layers::default();
        for layers in self.slabs.clone() {
            let slab = self.load(layers)?;
            let mut builder = Graph::builder();
            find(&slab, &mut builder);
            spill(builder, &mut found)?;
        }
        for empties in Layers::all() {
            for position in found.read(empties)? {
                self.layers.push(&position?)?;
            }
        }
        Ok(())
    }

    /// Reads a slab, and the numbers and leaves of the layer below it.
    fn load(&mut self, layers: Range<usize>) -> Result<Slab, Error> {
        let below = layers.start.checked_sub(1);
        let mut builder = Graph::builder();
        if let Some(below) = below {
            self.read(below, |mut position| {
                position.links.clear();
                builder.push(position);
            })?;
        }
        for empties in layers.clone() {
            self.read(empties, |position| builder.push(position))?;
        }
        let (mut graph, _) = builder.finish()?;
        let frozen = below.map_or(0, |below| graph.layer(below).end);
        graph.freeze(frozen);
        let marks = self.marks(below.into_iter().chain(layers.clone()), &graph)?;
        let mut slab = Slab::new(graph, marks, layers);
        let added = |empties| self.layers.count(empties) > self.settled[empties];
        slab.is_changed = slab.layers().any(added);
        Ok(slab)
    }

    fn read(&mut self, empties: usize, mut take: impl FnMut(Position)) -> Result<(), Error> {
        for position in self.layers.read(empties)? {
            take(position?);
        }
        Ok(())
    }

    /// The marks of some layers; none if there are none.
    fn marks(
        &mut self,
        layers: impl Iterator<Item = usize>,
        graph: &Graph,
    ) -> Result<Vec<u8>, Error> {
        let mut marks = Vec::new();
        for empties in layers {
            let places = graph.layer(empties);
            let mut known = self.layers.marks(empties)?.into_iter();
            let settled = self.settled[empties];
            if known.len() == 0 && self.layers.count(empties) == settled {
                continue;
            }
            let mut added = vec![false; places.len()];
            for (number, position) in (0..).zip(self.layers.read(empties)?) {
                let board = position?.board;
                if number >= settled {
                    let id = graph.find(board).expect("it was read before");
                    added[id.index() - places.start] = true;
                }
            }
            let mark = |added| match added {
                true => ADDED,
                false => known.next().unwrap_or(0),
            };
            marks.resize(places.start, 0);
            marks.extend(added.into_iter().map(mark));
        }
        Ok(marks)
    }

    /// Stores what changed of a slab: positions, and marks including those of the layer below.
    fn store(&mut self, slab: &Slab) -> Result<(), Error> {
        let graph = &slab.graph;
        if slab.is_changed {
            for empties in slab.layers() {
                self.layers.clear(empties)?;
                for place in graph.layer(empties) {
                    self.layers.push(&graph.record(graph.id(place)))?;
                }
                self.settled[empties] = self.layers.count(empties);
            }
        }
        // Storing positions removed their marks.
        if slab.is_marked || slab.is_changed {
            for empties in slab.layers.start.saturating_sub(1)..slab.layers.end {
                let places = graph.layer(empties);
                let marks = slab.marks.get(places).unwrap_or_default();
                if !marks.is_empty() {
                    debug_assert_eq!(self.settled[empties], marks.len() as u64);
                    self.layers.set_marks(empties, marks)?;
                }
            }
        }
        Ok(())
    }
}

/// Divides a book into slabs that take half of the memory with the layer below, if two layers do. A sorter needs a quarter.
fn slabs(layers: &Layers, memory: u64) -> Vec<Range<usize>> {
    let most = memory / 2 / POSITION;
    let mut slabs: Vec<Range<usize>> = Vec::new();
    let mut positions = 0;
    for empties in LAYERS {
        let own = layers.count(empties);
        match slabs.last_mut() {
            Some(slab) if positions + own <= most => slab.end += 1,
            _ => {
                let below = empties
                    .checked_sub(1)
                    .map_or(0, |below| layers.count(below));
                positions = below;
                slabs.push(empties..empties + 1);
            }
        }
        positions += own;
    }
    slabs
}

/// A book as it is read: in memory until it takes too much, then in temporary files.
#[derive(Debug)]
pub enum Gathered {
    /// In memory.
    Memory(GraphBuilder),
    /// In temporary files.
    Disk {
        /// The positions.
        layers: Layers,
        /// The number of records that were combined with others before.
        condensed: u64,
    },
}

impl Default for Gathered {
    fn default() -> Gathered {
        Gathered::Memory(Graph::builder())
    }
}

impl Gathered {
    /// Adds positions. All go to temporary files when those in memory take more than `memory` bytes.
    ///
    /// # Errors
    /// Returns [`sort::Error`] if a temporary file can't be written.
    pub fn append(&mut self, part: GraphBuilder, memory: u64) -> sort::Result<()> {
        match self {
            Gathered::Disk { layers, .. } => spill(part, layers),
            Gathered::Memory(builder) => {
                builder.append(part);
                if builder.bytes() as u64 <= memory {
                    return Ok(());
                }
                let builder = std::mem::take(builder);
                let condensed = builder.condensed() as u64;
                let mut layers = Layers::default();
                spill(builder, &mut layers)?;
                *self = Gathered::Disk { layers, condensed };
                Ok(())
            }
        }
    }
}

fn spill(builder: GraphBuilder, layers: &mut Layers) -> sort::Result<()> {
    let mut positions = builder.into_positions();
    positions.try_for_each(|position| layers.push(&position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::restore_passes_in;
    use crate::sort::spill::faults;
    use obook_testing::random_book::recipes;
    use obook_testing::samples::samples;

    /// Whatever was read, or the first error.
    type Done = Result<Vec<(Position, u8)>, Error>;

    /// Uses slabs in all ways: positions come and go, and marks are kept.
    fn work(records: &[Position]) -> Done {
        let mut layers = Layers::default();
        for record in records {
            layers.push(record)?;
        }
        let gathered = Gathered::Disk {
            layers,
            condensed: 0,
        };
        let (mut book, _) = Slabs::new(gathered, 0)?;
        restore_passes_in(&mut book)?;
        book.sweep_up(|slab| {
            crate::link::link(slab.graph_mut())?;
            Ok::<(), Error>(())
        })?;
        let own = 2;
        book.sweep_down(|slab| {
            let (graph, marks) = slab.graph_and_marks();
            for place in graph.unfrozen_places() {
                for child in graph.links(graph.id(place)).filter_map(|link| link.child) {
                    marks[child.index()] |= own;
                }
            }
            Ok::<(), Error>(())
        })?;
        let mut found = Vec::new();
        let mut look = |slab: &Slab| {
            let graph = slab.graph();
            let ids = graph.unfrozen_places().map(|place| graph.id(place));
            found.extend(ids.map(|id| (graph.position(id), slab.mark(id))));
        };
        book.scan(&mut look)?;
        // As before, but with marks beside positions that come.
        book.grow(|slab, builder| {
            let graph = slab.graph();
            let boards = graph
                .unfrozen_places()
                .map(|place| graph.board(graph.id(place)));
            let moves = boards.flat_map(|board| board.board().children());
            let new = moves.map(|(_, child)| child.canonical());
            let new = new.filter(|board| graph.find(*board).is_none()).take(3);
            new.for_each(|board| builder.push(Position::new(board, obook_model::Engine::Edax)));
        })?;
        book.scan(&mut look)?;
        book.shrink()?;
        match book.finish(0, |_, _| ())? {
            Finished::Graph(_) => unreachable!("it is in files"),
            Finished::Sorted(sorted) => {
                for position in sorted.positions()? {
                    found.push((position?, 0));
                }
            }
        }
        Ok(found)
    }

    /// A temporary file that can't be read once changes nothing, or it is an error.
    ///
    /// Law (Crashes, untrusted books, concurrency): An unreadable temporary file is an error: nothing false is
    /// written or printed.
    /// Also: `tests/program/faults/mod.rs` `a_change_was_made_or_was_not_whatever_fails`
    /// `nothing_false_is_printed_if_a_read_fails` `tests/results.rs` `errors_are_neither_skipped_nor_counted`
    #[test]
    fn no_failed_read_is_swallowed() {
        let mut failed = 0;
        for recipe in samples(&recipes(), 1) {
            // Each read is tried, so a few positions have to do.
            let records: Vec<Position> = recipe.book().into_values().take(6).collect();
            let undisturbed = work(&records).unwrap();
            for reads in 0.. {
                faults::fail_after(reads);
                let done = work(&records);
                if faults::is_ahead() {
                    assert_eq!(done.unwrap(), undisturbed);
                    break;
                }
                assert!(done.is_err(), "read {reads} failed, and nobody says so");
                failed += 1;
            }
        }
        assert!(failed > 50, "{failed}");
    }
}
