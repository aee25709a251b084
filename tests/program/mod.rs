//! The command line as a whole: its input, output and documentation.

mod accuracy;
mod advice;
mod bad_input;
mod book_files;
mod check;
mod closed_pipe;
mod compact;
mod convert;
mod cookbook;
mod damage;
mod dependencies;
mod documentation;
mod edax_commands;
#[cfg(unix)]
mod engines;
#[cfg(target_os = "linux")]
mod expanding;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod full_output;
mod games;
mod hint;
#[cfg(target_os = "linux")]
mod interrupt;
mod learn;
mod loading;
#[cfg(all(unix, feature = "nats"))]
mod machines;
mod manual;
#[cfg(unix)]
mod media;
mod merge;
mod notation;
mod query;
mod rate;
mod replacing;
mod safety;
mod search;
mod shell;
mod side_by_side;
mod solve;
mod strangers;
#[cfg(unix)]
mod terminal;
mod timeout;
mod why;
