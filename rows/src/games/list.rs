//! Games by number, the latest first.

use super::{Condition, GameId, table};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, Row, params_from_iter};

/// What there is to say of a game in one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Its number.
    pub id: GameId,
    /// When it was played: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Where.
    pub tournament: Option<String>,
    /// Who played Black,
    pub black: Option<String>,
    /// and White.
    pub white: Option<String>,
    /// Black's discs minus White's at the end.
    pub score: Option<i8>,
    /// Its moves from the usual start, `f5d6c3…`, passes written `pa`; `None` where it began elsewhere.
    pub moves: Option<String>,
}

/// The columns of a [`Summary`].
pub(super) const SUMMARY: &str = "g.game, g.date, t.name, b.name, w.name, g.score,
    CASE WHEN g.start IS NULL THEN g.moves END";

/// The tables of the names in it.
pub(super) fn names(schema: Option<&str>) -> String {
    format!(
        "LEFT JOIN {} AS t ON t.tournament = g.tournament
         LEFT JOIN {players} AS b ON b.player = g.black
         LEFT JOIN {players} AS w ON w.player = g.white",
        table(schema, "tournaments"),
        players = table(schema, "players"),
    )
}

impl Summary {
    /// A row; `None` where its number is none of a game.
    pub(super) fn read(row: &Row<'_>) -> Result<Option<Summary>> {
        let Some(id) = GameId::from_number(row.get(0)?) else {
            return Ok(None);
        };
        Ok(Some(Summary {
            id,
            date: row.get(1)?,
            tournament: row.get(2)?,
            black: row.get(3)?,
            white: row.get(4)?,
            score: row.get(5)?,
            moves: row.get(6)?,
        }))
    }
}

/// Games, the latest first; of one year the last that came in. At most `limit` of them, and only those with numbers below
/// `before`, where that is given: so that many can be asked for in portions.
///
/// # Errors
/// Where SQLite can't read the tables.
pub fn list(
    connection: &Connection,
    schema: Option<&str>,
    condition: &Condition,
    before: Option<GameId>,
    limit: u32,
) -> Result<Vec<Summary>> {
    let games = condition.on_games(connection, schema)?;
    let sql = format!(
        "SELECT {SUMMARY} FROM {} AS g {} WHERE {} AND g.game BETWEEN ? AND ? ORDER BY g.game DESC LIMIT ?",
        table(schema, "games"),
        names(schema),
        games.sql,
    );
    let (first, last) = condition.numbers();
    let last = before.map_or(last, |before| last.min(before.number() - 1));
    let others = [first, last, limit.into()].map(Value::Integer);
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query(params_from_iter(games.values.into_iter().chain(others)))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(Summary::read(row)?);
    }
    Ok(found)
}
