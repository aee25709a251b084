//! Work on several threads whose results are used in order.

mod in_order;
mod in_turns;
mod read_ahead;

pub(crate) use in_order::in_order;
pub(crate) use in_turns::in_turns;
pub(crate) use read_ahead::read_ahead;
