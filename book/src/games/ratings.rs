//! Ratings of positions by the games in the database: table `ratings`.

use crate::{Book, Context, Error, Progress, Result};
use obook_games::ratings::{Method, Plays, Rating, Settings, for_each};
use obook_othello::{CanonicalBoard, Move};
use obook_store::Change;
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use std::path::Path;

/// What storing ratings did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StoredRatings {
    /// Games that the ratings are made of.
    pub games: u64,
    /// Games in the database whose result is not known, which say nothing.
    pub left_out: u64,
    /// Positions that got a rating by each of the methods.
    pub positions: u64,
    /// Positions that too few games reached.
    pub too_few: u64,
}

/// Rates every position that the games in the database at `path` went through, and keeps the ratings of those that at least `least`
/// games reached in its table `ratings`, in place of all that was there: in one transaction, so that readers see the old ratings
/// until the new ones are complete. All games count for a rating, those through positions of fewer games too.
///
/// # Errors
/// [`Error::BookFile`] where the file is no database, [`Error::Unfit`] where no games are in it or a row of table `played` is of no game,
/// and [`Error::Sqlite`].
pub fn store_ratings(
    path: &Path,
    methods: &[Method],
    settings: &Settings,
    least: u64,
    context: &Context,
) -> Result<StoredRatings> {
    let progress = context.progress();
    let mut database = Book::open_for_writing(path, "store ratings in", context)?;
    // From here on no other process can write, so what is read is what the ratings will stand beside.
    let update = database.change()?;
    progress.step("reading games", None);
    let (mut plays, mut stored) = read(update.connection(), path, progress)?;
    if stored.games == 0 {
        let problem = match stored.left_out {
            0 => "there are no games in it; obook games import takes some in",
            _ => "the result of none of its games is known, and ratings are made of results",
        };
        return Err(Error::unfit(path, problem));
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
    progress.step("writing", Some(stored.positions));
    write(&update, methods, &ratings, progress)?;
    update.commit(&stored)?;
    Ok(stored)
}

/// What the games did in each position, by one walk through table `played`.
fn read(
    connection: &Connection,
    path: &Path,
    progress: &Progress,
) -> Result<(Plays, StoredRatings)> {
    let failed = || Error::sqlite(path, "read");
    let (mut plays, mut stored) = (Plays::default(), StoredRatings::default());
    let sql = "SELECT board, move, score, game FROM main.played ORDER BY board, game";
    let mut select = connection.prepare(sql).map_err(failed())?;
    let mut rows = select.query([]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let (board, mv) = passage(row).map_err(failed())?.ok_or_else(|| {
            let row = row.get_ref(3).and_then(|game| Ok(game.as_i64()?));
            let row = row.map_or_else(|_| "a game".to_owned(), |game| format!("game {game}"));
            let problem = format!(
                "table played has a row of {row} with no board or no move that games have; obook games import into a new database \
                 writes it anew"
            );
            Error::unfit(path, problem)
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

/// The board of a row, and the move where there is one; `None` where they are none.
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

/// Puts ratings, which are in key order, in place of what was there.
fn write(
    update: &Change<'_>,
    methods: &[Method],
    ratings: &[(CanonicalBoard, Rating)],
    progress: &Progress,
) -> Result<()> {
    update.log_whole("ratings")?;
    let mut methods = methods.to_vec();
    methods.sort_unstable_by_key(|method| method.name());
    let write = || {
        let connection = update.connection();
        connection.execute_batch("DELETE FROM main.ratings")?;
        let mut insert = connection
            .prepare("INSERT INTO main.ratings (board, method, value) VALUES (?, ?, ?)")?;
        for (board, rating) in ratings {
            for method in &methods {
                insert.execute(params![board.to_key(), method.name(), rating.of(*method)])?;
            }
            progress.advance(1);
        }
        Ok(())
    };
    write().map_err(update.failed())
}
