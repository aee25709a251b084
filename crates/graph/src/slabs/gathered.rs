//! A book as it is read.

use super::by_key::{ByKey, Collected};
use super::{Error, Slab, Slabs};
use crate::sort::{self, Layers};
use crate::{Graph, GraphBuilder};
use itertools::Either;
use obook_othello::Position;

/// Records take at most one part in this many of the memory. The graph that is made of them takes the rest.
const RECORDS: u64 = 3;

/// Positions that are added from one look at the memory to the next.
const PART: usize = 1 << 14;

/// The positions of a book as they are read, in any order: in memory until they take too much of it, then in temporary files.
#[derive(Debug)]
pub struct Gathered {
    /// The positions in memory.
    builder: GraphBuilder,
    /// The positions in temporary files, if any had to go there.
    spilled: Option<Spilled>,
    /// The memory that all work on the book may use, in bytes.
    pub(super) memory: u64,
    /// Positions since the last look at the memory.
    unseen: usize,
}

/// Positions in temporary files.
#[derive(Debug, Default)]
pub(super) struct Spilled {
    pub(super) layers: Layers,
    /// The number of records that were combined with others before.
    pub(super) condensed: u64,
}

impl Gathered {
    /// Gathers a book whose reader, slabs and sorters may use `memory` bytes together.
    #[must_use]
    pub fn within(memory: u64) -> Gathered {
        Gathered {
            builder: Graph::builder(),
            spilled: None,
            memory,
            unseen: 0,
        }
    }

    /// Adds a position.
    ///
    /// # Errors
    /// Returns [`sort::Error`] if a temporary file can't be written.
    pub fn push(&mut self, position: Position) -> sort::Result<()> {
        self.builder.push(position);
        self.unseen += 1;
        match self.unseen {
            PART => self.stay_in_bounds(),
            _ => Ok(()),
        }
    }

    /// Adds all positions of a builder.
    ///
    /// # Errors
    /// As [`Gathered::push`].
    pub fn append(&mut self, part: GraphBuilder) -> sort::Result<()> {
        self.builder.append(part);
        self.stay_in_bounds()
    }

    /// All positions by key, and how many duplicates there were. Nothing is linked.
    ///
    /// # Errors
    /// Returns [`Error`] if a temporary file can't be written or read, or there are too many positions.
    pub fn sorted(self) -> Result<(ByKey, u64), Error> {
        let (mut layers, mut duplicates) = match self.finish()? {
            Either::Left(builder) => {
                let (graph, duplicates) = builder.sort()?;
                let sorted = Slabs::from(graph).finish(Slab::position, |_| Ok::<_, Error>(()));
                return Ok((sorted?, duplicates));
            }
            Either::Right(Spilled { layers, condensed }) => (layers, condensed),
        };
        let mut collected = Collected::new(u64::MAX);
        for empties in Layers::all() {
            let mut builder = Graph::builder();
            layers.each(empties, |it| builder.push(it))?;
            let (graph, more) = builder.sort()?;
            duplicates += more;
            let slab = Slab::new(graph, Vec::new(), empties..empties + 1);
            collected.take(&slab, &slab.all(), Slab::position)?;
        }
        Ok((collected.finish(), duplicates))
    }

    /// All positions: in memory, or all in temporary files.
    pub(super) fn finish(mut self) -> sort::Result<Either<GraphBuilder, Spilled>> {
        self.stay_in_bounds()?;
        Ok(match self.spilled {
            None => Either::Left(self.builder),
            Some(spilled) => Either::Right(spilled),
        })
    }

    /// Moves the positions to temporary files if they take too much memory, or others had to go there before.
    fn stay_in_bounds(&mut self) -> sort::Result<()> {
        self.unseen = 0;
        if self.spilled.is_none() && self.builder.bytes() as u64 <= self.memory / RECORDS {
            return Ok(());
        }
        let builder = std::mem::take(&mut self.builder);
        let spilled = self.spilled.get_or_insert_default();
        spilled.condensed += builder.condensed as u64;
        spill(builder, &mut spilled.layers)
    }
}

/// Moves the positions of a builder to temporary files.
pub(super) fn spill(builder: GraphBuilder, layers: &mut Layers) -> sort::Result<()> {
    let mut positions = builder.into_positions();
    positions.try_for_each(|position| layers.push(&position))
}
