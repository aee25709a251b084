//! Conditions on games.

use crate::games::{End, Outcome};
use crate::{Board, Colour};
use obook_base::sqlite::named;
use rusqlite::Connection;
use rusqlite::types::Value;

/// A kind of game, by its end or its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has a result.
    Finished,
    /// It has none.
    Unfinished,
    /// It ended in this way, whoever lost.
    Ended(End),
    /// It began elsewhere than at the usual start.
    Elsewhere,
}

/// A filter for games. By default it matches all.
///
/// Players and events match by any part of their names, ignoring case. Several may match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Games of this year or later.
    pub since: Option<u16>,
    /// Games of this year or earlier. Unknown years don't match.
    pub until: Option<u16>,
    /// A player of either side.
    pub player: Option<String>,
    /// Black's player.
    pub black: Option<String>,
    /// White's player.
    pub white: Option<String>,
    /// The tournament or match.
    pub event: Option<String>,
    /// The result.
    pub outcome: Option<Outcome>,
    /// The least rating of either player before the game.
    pub rated: Option<u32>,
    /// Positions that the game went through.
    pub through: Vec<Board>,
    /// How the game began or ended.
    pub kind: Option<Kind>,
}

impl Condition {
    /// The condition on a row `g` of `games` in SQL, with the values of its parameters.
    pub(crate) fn on_games(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<(String, Vec<Value>)> {
        let (mut sql, mut values) = (String::from("true"), Vec::new());
        let mut add = |condition: &str, value: Value| {
            sql += &format!(" AND {condition}");
            values.push(value);
        };
        for (columns, part) in [
            (&["black", "white"][..], &self.player),
            (&["black"], &self.black),
            (&["white"], &self.white),
            (&["event"], &self.event),
        ] {
            let Some(part) = part else { continue };
            let names = columns
                .iter()
                .map(|column| format!("SELECT DISTINCT json_quote({column}), {column} FROM games"));
            let names = names.collect::<Vec<_>>().join(" UNION ");
            let list = "(SELECT value FROM json_each(?))";
            let condition = match columns {
                [one] => format!("g.{one} IN {list}"),
                _ => String::from(
                    "EXISTS (SELECT 1 FROM json_each(?) WHERE value IN (g.black, g.white))",
                ),
            };
            add(&condition, Value::Text(named(connection, &names, part)?));
        }
        let year = "CAST(substr(g.date, 1, 4) AS INTEGER)";
        if let Some(since) = self.since {
            add(&format!("{year} >= ?"), since.into());
        }
        if let Some(until) = self.until {
            add(&format!("{year} BETWEEN 1 AND ?"), until.into());
        }
        if let Some(outcome) = self.outcome {
            add("g.result = ?", outcome.for_side(Colour::Black).into());
        }
        if let Some(rated) = self.rated {
            add("min(g.black_rating, g.white_rating) >= ?", rated.into());
        }
        for board in &self.through {
            let sql = "g.game IN (SELECT game FROM played WHERE board = ?)";
            add(sql, board.key().into());
        }
        match self.kind {
            None => {}
            Some(Kind::Finished) => sql += " AND g.result IS NOT NULL",
            Some(Kind::Unfinished) => sql += " AND g.result IS NULL",
            Some(Kind::Ended(end)) => add("g.ending = ?", Value::Text(end.name().to_owned())),
            Some(Kind::Elsewhere) => sql += " AND g.start IS NOT NULL",
        }
        Ok((sql, values))
    }
}
