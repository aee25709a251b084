//! Reads all positions of a key range, by a merge join of the three tables, each in key order.

use crate::rows::decode::{self, KeyedBoard};
use crate::rows::fault::{Error, Fault, Faults, Wrong};
use crate::rows::table::Table;
use obook_base::sqlite::KeyRange;
use obook_othello::Position;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, Row, Rows};

/// A row of `positions` joined with the rows of the other tables that have its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Their key.
    pub key: [u8; 16],
    /// Whether the rows have no faults.
    pub sound: bool,
    /// Their contents, as far as they make sense.
    pub position: Option<Position>,
}

/// Reads a range in key order, as the connection's transaction sees it.
///
/// # Errors
/// Returns an error if SQLite can't read the tables, or any error from `faults`.
pub fn scan<F: Faults>(
    connection: &Connection,
    range: KeyRange<16>,
    faults: &mut F,
    mut visit: impl FnMut(Joined),
) -> Result<(), Error> {
    let prepare = |table: Table| {
        let (select, condition) = (table.select(None), range.condition());
        connection.prepare(&format!("{select} {condition} ORDER BY {}", table.order()))
    };
    let mut positions = prepare(Table::Positions)?;
    let mut links = prepare(Table::Links)?;
    let mut leaves = prepare(Table::Leaves)?;
    let faults = &mut Counted { faults, wrong: 0 };
    let mut links = Cursor::new(Table::Links, links.query([])?, faults)?;
    let mut leaves = Cursor::new(Table::Leaves, leaves.query([])?, faults)?;
    let mut positions = Cursor::new(Table::Positions, positions.query([])?, faults)?;
    while let Some(key) = positions.key {
        let before = faults.wrong;
        let keyed = KeyedBoard::read(key, faults)?;
        let mut position = match (&keyed, positions.row_of(key)) {
            (Some(keyed), Some(row)) => Some(keyed.with(faults).numbers(row)?),
            _ => None,
        };
        links.skip_to(Some(key), faults)?;
        let mut numbers = 1..=u8::MAX;
        while let Some(row) = links.row_of(key) {
            if let (Some(keyed), Some(position)) = (&keyed, &mut position)
                && let Some(number) = numbers.next()
            {
                let link = keyed.with(faults).link(number, row, 0)?;
                position.links.extend(link);
            }
            links.advance(faults)?;
        }
        leaves.skip_to(Some(key), faults)?;
        if let Some(row) = leaves.row_of(key) {
            if let (Some(keyed), Some(position)) = (&keyed, &mut position) {
                let leaf = keyed.with(faults).leaf(position.engine, row, 0)?;
                leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
            }
            leaves.advance(faults)?;
        }
        if let Some(position) = &mut position {
            position.sort_links();
        }
        visit(Joined {
            key,
            sound: faults.wrong == before,
            position,
        });
        positions.advance(faults)?;
    }
    links.skip_to(None, faults)?;
    leaves.skip_to(None, faults)
}

/// A walk over a table in key order, at a row with a valid key.
struct Cursor<'s> {
    table: Table,
    rows: Rows<'s>,
    /// The row's key; `None` after the last row.
    key: Option<[u8; 16]>,
}

impl<'s> Cursor<'s> {
    fn new<F: Faults>(table: Table, rows: Rows<'s>, faults: &mut F) -> Result<Cursor<'s>, Error> {
        let key = None;
        let mut cursor = Cursor { table, rows, key };
        cursor.advance(faults)?;
        Ok(cursor)
    }

    /// The row, if it has this key.
    fn row_of(&self, key: [u8; 16]) -> Option<&Row<'s>> {
        self.rows.get().filter(|_| self.key == Some(key))
    }

    /// Moves on to the next row with a valid key.
    fn advance<F: Faults>(&mut self, faults: &mut F) -> Result<(), Error> {
        self.key = None;
        while let Some(row) = self.rows.next()? {
            match decode::key(row)? {
                Ok(key) => {
                    self.key = Some(key);
                    break;
                }
                Err(found) => {
                    let table = self.table;
                    let wrong = Wrong::BadKey { table, found };
                    faults.add(Fault { key: None, wrong })?;
                }
            }
        }
        Ok(())
    }

    /// Moves on to the first row with at least this key. The rows before it don't belong to any position.
    fn skip_to<F: Faults>(&mut self, key: Option<[u8; 16]>, faults: &mut F) -> Result<(), Error> {
        while let Some(orphan) = self.key
            && key.is_none_or(|key| orphan < key)
        {
            if F::BY_THE_RULES {
                faults.add(Fault {
                    key: Some(orphan),
                    wrong: Wrong::Orphan(self.table),
                })?;
            }
            self.advance(faults)?;
        }
        Ok(())
    }
}

/// Counts faults in positions' rows as they pass through.
struct Counted<'f, F> {
    faults: &'f mut F,
    wrong: u64,
}

impl<F: Faults> Faults for Counted<'_, F> {
    const BY_THE_RULES: bool = F::BY_THE_RULES;

    fn add(&mut self, fault: Fault) -> Result<(), Error> {
        let is_elsewhere = matches!(fault.wrong, Wrong::BadKey { .. } | Wrong::Orphan(_));
        self.wrong += u64::from(!is_elsewhere);
        self.faults.add(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Strict, encode};
    use obook_base::sqlite::{BulkInsert, pieces};
    use obook_othello::{Board, Engine, Link};

    /// Collects all faults.
    #[derive(Default)]
    struct Collected(Vec<Fault>);

    impl Faults for Collected {
        const BY_THE_RULES: bool = true;

        fn add(&mut self, fault: Fault) -> Result<(), Error> {
            self.0.push(fault);
            Ok(())
        }
    }

    /// The first positions of games, with all their moves as links.
    fn book() -> Result<Connection, rusqlite::Error> {
        let connection = Connection::open_in_memory()?;
        for table in Table::ALL {
            let (name, columns, key) = (table.name(), table.columns().join(", "), table.order());
            connection.execute_batch(&format!(
                "CREATE TABLE {name} ({columns}, PRIMARY KEY ({key})) WITHOUT ROWID"
            ))?;
        }
        let mut boards = vec![Board::START];
        for at in 0..30 {
            let children = boards[at].children().map(|(_, child)| child);
            boards.extend(children.collect::<Vec<_>>());
        }
        let mut boards: Vec<_> = boards.into_iter().map(Board::canonical).collect();
        boards.sort_unstable();
        boards.dedup();
        let mut positions = BulkInsert::new(
            &connection,
            Table::Positions.name(),
            Table::Positions.columns(),
        )?;
        let mut links = BulkInsert::new(&connection, Table::Links.name(), Table::Links.columns())?;
        for board in boards {
            let mut position = Position::new(board, Engine::Edax);
            let score = Some(5);
            position
                .links
                .extend(board.board().moves().map(|mv| Link { mv, score }));
            positions.push(encode::position(&position))?;
            encode::links(&position).try_for_each(|link| links.push(link))?;
        }
        positions.finish()?;
        links.finish()?;
        Ok(connection)
    }

    fn scanned(
        connection: &Connection,
        ranges: impl Iterator<Item = KeyRange<16>>,
    ) -> (Vec<Joined>, Vec<Fault>) {
        let (mut rows, mut faults) = (Vec::new(), Collected::default());
        for range in ranges {
            scan(connection, range, &mut faults, |joined| rows.push(joined)).unwrap();
        }
        (rows, faults.0)
    }

    #[test]
    fn pieces_are_the_whole() {
        let connection = book().unwrap();
        connection
            .execute_batch(
                "INSERT INTO links VALUES (zeroblob(16), 5, 0), (x'ffff', 5, 0), (x'00000000000000000000000000000fff', 5, 0);
                 INSERT INTO leaves VALUES (randomblob(16), 5, 0, 1, 1);
                 UPDATE positions SET engine = 0 WHERE board IN (SELECT board FROM links GROUP BY board HAVING count(*) = 3)",
            )
            .unwrap();
        let (rows, faults) = scanned(&connection, std::iter::once(KeyRange::ALL));
        assert!(rows.len() > 20 && faults.len() > 4, "{rows:?} {faults:?}");
        assert!(rows.iter().any(|row| row.sound) && rows.iter().any(|row| !row.sound));
        for size in [1, 2, 7, 10_000] {
            let (rows_of_pieces, same) = scanned(&connection, pieces(&connection, size));
            assert_eq!(rows_of_pieces, rows, "{size}");
            // Rows without a valid key come where a table's walk begins, so the order may differ.
            let set = |faults: &[Fault]| {
                let mut texts: Vec<String> =
                    faults.iter().map(|fault| format!("{fault:?}")).collect();
                texts.sort();
                texts
            };
            assert_eq!(set(&same), set(&faults), "{size}");
        }
    }

    #[test]
    fn strict_reading_ends_at_the_first_fault_and_takes_moves_as_they_are() {
        let connection = book().unwrap();
        let start = Board::START.canonical();
        let all = |connection: &Connection| {
            let mut rows = Vec::new();
            scan(connection, KeyRange::ALL, &mut Strict, |joined| {
                rows.push(joined)
            })
            .map(|()| rows)
        };
        let pass = "INSERT INTO links VALUES (?, 64, NULL)";
        connection.execute(pass, [start.to_key()]).unwrap();
        let rows = all(&connection).unwrap();
        let read = rows.iter().find(|row| row.key == start.to_key()).unwrap();
        assert_eq!(read.position.as_ref().unwrap().links.len(), 5);
        let wrong = "UPDATE links SET score = 65 WHERE board = ? AND move = 64";
        connection.execute(wrong, [start.to_key()]).unwrap();
        let error = all(&connection).unwrap_err().to_string();
        assert_eq!(error, "the score of a link is 65: expected -64 to 64");
    }
}
