//! The games of a damaged database, as far as SQLite can read them.
//!
//! Unlike a position, a game may be longer than a page, so pages are not read apart: one that is overwritten hides those that
//! it led to, and where it is not known any more which tables there were, no game is found.

use crate::games::game;
use obook_games::{Entry, Place};
use obook_rows::GameId;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::VecDeque;

/// Numbers that are read at once.
const PORTION: u32 = 1 << 10;
/// No row has a number beyond: games of the last year that can be written have smaller ones.
const END: i64 = 1 << 40;

/// Games one after another, by their numbers; what can't be read is passed over.
pub(super) struct Games {
    connection: Connection,
    numbers: Numbers,
    /// Rows of which no game can be made.
    pub(super) doubtful: u64,
}

impl Games {
    /// The games of a copy that nobody else uses.
    pub(super) fn of(connection: Connection) -> Games {
        for (table, key) in [("players", "player"), ("tournaments", "tournament")] {
            // Where SQLite can't even do this, it will not find any game either.
            let _ = keep_names(&connection, table, key);
        }
        Games {
            numbers: Numbers::of("games", "game"),
            connection,
            doubtful: 0,
        }
    }

    /// How often rows could not be read.
    pub(super) fn gaps(&self) -> u64 {
        self.numbers.gaps
    }

    /// Whether the rest of them, or all, can't be found.
    pub(super) fn are_lost(&self) -> bool {
        self.numbers.are_lost
    }
}

impl Iterator for Games {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let number = self.numbers.next(&self.connection)?;
            let read = GameId::from_number(number).map(|id| game(&self.connection, id));
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
            });
        }
    }
}

/// Puts the names that can be read into a table that stands before the damaged one: a game whose player has no name any more is a
/// game all the same.
fn keep_names(connection: &Connection, table: &str, key: &str) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE TEMP TABLE {table} ({key} INTEGER PRIMARY KEY, name TEXT)"
    ))?;
    let select = format!("SELECT name FROM main.{table} WHERE {key} = ?");
    let insert = format!("INSERT INTO temp.{table} ({key}, name) VALUES (?, ?)");
    let mut numbers = Numbers::of(table, key);
    while let Some(number) = numbers.next(connection) {
        let read = || {
            let mut select = connection.prepare_cached(&select)?;
            select.query_row([number], |row| row.get::<_, String>(0))
        };
        if let Ok(name) = read() {
            let mut insert = connection.prepare_cached(&insert)?;
            insert.execute(params![number, name])?;
        }
    }
    Ok(())
}

/// The numbers of a table's rows, in their order, but for those that SQLite can't read.
struct Numbers {
    /// Whether there is such a table.
    exists: String,
    /// What finds those behind a number, and not more than so many.
    select: String,
    ready: VecDeque<i64>,
    /// All up to this one were given or passed over.
    last: i64,
    /// How often some were passed over.
    gaps: u64,
    /// Whether no end of what can't be read was found.
    are_lost: bool,
}

impl Numbers {
    fn of(table: &str, key: &str) -> Numbers {
        Numbers {
            exists: format!("SELECT count(*) FROM main.sqlite_schema WHERE name = '{table}'"),
            select: format!(
                "SELECT {key} FROM main.{table} NOT INDEXED WHERE {key} > ? ORDER BY {key} LIMIT ?"
            ),
            ready: VecDeque::new(),
            last: 0,
            gaps: 0,
            are_lost: false,
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
        // In a damaged tree they may come in any order, and again and again.
        (next > self.last).then(|| self.last = next)?;
        Some(next)
    }

    /// The next ones, as far as they can be read.
    fn read(&self, connection: &Connection) -> VecDeque<i64> {
        let read = || {
            let mut select = connection.prepare_cached(&self.select)?;
            let rows = select.query_map((self.last, PORTION), |row| row.get(0))?;
            Ok::<_, rusqlite::Error>(rows.map_while(Result::ok).collect())
        };
        read().unwrap_or_default()
    }

    /// The last number of what can't be read and comes next; `None` where nothing does, or where it has no end.
    fn behind_damage(&mut self, connection: &Connection) -> Option<i64> {
        let can_be_read = |last: i64| {
            let read = || {
                let mut select = connection.prepare_cached(&self.select)?;
                let next = select.query_row((last, 1), |row| row.get::<_, i64>(0));
                next.optional()
            };
            read().is_ok()
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
