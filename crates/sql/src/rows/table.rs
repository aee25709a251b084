//! The tables and their columns.

use crate::rows::encode;

obook_base::named! {
    /// A table with rows of positions, by its name in the database.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Table {
        /// One row per position, with its numbers.
        Positions = "positions",
        /// One row per link.
        Links = "links",
        /// One row per leaf.
        Leaves = "leaves",
    }
}

/// A table's name, in the attached database `schema` or the first one found if there's no name.
pub(crate) fn qualified(schema: Option<&str>, table: &str) -> String {
    match schema {
        Some(schema) => format!("\"{}\".{table}", schema.replace('"', "\"\"")),
        None => table.to_owned(),
    }
}

/// The columns of table `positions`.
const POSITION: [&str; encode::POSITION.len()] = {
    let mut names = [""; encode::POSITION.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = encode::POSITION[place].0;
        place += 1;
    }
    names
};

impl Table {
    /// The table's columns, in the order in which rows are read and written. The first is the position's key.
    #[must_use]
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Table::Positions => &POSITION,
            Table::Links => &["board", "move", "score"],
            Table::Leaves => &["board", "move", "score", "level", "engine"],
        }
    }

    /// A `SELECT` of all columns, up to the table's name.
    pub(crate) fn select(self, schema: Option<&str>) -> String {
        let table = qualified(schema, self.name());
        format!("SELECT {} FROM {table}", self.columns().join(", "))
    }

    /// The columns that rows are sorted by.
    pub(crate) const fn order(self) -> &'static str {
        match self {
            Table::Links => "board, move",
            Table::Positions | Table::Leaves => "board",
        }
    }
}
