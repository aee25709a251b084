//! Questions to a book, wherever it is.

pub mod book;
pub mod book_file;
pub mod condition;
pub mod diff;
pub mod grades;
pub mod growth;
pub mod line;
pub mod lines_to;
pub mod lookup;
pub mod opening;
pub mod played;
pub mod predictions;
pub mod stats;
pub mod streamed;
pub mod view;
pub mod why;
