//! Opening books of shogi in SQLite: files of engines in, own scores, answers in SQL, and files out again. The database keeps a history,
//! and every change can be undone (see [`obook_store`]).
//!
//! ```
//! use obook_shogi::database::export::{Scores, export, open};
//! use obook_shogi::database::file::Format;
//! use obook_shogi::database::view::View;
//! use obook_shogi::database::{SHOGI, fix::fix, import};
//! use obook_shogi::games::Game;
//! use obook_store::{Context, IfExists, Output, Store};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [file, path, fixed] = ["user_book1.db", "book.obook", "fixed.db"].map(|name| folder.path().join(name));
//! std::fs::write(&file, "\
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12
//! 2g2f none 25 12
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
//! 3c3d none -20 14
//! ")?;
//! let context = Context::new("my-program");
//! import::create(&[&file], &path, IfExists::Refuse, &context)?;
//!
//! // 7g7f leads to a position of the book, whose score counts.
//! let mut store = Store::open_for_writing(&SHOGI, &path, &context)?;
//! assert_eq!(fix(&mut store)?.links, 1);
//! let view = View::new(&store, &Game::default())?;
//! assert_eq!((view.value, view.moves[0].usi.as_str()), (Some(25), "2g2f"));
//! assert_eq!((view.moves[1].score, view.moves[1].listed_score), (Some(20), Some(30)));
//!
//! // SQL knows positions and moves.
//! let sql = "SELECT sfen(child(board, move)) FROM links";
//! let child: String = store.connection().query_row(sql, [], |row| row.get(0))?;
//! assert!(child.starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/"));
//!
//! export(&store, &Output::File(fixed.clone(), IfExists::Refuse), Format::Db, Scores::Own)?;
//! assert!(std::fs::read_to_string(&fixed)?.contains("\n2g2f none 25 0\n7g7f 3c3d 20 1\n"));
//! # let _ = open(&fixed, &context)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `crates/shogi/schema.sql` describes the tables.

mod condition;
pub mod diff;
pub mod export;
pub mod extract;
pub mod file;
pub mod fix;
mod format;
mod functions;
pub mod games;
pub mod grow;
pub mod import;
mod position;
pub mod prune;
pub mod ratings;
mod rows;
mod schema;
mod sorter;
pub mod stats;
pub mod verify;
pub mod view;
pub mod why;

pub use position::{Answer, Gained, Link, Own, Position, Record, Rule};
pub use schema::SHOGI;
