//! The contents of the database before an import: names, and games not to import again.

use crate::{Error, Result};
use obook_base::sqlite::all_rows;
use obook_games::wthor::{ListKind, Numbers};
use obook_games::{Entry, Game, Score};
use obook_othello::Move;
use obook_sql::rows::GameId;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Players or tournaments by name. A new name is written only for a game that is added or gets it.
pub(super) struct Names<'c> {
    connection: &'c Connection,
    path: &'c Path,
    kind: ListKind,
    numbers: HashMap<String, i64>,
    /// The names made of WTHOR numbers.
    made_up: HashSet<i64>,
    /// Names that are not written yet.
    unwritten: HashMap<i64, String>,
    /// The real names found for made-up ones; `None` for “???”.
    pub(super) found: BTreeMap<i64, Option<i64>>,
    /// The number of the first new name.
    first: i64,
    next: i64,
    /// The number of names added.
    pub(super) added: u64,
}

impl<'c> Names<'c> {
    /// Reads the names of a kind.
    pub(super) fn read(
        connection: &'c Connection,
        path: &'c Path,
        kind: ListKind,
    ) -> Result<Names<'c>> {
        let (table, key) = (kind.plural(), kind.singular());
        let sql = format!("SELECT name, {key} FROM main.{table}");
        let numbers = all_rows(connection, &sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let numbers: HashMap<String, i64> = numbers.map_err(Error::sqlite(path, "read"))?;
        let last = numbers.values().max();
        let first = last.map_or(1, |last| last.saturating_add(1));
        let made_up = numbers.iter().filter(|(name, _)| kind.is_made_up(name));
        Ok(Names {
            connection,
            path,
            kind,
            made_up: made_up.map(|(_, number)| *number).collect(),
            numbers,
            unwritten: HashMap::new(),
            found: BTreeMap::new(),
            first,
            next: first,
            added: 0,
        })
    }

    /// The number of a name, which gets one if it is new.
    fn number(&mut self, name: Option<&str>) -> Option<i64> {
        let name = name?;
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = self.next;
        self.next += 1;
        if self.kind.is_made_up(name) {
            self.made_up.insert(number);
        }
        self.numbers.insert(name.to_owned(), number);
        self.unwritten.insert(number, name.to_owned());
        Some(number)
    }

    /// Writes a name, if it is new.
    pub(super) fn write(&mut self, number: Option<i64>) -> Result<()> {
        let Some((number, name)) = number.and_then(|number| self.unwritten.remove_entry(&number))
        else {
            return Ok(());
        };
        let (table, key) = (self.kind.plural(), self.kind.singular());
        let insert = format!("INSERT INTO main.{table} ({key}, name) VALUES (?, ?)");
        self.connection
            .prepare_cached(&insert)
            .and_then(|mut insert| insert.execute(params![number, name]))
            .map_err(Error::sqlite(self.path, "write"))?;
        self.added += 1;
        Ok(())
    }

    /// The name made of a WTHOR number, if there is one.
    fn made_up(&self, number: Option<u16>) -> Option<i64> {
        let number = number?;
        if self.made_up.is_empty() {
            return None;
        }
        self.numbers.get(&self.kind.made_up(number)).copied()
    }

    /// Merges the stored name of a game with that of a new record. Returns `None` if these are the names of different games.
    ///
    /// A name made of a number gives way to the real name of that number, which every record must agree on.
    fn merge(&self, stored: Option<i64>, new: Name) -> Option<Option<i64>> {
        if stored == new.name {
            return Some(stored);
        }
        let made_up = new.made_up?;
        let real = if new.name == Some(made_up) {
            stored
        } else if stored == Some(made_up) {
            new.name
        } else {
            return None;
        };
        let agrees = self.found.get(&made_up).is_none_or(|found| *found == real);
        let is_real = real.is_none_or(|number| !self.made_up.contains(&number));
        (agrees && is_real).then_some(real)
    }

    /// Notes that a stored name has become another.
    fn note(&mut self, stored: Option<i64>, merged: Option<i64>) {
        if let Some(made_up) = stored
            && stored != merged
        {
            self.found.insert(made_up, merged);
        }
    }

    /// Writes the real names that were found, and deletes the made-up ones, whose games have got these.
    pub(super) fn replace_found(&mut self) -> Result<()> {
        let mut renamed = BTreeSet::new();
        for (made_up, real) in std::mem::take(&mut self.found) {
            self.write(real)?;
            let (table, key) = (self.kind.plural(), self.kind.singular());
            self.connection
                .prepare_cached(&format!("DELETE FROM main.{table} WHERE {key} = ?"))
                .and_then(|mut delete| delete.execute([made_up]))
                .map_err(Error::sqlite(self.path, "write"))?;
            // A replaced name is not a new player or tournament.
            let is_new = |number: &i64| *number >= self.first;
            if is_new(&made_up) || real.is_some_and(|real| is_new(&real) && renamed.insert(real)) {
                self.added -= 1;
            }
        }
        Ok(())
    }
}

/// A name in a new record.
#[derive(Clone, Copy)]
struct Name {
    name: Option<i64>,
    /// The name made of its number in a WTHOR file, if the database has that.
    made_up: Option<i64>,
}

/// The players and the tournament of a game, by their numbers in the database.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Seats<N = Option<i64>> {
    pub(super) tournament: N,
    pub(super) black: N,
    pub(super) white: N,
}

/// The players and the tournament of a new record.
type NewSeats = Seats<Name>;

impl NewSeats {
    fn of(entry: &Entry, tournaments: &mut Names<'_>, players: &mut Names<'_>) -> NewSeats {
        let (game, numbers) = (&entry.game, entry.numbers);
        let name = |names: &mut Names<'_>, name: &Option<String>, number: Option<u16>| Name {
            name: names.number(name.as_deref()),
            made_up: names.made_up(number),
        };
        let number = |of: fn(Numbers) -> u16| numbers.map(of);
        NewSeats {
            tournament: name(tournaments, &game.tournament, number(|all| all.tournament)),
            black: name(players, &game.black.name, number(|all| all.black)),
            white: name(players, &game.white.name, number(|all| all.white)),
        }
    }

    const fn seats(&self) -> Seats {
        Seats {
            tournament: self.tournament.name,
            black: self.black.name,
            white: self.white.name,
        }
    }

    /// Merges with the seats of a stored game. Returns `None` if these are different games.
    fn merge(&self, stored: Seats, tournaments: &Names<'_>, players: &Names<'_>) -> Option<Seats> {
        Some(Seats {
            tournament: tournaments.merge(stored.tournament, self.tournament)?,
            black: players.merge(stored.black, self.black)?,
            white: players.merge(stored.white, self.white)?,
        })
    }
}

/// The columns of table `games` by which games are the same or different, besides their [`Seats`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameRow {
    pub(super) date: Option<String>,
    pub(super) score: Option<i8>,
    pub(super) start: Option<String>,
    pub(super) moves: String,
}

/// Games with the same identity and the same seats are the same.
type Identity = [u8; 16];

impl GameRow {
    fn of(game: &Game) -> GameRow {
        let line = game.line();
        GameRow {
            date: game.date.year().map(|_| game.date.to_string()),
            score: game.score.map(Score::get),
            // The board and the side to move.
            start: (!line.is_from_start()).then(|| line.prefix(0).to_string()),
            moves: line.moves().iter().map(Move::to_string).collect(),
        }
    }

    fn identity(&self) -> Identity {
        let mut hash = Sha256::new();
        hash.update([self.score.is_some().into()]);
        hash.update(self.score.unwrap_or(0).to_le_bytes());
        let (date, start) = (self.date.as_deref(), self.start.as_deref());
        for text in [date, start, Some(&*self.moves)] {
            hash.update([text.is_some().into()]);
            hash.update(text.unwrap_or_default());
            hash.update([0]);
        }
        let hash = hash.finalize();
        *hash.first_chunk().expect("a hash is longer")
    }
}

/// The known names, and the known games of the years of the import.
pub(super) struct KnownGames<'c> {
    pub(super) players: Names<'c>,
    pub(super) tournaments: Names<'c>,
    years: HashMap<Option<u16>, Year>,
    /// The file being read.
    file: Option<Arc<str>>,
    /// The number of times each game was in it.
    seen: HashMap<(Identity, Seats), u32>,
}

struct Year {
    /// The number of the next game.
    next: i64,
    /// The seats at which each game was played, and how often.
    known: HashMap<Identity, Vec<(Seats, u32)>>,
}

impl<'c> KnownGames<'c> {
    /// Reads the names.
    pub(super) fn new(connection: &'c Connection, path: &'c Path) -> Result<KnownGames<'c>> {
        Ok(KnownGames {
            players: Names::read(connection, path, ListKind::Players)?,
            tournaments: Names::read(connection, path, ListKind::Tournaments)?,
            years: HashMap::new(),
            file: None,
            seen: HashMap::new(),
        })
    }

    /// The number for a new game and its columns, or `None` if the database has it. A game that is in a file several times must be in
    /// the database as often, but those that files share are not new. If the names of the known game were made of numbers, and the new
    /// record has the real ones, they are noted.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<Option<(GameId, Seats, GameRow)>> {
        // Not the names: a file may be named twice.
        let address = |file: &Option<Arc<str>>| file.as_ref().map(Arc::as_ptr);
        if address(&self.file) != address(&entry.place.file) {
            self.file.clone_from(&entry.place.file);
            self.seen.clear();
        }
        let (tournaments, players) = (&mut self.tournaments, &mut self.players);
        let (connection, path) = (tournaments.connection, tournaments.path);
        let new = NewSeats::of(entry, tournaments, players);
        let game = GameRow::of(&entry.game);
        let year = entry.game.date.year();
        let of_year = match self.years.entry(year) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let read = Year::read(connection, year).map_err(Error::sqlite(path, "read"))?;
                entry.insert(read)
            }
        };
        let identity = game.identity();
        let known = of_year.known.entry(identity).or_default();
        let seen = &mut self.seen;
        let merged = known.iter().filter_map(|(stored, times)| {
            let is_left = seen.get(&(identity, *stored)).unwrap_or(&0) < times;
            let merged = is_left.then(|| new.merge(*stored, tournaments, players))??;
            Some((*stored, merged))
        });
        // The same names are better than made-up ones.
        let same = merged.min_by_key(|(stored, _)| *stored != new.seats());
        if let Some((stored, merged)) = same {
            tournaments.note(stored.tournament, merged.tournament);
            players.note(stored.black, merged.black);
            players.note(stored.white, merged.white);
            if stored != merged {
                *times(known, stored) -= 1;
                *times(known, merged) += 1;
            }
            *seen.entry((identity, merged)).or_default() += 1;
            return Ok(None);
        }
        *times(known, new.seats()) += 1;
        *seen.entry((identity, new.seats())).or_default() += 1;
        let Some(id) = GameId::new(year, of_year.next) else {
            let year = year.map_or("of an unknown year".to_owned(), |year| format!("of {year}"));
            let path = path.to_owned();
            return Err(Error::TooManyGames { path, year });
        };
        of_year.next += 1;
        Ok(Some((id, new.seats(), game)))
    }
}

impl Year {
    fn read(connection: &Connection, year: Option<u16>) -> rusqlite::Result<Year> {
        let mut select = connection.prepare_cached(
            "SELECT date, tournament, black, white, score, start, moves, game FROM main.games
             WHERE game BETWEEN ? AND ?",
        )?;
        let last = GameId::last_of(year).number();
        let first = last + 1 - obook_sql::rows::games::GAMES_A_YEAR;
        let mut found = Year {
            next: 1,
            known: HashMap::new(),
        };
        let mut rows = select.query([first, last])?;
        while let Some(row) = rows.next()? {
            let game = GameRow {
                date: row.get(0)?,
                score: row.get(4)?,
                start: row.get(5)?,
                moves: row.get(6)?,
            };
            let seats = Seats {
                tournament: row.get(1)?,
                black: row.get(2)?,
                white: row.get(3)?,
            };
            *times(found.known.entry(game.identity()).or_default(), seats) += 1;
            let number = row.get::<_, i64>(7)? - first;
            found.next = found.next.max(number + 1);
        }
        Ok(found)
    }
}

/// The number of times that a game was played at these seats.
fn times(known: &mut Vec<(Seats, u32)>, seats: Seats) -> &mut u32 {
    let at = known.iter().position(|(stored, _)| *stored == seats);
    let at = at.unwrap_or_else(|| {
        known.push((seats, 0));
        known.len() - 1
    });
    &mut known[at].1
}
