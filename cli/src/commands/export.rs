//! `obook export`: a book for an engine, or as Parquet.

use crate::commands::verify::unfinished;
use crate::options::mapping::{Mapping, output};
use crate::options::standard::refused;
use crate::options::values::{Exportable, exported_formats, exported_names};
use crate::prelude::*;
use crate::{lake, reports};
use obook::Error;
use obook::write::export::{Input, export};

/// Write a book for an engine, or as Parquet
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook export book.obook book.dat\n  \
    obook export book.obook book.egbk3\n  \
    obook export book.obook book.lake --format parquet      a folder: see docs/lake.md")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    pub(crate) book: PathBuf,
    /// The file to write; its extension determines the format. With --format parquet a folder of its own
    #[arg(add = Standard)]
    pub(crate) file: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = exported_formats())]
    format: Option<Exportable>,
    /// The most rows in a Parquet file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows_per_file: Option<u64>,
    #[command(flatten)]
    pub(crate) mapping: Mapping,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (file, format) = (&arguments.file, arguments.format);
    let format = match format {
        Some(Exportable::Parquet) => return write_lake(arguments),
        Some(Exportable::File(format)) => Some(format),
        None => None,
    };
    if arguments.rows_per_file.is_some() {
        let problem = "a book file holds all rows; --rows-per-file is for --format parquet";
        return Err(Failure::file(file, problem));
    }
    let names = exported_names();
    let options = arguments.mapping.options(file, format, "--format", names)?;
    let output = output(file, arguments.force);
    let input = Input::open(&arguments.book, None, &context::quiet())?;
    let context = arguments.memory.context();
    let exported = export(input, &output, &options, &context);
    if let Err(Error::EdaxDemands { .. }) = exported
        && let Some(unfinished) = unfinished(&arguments.book)?
    {
        say(format_args!("obook: {unfinished}"));
    }
    let exported = exported?;
    reports::exported(&exported, &output, arguments.json)
}

fn write_lake(arguments: &Arguments) -> Result<(), Failure> {
    let folder = &arguments.file;
    if folder == Path::new("-") {
        return Err(refused());
    }
    if arguments.mapping.is_for_engines() {
        let problem = "--format parquet keeps everything as it is: it has no leaves to choose, header or compression level";
        return Err(Failure::file(folder, problem));
    }
    lake::write(arguments)
}
