//! `openings(name)`, the named openings.

use crate::functions::arguments::read_part;
use crate::functions::book::Book;
use obook_base::sql::ColumnType::{Key, Text};
use obook_base::sql::{Answer, Arguments, Column, RowsOf, Table};
use obook_games::names::{Opening, matching};

/// The table `openings`, which needs no book.
#[derive(Clone, Copy, Debug)]
pub struct Openings;

impl Table for Openings {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("name", Text, |opening| opening.name().into()),
        ("japanese", Text, |opening| opening.japanese.into()),
        ("readings", Text, |opening| list(&opening.readings)),
        ("others", Text, |opening| list(&opening.others)),
        ("line", Text, |opening| opening.line.to_string().into()),
        ("board", Key, |opening| {
            opening.line.board().canonical().to_key().into()
        }),
    ];
    const ARGUMENTS: &'static [&'static str] = &["containing"];
    const FIRST: Option<&'static str> = Some("");
    const ROWS: i64 = 100;
    type Source<'s> = Box<dyn Book + 's>;
    type Row = &'static Opening;

    fn rows<'s>(&'s self, _: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let part = read_part(arguments.value(0))?;
        Ok(Box::new(matching(&part).map(Ok)))
    }
}

fn list(names: &[&str]) -> Answer<'static> {
    (!names.is_empty()).then(|| names.join("; ")).into()
}
