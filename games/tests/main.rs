//! Game records against plain definitions.

mod archive;
mod support;
mod wthor;
