//! A book of what was played: positions and moves without scores, with the number of games.

use crate::database::condition::Condition;
use crate::database::file::is_database;
use crate::database::games::{ImportOptions, import};
use crate::database::import::of_book;
use crate::database::rows::numbered;
use crate::database::schema::SHOGI;
use crate::games::Format;
use crate::{Board, Book, BookMove, Colour, Entry};
use obook_store::{Context, Error, IfExists, Result, Store};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Which of the played moves are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractOptions {
    /// Moves played in at least this many games.
    pub min_games: u64,
    /// Moves up to this one of a game.
    pub depth: u32,
    /// Only positions in which this side is to move.
    pub side: Option<Colour>,
    /// Only games that meet it.
    pub condition: Condition,
}

/// The size of the new book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// Its positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
}

/// Makes a book of the positions that games of a database or of files reached from the start by moves that were played often enough.
/// The contents of a file tell its format, unless it is given.
///
/// # Errors
/// If the games can't be read or the book can't be written. No book is left behind.
pub fn extract(
    games: &[PathBuf],
    format: Option<Format>,
    options: &ExtractOptions,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Extracted> {
    let store = open_games(games, format, context)?;
    let book = played(&store, &Board::start(), 1, options)?;
    let made = of_book(&book, path, if_exists, context)?;
    Ok(Extracted {
        positions: made.positions,
        moves: made.moves,
    })
}

/// Opens a database with games, or reads files of games into a temporary one. The contents of a file tell its format, unless it is
/// given.
///
/// # Errors
/// If the games can't be read.
pub fn open_games(games: &[PathBuf], format: Option<Format>, context: &Context) -> Result<Store> {
    match games {
        [one] if is_database(one)? => Store::open(&SHOGI, one, context),
        files => {
            let all = ImportOptions {
                format,
                ..ImportOptions::default()
            };
            let make = |path: &Path| import(files, all, path, |_, _| {}, context).map(drop);
            Store::temporary(&SHOGI, "book.obook", make, context)
        }
    }
}

/// The positions that games reached from `root` with their moves, one ply after another; the next move at the root has the number
/// `first`.
///
/// # Errors
/// If the games can't be read.
pub fn played(store: &Store, root: &Board, first: u32, options: &ExtractOptions) -> Result<Book> {
    let failed = || Error::sqlite(store.path(), "read");
    let progress = store.context().progress();
    progress.step("looking up what was played", None);
    let connection = store.connection();
    let (on_games, own) = options.condition.on_games(connection).map_err(failed())?;
    let sql = format!(
        "SELECT p.move, count(DISTINCT p.game) AS number FROM played AS p JOIN games AS g USING (game)
         WHERE p.board = ? AND p.move IS NOT NULL AND p.black = ? AND {on_games}
         GROUP BY p.move HAVING number >= ? ORDER BY number DESC, p.move"
    );
    let mut select = connection.prepare(&sql).map_err(failed())?;
    let least = Value::Integer(options.min_games.cast_signed());
    let mut book = Book::default();
    let (mut layer, mut seen) = (vec![*root], HashSet::from([root.packed()]));
    for ply in first..=options.depth {
        if layer.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for board in layer {
            progress.advance(1);
            let turn = board.turn();
            let values = [Value::from(board.key()), (turn == Colour::Black).into()].into_iter();
            let values = values.chain(own.iter().cloned()).chain([least.clone()]);
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let rows = select.query_map(params_from_iter(values), row);
            let mut moves = Vec::new();
            for row in rows.map_err(failed())? {
                let (bits, games): (i64, u32) = row.map_err(failed())?;
                // Another program may have written an illegal move.
                let mv = numbered(bits).map(|mv| mv.seen_by(turn));
                let Some((mv, child)) = mv.and_then(|mv| Some((mv, board.play(mv)?))) else {
                    continue;
                };
                moves.push(BookMove {
                    count: Some(games),
                    ..BookMove::new(mv)
                });
                if seen.insert(child.packed()) {
                    next.push(child);
                }
            }
            if !moves.is_empty() && options.side.is_none_or(|side| side == turn) {
                book.entries.push(Entry::new(board, Some(ply), moves));
            }
        }
        layer = next;
    }
    Ok(book)
}
