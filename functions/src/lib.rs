//! The functions and tables of Othello in SQL: what they are called, what they take, and what they compute.
//!
//! [`ALL`] lists the functions. An SQL engine registers each under its name and calls [`Function::call`] with values; it needs to
//! know nothing else.
//!
//! ```
//! use obook_functions::{ALL, Answer, Value};
//! let function = ALL.iter().find(|function| function.name == "legal_moves").unwrap();
//! let answer = function.call(&[Value::Text(b"f5")])?;
//! assert_eq!(answer, Answer::Text("f4 d6 f6".into()));
//! # Ok::<(), obook_functions::Problem>(())
//! ```
//!
//! Each [`Table`] has rows that depend on arguments and on a source; that of the tables here is a [`Book`]. [`add_tables`] makes all
//! of them known to an [SQL engine](SqlEngine). The engine says how positions are looked up; the table asks for all that it needs.
//!
//! ```
//! use obook_functions::{Answer, Book, Moves, Result, Table, Value};
//! use obook_model::{Engine, Leaf, Links, Position};
//! use obook_othello::{Board, CanonicalBoard};
//! use std::collections::HashMap;
//!
//! struct Memory(HashMap<CanonicalBoard, Position>);
//!
//! impl Book for Memory {
//!     fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
//!         Ok(self.0.get(&board).cloned())
//!     }
//!
//!     fn links(&self, board: CanonicalBoard) -> Result<Links> {
//!         Ok(self.0.get(&board).map(|it| it.links.clone()).unwrap_or_default())
//!     }
//!
//!     fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>> {
//!         Ok(self.0.get(&board).and_then(|it| it.leaf))
//!     }
//! }
//!
//! let start = Board::START.canonical();
//! let mut position = Position::new(start, Engine::Edax);
//! let mv = start.board().moves().next();
//! position.set_leaf(Leaf { mv, score: 0, level: Some(21), engine: Engine::Edax });
//! let book = Memory(HashMap::from([(start, position)]));
//! let moves = Moves.query(Box::new(book), &[Some(Value::Text(b""))])?;
//! let moves: Vec<_> = moves.collect::<Result<_>>()?;
//! // All four moves from the start are the same but for symmetry.
//! assert_eq!(moves.len(), 4);
//! let score = Moves::COLUMNS.iter().position(|(name, _)| *name == "score").unwrap();
//! assert!(moves.iter().all(|row| Moves::value(row, score) == Answer::Integer(0)));
//! # Ok::<(), obook_functions::Problem>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod ancestors;
mod answer;
mod arguments;
mod book;
mod moves;
mod openings;
mod scalar;
mod table;
mod tree;

pub use ancestors::{Ancestor, Ancestors, LineTo};
pub use answer::{Answer, ColumnType};
pub use arguments::{Arguments, Given, Value, read_number, read_text};
pub use book::Book;
pub use moves::{BestLine, Choose, KnownMove, Moves, Step, Target, known_moves};
pub use openings::Openings;
pub use scalar::{ALL, Function};
use std::fmt;
pub use table::{BookTable, Rows, SqlEngine, Table, add_tables};
pub use tree::{Frontier, MoveKind, NearBest, NearMove, Node, Tree, Worst};

/// The fault of a call, in words for the author of the SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    message: String,
    interrupted: bool,
}

/// The result of a function.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem with this message.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Problem {
        Problem {
            message: message.to_string(),
            interrupted: false,
        }
    }

    /// A problem of a call that was interrupted rather than wrong.
    #[must_use]
    pub fn interruption(message: impl fmt::Display) -> Problem {
        Problem {
            interrupted: true,
            ..Problem::new(message)
        }
    }

    /// The problem of a table's first argument that is missing.
    pub(crate) fn missing(table: &str, arguments: &[&str]) -> Problem {
        let (name, usage) = (arguments[0], arguments.join(", "));
        Problem::new(format!("{name} is missing: {table}({usage})"))
    }

    /// Whether the call was interrupted rather than wrong.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        self.interrupted
    }

    /// Prefixes the message with the name of the function or table.
    #[must_use]
    pub fn within(self, name: &str) -> Problem {
        let message = format!("{name}: {self}");
        Problem { message, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
