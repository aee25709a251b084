//! The shell's own commands, which begin with a dot.

use crate::commands::query::seconds;
use crate::sql::names::closest;
use crate::sql::{Format, bare, named};
use clap::ValueEnum;
use rusqlite::types::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Whether boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Drawn {
    On,
    Off,
    /// On a terminal, in tables.
    Auto,
}

impl Drawn {
    /// The word to type.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.expect("none is hidden").get_name().to_owned()
    }
}

/// A command with its argument.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Command {
    Boards(Drawn),
    Functions(String),
    /// Help on one command, or all.
    Help(Option<&'static str>),
    /// A new format; `None` shows the current one.
    Mode(Option<Format>),
    /// A value to remember; `None` lists them.
    Param(Option<(String, Value)>),
    ParamClear,
    /// A new file for the answers, or the terminal again.
    Output(Option<PathBuf>),
    Quit,
    Read(PathBuf),
    Schema(Option<String>),
    /// Show all settings.
    Show,
    Tables,
    Timeout(Option<Duration>),
    Timer(bool),
}

/// The name, arguments and meaning of each command, in columns.
pub(crate) const HELP: &str = "\
.boards    on|off|auto         draw boards; auto: if the terminal has room for all
.functions [WORD]              functions with WORD in their names, or obook's own
.help      [COMMAND]           help on a command, or this list
.mode      [FORMAT]            table, box, csv, tsv, json, ndjson or markdown
.output    [FILE]              write rows to a new file, or to the terminal again
.param     [NAME=VALUE|clear]  set a value for :NAME in SQL, or list the values
.quit                          leave; quit, exit and Ctrl-D work too
.read      FILE                run the statements and commands of a file
.schema    [TABLE]             the tables' definitions, with comments
.show                          all settings
.tables                        tables and views
.timeout   SECONDS|off         time limit for statements
.timer     on|off              show how long statements took";

/// The width of the first column.
const NAMES: usize = 11;

/// The name and the arguments of each command.
pub(crate) fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    HELP.lines().map(|line| {
        let (name, rest) = line.split_at(NAMES);
        (name.trim_end(), rest.split(' ').next().unwrap_or_default())
    })
}

impl Command {
    /// Reads what was typed: the name of a command and its argument.
    pub(crate) fn read(text: &str) -> Result<Command, String> {
        // As in sqlite3, a command may end with a semicolon.
        let text = text.trim_end_matches(';').trim_end();
        let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let argument = argument.trim_start();
        Command::new(name, argument).ok_or_else(|| match known().find(|(it, _)| *it == name) {
            None => unknown(name),
            Some((".help", _)) => unknown(&dotted(argument)),
            Some((_, "")) => format!("{name} takes no argument, not “{argument}”"),
            Some((_, arguments)) => format!("{name} takes {arguments}, not “{argument}”"),
        })
    }

    /// Returns `None` if there is no such command or the argument doesn't suit it.
    fn new(name: &str, argument: &str) -> Option<Command> {
        let optional = (!argument.is_empty()).then_some(argument);
        Some(match (name, argument) {
            (".boards", _) => Command::Boards(Drawn::from_str(argument, false).ok()?),
            (".functions", _) => Command::Functions(argument.to_lowercase()),
            (".help", "") => Command::Help(None),
            (".help", _) => {
                let name = dotted(argument);
                Command::Help(Some(known().find(|(it, _)| *it == name)?.0))
            }
            (".mode", "") => Command::Mode(None),
            (".mode", _) => Command::Mode(Some(Format::from_str(argument, true).ok()?)),
            (".output", _) => Command::Output(optional.map(file)),
            (".param", "") => Command::Param(None),
            (".param", "clear") => Command::ParamClear,
            (".param", _) => {
                // NAME=VALUE, or NAME VALUE as in sqlite3, whatever signs the value has.
                let end = argument.find(|it: char| it == '=' || it.is_whitespace());
                let end = end.filter(|&end| !bare(&argument[..end]).is_empty())?;
                let (name, value) = argument.split_at(end);
                let value = value.trim_start();
                let value = value.strip_prefix('=').unwrap_or(value);
                Command::Param(Some(named(name, value.trim())))
            }
            (".quit" | ".exit" | ".q", "") => Command::Quit,
            (".read", _) => Command::Read(file(optional?)),
            (".schema", _) => Command::Schema(optional.map(str::to_owned)),
            (".show", "") => Command::Show,
            (".tables", "") => Command::Tables,
            (".timeout", "off") => Command::Timeout(None),
            (".timeout", _) => Command::Timeout(Some(seconds(argument).ok()?)),
            (".timer", "on") => Command::Timer(true),
            (".timer", "off") => Command::Timer(false),
            _ => return None,
        })
    }
}

/// Whether a line is one of the words that leave other shells.
pub(crate) fn leaves(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim_end();
    word.eq_ignore_ascii_case("exit") || word.eq_ignore_ascii_case("quit")
}

/// Reads a file name, which may be quoted.
fn file(argument: &str) -> PathBuf {
    argument.trim_matches(['\'', '"']).into()
}

/// Completes the name of a command, whose dot may be left out.
fn dotted(name: &str) -> String {
    format!(".{}", name.trim_start_matches('.'))
}

fn unknown(name: &str) -> String {
    let names = known().map(|(name, _)| name.to_owned());
    let hint = closest(name, names).unwrap_or_else(|| String::from(".help lists the commands"));
    format!("no command {name}; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_they_are_typed() {
        let read = Command::read;
        assert_eq!(read(".quit"), Ok(Command::Quit));
        assert_eq!(read(".tables;"), Ok(Command::Tables));
        assert_eq!(read(".mode csv ;"), Ok(Command::Mode(Some(Format::Csv))));
        assert_eq!(read(".timer on"), Ok(Command::Timer(true)));
        let param = Command::Param(Some(named("moves", "f5d6")));
        assert_eq!(read(".param :moves f5d6"), Ok(param.clone()));
        assert_eq!(read(".param moves = f5d6"), Ok(param.clone()));
        assert_eq!(read(".param moves=f5d6"), Ok(param));
        let equation = Command::Param(Some(named("who", "a = b")));
        assert_eq!(read(".param who a = b"), Ok(equation));
        assert_eq!(
            read(".timer maybe").unwrap_err(),
            ".timer takes on|off, not “maybe”"
        );
        assert_eq!(
            read(".tabels").unwrap_err(),
            "no command .tabels; did you mean .tables?"
        );
        assert!(read(".timeout -1").is_err());
    }

    #[test]
    fn words_that_leave_are_known_alone() {
        for word in ["exit", "quit", " QUIT ; ", "Exit;"] {
            assert!(leaves(word), "{word}");
        }
        for other in ["", ";", "exit now", "SELECT 1", "quitter"] {
            assert!(!leaves(other), "{other}");
        }
    }

    #[test]
    fn help_knows_all_commands() {
        for (name, arguments) in known() {
            let argument = match arguments.split('|').next().unwrap() {
                "FILE" => "x.sql",
                "SECONDS" => "1.5",
                first if first.starts_with('[') => "",
                first => first,
            };
            assert!(Command::new(name, argument).is_some(), "{name} {argument}");
        }
    }
}
