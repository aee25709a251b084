//! A book of any size, one slab at a time.
//!
//! A slab is a run of consecutive layers. A move leads one layer down and a pass stays in its layer, so what is to be known about a
//! slab follows from its positions and those of the layer below. A book that fits in memory is one slab. The slabs of a larger one
//! lie in temporary files, and a sweep reads them one after another, each with the layer below it, which is frozen.

mod by_key;
mod files;
mod gathered;

pub use by_key::{ByKey, Record};
pub use gathered::Gathered;

use crate::arena::Before;
use crate::sort::{self, Layers};
use crate::{Graph, GraphBuilder, NodeId, TooLarge};
use files::Files;
use gathered::{spill, unspill};
use obook_othello::{CanonicalBoard, Position};
use std::ops::Range;

/// A book in slabs.
#[derive(Debug)]
pub struct Slabs {
    /// The layers of each slab, from the end of the game up.
    layers: Vec<Range<usize>>,
    /// A slab that is the whole book, between visits.
    whole: Option<Box<Slab>>,
    /// All other slabs, between visits.
    files: Box<Files>,
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
    /// The earlier state of the positions: see [`Slabs::remember`].
    before: Option<Before>,
}

/// The mark of a position that [`Slabs::grow`] added. All other bits of a mark are free.
pub const ADDED: u8 = 1;

/// The result of work on slabs.
pub type Result<T, E = Error> = std::result::Result<T, E>;

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
        let slab = Slab::new(graph, Vec::new(), Layers::all());
        Slabs {
            layers: vec![slab.layers()],
            whole: Some(Box::new(slab)),
            files: Box::new(Files::new(Layers::default())),
        }
    }
}

impl Slabs {
    /// Makes slabs of the positions of a book, and counts duplicates. A slab of a book in temporary files takes about half of the
    /// memory that the book was gathered within, or more if two layers do.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn new(mut book: Gathered) -> Result<(Slabs, u64)> {
        book.stay_in_bounds()?;
        let mut slabs = Slabs {
            layers: book.slabs(),
            whole: None,
            files: Box::new(Files::new(book.layers)),
        };
        let mut duplicates = book.condensed;
        for layers in slabs.layers.clone() {
            let in_files = &mut slabs.files.layers;
            let positions = unspill(&mut book.builder, in_files, layers.clone())?;
            let (graph, more) = positions.sort()?;
            duplicates += more;
            let mut slab = Slab::new(graph, Vec::new(), layers);
            slab.is_changed = more > 0;
            slabs.store(Box::new(slab))?;
        }
        Ok((slabs, duplicates))
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> u64 {
        let in_memory = self.whole.as_ref().map_or(0, |slab| slab.graph.len());
        in_memory as u64 + self.files.layers.positions()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the book has a board. Of a book in temporary files, its slab is read.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn has(&mut self, board: CanonicalBoard) -> Result<bool> {
        let empties = board.board().empties() as usize;
        let mut has = false;
        let find = |slab: &Slab| has = slab.graph().find(board).is_some();
        self.scan_layers(|layer| layer == empties, find)?;
        Ok(has)
    }

    /// Visits the slabs from the end of the game up. The layer below a slab is as its own visit left it.
    ///
    /// # Errors
    /// Returns the first error of `visit`, and [`Error`].
    pub fn sweep_up(&mut self, visit: impl FnMut(&mut Slab) -> Result<()>) -> Result<()> {
        self.sweep(self.layers.clone(), visit)
    }

    /// Visits the slabs from the start position down. The layer below a slab is as it was before the sweep, but the marks that it
    /// gets stay.
    ///
    /// # Errors
    /// As [`Slabs::sweep_up`].
    pub fn sweep_down(&mut self, visit: impl FnMut(&mut Slab) -> Result<()>) -> Result<()> {
        self.sweep(self.layers.clone().into_iter().rev(), visit)
    }

    fn sweep(
        &mut self,
        slabs: impl IntoIterator<Item = Range<usize>>,
        mut visit: impl FnMut(&mut Slab) -> Result<()>,
    ) -> Result<()> {
        for layers in slabs {
            let mut slab = self.load(layers)?;
            let visited = visit(&mut slab);
            self.store(slab)?;
            visited?;
        }
        Ok(())
    }

    /// Takes a slab from where it is between visits.
    fn load(&mut self, layers: Range<usize>) -> Result<Box<Slab>> {
        let Some(mut slab) = self.whole.take() else {
            return Ok(Box::new(self.files.load(layers)?));
        };
        if self.files.before.is_some() && slab.before.is_none() {
            slab.before = Some(slab.graph.remember());
        }
        Ok(slab)
    }

    /// Puts a slab back, with what changed in it.
    fn store(&mut self, mut slab: Box<Slab>) -> Result<()> {
        if slab.is_whole() {
            // Others are indexed when they are read.
            slab.graph.index();
            // Its positions may have been gathered there.
            self.files.layers = Layers::default();
            self.whole = Some(slab);
            return Ok(());
        }
        self.files.store(&slab, slab.layers())
    }

    /// As [`Slabs::sweep_down`], with a state for each position of a slab and of the layer below, in their order. What a visit leaves
    /// in the layer below is there when its own slab is visited. States begin as their default, but for those of `from`.
    ///
    /// ```
    /// use obook_graph::link::link;
    /// use obook_graph::slabs::Slabs;
    /// use obook_graph::{Graph, TooLarge};
    /// use obook_othello::{Engine, Line, Position};
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
    ///     Ok(())
    /// })?;
    /// assert_eq!(reached, [boards[1], boards[2]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Slabs::sweep_up`].
    pub fn sweep_down_from<S: Copy + Default>(
        &mut self,
        from: &[(CanonicalBoard, S)],
        mut visit: impl FnMut(&mut Slab, &mut [S]) -> Result<()>,
    ) -> Result<()> {
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
    pub fn scan(&mut self, visit: impl FnMut(&Slab)) -> Result<()> {
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
    ) -> Result<()> {
        let mut wanted = self.layers.clone();
        wanted.retain(|layers| layers.clone().any(&is_wanted));
        self.sweep(wanted, |slab| {
            visit(slab);
            Ok(())
        })
    }

    /// Puts new positions into the book, in place of those that it has of the same boards. Marks are void then.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn replace(&mut self, positions: impl Iterator<Item = Position>) -> Result<()> {
        let empties = |position: &Position| position.board.board().empties() as usize;
        let mut rest: Vec<Position> = positions.collect();
        let mut changed = self.layers.clone();
        changed.retain(|layers| rest.iter().any(|it| layers.contains(&empties(it))));
        self.sweep(changed, |slab| {
            let mut new = Graph::builder();
            let own = rest.extract_if(.., |it| slab.layers.contains(&empties(it)));
            own.for_each(|position| new.push(position));
            let (new, _) = new.finish()?;
            let mut keep = vec![true; slab.graph.len()];
            for id in new.ids() {
                if let Some(old) = slab.graph.find(new.board(id)) {
                    keep[old.index()] = false;
                }
            }
            slab.restructure(|graph, _| graph.revise(|_, id| keep[id.index()], &new))?;
            Ok(())
        })
    }

    /// Adds the positions that `find` finds in each slab, from the end of the game up: new boards of its layers or of the layer
    /// below. They are added when all slabs have been visited, and get the mark [`ADDED`]. Marks of other positions are void then,
    /// and the next sweep must go up. Returns how many were added.
    ///
    /// # Errors
    /// Returns the first error of `find`, and [`Error`].
    pub fn grow(
        &mut self,
        mut find: impl FnMut(&Slab, &mut GraphBuilder) -> Result<()>,
    ) -> Result<u64> {
        let before = self.len();
        let mut found = Layers::default();
        self.sweep_up(|slab| {
            let mut new = Graph::builder();
            find(slab, &mut new)?;
            if slab.is_whole() {
                return Ok(slab.add(&new.finish()?.0)?);
            }
            Ok(spill(new, &mut found)?)
        })?;
        for empties in Layers::all() {
            for position in found.read(empties)? {
                self.files.layers.push(&position?)?;
            }
        }
        Ok(self.len() - before)
    }

    /// Removes the positions whose marks `stays` doesn't accept. Links to them stay without a child, and all marks are void.
    ///
    /// # Errors
    /// Returns [`Error`].
    pub fn retain(&mut self, stays: impl Fn(u8) -> bool + Sync) -> Result<()> {
        self.sweep_up(|slab| {
            slab.restructure(|graph, marks| {
                let mark = |id: NodeId| marks.get(id.index()).copied().unwrap_or(0);
                graph.remove(|_, id| !stays(mark(id)))
            })?;
            Ok(())
        })
    }

    /// All positions, if they are a single slab.
    #[must_use]
    pub fn into_graph(self) -> Option<Graph> {
        self.whole.map(|slab| slab.graph)
    }

    /// Remembers what all positions are now, so that the [last sweep](Slabs::finish_in_sets) can tell what became of them. Until
    /// then none may come or go.
    pub fn remember(&mut self) {
        // Slabs are kept when they change.
        self.files.before = Some(Layers::default());
        if let Some(slab) = &mut self.whole {
            slab.before = None;
        }
    }

    /// The last sweep: visits the slabs from the end of the game up, and takes all positions, in the form that `record` gives them.
    ///
    /// # Errors
    /// Returns the first error of `visit`, and [`Error`].
    pub fn finish(
        self,
        record: Record,
        mut visit: impl FnMut(&mut Slab) -> Result<()>,
    ) -> Result<ByKey> {
        self.finish_in_sets(record, u64::MAX, |slab| {
            visit(slab)?;
            Ok(slab.all())
        })
    }

    /// As [`Slabs::finish`], but takes positions in sets. `visit` returns for each position of the slab the sets to which it belongs, a
    /// bit for each; none if the position goes. A set that has more than `most` positions can't be read afterwards, unless it is
    /// [`ByKey::ALL`].
    ///
    /// # Errors
    /// As [`Slabs::finish`].
    pub fn finish_in_sets(
        mut self,
        record: Record,
        most: u64,
        mut visit: impl FnMut(&mut Slab) -> Result<Vec<u8>>,
    ) -> Result<ByKey> {
        let mut by_key = ByKey::new(most);
        for layers in std::mem::take(&mut self.layers) {
            let mut slab = self.load(layers)?;
            if slab.before.is_none() {
                slab.before = self.files.before(&slab)?;
            }
            let sets = visit(&mut slab)?;
            self.files.retire(&slab)?;
            by_key.take(slab, sets, record)?;
        }
        Ok(by_key)
    }
}

impl Slab {
    fn new(graph: Graph, marks: Vec<u8>, layers: Range<usize>) -> Slab {
        Slab {
            graph,
            marks,
            layers,
            is_changed: false,
            is_marked: false,
            before: None,
        }
    }

    /// The positions.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The sets of its positions if all stay.
    fn all(&self) -> Vec<u8> {
        vec![ByKey::ALL; self.graph.len()]
    }

    /// A position as it is: the plainest [`Record`].
    #[must_use]
    pub fn position(&self, id: NodeId) -> Position {
        self.graph.position(id)
    }

    /// The state of the positions when they were [remembered](Slabs::remember). Known in the last sweep only.
    ///
    /// # Panics
    /// Panics if they were not.
    #[must_use]
    pub fn before(&self) -> &Before {
        self.before.as_ref().expect("they were remembered")
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

    /// Whether it is the whole book: such a slab stays in memory.
    fn is_whole(&self) -> bool {
        self.layers == Layers::all()
    }

    /// The mark of a position.
    #[must_use]
    pub fn mark(&self, id: NodeId) -> u8 {
        self.marks.get(id.index()).copied().unwrap_or(0)
    }

    /// Whether the mark of each position has this bit.
    #[must_use]
    pub fn marked(&self, bit: u8) -> Vec<bool> {
        let ids = self.graph.ids();
        ids.map(|id| self.mark(id) & bit != 0).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negamax::{Scoring, negamax};
    use crate::passes::restore_passes;
    use crate::sort::spill::faults;
    use obook_testing::random_book::recipes;
    use obook_testing::samples::samples;

    /// Whatever was read, or the first error.
    type Done = Result<Vec<(Position, u8)>>;

    /// Uses slabs in all ways: positions come and go, and marks are kept.
    fn work(records: &[Position]) -> Done {
        let mut gathered = Gathered::within(0);
        for record in records {
            gathered.push(record.clone())?;
        }
        let (mut book, _) = Slabs::new(gathered)?;
        restore_passes(&mut book)?;
        book.sweep_up(|slab| {
            crate::link::link(slab.graph_mut())?;
            Ok(())
        })?;
        let own = 2;
        book.sweep_down(|slab| {
            let (graph, marks) = slab.graph_and_marks();
            for place in graph.unfrozen_places() {
                for child in graph.links(graph.id(place)).filter_map(|link| link.child) {
                    marks[child.index()] |= own;
                }
            }
            Ok(())
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
            new.for_each(|board| builder.push(Position::new(board, obook_othello::Engine::Edax)));
            Ok(())
        })?;
        book.scan(&mut look)?;
        book.retain(|mark| mark & ADDED == 0)?;
        book.remember();
        let rules = Scoring::Edax {
            midgame_error: 2,
            endcut_error: 1,
        };
        book.sweep_up(|slab| {
            negamax(slab.graph_mut(), rules);
            Ok(())
        })?;
        let changed = 2;
        let by_key = book.finish_in_sets(Slab::position, u64::MAX, |slab| {
            let differs = slab.graph().since(slab.before());
            let sets = differs
                .iter()
                .map(|it| ByKey::ALL | if it.any() { changed } else { 0 });
            Ok(sets.collect())
        })?;
        for set in [ByKey::ALL, changed] {
            for position in by_key.positions::<Error>(set)? {
                found.push((position?, set));
            }
        }
        Ok(found)
    }

    /// A temporary file that can't be read once changes nothing, or it is an error.
    ///
    /// Law (Crashes, untrusted books, concurrency): An unreadable temporary file is an error: nothing false is
    /// written or printed.
    /// Also: `cli/tests/program/faults/mod.rs` `a_change_was_made_or_was_not_whatever_fails`
    /// `nothing_false_is_printed_if_a_read_fails` `cli/tests/results.rs` `errors_are_neither_skipped_nor_counted`
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
