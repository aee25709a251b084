//! The command line as a whole: its input, output and documentation.

mod accuracy;
mod bad_input;
mod convert;
mod cookbook;
mod documentation;
mod edax_commands;
mod manual;
mod query;
mod safety;
mod shell;
