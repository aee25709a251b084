//! A book of what was played: positions and moves without scores, with the number of games.

use crate::database::file::is_database;
use crate::database::games::{ImportOptions, import};
use crate::database::import::of_book;
use crate::database::schema::SHOGI;
use crate::{Board, Book, BookMove, Colour, Entry, Move};
use obook_store::{Context, Error, IfExists, Result, Store};
use rusqlite::params;
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
    /// Games of this player: a part of the name. With a side, games in which the player has it.
    pub player: Option<String>,
    /// Only positions in which this side is to move.
    pub side: Option<Colour>,
    /// Games that this side won.
    pub won_by: Option<Colour>,
    /// Games of this year or later.
    pub since: Option<u16>,
    /// Games of this year or earlier.
    pub until: Option<u16>,
}

/// The size of the new book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// Its positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
}

/// How often each move was played in a position, and the conditions on games.
const PLAYED: &str = "
    SELECT move, count(DISTINCT game) AS number FROM played JOIN games USING (game)
    WHERE board = ?1 AND move IS NOT NULL AND played.black = ?2
      AND (?3 IS NULL OR ?4 IS NOT 0 AND instr(lower(games.black), lower(?3)) OR ?4 IS NOT 1 AND instr(lower(white), lower(?3)))
      AND (?5 IS NULL OR games.result = ?5)
      AND (?6 IS NULL OR CAST(substr(date, 1, 4) AS INTEGER) >= ?6)
      AND (?7 IS NULL OR CAST(substr(date, 1, 4) AS INTEGER) BETWEEN 1 AND ?7)
    GROUP BY move HAVING number >= ?8 ORDER BY number DESC, move";

/// Makes a book of the positions that games of a database or of files reached from the start by moves that were played often enough.
///
/// # Errors
/// If the games can't be read or the book can't be written. No book is left behind.
pub fn extract(
    games: &[PathBuf],
    options: &ExtractOptions,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Extracted> {
    let store = match games {
        [one] if is_database(one)? => Store::open(&SHOGI, one, context)?,
        files => {
            let all = ImportOptions::default();
            let make = |path: &Path| import(files, all, path, |_, _| {}, context).map(drop);
            Store::temporary(&SHOGI, "book.obook", make, context)?
        }
    };
    let book = played(&store, options)?;
    let made = of_book(&book, path, if_exists, context)?;
    Ok(Extracted {
        positions: made.positions,
        moves: made.moves,
    })
}

/// The positions with their moves, one ply after another.
fn played(store: &Store, options: &ExtractOptions) -> Result<Book> {
    let failed = || Error::sqlite(store.path(), "read");
    let progress = store.context().progress();
    progress.step("looking up what was played", None);
    let mut select = store.connection().prepare(PLAYED).map_err(failed())?;
    let is_black = |side| side == Colour::Black;
    let result = options
        .won_by
        .map(|side| if is_black(side) { 1 } else { -1 });
    let mut book = Book::default();
    let (mut layer, mut seen) = (vec![Board::start()], HashSet::new());
    for ply in 1..=options.depth {
        let mut next = Vec::new();
        for board in layer {
            progress.advance(1);
            let turn = board.turn();
            let conditions = params![
                board.key().0,
                is_black(turn),
                options.player,
                options.side.map(is_black),
                result,
                options.since,
                options.until,
                options.min_games.cast_signed()
            ];
            let rows = select.query_map(conditions, |row| Ok((row.get(0)?, row.get(1)?)));
            let mut moves = Vec::new();
            for row in rows.map_err(failed())? {
                let (bits, games): (u16, u32) = row.map_err(failed())?;
                // Another program may have written an illegal move.
                let mv = Move::from_bits(bits).map(|mv| mv.seen_by(turn));
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
