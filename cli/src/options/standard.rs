//! `-`: standard input where a file is read, standard output where one is written. A file of that name is `./-`.

use crate::failure::Failure;
use clap::{ArgMatches, Command};
use std::any::TypeId;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The arguments that take it: command and argument.
pub(crate) const STANDARD: &[(&str, &str)] = &[
    ("check", "games"),
    ("convert", "input"),
    ("convert", "output_file"),
    ("export", "file"),
    ("extract", "games"),
    ("games export", "to"),
    ("games import", "files"),
    ("learn", "games"),
    ("rate compare", "games"),
    ("repertoire", "games"),
    ("solve", "files"),
    ("shogi convert", "input"),
    ("shogi convert", "output_file"),
    ("shogi diff", "first"),
    ("shogi diff", "second"),
    ("shogi export", "book"),
    ("shogi export", "file"),
    ("shogi extract", "games"),
    ("shogi fit", "games"),
    ("shogi games export", "to"),
    ("shogi games import", "files"),
    ("shogi games verify", "files"),
    ("shogi import", "files"),
    ("shogi info", "book"),
    ("shogi line", "book"),
    ("shogi merge", "sources"),
    ("shogi query", "book"),
    ("shogi show", "book"),
    ("shogi stats", "book"),
    ("shogi verify", "book"),
];

/// Refuses `-` as any other file: it must not be read or written under that name.
pub(crate) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    walk(command, matches, "")
}

/// The refusal of `-`.
pub(crate) fn refused() -> Failure {
    let problem =
        "neither standard input nor standard output can be this file; a file of this name is ./-";
    Failure::file(Path::new("-"), problem)
}

fn walk(command: &Command, matches: &ArgMatches, name: &str) -> Result<(), Failure> {
    for argument in files(command) {
        let given = matches.try_get_raw(argument).ok().flatten();
        let is_dash = given
            .into_iter()
            .flatten()
            .any(|word| word == OsStr::new("-"));
        if is_dash && !STANDARD.contains(&(name, argument)) {
            return Err(refused());
        }
    }
    let Some((below, matches)) = matches.subcommand() else {
        return Ok(());
    };
    let name = format!("{name} {below}");
    match command.find_subcommand(below) {
        Some(command) => walk(command, matches, name.trim_start()),
        None => Ok(()),
    }
}

/// The arguments of a command that are files.
fn files(command: &Command) -> impl Iterator<Item = &str> {
    let arguments = command.get_arguments();
    let files = arguments.filter(|it| it.get_value_parser().type_id() == TypeId::of::<PathBuf>());
    files.map(|argument| argument.get_id().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::program;

    #[test]
    fn all_that_take_it_are_files() {
        for &(name, argument) in STANDARD {
            let program = program();
            let command = name.split(' ').fold(&program, |command, word| {
                command.find_subcommand(word).expect(name)
            });
            assert!(
                files(command).any(|file| file == argument),
                "{name} {argument}"
            );
        }
    }
}
