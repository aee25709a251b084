//! Changes from the page: each is what a command would do, and stands in the history as that command.

use crate::answers::line;
use crate::api::{EnterValue, Entered, Queued, Undo, Undone, Wanted};
use crate::problem::Problem;
use axum::http::StatusCode;
use obook::read::why::Lead;
use obook::write::edit::{Edit, edit};
use obook::{Book, Context, Error, StoreError};
use obook_base::shell;
use obook_learn::ask;
use obook_othello::levels::MAX_LEVEL;
// `Path` is a part of an address in the descriptions.
use std::path::Path as FilePath;
use std::time::Duration;

/// The time that a change waits for another process.
const PATIENCE: Duration = Duration::from_secs(2);

/// The context of a change that this command would make.
pub(crate) fn context(command: String) -> Context {
    Context::new(command).with_busy_timeout(PATIENCE, |_| ())
}

/// Checks that a book can be changed, if it is a database: book files are refused when someone tries.
pub(crate) fn is_possible(path: &FilePath, context: &Context) -> obook::Result<()> {
    match Book::open_for_writing(path, context) {
        Ok(_) | Err(Error::NotADatabase { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A change that is impossible, or has to wait, is no fault of the server.
pub(crate) fn refused(error: impl Into<Error>) -> Problem {
    let error = error.into();
    match error {
        Error::Store(StoreError::Busy { .. }) => {
            Problem::new(StatusCode::CONFLICT, error.to_string())
        }
        Error::NotADatabase { .. } | Error::Store(StoreError::Unfit { .. }) => {
            Problem::wrong(error)
        }
        other => other.into(),
    }
}

/// Enters or removes a person's value, as `obook edit`
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/value", params(("book" = String, Path)), request_body = EnterValue,
    responses((status = 200, body = Entered), (status = 400, body = crate::api::Failed), (status = 403, body = crate::api::Failed),
        (status = 409, body = crate::api::Failed))))]
pub(crate) fn value(path: &FilePath, asked: &EnterValue) -> Result<Entered, Problem> {
    let line = line(&asked.at)?;
    let (what, option) = match asked.value {
        Some(value) if !(-64..=64).contains(&value) => {
            return Err(Problem::wrong("expected a value from -64 to 64"));
        }
        Some(value) => (
            Edit::Enter(value),
            vec![String::from("--value"), value.to_string()],
        ),
        None => (Edit::Remove, vec![String::from("--remove")]),
    };
    let mut words = vec![String::from("edit"), path.display().to_string()];
    words.extend(Some(line.to_string()).filter(|line| !line.is_empty()));
    words.extend(option);
    let context = context(shell("obook", words));
    let mut store = Book::open_for_writing(path, &context).map_err(refused)?;
    let edited = edit(&mut store, &line, what).map_err(refused)?;
    Ok(Entered {
        before: edited.before,
        after: edited.after,
        ancestors: edited.ancestors,
    })
}

/// Queues searches of the positions of a line that the book lacks, for the next run of `obook learn`
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/line", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = crate::api::Failed), (status = 403, body = crate::api::Failed),
        (status = 409, body = crate::api::Failed))))]
pub(crate) fn add_line(path: &FilePath, asked: &Wanted) -> Result<Queued, Problem> {
    let line = line(&asked.at)?;
    let book = Book::open(path, &context(String::new())).map_err(refused)?;
    let boards = line.positions().map(|(board, _)| board);
    let boards = boards.filter(|board| !board.is_over() && !board.must_pass());
    let boards: Vec<_> = boards.map(|board| board.canonical()).collect();
    let known = book.find(&boards).map_err(refused)?;
    let missing = boards.iter().filter(|board| !known.contains_key(board));
    let leads: Vec<Lead> = missing.copied().map(Lead::Add).collect();
    if leads.is_empty() {
        return Err(Problem::wrong("the book has all positions of this line"));
    }
    queue(path, &leads, asked.level)
}

/// Queues a search of a position's moves out of the book, for the next run of `obook learn`
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/search", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = crate::api::Failed), (status = 403, body = crate::api::Failed),
        (status = 409, body = crate::api::Failed))))]
pub(crate) fn search(path: &FilePath, asked: &Wanted) -> Result<Queued, Problem> {
    let board = line(&asked.at)?.board();
    if board.is_over() || board.must_pass() {
        return Err(Problem::wrong("there is nothing to search here"));
    }
    let book = Book::open(path, &context(String::new())).map_err(refused)?;
    let known = book.find(&[board.canonical()]).map_err(refused)?;
    let lead = match known.is_empty() {
        true => Lead::Add(board.canonical()),
        false => Lead::Search(board.canonical()),
    };
    queue(path, &[lead], asked.level)
}

fn queue(path: &FilePath, leads: &[Lead], level: Option<u8>) -> Result<Queued, Problem> {
    if let Some(level) = level
        && level > MAX_LEVEL
    {
        let problem = format!("expected a level from 0 to {MAX_LEVEL}, found {level}");
        return Err(Problem::wrong(problem));
    }
    let mut book = Book::open_for_writing(path, &context(String::new())).map_err(refused)?;
    let level = ask(&mut book, leads, level).map_err(|error| match error {
        obook_learn::Error::Book(error) => refused(error),
        other => Problem::wrong(other),
    })?;
    Ok(Queued {
        searches: leads.len(),
        level,
    })
}

/// Undoes the last change, as `obook undo`
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/undo", params(("book" = String, Path)), request_body = Undo,
    responses((status = 200, body = Undone), (status = 400, body = crate::api::Failed), (status = 403, body = crate::api::Failed),
        (status = 409, body = crate::api::Failed))))]
pub(crate) fn undo(path: &FilePath, asked: &Undo) -> Result<Undone, Problem> {
    let mut store = Book::open_for_writing(path, &context(String::new())).map_err(refused)?;
    let undone = store.undo_if_last(asked.change).map_err(refused)?;
    let undone = undone.ok_or_else(|| {
        let problem = "another change was made since: look at the history again";
        Problem::new(StatusCode::CONFLICT, problem)
    })?;
    Ok(Undone {
        id: undone.id,
        command: undone.command,
    })
}
