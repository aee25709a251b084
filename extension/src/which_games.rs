//! Which games a table is asked for: arguments that are left out, or given by name: `WHERE of_player = 'tastet' AND since = 2000`.

use crate::arguments::read_number;
use crate::board::described;
use crate::problem::{Problem, Result};
use crate::table::Values;
use obook_rows::Condition;
use obook_rows::games::Winner;
use rusqlite::types::ValueRef;

/// The arguments of both tables; those after the second say which games.
pub(crate) const ARGUMENTS: &[&str] = &[
    "board",
    "schema",
    "of_player",
    "of_black",
    "of_white",
    "of_tournament",
    "since",
    "until",
    "won_by",
];

/// What they say.
pub(crate) fn condition(values: &Values) -> Result<Condition> {
    let text = |index| values.get(index).map(text).transpose();
    let year = |index| {
        let year = values.get(index);
        year.map(|year| read_number(year, "a year", 1..=i64::from(u16::MAX)))
            .transpose()
    };
    Ok(Condition {
        player: text(2)?,
        black: text(3)?,
        white: text(4)?,
        tournament: text(5)?,
        since: year(6)?,
        until: year(7)?,
        winner: values.get(8).map(winner).transpose()?,
    })
}

fn text(value: ValueRef<'_>) -> Result<String> {
    match value {
        ValueRef::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
        other => Err(Problem::new(format!(
            "expected a part of a name, found {}",
            described(other)
        ))),
    }
}

fn winner(value: ValueRef<'_>) -> Result<Winner> {
    match value {
        ValueRef::Text(b"black") => Ok(Winner::Black),
        ValueRef::Text(b"white") => Ok(Winner::White),
        ValueRef::Text(b"nobody") => Ok(Winner::None),
        other => Err(Problem::new(format!(
            "expected 'black', 'white' or 'nobody', found {}",
            described(other)
        ))),
    }
}
