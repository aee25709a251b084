//! Engines outside: processes that are spoken to.

mod dialogue;
mod edax_book;
mod egaroucid;
mod engine;
mod nboard;
mod process;
mod protocol;
mod searcher;
mod trouble;
mod wait;

pub use engine::Outside;
pub use process::kill_engines;
pub use protocol::Protocol;
pub(crate) use searcher::Talking;
pub use trouble::Trouble;
