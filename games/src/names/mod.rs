//! Names of openings: which position has which, and which position a name means.
//!
//! The table is `names/openings.tsv`, whose `README.md` says where the names come from. A name belongs to a position, however
//! it was reached and however the board is turned.
//!
//! ```
//! use obook_games::names::{self, Opening};
//! use obook_othello::Line;
//!
//! let tiger = names::find("tiger")?;
//! assert_eq!((tiger.line().to_string().as_str(), tiger.japanese()), ("f5d6c3d3c4", Some("虎")));
//!
//! // A mirror image of it by another order of moves, and one move more.
//! let line: Line = "e6f4d3c4c3d6".parse()?;
//! assert_eq!(names::of_line(&line).map(Opening::name), Some("Tiger"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod find;
mod lookup;
mod table;
mod typed;

pub use find::{UnknownOpening, find};
pub use lookup::{of_board, of_line};
pub use table::{Opening, openings};
pub use typed::{TypedError, read_line};
