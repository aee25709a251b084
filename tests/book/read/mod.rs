//! What is asked of a book and changes nothing.

mod diff;
mod line;
mod lines_to;
mod played;
