//! A book as it is read.

use super::by_key::{ByKey, Collected};
use super::{Error, Slab};
use crate::sort::{self, Layers};
use crate::{Graph, GraphBuilder};
use obook_model::Position;

/// Records take at most one part in this many of the memory. The graph that is made of them takes the rest.
const RECORDS: u64 = 3;

/// Positions that are added from one look at the memory to the next.
const PART: usize = 1 << 14;

/// The positions of a book as they are read, in any order: in memory until they take too much of it, then in temporary files.
#[derive(Debug)]
pub struct Gathered {
    pub(super) records: Records,
    /// What all work on the book may use, in bytes.
    pub(super) memory: u64,
    /// Positions since the last look at the memory.
    unseen: usize,
}

#[derive(Debug)]
pub(super) enum Records {
    Memory(GraphBuilder),
    Disk {
        layers: Layers,
        /// The number of records that were combined with others before.
        condensed: u64,
    },
}

impl Gathered {
    /// Gathers a book whose reader, slabs and sorters may use `memory` bytes together.
    #[must_use]
    pub fn within(memory: u64) -> Gathered {
        Gathered {
            records: Records::Memory(Graph::builder()),
            memory,
            unseen: 0,
        }
    }

    /// Adds a position.
    ///
    /// # Errors
    /// Returns [`sort::Error`] if a temporary file can't be written.
    pub fn push(&mut self, position: Position) -> sort::Result<()> {
        match &mut self.records {
            Records::Disk { layers, .. } => layers.push(&position),
            Records::Memory(builder) => {
                builder.push(position);
                self.unseen += 1;
                match self.unseen {
                    PART => self.stay_in_bounds(),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Adds all positions of a builder.
    ///
    /// # Errors
    /// As [`Gathered::push`].
    pub fn append(&mut self, part: GraphBuilder) -> sort::Result<()> {
        match &mut self.records {
            Records::Disk { layers, .. } => spill(part, layers),
            Records::Memory(builder) => {
                builder.append(part);
                self.stay_in_bounds()
            }
        }
    }

    /// All positions by key, and how many duplicates there were. Nothing is linked.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written or read, or there are too many positions.
    pub fn sorted(mut self) -> Result<(ByKey, u64), Error> {
        self.stay_in_bounds()?;
        let (mut layers, mut duplicates) = match self.records {
            Records::Disk { layers, condensed } => (layers, condensed),
            Records::Memory(builder) => {
                let (graph, report) = builder.sort()?;
                return Ok((ByKey::of(graph), report.duplicates));
            }
        };
        let mut collected = Collected::new(self.memory, u64::MAX);
        for empties in Layers::all() {
            let mut builder = Graph::builder();
            for position in layers.read(empties)? {
                builder.push(position?);
            }
            let (graph, report) = builder.sort()?;
            duplicates += report.duplicates;
            let slab = Slab::new(graph, Vec::new(), empties..empties + 1);
            collected.take(&slab, &slab.all(), Slab::position)?;
        }
        Ok((collected.finish()?, duplicates))
    }

    /// Moves all positions to temporary files if they take too much memory.
    pub(super) fn stay_in_bounds(&mut self) -> sort::Result<()> {
        self.unseen = 0;
        match &mut self.records {
            Records::Memory(builder) if builder.bytes() as u64 > self.memory / RECORDS => {
                let builder = std::mem::take(builder);
                let condensed = builder.condensed() as u64;
                let mut layers = Layers::default();
                spill(builder, &mut layers)?;
                self.records = Records::Disk { layers, condensed };
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Moves the positions of a builder to temporary files.
pub(super) fn spill(builder: GraphBuilder, layers: &mut Layers) -> sort::Result<()> {
    let mut positions = builder.into_positions();
    positions.try_for_each(|position| layers.push(&position))
}
