//! How a table looks: what the log has to know of it to put its rows back.

use crate::tables::without_views;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

/// A table, its columns, and which of them tell its rows apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// Places in `columns`.
    pub(crate) key: Vec<usize>,
}

/// Stands for the key that a table has unless it says `WITHOUT ROWID`.
const ROWID: &str = "_rowid_";

impl Shape {
    /// The tables of a database, those of a person too; not those that hold the history itself and what was learned in its
    /// course, nor the one that says what is counted.
    pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Shape>> {
        without_views(connection, Shape::list)
    }

    fn list(connection: &Connection) -> rusqlite::Result<Vec<Shape>> {
        let mut tables = connection.prepare(
            "SELECT name, wr FROM pragma_table_list
             WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               AND name NOT IN ('history', 'undo', 'row_counts', 'tasks', 'learning', 'learned')
             ORDER BY name",
        )?;
        // Generated columns come about by themselves.
        let mut columns = connection.prepare(
            "SELECT name, pk FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid",
        )?;
        let mut shapes = Vec::new();
        let mut rows = tables.query([])?;
        while let Some(row) = rows.next()? {
            let (name, without_rowid): (String, bool) = (row.get(0)?, row.get(1)?);
            let columns: Vec<(String, u16)> = columns
                .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?;
            shapes.push(Shape::new(name, without_rowid, columns));
        }
        Ok(shapes)
    }

    /// `columns` come with their places in the primary key, 0 for those outside it.
    fn new(name: String, without_rowid: bool, columns: Vec<(String, u16)>) -> Shape {
        if !without_rowid {
            let rowid = std::iter::once(ROWID.to_owned());
            let columns = rowid.chain(columns.into_iter().map(|(name, _)| name));
            return Shape {
                name,
                columns: columns.collect(),
                key: vec![0],
            };
        }
        let mut key: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].1 > 0).collect();
        key.sort_unstable_by_key(|at| columns[*at].1);
        Shape {
            name,
            columns: columns.into_iter().map(|(name, _)| name).collect(),
            key,
        }
    }

    /// Its name as SQL.
    pub(crate) fn sql_name(&self) -> String {
        quoted(&self.name)
    }

    /// All columns as SQL, each after `prefix`.
    pub(crate) fn sql_columns(&self, prefix: &str) -> String {
        list(&self.columns, prefix)
    }

    /// The columns of the key as SQL, each after `prefix`.
    pub(crate) fn sql_key(&self, prefix: &str) -> String {
        list(self.key.iter().map(|at| &self.columns[*at]), prefix)
    }

    /// Every column and its parameter, between them `between`, from parameter `first` on.
    pub(crate) fn sql_pairs(&self, places: &[usize], first: usize, between: &str) -> String {
        let pairs = places
            .iter()
            .enumerate()
            .map(|(number, at)| format!("{} = ?{}", quoted(&self.columns[*at]), first + number));
        pairs.collect::<Vec<_>>().join(between)
    }
}

fn list<'a>(names: impl IntoIterator<Item = &'a String>, prefix: &str) -> String {
    let names = names
        .into_iter()
        .map(|name| format!("{prefix}{}", quoted(name)));
    names.collect::<Vec<_>>().join(", ")
}

/// A name as SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
