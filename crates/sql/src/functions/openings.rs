//! `openings(name)`, the named openings.

use crate::functions::book::Book;
use obook_base::sql::{Answer, Arguments, ColumnType, Problem, Result, Rows, Table, Value};
use obook_games::names::{Opening, matching};

/// The table `openings`, which needs no book.
#[derive(Clone, Copy, Debug)]
pub struct Openings;

impl Table for Openings {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("name", ColumnType::Text),
        ("japanese", ColumnType::Text),
        ("readings", ColumnType::Text),
        ("others", ColumnType::Text),
        ("line", ColumnType::Text),
        ("board", ColumnType::Key),
    ];
    const ARGUMENTS: &'static [&'static str] = &["containing"];
    const FIRST: Option<&'static str> = Some("");
    const ROWS: i64 = 100;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = &'static Opening;

    fn name(&self) -> &str {
        "openings"
    }

    fn rows<'s>(
        &'s self,
        _: Self::Source<'s>,
        arguments: Arguments<'_>,
    ) -> Result<Rows<'s, Self::Row>> {
        match arguments.value(0) {
            Value::Text(text) => {
                let text = String::from_utf8_lossy(text);
                Ok(Box::new(matching(&text).map(Ok)))
            }
            other => Err(Problem::new(format!(
                "expected part of a name, found {other}"
            ))),
        }
    }

    fn value<'r>(opening: &'r &'static Opening, column: usize) -> Answer<'r> {
        let list = |names: &[&str]| (!names.is_empty()).then(|| names.join("; "));
        match column {
            0 => opening.name().into(),
            1 => opening.japanese().into(),
            2 => list(opening.readings()).into(),
            3 => list(opening.others()).into(),
            4 => opening.line().to_string().into(),
            _ => opening.line().board().canonical().to_key().into(),
        }
    }
}
