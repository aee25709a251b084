//! Rows on their way out, in the form that was asked for.

use super::aligned::{Aligned, BOX, TABLE};
use super::value::{self, Boards};
use rusqlite::types::ValueRef;
use std::collections::HashSet;
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

/// Takes the rows of one answer.
pub(crate) trait Rows {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()>;

    /// After the last row.
    fn end(self: Box<Self>) -> io::Result<()>;
}

impl Format {
    /// Whether boards may be drawn in it, over several lines.
    pub(crate) fn draws(self) -> bool {
        matches!(self, Format::Table | Format::Box)
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

/// CSV and its kin.
struct Separated<'o> {
    writer: csv::Writer<&'o mut dyn Write>,
    boards: Boards,
    text: String,
}

impl<'o> Separated<'o> {
    fn new(
        delimiter: u8,
        columns: &[String],
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .from_writer(out);
        writer.write_record(columns)?;
        Ok(Separated {
            writer,
            boards,
            text: String::new(),
        })
    }
}

impl Rows for Separated<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        for value in row {
            self.text.clear();
            value::write(&mut self.text, *value, self.boards);
            self.writer.write_field(&self.text)?;
        }
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Where the objects stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Array,
    Lines,
}

struct Json<'o> {
    layout: Layout,
    /// `"name":`, each once.
    names: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    text: String,
    empty: bool,
}

impl<'o> Json<'o> {
    fn new(layout: Layout, columns: Vec<String>, boards: Boards, out: &'o mut dyn Write) -> Self {
        let names = distinct(columns)
            .into_iter()
            .map(|name| format!("{}:", serde_json::Value::String(name)));
        Json {
            layout,
            names: names.collect(),
            boards,
            out,
            text: String::new(),
            empty: true,
        }
    }
}

/// Column names, each once: an object can't hold two values under one name.
fn distinct(columns: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = columns.iter().cloned().collect();
    let mut seen = HashSet::new();
    columns
        .into_iter()
        .map(|name| {
            if seen.insert(name.clone()) {
                return name;
            }
            let other = (2..)
                .map(|number| format!("{name}_{number}"))
                .find(|other| !taken.contains(other))
                .expect("there are more numbers than columns");
            taken.insert(other.clone());
            other
        })
        .collect()
}

impl Rows for Json<'_> {
    fn row(&mut self, row: &[ValueRef<'_>]) -> io::Result<()> {
        match (self.layout, self.empty) {
            (Layout::Lines, _) => self.out.write_all(b"{")?,
            (Layout::Array, true) => self.out.write_all(b"[\n {")?,
            (Layout::Array, false) => self.out.write_all(b",\n {")?,
        }
        self.empty = false;
        for (index, (name, value)) in self.names.iter().zip(row).enumerate() {
            if index > 0 {
                self.out.write_all(b",")?;
            }
            self.out.write_all(name.as_bytes())?;
            match *value {
                ValueRef::Null => self.out.write_all(b"null")?,
                ValueRef::Integer(number) => write!(self.out, "{number}")?,
                ValueRef::Real(number) => serde_json::to_writer(&mut *self.out, &number)?,
                ValueRef::Text(_) | ValueRef::Blob(_) => {
                    self.text.clear();
                    value::write(&mut self.text, *value, self.boards);
                    serde_json::to_writer(&mut *self.out, &self.text)?;
                }
            }
        }
        match self.layout {
            Layout::Lines => self.out.write_all(b"}\n"),
            Layout::Array => self.out.write_all(b"}"),
        }
    }

    fn end(self: Box<Self>) -> io::Result<()> {
        match (self.layout, self.empty) {
            (Layout::Lines, _) => Ok(()),
            (Layout::Array, true) => self.out.write_all(b"[]\n"),
            (Layout::Array, false) => self.out.write_all(b"\n]\n"),
        }
    }
}

/// A pipe table; its header waits for the first row, which tells the columns of numbers.
struct Markdown<'o> {
    columns: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    begun: bool,
}

impl<'o> Markdown<'o> {
    fn new(columns: Vec<String>, boards: Boards, out: &'o mut dyn Write) -> Self {
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
    let text = value::printable(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_come_twice_are_told_apart() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(distinct(names("a b")), names("a b"));
        assert_eq!(distinct(names("a a a")), names("a a_2 a_3"));
        assert_eq!(distinct(names("a a a_2")), names("a a_3 a_2"));
    }
}
