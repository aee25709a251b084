//! Which boards a book may hold, answered from memory.
//!
//! The parents of a position are found by taking moves back, which gives some sixty boards of which the book holds
//! one or two. Looking up all of them is fine if few positions change. If many do, one pass over the keys builds
//! Bloom filters that answer nearly all of them: one for each range of keys, because threads that write to the same filter
//! spend their time on handing its memory to each other.
//!
//! The arena uses one bit of each board's hash instead (`crates/graph/src/arena`): it has that hash anyway, and a wrong
//! answer costs it a memory access, here a query.

use crate::{Context, Error, Result, Store};
use fastbloom::AtomicBloomFilter;
use foldhash::fast::RandomState;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::path::Path;

/// If more than one in this many positions changes, a pass over all keys costs less than the queries that it saves.
/// (A query takes about 1.5 µs, a key 0.1 µs, and a change needs about a hundred queries.)
const ONE_IN: u64 = 2048;

/// Share of boards wrongly taken for known; each costs a useless query.
const FALSE_POSITIVES: f64 = 0.01;

/// Key ranges for each thread, so that all finish at about the same time.
const RANGES: usize = 4;

/// Greater than every key.
const BEYOND: [u8; 17] = [u8::MAX; 17];

/// Which boards a book may hold.
pub enum KeyFilter {
    /// Any board.
    Any,
    /// The boards in the filters, and one in a hundred of the others.
    Filtered(Vec<Range>),
}

/// The keys from one to the next range's first.
pub struct Range {
    first: [u8; 16],
    filter: AtomicBloomFilter<RandomState>,
}

impl KeyFilter {
    /// A filter for a change of these positions, given in key order.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`](crate::StoreError::Sqlite).
    pub fn new(book: &Store, changing: &[CanonicalBoard]) -> Result<KeyFilter> {
        let most = book.most_positions()?;
        if changing.is_empty() || (changing.len() as u64) < most / ONE_IN {
            return Ok(KeyFilter::Any);
        }
        // The changed keys are spread about as those of the book are.
        let step = changing.len() / (RANGES * rayon::current_num_threads()) + 1;
        let mut borders: Vec<[u8; 16]> = changing
            .iter()
            .step_by(step)
            .map(|board| board.to_key())
            .collect();
        borders[0] = [0; 16];
        let expected = usize::try_from(most / borders.len() as u64).unwrap_or(usize::MAX);
        let (path, context) = (book.path(), book.context());
        let range = |(place, first): (usize, &[u8; 16])| {
            let filter = AtomicBloomFilter::with_false_pos(FALSE_POSITIVES)
                .hasher(RandomState::default())
                .expected_items(expected.max(1));
            let to = borders.get(place + 1).map_or(&BEYOND[..], |key| key);
            fill(path, context, first, to, &filter)?;
            Ok(Range {
                first: *first,
                filter,
            })
        };
        let ranges = borders.par_iter().enumerate().map(range);
        Ok(KeyFilter::Filtered(ranges.collect::<Result<_>>()?))
    }

    /// Adds a board to the book.
    pub fn add(&self, board: CanonicalBoard) {
        if let KeyFilter::Filtered(ranges) = self {
            let key = board.to_key();
            filter_of(ranges, key).insert(key.as_slice());
        }
    }

    /// Whether the book may hold a board. True for every board of the book, and for very few others.
    pub fn may_hold(&self, board: CanonicalBoard) -> bool {
        match self {
            KeyFilter::Any => true,
            KeyFilter::Filtered(ranges) => {
                let key = board.to_key();
                filter_of(ranges, key).contains(key.as_slice())
            }
        }
    }
}

/// The filter of a key's range. The first range begins with the smallest key.
fn filter_of(ranges: &[Range], key: [u8; 16]) -> &AtomicBloomFilter<RandomState> {
    let after = ranges.partition_point(|range| range.first <= key);
    &ranges[after - 1].filter
}

/// Adds every key from `from` to `to` (exclusive) to the filter.
fn fill(
    path: &Path,
    context: &Context,
    from: &[u8],
    to: &[u8],
    filter: &AtomicBloomFilter<RandomState>,
) -> Result<()> {
    let store = Store::open(path, context)?;
    let read = || {
        let sql = "SELECT board FROM positions WHERE board >= ? AND board < ?";
        let mut keys = store.connection().prepare(sql)?;
        let mut keys = keys.query(rusqlite::params![from, to])?;
        while let Some(row) = keys.next()? {
            filter.insert(row.get_ref(0)?.as_blob()?);
        }
        Ok(())
    };
    read().map_err(Error::sqlite(path, "read"))
}
