//! `obook convert`: a book from one format to another.

use crate::options::mapping::{Mapping, output};
use crate::options::values::{formats_of, written_names};
use crate::prelude::*;
use crate::reports;
use obook::write::export::{Input, export};
use obook_converters::Format;

/// Convert a book from one format to another, without a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook convert book.dat book.egbk3\n  \
    obook convert book.egbk3 book.dat.zst --level 21 --zstd-level 19\n  \
    ssh club cat book.dat.gz | obook convert - - --to egbk3 > book.egbk3\n  \
    obook convert book.cmp.z zebra.dat\n\n\
    What the format of OUT can't hold is reported on standard error; --strict makes it an error.")]
pub(crate) struct Arguments {
    /// A book file or database; - is standard input
    #[arg(value_name = "IN", value_parser = readable(), add = Standard)]
    input: PathBuf,
    /// The file to write; - is standard output
    #[arg(value_name = "OUT", add = Standard)]
    output_file: PathBuf,
    /// Format of IN, if its contents don't tell
    #[arg(long, value_name = "FORMAT", value_parser = formats_of(&Format::ALL))]
    from: Option<Format>,
    /// Format of OUT, if its extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = formats_of(&Format::WRITTEN))]
    to: Option<Format>,
    #[command(flatten)]
    mapping: Mapping,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (file, format, mapping) = (&arguments.output_file, arguments.to, &arguments.mapping);
    let options = mapping.options(file, format, "--to", written_names())?;
    let output = output(file, arguments.force);
    let input = Input::open(&arguments.input, arguments.from, &context::quiet())?;
    let context = arguments.memory.context();
    let exported = export(input, &output, &options, &context)?;
    reports::exported(&exported, &output, arguments.json)
}
