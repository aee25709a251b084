//! The books that are served, and the threads that read them.

use crate::api::BookEntry;
use crate::problem::Problem;
use crate::stream::Lines;
use obook::guard::{Access, Guard};
use obook::write::import::into_store;
use obook::{Book, Context, Error, Lookup, Result, Store};
use obook_base::locked;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Questions that wait for a thread; beyond that the server is busy.
const WAITING: usize = 32;
/// The time between two looks at whether another process has changed the book.
const GLANCE: Duration = Duration::from_millis(250);
/// The most bytes of a value in SQL.
const LONGEST: i32 = 16 << 20;
/// SQLite's steps between two looks at the time.
const STRIDE: i32 = 1000;

/// Which threads answer a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// For questions of a few look-ups.
    Short,
    /// For questions that may read the whole book.
    Long,
}

impl Lane {
    /// The time limit of an answer.
    pub(crate) const fn limit(self) -> Duration {
        match self {
            Lane::Short => Duration::from_secs(5),
            Lane::Long => Duration::from_secs(60),
        }
    }
}

/// A book with its threads, which end with it.
pub(crate) struct Served {
    pub(crate) name: String,
    /// Its file; of a book that a browser sent, only the name.
    pub(crate) path: PathBuf,
    /// The bytes of a book that a browser sent.
    pub(crate) sent: Option<u64>,
    /// The threads of each lane.
    lanes: [Threads; 2],
    changes: Arc<Changes>,
    /// Tells versions of this server from those of an earlier one.
    epoch: u64,
}

type Job = Box<dyn FnOnce(&mut Desk) + Send>;

/// The threads of a lane, which end when this is dropped.
struct Threads {
    jobs: SyncSender<(Job, Arc<()>)>,
    /// A clone goes with each job until a thread takes it, so that those that wait can be counted.
    queue: Arc<()>,
}

/// A thread's connection to a book. Nothing can be written through it.
pub(crate) struct Desk {
    pub(crate) lookup: Lookup,
    /// `None` before the first answer.
    limit: Arc<Mutex<Option<Limit>>>,
    /// Keeps SQL from writing.
    pub(crate) guard: Guard,
}

/// When an answer ends early.
struct Limit {
    deadline: Instant,
    /// Gone when nobody is waiting for the answer any longer.
    waiting: Weak<()>,
}

impl Limit {
    /// Ends what a connection does when the answer ends.
    fn apply(limit: &Arc<Mutex<Option<Limit>>>, store: &mut Store) -> Result<()> {
        let limit = Arc::clone(limit);
        let is_over = move || locked(&limit).as_ref().is_some_and(Limit::is_over);
        let connection = store.connection_mut();
        let applied = connection.progress_handler(STRIDE, Some(is_over));
        applied.map_err(Error::sqlite(store.path(), "open"))
    }

    fn is_over(&self) -> bool {
        self.waiting.strong_count() == 0 || self.deadline <= Instant::now()
    }
}

impl Desk {
    pub(crate) fn new(mut store: Store) -> Result<Desk> {
        let limit = Arc::new(Mutex::new(None));
        Limit::apply(&limit, &mut store)?;
        let path = store.path().to_owned();
        let connection = store.connection_mut();
        let mut set_up = || {
            connection.set_limit(rusqlite::limits::Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
            Guard::install(connection, Access::ReadBook)
        };
        let guard = set_up().map_err(Error::sqlite(&path, "open"))?;
        Ok(Desk {
            lookup: Lookup::Database(store),
            limit,
            guard,
        })
    }

    pub(crate) fn store(&self) -> &Store {
        match &self.lookup {
            Lookup::Database(store) => store,
            Lookup::Memory(..) | Lookup::Temporary(..) => unreachable!("a desk has a database"),
        }
    }

    /// Another connection, to the book or another one, which ends what it does with the answer.
    pub(crate) fn reader_of(&self, book: &Served) -> Result<Store> {
        let mut reader = locked(&book.changes.seen).0.reader()?;
        Limit::apply(&self.limit, &mut reader)?;
        Ok(reader)
    }

    /// Whether the time is up, or nobody waits for the answer any more.
    pub(crate) fn is_over(&self) -> bool {
        locked(&self.limit).as_ref().is_some_and(Limit::is_over)
    }

    /// Answers a question within its limits, from one state of the book, which another program may have replaced.
    fn answer<T>(
        &mut self,
        limit: Limit,
        work: impl FnOnce(&Desk) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if !self.store().is_in_place() {
            *self = Desk::new(self.store().reader()?)?;
        }
        *locked(&self.limit) = Some(limit);
        let desk = &*self;
        let snapshot = desk.store().connection().unchecked_transaction()?;
        let answer = work(desk);
        // It has only read.
        drop(snapshot);
        match answer {
            Err(_) if desk.is_over() => Err(Problem::late()),
            answer => answer,
        }
    }
}

/// Held while someone waits for an answer.
pub(crate) type Waiting = Arc<()>;

impl Served {
    /// Opens a book. A file of another format is imported into a temporary database first.
    pub(crate) fn open(name: String, path: &Path, context: &Context) -> Result<Served> {
        let store = into_store(Book::open(path, context)?, context)?;
        Served::of(name, path, None, store)
    }

    /// Serves a database.
    pub(crate) fn of(name: String, path: &Path, sent: Option<u64>, store: Store) -> Result<Served> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        // Short questions, and long ones.
        let lanes = [spawn(&store, cores.clamp(2, 4))?, spawn(&store, 2)?];
        let version = store.version_of_others().ok();
        let changes = Arc::new(Changes {
            seen: Mutex::new((store, version)),
            count: AtomicI64::new(0),
        });
        let watched = Arc::downgrade(&changes);
        // Looks now and then until the book is gone.
        thread::spawn(move || {
            while let Some(changes) = watched.upgrade() {
                changes.look();
                drop(changes);
                thread::sleep(GLANCE);
            }
        });
        let epoch = std::time::UNIX_EPOCH.elapsed();
        let epoch = epoch.map_or(0, |since| since.as_nanos() as u64);
        Ok(Served {
            name,
            path: path.to_owned(),
            sent,
            lanes,
            changes,
            epoch,
        })
    }

    /// A text that changes whenever the book has changed.
    pub(crate) fn version(&self) -> String {
        let count = self.changes.count.load(Ordering::Acquire);
        format!("{:x}-{count}", self.epoch)
    }

    /// Looks for a new version of the book now.
    pub(crate) fn look(&self) {
        self.changes.look();
    }

    /// Lets a thread answer. If the future is dropped, the thread stops early.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&Desk) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        let _waiting = self.send(lane, lane.limit(), move |desk, limit| {
            // If nobody is waiting, drop the answer.
            let _ = reply.send(desk.answer(limit, work));
        })?;
        answer.await.unwrap_or_else(|_| Err(Problem::failed()))
    }

    /// Lets a thread write an answer line by line. It stops early when the result is dropped. If no thread is free within the
    /// limit, the server is busy.
    pub(crate) fn send_lines(
        &self,
        lane: Lane,
        limit: Duration,
        lines: Lines,
        work: impl FnOnce(&Desk, &mut Lines) -> Result<(), Problem> + Send + 'static,
    ) -> Result<Waiting, Problem> {
        let queue = Arc::downgrade(&self.lanes[lane as usize].queue);
        let asked = Instant::now();
        self.send(lane, limit, move |desk, until| {
            let mut lines = lines.within(Some(until.deadline), queue);
            let ended = match asked.elapsed() < limit {
                true => desk.answer(until, |desk| work(desk, &mut lines)),
                false => Err(Problem::busy()),
            };
            lines.end(ended);
        })
    }

    fn send(
        &self,
        lane: Lane,
        time: Duration,
        work: impl FnOnce(&mut Desk, Limit) + Send + 'static,
    ) -> Result<Waiting, Problem> {
        let asker = Waiting::default();
        let waiting = Arc::downgrade(&asker);
        let job: Job = Box::new(move |desk| {
            if waiting.strong_count() > 0 {
                let deadline = Instant::now() + time;
                work(desk, Limit { deadline, waiting });
            }
        });
        let Threads { jobs, queue } = &self.lanes[lane as usize];
        match jobs.try_send((job, Arc::clone(queue))) {
            Ok(()) => Ok(asker),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Problem::busy()),
        }
    }

    /// The entry in the list of books.
    pub(crate) async fn entry(&self) -> Result<BookEntry, Problem> {
        let on_disk = || std::fs::metadata(&self.path).map_or(0, |it| it.len());
        let bytes = self.sent.unwrap_or_else(on_disk);
        let (name, version, path) = (self.name.clone(), self.version(), self.path.clone());
        self.ask(Lane::Short, move |desk| {
            let store = desk.store();
            // A damaged book is listed, too: its pages name the damage.
            let has = |table: &str| {
                let sql = format!("SELECT EXISTS (SELECT * FROM {table})");
                let has = store.connection().query_row(&sql, [], |row| row.get(0));
                has.unwrap_or_default()
            };
            Ok(BookEntry {
                name,
                file: store.context().name_of(&path),
                bytes,
                copied: store.path() != path,
                positions: match has("positions") {
                    true => store.estimated_positions()?,
                    false => 0,
                },
                games: has("games"),
                version,
            })
        })
        .await
    }
}

/// Starts threads that answer questions until the sender is dropped.
fn spawn(store: &Store, count: usize) -> Result<Threads> {
    let (jobs, receiver) = sync_channel::<(Job, Arc<()>)>(WAITING);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..count {
        let mut desk = Desk::new(store.reader()?)?;
        let receiver = Arc::clone(&receiver);
        thread::spawn(move || {
            while let Some((job, queued)) = next(&receiver) {
                drop(queued);
                // A panic ends its question: the reply is dropped, and the transaction with it. The message
                // has been printed.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut desk)));
            }
        });
    }
    let queue = Arc::new(());
    Ok(Threads { jobs, queue })
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    locked(receiver).recv().ok()
}

/// Counts the changes of a book. Keeps its store open, which may be a temporary one.
struct Changes {
    /// The store, and the version that was seen last.
    seen: Mutex<(Store, Option<i64>)>,
    count: AtomicI64,
}

impl Changes {
    fn look(&self) {
        let mut seen = locked(&self.seen);
        let (store, last) = &mut *seen;
        if !store.is_in_place()
            && let Ok(other) = store.reader()
        {
            (*store, *last) = (other, None);
        }
        let now = store.version_of_others().ok();
        if now != *last {
            *last = now;
            self.count.fetch_add(1, Ordering::Release);
        }
    }
}

/// A name for a book in addresses that isn't taken: the name of the file without its ending, made distinct.
pub(crate) fn name(path: &Path, is_taken: impl Fn(&str) -> bool) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| match c {
        c if c.is_alphanumeric() || "-_.".contains(c) => c,
        _ => '-',
    };
    let stem: String = match &*stem {
        "" => String::from("book"),
        stem => stem.chars().map(plain).collect(),
    };
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut candidates = std::iter::once(stem.clone()).chain(numbered);
    let name = candidates.find(|name| !is_taken(name));
    name.expect("there are more numbers than books")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More questions panic than there are threads, and the book still answers.
    ///
    /// Law (The server): A panic ends one answer.
    #[test]
    fn a_panic_ends_its_question_only() {
        let (_folder, path) = obook_testing::imported::imported("games.dat");
        let book = Served::open(String::from("book"), &path, &Context::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            for lane in [Lane::Short, Lane::Long] {
                for _ in 0..8 {
                    let broken = book.ask(lane, |desk| -> Result<(), Problem> {
                        let _armed = desk.guard.arm();
                        panic!("as a test demands")
                    });
                    assert_eq!(broken.await, Err(Problem::failed()));
                }
                let positions = book.ask(lane, |desk| Ok(desk.store().counts()?.rows().positions));
                assert_eq!(positions.await, Ok(2247));
            }
        });
    }

    /// Elsewhere, an open file can't be replaced.
    #[cfg(unix)]
    #[test]
    fn a_book_that_takes_the_place_of_another_is_shown() {
        let (folder, path) = obook_testing::imported::imported("games.dat");
        let (_other, small) = obook_testing::imported::imported("edax/small.txt");
        let book = Served::open(String::from("book"), &path, &Context::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let count = || {
            let count = book.ask(Lane::Short, |desk| {
                Ok(desk.store().counts()?.rows().positions)
            });
            runtime.block_on(count)
        };
        let (before, version) = (count(), book.version());
        std::fs::rename(small, &path).unwrap();
        let after = count();
        assert_ne!(after.as_ref().unwrap(), before.as_ref().unwrap());
        book.look();
        assert_ne!(book.version(), version);
        std::fs::remove_file(&path).unwrap();
        assert!(count().is_err());
        drop(folder);
    }

    #[test]
    fn books_get_distinct_names_that_need_no_escapes() {
        let paths = [
            "a/book.obook",
            "b/book.dat",
            "c/my book?.obook",
            "d/本.obook",
        ];
        let mut names = Vec::new();
        for path in paths {
            names.push(name(path.as_ref(), |taken| {
                names.iter().any(|it| it == taken)
            }));
        }
        assert_eq!(names, ["book", "book-2", "my-book-", "本"]);
    }
}
