//! `-`: standard input where a file is read, standard output where one is written. A file of that name is `./-`.

use crate::failure::Failure;
use clap::builder::ArgExt;
use clap::{Arg, ArgMatches, Command};
use std::any::TypeId;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Marks the arguments that take it.
#[derive(Clone, Debug)]
pub(crate) struct Standard;

impl ArgExt for Standard {}

/// Refuses `-` as any other file: it must not be read or written under that name.
pub(crate) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let is_dash = |argument: &Arg| {
        let given = matches.try_get_raw(argument.get_id().as_str());
        let mut words = given.ok().flatten().into_iter().flatten();
        words.any(|word| word == OsStr::new("-"))
    };
    let is_file = |argument: &Arg| argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let mut others = command
        .get_arguments()
        .filter(|argument| is_file(argument) && argument.get::<Standard>().is_none());
    if others.any(is_dash) {
        return Err(match command.get_name() {
            "diff" => refused().apart(),
            _ => refused(),
        });
    }
    let below = matches.subcommand();
    let below = below.and_then(|(name, matches)| Some((command.find_subcommand(name)?, matches)));
    below.map_or(Ok(()), |(command, matches)| check(command, matches))
}

/// The refusal of `-`.
pub(crate) fn refused() -> Failure {
    let problem =
        "neither standard input nor standard output can be this file; a file of this name is ./-";
    Failure::file(Path::new("-"), problem)
}
