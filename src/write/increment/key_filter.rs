//! Answers from memory whether a book may hold a board.
//!
//! The parents of a position are found by taking moves back, which gives some sixty boards of which the book holds
//! one or two. Looking up all of them is fine if few positions change. If many do, one pass over the keys builds
//! Bloom filters that answer nearly all of them: one for each range of keys, because threads that write to the same filter
//! spend their time on handing its memory to each other.
//!
//! The arena uses one bit of each board's hash instead (`crates/graph/src/arena`): it has that hash anyway, and a wrong
//! answer costs it a memory access, here a query.

use crate::{Result, Store};
use fastbloom::AtomicBloomFilter;
use foldhash::fast::RandomState;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// If more than one in this many positions changes, a pass over all keys costs less than the queries that it saves.
/// (A query takes about 1.5 µs, a key 0.1 µs, and a change needs about a hundred queries.)
const ONE_IN: u64 = 2048;

/// Share of boards wrongly taken for known; each costs a useless query.
const FALSE_POSITIVES: f64 = 0.01;

/// Key ranges for each thread, so that all finish at about the same time.
const RANGES: usize = 4;

/// The fewest keys of a range: opening a connection takes as long as reading these.
const KEYS: u64 = 1 << 14;

/// Greater than every key.
const BEYOND: [u8; 17] = [u8::MAX; 17];

/// The boards that a book may hold: all that it does hold, and one in a hundred of the others.
pub struct KeyFilter(Vec<Range>);

/// The keys from one to the next range's first.
struct Range {
    first: [u8; 16],
    filter: AtomicBloomFilter<RandomState>,
}

impl KeyFilter {
    /// Any board: there are no filters.
    pub const ANY: KeyFilter = KeyFilter(Vec::new());

    /// A filter for a change of these positions, given in key order.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`](crate::StoreError::Sqlite).
    pub fn new(book: &Store, changing: &[CanonicalBoard]) -> Result<KeyFilter> {
        let most = book.most_positions()?;
        if changing.is_empty() || (changing.len() as u64) < most / ONE_IN {
            return Ok(KeyFilter::ANY);
        }
        let ranges = (RANGES * rayon::current_num_threads()).min((most / KEYS) as usize + 1);
        // The changed keys are spread about as those of the book are.
        let step = changing.len() / ranges + 1;
        let borders = changing.iter().step_by(step).map(|board| board.to_key());
        let mut borders: Vec<[u8; 16]> = borders.collect();
        borders[0] = [0; 16];
        KeyFilter::in_ranges(book, &borders, most)
    }

    /// A filter in ranges that begin with these keys. If there are several, each is read through a connection of its own.
    fn in_ranges(book: &Store, borders: &[[u8; 16]], most: u64) -> Result<KeyFilter> {
        if let [first] = borders {
            let all = Range::read(book, *first, &BEYOND, most)?;
            return Ok(KeyFilter(vec![all]));
        }
        let expected = most / borders.len() as u64;
        let (path, context) = (book.path(), book.context());
        let range = |(place, first): (usize, &[u8; 16])| {
            let to = borders.get(place + 1).map_or(&BEYOND[..], |key| key);
            Range::read(&Store::open(path, context)?, *first, to, expected)
        };
        let ranges = borders.par_iter().enumerate().map(range);
        ranges.collect::<Result<_>>().map(KeyFilter)
    }

    /// Adds a board to the book.
    pub fn add(&self, board: CanonicalBoard) {
        let key = board.to_key();
        if let Some(filter) = self.filter_of(key) {
            filter.insert(key.as_slice());
        }
    }

    /// Whether the book may hold a board. True for every board of the book, and for very few others.
    pub fn may_hold(&self, board: CanonicalBoard) -> bool {
        let key = board.to_key();
        let filter = self.filter_of(key);
        filter.is_none_or(|filter| filter.contains(key.as_slice()))
    }

    /// The filter of a key's range, if there are filters. The first range begins with the smallest key.
    fn filter_of(&self, key: [u8; 16]) -> Option<&AtomicBloomFilter<RandomState>> {
        let after = self.0.partition_point(|range| range.first <= key);
        Some(&self.0[after.checked_sub(1)?].filter)
    }
}

impl Range {
    /// Reads the keys of a book from `first` to `to` (exclusive); `expected` is about their number.
    fn read(book: &Store, first: [u8; 16], to: &[u8], expected: u64) -> Result<Range> {
        let filter = AtomicBloomFilter::with_false_pos(FALSE_POSITIVES)
            .hasher(RandomState::default())
            .expected_items(usize::try_from(expected.max(1)).unwrap_or(usize::MAX));
        book.read(|connection| {
            let sql = "SELECT board FROM positions WHERE board >= ? AND board < ?";
            let mut keys = connection.prepare_cached(sql)?;
            let mut keys = keys.query(rusqlite::params![first, to])?;
            while let Some(row) = keys.next()? {
                filter.insert(row.get_ref(0)?.as_blob()?);
            }
            Ok(())
        })?;
        Ok(Range { first, filter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use obook_testing::imported::imported;

    /// Books of other tests are small: their filters have one range.
    #[test]
    fn ranges_know_all_boards_and_few_others() {
        let (_folder, path) = imported("games.dat");
        let book = Store::open(&path, &Context::default()).unwrap();
        let sql = "SELECT board FROM positions ORDER BY board";
        let mut keys = book.connection().prepare(sql).unwrap();
        let keys = keys.query_map([], |row| row.get(0)).unwrap();
        let keys: Vec<[u8; 16]> = keys.map(Result::unwrap).collect();
        for ranges in [1, 2, 7] {
            let step = keys.len() / ranges + 1;
            let mut borders: Vec<_> = keys.iter().copied().step_by(step).collect();
            assert_eq!(borders.len(), ranges);
            borders[0] = [0; 16];
            let filter = KeyFilter::in_ranges(&book, &borders, keys.len() as u64).unwrap();
            let (mut others, mut mistaken) = (0, 0);
            for key in &keys {
                let board = CanonicalBoard::from_key(*key).unwrap().unwrap();
                assert!(filter.may_hold(board), "{board:?}");
                for (_, child) in board.board().children() {
                    let child = child.canonical();
                    if keys.binary_search(&child.to_key()).is_err() {
                        others += 1;
                        mistaken += u32::from(filter.may_hold(child));
                    }
                }
            }
            assert!(others > 5_000, "{others}");
            assert!(mistaken < others / 20, "{mistaken} of {others}");
        }
    }
}
