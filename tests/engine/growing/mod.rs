//! The real engines grow books, where they are, and so do our rules.

mod edax;
mod egaroucid;
