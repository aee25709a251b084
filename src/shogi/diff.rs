//! `obook shogi diff`.

use crate::context;
use crate::failure::Failure;
use crate::output::answer;
use obook_shogi_book::diff::diff;
use obook_shogi_book::export::open;
use obook_shogi_book::view::words;
use std::path::PathBuf;

/// Show the differences between two books
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi diff old.obook new.obook\n  \
    obook shogi diff user_book1.db peta_shock.db --rows 100\n\n\
    Moves are compared as files list them, values if both books are fixed.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Show this many positions
    #[arg(long, value_name = "N", default_value_t = 10)]
    rows: usize,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = context::quiet();
    let (first, second) = (
        open(&arguments.first, &context)?,
        open(&arguments.second, &context)?,
    );
    let diff = diff(&first, &second, arguments.rows)?;
    answer(&diff, arguments.json, |diff, out| {
        writeln!(
            out,
            "{} positions only in A, {} only in B; of {} in both, {} have other moves and {} other values",
            diff.only_first, diff.only_second, diff.common, diff.other_moves, diff.other_values
        )?;
        for row in &diff.rows {
            let value = |value: Option<i32>| {
                value.map_or_else(|| String::from("?"), |value| words(value, None))
            };
            let [a, b] = row.values.map(value);
            let what = match row.what {
                "first" => String::from("only in A"),
                "second" => String::from("only in B"),
                "value" => format!("value {a} in A, {b} in B"),
                what => format!("other {what}"),
            };
            writeln!(out, "  {}  {what}", row.sfen)?;
        }
        Ok(())
    })
}
