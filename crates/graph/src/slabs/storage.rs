//! Holds the slabs of a book between visits, in memory or in temporary files.

use super::{Error, LAYERS, Slab};
use crate::{Graph, GraphBuilder};
use std::fmt;
use std::ops::Range;

/// Finds new positions in a slab: see [`Slabs::grow`](super::Slabs::grow).
pub(super) type Find<'a> = &'a mut dyn FnMut(&Slab, &mut GraphBuilder) -> Result<(), Error>;

/// Holds the slabs of a book between visits.
pub(super) trait Storage: fmt::Debug + Send + Sync {
    /// The number of positions.
    fn len(&self) -> u64;

    /// The layers of each slab, from the end of the game up.
    fn slabs(&self) -> Vec<Range<usize>>;

    /// Brings a slab to memory.
    fn load(&mut self, layers: Range<usize>) -> Result<Slab, Error>;

    /// Takes a slab back, with what changed in it.
    fn store(&mut self, slab: Slab) -> Result<(), Error>;

    /// Takes a slab back in the last sweep up. The next slab needs its top layer; the room of those below is given back.
    fn retire(&mut self, slab: Slab) -> Result<(), Error>;

    /// See [`Slabs::grow`](super::Slabs::grow).
    fn grow(&mut self, find: Find<'_>) -> Result<(), Error>;

    /// Remembers what all positions are now.
    fn remember(&mut self);

    /// Tells a slab that was loaded what its positions were when they were remembered.
    fn recall(&mut self, slab: &mut Slab) -> Result<(), Error>;

    /// All positions as one slab, if they are in memory.
    fn in_memory(&mut self) -> Option<&mut Slab>;
}

/// The only slab of a book, in memory.
#[derive(Debug)]
pub(super) struct InMemory {
    /// `None` while it is visited.
    slab: Option<Slab>,
}

impl InMemory {
    pub(super) fn new(graph: Graph) -> InMemory {
        InMemory {
            slab: Some(Slab::new(graph, Vec::new(), LAYERS)),
        }
    }

    fn slab(&mut self) -> &mut Slab {
        self.slab.as_mut().expect(ONE_VISIT)
    }
}

const ONE_VISIT: &str = "a slab is back after its visit";

impl Storage for InMemory {
    fn len(&self) -> u64 {
        self.slab.as_ref().expect(ONE_VISIT).graph.len() as u64
    }

    fn slabs(&self) -> Vec<Range<usize>> {
        vec![LAYERS]
    }

    fn load(&mut self, _: Range<usize>) -> Result<Slab, Error> {
        Ok(self.slab.take().expect(ONE_VISIT))
    }

    fn store(&mut self, slab: Slab) -> Result<(), Error> {
        self.slab = Some(slab);
        Ok(())
    }

    fn retire(&mut self, _: Slab) -> Result<(), Error> {
        Ok(())
    }

    fn grow(&mut self, find: Find<'_>) -> Result<(), Error> {
        let slab = self.slab();
        let mut builder = Graph::builder();
        find(slab, &mut builder)?;
        Ok(slab.add(&builder.finish()?.0)?)
    }

    fn remember(&mut self) {
        let slab = self.slab();
        slab.before = Some(slab.graph.remember());
    }

    fn recall(&mut self, _: &mut Slab) -> Result<(), Error> {
        Ok(())
    }

    fn in_memory(&mut self) -> Option<&mut Slab> {
        self.slab.as_mut()
    }
}
