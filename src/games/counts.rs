//! The counts of boards that many games went through: table `play_counts`.

use super::index::PlayedRow;
use obook_othello::CanonicalBoard;
use obook_sql::rows::GameId;
use obook_sql::rows::games::{COUNTED_FROM, GAMES_A_YEAR};
use rusqlite::{Connection, Result, Statement, params};
use std::collections::BTreeMap;

/// The counts of a board, each for a move, a year (0 if unknown), and whether Black was to move.
type PlayCounts = BTreeMap<(u8, i64, bool), Count>;

#[derive(Default)]
struct Count {
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    won: i64,
    lost: i64,
}

/// Counts new rows of table `played`, which are sorted by board. `ids` are the games by place. `is_first` if the table had no rows
/// before.
pub(super) fn add(
    connection: &Connection,
    rows: &[PlayedRow],
    ids: &[GameId],
    is_first: bool,
) -> Result<()> {
    let mut writer = Writer::new(connection)?;
    for rows in rows.chunk_by(|one, other| one.board() == other.board()) {
        let board = rows[0].board();
        if !is_first && !writer.counts(board)? {
            // The board had few games, and may have enough now.
            writer.recount(board)?;
        } else if !is_first || rows.len() >= COUNTED_FROM {
            let mut counts = PlayCounts::new();
            for row in rows {
                let (game, score) = (ids[row.place as usize], row.score.map(i64::from));
                count(&mut counts, row.mv, game.number(), row.black, score);
            }
            writer.add(board, &counts)?;
        }
    }
    Ok(())
}

/// Counts the whole table `played` again if there are no counts: another program has written to it, which deletes them.
pub(super) fn restore(connection: &Connection) -> Result<()> {
    let sql =
        "SELECT NOT EXISTS (SELECT 1 FROM main.play_counts) AND EXISTS (SELECT 1 FROM main.played)";
    if !connection.query_row(sql, [], |row| row.get(0))? {
        return Ok(());
    }
    let sql = "SELECT board FROM main.played GROUP BY board HAVING count(*) >= ?";
    let mut select = connection.prepare(sql)?;
    let keys = select.query_map([COUNTED_FROM as i64], |row| row.get::<_, [u8; 16]>(0))?;
    let boards: Vec<CanonicalBoard> = keys
        .filter_map(|key| match key {
            Ok(key) => CanonicalBoard::from_key(key).ok()?.map(Ok),
            Err(error) => Some(Err(error)),
        })
        .collect::<Result<_>>()?;
    let mut writer = Writer::new(connection)?;
    boards
        .into_iter()
        .try_for_each(|board| writer.recount(board))
}

/// Counts boards again of which rows of table `played` were deleted.
pub(super) fn again(
    connection: &Connection,
    boards: impl IntoIterator<Item = CanonicalBoard>,
) -> Result<()> {
    let mut writer = Writer::new(connection)?;
    let mut delete = connection.prepare("DELETE FROM main.play_counts WHERE board = ?")?;
    for board in boards {
        if delete.execute([board.to_key()])? > 0 {
            writer.recount(board)?;
        }
    }
    Ok(())
}

/// The statements that write counts.
struct Writer<'c> {
    is_counted: Statement<'c>,
    select: Statement<'c>,
    add: Statement<'c>,
}

impl<'c> Writer<'c> {
    fn new(connection: &'c Connection) -> Result<Writer<'c>> {
        Ok(Writer {
            is_counted: connection.prepare("SELECT 1 FROM main.play_counts WHERE board = ? LIMIT 1")?,
            select: connection
                .prepare("SELECT move, game, black, score FROM main.played WHERE board = ?")?,
            add: connection.prepare(
                "INSERT INTO main.play_counts (board, move, year, black, games, wins, draws, losses, won, lost)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT DO UPDATE SET games = games + excluded.games, wins = wins + excluded.wins,
                     draws = draws + excluded.draws, losses = losses + excluded.losses,
                     won = won + excluded.won, lost = lost + excluded.lost",
            )?,
        })
    }

    /// Whether there are counts of a board.
    fn counts(&mut self, board: CanonicalBoard) -> Result<bool> {
        self.is_counted.exists([board.to_key()])
    }

    /// Counts a board without counts by its rows in table `played`, if there are enough.
    fn recount(&mut self, board: CanonicalBoard) -> Result<()> {
        let mut counts = PlayCounts::new();
        let mut number = 0;
        let mut rows = self.select.query([board.to_key()])?;
        while let Some(row) = rows.next()? {
            number += 1;
            let (mv, game, black, score) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            count(&mut counts, mv, game, black, score);
        }
        drop(rows);
        if number < COUNTED_FROM {
            return Ok(());
        }
        self.add(board, &counts)
    }

    /// Adds to the counts of a board.
    fn add(&mut self, board: CanonicalBoard, counts: &PlayCounts) -> Result<()> {
        let key = board.to_key();
        for ((mv, year, black), count) in counts {
            self.add.execute(params![
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
        Ok(())
    }
}

/// Counts a row of table `played`, unless the game ended there.
fn count(counts: &mut PlayCounts, mv: Option<u8>, game: i64, black: bool, score: Option<i64>) {
    let Some(mv) = mv else { return };
    let count = counts.entry((mv, game / GAMES_A_YEAR, black)).or_default();
    count.games += 1;
    match score {
        Some(score @ 1..) => {
            count.wins += 1;
            count.won += score;
        }
        Some(score @ ..0) => {
            count.losses += 1;
            count.lost += score;
        }
        Some(0) => count.draws += 1,
        None => {}
    }
}
