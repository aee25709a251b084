//! Formats for rows.

mod data;
mod tables;

use super::value::Boards;
use crate::output::Screen;
use clap::ValueEnum;
use data::{Json, Layout, Markdown, Separated};
use rusqlite::types::ValueRef;
use std::io::{self, Write};
use tables::{Aligned, BOX, Fitted, Style, TABLE};

/// A writer for the rows of one answer.
pub(crate) trait Rows {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()>;

    /// After the last row.
    fn end(self: Box<Self>) -> io::Result<()>;
}

/// The format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, for people
    Table,
    /// Aligned columns in box-drawing characters
    Box,
    /// Comma-separated values with a header line (RFC 4180)
    Csv,
    /// Tab-separated values with a header line
    Tsv,
    /// An array of objects
    Json,
    /// One object per line
    Ndjson,
    /// A table for a Markdown document
    Markdown,
}

impl Format {
    /// The word to type.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.expect("none is hidden").get_name().to_owned()
    }

    /// The style of its tables, if boards can be drawn in them.
    fn style(self) -> Option<&'static Style> {
        match self {
            Format::Table => Some(&TABLE),
            Format::Box => Some(&BOX),
            _ => None,
        }
    }

    /// How to show boards that should be drawn: on one line if the format has no room for a drawing.
    pub(crate) fn drawn(self) -> Boards {
        self.style().map_or(Boards::Text, |_| Boards::Drawn)
    }

    /// Returns a writer for rows with these columns; `boards` and `screen` as in [`Manner`](super::Manner).
    pub(crate) fn rows<'o>(
        self,
        columns: Vec<String>,
        boards: Option<Boards>,
        screen: Option<Screen>,
        out: &'o mut dyn Write,
    ) -> io::Result<Box<dyn Rows + 'o>> {
        if let (Some(style), Some(screen)) = (self.style(), screen) {
            return Ok(Box::new(Fitted::new(style, columns, boards, screen, out)));
        }
        let boards = boards.unwrap_or(Boards::Hex);
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
