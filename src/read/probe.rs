//! Look-ups from any number of threads, in the orientation of the board that is asked about.

use crate::read::lookup::Find;
use crate::{Book, Context, Lookup, Result, Store};
use obook_base::locked;
use obook_graph::Graph;
use obook_othello::{Board, CanonicalBoard, Position};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A book for the searches of an engine: any number of threads ask one `&Probe` at the same time.
///
/// A database is asked on as many connections as threads ask at once. A look-up is one query, which sees all changes committed before
/// it, and reads the file through memory that is mapped to it: a disk that fails meanwhile ends the process, as it does with any file
/// that is mapped. A [book in memory](Lookup::Memory) answers fifty times as fast.
///
/// ```
/// use obook::{Context, Line, Probe};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// let probe = Probe::open(path, &Context::default())?;
/// let board = "f5d6".parse::<Line>()?.board();
/// std::thread::scope(|scope| {
///     for child in board.children().map(|(_, child)| child) {
///         let probe = &probe;
///         scope.spawn(move || probe.position(child));
///     }
/// });
/// let found = probe.position(board)?.expect("it is in the book");
/// let (best, score) = found.moves().next().unwrap();
/// assert!(board.play(best).is_some() && score == Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Probe(Source);

#[derive(Debug)]
enum Source {
    Database(Pool),
    Memory(Graph),
}

/// Connections to one database. A temporary database is there as long as the first of them.
#[derive(Debug)]
struct Pool {
    path: PathBuf,
    context: Context,
    idle: Mutex<Vec<Store>>,
}

/// The bytes of a file that are mapped: all that SQLite maps at most.
const MAPPED: i64 = i32::MAX as i64;

impl Probe {
    /// Opens a book for look-ups, as [`Lookup::new`] prepares it.
    ///
    /// # Errors
    /// As [`Book::open`] and [`Lookup::new`].
    pub fn open(path: impl AsRef<Path>, context: &Context) -> Result<Probe> {
        Probe::of(Lookup::new(Book::open(path, context)?, context)?)
    }

    /// The same book, for many threads.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn of(book: Lookup) -> Result<Probe> {
        Ok(Probe(match book {
            Lookup::Memory(graph, _) => Source::Memory(graph),
            Lookup::Database(store) | Lookup::Temporary(store, _) => Source::Database(Pool {
                path: store.path().to_owned(),
                context: store.context().clone(),
                idle: Mutex::new(vec![mapped(store)?]),
            }),
        }))
    }

    /// The position of a board, with all moves in the orientation of this board; `None` if the book doesn't have it.
    ///
    /// # Errors
    /// As [`Store::position`].
    pub fn position(&self, board: Board) -> Result<Option<Position<Board>>> {
        let found = self.find(board.canonical())?;
        Ok(found.map(|position| position.on(board)))
    }
}

impl Find for Probe {
    fn find(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        match &self.0 {
            Source::Database(pool) => pool.with(|store| store.position(board)),
            Source::Memory(graph) => Ok(graph.find(board).map(|id| graph.position(id))),
        }
    }

    fn repetition(&self) -> Result<i8> {
        match &self.0 {
            Source::Database(pool) => pool.with(Store::repetition),
            Source::Memory(_) => Ok(0),
        }
    }
}

impl Pool {
    /// Asks on a connection that no other thread uses.
    fn with<T>(&self, ask: impl FnOnce(&Store) -> Result<T>) -> Result<T> {
        let idle = || locked(&self.idle);
        let store = idle().pop();
        let store = match store {
            Some(store) => store,
            None => mapped(Store::open(&self.path, &self.context)?)?,
        };
        let answer = ask(&store);
        idle().push(store);
        answer
    }
}

/// Maps the file into memory: a look-up reads a few pages of each of three tables, and otherwise each would take a system call.
/// SQLite would check all cells of a mapped page whenever it is used, which would take half of a look-up. The rows that a look-up finds
/// are still checked, and damage can't spread, because nothing is written.
fn mapped(store: Store) -> Result<Store> {
    let set = |name, value: i64| store.connection().pragma_update(None, name, value);
    let mapped = set("mmap_size", MAPPED).and_then(|()| set("cell_size_check", 0));
    mapped.map_err(store.failed("read"))?;
    Ok(store)
}
