//! All positions of a key range: a merge join of the three tables, each of which is in key order.

use crate::decode::{self, Place, best_first};
use crate::fault::{Error, Fault, Faults};
use crate::key_range::KeyRange;
use crate::table::Table;
use obook_converters::Position;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, Row, Rows};

/// A row of `positions` with the rows of the other tables that have its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// The key under which they stand.
    pub key: [u8; 16],
    /// Whether nothing was wrong with them.
    pub sound: bool,
    /// What they say, as far as it can be understood.
    pub position: Option<Position>,
}

/// Reads a range in key order. What the tables say is what the connection's transaction sees.
///
/// # Errors
/// Where SQLite can't read the tables, and whatever `faults` and `visit` give.
pub fn scan<F: Faults>(
    connection: &Connection,
    range: KeyRange,
    faults: &mut F,
    mut visit: impl FnMut(Joined),
) -> Result<(), Error> {
    let prepare = |table: Table| {
        let (select, condition) = (table.select(), range.condition());
        connection.prepare(&format!("{select} {condition} ORDER BY {}", table.order()))
    };
    let mut statements = [
        prepare(Table::Positions)?,
        prepare(Table::Links)?,
        prepare(Table::Leaves)?,
    ];
    let [positions, links, leaves] = &mut statements;
    let faults = &mut Counted { faults, wrong: 0 };
    let mut links = Cursor::new(Table::Links, links.query([])?, faults)?;
    let mut leaves = Cursor::new(Table::Leaves, leaves.query([])?, faults)?;
    let mut positions = Cursor::new(Table::Positions, positions.query([])?, faults)?;
    while let Some(key) = positions.key {
        let before = faults.wrong;
        let place = Place::read(key, faults)?;
        let mut position = match (&place, positions.row()) {
            (Some(place), Some(row)) => Some(place.numbers(row, faults)?),
            _ => None,
        };
        links.skip_to(Some(key), faults)?;
        let mut numbers = 1..=u8::MAX;
        while let Some(row) = links.row_of(key) {
            if let (Some(place), Some(position)) = (&place, &mut position)
                && let Some(number) = numbers.next()
            {
                position.links.extend(place.link(number, row, faults)?);
            }
            links.advance(faults)?;
        }
        leaves.skip_to(Some(key), faults)?;
        if let Some(row) = leaves.row_of(key) {
            if let (Some(place), Some(position)) = (&place, &mut position) {
                let leaf = place.leaf(position.engine, row, faults)?;
                leaf.into_iter().for_each(|leaf| position.set_leaf(leaf));
            }
            leaves.advance(faults)?;
        }
        if let Some(position) = &mut position {
            best_first(position);
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

/// A table on a walk in key order, at a row that has a key.
struct Cursor<'s> {
    table: Table,
    rows: Rows<'s>,
    /// Of the row; `None` behind the last.
    key: Option<[u8; 16]>,
}

impl<'s> Cursor<'s> {
    fn new<F: Faults>(table: Table, rows: Rows<'s>, faults: &mut F) -> Result<Cursor<'s>, Error> {
        let key = None;
        let mut cursor = Cursor { table, rows, key };
        cursor.advance(faults)?;
        Ok(cursor)
    }

    fn row(&self) -> Option<&Row<'s>> {
        self.rows.get()
    }

    /// The row, if it has this key.
    fn row_of(&self, key: [u8; 16]) -> Option<&Row<'s>> {
        if self.key == Some(key) {
            self.row()
        } else {
            None
        }
    }

    /// Goes on to the next row that has a key.
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
                    faults.add(Fault::BadKey { table, found })?;
                }
            }
        }
        Ok(())
    }

    /// Goes on to the first row that has at least this key; the rows before it belong to no position.
    fn skip_to<F: Faults>(&mut self, key: Option<[u8; 16]>, faults: &mut F) -> Result<(), Error> {
        while let Some(orphan) = self.key
            && key.is_none_or(|key| orphan < key)
        {
            if F::BY_THE_RULES {
                let (table, key) = (self.table, orphan);
                faults.add(Fault::Orphan { table, key })?;
            }
            self.advance(faults)?;
        }
        Ok(())
    }
}

/// Counts the faults in rows of positions on their way.
struct Counted<'f, F> {
    faults: &'f mut F,
    wrong: u64,
}

impl<F: Faults> Faults for Counted<'_, F> {
    const BY_THE_RULES: bool = F::BY_THE_RULES;

    fn add(&mut self, fault: Fault) -> Result<(), Error> {
        self.wrong += u64::from(matches!(fault, Fault::Row { .. }));
        self.faults.add(fault)
    }
}
