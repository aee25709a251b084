//! The book in memory, from one wave to the next.

use foldhash::HashMap;
use obook_book::{Book, Error, Progress, Result, Store, load};
use obook_graph::{Graph, TooLarge};
use obook_model::Position;
use obook_othello::CanonicalBoard;
use std::cmp::Reverse;

/// If more than one in this many positions have changed, the book is read again,
const LARGE_PART: usize = 8;
/// unless they are fewer than this.
const FEW: usize = 1 << 12;

/// The book that rules look at. It is read once and then kept up to date: to read a million positions for each wave takes longer
/// than to search a small wave.
#[derive(Default)]
pub(crate) struct InMemory(Option<Known>);

struct Known {
    book: Graph,
    /// Positions that differ from those in `book` or are missing there.
    changed: HashMap<CanonicalBoard, Position>,
    /// The [version](Store::version_of_others) of the file before it was read.
    version: i64,
}

impl InMemory {
    /// These positions are what the connection that [`book`](InMemory::book) is given has committed; `None`: any may have changed.
    pub(crate) fn note(&mut self, changed: Option<Vec<Position>>) {
        let Some(changed) = changed else {
            self.0 = None;
            return;
        };
        let Some(known) = &mut self.0 else { return };
        let changed = changed
            .into_iter()
            .map(|position| (position.board, position));
        known.changed.extend(changed);
        if known.changed.len() > FEW.max(known.book.len() / LARGE_PART) {
            self.0 = None;
        }
    }

    /// The book as it is now, including changes by others.
    ///
    /// # Errors
    /// Fails if it can't be read or has more positions than fit in memory.
    pub(crate) fn book(&mut self, store: &Store) -> Result<&Graph> {
        let version = store.version_of_others()?;
        let known = self.0.take().filter(|known| known.version == version);
        let mut known = match known {
            Some(known) => known,
            None => Known {
                book: load(&Book::Database(store.reader()?), &Progress::hidden())?,
                changed: HashMap::default(),
                version,
            },
        };
        known.catch_up().map_err(Error::too_large(store.path()))?;
        Ok(&self.0.insert(known).book)
    }
}

impl Known {
    /// Applies the changes to the book.
    fn catch_up(&mut self) -> std::result::Result<(), TooLarge> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let mut keep = vec![true; self.book.len()];
        let mut new = Graph::builder();
        for (board, mut position) in self.changed.drain() {
            if let Some(id) = self.book.find(board) {
                keep[id.index()] = false;
            }
            // As they are read.
            position
                .links
                .sort_unstable_by_key(|link| (Reverse(link.score), link.mv));
            new.push(position);
        }
        let (new, _) = new.finish()?;
        self.book.revise(|_, id| keep[id.index()], &new)
    }
}
