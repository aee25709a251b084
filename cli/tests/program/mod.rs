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
mod cuts;
mod damage;
mod dash;
mod dependencies;
mod diff;
mod documentation;
mod edax_commands;
mod edit;
#[cfg(unix)]
mod engines;
#[cfg(target_os = "linux")]
mod expanding;
#[cfg(all(target_os = "linux", feature = "explorer"))]
mod faults;
mod fix;
mod fix_loops;
mod formats;
mod front_page;
#[cfg(target_os = "linux")]
mod full_output;
mod games;
mod hint;
mod history;
mod info;
#[cfg(target_os = "linux")]
mod interrupt;
mod learn;
mod line;
mod loading;
#[cfg(all(unix, feature = "nats"))]
mod machines;
mod manual;
mod many_files;
#[cfg(unix)]
mod media;
mod merge;
mod no_leaf;
mod notation;
mod ntest;
mod own_fix;
mod play;
mod plot;
mod proofs;
mod query;
mod rate;
mod replacing;
mod round_trip;
mod safety;
mod search;
#[cfg(unix)]
mod searches;
#[cfg(all(target_os = "linux", feature = "explorer"))]
mod sensei;
#[cfg(feature = "explorer")]
mod serve;
mod shell;
mod shogi;
#[cfg(unix)]
mod shogi_growing;
mod side_by_side;
#[cfg(feature = "explorer")]
mod site;
mod solve;
#[cfg(feature = "starter")]
mod starter;
mod strangers;
#[cfg(unix)]
mod terminal;
mod timeout;
mod verify;
mod verify_database;
mod verify_records;
mod why;
#[cfg(not(feature = "full"))]
mod without;
mod zebra;
