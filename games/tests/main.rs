//! Game records against plain definitions.

mod archive;
mod names;
mod support;
mod wthor;
