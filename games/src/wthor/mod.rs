//! WTHOR: the base of tournament games that the French federation publishes, a file for each year.
//!
//! Numbers are little-endian. A header of 16 bytes begins each file; then come records of fixed size: games of 68 bytes in
//! `.wtb`, names of players in 20 and of tournaments in 26 bytes, Latin-1, in `.jou` and `.trn`.

mod beside;
mod detect;
mod header;
mod moves;
mod names;
mod reader;
mod writer;

pub use header::Header;
pub use names::{Kind, List, Names};
pub use reader::Reader;
pub use writer::Writer;

pub(crate) use beside::names_beside;
pub(crate) use detect::{is_games, names_of};

/// Bytes of a game.
const GAME: usize = 68;
/// What stands in a list of names for somebody who is not known.
const UNKNOWN: &str = "???";
