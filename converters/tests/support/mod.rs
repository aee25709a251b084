//! What the tests share.

pub(crate) mod books;
pub(crate) mod positions;
pub(crate) mod repeated;
