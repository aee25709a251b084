//! `obook shogi query`.

use crate::commands::query::{answer, seconds};
use crate::options::rows::Listing;
use crate::prelude::*;
use crate::sql::{Limit, Script, Session, param};
use obook_shogi::database::export::open;
use rusqlite::types::Value;
use std::time::Duration;

/// Query a book with SQL
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi query book.obook 'SELECT count(*) FROM positions WHERE value = 0'\n  \
    obook shogi query book.obook 'SELECT sfen(board), usi(best), value FROM positions' --json\n  \
    obook shogi query book.obook \"SELECT usi(move), score FROM links WHERE board = board('7g7f 3c3d')\"\n\n\
    schema.sql of obook-shogi describes the tables, docs/shogi.md the functions. Nothing can be written.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// SQL statements, separated by semicolons
    sql: String,
    /// Value for :NAME, @NAME or $NAME in the SQL; 1=VALUE for ?1
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, Value)>,
    #[command(flatten)]
    listing: Listing,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let limit = Limit::start(&arguments.book, arguments.timeout);
    let context = context::shown();
    let store = open(&arguments.book, &context)?;
    let mut session = Session::reading(&arguments.book, store)?;
    let listing = arguments.listing;
    let params = arguments.params.iter().cloned().collect();
    let manner = listing.look.manner(None, params);
    let script = Script::of(&arguments.sql);
    answer(&mut session, script, &manner, limit, listing, context)?;
    Ok(())
}
