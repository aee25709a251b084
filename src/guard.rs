//! The guard that lets SQL only read, unless writing was allowed.

use crate::database::OTHELLO;
use obook_base::locked;
use obook_sql::extension::reads_files;
use obook_store::logs_changes;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Whether SQL may change the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It may only read: the book, and book files that it names.
    Read,
    /// It may only read the book, no other files, and not learn the book's path: for SQL from a network.
    ReadBook,
    /// It may change the book, except for what only obook writes.
    Write,
}

impl Access {
    /// `Write` if writing is allowed, otherwise `Read`.
    #[must_use]
    pub fn of(write: bool) -> Access {
        if write { Access::Write } else { Access::Read }
    }
}

/// Why SQL was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It would write, but may only read.
    #[error("nothing can be written here")]
    Writing,
    /// It would attach another database.
    #[error("other files can't be opened here")]
    OtherFile,
    /// Another reason, in words.
    #[error("{0}")]
    Other(String),
}

/// Watches SQL while it is [armed](Guard::arm), and remembers why it refused.
///
/// ```
/// use obook::guard::{Access, Guard, Refusal};
/// # use rusqlite::Connection;
/// let mut connection = Connection::open_in_memory()?;
/// let guard = Guard::install(&mut connection, Access::Read)?;
/// let armed = guard.arm();
/// assert!(connection.execute("CREATE TABLE t (a)", ()).is_err());
/// assert_eq!(guard.take_refusal(), Some(Refusal::Writing));
/// drop(armed);
/// assert!(connection.execute("CREATE TABLE t (a)", ()).is_ok());
/// # Ok::<(), rusqlite::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Guard(Arc<State>);

#[derive(Debug)]
struct State {
    access: Access,
    armed: AtomicBool,
    refusal: Mutex<Option<Refusal>>,
}

/// Keeps the guard armed until this is dropped.
#[derive(Debug)]
pub struct Armed<'g>(&'g State);

/// Pragmas that change nothing, with or without an argument.
const INFORMING: &str = "
    collation_list compile_options data_version database_list foreign_key_check foreign_key_list freelist_count
    function_list index_info index_list index_xinfo integrity_check module_list page_count pragma_list quick_check
    table_info table_list table_xinfo";

/// Pragmas that change something only if they have an argument.
const SETTINGS: &str = "
    application_id cache_size encoding journal_mode page_size query_only schema_version user_version";

/// Tables that only obook writes.
const ACCOUNT: &str = "history undo row_counts played play_counts tasks learning learned";

/// Whether a name is one of a list.
fn is_one_of(list: &str, name: &str) -> bool {
    let mut names = list.split_ascii_whitespace();
    names.any(|it| it.eq_ignore_ascii_case(name))
}

/// Whether every book has this view.
#[must_use]
pub fn is_own_view(view: &str) -> bool {
    is_own("VIEW", view)
}

/// Whether the schema creates something of this kind and name.
fn is_own(kind: &str, name: &str) -> bool {
    let mut names = OTHELLO.names(kind);
    names.any(|own| own.eq_ignore_ascii_case(name))
}

impl Guard {
    /// The access that it allows.
    #[must_use]
    pub fn access(&self) -> Access {
        self.0.access
    }

    /// Installs the guard, which waits to be armed. From now on, texts in SQL need single quotes.
    ///
    /// # Errors
    /// Returns SQLite's error if it can't install it.
    pub fn install(connection: &mut Connection, access: Access) -> rusqlite::Result<Guard> {
        let guard = Guard(Arc::new(State {
            access,
            armed: AtomicBool::new(false),
            refusal: Mutex::new(None),
        }));
        let state = Arc::clone(&guard.0);
        // A misspelt "column" must not silently become a text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            let is_armed = state.armed.load(Ordering::Relaxed);
            let Some(reason) = is_armed.then(|| refusal(&context, access)).flatten() else {
                return Authorization::Allow;
            };
            *locked(&state.refusal) = Some(reason);
            Authorization::Deny
        }))?;
        Ok(guard)
    }

    /// Watches SQL until the result is dropped.
    #[must_use]
    pub fn arm(&self) -> Armed<'_> {
        self.0.armed.store(true, Ordering::Relaxed);
        Armed(&self.0)
    }

    /// Takes the reason of the last refusal.
    #[must_use]
    pub fn take_refusal(&self) -> Option<Refusal> {
        locked(&self.0.refusal).take()
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        self.0.armed.store(false, Ordering::Relaxed);
    }
}

/// The reason to refuse an action; `None` if it is allowed.
fn refusal(context: &AuthContext<'_>, access: Access) -> Option<Refusal> {
    use AuthAction as Action;
    let other = |reason: &str| Some(Refusal::Other(reason.to_owned()));
    match context.action {
        Action::Read { table_name, .. }
            if access == Access::ReadBook && reads_files(table_name) =>
        {
            other("files can't be read here")
        }
        Action::Function { function_name }
            if function_name.eq_ignore_ascii_case("load_extension") =>
        {
            other("extensions can't be loaded")
        }
        Action::Select | Action::Read { .. } | Action::Recursive | Action::Function { .. } => None,
        Action::Pragma {
            pragma_name,
            pragma_value,
        } => {
            if access == Access::ReadBook && is_one_of("database_list", pragma_name) {
                return other("the book's path isn't shown here");
            }
            let only_reads = pragma_value.is_none() && is_one_of(SETTINGS, pragma_name);
            let allowed = is_one_of(INFORMING, pragma_name) || only_reads;
            let problem = format!("PRAGMA {pragma_name} might change something and is not allowed");
            (!allowed).then_some(Refusal::Other(problem))
        }
        Action::Attach { .. } | Action::Detach { .. } => Some(Refusal::OtherFile),
        Action::Transaction { .. } | Action::Savepoint { .. } => other(
            "all statements already form one transaction: leave out BEGIN, COMMIT and SAVEPOINT",
        ),
        Action::Unknown { .. } => other("this is not allowed"),
        _ if access != Access::Write => Some(Refusal::Writing),
        // Triggers may write there; typed SQL may not.
        Action::Insert { table_name }
        | Action::Update { table_name, .. }
        | Action::Delete { table_name }
            if is_one_of(ACCOUNT, table_name) && context.accessor.is_none() =>
        {
            other(&format!("table {table_name} is written only by obook"))
        }
        _ => match (spoils(&context.action), context.database_name) {
            (Some(problem), _) => Some(Refusal::Other(problem)),
            (None, None | Some("main" | "temp")) => None,
            (None, Some(attached)) => other(&format!("{attached} is attached for reading only")),
        },
    }
}

/// Why a change of the schema would spoil the book; `None` if it wouldn't.
fn spoils(action: &AuthAction<'_>) -> Option<String> {
    use AuthAction as Action;
    let dropped = |kind: &str, name: &str| {
        let problem = "is part of every book and can't be changed";
        is_own(kind, name).then(|| format!("{} {name} {problem}", kind.to_lowercase()))
    };
    match *action {
        Action::DropTable { table_name } | Action::AlterTable { table_name, .. } => {
            dropped("TABLE", table_name)
        }
        Action::DropIndex { index_name, .. } => dropped("INDEX", index_name),
        Action::DropTrigger { trigger_name, .. } => dropped("TRIGGER", trigger_name),
        Action::DropView { view_name } => dropped("VIEW", view_name),
        // The triggers of a table go with it, if a user made it.
        Action::DropTempTrigger {
            trigger_name,
            table_name,
        } => (logs_changes(trigger_name) && is_own("TABLE", table_name))
            .then(|| format!("trigger {trigger_name} logs changes for undo and must stay")),
        // A temporary one would hide the book's table, even from obook.
        Action::CreateTempTable { table_name: name }
        | Action::CreateTempView { view_name: name }
        | Action::CreateVtable {
            table_name: name, ..
        } => is_own("TABLE", name)
            .then(|| format!("every book has a table {name}; choose another name")),
        _ => None,
    }
}
