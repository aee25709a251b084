//! The positions of a book by key, after a last sweep.

use super::{Result, Slab};
use crate::NodeId;
use crate::sort::{self, spill::Run};
use itertools::Either;
use obook_base::{KWay, UntilError};
use obook_othello::Position;

/// Makes a record of a position of a slab.
pub type Record = fn(&Slab, NodeId) -> Position;

/// The positions of a book by key, in sets. They can be read any number of times.
#[derive(Debug)]
pub struct ByKey {
    /// A slab that is the whole book.
    whole: Option<Whole>,
    /// The sorted runs of each set, one for each slab in temporary files; `None` if the set is too large to be kept.
    sets: Vec<Option<Vec<Run>>>,
    counts: [u64; SETS],
    most: u64,
}

#[derive(Debug)]
struct Whole {
    slab: Box<Slab>,
    /// The sets of each position.
    sets: Vec<u8>,
    record: Record,
}

/// The number of sets.
const SETS: usize = u8::BITS as usize;

impl ByKey {
    /// The set of all positions that stay in the book.
    pub const ALL: u8 = 1;

    /// Nothing yet. Sets but [`ByKey::ALL`] will be kept if they have at most `most` positions.
    pub(super) fn new(most: u64) -> ByKey {
        ByKey {
            whole: None,
            sets: [const { Some(Vec::new()) }; SETS].into(),
            counts: [0; SETS],
            most,
        }
    }

    /// Takes the positions of a slab that are not frozen, given the sets of each.
    pub(super) fn take(&mut self, slab: Box<Slab>, sets: Vec<u8>, record: Record) -> Result<()> {
        let graph = slab.graph();
        for of_position in &sets[graph.unfrozen_places()] {
            numbers(*of_position).for_each(|set| self.counts[set] += 1);
        }
        if slab.is_whole() {
            self.whole = Some(Whole { slab, sets, record });
            return Ok(());
        }
        for (set, runs) in self.sets.iter_mut().enumerate() {
            if self.counts[set] > self.most && set != number(ByKey::ALL) {
                *runs = None;
            }
            if let Some(runs) = runs {
                runs.push(Run::default());
            }
        }
        for id in graph.ids_by_key().filter(|id| !graph.is_frozen(*id)) {
            let sets = sets[id.index()];
            if sets == 0 {
                continue;
            }
            let position = record(&slab, id);
            for set in numbers(sets) {
                let runs = self.sets[set].as_mut();
                if let Some(run) = runs.and_then(|runs| runs.last_mut()) {
                    run.push(&position)?;
                }
            }
        }
        Ok(())
    }

    /// The number of positions in a set.
    #[must_use]
    pub fn len(&self, set: u8) -> u64 {
        self.counts[number(set)]
    }

    /// The positions of a set by key.
    ///
    /// # Errors
    /// Returns [`sort::Error`] if a temporary file can't be read.
    ///
    /// # Panics
    /// Panics if the set was too large to be kept: see [`Slabs::finish_in_sets`](super::Slabs::finish_in_sets).
    pub fn positions<E: From<sort::Error> + Send>(
        &self,
        set: u8,
    ) -> sort::Result<impl Iterator<Item = Result<Position, E>> + Send + use<'_, E>> {
        let parts = self.parts(set)?;
        Ok(parts.flat_map(|part| match part {
            Ok((_, positions)) => Either::Left(positions.map(Ok)),
            Err(error) => Either::Right(std::iter::once(Err(error.into()))),
        }))
    }

    /// The positions of a set by key, in parts for parallel work, each with the number of its positions.
    ///
    /// # Errors
    /// As [`ByKey::positions`].
    ///
    /// # Panics
    /// As [`ByKey::positions`].
    pub fn parts(
        &self,
        set: u8,
    ) -> sort::Result<
        impl Iterator<Item = sort::Result<(usize, impl Iterator<Item = Position> + Send + '_)>> + Send,
    > {
        let is_kept = set == ByKey::ALL || self.len(set) <= self.most;
        assert!(is_kept, "only small sets are kept");
        let in_memory = self
            .whole
            .iter()
            .flat_map(move |Whole { slab, sets, record }| {
                slab.graph().parts().map(move |part| {
                    let is_in = move |place: usize| sets[place] & set != 0;
                    let count = part.places().filter(|place| is_in(*place)).count();
                    let ids = part.filter(move |id| is_in(id.index()));
                    Ok((count, Either::Left(ids.map(move |id| record(slab, id)))))
                })
            });
        let runs = self.sets[number(set)].as_deref();
        let mut positions = merged(runs.unwrap_or_default())?;
        let in_files = std::iter::from_fn(move || {
            let part: sort::Result<Vec<Position>> = positions.by_ref().take(PART).collect();
            let part = part.map(|part| (part.len(), Either::Right(part.into_iter())));
            match part {
                Ok((0, _)) => None,
                part => Some(part),
            }
        });
        Ok(in_memory.chain(in_files))
    }
}

/// The positions of sorted runs by key.
fn merged(runs: &[Run]) -> sort::Result<impl Iterator<Item = sort::Result<Position>> + Send> {
    let mut rests: Vec<_> = runs.iter().map(Run::read).collect();
    let mut heads = Vec::with_capacity(rests.len());
    for rest in &mut rests {
        heads.push(rest.next().transpose()?);
    }
    let boards = heads.iter().enumerate();
    let boards =
        boards.filter_map(|(run, head): (_, &Option<Position>)| Some((head.as_ref()?.board, run)));
    let mut order = KWay::new(boards);
    Ok(UntilError::new(std::iter::from_fn(move || {
        let mut taken = None;
        let run = order.next(|run| -> sort::Result<_> {
            let next = rests[run].next().transpose()?;
            let board = next.as_ref().map(|next| next.board);
            taken = std::mem::replace(&mut heads[run], next);
            Ok(board)
        });
        run.map(|_| taken).transpose()
    })))
}

/// Positions of a book in temporary files in a part.
const PART: usize = 1 << 13;

/// The number of a set, given its bit.
fn number(set: u8) -> usize {
    assert!(set.is_power_of_two(), "a set is one bit");
    set.trailing_zeros() as usize
}

/// The numbers of these sets.
fn numbers(sets: u8) -> impl Iterator<Item = usize> {
    (0..SETS).filter(move |set| sets & 1 << set != 0)
}
