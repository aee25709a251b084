//! Reading complete games from the database.

use crate::{Error, Result};
use obook_games::{Date, Game, Reader, Score, Theoretical, Writer};
use obook_othello::Line;
use obook_sql::rows::GameId;
use obook_sql::rows::games::{Condition, list};
use rusqlite::{Connection, Row};
use std::collections::VecDeque;
use std::io::Cursor;

const SELECT: &str = "SELECT g.date, t.name, b.name, w.name, g.score, g.theoretical, g.theoretical_empties, g.start, g.moves, g.ggf
    FROM games AS g LEFT JOIN tournaments AS t ON t.tournament = g.tournament
         LEFT JOIN players AS b ON b.player = g.black LEFT JOIN players AS w ON w.player = g.white
    WHERE g.game = ?";

/// Returns the game with this number, if there is one.
///
/// # Errors
/// Returns [`GameError::Sqlite`] if SQLite can't read the tables, and [`GameError::Row`] if the row is damaged.
pub fn game(connection: &Connection, id: GameId) -> Result<Option<Game>, GameError> {
    let mut select = connection.prepare_cached(SELECT)?;
    let mut rows = select.query([id.number()])?;
    rows.next()?.map(|row| read(row, id)).transpose()
}

/// Iterates over the games that meet a condition, the latest first.
///
/// # Errors
/// As for [`game`].
pub fn games<'c>(
    connection: &'c Connection,
    condition: &'c Condition,
) -> impl Iterator<Item = Result<(GameId, Game), GameError>> + 'c {
    /// The number of games listed at once.
    const PORTION: u32 = 1 << 12;
    let mut ids = VecDeque::new();
    let mut before = None;
    std::iter::from_fn(move || {
        if ids.is_empty() {
            match list(connection, None, condition, before, PORTION) {
                Ok(more) => ids.extend(more.into_iter().map(|summary| summary.id)),
                Err(error) => return Some(Err(error.into())),
            }
        }
        let id = ids.pop_front()?;
        before = Some(id);
        let game = game(connection, id).transpose()?;
        Some(game.map(|game| (id, game)))
    })
}

/// The error for a game that can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// SQLite can't read the tables.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The row is damaged.
    #[error("row {id} of table games is damaged: {problem}")]
    Row {
        /// The number of the game.
        id: GameId,
        /// The damage.
        problem: String,
    },
}

impl GameError {
    /// Turns it into an error of the database at `path`.
    #[must_use]
    pub fn at(self, path: &std::path::Path) -> Error {
        match self {
            GameError::Sqlite(error) => Error::sqlite(path, "read")(error),
            GameError::Row { .. } => Error::unfit(path, self.to_string()),
        }
    }
}

/// Makes the game of a row. The columns override the GGF record, which has the rest.
fn read(row: &Row<'_>, id: GameId) -> Result<Game, GameError> {
    let damaged = |problem: String| GameError::Row { id, problem };
    let (start, moves): (Option<String>, String) = (row.get(7)?, row.get(8)?);
    let line: Line = format!("{} {moves}", start.unwrap_or_default())
        .parse()
        .map_err(|error| damaged(format!("its moves are not a line: {error}")))?;
    let ggf: Option<String> = row.get(9)?;
    let mut game = match ggf {
        None => Game::new(line),
        Some(ggf) => record(&ggf, &line).map_err(damaged)?,
    };
    game.tournament = row.get(1)?;
    game.black.name = row.get(2)?;
    game.white.name = row.get(3)?;
    let text: Option<String> = row.get(0)?;
    game.date = match text {
        None => Date::UNKNOWN,
        Some(text) => date(&text).ok_or_else(|| damaged(format!("“{text}” is not a date")))?,
    };
    let score = |score: i8| {
        let problem = || damaged(format!("{score} is not a score"));
        Score::new(score).ok_or_else(problem)
    };
    let result: Option<i8> = row.get(4)?;
    game.score = result.map(score).transpose()?;
    let best: Option<i8> = row.get(5)?;
    game.theoretical = match best.zip(row.get(6)?) {
        None => None,
        Some((best, empties)) => Some(Theoretical {
            score: score(best)?,
            empties,
        }),
    };
    Ok(game)
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let year = parts.next()?.parse().ok()?;
    let month = parts.next().map(str::parse).transpose().ok()?;
    let day = parts.next().map(str::parse).transpose().ok()?;
    Date::new(Some(year), month, day)
}

/// Reads the only game of a GGF record, which must have these moves.
fn record(ggf: &str, line: &Line) -> Result<Game, String> {
    let bytes = Cursor::new(ggf.to_owned().into_bytes());
    let mut reader = Reader::new(bytes, None, None).map_err(|error| error.to_string())?;
    match reader.next() {
        Some(Ok(entry)) if entry.game.line() == line => Ok(entry.game),
        Some(Ok(_)) => Err("its GGF record has other moves".to_owned()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("its GGF record is empty".to_owned()),
    }
}

/// The GGF record, if it has more than the columns of the table.
pub(super) fn ggf(game: &Game) -> Result<Option<String>> {
    let mut plain = Game::new(game.line().clone());
    plain.black.name.clone_from(&game.black.name);
    plain.white.name.clone_from(&game.white.name);
    plain.tournament.clone_from(&game.tournament);
    plain.date = game.date;
    plain.score = game.score;
    plain.theoretical = game.theoretical;
    if plain == *game {
        return Ok(None);
    }
    let mut writer = Writer::ggf(Vec::new());
    writer.write(game)?;
    let text = String::from_utf8_lossy(&writer.finish()?)
        .trim_end()
        .to_owned();
    Ok(Some(text))
}
