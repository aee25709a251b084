//! The games that went through a position.

use super::list::{SUMMARY, names};
use super::{Condition, GameId, Summary, table};
use obook_othello::{CanonicalBoard, Move, Side};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, Row, params_from_iter};

/// A game as it went through a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// Which one.
    pub game: Summary,
    /// Who was to move in the position.
    pub side: Side,
    /// What was played there, in the orientation of the canonical board, of moves that symmetry makes the same the first;
    /// `None` where the game ended.
    pub mv: Option<Move>,
}

/// The games that went through a position, the latest first; of one year the last that came in. At most `limit` of them, and
/// only those with numbers below `before`, where that is given: so that many can be asked for in portions.
///
/// # Errors
/// Where SQLite can't read the tables.
pub fn through(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
    before: Option<GameId>,
    limit: u32,
) -> Result<Vec<Passage>> {
    let games = condition.on_games(connection, schema)?;
    let [played, rows_of_games] = ["played", "games"].map(|name| table(schema, name));
    // Few games are looked up in the index of positions, else the index is walked from its end.
    let (from, walked) = if games.is_by_index {
        (
            format!("{rows_of_games} AS g CROSS JOIN {played} AS p"),
            "g",
        )
    } else {
        (
            format!("{played} AS p CROSS JOIN {rows_of_games} AS g"),
            "p",
        )
    };
    let sql = format!(
        "SELECT {SUMMARY}, p.black, p.move FROM {from} {names}
         WHERE {} AND {walked}.game BETWEEN ? AND ? AND p.game = g.game AND p.board = ?
         ORDER BY {walked}.game DESC LIMIT ?",
        games.sql,
        names = names(schema),
    );
    let key = Value::Blob(board.to_key().to_vec());
    let (first, last) = condition.numbers();
    let last = before.map_or(last, |before| last.min(before.number() - 1));
    let others = [
        Value::Integer(first),
        Value::Integer(last),
        key,
        Value::Integer(limit.into()),
    ];
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query(params_from_iter(games.values.into_iter().chain(others)))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(passage(row)?);
    }
    Ok(found)
}

/// A row; `None` where its numbers are none of a game.
fn passage(row: &Row<'_>) -> Result<Option<Passage>> {
    let Some(game) = Summary::read(row)? else {
        return Ok(None);
    };
    let mv: Option<u8> = row.get(8)?;
    Ok(Some(Passage {
        game,
        side: if row.get(7)? {
            Side::Black
        } else {
            Side::White
        },
        mv: mv.and_then(Move::from_code),
    }))
}
