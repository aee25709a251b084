//! `obook shogi convert`.

use super::export::{describe, format};
use super::import::{describe_left_out, say_faults};
use crate::options::mapping::output;
use crate::options::values::one_of;
use crate::prelude::*;
use obook_shogi::database::export::convert;
use obook_shogi::database::file::Format;

/// Convert a book from one format to another, without a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi convert user_book1.db user_book1.ybb\n  \
    obook shogi convert book.sbk user_book1.db.zst\n  \
    zcat user_book1.db.gz | obook shogi convert - - --to ybb > user_book1.ybb\n\n\
    Compressed files (.gz, .zst) are recognised. Scores of files stay as they are; a database that is fixed gives own scores. What the \
    format of OUT can't hold is counted.")]
pub(crate) struct Arguments {
    /// A book file or database; - is standard input
    #[arg(value_name = "IN", add = Standard)]
    input: PathBuf,
    /// The file to write; - is standard output
    #[arg(value_name = "OUT", add = Standard)]
    output_file: PathBuf,
    /// Format of OUT, if its extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::written(), Format::name, |_| ""))]
    to: Option<Format>,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let input = &arguments.input;
    let format = format(&arguments.output_file, arguments.to, "--to")?;
    let output = output(&arguments.output_file, arguments.force);
    let converted = convert(input, &output, format, &arguments.memory.context())?;
    say_faults(input, &converted.left_out);
    report_on(&output, &converted, arguments.json, |converted, out| {
        describe(&converted.exported, out)?;
        describe_left_out(&converted.left_out, out)
    })
}
