//! Options for writing a book for an engine.

use super::values::choice;
use crate::prelude::*;
use clap::Args;
use obook::write::export::{ExportOptions, Output};
use obook_base::compression::Compression;
use obook_converters::Format;
use obook_graph::mapping::{HeaderOptions, Leaves, MissingLeaf};

// `Default` must agree with the defaults of the options: `is_for_engines` compares with it.
#[derive(Clone, PartialEq, Debug, Default, Args)]
pub(crate) struct Mapping {
    /// What to do with leaves in Egaroucid's formats [default: keep in egbk3; as-positions in egbk2 and egbk, which have no leaves]
    #[arg(long, value_name = "WAY", value_parser = choice(&LEAVES))]
    leaves: Option<Leaves>,
    /// What to do if Edax requires a leaf that the book lacks
    #[arg(long, value_name = "WAY", value_parser = choice(&MISSING_LEAF), default_value = "fold")]
    missing_leaf: MissingLeaf,
    /// Level for the header of an Edax book, and for its positions without a level
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// Depth for the header of an Edax book
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(0..=61))]
    depth: Option<u8>,
    /// Error of midgame searches for the header of an Edax book
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=64))]
    midgame_error: Option<u8>,
    /// Error of selective endgame searches for the header of an Edax book
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u8).range(0..=64))]
    endcut_error: Option<u8>,
    /// Fail if the format can't hold everything in the book
    #[arg(long)]
    pub(crate) strict: bool,
    /// Compress at this level, from 1 (fast) to 22 (small) [default: 3 if the name ends in .zst]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(i32).range(1..=22))]
    zstd_level: Option<i32>,
    /// Compress with this many threads
    #[arg(long, value_name = "COUNT")]
    zstd_threads: Option<u32>,
}

const LEAVES: [(&str, Leaves, &str); 2] = [
    ("keep", Leaves::Keep, "Keep leaves"),
    (
        "as-positions",
        Leaves::AsPositions,
        "Turn each leaf into a position, as Egaroucid 7.8 does",
    ),
];

const MISSING_LEAF: [(&str, MissingLeaf, &str); 3] = [
    (
        "stop",
        MissingLeaf::Stop,
        "List the positions and write nothing",
    ),
    (
        "fold",
        MissingLeaf::Fold,
        "Use the best child outside the book as the leaf; if there is none, stop",
    ),
    (
        "demote",
        MissingLeaf::Demote,
        "Like fold, but if there is no such child, use the worst link as the leaf",
    ),
];

/// The destination of a book: `-` is standard output.
pub(crate) fn output(file: &Path, force: Force) -> Output {
    match file == Path::new("-") {
        true => Output::Stdout,
        false => Output::File(file.to_owned(), force.if_exists()),
    }
}

/// Refuses a name that tells no format of a book file; `choice` is how to choose one.
pub(crate) fn unknown_format(to: &Path, choice: &str) -> Failure {
    match to.extension().is_some_and(|extension| extension == "obook") {
        true => Failure::file(to, "the name of a database, which `obook import` makes"),
        false => Failure::file(to, format!("unknown extension; {choice}")),
    }
}

impl Mapping {
    /// Whether anything is asked for that only a book file can have.
    pub(crate) fn is_for_engines(&self) -> bool {
        let nothing = Mapping {
            strict: self.strict,
            ..Mapping::default()
        };
        *self != nothing
    }

    /// How to write `to`. The format comes from `option`, which takes these names, or else from the extension.
    pub(crate) fn options(
        &self,
        to: &Path,
        format: Option<Format>,
        option: &str,
        names: impl Iterator<Item = &'static str>,
    ) -> Result<ExportOptions, Failure> {
        let format = format.or_else(|| Format::from_extension(to));
        let format = format.ok_or_else(|| {
            let known = names.collect::<Vec<_>>().join(", ");
            unknown_format(to, &format!("choose a format with {option}: {known}"))
        })?;
        let asked = self.zstd_level.is_some() || self.zstd_threads.is_some();
        let usual = asked.then(Compression::default);
        let compression = usual
            .or_else(|| Compression::by_name(to))
            .map(|usual| Compression {
                level: self.zstd_level.unwrap_or(usual.level),
                threads: self.zstd_threads.unwrap_or(usual.threads),
            });
        Ok(ExportOptions {
            leaves: self.leaves,
            missing_leaf: self.missing_leaf,
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
