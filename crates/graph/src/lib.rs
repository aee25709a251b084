//! An Othello opening book in memory, and what follows from it.
//!
//! Internal to obook: it may change in any version. Programs use [obook](https://docs.rs/obook) or
//! [obook-converters](https://docs.rs/obook-converters), which follow semantic versioning.
//!
//! A [`Graph`] holds a whole book: positions, and the links between them. [`link`] finds the links, [`negamax`] computes values
//! from the leaves up by the rules of Edax or Egaroucid, and [`accuracy`] grades how well the values are proved. [`mapping`]
//! converts a book from one engine's form to the other's. [`slabs`] hold a book that doesn't fit in memory.
//!
//! The crate knows nothing of databases. The engines' book files come from [`obook_converters`].
//!
//! ```
//! use obook_graph::Graph;
//! use obook_graph::link::link;
//! use obook_graph::negamax::{Scoring, negamax};
//! use obook_othello::{Board, Engine, Leaf, Line, Position};
//!
//! // A book of three positions. A search of the last one found that its first legal move is worth 2 discs.
//! let mut builder = Graph::builder();
//! for moves in ["", "f5", "f5d6"] {
//!     let board = moves.parse::<Line>()?.board();
//!     builder.push(Position::new(board.canonical(), Engine::Edax));
//! }
//! let (mut graph, _) = builder.finish()?;
//! let last = "f5d6".parse::<Line>()?.board().canonical();
//! let id = graph.find(last).unwrap();
//! let mv = last.board().moves().next();
//! graph.set_leaf(id, Leaf { mv, score: 2, level: Some(21), engine: Engine::Edax });
//!
//! link(&mut graph)?;
//! negamax(&mut graph, Scoring::Edax { midgame_error: 2, endcut_error: 1 });
//!
//! let start = graph.find(Board::START.canonical()).unwrap();
//! assert_eq!(graph.value(start), Some(2), "two plies up, for the same side");
//! for link in graph.links(start) {
//!     println!("{} {:?}", link.mv, link.score);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod accuracy;
mod arena;
mod lines_from_start;
pub mod loops;
pub mod mapping;
pub mod negamax;
pub mod passes;
pub mod slabs;
pub mod sort;

pub use arena::{Before, Differs, Graph, GraphBuilder, LinkTo, NodeId, TooLarge, link};
pub use lines_from_start::LinesFromStart;

/// The examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
