//! Questions to a database or a book file.

pub mod book;
pub mod diff;
pub mod grades;
pub mod growth;
pub mod line;
pub mod lookup;
pub mod played;
pub mod probe;
pub mod remarks;
pub mod stats;
pub mod view;
pub mod why;
