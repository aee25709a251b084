//! The log of the rows that any SQL changes. Triggers of the connection write it, and stay as long as it does. To make and drop them takes
//! longer than most changes. They pass each row to functions, which do nothing outside a change.

use super::log::Rows;
use super::part::{RowChange, RowSum, Shape, quoted};
use crate::counts::{self, CountedRow};
use crate::schema::{self, Schema};
use obook_base::locked;
use obook_base::sqlite::all_rows;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The function that the triggers call with the place of the table, the [`RowChange`], and cells.
const FUNCTION: &str = "obook_log";
/// The function that the triggers call with the place of the table and the cells of a new row.
const NEW_ROW: &str = "obook_log_new";

/// The rows that the functions take; `None` outside a change.
pub(super) type Recorded = Arc<Mutex<Option<Rows>>>;

/// The state that a connection keeps for the next change.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The log of the change that is being made.
    pub(super) rows: Recorded,
    /// Whether the connection has the functions.
    registered: Cell<bool>,
    layout: RefCell<Option<Arc<Layout>>>,
    /// The numbers of the schemas, of the database and of the connection, at the beginning of a change for which all triggers were
    /// there.
    watched: Cell<Option<[i64; 2]>>,
}

impl Recorder {
    /// The tables of the database, at the beginning of a transaction.
    pub(super) fn layout(
        &self,
        connection: &Connection,
        schema: &'static Schema,
    ) -> rusqlite::Result<Arc<Layout>> {
        let cookie = schema::cookie(connection, "main")?;
        let known = self.layout.borrow().clone();
        if let Some(known) = known.filter(|known| known.cookie == cookie) {
            return Ok(known);
        }
        let layout = Arc::new(Layout::read(connection, schema)?);
        *self.layout.borrow_mut() = Some(Arc::clone(&layout));
        Ok(layout)
    }

    /// Registers the functions that the triggers call.
    pub(super) fn register(&self, connection: &Connection) -> rusqlite::Result<()> {
        if self.registered.replace(true) {
            return Ok(());
        }
        for (name, take) in [
            (FUNCTION, Rows::take as Take),
            (NEW_ROW, Rows::take_new as Take),
        ] {
            let rows = Arc::clone(&self.rows);
            let flags = FunctionFlags::SQLITE_UTF8;
            connection.create_scalar_function(name, -1, flags, move |context| {
                let mut rows = locked(&rows);
                match &mut *rows {
                    Some(rows) => take(rows, context),
                    None => Ok(None),
                }
            })?;
        }
        Ok(())
    }

    /// Makes the triggers that are missing, and drops those that belong to tables as they were once.
    pub(super) fn watch(&self, connection: &Connection, layout: &Layout) -> rusqlite::Result<()> {
        let cookie = schema::cookie(connection, "temp")?;
        let cookies = Some([layout.cookie, cookie]);
        if self.watched.get() == cookies {
            return Ok(());
        }
        self.watched.set(None);
        let found = triggers_of(connection)?;
        let tables = layout.shapes.iter().enumerate();
        let wanted = tables.flat_map(|(table, shape)| triggers(table, shape));
        let wanted: BTreeSet<_> = wanted.collect();
        for (name, _) in found.difference(&wanted) {
            drop_trigger(connection, name)?;
        }
        for (_, sql) in wanted.difference(&found) {
            connection.execute_batch(&format!("CREATE TEMP TRIGGER {sql}"))?;
        }
        // Triggers that this transaction has made disappear if it is rolled back.
        if schema::cookie(connection, "temp")? == cookie {
            self.watched.set(cookies);
        }
        Ok(())
    }
}

/// Takes the arguments of a function.
type Take = fn(&mut Rows, &Context<'_>) -> rusqlite::Result<Option<i64>>;

/// The tables of a database.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The number of this schema.
    pub(crate) cookie: i64,
    pub(crate) objects: BTreeSet<String>,
    pub(super) shapes: Arc<[Shape]>,
    pub(super) row_sums: Vec<RowSum>,
    pub(super) counted: Vec<Option<CountedRow>>,
    /// Whether the schema's triggers are there.
    pub(super) counts_are_watched: bool,
}

impl Layout {
    fn read(connection: &Connection, schema: &'static Schema) -> rusqlite::Result<Layout> {
        let shapes: Arc<[Shape]> = Shape::all(connection)?.into();
        let counted = |shape: &Shape| CountedRow::new(schema, &shape.name, &shape.columns);
        Ok(Layout {
            cookie: schema::cookie(connection, "main")?,
            objects: schema::objects(connection)?,
            row_sums: shapes.iter().map(Shape::row_sum).collect(),
            counted: shapes.iter().map(counted).collect(),
            counts_are_watched: counts::are_watched(connection, schema)?,
            shapes,
        })
    }
}

/// The triggers that log changes of a table: their names, and statements after the words `CREATE TRIGGER`.
pub(super) fn triggers(table: usize, shape: &Shape) -> impl Iterator<Item = (String, String)> {
    let (key, old) = (shape.sql_key("NEW."), shape.sql_columns("OLD."));
    let new = format!("); SELECT {NEW_ROW}({table}, {}", shape.sql_columns("NEW."));
    let trigger = move |kind: RowChange| {
        let (event, cells) = match kind {
            RowChange::Inserted => ("INSERT", format!("{key}{new}")),
            RowChange::Deleted => ("DELETE", old.clone()),
            RowChange::Updated => ("UPDATE", format!("{key}, {old}{new}")),
        };
        let name = trigger_name(&shape.name, kind);
        let sql = format!(
            "{} AFTER {event} ON main.{} BEGIN SELECT {FUNCTION}({table}, {}, {cells}); END",
            quoted(&name),
            shape.sql_name(),
            kind as usize,
        );
        (name, sql)
    };
    RowChange::ALL.into_iter().map(trigger)
}

/// The triggers that log changes, as [`triggers`].
pub(super) fn triggers_of(connection: &Connection) -> rusqlite::Result<BTreeSet<(String, String)>> {
    let sql = "SELECT name, substr(sql, 1 + length('CREATE TRIGGER ')) FROM temp.sqlite_schema
               WHERE type = 'trigger' AND name GLOB ? || ' *'";
    all_rows(connection, sql, [FUNCTION], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

pub(super) fn drop_triggers(connection: &Connection, shape: &Shape) -> rusqlite::Result<()> {
    let drop_one = |kind| drop_trigger(connection, &trigger_name(&shape.name, kind));
    RowChange::ALL.into_iter().try_for_each(drop_one)
}

/// Drops a trigger. If its table is gone, SQLite ignores it and this.
fn drop_trigger(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    let name = quoted(name);
    connection.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.{name}"))
}

/// Tells by its name whether a temporary trigger logs changes for undo.
#[must_use]
pub fn logs_changes(trigger: &str) -> bool {
    let words = trigger.split_once(' ');
    words.is_some_and(|(first, _)| first == FUNCTION)
}

fn trigger_name(table: &str, kind: RowChange) -> String {
    format!("{FUNCTION} {table} {kind:?}")
}
