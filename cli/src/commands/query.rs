//! `obook query`: SQL in, rows out.

use crate::options::rows::{Asking, say_rows};
use crate::options::values::in_seconds;
use crate::output::unreported;
use crate::prelude::*;
use crate::sql::{Access, Answered, Limit, Manner, Problem, Script, Session, notes, param, tokens};
use obook::Error;
use obook_base::open_file;
use rusqlite::types::Value;
use std::io::IsTerminal;

const EXAMPLES: &str = "Examples:
  obook query book.obook 'SELECT empties, count(*) FROM positions GROUP BY empties'
  obook query book.dat 'SELECT * FROM book' --format csv
  obook query book.obook \"SELECT square, kind, score FROM moves('f5d6')\"
  obook query book.obook \"SELECT line, value FROM tree('f5', 4, 1) WHERE ply = 5\"
  obook query book.obook 'SELECT count(*) FROM positions WHERE level >= :level' --param level=21
  obook query book.obook -f questions.sql --timeout 10
  obook query new.obook 'SELECT board FROM positions EXCEPT SELECT board FROM old.positions' --attach old=old.dat
  echo 'SELECT * FROM sources;' | obook query book.obook --json

schema.sql describes the tables, docs/functions.md the functions of boards and moves; docs/sql.md answers common questions. \
A book file is read row by row if the SQL goes through each table once, as counts, sums and lists do; otherwise it is imported into \
a temporary database first. Nothing is written without --write; after a change, `obook fix` brings the rest of the book into \
line; `obook games remove`, not SQL, removes games. A value of --param is a decimal number, NULL, 'text' or x'00ff' as in SQL; \
anything else is taken as text. With --json, each \
statement with rows writes an array of its own.

On a terminal, tables keep to its width: long texts are cut with …, and if there are too many columns, each value gets its own line. \
The number of rows and the time follow. Long answers go to a pager: the program in OBOOK_PAGER, else in PAGER, else less. \
--no-pager or an empty variable turns it off. Output to a pipe or a file is unaffected.";

/// Query a book with SQL
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// SQL statements, separated by semicolons; if missing or -, they are read from standard input
    #[arg(allow_hyphen_values = true)]
    sql: Option<String>,
    /// Read the SQL from a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "sql")]
    file: Option<PathBuf>,
    /// Value for :NAME, @NAME or $NAME in the SQL; 1=VALUE for ?1
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, Value)>,
    #[command(flatten)]
    asking: Asking,
    /// Let the SQL change the book, in one transaction with an entry in the book's history
    #[arg(long)]
    write: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "expected a number")?;
    in_seconds(seconds)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sql = read_sql(arguments)?;
    explain_mix_up(&arguments.book, &sql)?;
    for note in notes(&sql) {
        say(format_args!("obook: note: {note}"));
    }
    if arguments.write {
        refuse_starter(&arguments.book)?;
    }
    let limit = Limit::start(&arguments.book, arguments.timeout);
    let (attach, context) = (&arguments.asking.attach, context::shown());
    let access = Access::of(arguments.write);
    let mut session = Session::open(&arguments.book, Some(&sql), access, attach, &context)?;
    let params = arguments.params.iter().cloned().collect();
    let script = Script {
        sql: &sql,
        file: arguments.file.as_deref(),
        lines_before: 0,
    };
    let listing = arguments.asking.listing;
    let format = listing.look.format();
    let boards = arguments.asking.boards.then(|| format.drawn());
    let manner = listing.look.manner(boards, params);
    let answered = answer(&mut session, script, &manner, limit, listing, context)?;
    // On standard error, because another program may read the answer.
    if arguments.write {
        say(format_args!("rows changed: {}", answered.changed));
    }
    Ok(())
}

/// Shows the answer of a book of any game.
pub(crate) fn answer(
    session: &mut Session,
    script: Script<'_>,
    manner: &Manner,
    limit: Limit,
    listing: Listing,
    context: Context,
) -> Result<Answered, Failure> {
    context.progress().step("answering", None);
    let mut out = listing.out(context);
    let answered = session.answer(script, manner, limit, &mut out);
    // Rows that came before an error are shown before it.
    let finished = out.finish();
    let (answered, told) = answered?;
    let paged = match told.and(finished).map_err(Failure::from) {
        Err(failure) if answered.is_change => {
            unreported(&failure);
            return Ok(answered);
        }
        told => told?,
    };
    say_rows(&answered, manner, paged);
    Ok(answered)
}

/// Refuses what can't be meant: the book after the SQL, and commands of the shell.
fn explain_mix_up(book: &Path, sql: &str) -> Result<(), Failure> {
    if !book.exists() && Path::new(sql).is_file() {
        let words = [Path::new("query"), Path::new(sql), book];
        let problem = format!("the book comes first, then the SQL: `{}`", command(words));
        return Err(Failure::file(book, problem));
    }
    if let Some(word) = sql.split_whitespace().next()
        && let Some(name) = word.strip_prefix('.')
        && !name.starts_with(|c: char| c.is_ascii_digit())
    {
        let shell = command([Path::new("shell"), book]);
        let problem = format!("{word} is a command of the shell, not SQL: start it with `{shell}`");
        return Err(Failure::file(book, problem));
    }
    Ok(())
}

/// Reads the SQL from the argument, the file or standard input.
fn read_sql(arguments: &Arguments) -> Result<String, Failure> {
    let sql = match (&arguments.file, arguments.sql.as_deref()) {
        (Some(file), _) => open_file(file)
            .and_then(io::read_to_string)
            .map_err(Error::io(file, "read SQL from"))?,
        (None, Some(sql)) if sql != "-" => sql.to_owned(),
        (None, None) if io::stdin().is_terminal() => String::new(),
        (None, _) => io::read_to_string(io::stdin())
            .map_err(Error::io(Path::new("standard input"), "read SQL from"))?,
    };
    if tokens::statements(&sql).is_empty() && !arguments.book.exists() {
        let problem = "no such file; the book comes first, then the SQL, such as `obook query book.obook 'SELECT * FROM book'`";
        return Err(Failure::file(&arguments.book, problem));
    }
    if tokens::statements(&sql).is_empty() {
        let problem = "no SQL; give it as an argument, with -f FILE or on standard input";
        return Err(Problem::new(&arguments.book, problem).into());
    }
    Ok(sql)
}
