//! `plays(board)`, the moves played in a position, and `games_at(board)`, the games through it. Games are filtered by arguments
//! that may be left out or given by name: `WHERE of_player = 'tastet' AND since = 2000`.

use crate::functions::Given;
use crate::rows::Condition;
use crate::rows::games::{Kind, Passage, Play, SUITS, Winner, plays, through};
use obook_base::sql::{
    Answer, Arguments, ColumnType, Problem, Result, Rows, Table, Value, read_number,
};
use obook_base::sqlite::{Database, of_sqlite};
use obook_games::{Format, Game, Reader, Score};
use obook_othello::{Board, CanonicalBoard, Move, Side, Symmetry};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::io::Cursor;
use std::iter;

/// The arguments of both tables. Those after the second filter games.
const ARGUMENTS: &[&str] = &[
    "board",
    "schema",
    "of_player",
    "of_black",
    "of_white",
    "of_tournament",
    "since",
    "until",
    "won_by",
];

/// The filter that the arguments describe.
fn condition(arguments: Arguments<'_>) -> Result<Condition> {
    let text = |index| arguments.optional(index).map(text).transpose();
    let year = |index| {
        let year = arguments.optional(index);
        year.map(|year| read_number(year, "a year", 1..=i64::from(u16::MAX)))
            .transpose()
    };
    Ok(Condition {
        player: text(2)?,
        black: text(3)?,
        white: text(4)?,
        tournament: text(5)?,
        since: year(6)?,
        until: year(7)?,
        winner: arguments.optional(8).map(winner).transpose()?,
        ..Condition::default()
    })
}

fn text(value: Value<'_>) -> Result<String> {
    match value {
        Value::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
        other => Err(Problem::new(format!(
            "expected part of a name, found {other}"
        ))),
    }
}

fn winner(value: Value<'_>) -> Result<Winner> {
    match value {
        Value::Text(b"black") => Ok(Winner::Black),
        Value::Text(b"white") => Ok(Winner::White),
        Value::Text(b"nobody") => Ok(Winner::None),
        other => Err(Problem::new(format!(
            "expected 'black', 'white' or 'nobody', found {other}"
        ))),
    }
}

/// Registers the function by which [`Condition`] asks for what the columns of table `games` don't tell.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(SUITS, 5, flags, |context| {
        let condition = Condition {
            rated: context.get(0)?,
            kind: context
                .get::<Option<String>>(1)?
                .and_then(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name)),
            ..Condition::default()
        };
        let start: Option<String> = context.get(3)?;
        let line = start.and_then(|start| start.parse().ok());
        let record: Option<String> = context.get(4)?;
        let mut game = record
            .and_then(recorded)
            .unwrap_or_else(|| Game::new(line.unwrap_or_default()));
        game.score = context.get::<Option<i8>>(2)?.and_then(Score::new);
        Ok(condition.suits(&game))
    })
}

/// The game of a GGF record.
fn recorded(ggf: String) -> Option<Game> {
    let mut games = Reader::of_format(Cursor::new(ggf), None, Format::Ggf).ok()?;
    Some(games.next()?.ok()?.game)
}

/// The table `plays`.
#[derive(Clone)]
pub(crate) struct Plays;

/// A move that was played.
pub(crate) struct PlayedMove {
    /// In the orientation of the given board.
    mv: Move,
    play: Play,
    child: Option<CanonicalBoard>,
}

impl Table for Plays {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("move", ColumnType::Integer),
        ("square", ColumnType::Text),
        ("games", ColumnType::Integer),
        ("wins", ColumnType::Integer),
        ("draws", ColumnType::Integer),
        ("losses", ColumnType::Integer),
        ("mean", ColumnType::Real),
        ("first_year", ColumnType::Integer),
        ("last_year", ColumnType::Integer),
        ("child", ColumnType::Key),
    ];
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const ROWS: i64 = 4;
    type Source<'s> = Database<'s>;
    type Row = PlayedMove;

    fn name(&self) -> &str {
        "plays"
    }

    fn rows<'s>(
        &'s self,
        database: Database<'s>,
        arguments: Arguments<'_>,
    ) -> Result<Rows<'s, PlayedMove>> {
        let given = Given::read(arguments.value(0))?.board;
        let Database { connection, schema } = database;
        let condition = condition(arguments)?;
        let played = plays(connection, schema.as_deref(), given.canonical(), &condition);
        let played = played.map_err(of_sqlite)?;
        Ok(Box::new(
            played.into_iter().map(move |play| Ok(turned(play, given))),
        ))
    }

    fn value(row: &PlayedMove, column: usize) -> Answer<'_> {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX).into();
        match column {
            0 => row.mv.code().into(),
            1 => row.mv.to_string().into(),
            2 => count(row.play.games),
            3 => count(row.play.wins),
            4 => count(row.play.draws),
            5 => count(row.play.losses),
            6 => row.play.mean.into(),
            7 => row.play.first_year.map(i64::from).into(),
            8 => row.play.last_year.map(i64::from).into(),
            _ => row.child.map(CanonicalBoard::to_key).into(),
        }
    }
}

fn turned(play: Play, board: Board) -> PlayedMove {
    PlayedMove {
        mv: play.on(board),
        child: board
            .canonical()
            .board()
            .play(play.mv)
            .map(Board::canonical),
        play,
    }
}

/// The table `games_at`.
#[derive(Clone)]
pub(crate) struct GamesAt;

/// The number of games looked up at once, so that a query for the latest few doesn't wait for more.
const PORTION: u32 = 64;

/// A game, with the symmetry that maps its move to the given board.
pub(crate) struct At {
    passage: Passage,
    to_given: Symmetry,
}

impl Table for GamesAt {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &[
        ("game", ColumnType::Integer),
        ("date", ColumnType::Text),
        ("tournament", ColumnType::Text),
        ("black", ColumnType::Text),
        ("white", ColumnType::Text),
        ("score", ColumnType::Integer),
        ("turn", ColumnType::Text),
        ("move", ColumnType::Integer),
        ("square", ColumnType::Text),
    ];
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const ROWS: i64 = 100;
    type Source<'s> = Database<'s>;
    type Row = At;

    fn name(&self) -> &str {
        "games_at"
    }

    fn rows<'s>(
        &'s self,
        database: Database<'s>,
        arguments: Arguments<'_>,
    ) -> Result<Rows<'s, At>> {
        let (canonical, symmetry) = Given::read(arguments.value(0))?.board.canonicalize();
        let to_given = symmetry.inverse();
        let Database { connection, schema } = database;
        let condition = condition(arguments)?;
        let mut before = None;
        let mut portion = Vec::new().into_iter();
        Ok(Box::new(iter::from_fn(move || {
            if portion.as_slice().is_empty() {
                let schema = schema.as_deref();
                match through(connection, schema, canonical, &condition, before, PORTION) {
                    Ok(passages) => portion = passages.into_iter(),
                    Err(error) => return Some(Err(of_sqlite(error))),
                }
            }
            let passage = portion.next()?;
            before = Some(passage.game.id);
            Some(Ok(At { passage, to_given }))
        })))
    }

    fn value(row: &At, column: usize) -> Answer<'_> {
        let At { passage, to_given } = row;
        let mv: Option<Move> = passage.mv.map(|mv| to_given.play(mv));
        match column {
            0 => passage.game.id.number().into(),
            1 => passage.game.date.as_deref().into(),
            2 => passage.game.tournament.as_deref().into(),
            3 => passage.game.black.as_deref().into(),
            4 => passage.game.white.as_deref().into(),
            5 => passage.game.score.into(),
            6 => match passage.side {
                Side::Black => "black".into(),
                Side::White => "white".into(),
            },
            7 => mv.map(Move::code).into(),
            _ => mv.map(|mv| mv.to_string()).into(),
        }
    }
}
