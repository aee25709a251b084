//! `obook shogi diff`.

use crate::commands::diff::rows;
use crate::prelude::*;
use obook_shogi::database::diff::{Diff, diff};
use obook_shogi::database::export::open;
use obook_shogi::database::view::words;
use obook_store::Error;

/// Show the differences between two books
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi diff old.obook new.obook\n  \
    obook shogi diff user_book1.db peta_shock.db --rows 100\n\n\
    Moves and comments are compared as files have them, values if both books are fixed. The exit status is 0 if the books are equal, 1 if \
    they differ, and 2 if one of them can't be read.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_name = "A", add = Standard)]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B", add = Standard)]
    second: PathBuf,
    /// Number of differences to show, or “all”
    #[arg(long, value_name = "N", default_value = "10", value_parser = rows)]
    rows: usize,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The most moves or comments of one book to show of a position.
const LINES: usize = 5;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    compare(arguments)
        .map_err(Failure::from)
        .and_then(|diff| verdict(&diff, arguments.json, diff.differences() > 0, describe))
        .map_err(Failure::apart)
}

fn compare(arguments: &Arguments) -> Result<Diff, Error> {
    let context = context::quiet().with_memory(arguments.memory.bytes());
    let open = |book: &Path| open(book, &context);
    let (first, second) = (open(&arguments.first)?, open(&arguments.second)?);
    diff(&first, &second, arguments.rows)
}

fn describe(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let both = count(diff.common, "position[|s]");
    let first = count(diff.only_first, "position[|s]");
    writeln!(out, "{first} only in A, {} only in B", diff.only_second)?;
    writeln!(
        out,
        "{both} in both: {} with other moves, {} with other comments, {} with other values",
        diff.other_moves, diff.other_comments, diff.other_values
    )?;
    for row in &diff.rows {
        let value = |it: Option<i32>| it.map_or(String::from("?"), |it| words(it, None));
        let [a, b] = row.values.map(value);
        let what = match row.what {
            "first" => String::from("only in A"),
            "second" => String::from("only in B"),
            "value" => format!("value {a} in A, {b} in B"),
            what => format!("other {what}"),
        };
        writeln!(out, "  {}  {what}", row.sfen)?;
        for (book, lines) in ["A", "B"].into_iter().zip(row.lines.iter().flatten()) {
            for line in lines.iter().take(LINES) {
                writeln!(out, "    only in {book}: {}", in_line(line))?;
            }
            if let more @ 1.. = lines.len().saturating_sub(LINES) {
                writeln!(out, "    only in {book}: {more} more (--json has all)")?;
            }
        }
    }
    match diff.differences() - diff.rows.len() as u64 {
        more @ 1.. if !diff.rows.is_empty() => {
            writeln!(out, "… and {more} more (--rows all shows them)")
        }
        _ => Ok(()),
    }
}
