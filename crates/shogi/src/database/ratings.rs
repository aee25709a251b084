//! Ratings of positions by the games in the database: table `ratings`.
//!
//! The formulas are those for any game ([`obook_base::ratings`]). In shogi a position can repeat, also in the same game, and its ratings would
//! follow from themselves. So a position is rated once for each number of moves before it: by the games that had it then.

use crate::database::rows::mv;
use crate::{Move, Packed};
use obook_base::ratings::{Method, Rating, Settings};
use obook_store::{Error, Result, Store, StoredRatings};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::Path;

/// The games in a position after some moves.
struct PlayedAt {
    ply: u32,
    board: Packed,
    /// The moves, each once.
    moves: Vec<Move>,
    games: u64,
    /// The number of games that ended here, and the sum of their results for the side to move.
    ended: (u64, i64),
}

/// Rates the positions of the games in a database. Replaces the table `ratings` by the ratings of positions that at least
/// `least` games reached after the same number of moves, in one change. All games count, also in positions with fewer games.
///
/// # Errors
/// Returns [`Error::Unfit`] if the database has no games with results, or a row of table `played` is damaged, and [`Error::Sqlite`] if
/// it can't be read or written.
pub fn store_ratings(
    store: &mut Store,
    methods: &[Method],
    settings: &Settings,
    least: u64,
) -> Result<StoredRatings> {
    let change = store.change()?;
    let path = change.store().path();
    let progress = change.store().context().progress();
    let connection = change.connection();
    let failed = || Error::sqlite(path, "read");
    let mut stored = StoredRatings::default();
    let count = "SELECT count(result), count(*) - count(result) FROM games";
    let counts = connection.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?)));
    let (games, left_out): (i64, i64) = counts.map_err(failed())?;
    (stored.games, stored.left_out) = (games.unsigned_abs(), left_out.unsigned_abs());
    if stored.games == 0 {
        let problem = "it contains no games with a known result, so there is nothing to rate by";
        return Err(Error::unfit(path, problem));
    }
    progress.step("rating", None);
    let mut ratings: Vec<((Packed, u32), Rating)> = Vec::new();
    for_each(connection, path, settings, |played, rating| {
        progress.advance(1);
        if played.games < least {
            stored.too_few += 1;
        } else {
            ratings.push(((played.board, played.ply), rating));
        }
    })?;
    ratings.sort_unstable_by_key(|&(place, _)| place);
    stored.positions = ratings.len() as u64;
    let insert = "INSERT INTO main.ratings (board, ply, method, value) VALUES (?, ?, ?, ?)";
    let row = |&(board, ply): &(Packed, u32), method, value| (board.0, ply, method, value);
    change.replace_ratings(insert, methods, &ratings, row)?;
    change.commit(&stored)?;
    Ok(stored)
}

/// Rates all positions, the last ones first.
fn for_each(
    connection: &Connection,
    path: &Path,
    settings: &Settings,
    mut found: impl FnMut(&PlayedAt, Rating),
) -> Result<()> {
    let failed = || Error::sqlite(path, "read");
    let sql =
        "SELECT ply, board, move, count(*), sum(result) FROM main.played WHERE result IS NOT NULL
               GROUP BY ply, board, move ORDER BY ply DESC, board";
    let mut select = connection.prepare(sql).map_err(failed())?;
    let rows = select.query_map([], |row| {
        let games: i64 = row.get(3)?;
        let (ply, results): (u32, i64) = (row.get(0)?, row.get(4)?);
        let (board, mv) = (Packed(row.get(1)?), mv(row, 2)?);
        Ok((ply, board, mv, games.unsigned_abs(), results))
    });
    // The ratings of the positions one move later, and of those with as many moves as the last one.
    let (mut below, mut here) = (HashMap::new(), HashMap::new());
    let mut ply = None;
    let mut rate = |played: &PlayedAt| -> Result<()> {
        if ply != Some(played.ply) {
            let is_next = ply == Some(played.ply + 1);
            below = std::mem::take(&mut here);
            if !is_next {
                below.clear();
            }
            ply = Some(played.ply);
        }
        let damaged = || {
            let problem = "table played has a damaged row, with an impossible board or move";
            Error::unfit(path, problem)
        };
        let board = played.board.board().map_err(|_| damaged())?;
        let rated = |mv: &Move| Some(below.get(&board.play(*mv)?.key()).copied());
        let after: Option<Vec<Option<Rating>>> = played.moves.iter().map(rated).collect();
        let after = after.ok_or_else(damaged)?.into_iter().flatten();
        let after: Vec<Rating> = after.collect();
        let (ends, results) = played.ended;
        let ended = (ends > 0).then(|| (results as f64 / ends as f64 + 1.0) / 2.0);
        let legal = board.legal_moves().len();
        let depth = played.ply as usize + 1;
        if let Some(rating) = Rating::of_moves(settings, depth, legal, &after, ended) {
            found(played, rating);
            here.insert(played.board, rating);
        }
        Ok(())
    };
    let mut last: Option<PlayedAt> = None;
    for row in rows.map_err(failed())? {
        let (ply, board, mv, games, results) = row.map_err(failed())?;
        let before = last.take_if(|last| (last.ply, last.board) != (ply, board));
        before.iter().try_for_each(&mut rate)?;
        let played = last.get_or_insert_with(|| PlayedAt {
            ply,
            board,
            moves: Vec::new(),
            games: 0,
            ended: (0, 0),
        });
        played.games += games;
        match mv {
            Some(mv) => played.moves.push(mv),
            None => played.ended = (games, results),
        }
    }
    last.iter().try_for_each(rate)
}
