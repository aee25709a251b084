//! The command line as a whole: its input, output and documentation.

mod accuracy;
mod advice;
mod bad_input;
mod convert;
mod cookbook;
mod dependencies;
mod documentation;
mod edax_commands;
mod manual;
mod query;
mod replacing;
mod safety;
mod shell;
mod strangers;
