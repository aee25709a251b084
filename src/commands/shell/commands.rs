//! What the shell does beside SQL: commands that begin with a dot.

use super::{Drawn, Shell};
use crate::commands::query::{Format, Param, Params, Problem, written};
use crate::names::{closest, functions, tables};
use crate::output::{Failure, stdout};
use clap::ValueEnum;
use rusqlite::Connection;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    More,
    End,
}

/// A command with its argument.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Command {
    Boards(Drawn),
    Functions(String),
    Help,
    /// A format, or to say which it is.
    Mode(Option<Format>),
    /// A value to remember, or to list them.
    Param(Option<Param>),
    ParamClear,
    Quit,
    Read(PathBuf),
    Schema(Option<String>),
    Tables,
    Timeout(Option<Duration>),
    Timer(bool),
}

/// Name, arguments and meaning of each command.
pub(crate) const HELP: [(&str, &str, &str); 11] = [
    (
        ".boards",
        "on|off|auto",
        "draw boards; auto: in tables on a terminal",
    ),
    (
        ".functions",
        "[WORD]",
        "functions with WORD in their names; obook's own",
    ),
    (".help", "", "this list"),
    (
        ".mode",
        "[FORMAT]",
        "table, box, csv, tsv, json, ndjson or markdown",
    ),
    (
        ".param",
        "[NAME=VALUE|clear]",
        "a value for :NAME in SQL, or all of them",
    ),
    (".quit", "", "leave; Ctrl-D does, too"),
    (".read", "FILE", "run the statements and commands of a file"),
    (
        ".schema",
        "[TABLE]",
        "how the tables are made, with explanations",
    ),
    (".tables", "", "tables and views"),
    (".timeout", "SECONDS|off", "how long a statement may take"),
    (".timer", "on|off", "say how long statements took"),
];

impl FromStr for Command {
    type Err = String;

    fn from_str(text: &str) -> Result<Command, String> {
        let (name, argument) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(name, argument)| (name, argument.trim()));
        // Who comes from sqlite3 may end a command as a statement.
        let (name, argument) = match argument {
            "" => (name.trim_end_matches(';'), ""),
            _ => (name, argument.trim_end_matches(';').trim_end()),
        };
        let expected = || {
            let all = HELP.iter();
            let (name, arguments, _) = all.clone().find(|help| help.0 == name)?;
            Some(format!("{name} takes {arguments}, not “{argument}”"))
        };
        Command::new(name, argument).ok_or_else(|| expected().unwrap_or_else(|| unknown(name)))
    }
}

fn unknown(name: &str) -> String {
    let names = HELP.iter().map(|(name, ..)| (*name).to_owned());
    let hint = closest(name, names).unwrap_or_else(|| String::from(".help lists them"));
    format!("no command {name}; {hint}")
}

impl Command {
    /// `None` where there is no such command or the argument does not suit it.
    fn new(name: &str, argument: &str) -> Option<Command> {
        let optional = (!argument.is_empty()).then_some(argument);
        Some(match (name, argument) {
            (".boards", "on") => Command::Boards(Drawn::On),
            (".boards", "off") => Command::Boards(Drawn::Off),
            (".boards", "auto") => Command::Boards(Drawn::Auto),
            (".functions", _) => Command::Functions(argument.to_lowercase()),
            (".help", "") => Command::Help,
            (".mode", "") => Command::Mode(None),
            (".mode", _) => Command::Mode(Some(Format::from_str(argument, true).ok()?)),
            (".param", "") => Command::Param(None),
            (".param", "clear") => Command::ParamClear,
            (".param", _) => {
                let (name, value) = argument
                    .split_once('=')
                    .or_else(|| argument.split_once(char::is_whitespace))?;
                Command::Param(Some(Param::new(name.trim(), value.trim())))
            }
            (".quit" | ".exit" | ".q", "") => Command::Quit,
            (".read", _) => Command::Read(optional?.trim_matches(['\'', '"']).into()),
            (".schema", _) => Command::Schema(optional.map(str::to_owned)),
            (".tables", "") => Command::Tables,
            (".timeout", "off") => Command::Timeout(None),
            (".timeout", _) => {
                let seconds = argument.parse().ok()?;
                Command::Timeout(Some(Duration::try_from_secs_f64(seconds).ok()?))
            }
            (".timer", "on") => Command::Timer(true),
            (".timer", "off") => Command::Timer(false),
            _ => return None,
        })
    }

    pub(crate) fn run(self, shell: &mut Shell, depth: usize) -> Result<Next, Failure> {
        match self {
            Command::Boards(drawn) => shell.drawn = drawn,
            Command::Mode(Some(format)) => shell.format = format,
            Command::Param(Some(param)) => shell.params.set(param),
            Command::ParamClear => shell.params = Params::lasting(),
            Command::Timeout(timeout) => shell.timeout = timeout,
            Command::Timer(timer) => shell.timer = timer,
            Command::Quit => return Ok(Next::End),
            Command::Read(file) => return shell.read_file(&file, depth),
            Command::Functions(_)
            | Command::Help
            | Command::Mode(None)
            | Command::Param(None)
            | Command::Schema(_)
            | Command::Tables => {
                let out = &mut stdout();
                self.show(shell, out)?;
                out.flush()?;
            }
        }
        Ok(Next::More)
    }

    fn show(&self, shell: &Shell, out: &mut dyn Write) -> Result<(), Failure> {
        let connection = shell.session.connection();
        match self {
            Command::Functions(word) => {
                for function in functions(connection) {
                    let wanted = if word.is_empty() {
                        !function.built_in
                    } else {
                        function.name.contains(word)
                    };
                    if wanted {
                        let arguments = function
                            .arguments
                            .map_or_else(|| String::from("any number of"), |n| n.to_string());
                        writeln!(out, "{} ({arguments} arguments)", function.name)?;
                    }
                }
            }
            Command::Help => {
                for (name, arguments, meaning) in HELP {
                    writeln!(out, "{name:10} {arguments:19} {meaning}")?;
                }
            }
            Command::Mode(_) => {
                let format = shell.format.to_possible_value();
                writeln!(out, "{}", format.expect("none is hidden").get_name())?;
            }
            Command::Param(_) => {
                for (name, value) in shell.params.iter() {
                    writeln!(out, ":{name} = {}", written(value))?;
                }
            }
            Command::Tables => {
                for table in tables(connection) {
                    writeln!(out, "{table}")?;
                }
            }
            Command::Schema(table) => schema(shell, table.as_deref(), out)?,
            _ => {}
        }
        Ok(())
    }
}

/// The statements that made the tables, with the comments inside them.
fn schema(shell: &Shell, table: Option<&str>, out: &mut dyn Write) -> Result<(), Failure> {
    let connection = shell.session.connection();
    let failed = || obook_book::Error::sqlite(shell.session.book(), "read the schema of");
    let mut list = connection
        .prepare(
            "SELECT sql FROM (SELECT rowid AS place, * FROM sqlite_schema
                 UNION ALL SELECT 1000000 + rowid, * FROM sqlite_temp_schema)
             WHERE sql IS NOT NULL AND (?1 IS NULL OR lower(tbl_name) = lower(?1)) ORDER BY place",
        )
        .map_err(failed())?;
    let made = list.query_map([table], |row| row.get::<_, String>(0));
    let made: Vec<String> = made.and_then(Iterator::collect).map_err(failed())?;
    if let (Some(table), true) = (table, made.is_empty()) {
        if let Some(arguments) = table_function(connection, table).map_err(failed())? {
            return Ok(writeln!(out, "{arguments}")?);
        }
        let problem = Problem::new(shell.session.book(), format!("no table {table}"));
        return Err(problem.with_hint(closest(table, tables(connection))).into());
    }
    for sql in made {
        writeln!(out, "{sql};")?;
    }
    Ok(())
}

/// How a table with arguments is called, and its columns; `None` where there is no such table.
fn table_function(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let mut columns =
        connection.prepare("SELECT hidden, name, type FROM pragma_table_xinfo(?) ORDER BY cid")?;
    let mut rows = columns.query([name])?;
    let (mut arguments, mut columns) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let (hidden, name, of): (bool, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if hidden {
            arguments.push(name);
        } else {
            columns.push(format!("    {name} {of}"));
        }
    }
    if columns.is_empty() {
        return Ok(None);
    }
    let (arguments, columns) = (arguments.join(", "), columns.join(",\n"));
    Ok(Some(format!(
        "-- FROM {name}({arguments}):\n(\n{columns}\n)"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_they_are_typed() {
        let read = |text: &str| text.parse::<Command>();
        assert_eq!(read(".quit"), Ok(Command::Quit));
        assert_eq!(read(".tables;"), Ok(Command::Tables));
        assert_eq!(read(".mode csv ;"), Ok(Command::Mode(Some(Format::Csv))));
        assert_eq!(read(".timer on"), Ok(Command::Timer(true)));
        let param = Command::Param(Some(Param::new("moves", "f5d6")));
        assert_eq!(read(".param :moves f5d6"), Ok(param.clone()));
        assert_eq!(read(".param moves = f5d6"), Ok(param));
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
    fn help_knows_all_commands() {
        for (name, arguments, _) in HELP {
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
