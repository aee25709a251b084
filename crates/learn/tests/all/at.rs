//! Operations on the book at a path: it is opened for one, and closed.

use obook::{Book, Context, Lookup, Store};
use obook_engine::wire::Question;
use obook_learn::complete::{SearchOptions, Searched};
use obook_learn::sample::{SampleOptions, Sampled};
use obook_learn::search::Start;
use obook_learn::{
    AnswersTaken, Hire, LearnOptions, Learned, Planned, Recipe, Result, Standing, Status,
};
use obook_othello::Engine;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

pub(super) fn learn(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    context: &Context,
    tell: &mut dyn FnMut(&Standing),
) -> Result<Learned> {
    let mut book = obook_learn::open_book(path, recipe, context)?;
    obook_learn::learn(&mut book, recipe, options, hire, tell)
}

pub(super) fn hand_out(
    path: &Path,
    recipe: &Recipe,
    most: usize,
    lease: Duration,
    engine: &dyn Fn(usize) -> Engine,
    context: &Context,
    give: &mut dyn FnMut(&[Question]) -> std::io::Result<()>,
) -> Result<()> {
    let mut book = obook_learn::open_book(path, recipe, context)?;
    obook_learn::hand_out(&mut book, recipe, most, lease, engine, give)
}

pub(super) fn plan(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    context: &Context,
) -> Result<Vec<Planned>> {
    let book = match path.exists() {
        true => Some(Book::open(path, context)?.into_database()?),
        false => None,
    };
    obook_learn::plan(book.as_ref(), recipe, options, hire, context)
}

pub(super) fn take_answers(
    path: &Path,
    file: &Path,
    dry_run: bool,
    context: &Context,
) -> Result<AnswersTaken> {
    obook_learn::take_answers(&mut Book::open_for_writing(path, context)?, file, dry_run)
}

pub(super) fn ask(
    path: &Path,
    leads: &[obook::read::why::Lead],
    level: Option<u8>,
    context: &Context,
) -> Result<u8> {
    obook_learn::ask(&mut Book::open_for_writing(path, context)?, leads, level)
}

pub(super) fn status(path: &Path, context: &Context) -> Result<Status> {
    Ok(obook_learn::status(
        &Book::open(path, context)?.into_database()?,
    )?)
}

pub(super) fn search(
    path: &Path,
    options: &SearchOptions,
    start: &Start<'_>,
    context: &Context,
    tell: &mut dyn FnMut(&obook_learn::complete::Standing),
) -> Result<Searched> {
    let mut book = Book::open_for_writing(path, context)?;
    obook_learn::complete::search(&mut book, options, start, tell)
}

pub(super) fn sample(
    path: &Path,
    options: &SampleOptions,
    start: &Start<'_>,
    context: &Context,
) -> Result<Sampled> {
    let book = Lookup::new(Book::open(path, context)?, context)?;
    obook_learn::sample::sample(&book, options, start, context)
}

/// Another command changes the database, beside the book.
pub(super) fn meddle(path: &Path) {
    let mut store = Store::open_for_writing(path, &Context::new("obook query")).unwrap();
    let change = store.change().unwrap();
    let sql = "CREATE TABLE IF NOT EXISTS marks (mark); INSERT INTO marks VALUES (1)";
    change.connection().execute_batch(sql).unwrap();
    change.commit(&()).unwrap();
}

/// A count of each change by a command that has it, and the number of the change.
pub(super) fn counted(path: &Path, command: &str, count: &str) -> Vec<(i64, i64)> {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT id, counts ->> ?2 FROM history
               WHERE command = ?1 AND counts ->> ?2 IS NOT NULL ORDER BY id";
    let mut select = connection.prepare(sql).unwrap();
    let counts = select.query_map([command, count], |row| Ok((row.get(0)?, row.get(1)?)));
    counts.unwrap().map(std::result::Result::unwrap).collect()
}
