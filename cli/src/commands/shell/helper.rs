//! Completion and colours for the line editor.

use super::command::{Drawn, known, leaves};
use crate::sql::tokens::{self, TokenKind, tokens, words};
use crate::sql::{Format, names};
use clap::ValueEnum;
use rusqlite::Connection;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Result};
use std::borrow::Cow;

/// The names that SQL may use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Names {
    /// Tables with their columns.
    tables: Vec<(String, Vec<String>)>,
    functions: Vec<String>,
}

impl Names {
    pub(crate) fn of(connection: &Connection) -> Names {
        let tables = names::tables(connection).into_iter().map(|table| {
            let columns = names::columns(connection, &table);
            (table, columns)
        });
        let tables = tables.collect();
        let functions = names::functions(connection).into_iter();
        let mut functions: Vec<String> = functions.map(|function| function.name).collect();
        functions.dedup();
        Names { tables, functions }
    }

    /// Completes the word at the end of `before`. Returns where it begins and the candidates; `whole` is the whole input.
    fn complete(&self, before: &str, whole: &str) -> (usize, Vec<String>) {
        let of_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = before.trim_end_matches(of_name).len();
        let word = &before[start..];
        let begins = |name: &str| {
            name.get(..word.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        let mut found: Vec<String> = Vec::new();
        let mut add = |name: &str, end: &str| {
            let name = format!("{name}{end}");
            if begins(&name) && !found.contains(&name) {
                found.push(name);
            }
        };
        if let Some(owner) = before[..start].strip_suffix('.') {
            let owner = owner.rsplit(|c| !of_name(c)).next().unwrap_or(owner);
            for column in self.columns(owner, whole) {
                add(column, "");
            }
            return (start, found);
        }
        if word.is_empty() {
            return (start, found);
        }
        for column in self.columns("", whole) {
            add(column, "");
        }
        for (table, _) in &self.tables {
            add(table, "");
        }
        for function in &self.functions {
            add(function, "(");
        }
        let is_lower = word.chars().all(char::is_lowercase);
        for keyword in names::keywords() {
            match is_lower {
                true => add(&keyword.to_lowercase(), " "),
                false => add(keyword, " "),
            }
        }
        (start, found)
    }

    /// The columns of the table `owner`; if there is no such table, of all tables named in `sql`, or else of all tables.
    fn columns(&self, owner: &str, sql: &str) -> Vec<&String> {
        let is_owner = |(table, _): &&(String, _)| table.eq_ignore_ascii_case(owner);
        let is_named = |(table, _): &&(String, _)| words(sql).any(|it| it.is_name(table));
        let mut tables: Vec<_> = self.tables.iter().filter(is_owner).collect();
        if tables.is_empty() {
            tables = self.tables.iter().filter(is_named).collect();
        }
        if tables.is_empty() {
            tables = self.tables.iter().collect();
        }
        let tables = tables.into_iter();
        tables.flat_map(|(_, columns)| columns).collect()
    }
}

/// Whether the input is complete: a command takes one line, and statements end with a semicolon.
pub(crate) fn is_complete(input: &str) -> bool {
    let input = input.trim_start();
    input.starts_with('.') || leaves(input) || tokens::is_complete(input)
}

pub(crate) struct Helper {
    pub(crate) names: Names,
    /// The statement's lines before the current one.
    pub(crate) before: String,
    files: FilenameCompleter,
}

impl Helper {
    pub(crate) fn new(names: Names) -> Helper {
        Helper {
            names,
            before: String::new(),
            files: FilenameCompleter::new(),
        }
    }

    /// Like [`Names::complete`], for commands.
    fn complete_command(&self, before: &str) -> (usize, Vec<String>) {
        let Some((name, argument)) = before.split_once(' ') else {
            let names = known().map(|(name, _)| name.to_owned());
            return (0, names.filter(|name| name.starts_with(before)).collect());
        };
        let mut candidates: Vec<String> = match name {
            ".schema" => {
                let tables = self.names.tables.iter();
                tables.map(|(name, _)| name.clone()).collect()
            }
            ".mode" => Format::value_variants()
                .iter()
                .map(|it| it.name())
                .collect(),
            ".timer" => ["on", "off"].map(str::to_owned).to_vec(),
            ".boards" => Drawn::value_variants().iter().map(|it| it.name()).collect(),
            _ => Vec::new(),
        };
        candidates.retain(|word| word.starts_with(argument));
        (name.len() + 1, candidates)
    }
}

impl rustyline::Helper for Helper {}

impl Hinter for Helper {
    type Hint = String;
}

impl Validator for Helper {}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, context: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let before = &line[..at];
        let is_command = self.before.is_empty() && before.starts_with('.');
        if is_command && (before.starts_with(".read ") || before.starts_with(".output ")) {
            return self.files.complete(line, at, context);
        }
        let (start, words) = match is_command {
            true => self.complete_command(before),
            false => (self.names).complete(before, &format!("{}{line}", self.before)),
        };
        let pair = |word: String| Pair {
            display: word.trim_end().to_owned(),
            replacement: word,
        };
        Ok((start, words.into_iter().map(pair).collect()))
    }
}

impl Highlighter for Helper {
    fn highlight<'l>(&self, line: &'l str, _at: usize) -> Cow<'l, str> {
        if line.starts_with('.') {
            return Cow::Borrowed(line);
        }
        let mut coloured = String::with_capacity(2 * line.len());
        for token in tokens(line) {
            let is_keyword = || names::keywords().any(|word| word.eq_ignore_ascii_case(token.text));
            let colour = match token.kind {
                TokenKind::Word if is_keyword() => "1",
                TokenKind::Literal => "32",
                TokenKind::Number => "36",
                TokenKind::Parameter => "35",
                TokenKind::Comment => "2",
                _ => {
                    coloured.push_str(token.text);
                    continue;
                }
            };
            coloured.push_str(&format!("\x1b[{colour}m{}\x1b[0m", token.text));
        }
        Cow::Owned(coloured)
    }

    fn highlight_char(&self, _line: &str, _at: usize, _kind: CmdKind) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let table = |name: &str, columns: &[&str]| {
            let columns = columns.iter().map(|column| (*column).to_owned());
            (name.to_owned(), columns.collect())
        };
        Names {
            tables: vec![
                table("positions", &["board", "value"]),
                table("links", &["board", "move"]),
            ],
            functions: vec!["max".to_owned()],
        }
    }

    #[test]
    fn completions_fit_their_place() {
        let complete = |before: &str| names().complete(before, before);
        assert_eq!(complete("SELECT bo").1, ["board"]);
        assert_eq!(complete("SEL"), (0, vec!["SELECT ".into()]));
        assert_eq!(complete("sel"), (0, vec!["select ".into()]));
        assert_eq!(
            complete("SELECT * FROM posi"),
            (14, vec!["positions".into()])
        );
        assert_eq!(complete("SELECT links.").1, ["board", "move"]);
        assert_eq!(complete("SELECT ma").1, ["max(", "materialized "]);
        assert!(complete("SELECT ").1.is_empty());
        // Only the columns of the tables that are named.
        let of_links = names().complete("SELECT v", "SELECT v FROM links");
        assert!(!of_links.1.contains(&"value".into()), "{of_links:?}");
        assert_eq!(complete("SELECT 'ü' bo").1, ["board"]);
    }

    #[test]
    fn commands_are_completed_too() {
        let helper = Helper::new(names());
        assert_eq!(helper.complete_command(".sch"), (0, vec![".schema".into()]));
        assert_eq!(
            helper.complete_command(".schema l"),
            (8, vec!["links".into()])
        );
        assert_eq!(helper.complete_command(".mode c"), (6, vec!["csv".into()]));
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let helper = Helper::new(names());
        let sql = "SELECT 'a' || :b, 1 FROM t -- c";
        let coloured = helper.highlight(sql, 0);
        assert!(coloured.contains("\x1b[1mSELECT\x1b[0m"));
        let plain = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(plain, sql);
    }
}
