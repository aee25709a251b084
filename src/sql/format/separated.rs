//! Values separated by commas or tabs.

use super::rows::Rows;
use crate::sql::value::{self, Boards};
use rusqlite::types::ValueRef;
use std::io::{self, Write};

/// CSV or TSV.
pub(super) struct Separated<'o> {
    writer: csv::Writer<&'o mut dyn Write>,
    boards: Boards,
    text: String,
}

impl<'o> Separated<'o> {
    pub(super) fn new(
        delimiter: u8,
        columns: &[String],
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .from_writer(out);
        writer.write_record(columns).map_err(plain)?;
        Ok(Separated {
            writer,
            boards,
            text: String::new(),
        })
    }
}

/// The error of the output, which shows whether a pipe was closed or a disk is full.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl Rows for Separated<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        for value in row {
            self.text.clear();
            value::write(&mut self.text, *value, self.boards);
            self.writer.write_field(&self.text).map_err(plain)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(plain)
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.writer.flush()
    }
}
