//! Importing games into a database.

use super::counts;
use super::index::{index, insert};
use super::known::{GameRow, KnownGames, Seats};
use super::stored::ggf;
use crate::database::{Change, NewBook};
use crate::{Context, Error, Progress, Result, Store};
use obook_base::parallel::read_ahead_by;
use obook_base::sqlite::all_rows;
use obook_games::Game;
use obook_sql::rows::GameId;
use rusqlite::{Connection, params};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The number of games imported together. Their positions take half a gigabyte of memory while they are sorted.
const TOGETHER: usize = 1 << 17;
/// The bytes of their texts.
const TEXTS_TOGETHER: usize = 1 << 25;
/// The bytes of texts of a usual game, at most.
const USUAL_TEXTS: usize = 1 << 10;

/// If more games come in or go than the number in the database divided by this, the undo log keeps whole tables instead of new rows.
pub(super) const WHOLE_TABLES: i64 = 8;

/// The tables of games.
pub(super) const TABLES: [&str; 5] = ["players", "tournaments", "games", "played", "play_counts"];

/// Games to be imported; they are read on a thread of their own. Behind one type, the code that imports them is compiled once.
type Games<'g> = &'g mut (dyn Iterator<Item = Result<obook_games::Entry>> + Send);

/// The result of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// The number of games read.
    pub read: u64,
    /// The number of games that the database did not have.
    pub added: u64,
    /// The number of positions of the added games, including the last ones.
    pub positions: u64,
    /// The number of new players.
    pub players: u64,
    /// The number of new tournaments.
    pub tournaments: u64,
    /// The number of players who had a number for a name, and got their real name.
    pub named_players: u64,
    /// The number of games in which real names replaced numbers.
    pub named_games: u64,
}

/// Imports games into a database. Imports all games or, after an error, none.
///
/// A record with faults and without a move that can be read is no game, and is left out.
///
/// A game with the same players, tournament, date, result and moves as one in the database is not imported again. If a file has a
/// game twice, so has the database.
///
/// A WTHOR file without its lists has numbers for names, such as `player 1517`. If it comes again with names, its games are recognised
/// by these numbers, and all games of a player get the name. If the database has the game with names already, they stay.
///
/// # Errors
/// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, and errors from `games`.
pub fn import(
    database: &mut Store,
    mut games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
) -> Result<Imported> {
    let context = database.context().clone();
    let path = database.path().to_owned();
    let update = database.change()?;
    let (connection, progress) = (update.connection(), context.progress());
    let imported = take_in(connection, &path, Some(&update), &mut games, progress)?;
    update.commit(&imported)?;
    Ok(imported)
}

/// Makes a database of games, with an empty book.
///
/// # Errors
/// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, [`StoreError::Unfit`](crate::StoreError::Unfit) if another process has created it meanwhile, and
/// errors from `games`.
pub fn import_new(
    new: NewBook,
    mut games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
) -> Result<Imported> {
    let progress = new.context().progress();
    let imported = take_in(new.connection(), new.path(), None, &mut games, progress)?;
    new.commit(&imported)?;
    Ok(imported)
}

/// Imports games into a temporary database, which is deleted with the store.
///
/// # Errors
/// As for [`import`]. Returns [`StoreError::Io`](crate::StoreError::Io) if no temporary folder can be created.
pub fn in_temporary(
    games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    context: &Context,
) -> Result<Store> {
    Store::filled(context, |new| import_new(new, games))
}

/// Imports games in a transaction of this connection. `update` keeps the undo log; a new database has none.
///
/// # Errors
/// As for [`import`].
pub(crate) fn take_in(
    connection: &Connection,
    path: &Path,
    update: Option<&Change<'_>>,
    games: Games<'_>,
    progress: &Progress,
) -> Result<Imported> {
    let mut intake = Intake {
        connection,
        path,
        update,
        known: KnownGames::new(connection, path)?,
        imported: Imported::default(),
    };
    counts::restore(connection).map_err(Error::sqlite(path, "write"))?;
    let weigh = |entry: &Result<obook_games::Entry>| match entry {
        Ok(entry) => 1 + entry.game.text_len() / USUAL_TEXTS,
        Err(_) => 1,
    };
    read_ahead_by(games, weigh, |mut games| {
        loop {
            progress.step("reading", None);
            let more = intake.some(&mut progress.counted(&mut games), progress)?;
            if !more {
                return Ok::<_, Error>(());
            }
        }
    })?;
    intake.fill_in_names()?;
    intake.imported.players = intake.known.players.added;
    intake.imported.tournaments = intake.known.tournaments.added;
    Ok(intake.imported)
}

struct Intake<'c, 'u> {
    connection: &'c Connection,
    path: &'c Path,
    update: Option<&'c Change<'u>>,
    known: KnownGames<'c>,
    imported: Imported,
}

impl Intake<'_, '_> {
    /// Imports up to [`TOGETHER`] games, fewer if they have long texts. Returns whether there may be more.
    fn some(
        &mut self,
        games: &mut dyn Iterator<Item = Result<obook_games::Entry>>,
        progress: &Progress,
    ) -> Result<bool> {
        let mut new: Vec<(GameId, Seats, GameRow, Game)> = Vec::new();
        let (mut more, mut texts) = (false, 0);
        for entry in games {
            let entry = entry?;
            if entry.game.line().moves().is_empty() && !entry.faults.is_empty() {
                // No move can be read: this is no game.
                continue;
            }
            self.imported.read += 1;
            if let Some((id, seats, row)) = self.known.add(&entry)? {
                texts += entry.game.text_len();
                new.push((id, seats, row, entry.game));
            }
            if new.len() == TOGETHER || texts >= TEXTS_TOGETHER {
                more = true;
                break;
            }
        }
        if !new.is_empty() {
            self.write(new, progress)?;
        }
        Ok(more)
    }

    /// Replaces the made-up names for which real ones were found.
    fn fill_in_names(&mut self) -> Result<()> {
        let (connection, path) = (self.connection, self.path);
        let failed = || Error::sqlite(path, "write");
        let known = &mut self.known;
        let columns = [
            ("tournament", &known.tournaments.found),
            ("black", &known.players.found),
            ("white", &known.players.found),
        ];
        let mut named = BTreeSet::new();
        for (column, found) in columns {
            let sql = format!("SELECT game FROM main.games WHERE {column} = ?");
            for made_up in found.keys() {
                let games = all_rows::<i64, Vec<_>>(connection, &sql, [made_up], |row| row.get(0));
                named.extend(games.map_err(failed())?);
            }
        }
        if named.is_empty() {
            return Ok(());
        }
        if let Some(update) = self.update
            && named.len() as i64 > count(connection).map_err(failed())? / WHOLE_TABLES
        {
            update.log_whole(&["games"])?;
        }
        for (column, found) in columns {
            let sql = format!("UPDATE main.games SET {column} = ?2 WHERE {column} = ?1");
            let mut replace = connection.prepare(&sql).map_err(failed())?;
            for (made_up, real) in found {
                replace.execute(params![made_up, real]).map_err(failed())?;
            }
        }
        self.imported.named_players = known.players.found.values().flatten().count() as u64;
        self.imported.named_games = named.len() as u64;
        known.tournaments.replace_found()?;
        known.players.replace_found()
    }

    fn write(
        &mut self,
        mut new: Vec<(GameId, Seats, GameRow, Game)>,
        progress: &Progress,
    ) -> Result<()> {
        let (connection, path) = (self.connection, self.path);
        let failed = || Error::sqlite(path, "write");
        new.sort_unstable_by_key(|(id, ..)| *id);
        let had = count(connection).map_err(failed())?;
        if let Some(update) = self.update
            && new.len() as i64 > had / WHOLE_TABLES
        {
            update.log_whole(&TABLES)?;
        }
        progress.step("writing games", Some(new.len() as u64));
        let mut insert_game = connection.prepare_cached(INSERT).map_err(failed())?;
        let mut ids = Vec::with_capacity(new.len());
        let mut games = Vec::with_capacity(new.len());
        for (id, seats, row, game) in new {
            self.known.tournaments.write(seats.tournament)?;
            self.known.players.write(seats.black)?;
            self.known.players.write(seats.white)?;
            let theoretical = game.theoretical;
            let inserted = insert_game.execute(params![
                id.number(),
                row.date,
                seats.tournament,
                seats.black,
                seats.white,
                row.score,
                theoretical.map(|best| best.score.get()),
                theoretical.map(|best| best.empties),
                row.start,
                row.moves,
                ggf(&game),
            ]);
            inserted.map_err(failed())?;
            ids.push(id);
            games.push(game);
            progress.advance(1);
        }
        progress.step("sorting positions", None);
        let rows = index(&games);
        drop(games);
        progress.step("writing positions", Some(rows.len() as u64));
        insert(connection, &rows, &ids, || progress.advance(1)).map_err(failed())?;
        progress.step("counting", None);
        counts::add(connection, &rows, &ids, had == 0).map_err(failed())?;
        self.imported.added += ids.len() as u64;
        self.imported.positions += rows.len() as u64;
        Ok(())
    }
}

/// The number of games.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM main.games", [], |row| row.get(0))
}

const INSERT: &str = "INSERT INTO main.games (game, date, tournament, black, white, score, theoretical, theoretical_empties,
                                              start, moves, ggf)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
