//! The books that come in.

use crate::write::import::sha256;
use crate::{Book, BookHeader, Context, Result, SortedBook, Store};
use obook_graph::sort::KWay;
use obook_model::{Position, RuleSet};
use obook_othello::CanonicalBoard;
use obook_store::Source;
use std::path::{Path, PathBuf};

/// A book that comes in.
pub(super) enum Incoming {
    /// It is in the book already: this very one came in before, or it is the book itself.
    Known(Source),
    /// It is new.
    New {
        /// Its counts are filled in as it is read.
        source: Source,
        records: SortedBook,
        /// About how many records there are, duplicates counted.
        expected: u64,
        /// Whether it leaves out the pass positions.
        lacks_passes: bool,
    },
}

impl Incoming {
    /// Reads what `store` has not taken in before, or, where it is `forced`, whatever it has. What a file has is sorted in
    /// about so many bytes.
    pub(super) fn open(
        path: &Path,
        store: &Store,
        forced: bool,
        budget: usize,
        context: &Context,
    ) -> Result<Incoming> {
        let book = Book::open(path, context)?;
        let BookHeader { format, rules, .. } = book.header()?;
        let is_file = matches!(book, Book::File(_));
        let source = Source {
            name: path.display().to_string(),
            format: match format {
                Some(format) if is_file => format,
                _ => String::from("obook"),
            },
            sha256: sha256(path)?,
            positions: 0,
            links: 0,
            leaves: 0,
            duplicates: 0,
        };
        if !forced && let Some(known) = store.source(&source.sha256)? {
            let name = source.name;
            return Ok(Incoming::Known(Source { name, ..known }));
        }
        if is_same(path, store.path()) {
            return Ok(Incoming::Known(source));
        }
        let records = book.sorted_records(budget, context.progress())?;
        Ok(Incoming::New {
            source,
            expected: records.estimated_positions()?,
            records,
            lacks_passes: is_file && rules == RuleSet::Egaroucid,
        })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| -> Option<PathBuf> { path.canonicalize().ok() };
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// The records of one board, each with the place of its book, in the order in which the books come in.
pub(super) type Records = Vec<(usize, Position)>;

/// The k-way merge of the books that come in: their records by board.
pub(super) struct ByBoard<'a> {
    books: Vec<Walk<'a>>,
    order: KWay<CanonicalBoard>,
}

/// What is left of a book.
struct Walk<'a> {
    place: usize,
    rest: Box<dyn Iterator<Item = Result<Position>> + Send + 'a>,
    head: Option<Position>,
}

impl Walk<'_> {
    /// Takes the record at the head.
    fn advance(&mut self) -> Result<Option<Position>> {
        let next = self.rest.next().transpose()?;
        Ok(std::mem::replace(&mut self.head, next))
    }
}

impl<'a> ByBoard<'a> {
    /// The books that are new, told by their places.
    pub(super) fn new(incoming: &'a [Incoming]) -> Result<ByBoard<'a>> {
        let mut books = Vec::new();
        for (place, book) in incoming.iter().enumerate() {
            if let Incoming::New { records, .. } = book {
                let mut walk = Walk {
                    place,
                    rest: records.positions()?,
                    head: None,
                };
                walk.advance()?;
                books.push(walk);
            }
        }
        let heads = books.iter().enumerate();
        let heads = heads.filter_map(|(run, walk)| Some((walk.head.as_ref()?.board, run)));
        Ok(ByBoard {
            order: KWay::new(heads),
            books,
        })
    }

    fn records_of(&mut self, board: CanonicalBoard) -> Result<Records> {
        let mut records = Records::new();
        while self.order.peek().is_some_and(|(next, _)| next == board) {
            let books = &mut self.books;
            self.order.next(|run| -> Result<_> {
                let walk = &mut books[run];
                let record = walk.advance()?;
                records.extend(record.map(|record| (walk.place, record)));
                Ok(walk.head.as_ref().map(|head| head.board))
            })?;
        }
        Ok(records)
    }
}

impl Iterator for ByBoard<'_> {
    type Item = Result<(CanonicalBoard, Records)>;

    fn next(&mut self) -> Option<Self::Item> {
        let (board, _) = self.order.peek()?;
        Some(self.records_of(board).map(|records| (board, records)))
    }
}
