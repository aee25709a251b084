//! A book as it is read.

use super::{ByKey, Result, Slab};
use crate::sort::{self, Layers};
use crate::{Graph, GraphBuilder};
use obook_othello::Position;
use std::ops::Range;

/// Records take at most one part in this many of the memory. The graph that is made of them takes the rest.
const RECORDS: u64 = 3;

/// Memory for a position of a slab in bytes, while the slab is made and changed: enough for a few links each.
const POSITION: u64 = 200;

/// Positions that are added from one look at the memory to the next.
const PART: usize = 1 << 14;

/// The positions of a book as they are read, in any order: in memory until they take too much of it, then in temporary files.
#[derive(Debug)]
pub struct Gathered {
    /// The positions in memory.
    pub(super) builder: GraphBuilder,
    /// The positions in temporary files.
    pub(super) layers: Layers,
    /// The number of records there that were combined with others before.
    pub(super) condensed: u64,
    /// The memory that all work on the book may use, in bytes.
    memory: u64,
    /// Positions since the last look at the memory.
    unseen: usize,
}

impl Gathered {
    /// Gathers a book whose reader, slabs and sorters may use `memory` bytes together.
    #[must_use]
    pub fn within(memory: u64) -> Gathered {
        Gathered {
            builder: Graph::builder(),
            layers: Layers::default(),
            condensed: 0,
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
    /// Returns [`Error`](super::Error) if a temporary file can't be written or read, or there are too many positions.
    pub fn sorted(mut self) -> Result<(ByKey, u64)> {
        self.stay_in_bounds()?;
        let mut duplicates = self.condensed;
        let mut by_key = ByKey::new(u64::MAX);
        for layers in self.slabs() {
            let positions = unspill(&mut self.builder, &mut self.layers, layers.clone())?;
            let (graph, more) = positions.sort()?;
            duplicates += more;
            let slab = Box::new(Slab::new(graph, Vec::new(), layers));
            let all = slab.all();
            by_key.take(slab, all, Slab::position)?;
        }
        Ok((by_key, duplicates))
    }

    /// The layers of each slab, from the end of the game up. With the layer below, a slab takes at most half of the memory, unless two
    /// layers take more. Positions in memory are one slab.
    pub(super) fn slabs(&self) -> Vec<Range<usize>> {
        let most = self.memory / 2 / POSITION;
        let mut slabs: Vec<Range<usize>> = Vec::new();
        let mut positions = 0;
        for empties in Layers::all() {
            let own = self.layers.count(empties);
            match slabs.last_mut() {
                Some(slab) if positions + own <= most => slab.end += 1,
                _ => {
                    let below = empties.checked_sub(1);
                    positions = below.map_or(0, |below| self.layers.count(below));
                    slabs.push(empties..empties + 1);
                }
            }
            positions += own;
        }
        slabs
    }

    /// Moves the positions to temporary files if they take too much memory, or others had to go there before.
    pub(super) fn stay_in_bounds(&mut self) -> sort::Result<()> {
        self.unseen = 0;
        let is_small = self.builder.bytes() as u64 <= self.memory / RECORDS;
        if is_small && self.layers.positions() == 0 {
            return Ok(());
        }
        let builder = std::mem::take(&mut self.builder);
        self.condensed += builder.condensed as u64;
        spill(builder, &mut self.layers)
    }
}

/// Moves the positions of a builder to temporary files.
pub(super) fn spill(builder: GraphBuilder, layers: &mut Layers) -> sort::Result<()> {
    let mut positions = builder.into_positions();
    positions.try_for_each(|position| layers.push(&position))
}

/// Takes the positions of some layers: those of a builder, if there are any, or those in temporary files.
pub(super) fn unspill(
    builder: &mut GraphBuilder,
    layers: &mut Layers,
    wanted: Range<usize>,
) -> sort::Result<GraphBuilder> {
    let mut builder = std::mem::take(builder);
    for empties in wanted {
        layers.each(empties, |position| builder.push(position))?;
    }
    Ok(builder)
}
