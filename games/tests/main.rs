//! Game records against plain definitions.

mod archive;
mod names;
mod ratings;
mod support;
mod wthor;
