//! Shared by the tests.

pub(crate) mod books;
pub(crate) mod positions;
pub(crate) mod repeated;
