//! The functions and tables of Othello in SQL: what they are called, what they take, and what they compute.
//!
//! [`ALL`] lists the functions. An SQL engine registers each under its name and calls [`Function::call`] with values; it needs to
//! know nothing else.
//!
//! ```
//! use obook_sql::functions::{ALL, Answer, Value};
//! let function = ALL.iter().find(|function| function.name == "legal_moves").unwrap();
//! let answer = function.call(&[Value::Text(b"f5")])?;
//! assert_eq!(answer, Answer::Text("f4 d6 f6".into()));
//! # Ok::<(), obook_sql::functions::Problem>(())
//! ```
//!
//! Each [`Table`] has rows that depend on arguments and on a source; that of the tables here is a [`Book`]. [`add_tables`] makes all
//! of them known to an [SQL engine](SqlEngine). The engine says how positions are looked up; the table asks for all that it needs.
//!
//! ```
//! use obook_sql::functions::{Answer, Book, Moves, Result, Table, Value};
//! use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Position};
//! use std::collections::HashMap;
//!
//! struct Memory(HashMap<CanonicalBoard, Position>);
//!
//! impl Book for Memory {
//!     fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
//!         Ok(self.0.get(&board).cloned())
//!     }
//! }
//!
//! let start = Board::START.canonical();
//! let mut position = Position::new(start, Engine::Edax);
//! let mv = start.board().moves().next();
//! position.set_leaf(Leaf { mv, score: 0, level: Some(21), engine: Engine::Edax });
//! let book = Memory(HashMap::from([(start, position)]));
//! let moves = Moves.query("moves", Box::new(book), &[Some(Value::Text(b""))])?;
//! let moves: Vec<_> = moves.collect::<Result<_>>()?;
//! // All four moves from the start are the same but for symmetry.
//! assert_eq!(moves.len(), 4);
//! let score = Moves::COLUMNS.iter().position(|(name, ..)| *name == "score").unwrap();
//! assert!(moves.iter().all(|row| Moves::value(row, score) == Answer::Integer(0)));
//! # Ok::<(), obook_sql::functions::Problem>(())
//! ```

mod ancestors;
mod arguments;
mod book;
mod climber;
mod moves;
mod openings;
mod scalar;
mod table;
mod tree;

pub use ancestors::{Ancestors, LineTo};
pub use arguments::Given;
#[cfg(feature = "sqlite")]
pub(crate) use arguments::read_part;
pub use book::Book;
pub use climber::Climber;
pub use moves::{BestLine, Choose, KnownMove, Moves, Step, Target};
pub use obook_base::sql::{
    Answer, Arguments, Column, ColumnType, Problem, Result, Rows, Table, Value, read_number,
    read_text,
};
pub use openings::Openings;
pub use scalar::{ALL, Function};
pub use table::{BookTable, SqlEngine, add_tables};
pub use tree::{NearBest, NearMove, Node, Tree};
