//! Ratings of positions by the games in the database: table `ratings`.

use crate::games::StoredRatings;
use crate::{Error, Progress, Result, Store};
use obook_games::ratings::{Method, PlayedPositions, Settings, for_each};
use obook_othello::{CanonicalBoard, Move};
use rusqlite::{Connection, Row};
use std::path::Path;

/// Rates the positions of the games in a database. Replaces the table `ratings` by the ratings of positions that at least
/// `least` games reached, in one transaction. All games count, also in positions with fewer games.
///
/// # Errors
/// Returns [`Error::NoGames`] if it has no games, [`StoreError::Unfit`](crate::StoreError::Unfit) if none has
/// a result, [`Error::BadGames`] for a damaged row in table `played`, and [`StoreError::Sqlite`](crate::StoreError::Sqlite) if it can't be read or written.
pub fn store_ratings(
    database: &mut Store,
    methods: &[Method],
    settings: &Settings,
    least: u64,
) -> Result<StoredRatings> {
    let (path, context) = (database.path().to_owned(), database.context().clone());
    let (path, progress) = (&*path, context.progress());
    // Locks out other writers, so that the ratings match the games.
    let update = database.change()?;
    progress.step("reading games", None);
    let (mut plays, mut stored) = read(update.connection(), path, progress)?;
    if stored.games == 0 {
        let problem = "none of its games has a known result, so there is nothing to rate by";
        return Err(match stored.left_out {
            0 => Error::NoGames { path: path.into() },
            _ => Error::unfit(path, problem),
        });
    }
    progress.step("rating", None);
    let mut ratings = Vec::new();
    for_each(&mut plays, settings, |play, rating| {
        if play.count() < least {
            stored.too_few += 1;
        } else {
            ratings.push((play.board, rating));
        }
    });
    drop(plays);
    ratings.sort_unstable_by_key(|(board, _)| *board);
    stored.positions = ratings.len() as u64;
    let insert = "INSERT INTO main.ratings (board, method, value) VALUES (?, ?, ?)";
    let row = |board: &CanonicalBoard, method, value| (board.to_key(), method, value);
    update.replace_ratings(insert, methods, &ratings, row)?;
    update.commit(&stored)?;
    Ok(stored)
}

/// Reads the games in each position from table `played`.
fn read(
    connection: &Connection,
    path: &Path,
    progress: &Progress,
) -> Result<(PlayedPositions, StoredRatings)> {
    let failed = || Error::sqlite(path, "read");
    let (mut plays, mut stored) = (PlayedPositions::default(), StoredRatings::default());
    let sql = "SELECT board, move, score, game FROM main.played ORDER BY board, game";
    let mut select = connection.prepare(sql).map_err(failed())?;
    let mut rows = select.query([]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let (board, mv) = passage(row).map_err(failed())?.ok_or_else(|| {
            let row = row.get_ref(3).and_then(|game| Ok(game.as_i64()?));
            let row = row.map_or_else(|_| "a game".to_owned(), |game| format!("game {game}"));
            let problem = format!(
                "table played has a damaged row of {row}, with an impossible board or move"
            );
            let path = path.to_owned();
            Error::BadGames { path, problem }
        })?;
        let score: Option<i64> = row.get(2).map_err(failed())?;
        // A game ends once.
        let ended = u64::from(mv.is_none());
        match score {
            Some(score) => {
                plays.push(board, mv, score.signum() as i8);
                stored.games += ended;
            }
            None => stored.left_out += ended,
        }
        progress.advance(1);
    }
    Ok((plays, stored))
}

/// The board of a row, and its move if it has one. Returns `None` if they are damaged.
fn passage(row: &Row<'_>) -> rusqlite::Result<Option<(CanonicalBoard, Option<Move>)>> {
    let Ok(Some(board)) = CanonicalBoard::from_key(row.get(0)?) else {
        return Ok(None);
    };
    let code: Option<i64> = row.get(1)?;
    let Some(code) = code else {
        return Ok(Some((board, None)));
    };
    let mv = u8::try_from(code).ok().and_then(Move::from_code);
    Ok(mv.map(|mv| (board, Some(mv))))
}
