//! Functions for SQL that know shogi, and the table of a position's moves.

use crate::database::position::Answer;
use crate::database::rows::{find, numbered};
use crate::database::view::answers;
use crate::games::{Game, read_move};
use crate::{Board, BookMove, Move, Packed, ParseMoveError, Pieces};
use obook_base::sql::ColumnType::{Integer, Key, Text};
use obook_base::sql::{self, Arguments, Column, Problem, RowsOf, Table};
use obook_base::sqlite::{self, Database, of_function, of_sqlite, value};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};

/// Registers the functions on a connection.
#[allow(
    clippy::redundant_closure,
    reason = "rusqlite passes &mut Context from 0.42 on"
)]
pub(crate) fn register(connection: &Connection) -> Result<()> {
    type Function = fn(&Context<'_>) -> Result<Option<Value>>;
    let functions: [(&str, i32, Function); 8] = [
        ("board", 1, |context| key(board(context, 0)?)),
        ("sfen", 1, |context| text(board(context, 0)?)),
        ("show", 1, |context| {
            text(board(context, 0)?.map(|board| board.diagram(Pieces::Kanji).to_string()))
        }),
        ("child", 2, |context| {
            let Some(board) = board(context, 0)? else {
                return Ok(None);
            };
            // A number is a move of the tables, in which Black moves; a name is one of the board as it is.
            let mv = match context.get_raw(1) {
                ValueRef::Text(name) => {
                    let name = String::from_utf8_lossy(name);
                    let mv = read_move(&board, None, &name);
                    Some(mv.map_err(|problem| of_function(Problem::new(problem)))?)
                }
                _ => mv(context, 1)?.map(|mv| mv.seen_by(board.turn())),
            };
            key(mv.and_then(|mv| board.play(mv)))
        }),
        ("legal_moves", 1, |context| {
            let names = |board: Board| {
                let moves = board.legal_moves();
                let names: Vec<String> = moves.iter().map(ToString::to_string).collect();
                names.join(" ")
            };
            text(board(context, 0)?.map(names))
        }),
        ("in_check", 1, |context| {
            let check = board(context, 0)?.map(|board| board.is_check());
            Ok(check.map(|check| Value::Integer(check.into())))
        }),
        ("usi", 1, |context| text(mv(context, 0)?)),
        ("usi", 2, |context| {
            let (mv, board) = (mv(context, 0)?, board(context, 1)?);
            text(mv.zip(board).map(|(mv, board)| mv.seen_by(board.turn())))
        }),
    ];
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, count, function) in functions {
        connection.create_scalar_function(name, count, flags, move |context| function(context))?;
    }
    sqlite::register(connection, "moves", MovesOf, |database| database)
}

/// The table `moves(board)`: the moves of the book, the best first, and then all other legal moves.
#[derive(Clone)]
struct MovesOf;

/// A legal move, and what the book knows about it.
#[derive(Debug)]
struct KnownMove {
    /// The move as in the tables, with what the book knows about it.
    listed: BookMove,
    /// In USI, as the side to move sees it.
    usi: String,
    answer: Option<Answer>,
    child: Packed,
}

impl Table for MovesOf {
    const COLUMNS: &'static [Column<KnownMove>] = &[
        ("move", Integer, |row| row.listed.mv.bits().into()),
        ("usi", Text, |row| row.usi.as_str().into()),
        ("kind", Text, |row| {
            let kind = |answer: Answer| if answer.is_link { "link" } else { "leaf" };
            row.answer.map(kind).into()
        }),
        ("score", Integer, |row| row.listed.score.into()),
        ("depth", Integer, |row| row.listed.depth.into()),
        ("count", Integer, |row| row.listed.count.into()),
        ("listed_score", Integer, |row| {
            row.answer.and_then(|answer| answer.said).into()
        }),
        ("child", Key, |row| row.child.0[..].into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board"];
    const ROWS: i64 = 30;
    type Source<'s> = Database<'s>;
    type Row = KnownMove;

    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let Some(board) = read_board(arguments.value(0))? else {
            return Ok(Box::new(std::iter::empty()));
        };
        let (key, turn) = (board.key(), board.turn());
        let found = find(database.connection, key).map_err(of_sqlite)?;
        let answers = answers(found.as_ref(), turn);
        let canonical = key.board().map_err(Problem::new)?;
        let place = |mv| answers.iter().position(|answer| answer.listed.mv == mv);
        let mut children = canonical.children();
        children.sort_by_key(|(mv, _)| place(*mv).unwrap_or(answers.len()));
        let moves: Vec<KnownMove> = children
            .into_iter()
            .map(|(mv, child)| {
                let answer = place(mv).map(|place| answers[place]);
                KnownMove {
                    listed: answer.map_or(BookMove::new(mv), |answer| answer.listed),
                    usi: mv.seen_by(turn).to_string(),
                    answer,
                    child: child.key(),
                }
            })
            .collect();
        Ok(Box::new(moves.into_iter().map(Ok)))
    }
}

fn text(shown: Option<impl ToString>) -> Result<Option<Value>> {
    Ok(shown.map(|shown| Value::Text(shown.to_string())))
}

fn key(board: Option<Board>) -> Result<Option<Value>> {
    Ok(board.map(|board| board.key().into()))
}

/// The position that an argument is.
fn board(context: &Context<'_>, argument: usize) -> Result<Option<Board>> {
    read_board(value(context.get_raw(argument))).map_err(of_function)
}

/// A position: a key, or a text in SFEN or with moves from the start position. NULL gives NULL.
fn read_board(value: sql::Value<'_>) -> sql::Result<Option<Board>> {
    let expected = "expected a board of 32 bytes, a position in SFEN, or moves such as '7g7f 3c3d'";
    match value {
        sql::Value::Null => Ok(None),
        sql::Value::Blob(bytes) => {
            let length = bytes.len();
            let found = || format!("a blob of length {length} is no position; {expected}");
            let key = Packed(bytes.try_into().map_err(|_| Problem::new(found()))?);
            key.board().map(Some).map_err(|_| Problem::new(found()))
        }
        sql::Value::Text(bytes) => {
            let line = String::from_utf8_lossy(bytes).parse::<Game>();
            let line = line.map_err(|error| Problem::new(format!("{error}; {expected}")))?;
            Ok(Some(*line.board()))
        }
        _ => Err(Problem::new(format!("a number is no position; {expected}"))),
    }
}

/// A move: its bits, or its name in USI. NULL gives NULL.
fn mv(context: &Context<'_>, argument: usize) -> Result<Option<Move>> {
    let expected = "expected the number of a move, or its name such as '7g7f'";
    let mv = match context.get_raw(argument) {
        ValueRef::Null => return Ok(None),
        ValueRef::Integer(bits) => {
            numbered(bits).ok_or_else(|| format!("{bits} is no move; {expected}"))
        }
        ValueRef::Text(bytes) => {
            let mv = String::from_utf8_lossy(bytes).parse();
            mv.map_err(|error: ParseMoveError| error.to_string())
        }
        _ => Err(format!("this is no move; {expected}")),
    };
    mv.map(Some)
        .map_err(|problem| of_function(Problem::new(problem)))
}
