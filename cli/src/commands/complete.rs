//! `obook complete`: how an unfinished word could end. The scripts that `obook completions` writes call it.

use crate::args;
use crate::engines::EnginesFile;
use crate::prelude::*;
use clap::{Command, ValueHint};
use clap_complete::engine::{self, CompletionCandidate};
use obook::games::players as stored_players;
use obook::{FileKind, Store};
use obook_games::names::matching;
use std::ffi::{OsStr, OsString};

/// List what the last word of an unfinished command line could be, one per line: the word, a tab, what it means
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Arguments {
    /// The words as typed, with their quotes; the last one is to be completed, and may be empty
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let words = words(&arguments.words);
    let last = words.len().saturating_sub(1);
    let wants_option = words.last().is_some_and(|word| is_option(word));
    let mut program = without_files(args::program());
    // A line that makes no sense so far has no completions.
    let found = engine::complete(&mut program, words, last, None).unwrap_or_default();
    let out = &mut stdout();
    for candidate in found {
        let value = candidate.get_value();
        // An empty word is more likely to become a file than an option.
        if is_option(value) && !wants_option {
            continue;
        }
        let help = candidate.get_help().map(ToString::to_string);
        let help = help.as_deref().and_then(|help| help.lines().next());
        let help = help.unwrap_or_default();
        writeln!(out, "{}\t{help}", value.to_string_lossy())?;
    }
    Ok(out.flush()?)
}

fn is_option(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

/// The words without their quotes. Bash makes three words of `--option=value`, and they become two.
fn words(typed: &[OsString]) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut after_option = false;
    for (at, word) in typed.iter().enumerate() {
        let is_sign = after_option && word == "=";
        after_option = word.as_encoded_bytes().starts_with(b"--");
        match (is_sign, at + 1 == typed.len()) {
            (false, _) => words.push(unquoted(word)),
            (true, true) => words.push(OsString::new()),
            (true, false) => {}
        }
    }
    words
}

/// The word that a shell makes of this text. A quote may still be open.
fn unquoted(typed: &OsStr) -> OsString {
    let Some(text) = typed.to_str() else {
        return typed.to_owned();
    };
    let one = |text: &str| match shlex::split(text)?.as_slice() {
        [word] => Some(word.clone()),
        _ => None,
    };
    let closed = ["", "\"", "'"].map(|quote| one(&format!("{text}{quote}")));
    let word = closed.into_iter().flatten().next();
    let word = word.unwrap_or_else(|| text.to_owned());
    match (word.strip_prefix("~/"), std::env::home_dir()) {
        (Some(path), Some(home)) => home.join(path).into(),
        _ => word.into(),
    }
}

/// Names of files are the shell's own business: it knows how to quote them.
fn without_files(command: Command) -> Command {
    command
        .mut_args(|arg| match arg.get_action().takes_values() {
            true => arg.value_hint(ValueHint::Other),
            false => arg,
        })
        .mut_subcommands(without_files)
}

/// Names of openings.
pub(crate) fn openings(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    if typed.is_empty() {
        return Vec::new();
    }
    let names = matching(&typed).flat_map(|opening| opening.names());
    // One word, which needs no quotes: names are read without regard to dashes and apostrophes.
    let names = names.map(|name| name.replace(' ', "-").replace('\'', ""));
    beginning_with(&typed, names)
}

/// Players of the first database on the command line.
pub(crate) fn players(typed: &OsStr) -> Vec<CompletionCandidate> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let mut paths = words.iter().map(|word| PathBuf::from(unquoted(word)));
    let database = paths.find(|path| matches!(FileKind::of(path), Ok(FileKind::Database(_))));
    let typed = typed.to_string_lossy();
    let found = database.and_then(|path| {
        let connection = Store::peek(&path).ok()?;
        stored_players(&connection, None, &typed).ok()
    });
    beginning_with(&typed, found.into_iter().flatten())
}

/// Engines that `--engine` knows by name.
pub(crate) fn engines(typed: &OsStr) -> Vec<CompletionCandidate> {
    let file = EnginesFile::read().unwrap_or_default();
    beginning_with(&typed.to_string_lossy(), file.names().into_iter())
}

/// The values that begin with what is typed, ignoring case. If none does, the one that contains it: shells shorten a word to what all
/// offered values begin with, so there must not be several.
fn beginning_with(typed: &str, values: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = typed.to_lowercase();
    let (begin, others): (Vec<String>, Vec<String>) =
        values.partition(|value| value.to_lowercase().starts_with(&typed));
    let others = others.into_iter();
    let mut containing = others.filter(|value| value.to_lowercase().contains(&typed));
    let only = match (containing.next(), containing.next()) {
        (Some(only), None) if begin.is_empty() => Some(only),
        _ => None,
    };
    let offered = begin.into_iter().chain(only);
    offered.map(CompletionCandidate::new).collect()
}
