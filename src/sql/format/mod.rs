//! Rows on their way out, in the form that was asked for.

mod aligned;
mod fitted;
mod json;
mod markdown;
mod records;
mod rows;
mod separated;

use super::value::Boards;
use crate::screen::Screen;
use aligned::{Aligned, BOX, Style, TABLE};
use clap::ValueEnum;
use fitted::Fitted;
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
    /// As it is typed.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.expect("none is hidden").get_name().to_owned()
    }

    /// The lines of its tables, if boards may be drawn in them.
    fn style(self) -> Option<&'static Style> {
        match self {
            Format::Table => Some(&TABLE),
            Format::Box => Some(&BOX),
            _ => None,
        }
    }

    /// How boards are shown in it where they are to be drawn: over one line where there is no room for a drawing.
    pub(crate) fn drawn(self) -> Boards {
        self.style().map_or(Boards::Text, |_| Boards::Drawn)
    }

    /// What writes an answer with these columns; `boards` and `screen` as in [`Manner`](super::Manner).
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
