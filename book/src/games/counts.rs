//! The counts that are kept of boards of many games: table `play_counts`.

use obook_othello::CanonicalBoard;
use obook_rows::games::{COUNTED_FROM, GAMES_A_YEAR};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// What is counted apart: move, year (0: not known), whether Black was to move.
type Key = (u8, i64, bool);

#[derive(Default)]
struct Count {
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    won: i64,
    lost: i64,
}

/// Keeps the counts of these boards, of which the games in table `played` have changed.
pub(super) fn keep(
    connection: &Connection,
    boards: impl Iterator<Item = CanonicalBoard>,
) -> Result<()> {
    let mut select =
        connection.prepare("SELECT move, game, black, score FROM main.played WHERE board = ?")?;
    let mut delete = connection.prepare("DELETE FROM main.play_counts WHERE board = ?")?;
    let mut insert = connection.prepare(
        "INSERT INTO main.play_counts (board, move, year, black, games, wins, draws, losses, won, lost)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for board in boards {
        let key = board.to_key();
        let mut counts: BTreeMap<Key, Count> = BTreeMap::new();
        let mut number = 0;
        let mut rows = select.query([key])?;
        while let Some(row) = rows.next()? {
            number += 1;
            // Where the game ended nothing was played.
            let Some(mv) = row.get(0)? else { continue };
            let game: i64 = row.get(1)?;
            let count = counts
                .entry((mv, game / GAMES_A_YEAR, row.get(2)?))
                .or_default();
            count.add(row.get(3)?);
        }
        if number < COUNTED_FROM {
            continue;
        }
        delete.execute([key])?;
        for ((mv, year, black), count) in counts {
            insert.execute(params![
                key,
                mv,
                year,
                black,
                count.games,
                count.wins,
                count.draws,
                count.losses,
                count.won,
                count.lost
            ])?;
        }
    }
    Ok(())
}

impl Count {
    fn add(&mut self, score: Option<i64>) {
        self.games += 1;
        match score {
            Some(score) if score > 0 => {
                self.wins += 1;
                self.won += score;
            }
            Some(score) if score < 0 => {
                self.losses += 1;
                self.lost += score;
            }
            Some(_) => self.draws += 1,
            None => {}
        }
    }
}

/// Whether counts are to be kept that are not: another program has written to table `played`, which emptied this one.
pub(super) fn are_missing(connection: &Connection) -> Result<bool> {
    let sql =
        "SELECT NOT EXISTS (SELECT 1 FROM main.play_counts) AND EXISTS (SELECT 1 FROM main.played)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// The boards of which counts are to be kept, by walking the whole table `played`.
pub(super) fn boards_of_many(connection: &Connection) -> Result<Vec<CanonicalBoard>> {
    let sql = "SELECT board FROM main.played GROUP BY board HAVING count(*) >= ?";
    let mut select = connection.prepare(sql)?;
    let rows = select.query_map([COUNTED_FROM as i64], |row| row.get::<_, [u8; 16]>(0))?;
    let boards = rows.filter_map(|key| match key {
        Ok(key) => obook_othello::CanonicalBoard::from_key(key).ok()?.map(Ok),
        Err(error) => Some(Err(error)),
    });
    boards.collect()
}
