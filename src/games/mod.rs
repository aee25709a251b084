//! Games in the database: importing, finding, counting and exporting them, and rating positions by them.

mod counts;
mod export;
mod import;
mod index;
mod known;
mod predictions;
mod ratings;
mod remove;
mod repertoire;
mod stats;
mod stored;

pub use export::{Exported, GAME_FILE, GamesFormat, export};
pub(crate) use import::take_in;
pub use import::{Imported, import, import_new, in_temporary};
pub use obook_games::ratings::{Divisor, Method, Predicted, Settings};
pub use obook_sql::rows::games::{
    Condition, GameId, Kind, Order, Passage, Play, Summary, Winner, list, players, plays, through,
};
pub use obook_store::StoredRatings;
pub use predictions::{Predictions, predictions};
pub use ratings::store_ratings;
pub use remove::{RemovedGames, remove};
pub use repertoire::{Departure, Loss, Repertoire, repertoire};
pub use stats::{GamesStats, OpeningResults, Results, stats};
pub(crate) use stored::game_in;
pub use stored::{game, games};
