//! The tables and their columns.

/// A table with rows of positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// A row for each position, with its numbers.
    Positions,
    /// A row for each link.
    Links,
    /// A row for each leaf.
    Leaves,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 3] = [Table::Positions, Table::Links, Table::Leaves];

    /// Its name in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Table::Positions => "positions",
            Table::Links => "links",
            Table::Leaves => "leaves",
        }
    }

    /// Its columns, in the order in which rows are read and written; the first is the key of the position.
    #[must_use]
    pub const fn columns(self) -> &'static [&'static str] {
        match self {
            Table::Positions => &[
                "board",
                "empties",
                "value",
                "lower",
                "upper",
                "level",
                "engine",
                "wins",
                "draws",
                "losses",
                "lines",
                "unsearched",
            ],
            Table::Links => &["board", "move", "score"],
            Table::Leaves => &["board", "move", "score", "level", "engine"],
        }
    }

    /// `SELECT` of all columns, up to the table's name.
    pub(crate) fn select(self) -> String {
        format!("SELECT {} FROM {}", self.columns().join(", "), self.name())
    }

    /// The same from another database, whose schema may be of an older version: what not every version has is NULL.
    /// `schema` is empty, or ends with a dot.
    pub(crate) fn select_of_any_version(self, schema: &str) -> String {
        let columns = self.columns().iter().map(|column| match *column {
            "unsearched" => "NULL",
            column => column,
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        format!("SELECT {columns} FROM {schema}{}", self.name())
    }

    /// The columns by which its rows are sorted.
    pub(crate) const fn order(self) -> &'static str {
        match self {
            Table::Links => "board, move",
            Table::Positions | Table::Leaves => "board",
        }
    }
}
