//! `plays(board)`, the moves played in a position, and `games_at(board)`, the games through it. Games are filtered by arguments
//! that may be left out or given by name: `WHERE of_player = 'tastet' AND since = 2000`.

use crate::functions::{Given, read_part};
use crate::rows::Condition;
use crate::rows::games::{Kind, Passage, Play, SUITS, Winner, in_portions, plays, through};
use obook_base::sql::ColumnType::{Integer, Key, Real, Text};
use obook_base::sql::{
    Answer, Arguments, Column, Problem, Result, RowsOf, Table, Value, read_number,
};
use obook_base::sqlite::{Database, of_sqlite};
use obook_games::{Format, Game, Reader, Score};
use obook_othello::{Board, CanonicalBoard, Move};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::io::Cursor;

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
    let text = |index| arguments.optional(index).map(read_part).transpose();
    let read_year = |year| read_number(year, "a year", 1..=i64::from(u16::MAX));
    let year = |index| arguments.optional(index).map(read_year).transpose();
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

fn winner(value: Value<'_>) -> Result<Winner> {
    match value {
        Value::Text(b"black") => Ok(Winner::Black),
        Value::Text(b"white") => Ok(Winner::White),
        Value::Text(b"nobody") => Ok(Winner::None),
        other => Err(Problem::expected("'black', 'white' or 'nobody'", other)),
    }
}

/// Registers the function by which [`Condition`] asks for what the columns of table `games` don't tell.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(SUITS, 5, flags, |context| {
        let kind: Option<String> = context.get(1)?;
        let condition = Condition {
            rated: context.get(0)?,
            kind: kind.and_then(|name| Kind::ALL.into_iter().find(|kind| kind.name() == name)),
            ..Condition::default()
        };
        let start: Option<String> = context.get(3)?;
        let line = start.and_then(|start| start.parse().ok());
        let record: Option<String> = context.get(4)?;
        let game = record.and_then(recorded);
        let mut game = game.unwrap_or_else(|| Game::new(line.unwrap_or_default()));
        game.score = context.get::<Option<i8>>(2)?.and_then(Score::new);
        Ok(condition.suits(&game))
    })
}

/// The game of a GGF record.
fn recorded(ggf: String) -> Option<Game> {
    let mut games = Reader::new(Cursor::new(ggf), None, Some(Format::Ggf)).ok()?;
    Some(games.next()?.ok()?.game)
}

/// The table `plays`.
#[derive(Clone)]
pub(crate) struct Plays;

impl Table for Plays {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("move", Integer, |(play, _)| play.mv.code().into()),
        ("square", Text, |(play, _)| play.mv.to_string().into()),
        ("games", Integer, |(play, _)| count(play.games)),
        ("wins", Integer, |(play, _)| count(play.wins)),
        ("draws", Integer, |(play, _)| count(play.draws)),
        ("losses", Integer, |(play, _)| count(play.losses)),
        ("mean", Real, |(play, _)| play.mean.into()),
        ("first_year", Integer, |(play, _)| play.first_year.into()),
        ("last_year", Integer, |(play, _)| play.last_year.into()),
        ("child", Key, |(_, child)| {
            child.map(CanonicalBoard::to_key).into()
        }),
    ];
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const ROWS: i64 = 4;
    type Source<'s> = Database<'s>;
    /// A move that was played, in the orientation of the given board, and the position after it.
    type Row = (Play, Option<CanonicalBoard>);

    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let given = Given::read(arguments.value(0))?.board;
        let Database { connection, schema } = database;
        let condition = condition(arguments)?;
        let played = plays(connection, schema.as_deref(), given.canonical(), &condition);
        let played = played.map_err(of_sqlite)?;
        let played = played.into_iter().map(move |play| {
            let play = play.on(given);
            let child = given.play(play.mv).map(Board::canonical);
            Ok((play, child))
        });
        Ok(Box::new(played))
    }
}

fn count(number: u64) -> Answer<'static> {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

/// The table `games_at`.
#[derive(Clone)]
pub(crate) struct GamesAt;

/// The number of games looked up at once, so that a query for the latest few doesn't wait for more.
const PORTION: u32 = 64;

impl Table for GamesAt {
    const COLUMNS: &'static [Column<Passage>] = &[
        ("game", Integer, |row| row.game.id.number().into()),
        ("date", Text, |row| row.game.date.as_deref().into()),
        ("tournament", Text, |row| {
            row.game.tournament.as_deref().into()
        }),
        ("black", Text, |row| row.game.black.as_deref().into()),
        ("white", Text, |row| row.game.white.as_deref().into()),
        ("score", Integer, |row| row.game.score.into()),
        ("turn", Text, |row| row.side.name().into()),
        ("move", Integer, |row| row.mv.map(Move::code).into()),
        ("square", Text, |row| row.mv.map(|mv| mv.to_string()).into()),
    ];
    const ARGUMENTS: &'static [&'static str] = ARGUMENTS;
    const ROWS: i64 = 100;
    type Source<'s> = Database<'s>;
    type Row = Passage;

    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let given = Given::read(arguments.value(0))?.board;
        let Database { connection, schema } = database;
        let condition = condition(arguments)?;
        let portion = move |before| {
            let (schema, board) = (schema.as_deref(), given.canonical());
            through(connection, schema, board, &condition, before, PORTION)
        };
        let passages = in_portions(portion, |passage: &Passage| passage.game.id);
        let on = move |passage: rusqlite::Result<Passage>| {
            passage.map(|it| it.on(given)).map_err(of_sqlite)
        };
        Ok(Box::new(passages.map(on)))
    }
}
