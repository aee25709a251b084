//! The book that rules look at, from one wave to the next.

use foldhash::HashMap;
use obook::{Book, Context, Error, Progress, Result, Store, load_in_slabs};
use obook_graph::slabs::Slabs;
use obook_othello::{CanonicalBoard, Position};

/// If more than one in this many positions have changed since the last wave, or are new since the book was read, it is read again,
const LARGE_PART: u64 = 8;
/// unless they are fewer than this.
const FEW: u64 = 1 << 12;
/// It is read again, too, if more than this many have changed: they wait in memory.
const MANY: u64 = 1 << 18;

/// The book that rules look at. It is read once and then kept up to date: to read a million positions for each wave takes longer than
/// to search a small wave.
pub(crate) struct Kept {
    known: Option<Known>,
    /// Limits the memory.
    context: Context,
}

struct Known {
    book: Slabs,
    /// The number of positions when it was read.
    positions: u64,
    /// Positions that differ from those in `book` or are missing there.
    changed: HashMap<CanonicalBoard, Position>,
    /// The [version](Store::version_of_others) of the file before it was read.
    version: i64,
}

impl Kept {
    pub(crate) fn new(context: &Context) -> Kept {
        Kept {
            known: None,
            context: context.clone().with_progress(Progress::hidden()),
        }
    }

    /// These positions are what the connection that [`book`](Kept::book) is given has committed; `None`: any may have changed.
    pub(crate) fn note(&mut self, changed: Option<Vec<Position>>) {
        let Some((mut known, changed)) = self.known.take().zip(changed) else {
            return;
        };
        let by_board = |position: Position| (position.board, position);
        known.changed.extend(changed.into_iter().map(by_board));
        let most = FEW.max(known.positions / LARGE_PART);
        let new = known.book.len().saturating_sub(known.positions);
        // Otherwise the book is read again.
        if known.changed.len() as u64 <= most.min(MANY) && new <= most {
            self.known = Some(known);
        }
    }

    /// The book as it is now, including changes by others.
    ///
    /// # Errors
    /// Fails if it can't be read, if temporary files can't be written, or if a slab is too large for memory.
    pub(crate) fn book(&mut self, store: &Store) -> Result<&mut Slabs> {
        let version = store.version_of_others()?;
        let known = self.known.take().filter(|known| known.version == version);
        let mut known = match known {
            Some(known) => known,
            None => {
                let book = load_in_slabs(&Book::Database(store.reader()?), &self.context)?;
                Known {
                    positions: book.len(),
                    book,
                    changed: HashMap::default(),
                    version,
                }
            }
        };
        if !known.changed.is_empty() {
            // As they would be read.
            let changed = known.changed.drain().map(|(_, mut position)| {
                position.sort_links();
                position
            });
            let replaced = known.book.replace(changed);
            replaced.map_err(Error::of_slabs(store.path()))?;
        }
        Ok(&mut self.known.insert(known).book)
    }
}
