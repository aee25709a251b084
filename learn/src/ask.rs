//! Searches that a person asks for, before any rule chooses.

use super::Want;
use super::queue::{Queue, Task, links_in};
use obook_book::read::why::Lead;
use obook_book::{Book, Error, Result, Store};
use obook_graph::mapping::demands::MAX_LEVEL;
use std::path::Path;

/// Puts searches into the queue of the database at `path`, at this level or else the book's; returns the level. The next run makes
/// them first, whatever its recipe and its engine are, and no other change of the book takes them out of the queue.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Unfit`] where the book says no level; and where the book can't be read or written.
pub fn ask(path: &Path, leads: &[Lead], level: Option<u8>) -> Result<u8> {
    let mut book = Book::open_for_writing(path, "teach")?;
    let own = book.header()?.header.level;
    let level = level.or_else(|| u8::try_from(own?).ok());
    let level = level.filter(|level| *level <= MAX_LEVEL).ok_or_else(|| {
        let problem = format!(
            "the book does not say at which level it is searched: name one, 0 to {MAX_LEVEL}"
        );
        Error::unfit(path, problem)
    })?;
    let tasks = leads.iter().map(|lead| {
        let (board, want) = match *lead {
            Lead::Add(board) => (board, Want::Position),
            Lead::Search(board) => (board, Want::Leaf),
        };
        let without = links_in(&book, board)?;
        Ok(Task {
            board,
            want,
            without,
            level,
        })
    });
    let tasks = tasks.collect::<Result<Vec<Task>>>()?;
    write(&mut book, &tasks)?;
    Ok(level)
}

/// The book may have changed since a person asked.
pub(crate) fn renew_asked(book: &mut Store) -> Result<()> {
    let asked = Queue(book.connection()).asked();
    let mut asked = asked.map_err(Error::sqlite(book.path(), "read"))?;
    for task in &mut asked {
        task.without = links_in(book, task.board)?;
    }
    write(book, &asked)
}

fn write(book: &mut Store, asked: &[Task]) -> Result<()> {
    let path = book.path().to_owned();
    book.aside(|connection| {
        let ask = |task| Queue(connection).ask(task);
        asked
            .iter()
            .try_for_each(ask)
            .map_err(Error::sqlite(&path, "write"))
    })
}
