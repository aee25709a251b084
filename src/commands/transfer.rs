//! `obook import`, `export` and `convert`: books in and out.

use crate::output::{Failure, stdout, write_json};
use crate::progress;
use clap::{Args, ValueEnum};
use obook_book::graph::mapping::{HeaderOptions, Leaves, MissingLeaf};
use obook_book::write::export::ExportOptions;
use obook_book::write::export::Exported;
use obook_book::write::export::Input;
use obook_book::write::export::Output;
use obook_book::write::import::Imported;
use obook_book::{Error, IfExists};
use obook_converters::{Compression, Format};
use std::io::Write;
use std::path::Path;

pub(crate) fn show_imported(out: &mut dyn Write, imported: &Imported) -> std::io::Result<()> {
    let Imported { source, .. } = imported;
    let (positions, links, leaves) = (source.positions, source.links, source.leaves);
    writeln!(
        out,
        "{}: {positions} positions, {links} links, {leaves} leaves",
        source.name
    )?;
    show_duplicates(out, source.duplicates)
}

fn show_duplicates(out: &mut dyn Write, duplicates: u64) -> std::io::Result<()> {
    if duplicates > 0 {
        writeln!(
            out,
            "{duplicates} boards came more than once: kept the higher level"
        )?;
    }
    Ok(())
}

/// Arguments of `export` and `convert`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Mapping {
    /// What becomes of leaves in Egaroucid's formats: egbk3 keeps them, egbk2 and egbk have none and make positions of them
    #[arg(long, value_name = "WAY", value_enum)]
    leaves: Option<LeavesArg>,
    /// Where Edax demands a leaf that the book lacks: give up, take the best child that is no position, or else the
    /// worst link
    #[arg(long, value_name = "WAY", value_enum, default_value = "fold")]
    missing_leaf: MissingLeafArg,
    /// Level in the header of an Edax book, and of positions without one
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=60))]
    level: Option<u8>,
    /// Depth in the header of an Edax book
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=61))]
    depth: Option<u8>,
    /// Error in discs that an Edax book allows for a midgame search
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=64))]
    midgame_error: Option<u8>,
    /// Error in discs that an Edax book allows for a selective endgame search
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=64))]
    endcut_error: Option<u8>,
    /// Fail where the format can't hold all that the book says
    #[arg(long)]
    strict: bool,
    /// Compress, as for a name that ends in .zst: 1 is fast, 22 small [default: 3]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(i32).range(1..=22))]
    zstd_level: Option<i32>,
    /// Compress with so many threads
    #[arg(long, value_name = "COUNT")]
    zstd_threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LeavesArg {
    /// Leaves stay leaves
    Keep,
    /// Each leaf becomes a position, as Egaroucid 7.8 has it
    AsPositions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MissingLeafArg {
    /// Name the positions and write nothing
    Stop,
    /// The best child that is no position is the leaf; where there is none, stop
    Fold,
    /// As fold; where there is no such child, the worst link is the leaf
    Demote,
}

impl Mapping {
    fn options(&self, to: &Path, format: Option<Format>) -> Result<ExportOptions, Error> {
        let format = format.or_else(|| Format::from_extension(to));
        let format = format.ok_or_else(|| {
            let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            let problem = "the extension tells no format; name one with --format (convert: --to):";
            Error::unfit(to, format!("{problem} {}", known.join(", ")))
        })?;
        let asked = self.zstd_level.is_some() || self.zstd_threads.is_some();
        let by_name = to.extension().is_some_and(|extension| extension == "zst");
        let usual = Compression::default();
        let compression = (asked || by_name).then(|| Compression {
            level: self.zstd_level.unwrap_or(usual.level),
            threads: self.zstd_threads.unwrap_or(usual.threads),
        });
        Ok(ExportOptions {
            leaves: self.leaves.map(|leaves| match leaves {
                LeavesArg::Keep => Leaves::Keep,
                LeavesArg::AsPositions => Leaves::AsPositions,
            }),
            missing_leaf: match self.missing_leaf {
                MissingLeafArg::Stop => MissingLeaf::Stop,
                MissingLeafArg::Fold => MissingLeaf::Fold,
                MissingLeafArg::Demote => MissingLeaf::Demote,
            },
            header: HeaderOptions {
                level: self.level,
                depth: self.depth,
                midgame_error: self.midgame_error,
                endcut_error: self.endcut_error,
            },
            strict: self.strict,
            compression,
            ..ExportOptions::new(format)
        })
    }
}

/// From where to where, and in which formats: what no format is given for shows it itself.
pub(crate) struct Way<'a> {
    pub(crate) from: &'a Path,
    pub(crate) from_format: Option<Format>,
    pub(crate) to: &'a Path,
    pub(crate) to_format: Option<Format>,
}

pub(crate) fn export(
    way: &Way<'_>,
    mapping: &Mapping,
    if_exists: IfExists,
    json: bool,
) -> Result<(), Failure> {
    let options = mapping.options(way.to, way.to_format)?;
    let output = if way.to == Path::new("-") {
        Output::Stdout
    } else {
        Output::File(way.to.to_owned(), if_exists)
    };
    let input = Input::open(way.from, way.from_format)?;
    let exported =
        obook_book::write::export::export(input, &output, &options, &progress::on_terminal())?;
    // Standard output is for data: where it takes the book, the summary is not data.
    match output {
        Output::File(..) => show_exported(&mut stdout(), way.to, &exported, json),
        Output::Stdout => show_exported(&mut std::io::stderr().lock(), way.to, &exported, json),
    }
}

fn show_exported(
    out: &mut dyn Write,
    to: &Path,
    exported: &Exported,
    json: bool,
) -> Result<(), Failure> {
    if json {
        write_json(out, exported)?;
        return Ok(out.flush()?);
    }
    let Exported {
        format,
        positions,
        duplicates,
        losses,
    } = exported;
    writeln!(out, "{}: {positions} positions as {format}", to.display())?;
    show_duplicates(out, *duplicates)?;
    out.flush()?;
    if !losses.is_empty() {
        let lost = losses.to_string().replace('\n', "\n  ");
        anstream::eprintln!("{format} can't hold:\n  {lost}");
    }
    Ok(())
}
