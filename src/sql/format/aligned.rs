//! Tables with aligned columns.

use super::rows::Rows;
use crate::sql::value::{self, Boards};
use crate::words::printable;
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The number of rows that determine the widths of columns. A wider row after them widens its column from there on, so that
/// memory stays bounded for any length of answer.
pub(super) const SAMPLE: usize = 10_000;

/// Marks that a text was cut.
const CUT: &str = "…";

/// The characters of a table: left, between, right, and the line itself.
#[derive(Debug)]
pub(crate) struct Style {
    top: [&'static str; 4],
    middle: [&'static str; 4],
    bottom: [&'static str; 4],
    side: &'static str,
}

impl Style {
    /// The character that lines are drawn with.
    pub(super) fn line(&self) -> &'static str {
        self.middle[3]
    }

    /// The character between columns.
    pub(super) fn side(&self) -> &'static str {
        self.side
    }
}

pub(crate) const TABLE: Style = Style {
    top: ["+", "+", "+", "-"],
    middle: ["+", "+", "+", "-"],
    bottom: ["+", "+", "+", "-"],
    side: "|",
};

pub(crate) const BOX: Style = Style {
    top: ["┌", "┬", "┐", "─"],
    middle: ["├", "┼", "┤", "─"],
    bottom: ["└", "┴", "┘", "─"],
    side: "│",
};

struct Cell {
    text: String,
    right: bool,
}

/// The names of columns, each on one line.
pub(super) fn titles(columns: &[String]) -> Vec<String> {
    let title = |name: &String| printable(name).replace('\n', " ");
    columns.iter().map(title).collect()
}

/// A table with columns as wide as their values.
pub(crate) struct Aligned<'o> {
    style: &'static Style,
    boards: Boards,
    out: &'o mut dyn Write,
    names: Vec<String>,
    widths: Vec<usize>,
    /// Whether texts are cut to the widths, instead of widening them.
    cuts: bool,
    /// Rows that wait for the widths.
    waiting: Vec<Vec<Cell>>,
    begun: bool,
    /// Whether the previous row had several lines; `None` before the first row.
    tall: Option<bool>,
}

impl<'o> Aligned<'o> {
    pub(crate) fn new(
        style: &'static Style,
        columns: Vec<String>,
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> Aligned<'o> {
        let names = titles(&columns);
        Aligned {
            style,
            boards,
            out,
            widths: names.iter().map(|name| name.width()).collect(),
            names,
            cuts: false,
            waiting: Vec::new(),
            begun: false,
            tall: None,
        }
    }

    /// A table with fixed column widths.
    pub(super) fn within(
        style: &'static Style,
        columns: Vec<String>,
        widths: Vec<usize>,
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> Aligned<'o> {
        Aligned {
            widths,
            cuts: true,
            ..Aligned::new(style, columns, boards, out)
        }
    }

    /// Writes the waiting rows.
    fn drain(&mut self) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            self.rule(&self.style.top)?;
            let names: Vec<Cell> = std::mem::take(&mut self.names)
                .into_iter()
                .map(|text| Cell { text, right: false })
                .collect();
            self.write(&names)?;
            self.rule(&self.style.middle)?;
        }
        for row in std::mem::take(&mut self.waiting) {
            let tall = row.iter().any(|cell| cell.text.contains('\n'));
            // A rule separates rows of several lines; the first row has the header's rule above it.
            if self.tall.is_some_and(|before| before || tall) {
                self.rule(&self.style.middle)?;
            }
            self.tall = Some(tall);
            self.write(&row)?;
        }
        Ok(())
    }

    fn rule(&mut self, [left, between, right, line]: &[&str; 4]) -> io::Result<()> {
        let lines = self.widths.iter().map(|width| line.repeat(width + 2));
        let lines: Vec<String> = lines.collect();
        writeln!(self.out, "{left}{}{right}", lines.join(between))
    }

    fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        let height = row.iter().map(|cell| cell.text.lines().count()).max();
        for line in 0..height.unwrap_or(1).max(1) {
            write!(self.out, "{}", self.style.side)?;
            for (cell, width) in row.iter().zip(&self.widths) {
                let text = cut(cell.text.lines().nth(line).unwrap_or(""), *width);
                let gap = " ".repeat(width.saturating_sub(text.width()));
                let (before, after) = if cell.right { (&*gap, "") } else { ("", &*gap) };
                write!(self.out, " {before}{text}{after} {}", self.style.side)?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }
}

/// Cuts a line to the given width.
fn cut(line: &str, room: usize) -> Cow<'_, str> {
    if line.width() <= room {
        return Cow::Borrowed(line);
    }
    let mut shown = String::new();
    for c in line.chars() {
        shown.push(c);
        if shown.width() + CUT.width() > room {
            shown.pop();
            break;
        }
    }
    Cow::Owned(shown + CUT)
}

impl Rows for Aligned<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        let cells = row.iter().zip(&mut self.widths).map(|(value, width)| {
            let text = printable(&value::text(*value, self.boards)).into_owned();
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            if !self.cuts {
                *width = (*width).max(widest.unwrap_or(0));
            }
            Cell {
                text,
                right: value::is_number(*value),
            }
        });
        let cells = cells.collect();
        self.waiting.push(cells);
        if self.begun || self.waiting.len() == SAMPLE {
            self.drain()?;
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.drain()?;
        self.rule(&self.style.bottom)
    }
}
