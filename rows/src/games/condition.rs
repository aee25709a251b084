//! Which games are asked for.

use super::{GameId, table};
use rusqlite::types::Value;
use rusqlite::{Connection, Result};

/// Who won a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Winner {
    /// Who began.
    Black,
    /// The other one.
    White,
    /// Nobody: a draw.
    None,
}

/// Which games are asked for; without any of these, all.
///
/// A player and a tournament are found by any part of their names, in small letters or large; where several have it, all
/// of them are meant.
///
/// ```
/// use obook_rows::Condition;
/// let condition = Condition { since: Some(2000), player: Some("tastet".into()), ..Condition::default() };
/// assert_ne!(condition, Condition::default());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// Of this year or later.
    pub since: Option<u16>,
    /// Of this year or earlier, the year being known.
    pub until: Option<u16>,
    /// Who played, with either colour.
    pub player: Option<String>,
    /// Who played Black.
    pub black: Option<String>,
    /// Who played White.
    pub white: Option<String>,
    /// Where it was played.
    pub tournament: Option<String>,
    /// Who won.
    pub winner: Option<Winner>,
}

/// A condition as SQL on `games`, and the values of its parameters.
#[derive(Clone, Debug)]
pub(super) struct Where {
    /// Without `WHERE`.
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
    /// Whether few games are left, found by an index of table `games`.
    pub(super) is_by_index: bool,
}

impl Condition {
    /// Whether the years and who won are all that is asked for.
    pub(super) fn is_of_years_and_winner(&self) -> bool {
        let names = [&self.player, &self.black, &self.white, &self.tournament];
        names.into_iter().all(Option::is_none)
    }

    /// The first and the last number that games of these years can have.
    pub(super) fn numbers(&self) -> (i64, i64) {
        let first = match (self.since, self.until) {
            (None, None) => 0,
            // Games of an unknown year are of none.
            (since, _) => GameId::last_of(Some(since.unwrap_or(1).max(1) - 1)).number() + 1,
        };
        (
            first,
            GameId::last_of(Some(self.until.unwrap_or(u16::MAX))).number(),
        )
    }

    /// Whether a year is one of those asked for.
    pub(super) fn has_year(&self, year: Option<u16>) -> bool {
        match (self.since, self.until) {
            (None, None) => true,
            (since, until) => year.is_some_and(|year| {
                (since.unwrap_or(0)..=until.unwrap_or(u16::MAX)).contains(&year)
            }),
        }
    }

    /// Whether somebody won whose games are asked for; `score` is for the side to move, `black` whether that is Black.
    pub(super) fn has_score(&self, black: bool, score: Option<i64>) -> bool {
        match self.winner {
            None => true,
            Some(Winner::None) => score == Some(0),
            Some(winner) => score.is_some_and(|score| {
                let is_won_by_black = if black { score > 0 } else { score < 0 };
                score != 0 && is_won_by_black == (winner == Winner::Black)
            }),
        }
    }

    /// The condition on a row of `games`, which is called `g`, but for the years, which [`Condition::numbers`] gives.
    pub(super) fn on_games(&self, connection: &Connection, schema: Option<&str>) -> Result<Where> {
        let mut sql = "true".to_owned();
        let mut values = Vec::new();
        match self.winner {
            None => {}
            Some(Winner::Black) => sql += " AND g.score > 0",
            Some(Winner::White) => sql += " AND g.score < 0",
            Some(Winner::None) => sql += " AND g.score = 0",
        }
        let mut of =
            |columns: &[&str], among: &str, key: &str, text: &Option<String>| -> Result<()> {
                let Some(text) = text else {
                    return Ok(());
                };
                let named = named(connection, &table(schema, among), key, text)?;
                // As one value: there may be more of them than a statement takes.
                let named = named.iter().map(i64::to_string).collect::<Vec<_>>();
                let list = Value::Text(format!("[{}]", named.join(",")));
                let any: Vec<String> = columns
                    .iter()
                    .map(|column| format!("g.{column} IN (SELECT value FROM json_each(?))"))
                    .collect();
                sql += &format!(" AND ({})", any.join(" OR "));
                values.extend(columns.iter().map(|_| list.clone()));
                Ok(())
            };
        of(&["black", "white"], "players", "player", &self.player)?;
        of(&["black"], "players", "player", &self.black)?;
        of(&["white"], "players", "player", &self.white)?;
        of(
            &["tournament"],
            "tournaments",
            "tournament",
            &self.tournament,
        )?;
        Ok(Where {
            sql,
            values,
            is_by_index: !self.is_of_years_and_winner(),
        })
    }
}

/// The numbers of those whose names have this text in them.
fn named(connection: &Connection, table: &str, key: &str, text: &str) -> Result<Vec<i64>> {
    let text = text.to_lowercase();
    let mut select = connection.prepare_cached(&format!("SELECT {key}, name FROM {table}"))?;
    let mut rows = select.query([])?;
    let mut named = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str()?;
        if name.to_lowercase().contains(&text) {
            named.push(row.get(0)?);
        }
    }
    Ok(named)
}
