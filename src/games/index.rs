//! The index from positions to games: table `played`.

use obook_base::sql::Answer;
use obook_base::sqlite::BulkInsert;
use obook_games::{Game, Score};
use obook_othello::{CanonicalBoard, Side};
use obook_sql::rows::GameId;
use rayon::prelude::*;
use rusqlite::{Connection, Result};

/// A position of a game. Sorts like the rows of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PlayedRow {
    /// The board, which sorts like its key.
    pub(super) board: CanonicalBoard,
    /// The index of the game among those imported together, whose numbers ascend.
    pub(super) place: u32,
    /// The move's code; `None` if the game ended here.
    pub(super) mv: Option<u8>,
    /// Whether Black was to move.
    pub(super) black: bool,
    /// The result for the side to move.
    pub(super) score: Option<i8>,
}

/// The positions of games, in the order of the table. The place of a game is its index in the slice, which has fewer than 2³².
pub(super) fn index(games: &[Game]) -> Vec<PlayedRow> {
    let places = games.par_iter().enumerate();
    let rows = places.flat_map_iter(|(place, game)| positions(place as u32, game));
    let mut rows: Vec<PlayedRow> = rows.collect();
    rows.par_sort_unstable();
    rows
}

/// The positions of a game, in order of play.
fn positions(place: u32, game: &Game) -> impl Iterator<Item = PlayedRow> {
    let score = game.score.map(Score::get);
    let moves = game.line().moves().iter().copied().map(Some);
    let positions = game.line().positions().zip(moves.chain([None]));
    positions.map(move |((board, side), mv)| {
        let (canonical, symmetry) = board.canonicalize();
        PlayedRow {
            board: canonical,
            place,
            mv: mv.map(|mv| canonical.first_of_same(symmetry.play(mv)).code()),
            black: side == Side::Black,
            score: score.map(|score| side.for_black(score)),
        }
    })
}

/// Writes the rows. `ids` are the games by place.
pub(super) fn insert(
    connection: &Connection,
    rows: &[PlayedRow],
    ids: &[GameId],
    mut tell: impl FnMut(),
) -> Result<()> {
    const COLUMNS: [&str; 5] = ["board", "game", "move", "black", "score"];
    let mut insert = BulkInsert::new(connection, "played", &COLUMNS)?;
    for row in rows {
        insert.push([
            Answer::Key(row.board.to_key()),
            ids[row.place as usize].number().into(),
            row.mv.into(),
            row.black.into(),
            row.score.into(),
        ])?;
        tell();
    }
    insert.finish()
}
