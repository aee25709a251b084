//! `obook export`: a book for an engine.

use crate::context;
use crate::failure::Failure;
use crate::options::destination::Force;
use crate::options::mapping::{Mapping, output};
use crate::options::memory::Memory;
use crate::options::values::written_formats;
use crate::reports;
use obook_book::write::export::{Input, export};
use obook_converters::Format;
use std::path::PathBuf;

/// Write a book for an engine
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook export book.obook book.dat\n  \
    obook export book.obook book.egbk3")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    /// The file to write; its extension determines the format
    file: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = written_formats())]
    format: Option<Format>,
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
    let (file, format) = (&arguments.file, arguments.format);
    let options = arguments.mapping.options(file, format, "--format")?;
    let output = output(file, arguments.force);
    let input = Input::open(&arguments.book, None, &context::quiet())?;
    let context = context::shown().with_memory(arguments.memory.bytes());
    let exported = export(input, &output, &options, &context)?;
    reports::exported(&exported, &output, arguments.json)
}
