//! Games that were played, in the database: taking them in, finding them, counting them.

mod counts;
mod import;
mod index;
mod known;

pub use import::{Imported, import};
pub use obook_rows::games::{
    Condition, GameId, Passage, Play, Summary, Winner, list, plays, through,
};
