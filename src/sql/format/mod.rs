//! Rows on their way out, in the form that was asked for.

mod aligned;
mod json;
mod markdown;
mod rows;
mod separated;

use super::value::Boards;
use aligned::{Aligned, BOX, TABLE};
use json::{Json, Layout};
use markdown::Markdown;
pub(crate) use rows::Rows;
use separated::Separated;
use std::io::{self, Write};

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, for people
    Table,
    /// Aligned columns in box-drawing characters
    Box,
    /// Comma-separated values with a header line (RFC 4180)
    Csv,
    /// The same with tabs
    Tsv,
    /// One array of objects
    Json,
    /// An object a line
    Ndjson,
    /// A table for a Markdown document
    Markdown,
}

impl Format {
    /// Whether boards may be drawn in it, over several lines.
    pub(crate) fn draws(self) -> bool {
        matches!(self, Format::Table | Format::Box)
    }

    /// How boards are shown in it: drawn where they are `wanted` and there is room.
    pub(crate) fn boards(self, wanted: bool) -> Boards {
        match (wanted, self.draws()) {
            (false, _) => Boards::Hex,
            (true, true) => Boards::Drawn,
            (true, false) => Boards::Text,
        }
    }

    /// What writes an answer with these columns.
    pub(crate) fn rows<'o>(
        self,
        columns: Vec<String>,
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> io::Result<Box<dyn Rows + 'o>> {
        Ok(match self {
            Format::Table => Box::new(Aligned::new(&TABLE, columns, boards, out)),
            Format::Box => Box::new(Aligned::new(&BOX, columns, boards, out)),
            Format::Csv => Box::new(Separated::new(b',', &columns, boards, out)?),
            Format::Tsv => Box::new(Separated::new(b'\t', &columns, boards, out)?),
            Format::Json => Box::new(Json::new(Layout::Array, columns, boards, out)),
            Format::Ndjson => Box::new(Json::new(Layout::Lines, columns, boards, out)),
            Format::Markdown => Box::new(Markdown::new(columns, boards, out)),
        })
    }
}
