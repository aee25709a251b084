//! The games of a damaged database, as far as SQLite can read them.
//!
//! Unlike a position, a game may be longer than a page, so pages are not read separately: an overwritten page hides
//! the ones below it, and if the list of tables is lost, no game is found.

use crate::games::game_in;
use obook_games::{Entry, Place};
use obook_sql::rows::GameId;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::VecDeque;
use std::path::Path;

/// How many row numbers are read at once.
const PORTION: u32 = 1 << 10;
/// Greater than any row number: games of the last possible year have smaller ones.
const END: i64 = 1 << 40;

/// Games in order of row number, skipping what can't be read.
pub(super) struct Games {
    connection: Connection,
    pub(super) numbers: Numbers,
    /// Rows that don't make a game.
    pub(super) doubtful: u64,
}

impl Games {
    /// The games of a private copy.
    pub(super) fn of(connection: Connection) -> Games {
        for (table, key) in [("players", "player"), ("tournaments", "tournament")] {
            // If SQLite can't even do this, it won't find any game either.
            let _ = keep_names(&connection, table, key);
        }
        Games {
            numbers: Numbers::of("games", "game"),
            connection,
            doubtful: 0,
        }
    }
}

impl Iterator for Games {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let number = self.numbers.next(&self.connection)?;
            let read =
                GameId::from_number(number).map(|id| game_in(&self.connection, Path::new(""), id));
            let Some(Ok(Some(game))) = read else {
                self.doubtful += 1;
                continue;
            };
            let place = Place {
                file: None,
                number: number.unsigned_abs(),
                offset: 0,
                line: None,
            };
            return Some(Entry {
                game,
                place,
                faults: Vec::new(),
                numbers: None,
            });
        }
    }
}

/// Copies the legible names into a table that hides the damaged one: a game whose player has lost their name is still
/// a game.
fn keep_names(connection: &Connection, table: &str, key: &str) -> rusqlite::Result<()> {
    let create = format!("CREATE TEMP TABLE {table} ({key} INTEGER PRIMARY KEY, name TEXT)");
    connection.execute_batch(&create)?;
    let select = format!("SELECT name FROM main.{table} WHERE {key} = ?");
    let insert = format!("INSERT INTO temp.{table} ({key}, name) VALUES (?, ?)");
    let mut numbers = Numbers::of(table, key);
    while let Some(number) = numbers.next(connection) {
        let select = connection.prepare_cached(&select);
        let name = select.and_then(|mut it| it.query_row([number], |row| row.get::<_, String>(0)));
        if let Ok(name) = name {
            let mut insert = connection.prepare_cached(&insert)?;
            insert.execute(params![number, name])?;
        }
    }
    Ok(())
}

/// The row numbers of a table in order, without those that SQLite can't read.
#[derive(Default)]
pub(super) struct Numbers {
    /// A query that tells whether the table exists.
    exists: String,
    /// A query for the next few numbers.
    select: String,
    ready: VecDeque<i64>,
    /// Numbers up to this one were returned or skipped.
    last: i64,
    /// How often numbers were skipped.
    pub(super) gaps: u64,
    /// Whether the damage has no readable end.
    pub(super) are_lost: bool,
}

impl Numbers {
    fn of(table: &str, key: &str) -> Numbers {
        Numbers {
            exists: format!("SELECT count(*) FROM main.sqlite_schema WHERE name = '{table}'"),
            select: format!(
                "SELECT {key} FROM main.{table} NOT INDEXED WHERE {key} > ? ORDER BY {key} LIMIT ?"
            ),
            ..Numbers::default()
        }
    }

    fn next(&mut self, connection: &Connection) -> Option<i64> {
        if self.ready.is_empty() {
            self.ready = self.read(connection);
        }
        if self.ready.is_empty() {
            self.last = self.behind_damage(connection)?;
            self.gaps += 1;
            self.ready = self.read(connection);
        }
        let next = self.ready.pop_front()?;
        // A damaged tree may return numbers in any order, and repeatedly.
        (next > self.last).then(|| self.last = next)?;
        Some(next)
    }

    /// Reads the next numbers, as far as possible.
    fn read(&self, connection: &Connection) -> VecDeque<i64> {
        let read = || {
            let mut select = connection.prepare_cached(&self.select)?;
            let rows = select.query_map((self.last, PORTION), |row| row.get(0))?;
            Ok::<_, rusqlite::Error>(rows.map_while(Result::ok).collect())
        };
        read().unwrap_or_default()
    }

    /// The last number of the damaged stretch that comes next; `None` if there is none, or if it has no end.
    fn behind_damage(&mut self, connection: &Connection) -> Option<i64> {
        let can_be_read = |last: i64| {
            let read = || {
                let mut select = connection.prepare_cached(&self.select)?;
                select.query_row((last, 1), |row| row.get::<_, i64>(0))
            };
            read().optional().is_ok()
        };
        let exists = connection.query_row(&self.exists, [], |row| row.get(0));
        if exists == Ok(0) || can_be_read(self.last) {
            return None;
        }
        let (mut damaged, mut step) = (self.last, 1);
        let mut sound = loop {
            let Some(next) = damaged.checked_add(step).filter(|next| *next <= END) else {
                self.are_lost = true;
                return None;
            };
            if can_be_read(next) {
                break next;
            }
            (damaged, step) = (next, 2 * step);
        };
        while sound - damaged > 1 {
            let between = damaged + (sound - damaged) / 2;
            match can_be_read(between) {
                true => sound = between,
                false => damaged = between,
            }
        }
        Some(sound)
    }
}
