//! `obook shogi convert`.

use super::export::{describe, format, written};
use crate::context;
use crate::failure::Failure;
use crate::options::destination::Force;
use crate::output::account;
use crate::words::{count, say};
use obook_shogi_book::export::convert;
use obook_shogi_book::file::Format;
use std::path::PathBuf;

/// Convert a book from one format to another, without a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi convert user_book1.db user_book1.ybb\n  \
    obook shogi convert book.sbk user_book1.db\n\n\
    Scores stay as they are. What the format of OUT can't hold is counted.")]
pub(crate) struct Arguments {
    /// A book file
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    output_file: PathBuf,
    /// Format of OUT, if its extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = written())]
    to: Option<Format>,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (input, output) = (&arguments.input, &arguments.output_file);
    let format = format(output, arguments.to, "--to")?;
    let if_exists = arguments.force.if_exists();
    let (exported, read) = convert(input, output, format, if_exists, &context::shown())?;
    for (number, one, many) in [
        (
            read.faults.len() as u64,
            "record can't be read",
            "records can't be read",
        ),
        (
            read.illegal_moves(),
            "move isn't legal",
            "moves aren't legal",
        ),
        (
            read.missed,
            "position with a hash only isn't found",
            "positions with hashes only aren't found",
        ),
    ] {
        if number > 0 {
            let count = count(number, one, many);
            say(format_args!(
                "obook: {}: {count}: left out",
                input.display()
            ));
        }
    }
    account(&exported, arguments.json, describe)
}
