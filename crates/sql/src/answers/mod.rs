//! The rows of an SQL answer: as tables for people, and as CSV, TSV, JSON and Markdown for other programs.
//!
//! ```
//! use obook_sql::answers::{Format, Value};
//! let mut out = Vec::new();
//! let mut rows = Format::Csv.rows(vec!["square".to_owned(), "score".to_owned()], None, None, &mut out)?;
//! rows.row(&[Value::Text(b"f5"), Value::Integer(1)])?;
//! rows.end()?;
//! assert_eq!(String::from_utf8(out)?, "square,score\nf5,1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod data;
mod screen;
mod tables;
pub mod text;
mod value;

pub use crate::functions::Value;
use clap::ValueEnum;
use data::{Csv, Json, Markdown, Tsv};
pub use screen::Screen;
use std::io::{self, Write};
use tables::{BOX, Fitted, TABLE};
pub use value::Boards;

/// A writer for the rows of one answer.
pub trait Rows {
    /// Writes a row, which has a value for each column.
    ///
    /// # Errors
    /// If the output can't be written.
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()>;

    /// Ends the answer after its last row.
    ///
    /// # Errors
    /// If the output can't be written.
    fn end(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// The format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
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
    #[must_use]
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.expect("none is hidden").get_name().to_owned()
    }

    /// How to show boards that should be drawn: on one line if the format has no room for a drawing.
    #[must_use]
    pub fn drawn(self) -> Boards {
        match self {
            Format::Table | Format::Box => Boards::Drawn,
            _ => Boards::Text,
        }
    }

    /// A writer for rows with these columns. Tables on a screen keep to its width; on a screen, boards are drawn if there is room, and
    /// elsewhere they are shown as keys, unless `boards` says how.
    ///
    /// # Errors
    /// If the output can't be written.
    pub fn rows<'o>(
        self,
        columns: Vec<String>,
        boards: Option<Boards>,
        screen: Option<Screen>,
        out: &'o mut dyn Write,
    ) -> io::Result<Box<dyn Rows + 'o>> {
        let plain = boards.unwrap_or(Boards::Hex);
        Ok(match self {
            Format::Table => Box::new(Fitted::new(&TABLE, columns, boards, screen, out)),
            Format::Box => Box::new(Fitted::new(&BOX, columns, boards, screen, out)),
            Format::Csv => Box::new(Csv::new(&columns, plain, out)?),
            Format::Tsv => Box::new(Tsv::new(&columns, plain, out)?),
            Format::Json => Box::new(Json::new(true, columns, plain, out)),
            Format::Ndjson => Box::new(Json::new(false, columns, plain, out)),
            Format::Markdown => Box::new(Markdown::new(columns, plain, out)),
        })
    }
}
