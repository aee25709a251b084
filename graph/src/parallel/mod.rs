//! Work on several threads whose results are used in order.

mod in_order;
mod in_turns;
mod read_ahead;

pub use in_order::in_order;
pub use in_turns::in_turns;
pub use read_ahead::read_ahead;
