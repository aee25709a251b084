//! Reading complete games from the database.

use crate::{Error, Result, Store};
use obook_games::{Date, Game, Score, Theoretical, read_ggf, write_ggf};
use obook_othello::Line;
use obook_sql::rows::GameId;
use obook_sql::rows::games::{Condition, Order, Summary, in_portions, list};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

const SELECT: &str = "SELECT g.date, t.name, b.name, w.name, g.score, g.theoretical, g.theoretical_empties, g.start, g.moves, g.ggf
    FROM games AS g LEFT JOIN tournaments AS t ON t.tournament = g.tournament
         LEFT JOIN players AS b ON b.player = g.black LEFT JOIN players AS w ON w.player = g.white
    WHERE g.game = ?";

/// The columns that it reads.
type Columns = (
    Text,
    Text,
    Text,
    Text,
    Option<i8>,
    Option<i8>,
    Option<u8>,
    Text,
    String,
    Text,
);
type Text = Option<String>;

/// Returns the game of a database with this number, if there is one.
///
/// # Errors
/// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if SQLite can't read the tables, and
/// [`StoreError::Unfit`](crate::StoreError::Unfit) if the row is damaged.
pub fn game(store: &Store, id: GameId) -> Result<Option<Game>> {
    game_in(store.connection(), store.path(), id)
}

/// The same for a database that can't be opened as a book.
pub(crate) fn game_in(connection: &Connection, path: &Path, id: GameId) -> Result<Option<Game>> {
    let select = connection.prepare_cached(SELECT);
    let columns =
        select.and_then(|mut it| it.query_row([id.number()], |row| Columns::try_from(row)));
    let columns = columns.optional().map_err(Error::sqlite(path, "read"))?;
    let game = columns.map(read).transpose();
    game.map_err(|problem| {
        let problem = format!("row {id} of table games is damaged: {problem}");
        Error::unfit(path, problem)
    })
}

/// Iterates over the games that meet a condition, the latest first.
///
/// # Errors
/// As for [`game`].
pub fn games<'s>(
    store: &'s Store,
    condition: &'s Condition,
) -> impl Iterator<Item = Result<(GameId, Game)>> + 's {
    /// The number of games listed at once.
    const PORTION: u32 = 1 << 12;
    let connection = store.connection();
    let portion = move |before| list(connection, condition, Order::Latest, before, PORTION);
    let listed = in_portions(portion, |summary: &Summary| summary.id);
    let read = move |summary: rusqlite::Result<Summary>| -> Result<_> {
        let id = summary.map_err(Error::sqlite(store.path(), "read"))?.id;
        // Another process may have removed it since it was listed.
        Ok(game(store, id)?.map(|game| (id, game)))
    };
    listed.map(read).filter_map(Result::transpose)
}

/// Makes the game of a row, or says what is wrong with it. The columns override the GGF record, which has the rest.
fn read(columns: Columns) -> Result<Game, String> {
    let (written, tournament, black, white, result, best, empties, start, moves, ggf) = columns;
    let line: Line = format!("{} {moves}", start.unwrap_or_default())
        .parse()
        .map_err(|error| format!("its moves are not a line: {error}"))?;
    // A record has one game.
    let mut game = match ggf.map(|ggf| read_ggf(&ggf).0) {
        None => Game::new(line),
        Some(game) if *game.line() == line => game,
        Some(_) => return Err("its GGF record has other moves".to_owned()),
    };
    game.tournament = tournament;
    game.black.name = black;
    game.white.name = white;
    game.date = match written {
        None => Date::UNKNOWN,
        Some(text) => (text.parse()).map_err(|_| format!("“{text}” is not a date"))?,
    };
    let score = |score| Score::new(score).ok_or_else(|| format!("{score} is not a score"));
    game.score = result.map(score).transpose()?;
    let theoretical = |(best, empties)| score(best).map(|score| Theoretical { score, empties });
    game.theoretical = best.zip(empties).map(theoretical).transpose()?;
    Ok(game)
}

/// The GGF record, if it has more than the columns of the table.
pub(super) fn ggf(game: &Game) -> Option<String> {
    let mut plain = Game::new(game.line().clone());
    plain.black.name.clone_from(&game.black.name);
    plain.white.name.clone_from(&game.white.name);
    plain.tournament.clone_from(&game.tournament);
    plain.date = game.date;
    plain.score = game.score;
    plain.theoretical = game.theoretical;
    (plain != *game).then(|| write_ggf(game))
}
