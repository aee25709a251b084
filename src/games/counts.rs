//! The counts of boards that many games went through: table `play_counts`.

use super::index::PlayedRow;
use obook_othello::CanonicalBoard;
use obook_sql::rows::GameId;
use obook_sql::rows::games::{COUNTED_FROM, GAMES_A_YEAR};
use rusqlite::{Connection, Result, Statement, params};
use std::collections::BTreeMap;

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
    for rows in rows.chunk_by(|one, other| one.board == other.board) {
        let board = rows[0].board;
        if !is_first && !writer.is_counted.exists([board.to_key()])? {
            // The board had few games, and may have enough now.
            writer.recount(board)?;
        } else if !is_first || rows.len() >= COUNTED_FROM {
            writer.add(board, rows, ids)?;
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
    let often = "IN (SELECT board FROM main.played GROUP BY board HAVING count(*) >= ?)";
    let counted = connection.execute(&counting(often), [COUNTED_FROM as i64]);
    counted.map(drop)
}

/// The statement that counts boards without counts by their rows in table `played`. Rows in which the game ended don't count.
fn counting(boards: &str) -> String {
    format!(
        "INSERT INTO main.play_counts (board, move, year, black, games, wins, draws, losses, won, lost)
         SELECT board, move, game / {GAMES_A_YEAR}, black, count(*), count(*) FILTER (WHERE score > 0),
                count(*) FILTER (WHERE score = 0), count(*) FILTER (WHERE score < 0),
                ifnull(sum(max(score, 0)), 0), ifnull(sum(min(score, 0)), 0)
         FROM main.played WHERE board {boards} AND move IS NOT NULL GROUP BY 1, 2, 3, 4"
    )
}

/// Recounts boards whose rows of table `played` were deleted.
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
    is_often: Statement<'c>,
    recount: Statement<'c>,
    add: Statement<'c>,
}

impl<'c> Writer<'c> {
    fn new(connection: &'c Connection) -> Result<Writer<'c>> {
        Ok(Writer {
            is_counted: connection.prepare("SELECT 1 FROM main.play_counts WHERE board = ? LIMIT 1")?,
            is_often: connection.prepare("SELECT 1 FROM main.played WHERE board = ? LIMIT 1 OFFSET ?")?,
            recount: connection.prepare(&counting("= ?"))?,
            add: connection.prepare(
                "INSERT INTO main.play_counts (board, move, year, black, games, wins, draws, losses, won, lost)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT DO UPDATE SET games = games + excluded.games, wins = wins + excluded.wins,
                     draws = draws + excluded.draws, losses = losses + excluded.losses,
                     won = won + excluded.won, lost = lost + excluded.lost",
            )?,
        })
    }

    /// Counts a board without counts by its rows in table `played`, if there are enough.
    fn recount(&mut self, board: CanonicalBoard) -> Result<()> {
        let before = COUNTED_FROM as i64 - 1;
        if self.is_often.exists(params![board.to_key(), before])? {
            self.recount.execute([board.to_key()])?;
        }
        Ok(())
    }

    /// Adds new rows of table `played` to the counts of their board, except those in which the game ended.
    fn add(&mut self, board: CanonicalBoard, rows: &[PlayedRow], ids: &[GameId]) -> Result<()> {
        // By move, year (0 if unknown), and whether Black was to move.
        let mut counts: BTreeMap<(u8, i64, bool), Count> = BTreeMap::new();
        for row in rows {
            let Some(mv) = row.mv else { continue };
            let year = ids[row.place as usize].number() / GAMES_A_YEAR;
            let count = counts.entry((mv, year, row.black)).or_default();
            count.games += 1;
            let Some(score) = row.score else { continue };
            count.wins += u32::from(score > 0);
            count.draws += u32::from(score == 0);
            count.losses += u32::from(score < 0);
            count.won += i64::from(score.max(0));
            count.lost += i64::from(score.min(0));
        }
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
