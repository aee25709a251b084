//! Tables with aligned columns, and what replaces them if a terminal is too narrow.

use crate::answers::text::{cut, printable};
use crate::answers::value;
use crate::answers::{Boards, Rows, Screen, Value};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The number of rows that determine the widths of columns. A wider row after them widens its column from there on, so that
/// memory stays bounded for any length of answer.
const SAMPLE: usize = 10_000;

/// The characters of a table: left, between, right, and the line itself.
#[derive(Debug)]
pub(crate) struct Style {
    top: [&'static str; 4],
    middle: [&'static str; 4],
    bottom: [&'static str; 4],
    side: &'static str,
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

/// A table with columns of these widths.
struct Aligned<'o> {
    style: &'static Style,
    boards: Boards,
    out: &'o mut dyn Write,
    widths: Vec<usize>,
    /// Whether texts are cut to the widths, instead of widening them.
    cuts: bool,
    /// Whether the previous row had several lines; `None` before the first row.
    tall: Option<bool>,
}

impl Aligned<'_> {
    /// Writes the names of the columns.
    fn head(&mut self, names: Vec<String>) -> io::Result<()> {
        self.rule(&self.style.top)?;
        let names = names.into_iter().map(|text| Cell { text, right: false });
        self.write(&names.collect::<Vec<Cell>>())?;
        self.rule(&self.style.middle)
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

impl Rows for Aligned<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        let cells = row.iter().zip(&mut self.widths).map(|(value, width)| {
            let text = printable(&value::text(*value, self.boards)).into_owned();
            if !self.cuts {
                *width = (*width).max(widest(&text));
            }
            Cell {
                text,
                right: value::is_number(*value),
            }
        });
        let cells: Vec<Cell> = cells.collect();
        let tall = cells.iter().any(|cell| cell.text.contains('\n'));
        // A rule separates rows of several lines; the first row has the header's rule above it.
        if self.tall.is_some_and(|before| before || tall) {
            self.rule(&self.style.middle)?;
        }
        self.tall = Some(tall);
        self.write(&cells)
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.rule(&self.style.bottom)
    }
}

/// The width of the longest line of a text.
fn widest(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// The minimum width of a cut column; less would tell nothing.
const NARROWEST: usize = 8;
/// The lines of a drawn board and the rule below it.
const DRAWN: usize = 11;

/// Looks at the first rows before deciding how to show them: in columns as wide as their values, if there is room.
pub(crate) struct Fitted<'o> {
    style: &'static Style,
    names: Vec<String>,
    /// How to show boards; `None`: on a screen drawn if all of them fit, else on one line.
    boards: Option<Boards>,
    screen: Option<Screen>,
    /// Rows that wait for the decision.
    waiting: Vec<Vec<Kept>>,
    /// The output, until the decision.
    out: Option<&'o mut dyn Write>,
    /// The table, after the decision.
    shown: Option<Box<dyn Rows + 'o>>,
}

/// The widths of a table's columns.
struct Columns {
    /// The widths at which nothing is cut.
    wanted: Vec<usize>,
    /// The minimum widths: numbers and drawn boards are not cut.
    needed: Vec<usize>,
}

impl<'o> Fitted<'o> {
    pub(crate) fn new(
        style: &'static Style,
        columns: Vec<String>,
        boards: Option<Boards>,
        screen: Option<Screen>,
        out: &'o mut dyn Write,
    ) -> Fitted<'o> {
        let on_one_line = |name: &String| printable(name).replace('\n', " ");
        Fitted {
            style,
            names: columns.iter().map(on_one_line).collect(),
            boards,
            screen,
            waiting: Vec::new(),
            out: Some(out),
            shown: None,
        }
    }

    /// Decides how to show rows, and shows the waiting ones.
    fn show(&mut self) -> io::Result<()> {
        let Some(out) = self.out.take() else {
            return Ok(());
        };
        let room = self.screen.map_or(usize::MAX, |screen| screen.columns);
        let ways: &[Boards] = match (&self.boards, self.screen) {
            (Some(boards), _) => std::slice::from_ref(boards),
            (None, None) => &[Boards::Hex],
            (None, Some(screen)) if self.waiting.len() * DRAWN <= screen.lines => &[Boards::Drawn],
            (None, Some(_)) => &[Boards::Text, Boards::Hex],
        };
        let columns = |boards: &Boards| (*boards, self.columns(*boards));
        let fits = |(_, columns): &(_, Columns)| total(&columns.wanted) <= room;
        let last = &ways[ways.len() - 1];
        let fitting = ways.iter().map(columns).find(fits);
        let (boards, columns) = fitting.unwrap_or_else(|| columns(last));
        let (style, names) = (self.style, std::mem::take(&mut self.names));
        let mut shown: Box<dyn Rows + 'o> = match columns.within(room) {
            Some(widths) => {
                let mut table = Aligned {
                    style,
                    boards,
                    out,
                    widths,
                    cuts: self.screen.is_some(),
                    tall: None,
                };
                table.head(names)?;
                Box::new(table)
            }
            None => Box::new(Records {
                style,
                names: padded(&names),
                boards,
                out,
                number: 0,
            }),
        };
        for row in std::mem::take(&mut self.waiting) {
            let row: Vec<Value<'_>> = row.iter().map(Kept::value).collect();
            shown.row(&row)?;
        }
        self.shown = Some(shown);
        Ok(())
    }

    fn columns(&self, boards: Boards) -> Columns {
        let mut columns = Columns {
            wanted: self.names.iter().map(|name| name.width()).collect(),
            needed: vec![0; self.names.len()],
        };
        for row in &self.waiting {
            for (place, value) in row.iter().enumerate() {
                let text = value::text(value.value(), boards);
                let width = widest(&printable(&text));
                columns.wanted[place] = columns.wanted[place].max(width);
                let is_drawn = matches!(value, Kept::Blob(_)) && text.contains('\n');
                if is_drawn || value::is_number(value.value()) {
                    columns.needed[place] = columns.needed[place].max(width);
                }
            }
        }
        columns
    }
}

impl Columns {
    /// Widths with which the table fits, cutting the widest columns first; `None` if there are too many columns.
    fn within(&self, room: usize) -> Option<Vec<usize>> {
        let widest = self.wanted.iter().max().copied().unwrap_or(0);
        let cut_to = |most: usize| -> Vec<usize> {
            let width = |(wanted, needed): (&usize, &usize)| (*wanted).min(most).max(*needed);
            self.wanted.iter().zip(&self.needed).map(width).collect()
        };
        let mosts = (NARROWEST..=room.min(widest).max(NARROWEST)).rev();
        mosts.map(cut_to).find(|widths| total(widths) <= room)
    }
}

/// The width of a table with its lines.
fn total(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + 3).sum::<usize>() + 1
}

/// An owned value.
#[derive(Clone, Debug)]
enum Kept {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Kept {
    fn of(value: Value<'_>) -> Kept {
        match value {
            Value::Null => Kept::Null,
            Value::Integer(number) => Kept::Integer(number),
            Value::Real(number) => Kept::Real(number),
            Value::Text(text) => Kept::Text(text.to_vec()),
            Value::Blob(bytes) => Kept::Blob(bytes.to_vec()),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Kept::Null => Value::Null,
            Kept::Integer(number) => Value::Integer(*number),
            Kept::Real(number) => Value::Real(*number),
            Kept::Text(text) => Value::Text(text),
            Kept::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

impl Rows for Fitted<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        if let Some(shown) = &mut self.shown {
            return shown.row(row);
        }
        self.waiting
            .push(row.iter().copied().map(Kept::of).collect());
        if self.waiting.len() == SAMPLE {
            self.show()?;
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<()> {
        self.show()?;
        self.shown.take().map_or(Ok(()), Rows::end)
    }
}

/// The width of the line between rows.
const RULE: usize = 40;

struct Records<'o> {
    style: &'static Style,
    /// All of the same width.
    names: Vec<String>,
    boards: Boards,
    out: &'o mut dyn Write,
    /// The number of the previous row, from 1.
    number: u64,
}

/// Names with spaces after them, as wide as the widest.
fn padded(names: &[String]) -> Vec<String> {
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let padded = |name: &String| format!("{name}{}", " ".repeat(widest - name.width()));
    names.iter().map(padded).collect()
}

impl Rows for Records<'_> {
    fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        self.number += 1;
        let title = format!("row {}", self.number);
        let (line, side) = (self.style.middle[3], self.style.side);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::Board;
    use proptest::prelude::*;

    fn shown(columns: usize, lines: usize, names: &[&str], rows: &[Vec<Value<'_>>]) -> String {
        let mut out = Vec::new();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let screen = Some(Screen { columns, lines });
        let mut fitted = Box::new(Fitted::new(&TABLE, names, None, screen, &mut out));
        for row in rows {
            fitted.row(row).unwrap();
        }
        fitted.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn wide_texts_are_cut_and_numbers_are_not() {
        let row = vec![
            Value::Text(b"f5d6c3d3c4f4f6f3e6e7"),
            Value::Integer(1_234_567_890),
        ];
        let table = "\
+------------+------------+
| line       | number     |
+------------+------------+
| f5d6c3d3c… | 1234567890 |
+------------+------------+
";
        assert_eq!(shown(27, 24, &["line", "number"], &[row]), table);
    }

    #[test]
    fn too_many_columns_become_lines() {
        let row = vec![Value::Integer(1), Value::Text(b"two\nlines"), Value::Null];
        let expected = "\
-- row 1 -------------------------------
first  | 1
second | two
       | lines
third  |
-- row 2 -------------------------------
first  | 1
second | two
       | lines
third  |
";
        let names = ["first", "second", "third"];
        assert_eq!(shown(20, 24, &names, &[row.clone(), row]), expected);
    }

    #[test]
    fn boards_are_drawn_if_all_fit() {
        let key = Board::START.canonical().to_key();
        let row = vec![Value::Blob(&key)];
        let drawn = shown(80, 24, &["board"], &[row.clone(), row.clone()]);
        assert!(drawn.contains("| 4 - - . O * - - - 4 |"), "{drawn}");
        let many = vec![row; 3];
        let squares = shown(80, 24, &["board"], &many);
        assert!(squares.contains(&Board::START.to_text()), "{squares}");
        let key = shown(40, 24, &["board"], &many);
        assert!(
            key.contains("| 00000008100000000000001008000000 |"),
            "{key}"
        );
    }

    proptest! {
        #[test]
        fn no_line_of_a_table_is_wider_than_the_screen(
            rows in prop::collection::vec(prop::collection::vec(".{0,40}", 3), 0..4),
            columns in 34_usize..90,
        ) {
            let values: Vec<Vec<Value<'_>>> =
                rows.iter().map(|row| row.iter().map(|text| Value::Text(text.as_bytes())).collect()).collect();
            let table = shown(columns, 24, &["a", "b", "c"], &values);
            for line in table.lines() {
                prop_assert!(line.width() <= columns, "{line}");
            }
        }
    }
}
