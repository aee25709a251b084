//! Tables for Markdown documents.

use super::rows::Rows;
use crate::sql::value::{self, Boards};
use crate::words::printable;
use rusqlite::types::ValueRef;
use std::io::{self, Write};

/// A pipe table. Its header waits for the first row, which shows the columns of numbers.
pub(super) struct Markdown<'o> {
    columns: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    begun: bool,
}

impl<'o> Markdown<'o> {
    pub(super) fn new(columns: Vec<String>, boards: Boards, out: &'o mut dyn Write) -> Self {
        Markdown {
            columns,
            boards,
            out,
            begun: false,
        }
    }

    fn head(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        self.begun = true;
        for name in &self.columns {
            write!(self.out, "| {} ", in_markdown(name))?;
        }
        writeln!(self.out, "|")?;
        for index in 0..self.columns.len() {
            let right = row.get(index).is_some_and(|value| value::is_number(*value));
            let rule = if right { "| ---: " } else { "| --- " };
            self.out.write_all(rule.as_bytes())?;
        }
        writeln!(self.out, "|")
    }
}

fn in_markdown(text: &str) -> String {
    let text = printable(text)
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;");
    text.replace('\n', "<br>")
}

impl Rows for Markdown<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        if !self.begun {
            self.head(row)?;
        }
        for value in row {
            write!(
                self.out,
                "| {} ",
                in_markdown(&value::text(*value, self.boards))
            )?;
        }
        writeln!(self.out, "|")
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        self.head(&[])
    }
}
