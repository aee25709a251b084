//! The contents of the database before an import: names, and games not to import again.

use crate::{Error, Result};
use obook_games::{Date, Game, Score};
use obook_othello::{Line, Move};
use obook_rows::GameId;
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// Players or tournaments by name.
pub(super) struct Names<'c> {
    connection: &'c Connection,
    path: &'c Path,
    numbers: HashMap<String, i64>,
    insert: String,
    next: i64,
    added: u64,
}

impl<'c> Names<'c> {
    /// Reads the names in `table`, whose key is the column `key`.
    pub(super) fn read(
        connection: &'c Connection,
        path: &'c Path,
        table: &str,
        key: &str,
    ) -> Result<Names<'c>> {
        let read = || {
            let mut select =
                connection.prepare(&format!("SELECT name, {key} FROM main.{table}"))?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<HashMap<String, i64>>>()
        };
        let numbers = read().map_err(Error::sqlite(path, "read"))?;
        Ok(Names {
            connection,
            path,
            next: numbers
                .values()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
            numbers,
            insert: format!("INSERT INTO main.{table} ({key}, name) VALUES (?, ?)"),
            added: 0,
        })
    }

    /// The number of a name, which is added if it is new.
    pub(super) fn number(&mut self, name: Option<&str>) -> Result<Option<i64>> {
        let Some(name) = name else {
            return Ok(None);
        };
        if let Some(number) = self.numbers.get(name) {
            return Ok(Some(*number));
        }
        let number = self.next;
        self.connection
            .prepare_cached(&self.insert)
            .and_then(|mut insert| insert.execute(params![number, name]))
            .map_err(Error::sqlite(self.path, "write"))?;
        self.numbers.insert(name.to_owned(), number);
        self.next += 1;
        self.added += 1;
        Ok(Some(number))
    }

    /// The number of names added.
    pub(super) const fn added(&self) -> u64 {
        self.added
    }
}

/// The columns of table `games` by which games are the same or different.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameRow {
    pub(super) date: Option<String>,
    pub(super) tournament: Option<i64>,
    pub(super) black: Option<i64>,
    pub(super) white: Option<i64>,
    pub(super) score: Option<i8>,
    pub(super) start: Option<String>,
    pub(super) moves: String,
}

/// Games with the same identity are the same.
type Identity = [u8; 16];

impl GameRow {
    pub(super) fn of(
        game: &Game,
        tournaments: &mut Names<'_>,
        players: &mut Names<'_>,
    ) -> Result<GameRow> {
        let line = game.line();
        Ok(GameRow {
            date: date(game.date),
            tournament: tournaments.number(game.tournament.as_deref())?,
            black: players.number(game.black.name.as_deref())?,
            white: players.number(game.white.name.as_deref())?,
            score: game.score.map(Score::get),
            start: (!line.is_from_start()).then(|| start(line)),
            moves: line.moves().iter().map(Move::to_string).collect(),
        })
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<GameRow> {
        Ok(GameRow {
            date: row.get(0)?,
            tournament: row.get(1)?,
            black: row.get(2)?,
            white: row.get(3)?,
            score: row.get(4)?,
            start: row.get(5)?,
            moves: row.get(6)?,
        })
    }

    fn identity(&self) -> Identity {
        let mut hash = Sha256::new();
        let numbers = [
            self.tournament,
            self.black,
            self.white,
            self.score.map(i64::from),
        ];
        for number in numbers {
            hash.update([number.is_some().into()]);
            hash.update(number.unwrap_or(0).to_le_bytes());
        }
        for text in [
            self.date.as_deref(),
            self.start.as_deref(),
            Some(&*self.moves),
        ] {
            hash.update([text.is_some().into()]);
            hash.update(text.unwrap_or_default());
            hash.update([0]);
        }
        let mut identity = Identity::default();
        identity.copy_from_slice(&hash.finalize()[..16]);
        identity
    }
}

/// The date as far as it is known.
fn date(date: Date) -> Option<String> {
    date.year().map(|_| date.to_string())
}

/// The start position: 64 squares and the side to move.
fn start(line: &Line) -> String {
    let side = line.positions().next().map(|(_, side)| side);
    line.start()
        .to_text_for(side.unwrap_or(obook_othello::Side::Black))
}

/// The known games of the years of the import.
#[derive(Default)]
pub(super) struct KnownGames {
    years: HashMap<Option<u16>, Year>,
    /// The number of times each game was in the file being read.
    seen: HashMap<Identity, u32>,
}

struct Year {
    /// The number of the next game.
    next: i64,
    known: HashMap<Identity, u32>,
}

impl KnownGames {
    /// Begins another file. Games it shares with the file before are not new.
    pub(super) fn next_file(&mut self) {
        self.seen.clear();
    }

    /// The number for a new game, or `None` if the database has it. A game that is in the file several times must be in the database
    /// as often.
    pub(super) fn add(
        &mut self,
        connection: &Connection,
        path: &Path,
        year: Option<u16>,
        game: &GameRow,
    ) -> Result<Option<GameId>> {
        let of_year = match self.years.entry(year) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let read = Year::read(connection, year).map_err(Error::sqlite(path, "read"))?;
                entry.insert(read)
            }
        };
        let identity = game.identity();
        let seen = self.seen.entry(identity).or_default();
        *seen += 1;
        let known = of_year.known.entry(identity).or_default();
        if *seen <= *known {
            return Ok(None);
        }
        *known = *seen;
        let Some(id) = GameId::new(year, of_year.next) else {
            let year = year.map_or("of an unknown year".to_owned(), |year| format!("of {year}"));
            return Err(Error::unfit(
                path,
                format!(
                    "the limit of 9999999 games {year} is reached; import the others into another database"
                ),
            ));
        };
        of_year.next += 1;
        Ok(Some(id))
    }
}

impl Year {
    fn read(connection: &Connection, year: Option<u16>) -> rusqlite::Result<Year> {
        let mut select = connection.prepare_cached(
            "SELECT date, tournament, black, white, score, start, moves, game FROM main.games
             WHERE game BETWEEN ? AND ?",
        )?;
        let last = GameId::last_of(year).number();
        let first = last + 1 - obook_rows::games::GAMES_A_YEAR;
        let mut found = Year {
            next: 1,
            known: HashMap::new(),
        };
        let mut rows = select.query([first, last])?;
        while let Some(row) = rows.next()? {
            let identity = GameRow::read(row)?.identity();
            *found.known.entry(identity).or_default() += 1;
            found.next = row.get::<_, i64>(7)? - first + 1;
        }
        Ok(found)
    }
}
