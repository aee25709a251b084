//! From one engine's book to the other's without loss.
//!
//! A [`Graph`](crate::Graph) holds a book in Edax's form: pass positions are positions, links include the pass,
//! a leaf without a move is a finished game. Egaroucid's books have neither passes nor links, bounds nor counts, and
//! may hold as a position of its own what Edax holds as a leaf. [`to_egaroucid`] and [`to_edax`] carry a book across, so
//! that a consistent Edax book comes back record by record the same; what the target can't hold is counted.

pub mod demands;
mod header;
mod losses;
mod moves;
mod no_leaf;
mod to_edax;
mod to_egaroucid;
mod to_leaves;

pub use header::{HeaderOptions, complete};
pub use losses::{Loss, Losses};
pub use no_leaf::decide_no_leaf;
pub use to_edax::{EdaxError, EdaxOptions, Refused, to_edax};
pub use to_egaroucid::{EgaroucidOptions, Leaves, Target, to_egaroucid};
pub use to_leaves::MissingLeaf;
