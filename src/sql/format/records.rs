//! Rows with a line for each value, if there are too many columns for the screen.

use super::aligned::Style;
use super::rows::Rows;
use crate::sql::value::{self, Boards};
use crate::words::printable;
use rusqlite::types::ValueRef;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The width of the line between rows.
const RULE: usize = 40;

pub(super) struct Records<'o> {
    style: &'static Style,
    names: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    /// The number of the previous row, from 1.
    number: u64,
}

impl<'o> Records<'o> {
    pub(super) fn new(
        style: &'static Style,
        names: Vec<String>,
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> Records<'o> {
        let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
        let gap = |name: &str| " ".repeat(widest - name.width());
        Records {
            style,
            names: names
                .iter()
                .map(|name| format!("{name}{}", gap(name)))
                .collect(),
            boards,
            out,
            number: 0,
        }
    }
}

impl Rows for Records<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        self.number += 1;
        let (title, line, side) = (
            format!("row {}", self.number),
            self.style.line(),
            self.style.side(),
        );
        let rest = line.repeat(RULE.saturating_sub(title.len() + 4));
        writeln!(self.out, "{line}{line} {title} {rest}")?;
        for (name, value) in self.names.iter().zip(row) {
            let text = value::text(*value, self.boards);
            let text = printable(&text);
            let mut name = name.clone();
            for line in text.split('\n') {
                writeln!(self.out, "{}", format!("{name} {side} {line}").trim_end())?;
                name = " ".repeat(name.width());
            }
        }
        Ok(())
    }

    fn end(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
