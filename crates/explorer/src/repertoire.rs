//! A person's moves and notes: tables of one's own beside the book, which every undo covers.

use crate::answers::line;
use crate::api::{Keep, Kept, Mark, Note, Repertoire};
use crate::books::Desk;
use crate::problem::Problem;
use crate::write::{context, refused};
use obook::read::view::hex;
use obook::{Book, Store};
use obook_base::shell;
use obook_base::sqlite::all_rows;
use obook_othello::Move;
use rusqlite::{Connection, Row};
use serde::de::IgnoredAny;
// `Path` is a part of an address in the descriptions.
use std::path::Path as FilePath;

/// The most marks, and the most notes.
const MOST: usize = 10_000;
/// The longest note in bytes.
const LONGEST: usize = 1000;
/// The tables and their columns.
const MARKS: (&str, &str) = (
    "marks",
    "board BLOB NOT NULL, child BLOB NOT NULL, line TEXT NOT NULL, PRIMARY KEY (board, child)",
);
const NOTES: (&str, &str) = (
    "notes",
    "board BLOB PRIMARY KEY NOT NULL, line TEXT NOT NULL, note TEXT NOT NULL",
);

/// The moves that a person marked, and the notes
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/repertoire", params(("book" = String, Path)),
    responses((status = 200, body = Repertoire), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn repertoire(desk: &Desk, _: &IgnoredAny) -> Result<Repertoire, Problem> {
    repertoire_of(desk.store())
}

/// The repertoire in a book. Lines that aren't legal are left out: another program may have written them.
pub(crate) fn repertoire_of(store: &Store) -> Result<Repertoire, Problem> {
    let connection = store.connection();
    let marks = rows(connection, MARKS.0, "''")?.into_iter();
    let notes = rows(connection, NOTES.0, "note")?.into_iter();
    let noted = |(text, note): (String, String)| {
        let line = line(&text).ok()?;
        let (key, line) = (hex(line.board().canonical()), line.to_string());
        Some(Note { key, line, note })
    };
    Ok(Repertoire {
        marks: marks.filter_map(|(text, _)| marked(&text).ok()).collect(),
        notes: notes.filter_map(noted).collect(),
    })
}

/// The lines of a table, each with another column. No text is longer than one that is kept, whoever wrote it.
fn rows(
    connection: &Connection,
    table: &str,
    column: &str,
) -> Result<Vec<(String, String)>, Problem> {
    if !exists(connection, table)? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT substr(line, 1, {LONGEST}), substr({column}, 1, {LONGEST}) FROM {table} ORDER BY line LIMIT {}",
        MOST + 1
    );
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    all_rows(connection, &sql, [], row).map_err(of_another_kind)
}

fn exists(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = ?)";
    connection.query_row(sql, [table], |row| row.get(0))
}

/// Somebody else's tables may have these names.
fn of_another_kind(error: rusqlite::Error) -> Problem {
    match error {
        rusqlite::Error::SqlInputError { .. } | rusqlite::Error::InvalidColumnType(..) => {
            Problem::wrong(format!(
                "the tables marks and notes aren't those of a repertoire ({error}): rename them"
            ))
        }
        other => other.into(),
    }
}

/// The mark of the last move of a line.
fn marked(text: &str) -> Result<Mark, Problem> {
    let line = line(text)?;
    let before = match line.moves().split_last() {
        Some((mv, before)) if *mv != Move::Pass && line.is_from_start() => {
            line.prefix(before.len())
        }
        _ => {
            let problem = "expected moves from the start position, the last of them no pass";
            return Err(Problem::wrong(problem));
        }
    };
    Ok(Mark {
        key: hex(before.board().canonical()),
        child: hex(line.board().canonical()),
        side: before.side().into(),
        line: line.to_string(),
    })
}

/// Marks moves as one's own, or no longer, and writes or removes notes, as `obook query --write`
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/repertoire", params(("book" = String, Path)), request_body = Keep,
    responses((status = 200, body = Kept), (status = 400, body = crate::api::Failed), (status = 403, body = crate::api::Failed),
        (status = 409, body = crate::api::Failed))))]
pub(crate) fn keep(path: &FilePath, asked: &Keep) -> Result<Kept, Problem> {
    let mut store = Book::open_for_writing(path, &context(String::new())).map_err(refused)?;
    repertoire_of(&store)?;
    let sql = script(store.connection(), asked)?;
    let book = path.display().to_string();
    store.set_command(&shell("obook", ["query", &book, "--write", &sql]));
    let change = store.change().map_err(refused)?;
    change.connection().execute_batch(&sql)?;
    let now = repertoire_of(change.store())?;
    let kept = Kept {
        marks: now.marks.len(),
        notes: now.notes.len(),
    };
    if kept.marks > MOST || kept.notes > MOST {
        let problem = format!("expected at most {MOST} marks and {MOST} notes");
        return Err(Problem::wrong(problem));
    }
    change.commit(&kept).map_err(refused)?;
    Ok(kept)
}

/// The SQL for a change. The lines are legal, and so without quotation marks.
fn script(connection: &Connection, asked: &Keep) -> Result<String, Problem> {
    // The columns of a mark up to its line.
    let key = |text: &String| {
        let Mark { line, .. } = marked(text)?;
        let before = &line[..line.len() - 2];
        Ok((format!("(board('{before}'), board('{line}')"), line))
    };
    let mark =
        (asked.mark.iter()).map(|text| key(text).map(|(key, line)| format!("{key}, '{line}')")));
    let mark: Vec<String> = mark.collect::<Result<_, Problem>>()?;
    let unmark = (asked.unmark.iter()).map(|text| key(text).map(|(key, _)| format!("{key})")));
    let unmark: Vec<String> = unmark.collect::<Result<_, Problem>>()?;
    let (mut note, mut forget) = (Vec::new(), Vec::new());
    for asked in &asked.notes {
        let (line, text) = (format!("'{}'", line(&asked.at)?), asked.note.trim());
        if text.encode_utf16().count() > LONGEST || text.contains('\0') {
            let problem = format!("expected a note of at most {LONGEST} characters");
            return Err(Problem::wrong(problem));
        }
        let text = text.replace('\'', "''");
        match &text[..] {
            "" => forget.push(format!("(board({line}))")),
            text => note.push(format!("(board({line}), {line}, '{text}')")),
        }
    }
    let mut sql = Vec::new();
    for ((table, columns), key, added, removed) in [
        (MARKS, "(board, child)", mark, unmark),
        (NOTES, "board", note, forget),
    ] {
        let exists = exists(connection, table)?;
        if !added.is_empty() && !exists {
            let create = format!("CREATE TABLE {table} ({columns}) STRICT, WITHOUT ROWID");
            sql.push(create);
        }
        if !added.is_empty() {
            sql.push(format!("REPLACE INTO {table} VALUES {}", added.join(", ")));
        }
        if !removed.is_empty() && exists {
            let removed = removed.join(", ");
            let delete = format!("DELETE FROM {table} WHERE {key} IN (VALUES {removed})");
            sql.push(delete);
        }
    }
    match sql.is_empty() {
        true => Err(Problem::wrong("there is nothing to change")),
        false => Ok(sql.join("; ")),
    }
}
