//! Taking games into a database.

use super::counts;
use super::index::{Played, index, insert};
use super::known::{GameRow, KnownGames, Names};
use super::stored::ggf;
use crate::{Book, BookHeader, Context, Error, IfExists, Progress, Result, Store};
use obook_converters::Header;
use obook_games::{Game, Place};
use obook_graph::parallel::read_ahead;
use obook_model::RuleSet;
use obook_othello::CanonicalBoard;
use obook_rows::GameId;
use obook_store::{Change, NewBook};
use rusqlite::{Connection, params};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Games whose positions are sorted together in memory: half a gigabyte.
const TOGETHER: usize = 1 << 17;

/// Beyond this part of the games (one in …) the log keeps the tables as they were instead of each new row.
const WHOLE_TABLES: i64 = 8;

/// The tables that games are in.
const TABLES: [&str; 5] = ["players", "tournaments", "games", "played", "play_counts"];

/// What taking games in did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Imported {
    /// Games that came.
    pub read: u64,
    /// Those that the database did not have.
    pub added: u64,
    /// Positions that those went through, the last ones included.
    pub positions: u64,
    /// Players who were new.
    pub players: u64,
    /// Tournaments that were new.
    pub tournaments: u64,
}

/// Takes games into the database at `path`, all or none of them. Where there is none it is made.
///
/// A game that the database has already, with the same players, tournament, date, result and moves, does not come in again;
/// where a file has it twice, the database has it twice.
///
/// # Errors
/// [`Error::BookFile`] where the file is no database, whatever reading the games gives, and [`Error::Sqlite`].
pub fn import(
    path: &Path,
    games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    context: &Context,
) -> Result<Imported> {
    let progress = context.progress();
    if path.exists() {
        let mut database = Book::open_for_writing(path, "take games in", context)?;
        let update = database.change()?;
        let imported = take_in(update.connection(), path, Some(&update), games, progress)?;
        update.commit(&imported)?;
        return Ok(imported);
    }
    let new = NewBook::create(path, IfExists::Refuse, context)?;
    new.set_header(&BookHeader {
        rules: RuleSet::Edax,
        format: None,
        header: Header::default(),
    })?;
    let failed = || Error::sqlite(path, "write");
    let transaction = new.connection().unchecked_transaction().map_err(failed())?;
    let imported = fill(&transaction, path, games, progress)?;
    transaction.commit().map_err(failed())?;
    match new.commit(&imported) {
        // There was nothing at the beginning, so there is nothing that the user wanted to replace.
        Err(Error::Exists { .. }) => Err(Error::unfit(
            path,
            "another process has created it meanwhile; run this again to add the games to it",
        )),
        done => done.map(|()| imported),
    }
}

/// A database of these games that goes away with the store.
///
/// # Errors
/// As [`import`], and [`Error::Io`] where no temporary folder can be made.
pub fn in_temporary(
    games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    context: &Context,
) -> Result<Store> {
    let make = |path: &Path| import(path, games, context).map(drop);
    Store::temporary(make, &context.clone().with_progress(Progress::hidden()))
}

/// Takes games into a new database, inside a transaction of this connection.
///
/// # Errors
/// As [`import`].
pub(crate) fn fill(
    connection: &Connection,
    path: &Path,
    games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    progress: &Progress,
) -> Result<Imported> {
    take_in(connection, path, None, games, progress)
}

/// Takes them in inside a transaction; `update` logs it, where that is needed.
fn take_in(
    connection: &Connection,
    path: &Path,
    update: Option<&Change<'_>>,
    games: impl Iterator<Item = Result<obook_games::Entry>> + Send,
    progress: &Progress,
) -> Result<Imported> {
    let mut intake = Intake {
        connection,
        path,
        update,
        players: Names::read(connection, path, "players", "player")?,
        tournaments: Names::read(connection, path, "tournaments", "tournament")?,
        known: KnownGames::default(),
        file: None,
        imported: Imported::default(),
    };
    let failed = || Error::sqlite(path, "write");
    if counts::are_missing(connection).map_err(failed())? {
        let boards = counts::boards_of_many(connection).map_err(failed())?;
        counts::keep(connection, boards.into_iter()).map_err(failed())?;
    }
    read_ahead(games, |games| {
        loop {
            progress.step("reading", None);
            let more = intake.some(&mut progress.counted(&mut *games), progress)?;
            if !more {
                return Ok::<_, Error>(());
            }
        }
    })?;
    intake.imported.players = intake.players.added();
    intake.imported.tournaments = intake.tournaments.added();
    Ok(intake.imported)
}

struct Intake<'c, 'u> {
    connection: &'c Connection,
    path: &'c Path,
    update: Option<&'c Change<'u>>,
    players: Names<'c>,
    tournaments: Names<'c>,
    known: KnownGames,
    /// Which file is being read.
    file: Option<Arc<str>>,
    imported: Imported,
}

impl Intake<'_, '_> {
    /// Takes in as many games as are sorted together. Says whether there may be more.
    fn some(
        &mut self,
        games: &mut dyn Iterator<Item = Result<obook_games::Entry>>,
        progress: &Progress,
    ) -> Result<bool> {
        let mut new: Vec<(GameId, GameRow, Game)> = Vec::new();
        let mut more = false;
        for entry in games {
            let entry = entry?;
            self.imported.read += 1;
            self.begin_file(&entry.place);
            let game = entry.game;
            let row = GameRow::of(&game, &mut self.tournaments, &mut self.players)?;
            let year = game.date.year();
            if let Some(id) = self.known.add(self.connection, self.path, year, &row)? {
                new.push((id, row, game));
            }
            if new.len() == TOGETHER {
                more = true;
                break;
            }
        }
        if !new.is_empty() {
            self.write(new, progress)?;
        }
        Ok(more)
    }

    fn begin_file(&mut self, place: &Place) {
        if self.file != place.file {
            self.file.clone_from(&place.file);
            self.known.next_file();
        }
    }

    fn write(&mut self, mut new: Vec<(GameId, GameRow, Game)>, progress: &Progress) -> Result<()> {
        let (connection, path) = (self.connection, self.path);
        let failed = || Error::sqlite(path, "write");
        new.sort_unstable_by_key(|(id, ..)| *id);
        let had = count(connection).map_err(failed())?;
        if let Some(update) = self.update
            && new.len() as i64 > had / WHOLE_TABLES
        {
            TABLES
                .iter()
                .try_for_each(|table| update.log_whole(table))?;
        }
        progress.step("writing games", Some(new.len() as u64));
        let mut insert_game = connection.prepare_cached(INSERT).map_err(failed())?;
        let mut ids = Vec::with_capacity(new.len());
        let mut games = Vec::with_capacity(new.len());
        for (id, row, game) in new {
            let theoretical = game.theoretical;
            insert_game
                .execute(params![
                    id.number(),
                    row.date,
                    row.tournament,
                    row.black,
                    row.white,
                    row.score,
                    theoretical.map(|best| best.score.get()),
                    theoretical.map(|best| best.empties),
                    row.start,
                    row.moves,
                    ggf(&game)?,
                ])
                .map_err(failed())?;
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
        let least = if had == 0 {
            obook_rows::games::COUNTED_FROM
        } else {
            1
        };
        counts::keep(connection, boards(&rows, least)).map_err(failed())?;
        self.imported.added += ids.len() as u64;
        self.imported.positions += rows.len() as u64;
        Ok(())
    }
}

/// The boards of at least so many rows.
fn boards(rows: &[Played], least: usize) -> impl Iterator<Item = CanonicalBoard> {
    rows.chunk_by(|a, b| a.board() == b.board())
        .filter(move |rows| rows.len() >= least)
        .map(|rows| rows[0].board())
}

fn count(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM main.games", [], |row| row.get(0))
}

const INSERT: &str = "INSERT INTO main.games (game, date, tournament, black, white, score, theoretical, theoretical_empties,
                                              start, moves, ggf)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
