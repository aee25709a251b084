//! The columns of tables, and the values in them.

use arrow_schema::{DataType, Field, Schema};
use obook_base::sql::{ColumnType, Value};
use serde::{Deserialize, Serialize};

/// The most bytes of a text. The longest that a book has are records of games, of which files may have a megabyte.
pub const MOST_TEXT: usize = 1 << 21;

/// The type in Arrow of the values in a column.
#[must_use]
pub fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Real => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Key => DataType::FixedSizeBinary(16),
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ColumnType,
    /// Whether it follows from other columns: it is there for queries, and a database doesn't have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

obook_base::named! {
    /// How a table is divided into folders, by its first column. The name is that of the column that the folders' names stand for.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Partition {
        /// By the number of empty squares of a key.
        Layer = "layer",
        /// By the year in the number of a game.
        Year = "year",
    }
}

/// Numbers of games of one year: see the table `games` of a database.
const GAMES_OF_A_YEAR: i64 = 10_000_000;

impl Partition {
    /// The folder of a row, by the row's first value; `None` if the value is of another type.
    #[must_use]
    pub fn of(self, first: Value<'_>) -> Option<i64> {
        match (self, first) {
            (Partition::Layer, Value::Blob(key)) => layer(key.try_into().ok()?),
            (Partition::Year, Value::Integer(game)) => Some(game.div_euclid(GAMES_OF_A_YEAR)),
            _ => None,
        }
    }
}

/// The number of empty squares of a position; `None` if the key isn't one of a board, because two discs are on one square.
#[must_use]
pub fn layer(key: [u8; 16]) -> Option<i64> {
    let both = u128::from_be_bytes(key);
    let (player, opponent) = ((both >> 64) as u64, both as u64);
    (player & opponent == 0).then(|| i64::from((player | opponent).count_zeros()))
}

/// A table: its columns, and how its rows are ordered and divided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The table's name.
    pub name: String,
    /// How it is divided into folders; `None`: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The number of columns, from the first, by which rows are sorted. No two rows have the same values there.
    pub key: usize,
}

impl Shape {
    /// The schema of the table's files. Columns of the key have no nulls.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let fields = self.columns.iter().enumerate().map(|(place, column)| {
            Field::new(&column.name, data_type(column.kind), place >= self.key)
        });
        Schema::new(fields.collect::<Vec<_>>())
    }

    /// The key of a row, as bytes that sort as rows do. Returns `None` if a cell of it can't be in a key.
    pub(crate) fn sort_key<'v>(&self, cell: impl Fn(usize) -> Value<'v>) -> Option<Vec<u8>> {
        let mut key = Vec::with_capacity(24);
        for column in 0..self.key {
            match cell(column) {
                Value::Integer(value) => {
                    key.extend((value.cast_unsigned() ^ 1 << 63).to_be_bytes());
                }
                Value::Text(value) => key.extend(value.iter().chain(&[0])),
                Value::Blob(value) => key.extend(value),
                Value::Null | Value::Real(_) => return None,
            }
        }
        Some(key)
    }
}
