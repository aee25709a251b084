//! A book in temporary files.

use super::{ADDED, Result, Slab};
use crate::Graph;
use crate::arena::Before;
use crate::sort::Layers;
use std::ops::Range;

/// A book in temporary files.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) layers: Layers,
    /// The numbers of positions by layer before others were added.
    settled: Vec<u64>,
    /// The layers that changed since they were remembered, as they were then; `None` if nothing is remembered.
    pub(super) before: Option<Layers>,
}

impl Files {
    pub(super) fn new(layers: Layers) -> Files {
        Files {
            settled: Layers::all().map(|empties| layers.count(empties)).collect(),
            layers,
            before: None,
        }
    }

    /// The state of a loaded slab before the sweep.
    pub(super) fn before(&mut self, slab: &Slab) -> Result<Option<Before>> {
        let Some(before) = &mut self.before else {
            return Ok(None);
        };
        if slab.layers().all(|empties| before.count(empties) == 0) {
            return Ok(Some(slab.graph.remember()));
        }
        let mut builder = Graph::builder();
        for id in slab.graph.ids().take_while(|id| slab.graph.is_frozen(*id)) {
            builder.push(slab.graph.record(id));
        }
        for empties in slab.layers() {
            let layers = match before.count(empties) {
                0 => &mut self.layers,
                _ => &mut *before,
            };
            layers.each(empties, |it| builder.push(it))?;
        }
        Ok(Some(builder.finish()?.0.remember()))
    }

    /// The marks of some layers; none if there are none.
    fn marks(&mut self, layers: impl Iterator<Item = usize>, graph: &Graph) -> Result<Vec<u8>> {
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

    /// Stores what changed in some layers of a slab: positions, and marks including those of the layer below the slab.
    pub(super) fn store(&mut self, slab: &Slab, layers: Range<usize>) -> Result<()> {
        let graph = &slab.graph;
        if slab.is_changed {
            for empties in layers.clone() {
                match &mut self.before {
                    Some(before) if before.count(empties) == 0 => {
                        before.take_over(&mut self.layers, empties);
                    }
                    _ => self.layers.clear(empties)?,
                }
                for place in graph.layer(empties) {
                    self.layers.push(&graph.record(graph.id(place)))?;
                }
                self.settled[empties] = self.layers.count(empties);
            }
        }
        // Storing positions removed their marks.
        if slab.is_marked || slab.is_changed {
            let below = (layers.start == slab.layers.start).then(|| layers.start.checked_sub(1));
            for empties in below.flatten().into_iter().chain(layers) {
                let places = graph.layer(empties);
                let marks = slab.marks.get(places).unwrap_or_default();
                if !marks.is_empty() {
                    assert_eq!(self.settled[empties], marks.len() as u64);
                    self.layers.set_marks(empties, marks)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a slab, and the numbers and leaves of the layer below it.
    pub(super) fn load(&mut self, layers: Range<usize>) -> Result<Slab> {
        let below = layers.start.checked_sub(1);
        let mut builder = Graph::builder();
        if let Some(below) = below {
            self.layers.each(below, |mut position| {
                position.links.clear();
                builder.push(position);
            })?;
        }
        for empties in layers.clone() {
            self.layers.each(empties, |it| builder.push(it))?;
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

    /// Takes a slab back in the last sweep up. The next slab needs its top layer; the room of those below is given back.
    pub(super) fn retire(&mut self, slab: &Slab) -> Result<()> {
        let Range { start, end } = slab.layers();
        let top = end - 1;
        self.store(slab, top..end)?;
        for empties in start.saturating_sub(1)..top {
            self.layers.clear(empties)?;
            if let Some(before) = &mut self.before {
                before.clear(empties)?;
            }
        }
        Ok(())
    }
}
