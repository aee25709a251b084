//! The context of an operation, beside its arguments.

use crate::opening::Unlocked;
use crate::{Error, Result, Store};
use obook_base::{Progress, Scratches};
use rusqlite::ErrorCode;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a writer waits before it reports that it is waiting.
const SILENT: Duration = Duration::from_secs(1);

/// The first pause of a writer that waits.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// The pause of one that has waited for a second or more.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

/// The circumstances of an operation: the command that the history names for it, where its progress is shown, how much memory
/// it may use, and how long it waits for other processes.
///
/// Everything that is opened with a context keeps a copy of it. Copies are cheap, and share the progress and the list of
/// unfinished files.
///
/// ```
/// use obook_store::Context;
/// use std::time::Duration;
///
/// let context = Context::new("my-program --grow book.obook")
///     .with_memory(1 << 30)
///     .with_busy_timeout(Duration::from_secs(5), |sentence| eprintln!("{sentence}"));
/// assert_eq!(context.command(), "my-program --grow book.obook");
/// ```
#[derive(Clone, Default)]
pub struct Context(Arc<Settings>);

#[derive(Clone)]
struct Settings {
    command: String,
    progress: Arc<Progress>,
    memory: Option<u64>,
    busy_timeout: Duration,
    report_busy: Arc<dyn Fn(&str) + Send + Sync>,
    scratches: Arc<Scratches>,
    unlocked: Arc<Unlocked>,
    name: Option<(PathBuf, String)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            command: String::new(),
            progress: Arc::default(),
            memory: None,
            busy_timeout: Duration::from_secs(60),
            report_busy: Arc::new(|_| ()),
            scratches: Arc::default(),
            unlocked: Arc::default(),
            name: None,
        }
    }
}

impl Context {
    /// A context for this command. Without more settings no progress is shown, there is no memory limit, and writers wait for
    /// up to a minute, silently.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Context {
        Context::default().with_command(command)
    }

    /// Sets the command.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Context {
        Arc::make_mut(&mut self.0).command = command.into();
        self
    }

    /// Shows progress.
    #[must_use]
    pub fn with_progress(mut self, progress: Progress) -> Context {
        Arc::make_mut(&mut self.0).progress = Arc::new(progress);
        self
    }

    /// Limits the memory of operations that can work through temporary files, in bytes; `None`: no limit.
    #[must_use]
    pub fn with_memory(mut self, bytes: impl Into<Option<u64>>) -> Context {
        Arc::make_mut(&mut self.0).memory = bytes.into();
        self
    }

    /// Sets how long writers wait for another process that is writing to the same database. After a second of waiting,
    /// `report` gets a sentence that says so.
    #[must_use]
    pub fn with_busy_timeout(
        mut self,
        limit: Duration,
        report: impl Fn(&str) + Send + Sync + 'static,
    ) -> Context {
        let settings = Arc::make_mut(&mut self.0);
        settings.busy_timeout = limit;
        settings.report_busy = Arc::new(report);
        self
    }

    /// Gives the file at `path` another name in reports and among the sources of a book.
    #[must_use]
    pub fn with_name(mut self, path: impl Into<PathBuf>, name: impl Into<String>) -> Context {
        Arc::make_mut(&mut self.0).name = Some((path.into(), name.into()));
        self
    }

    /// The name of the file at `path`: its path, or what [`Context::with_name`] says.
    #[must_use]
    pub fn name_of(&self, path: &Path) -> String {
        match &self.0.name {
            Some((named, name)) if named == path => name.clone(),
            _ => path.display().to_string(),
        }
    }

    /// The command that the history names for changes.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.0.command
    }

    /// The display of progress.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        &self.0.progress
    }

    /// The memory limit in bytes, if there is one.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        self.0.memory
    }

    /// Checks that no write-protected database changed while it was read with this context. Such a database is read without
    /// locks, so a change would make the result worthless. Call this when everything has been read.
    ///
    /// The check compares the file's size and time, which a network share may update some seconds late.
    ///
    /// # Errors
    /// Returns [`Error::Unfit`] if one did.
    pub fn check_unchanged(&self) -> Result<()> {
        self.0.unlocked.check()
    }

    /// Removes all unfinished files of this context. For a process that is about to exit in the middle of its work; values
    /// that are dropped remove theirs themselves.
    pub fn remove_unfinished(&self) {
        self.0.scratches.remove_all();
    }

    pub(crate) fn scratches(&self) -> &Arc<Scratches> {
        &self.0.scratches
    }

    pub(crate) fn unlocked(&self) -> &Unlocked {
        &self.0.unlocked
    }
}

impl Store {
    /// Makes an attempt that may have to wait for other processes; an error message says that it can't do `doing`.
    pub(crate) fn wait<T>(
        &self,
        doing: &'static str,
        attempt: impl Fn() -> rusqlite::Result<T>,
    ) -> Result<T> {
        let settings = &*self.context.0;
        let limit = settings.busy_timeout;
        let is_busy =
            |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        let begun = Instant::now();
        let mut report_at = Some(SILENT).filter(|at| *at < limit);
        let mut ask = || {
            self.connection.busy_timeout(Duration::ZERO)?;
            loop {
                let done = attempt();
                let waited = begun.elapsed();
                if !done.as_ref().is_err_and(is_busy) || waited >= limit {
                    return done;
                }
                if report_at.take_if(|at| waited >= *at).is_some() {
                    (settings.report_busy)(&format!(
                        "{}: another process is writing; waiting up to {} s",
                        self.path.display(),
                        limit.as_secs()
                    ));
                }
                thread::sleep(pause(waited).min(limit - waited));
            }
        };
        let done = ask();
        let reset = self.connection.busy_timeout(SILENT.min(limit));
        reset.map_err(self.failed(doing))?;
        done.map_err(|error| match is_busy(&error) {
            true => Error::Busy {
                path: self.path.clone(),
                waited: limit,
            },
            false => self.failed(doing)(error),
        })
    }
}

/// The pause of a writer that has `waited` this long, before it asks again. The longer it has waited, the more often it asks, so that of
/// several writers the one that came first is likely to be next. (SQLite's own pauses grow, which favours latecomers.)
fn pause(waited: Duration) -> Duration {
    let since = 5.0 * waited.as_secs_f64();
    LONGEST_PAUSE
        .div_f64(1.0 + since * since)
        .max(SHORTEST_PAUSE)
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("command", &self.0.command)
            .field("progress", &self.0.progress)
            .field("memory", &self.0.memory)
            .field("busy_timeout", &self.0.busy_timeout)
            .finish_non_exhaustive()
    }
}
