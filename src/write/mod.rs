//! Making and changing books.

pub mod cut;
pub mod edit;
pub mod engine;
pub mod export;
pub mod extract;
pub mod fix;
pub mod grades;
pub mod import;
#[doc(hidden)]
pub mod increment;
pub mod level;
pub mod merge;
pub mod repair;
pub(crate) mod rewrite;
pub mod salvage;

pub use rewrite::{KEPT, Report, Rewritten, Target};
