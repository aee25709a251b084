//! `openings(name)`, the named openings.

use crate::arguments::described;
use crate::problem::{Problem, Result};
use crate::table::{ColumnValue, Kind, Rows, TableFunction, Values};
use obook_games::names::{Opening, matching};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The table `openings`.
#[derive(Clone)]
pub(crate) struct Openings;

impl TableFunction for Openings {
    const NAME: &'static str = "openings";
    const COLUMNS: &'static [(&'static str, Kind)] = &[
        ("name", Kind::Text),
        ("japanese", Kind::Text),
        ("readings", Kind::Text),
        ("others", Kind::Text),
        ("line", Kind::Text),
        ("board", Kind::Key),
    ];
    const ARGUMENTS: &'static [&'static str] = &["containing"];
    const FIRST: Option<&'static str> = Some("");
    const ROWS: i64 = 100;
    type Row = &'static Opening;

    fn rows<'c>(
        &'c self,
        _: &'c Connection,
        containing: ValueRef<'_>,
        _: &Values,
    ) -> Result<Rows<'c, &'static Opening>> {
        match containing {
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text);
                Ok(Box::new(matching(&text).map(Ok)))
            }
            other => Err(Problem::new(format!(
                "expected part of a name, found {}",
                described(other)
            ))),
        }
    }

    fn value<'r>(opening: &'r &'static Opening, column: usize) -> ColumnValue<'r> {
        let list = |names: &[&str]| (!names.is_empty()).then(|| names.join("; "));
        match column {
            0 => opening.name().into(),
            1 => opening.japanese().into(),
            2 => list(opening.readings()).into(),
            3 => list(opening.others()).into(),
            4 => opening.line().to_string().into(),
            _ => opening.line().board().canonical().into(),
        }
    }
}
