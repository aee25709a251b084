//! How a book is written for an engine.

use super::force::Force;
use super::values::levels;
use clap::{Args, ValueEnum};
use obook_book::Error;
use obook_book::write::export::{ExportOptions, Output};
use obook_converters::{Compression, Format};
use obook_graph::mapping::{HeaderOptions, Leaves, MissingLeaf};
use std::path::Path;

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
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
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

/// Where a book goes: `-` is standard output.
pub(crate) fn output(file: &Path, force: Force) -> Output {
    if file == Path::new("-") {
        Output::Stdout
    } else {
        Output::File(file.to_owned(), force.if_exists())
    }
}

impl Mapping {
    /// How to write `to`, in the format that `option` gave or else its extension tells.
    pub(crate) fn options(
        &self,
        to: &Path,
        format: Option<Format>,
        option: &str,
    ) -> Result<ExportOptions, Error> {
        let format = format.or_else(|| Format::from_extension(to));
        let format = format.ok_or_else(|| {
            let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            let known = known.join(", ");
            let problem = format!("the extension tells no format; name one with {option}: {known}");
            Error::unfit(to, problem)
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
