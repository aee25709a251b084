//! Work on several threads whose results are used in order.

mod in_order;
mod read_ahead;

pub(crate) use in_order::in_order;
pub(crate) use read_ahead::read_ahead;
