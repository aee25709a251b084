//! The way out: for each error of the library the command or option that overcomes it.

use crate::typed::{command, shell};
use obook_book::Error;
use obook_book::read::line::LineEnd;
use obook_engine::{SearchError, Trouble};
use obook_games::names::read_line;
use obook_graph::mapping::{Loss, Losses};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// The error in one sentence, with the next step where there is one.
pub(crate) fn sentence(error: &Error) -> String {
    match error {
        // The option that made it an error names it.
        Error::Lossy {
            path,
            format,
            losses,
        } => format!(
            "{}: --strict: {format} can't hold\n  {losses}",
            path.display()
        ),
        Error::Condition { path, problem } => format!("{}: --where: {problem}", path.display()),
        // A paragraph of several lines ends with a line of its own.
        Error::EdaxDemands {
            missing_leaf: Some(ways),
            ..
        } => {
            let or = match ways {
                [] => String::new(),
                ways => format!(", or give --missing-leaf {}", ways.join(" or ")),
            };
            format!(
                "{error}\n  the book does not say what Edax wants to know of them: search them with the engine that made the \
                 book{or}"
            )
        }
        _ => match way_out(error) {
            Some(way_out) => format!("{error}; {way_out}"),
            None => error.to_string(),
        },
    }
}

/// Why there is no answer, with the next step where there is one.
pub(crate) fn on_search(error: &SearchError) -> String {
    let way_out = match error {
        SearchError::NotStarted { source, .. } if source.kind() == ErrorKind::NotFound => {
            "is it where engines.toml or the command says? `obook engines list` tells"
        }
        SearchError::Failed {
            trouble: Trouble::Silent(_),
            ..
        } => "if it needs longer, give it more patience in engines.toml",
        SearchError::Failed {
            trouble: Trouble::FromBook(_),
            ..
        } => "start it without its book: Edax with -book-usage off, Egaroucid with -nobook",
        _ => return error.to_string(),
    };
    format!("{error}; {way_out}")
}

fn way_out(error: &Error) -> Option<String> {
    let mends = "`obook fix` mends what needs no search";
    let way_out = match error {
        Error::NotABook { .. } => "make one with `obook import`",
        Error::BookFile { doing, .. } => {
            return Some(format!(
                "make a database of it with `obook import` and {doing} that"
            ));
        }
        Error::ForeignSchema { .. } => {
            "it is damaged or not to be trusted: take it anew from where it comes, or from a snapshot with `obook restore`"
        }
        Error::NeedsOutput { .. } => {
            "say with --output where the changed book goes, or make a database of it with `obook import`"
        }
        Error::NeedsNoOutput { .. } => "leave --output out, or copy the database first",
        Error::Snapshot { path } => {
            let book = path.with_extension("obook");
            let words = [OsStr::new("restore"), path.as_os_str(), book.as_os_str()];
            return Some(format!("make it one again with `{}`", command(words)));
        }
        Error::Gzip { path } => {
            let words = [OsStr::new("-k"), path.as_os_str()];
            return Some(format!("unpack it with `{}`", shell("gunzip", words)));
        }
        Error::Io {
            path,
            doing: "open",
            source,
        } if source.kind() == ErrorKind::NotFound && is_no_name(path) => {
            "the book comes first, then moves or numbers"
        }
        Error::Exists { found, output, .. } if output.replaces(*found) => {
            "give --force to replace it"
        }
        Error::Exists { output, .. } => {
            return Some(format!(
                "{output} does not take its place, not even with --force: give the output another name, or remove that file first"
            ));
        }
        Error::Leftover { .. } => "give --force to remove it",
        Error::Busy { .. } => "try again later, or with --wait SECONDS",
        Error::Corrupt { path, .. } => return Some(rescue(path)),
        Error::Sqlite { path, source, .. } if is_corrupt(source) => return Some(rescue(path)),
        Error::BadRow { .. } => {
            return Some(format!("`obook verify` names all that is wrong, {mends}"));
        }
        Error::Damaged { .. } => return Some(format!("`obook verify` names them, {mends}")),
        Error::Unfixed { .. } => {
            "its numbers do not follow from each other: `obook fix` computes them"
        }
        Error::BadRepetition { .. } => "compute the book anew with `obook negamax`",
        Error::TooDeep { .. } => "say with --depth how deep",
        Error::OneLevel { .. } => "leave --positions and --leaves out",
        _ => return None,
    };
    Some(way_out.to_owned())
}

/// What to do with a damaged database.
fn rescue(path: &Path) -> String {
    let verify = command([OsStr::new("verify"), path.as_os_str()]);
    let new = path.with_extension("salvaged.obook");
    let salvage = command([OsStr::new("salvage"), path.as_os_str(), new.as_os_str()]);
    format!(
        "`{verify}` says more; take a snapshot with `obook restore`, or read out what can be read with `{salvage}`"
    )
}

/// Whether SQLite could not make sense of the pages of a database.
fn is_corrupt(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    )
}

/// Whether it looks like an argument that comes after the book: moves or a number.
fn is_no_name(path: &Path) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_line = |text: &str| read_line(text).is_ok();
    path.to_str()
        .is_some_and(|text| is_number(text) || is_line(text))
}

/// What could have been given so that less is lost.
pub(crate) fn on_losses(losses: &Losses) -> Option<&'static str> {
    (losses.of(Loss::AssumedLevels) > 0).then_some("--level says which level is assumed")
}

/// What mends the end of a line.
pub(crate) fn on_end(end: LineEnd) -> Option<&'static str> {
    (end == LineEnd::MissingPosition).then_some("`obook link` mends that")
}
