//! Functions for SQL that know shogi.

use obook_shogi::{Board, Move, Packed, Pieces};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

/// An argument of the wrong kind.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Wrong(String);

fn wrong(problem: String) -> Error {
    Error::UserFunctionError(Box::new(Wrong(problem)))
}

/// Registers the functions on a connection.
pub(crate) fn register(connection: &Connection) -> Result<()> {
    type Function = fn(&Context<'_>) -> Result<Option<Value>>;
    let functions: [(&str, i32, Function); 8] = [
        ("board", 1, |context| key(board(context, 0)?)),
        ("sfen", 1, |context| text(board(context, 0)?)),
        ("show", 1, |context| {
            text(board(context, 0)?.map(|board| board.diagram(Pieces::Kanji).to_string()))
        }),
        ("child", 2, |context| {
            let (board, mv) = (board(context, 0)?, mv(context, 1)?);
            key(board.zip(mv).and_then(|(board, mv)| board.play(mv)))
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
    functions
        .into_iter()
        .try_for_each(|(name, arguments, function)| {
            connection.create_scalar_function(name, arguments, flags, function)
        })
}

fn text(shown: Option<impl ToString>) -> Result<Option<Value>> {
    Ok(shown.map(|shown| Value::Text(shown.to_string())))
}

fn key(board: Option<Board>) -> Result<Option<Value>> {
    Ok(board.map(|board| Value::Blob(board.key().0.to_vec())))
}

/// A position: a key, or a text in SFEN or with moves from the start position. NULL gives NULL.
fn board(context: &Context<'_>, argument: usize) -> Result<Option<Board>> {
    let expected = "expected a board of 32 bytes, a position in SFEN, or moves such as '7g7f 3c3d'";
    match context.get_raw(argument) {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) => {
            let found = || {
                wrong(format!(
                    "these {} bytes are no position; {expected}",
                    bytes.len()
                ))
            };
            let key = Packed(bytes.try_into().map_err(|_| found())?);
            key.board().map(Some).map_err(|_| found())
        }
        ValueRef::Text(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let line = text.parse::<crate::view::Line>();
            let line = line.map_err(|error| wrong(format!("{error}; {expected}")))?;
            Ok(Some(*line.board()))
        }
        _ => Err(wrong(format!("a number is no position; {expected}"))),
    }
}

/// A move: its bits, or its name in USI. NULL gives NULL.
fn mv(context: &Context<'_>, argument: usize) -> Result<Option<Move>> {
    let expected = "expected the number of a move, or its name such as '7g7f'";
    match context.get_raw(argument) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(bits) => {
            let mv = u16::try_from(bits).ok().and_then(Move::from_bits);
            mv.map(Some)
                .ok_or_else(|| wrong(format!("{bits} is no move; {expected}")))
        }
        ValueRef::Text(bytes) => {
            let mv = String::from_utf8_lossy(bytes).parse();
            mv.map(Some).map_err(|error| wrong(format!("{error}")))
        }
        _ => Err(wrong(format!("this is no move; {expected}"))),
    }
}
