//! Errors in SQL, with their place and a suggestion.

use super::names::{closest, columns_of, functions, keywords, tables};
use super::session::{Script, Watched};
use super::tokens::{Piece, tokens, words};
use crate::words::printable;
use obook::guard::{Access, Refusal};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// SQL that was refused or failed.
#[derive(Debug, thiserror::Error)]
#[error("{}: {sentence}", book.display())]
pub(crate) struct Problem {
    book: PathBuf,
    /// The message without the name of the book.
    pub(crate) sentence: String,
    /// The line of the SQL with a mark below the place; empty if the place is unknown.
    pub(crate) excerpt: String,
}

/// A statement and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) script: Script<'a>,
    pub(crate) piece: Piece<'a>,
    /// Its number from 1, if there are several.
    pub(crate) number: Option<usize>,
}

impl Problem {
    pub(crate) fn new(book: &Path, message: impl Into<String>) -> Problem {
        Problem {
            book: book.to_owned(),
            sentence: message.into().replace('\n', " "),
            excerpt: String::new(),
        }
    }

    /// The error after a timeout.
    pub(crate) fn late(book: &Path, timeout: Duration) -> Problem {
        Problem::new(book, format!("not done within {} s", timeout.as_secs_f64()))
    }

    /// Adds a suggestion, if there is one.
    pub(crate) fn with_hint(mut self, hint: Option<String>) -> Problem {
        self.sentence.extend(hint.map(|hint| format!("; {hint}")));
        self
    }

    /// Describes SQLite's error for a statement, or the refusal of its guard.
    pub(super) fn of(error: rusqlite::Error, asked: &Asked<'_>, watched: &Watched<'_>) -> Problem {
        let (mut message, mut offset) = match error {
            rusqlite::Error::SqlInputError { msg, offset, .. } => {
                (msg, usize::try_from(offset).ok())
            }
            rusqlite::Error::SqliteFailure(_, Some(message)) => (message, None),
            other => (other.to_string(), None),
        };
        let mut hint = None;
        if let Some(refusal) = watched.guard.take_refusal() {
            offset = None;
            message = match refusal {
                // For SQL that may do neither, there are no such options.
                _ if watched.guard.access() == Access::ReadBook => refusal.to_string(),
                Refusal::Writing => String::from("writing needs --write"),
                Refusal::OtherFile => format!("{refusal}; use --attach NAME=FILE"),
                _ => refusal.to_string(),
            };
        } else {
            offset = offset.or_else(|| offset_of_name(&message, asked.piece.text));
            hint = hint_on(&message, asked.piece.text, watched.connection);
        }
        let mut problem = Problem::new(watched.book, message);
        let mut add = |text: String| problem.sentence.push_str(&text);
        let mut joint = ", in";
        if let Some(file) = asked.script.file {
            add(format!("{joint} {}", file.display()));
            joint = ",";
        }
        if let Some(offset) = offset {
            let (line, column, excerpt) = place(asked.script, asked.piece.at + offset);
            add(format!("{joint} line {line}, column {column}"));
            problem.excerpt = excerpt;
        } else if let Some(number) = asked.number {
            add(format!("{joint} statement {number}"));
        }
        problem.with_hint(hint)
    }
}

/// The line and the column of a place in SQL, counted from 1, and the line with a mark below the place.
fn place(script: Script<'_>, at: usize) -> (usize, usize, String) {
    let sql = script.sql;
    let at = sql.floor_char_boundary(at);
    let start = sql[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = sql[at..].find('\n').map_or(sql.len(), |end| at + end);
    let token = tokens(sql).find(|token| token.at + token.text.len() > at);
    let length = token.map_or(1, |token| token.text.chars().count());
    let rest = sql[at..end].chars().count();
    let marks = "^".repeat(length.clamp(1, rest.max(1)));
    let line = script.lines_before + sql[..at].matches('\n').count() + 1;
    let before = sql[start..at].chars();
    let column = before.clone().count() + 1;
    let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
    let text = printable(&sql[start..end]);
    (line, column, format!("  {text}\n  {indent}{marks}\n"))
}

/// Finds the unknown name in SQLite's message.
fn unknown<'m>(message: &'m str, what: &str) -> Option<&'m str> {
    let name = message.strip_prefix(what)?;
    // After a text in double quotes, the message explains quotes.
    let name = name.split_once(" - should").map_or(name, |(name, _)| name);
    let name = name.rsplit_once('.').map_or(name, |(_, name)| name);
    Some(name.trim_matches('"'))
}

const NO_TABLE: &str = "no such table: ";
const NO_COLUMN: &str = "no such column: ";
const NO_FUNCTION: &str = "no such function: ";

/// For some names SQLite tells no place: then it is where the name first occurs.
fn offset_of_name(message: &str, sql: &str) -> Option<usize> {
    if message == "incomplete input" {
        return Some(sql.len());
    }
    let mut all = [NO_TABLE, NO_COLUMN, NO_FUNCTION].into_iter();
    let name = all.find_map(|what| unknown(message, what))?;
    words(sql).find(|it| it.is_name(name)).map(|it| it.at)
}

/// Suggests a correction.
fn hint_on(message: &str, sql: &str, connection: &Connection) -> Option<String> {
    if let Some(name) = unknown(message, NO_TABLE) {
        return closest(name, tables(connection));
    }
    if let Some(name) = unknown(message, NO_COLUMN) {
        // A table that isn't meant may have it.
        let is_other = |column: &String| !column.eq_ignore_ascii_case(name);
        let columns = columns_of(connection, sql).into_iter().filter(is_other);
        return closest(name, columns);
    }
    if let Some(name) = unknown(message, NO_FUNCTION) {
        let is_it = |table: &String| table.eq_ignore_ascii_case(name);
        if tables(connection).iter().any(is_it) {
            return Some(format!("{name} is a table: SELECT * FROM {name}(…)"));
        }
        let functions = functions(connection).into_iter();
        return closest(name, functions.map(|function| function.name));
    }
    if let Some(name) = message.strip_prefix("wrong number of arguments to function ") {
        let name = name.trim_end_matches("()");
        return arguments_of(name, connection);
    }
    let near = message.strip_prefix("near \"")?;
    let (word, _) = near.split_once("\": syntax error")?;
    let is_keyword = keywords().any(|keyword| keyword.eq_ignore_ascii_case(word));
    let candidates = keywords().map(str::to_owned);
    (!is_keyword).then(|| closest(word, candidates))?
}

fn arguments_of(name: &str, connection: &Connection) -> Option<String> {
    let counts: Vec<String> = functions(connection)
        .into_iter()
        .filter(|function| function.name.eq_ignore_ascii_case(name))
        .filter_map(|function| Some(function.arguments?.to_string()))
        .collect();
    (!counts.is_empty()).then(|| format!("number of arguments of {name}: {}", counts.join(" or ")))
}
