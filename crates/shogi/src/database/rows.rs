//! Rows: reading and writing positions.

use crate::database::position::{Link, Own, Position, Record};
use crate::{At, BookMove, Colour, Comment, Move, Packed};
use obook_base::sqlite::{BulkInsert, pieces};
use obook_store::{Change, Error, ReadTransactions, Result, Store};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, Params, Row, params};
use std::path::Path;

fn no_move(column: usize) -> rusqlite::Error {
    let reason = "this is not a move".into();
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, reason)
}

fn key(row: &Row<'_>) -> rusqlite::Result<Packed> {
    row.get(0).map(Packed)
}

/// The move with this number, if there is one.
pub(crate) fn numbered(bits: i64) -> Option<Move> {
    u16::try_from(bits).ok().and_then(Move::from_bits)
}

pub(crate) fn mv(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Move>> {
    let bits: Option<u16> = row.get(column)?;
    bits.map(|bits| Move::from_bits(bits).ok_or_else(|| no_move(column)))
        .transpose()
}

fn position(row: &Row<'_>) -> rusqlite::Result<Position> {
    let colours: u8 = row.get(1)?;
    let mut position = Position::new(key(row)?);
    for (colour, column) in Colour::ALL.into_iter().zip(2..) {
        let ply = row.get(column)?;
        let is_there = colours >> colour as u8 & 1 == 1;
        position.records[colour as usize] = is_there.then(|| Record::empty(ply));
    }
    position.own.value = row.get(4)?;
    position.own.depth = row.get(5)?;
    position.own.best = mv(row, 6)?;
    Ok(position)
}

const POSITION: &str =
    "SELECT board, colours, black_ply, white_ply, value, depth, best FROM positions";

/// Adds a row of another table to its position.
type Add = fn(&Row<'_>, &mut Position) -> rusqlite::Result<()>;

/// The other tables: their columns, of which the first is the board, and the order of their rows. Only that of leaves isn't the order
/// of the table's key.
const PARTS: [(&str, &str, Add); 4] = [
    (
        "SELECT board, move, score, depth FROM links",
        "board, move",
        |row, position| {
            position.own.links.push(link(row)?);
            Ok(())
        },
    ),
    (
        "SELECT board, move, score, depth, colour FROM record_scores",
        "board, colour, place",
        |row, position| {
            position.own.by_draws[colour(row, 4)? as usize].push(link(row)?);
            Ok(())
        },
    ),
    (
        "SELECT board, move, score, depth, count, ponder, colour FROM leaves",
        "board, colour, place",
        |row, position| {
            let listed = BookMove {
                mv: mv(row, 1)?.ok_or_else(|| no_move(1))?,
                score: row.get(2)?,
                depth: row.get(3)?,
                count: row.get(4)?,
                ponder: mv(row, 5)?,
            };
            if let Some(record) = &mut position.records[colour(row, 6)? as usize] {
                record.moves.push(listed);
            }
            Ok(())
        },
    ),
    (
        "SELECT board, move, above, text, colour FROM comments",
        "board, colour, place",
        |row, position| {
            let above: Option<u8> = row.get(2)?;
            let at = match (above, mv(row, 1)?) {
                (Some(_), _) => At::Above,
                (None, None) => At::Below,
                (None, Some(mv)) => At::Move(mv),
            };
            let text = row.get(3)?;
            if let Some(record) = &mut position.records[colour(row, 4)? as usize] {
                record.comments.push(Comment { at, text });
            }
            Ok(())
        },
    ),
];

fn link(row: &Row<'_>) -> rusqlite::Result<Link> {
    Ok(Link {
        mv: mv(row, 1)?.ok_or_else(|| no_move(1))?,
        score: row.get(2)?,
        depth: row.get(3)?,
    })
}

/// Who is to move in a record.
fn colour(row: &Row<'_>, column: usize) -> rusqlite::Result<Colour> {
    let number: u8 = row.get(column)?;
    Ok(Colour::white_if(number == 2))
}

/// The positions whose boards meet a condition, in the order of their keys. Rows of other tables that belong to no position, or to a
/// record that isn't there, are left out.
fn read(
    connection: &Connection,
    condition: &str,
    values: impl Params + Copy,
) -> rusqlite::Result<Vec<Position>> {
    let mut select =
        connection.prepare_cached(&format!("{POSITION} {condition} ORDER BY board"))?;
    let positions = select.query_map(values, position)?;
    let mut positions: Vec<Position> = positions.collect::<rusqlite::Result<_>>()?;
    for (table, order, add) in PARTS {
        let sql = format!("{table} {condition} ORDER BY {order}");
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query(values)?;
        let mut after = positions.iter_mut().peekable();
        while let Some(row) = rows.next()? {
            let key = key(row)?;
            while after.next_if(|position| position.key < key).is_some() {}
            match after.peek_mut() {
                Some(position) if position.key == key => add(row, position)?,
                _ => add(row, &mut Position::new(key))?,
            }
        }
    }
    Ok(positions)
}

/// Looks a position up.
pub(crate) fn find(connection: &Connection, key: Packed) -> rusqlite::Result<Option<Position>> {
    Ok(read(connection, "WHERE board = ?", [&key.0])?.pop())
}

/// A range of positions.
type KeyRange = obook_base::sqlite::KeyRange<32>;

/// All positions, in the order of their keys.
pub(crate) fn positions<'c>(
    connection: &'c Connection,
    path: &'c Path,
) -> impl Iterator<Item = Result<Position>> + use<'c> {
    pieces(connection, AT_ONCE).flat_map(move |range| {
        let (read, error) = match positions_in(connection, path, range) {
            Ok(read) => (read, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        read.into_iter().map(Ok).chain(error.map(Err))
    })
}

/// The positions of a range, in the order of their keys.
fn positions_in(connection: &Connection, path: &Path, range: KeyRange) -> Result<Vec<Position>> {
    read(connection, &range.condition(), []).map_err(Error::sqlite(path, "read"))
}

/// The state of a database that is read.
pub(crate) enum State<'s> {
    /// A committed one, by several connections at once.
    Committed(ReadTransactions),
    /// With everything that a change has written so far.
    Changed(&'s Change<'s>),
}

impl State<'_> {
    /// The state that is committed now. Later commits aren't seen.
    pub(crate) fn committed(store: &Store) -> Result<State<'static>> {
        store.read_transactions().map(State::Committed)
    }

    pub(crate) fn store(&self) -> &Store {
        match self {
            State::Committed(transactions) => transactions.first(),
            State::Changed(change) => change.store(),
        }
    }
}

/// Positions that one connection reads at a time.
const AT_ONCE: u32 = 1 << 13;

/// Makes something of every position, on all cores if nothing has been written, and calls `each` with it in the order of their keys.
pub(crate) fn each_made<T: Send>(
    state: &mut State<'_>,
    make: impl Fn(Position) -> Result<T> + Sync,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let path = state.store().path().to_owned();
    let piece = |connection: &Connection, range| {
        let read = positions_in(connection, &path, range)?;
        read.into_iter().map(&make).collect::<Result<Vec<T>>>()
    };
    let take = |made: Result<Vec<T>>| made?.into_iter().try_for_each(&mut each);
    match state {
        State::Committed(transactions) => transactions.each_piece(piece, take),
        State::Changed(change) => pieces(change.connection(), AT_ONCE)
            .map(|range| piece(change.connection(), range))
            .try_for_each(take),
    }
}

/// The tables with rows of positions.
pub(crate) const TABLES: [&str; 5] = ["positions", "links", "record_scores", "leaves", "comments"];

/// Removes the rows of a position from a table.
pub(crate) fn clear(connection: &Connection, table: &str, key: Packed) -> rusqlite::Result<()> {
    let sql = format!("DELETE FROM {table} WHERE board = ?");
    connection.prepare_cached(&sql)?.execute([key.0]).map(drop)
}

/// Removes a link.
pub(crate) fn remove_link(connection: &Connection, key: Packed, mv: Move) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM links WHERE board = ? AND move = ?")?;
    delete.execute(params![key.0, mv.bits()]).map(drop)
}

/// The depth of the search of a leaf.
pub(crate) fn leaf_depth(
    connection: &Connection,
    key: Packed,
    mv: Move,
) -> rusqlite::Result<Option<u32>> {
    let sql = "SELECT max(depth) FROM leaves WHERE board = ? AND move = ?";
    let mut select = connection.prepare_cached(sql)?;
    select.query_row(params![key.0, mv.bits()], |row| row.get(0))
}

/// A key as the value of a column.
impl From<Packed> for Value {
    fn from(key: Packed) -> Value {
        Value::Blob(key.0.to_vec())
    }
}

/// Writes what files say about positions.
pub(crate) struct Writer<'c> {
    positions: BulkInsert<'c, Value>,
    leaves: BulkInsert<'c, Value>,
    comment: CachedStatement<'c>,
}

impl Writer<'_> {
    pub(crate) fn new(connection: &Connection) -> rusqlite::Result<Writer<'_>> {
        Ok(Writer {
            positions: BulkInsert::around(
                connection,
                "INSERT INTO positions (board, colours, black_ply, white_ply) VALUES",
                "ON CONFLICT (board) DO UPDATE SET
                     colours = excluded.colours, black_ply = excluded.black_ply, white_ply = excluded.white_ply",
                4,
            )?,
            leaves: BulkInsert::around(
                connection,
                "INSERT OR REPLACE INTO leaves (board, colour, move, score, depth, count, ponder, place) VALUES",
                "",
                8,
            )?,
            comment: connection.prepare_cached(
                "INSERT OR REPLACE INTO comments (board, colour, place, above, move, text)
                 VALUES (?, ?, ?, ?, ?, ?)",
            )?,
        })
    }

    /// Writes the row of table `positions`, except for its scores, and those of table `comments`. These never become fewer.
    pub(crate) fn position(&mut self, position: &Position) -> rusqlite::Result<()> {
        let [black, white] = &position.records;
        for (colour, record) in (1_u8..).zip([black, white]) {
            let comments = record.iter().flat_map(|record| &record.comments);
            for (place, Comment { at, text }) in (0_i64..).zip(comments) {
                let above = (*at == At::Above).then_some(1);
                let mv = match at {
                    At::Move(mv) => Some(mv.bits()),
                    At::Above | At::Below => None,
                };
                let row = params![position.key.0, colour, place, above, mv, text];
                self.comment.execute(row)?;
            }
        }
        let colours = u8::from(black.is_some()) | u8::from(white.is_some()) << 1;
        let ply = |record: &Option<Record>| record.as_ref().and_then(|record| record.ply);
        let [black, white] = [black, white].map(|record| Value::from(ply(record)));
        self.positions
            .push([position.key.into(), colours.into(), black, white])
    }

    /// Writes the rows of table `leaves`, over those of the same moves.
    pub(crate) fn leaves(&mut self, position: &Position) -> rusqlite::Result<()> {
        for (colour, record) in (1_i64..).zip(&position.records) {
            let moves = record.iter().flat_map(|record| &record.moves);
            for (place, leaf) in (0_i64..).zip(moves) {
                self.leaves.push([
                    Value::from(position.key),
                    colour.into(),
                    leaf.mv.bits().into(),
                    leaf.score.into(),
                    leaf.depth.into(),
                    leaf.count.into(),
                    leaf.ponder.map(Move::bits).into(),
                    place.into(),
                ])?;
            }
        }
        Ok(())
    }

    /// Writes the last rows.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        self.positions.finish()?;
        self.leaves.finish()
    }
}

/// Writes the scores of positions.
pub(crate) struct ScoreWriter<'c> {
    connection: &'c Connection,
    position: CachedStatement<'c>,
    links: BulkInsert<'c, Value>,
    by_draws: BulkInsert<'c, Value>,
}

impl ScoreWriter<'_> {
    pub(crate) fn new(connection: &Connection) -> rusqlite::Result<ScoreWriter<'_>> {
        Ok(ScoreWriter {
            connection,
            position: connection.prepare_cached(
                "UPDATE positions SET value = ?2, depth = ?3, best = ?4 WHERE board = ?1",
            )?,
            links: BulkInsert::around(
                connection,
                "INSERT OR REPLACE INTO links (board, move, score, depth) VALUES",
                "",
                4,
            )?,
            by_draws: BulkInsert::new(
                connection,
                "record_scores",
                &["board", "colour", "place", "move", "score", "depth"],
            )?,
        })
    }

    /// Writes what differs in the results of a fix for a position.
    pub(crate) fn write(&mut self, key: Packed, before: &Own, own: &Own) -> rusqlite::Result<()> {
        let best = own.best.map(Move::bits);
        self.position
            .execute(params![key.0, own.value, own.depth, best])?;
        let stays = |gone: &Link| own.links.iter().any(|link| link.mv == gone.mv);
        for gone in before.links.iter().filter(|link| !stays(link)) {
            remove_link(self.connection, key, gone.mv)?;
        }
        let is_new = |link: &&Link| !before.links.contains(link);
        for link in own.links.iter().filter(is_new) {
            self.links.push([
                Value::from(key),
                link.mv.bits().into(),
                link.score.into(),
                link.depth.into(),
            ])?;
        }
        if before.by_draws == own.by_draws {
            return Ok(());
        }
        clear(self.connection, "record_scores", key)?;
        for (colour, moves) in (1_i64..).zip(&own.by_draws) {
            for (place, it) in (0_i64..).zip(moves) {
                self.by_draws.push([
                    Value::from(key),
                    colour.into(),
                    place.into(),
                    it.mv.bits().into(),
                    it.score.into(),
                    it.depth.into(),
                ])?;
            }
        }
        Ok(())
    }

    /// Writes the last rows.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        self.links.finish()?;
        self.by_draws.finish()
    }
}
