//! Advice: for each error of the library, the command or option that gets past it.

use crate::failure::Failure;
use crate::options::games::is_database;
use crate::typed::command;
use obook::read::line::LineEnd;
use obook::{BOOK_FILE, Error, FileKind, StoreError};
use obook_base::{Exceeded, shell};
use obook_converters::{ErrorKind as CodecError, show_bytes};
use obook_engine::{SearchError, Trouble};
use obook_games::names::read_line;
use obook_graph::mapping::{Loss, Losses, MissingLeaf};
use obook_learn::search::NoAnswer;
use obook_shogi::database::SHOGI;
use obook_store::{is_corrupt, is_lake};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// Describes the error in one sentence, with the next step if there is one.
pub(crate) fn sentence(error: &Error) -> String {
    match error {
        // Named for the option that turned the losses into an error.
        Error::Lossy {
            path,
            format,
            losses,
        } => format!(
            "{}: --strict: {format} can't hold\n  {losses}",
            path.display()
        ),
        Error::Codec(error) if let Some(path) = unknown_book(error) => format!(
            "{}: game records, where a book is expected: import them into a database with `obook games import`",
            path.display()
        ),
        Error::Codec(error) if let Some(found) = json(error) => found,
        Error::Games(error) if let Some((path, kind)) = unknown_games(error) => {
            let path = path.display();
            format!("{path}: {kind}, where game records are expected")
        }
        Error::Condition { path, problem } => format!("{}: --where: {problem}", path.display()),
        // The error has several lines: the advice gets a line of its own.
        Error::EdaxDemands {
            path,
            missing_leaf: Some(tried),
            ..
        } => {
            let search = match FileKind::of(path) {
                Ok(FileKind::Database(_)) => {
                    let words = [OsStr::new("search"), path.as_os_str()];
                    format!("search them with `{}`", command(words))
                }
                _ => String::from("search them with the engine that made the book"),
            };
            let or = match tried {
                MissingLeaf::Stop => ", or give --missing-leaf fold or demote",
                MissingLeaf::Fold => ", or give --missing-leaf demote",
                MissingLeaf::Demote => "",
            };
            format!(
                "{error}\n  Edax needs their leaves, and the book doesn't have them: {search}{or}"
            )
        }
        _ => match way_out(error) {
            Some(way_out) => format!("{error}; {way_out}"),
            None => error.to_string(),
        },
    }
}

/// Why a book file can't be changed: the commands that do it choose no leaves.
pub(crate) fn on_change(error: Error) -> Failure {
    match error {
        Error::EdaxDemands {
            path,
            demands,
            missing_leaf: Some(_),
        } => Failure::file(
            &path,
            format!(
                "{demands}\n  Edax needs their leaves, and the book doesn't have them: import it with `obook import`, search them with \
                 `obook search`, and change that database; or change what `obook convert --missing-leaf demote` makes of it"
            ),
        ),
        error => Failure::Command(error),
    }
}

/// The file that was expected to be a book but has game records.
fn unknown_book(error: &obook_converters::Error) -> Option<&Path> {
    let is_unknown = matches!(error.kind(), CodecError::UnknownFormat { .. });
    let path = Path::new(error.name().filter(|_| is_unknown)?);
    (path.is_file() && obook_games::Reader::open(path, None).is_ok()).then_some(path)
}

/// The meaning of JSON where a book was expected.
fn json(error: &obook_converters::Error) -> Option<String> {
    let CodecError::UnknownFormat { found } = error.kind() else {
        return None;
    };
    let text = String::from_utf8_lossy(found);
    let what = match text.trim_start().strip_prefix('{')? {
        text if text.contains("\"reply\"") => {
            "looks like answers that `obook work` wrote: `obook merge BOOK FILE` adds them to a book"
        }
        text if text.contains("\"question\"") => {
            "looks like searches that `obook tasks` wrote: `obook work FILE` finds their answers"
        }
        _ => "is JSON, which no book is",
    };
    let name = error.name().unwrap_or("standard input");
    Some(format!("{name}: byte 0: {}… {what}", show_bytes(found)))
}

/// The book that was expected to have game records.
fn unknown_games(error: &obook_games::Error) -> Option<(&Path, &'static str)> {
    let is_unknown = match error.kind() {
        obook_games::ErrorKind::UnknownFormat { .. } => true,
        // A database is not even read.
        obook_games::ErrorKind::Io(error) => error.kind() == ErrorKind::InvalidInput,
        _ => false,
    };
    let path = Path::new(error.name().filter(|_| is_unknown)?);
    let kind = path.is_file().then(|| FileKind::of(path).ok())??;
    use FileKind::{Database, ForeignDatabase, Snapshot};
    let kind = match kind {
        Database(_) | ForeignDatabase | Snapshot(_) => kind.name(),
        _ if BOOK_FILE.is_in(path).ok()? => BOOK_FILE.name(),
        _ => return None,
    };
    Some((path, kind))
}

/// Describes why there is no answer, with the next step if there is one.
pub(crate) fn on_search(error: &SearchError) -> String {
    let way_out = match error {
        SearchError::NotStarted { source, .. } if source.kind() == ErrorKind::NotFound => {
            "check its path in engines.toml or in the command; `obook engines list` shows the engines"
        }
        SearchError::Failed { trouble, .. } | SearchError::NotSpeaking { trouble, .. }
            if matches!(trouble, Trouble::Silent(_)) =>
        {
            "if it needs longer, raise its patience in engines.toml"
        }
        SearchError::Failed {
            trouble: Trouble::FromBook(_),
            ..
        } => "start it without its book: Edax with -book-usage off, Egaroucid with -nobook",
        _ => return error.to_string(),
    };
    format!("{error}; {way_out}")
}

/// Describes why a search has no answer, with the next step if there is one.
pub(crate) fn on_no_answer(why: &NoAnswer) -> String {
    match why {
        NoAnswer::Failed(error) => on_search(error),
        other => other.to_string(),
    }
}

/// Describes why a book can't grow, with the next step if there is one.
pub(crate) fn on_learning(error: &obook_learn::Error) -> String {
    use obook_learn::Error;
    let way_out = match error {
        Error::NoGames { .. } => {
            "name files or a database with games, such as the book itself, with --games"
        }
        Error::Thread { .. } => "give fewer with --jobs",
        Error::NoLevel => "name one with --level, or in the recipe",
        Error::NoGo => "name one with --go, for example --go 'nodes 1000000'",
        _ => return error.to_string(),
    };
    format!("{error}; {way_out}")
}

/// The next step after an error, whatever the game.
fn past_store(error: &StoreError) -> Option<String> {
    let way_out = match error {
        // The number of another game.
        StoreError::NotABook {
            found, expected, ..
        } if found >> 8 == expected >> 8 => {
            "it is the book of another game, and a file holds one game; `obook shogi` is for books of shogi"
        }
        StoreError::NotABook { .. } => "create one with `obook import`",
        StoreError::ForeignSchema { .. } => {
            "it is damaged or can't be trusted: get it again from its source, or restore a snapshot with `obook restore`"
        }
        StoreError::Snapshot { path } => {
            let free = |ending: &&str| !path.with_extension(ending).exists();
            let ending = ["obook", "restored.obook"].into_iter().find(free)?;
            let book = path.with_extension(ending);
            let words = [OsStr::new("restore"), path.as_os_str(), book.as_os_str()];
            &format!("restore it with `{}`", command(words))
        }
        StoreError::Io {
            path,
            doing: "open",
            source,
        } if source.kind() == ErrorKind::NotFound && is_no_name(path) => {
            "the book comes first, then moves or numbers"
        }
        StoreError::Io { path, source, .. }
            if source.kind() == ErrorKind::StorageFull && *path == std::env::temp_dir() =>
        {
            "make room there, or name a folder on another disk in the environment variable TMPDIR"
        }
        StoreError::Io { source, .. } if Exceeded::is_in(source) => MORE_MEMORY,
        StoreError::Io { source, .. } if cfg!(unix) && source.raw_os_error() == Some(EMFILE) => {
            "a shell allows more after `ulimit -n 1024`"
        }
        StoreError::Exists {
            replaceable: true, ..
        } => "give --force to replace it",
        StoreError::Exists { output, .. } => &format!(
            "{output} can't replace it, even with --force: choose another name, or remove the file first"
        ),
        StoreError::Leftover { .. } => "give --force to remove it",
        StoreError::Busy { .. } => "try again later, or wait longer with --wait SECONDS",
        StoreError::Corrupt { path, .. } => &rescue(path, true),
        StoreError::Sqlite {
            path,
            doing,
            source,
        } if is_corrupt(source) => &rescue(path, *doing != "open"),
        StoreError::Sqlite { source, .. } if source.to_string().starts_with("no such table") => {
            "a table of the book is gone, or was not there yet when an unreleased obook made the file: import its files into a new \
             database with `obook import`"
        }
        StoreError::Newer { .. } => "use a newer obook",
        StoreError::Outdated { .. } => "any change does that",
        StoreError::Unreleased { .. } => {
            "export the book with the obook that made it, and import that file with `obook import`"
        }
        StoreError::BadRow { .. } => {
            &format!("`obook verify` lists everything that is wrong, {REPAIRS}")
        }
        StoreError::Unfit { path, problem }
            if problem.starts_with("a directory") && is_lake(path) =>
        {
            "this one is a lake: `obook import` makes a database of it"
        }
        StoreError::NoValue { .. } => {
            "`obook search` searches what it lacks, and `obook fix` computes what follows from searches"
        }
        StoreError::Unfixed { .. } => {
            "its numbers don't agree with each other: `obook fix` recomputes them"
        }
        _ => return None,
    };
    Some(way_out.to_owned())
}

fn way_out(error: &Error) -> Option<String> {
    let way_out = match error {
        Error::Store(error) => return past_store(error),
        Error::NotADatabase { .. } => {
            "import it into a database with `obook import`, and name that instead"
        }
        Error::Gzip { path } => {
            let words = [OsStr::new("-k"), path.as_os_str()];
            &format!("unpack it with `{}`", shell("gunzip", words))
        }
        Error::Codec(error) if matches!(error.kind(), CodecError::Io(source) if Exceeded::is_in(source)) => {
            MORE_MEMORY
        }
        #[cfg(feature = "lake")]
        Error::Lake(obook::LakeError::Memory { .. }) => MORE_MEMORY,
        #[cfg(feature = "lake")]
        Error::OtherLake { .. } => "export the book again with `obook export`",
        Error::Codec(error) if matches!(error.kind(), CodecError::UnknownFormat { .. }) => {
            "`obook convert --from FORMAT` reads a damaged file as one of them"
        }
        Error::NoGames { path } if is_database(path) => "`obook games import` adds some",
        Error::TooManyGames { .. } => "import the others into another database",
        Error::BadGames { .. } => {
            "import the games into a new database with `obook games import` to make it again"
        }
        Error::Damaged { .. } => &format!("`obook verify` lists them, {REPAIRS}"),
        Error::BadRepetition { .. } => "recompute the book with `obook negamax`",
        Error::TooDeep { plies, .. } => &format!("give --depth {plies} or more"),
        Error::OneLevel { .. } => "leave out --positions and --leaves",
        _ => return None,
    };
    Some(way_out.to_owned())
}

/// The next step after what is wrong has been listed.
const REPAIRS: &str = "`obook fix` repairs what needs no search";

/// The number of the error on every Unix if a process has as many files open as it may.
const EMFILE: i32 = 24;

/// The next step for what takes more memory than it may.
const MORE_MEMORY: &str = "--memory allows more, for commands that have it";

/// The next step for a damaged database. One that can't be opened can't be verified.
fn rescue(path: &Path, opens: bool) -> String {
    let mut restore = String::from("restore a snapshot with `obook restore`");
    if opens {
        let verify = command([OsStr::new("verify"), path.as_os_str()]);
        restore = format!("`{verify}` says more; {restore}");
    }
    if matches!(FileKind::of(path), Ok(FileKind::Database(game)) if game == SHOGI.application_id) {
        return restore;
    }
    let new = path.with_extension("salvaged.obook");
    let salvage = command([OsStr::new("salvage"), path.as_os_str(), new.as_os_str()]);
    format!("{restore}, or recover what can be read with `{salvage}`")
}

/// Whether the path looks like an argument that follows the book: moves or a number.
fn is_no_name(path: &Path) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_line = |text: &str| read_line(text).is_ok();
    path.to_str()
        .is_some_and(|text| is_number(text) || is_line(text))
}

/// The option that avoids some of the losses.
pub(crate) fn on_losses(losses: &Losses) -> Option<&'static str> {
    (losses.of(Loss::AssumedLevels) > 0).then_some("--level sets the level to assume")
}

/// The command that repairs the end of a line.
pub(crate) fn on_end(end: LineEnd) -> Option<&'static str> {
    (end == LineEnd::MissingPosition).then_some("`obook link` repairs that")
}
