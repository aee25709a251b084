//! Removing games.

use super::counts;
use super::import::{TABLES, WHOLE_TABLES, count};
use super::index::index;
use super::stored::game;
use crate::{Error, Result, Store};
use itertools::Itertools as _;
use obook_games::wthor::ListKind;
use obook_othello::CanonicalBoard;
use obook_sql::rows::GameId;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use std::collections::BTreeSet;

/// The games removed together.
const TOGETHER: usize = 1 << 12;

/// The games and rows that were removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RemovedGames {
    /// Games.
    pub games: u64,
    /// Their positions, including the last ones.
    pub positions: u64,
    /// Players without a game left.
    pub players: u64,
    /// Tournaments without a game left.
    pub tournaments: u64,
}

/// Removes games from a database, all or, after an error, none; numbers without a game are passed over. The database is then as if
/// they had never been imported, but other games keep their numbers.
///
/// # Errors
/// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, and
/// [`StoreError::Unfit`](crate::StoreError::Unfit) if a game is damaged.
pub fn remove(database: &mut Store, games: &[GameId]) -> Result<RemovedGames> {
    let games: Vec<GameId> = games.iter().copied().unique().collect();
    let path = database.path().to_owned();
    let failed = || Error::sqlite(&path, "write");
    let context = database.context().clone();
    let progress = context.progress();
    progress.step("removing games", Some(games.len() as u64));
    let update = database.change()?;
    let connection = update.connection();
    counts::restore(connection).map_err(failed())?;
    let all = count(connection).map_err(failed())?;
    if games.len() as i64 > all / WHOLE_TABLES {
        update.log_whole(&TABLES)?;
    }
    let mut removed = RemovedGames::default();
    for some in games.chunks(TOGETHER) {
        let mut found = Vec::new();
        for &id in some {
            let game = game(update.store(), id)?;
            found.extend(game.map(|game| (id, game)));
            progress.advance(1);
        }
        let (ids, games): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let rows = index(&games);
        removed.games += ids.len() as u64;
        removed.positions += rows.len() as u64;
        let places = rows.iter().map(|row| (row.board, ids[row.place as usize]));
        let names = delete(connection, &ids, places).map_err(failed())?;
        removed.players += names[0];
        removed.tournaments += names[1];
    }
    update.commit(&removed)?;
    Ok(removed)
}

/// Deletes the rows of games. Returns the numbers of players and of tournaments without a game left.
fn delete(
    connection: &Connection,
    games: &[GameId],
    places: impl Iterator<Item = (CanonicalBoard, GameId)>,
) -> rusqlite::Result<[u64; 2]> {
    let mut boards = BTreeSet::new();
    let mut played = connection.prepare("DELETE FROM main.played WHERE board = ? AND game = ?")?;
    for (board, game) in places {
        played.execute(params![board.to_key(), game.number()])?;
        boards.insert(board);
    }
    counts::again(connection, boards)?;
    let mut names: [BTreeSet<i64>; 2] = Default::default();
    let mut delete = connection
        .prepare("DELETE FROM main.games WHERE game = ? RETURNING black, white, tournament")?;
    for game in games {
        let seats = delete.query_row([game.number()], |row| {
            Ok([row.get::<_, Option<i64>>(0)?, row.get(1)?, row.get(2)?])
        });
        if let Some([black, white, tournament]) = seats.optional()? {
            names[0].extend([black, white].into_iter().flatten());
            names[1].extend(tournament);
        }
    }
    let unused = |kind: ListKind, columns: &[&str], names: &BTreeSet<i64>| {
        let (table, key) = (kind.plural(), kind.singular());
        let is_used: String = columns
            .iter()
            .map(|column| format!(" AND NOT EXISTS (SELECT 1 FROM main.games WHERE {column} = ?1)"))
            .collect();
        let sql = format!("DELETE FROM main.{table} WHERE {key} = ?1{is_used}");
        let mut delete = connection.prepare(&sql)?;
        let deleted = names.iter().map(|name| delete.execute([name]));
        Ok::<_, rusqlite::Error>(deleted.sum::<rusqlite::Result<usize>>()? as u64)
    };
    Ok([
        unused(ListKind::Players, &["black", "white"], &names[0])?,
        unused(ListKind::Tournaments, &["tournament"], &names[1])?,
    ])
}
