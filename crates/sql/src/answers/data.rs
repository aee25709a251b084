//! Rows for other programs: CSV, TSV, JSON and Markdown.

use crate::answers::Rows;
use crate::answers::text::{in_field, in_line, printable};
use crate::answers::value;
use crate::answers::{Boards, Value};
use std::collections::HashSet;
use std::io::{self, Write};

/// CSV. Control characters and direction marks are replaced by pictures.
pub(crate) struct Csv<'o> {
    writer: csv::Writer<&'o mut dyn Write>,
    boards: Boards,
    text: String,
}

impl<'o> Csv<'o> {
    pub(crate) fn new(
        columns: &[String],
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        let columns = columns.iter().map(|name| in_field(name).into_owned());
        writer.write_record(columns).map_err(plain)?;
        Ok(Csv {
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

impl Rows for Csv<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        for value in row {
            value::write(&mut self.text, *value, self.boards);
            let written = self.writer.write_field(&*in_field(&self.text));
            written.map_err(plain)?;
        }
        self.writer.write_record(None::<&[u8]>).map_err(plain)
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.writer.flush()
    }
}

/// TSV, which has no quotation marks: line ends and tabs are replaced by pictures, too.
pub(crate) struct Tsv<'o> {
    boards: Boards,
    out: &'o mut dyn Write,
    text: String,
}

impl<'o> Tsv<'o> {
    pub(crate) fn new(
        columns: &[String],
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> io::Result<Self> {
        let columns: Vec<_> = columns.iter().map(|name| in_line(name)).collect();
        writeln!(out, "{}", columns.join("\t"))?;
        Ok(Tsv {
            boards,
            out,
            text: String::new(),
        })
    }
}

impl Rows for Tsv<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        for (place, value) in row.iter().enumerate() {
            value::write(&mut self.text, *value, self.boards);
            let tab = if place > 0 { "\t" } else { "" };
            write!(self.out, "{tab}{}", in_line(&self.text))?;
        }
        writeln!(self.out)
    }
}

/// Objects in an array, or one per line.
pub(crate) struct Json<'o> {
    is_array: bool,
    /// The keys, each as `"name":`.
    names: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    text: String,
    empty: bool,
}

impl<'o> Json<'o> {
    pub(crate) fn new(
        is_array: bool,
        columns: Vec<String>,
        boards: Boards,
        out: &'o mut dyn Write,
    ) -> Self {
        let key = |name| format!("{}:", serde_json::Value::String(name));
        Json {
            is_array,
            names: distinct(columns).into_iter().map(key).collect(),
            boards,
            out,
            text: String::new(),
            empty: true,
        }
    }
}

/// Makes column names unique, because an object can't hold two values under one name.
fn distinct(columns: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = columns.iter().cloned().collect();
    let mut seen = HashSet::new();
    let distinct = |name: String| {
        if seen.insert(name.clone()) {
            return name;
        }
        let mut others = (2..).map(|number| format!("{name}_{number}"));
        let other = others.find(|other| !taken.contains(other));
        let other = other.expect("there are more numbers than columns");
        taken.insert(other.clone());
        other
    };
    columns.into_iter().map(distinct).collect()
}

impl Rows for Json<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        self.out.write_all(match (self.is_array, self.empty) {
            (true, true) => b"[\n {",
            (true, false) => b",\n {",
            (false, _) => b"{",
        })?;
        self.empty = false;
        for (index, (name, value)) in self.names.iter().zip(row).enumerate() {
            if index > 0 {
                self.out.write_all(b",")?;
            }
            self.out.write_all(name.as_bytes())?;
            value::write(&mut self.text, *value, self.boards);
            match value {
                Value::Null => self.out.write_all(b"null")?,
                Value::Integer(_) | Value::Real(_) => self.out.write_all(self.text.as_bytes())?,
                _ => serde_json::to_writer(&mut *self.out, &self.text)?,
            }
        }
        let after: &[u8] = if self.is_array { b"}" } else { b"}\n" };
        self.out.write_all(after)
    }

    fn end(self: Box<Self>) -> io::Result<()> {
        self.out.write_all(match (self.is_array, self.empty) {
            (true, true) => b"[]\n",
            (true, false) => b"\n]\n",
            (false, _) => b"",
        })
    }
}

/// A pipe table. Its header waits for the first row, which shows the columns of numbers.
pub(crate) struct Markdown<'o> {
    columns: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    begun: bool,
}

impl<'o> Markdown<'o> {
    pub(crate) fn new(columns: Vec<String>, boards: Boards, out: &'o mut dyn Write) -> Self {
        Markdown {
            columns,
            boards,
            out,
            begun: false,
        }
    }

    fn head(&mut self, row: &[Value<'_>]) -> io::Result<()> {
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
    let text = printable(text).replace('\\', "\\\\").replace('|', "\\|");
    text.replace('<', "&lt;").replace('\n', "<br>")
}

impl Rows for Markdown<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        if !self.begun {
            self.head(row)?;
        }
        for value in row {
            let text = in_markdown(&value::text(*value, self.boards));
            write!(self.out, "| {text} ")?;
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
    fn duplicate_names_are_distinguished() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(distinct(names("a b")), names("a b"));
        assert_eq!(distinct(names("a a a")), names("a a_2 a_3"));
        assert_eq!(distinct(names("a a a_2")), names("a a_3 a_2"));
    }
}
