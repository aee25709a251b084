//! Answers to a shell that asks how a word could end: commands, options and files, and values that only this program knows.
//!
//! The scripts that `obook completions` writes start the program with [`ASKED`] in its environment.

use crate::{args, context, engines};
use clap::Command;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use obook_book::games::players as stored_players;
use obook_book::{FileKind, Store};
use obook_games::names::matching;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The environment variable with the name of the shell that asks.
const ASKED: &str = "OBOOK_COMPLETE";

/// The shell that asks.
static SHELL: OnceLock<String> = OnceLock::new();

/// The largest number of values to offer.
const MOST: usize = 200;

/// Answers a shell and ends the process, if one asks.
pub(crate) fn answer() {
    if let Ok(shell) = std::env::var(ASKED) {
        let _ = SHELL.set(shell);
    }
    CompleteEnv::with_factory(|| with_values(args::program()))
        .var(ASKED)
        .complete();
}

/// The shells for which there are scripts.
pub(crate) fn shells() -> Vec<&'static str> {
    Shells::builtins().names().collect()
}

/// Writes the script for a shell. Nothing is written for other shells.
pub(crate) fn write_script(shell: &str, out: &mut dyn Write) -> io::Result<()> {
    match Shells::builtins().completer(shell) {
        Some(shell) => shell.write_registration(ASKED, "obook", "obook", "obook", out),
        None => Ok(()),
    }
}

/// Adds the values that depend on files, or that are too many for lists in `--help`.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        _ if !arg.get_possible_values().is_empty() => arg,
        "moves" | "from" | "name" => arg.add(ArgValueCompleter::new(openings)),
        "player" | "black" | "white" => arg.add(ArgValueCompleter::new(players)),
        "engine" => arg.add(ArgValueCandidates::new(known_engines)),
        _ => arg,
    });
    command.mut_subcommands(with_values)
}

/// Names of openings that contain what is typed. Spaces become dashes: both are ignored when names are read.
fn openings(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    if typed.is_empty() {
        return Vec::new();
    }
    let names = matching(&typed).flat_map(|opening| opening.names());
    let names = names.map(|name| name.replace(' ', "-").replace('\'', ""));
    offered(names.collect(), &typed)
}

/// Players of the first database among the words, if their names contain what is typed.
fn players(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let words = std::env::args_os().skip_while(|word| word != "--");
    let mut paths = words.skip(1).map(PathBuf::from);
    let database = paths.find(|path| FileKind::of(path).ok() == Some(FileKind::Database));
    let Some(Ok(store)) = database.map(|path| Store::open(&path, &context::quiet())) else {
        return Vec::new();
    };
    let players = stored_players(store.connection(), None, &typed);
    offered(players.unwrap_or_default(), &typed)
}

/// The values that begin with what is typed, or all if none does: Bash shortens a word to what the offered values have in common.
fn offered(values: Vec<String>, typed: &str) -> Vec<CompletionCandidate> {
    let typed = typed.to_lowercase();
    let begins = |value: &String| value.to_lowercase().starts_with(&typed);
    let does_any = values.iter().any(begins);
    let values = values.into_iter().filter(|it| !does_any || begins(it));
    values.take(MOST).map(word).collect()
}

fn known_engines() -> Vec<CompletionCandidate> {
    engines::names().into_iter().map(word).collect()
}

/// A value as one word. Bash inserts it as it is, the other shells quote it if they have to.
fn word(value: String) -> CompletionCandidate {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,+@%".contains(c);
    let is_bash = SHELL.get().is_some_and(|shell| shell.ends_with("bash"));
    if !is_bash {
        return CompletionCandidate::new(value);
    }
    let mut escaped = String::new();
    for c in value.chars() {
        if !is_plain(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    CompletionCandidate::new(escaped)
}
