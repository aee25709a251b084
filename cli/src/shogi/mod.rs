//! `obook shogi`: the commands for books of shogi. They have the words of those for Othello where they mean the same.

mod convert;
mod diff;
mod evaluate;
mod export;
mod fit;
mod fix;
mod games;
mod history;
mod import;
mod info;
mod line;
mod matches;
mod merge;
mod prune;
mod query;
mod rate;
mod show;
mod stats;
mod verify;
mod why;

use crate::args::program;
use crate::commands::{compact, redo, restore, snapshot, undo};
use crate::failure::Failure;
use obook::{Context, FileKind};
use obook_shogi::database::SHOGI;
use obook_shogi::database::file::is_book;
use obook_shogi::database::games::is_record;
use obook_shogi::database::view::Line;
use obook_store::Store;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Opening books of shogi: scores that are true in books with repetitions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi import user_book1.db --book book.obook\n  \
    obook shogi fix book.obook\n  \
    obook shogi show book.obook 7g7f 3c3d\n  \
    obook shogi export book.obook user_book1.db --force\n\n\
    The word `shogi` may be left out if an argument names a book of shogi: `obook fix book.obook` means the same. docs/shogi.md is an \
    introduction.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(show::Arguments),
    Line(line::Arguments),
    Why(why::Arguments),
    Info(info::Arguments),
    Stats(stats::Arguments),
    Evaluate(evaluate::Arguments),
    Fit(fit::Arguments),
    Match(matches::Arguments),
    Diff(diff::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Convert(convert::Arguments),
    Merge(merge::Arguments),
    Fix(fix::Arguments),
    Prune(prune::Arguments),
    Query(query::Arguments),
    Games(games::Arguments),
    Rate(rate::Arguments),
    Verify(verify::Arguments),
    History(history::Arguments),
    #[command(after_help = "Examples:\n  obook shogi undo book.obook")]
    Undo(undo::Arguments),
    #[command(after_help = "Examples:\n  obook shogi redo book.obook")]
    Redo(redo::Arguments),
    #[command(after_help = "Examples:\n  obook shogi snapshot book.obook book-$(date +%F).zst")]
    Snapshot(snapshot::Arguments),
    #[command(
        after_help = "Examples:\n  obook shogi restore book-2026-02-28.zst book.obook --force"
    )]
    Restore(restore::Arguments),
    #[command(after_help = "Examples:\n  obook shogi compact book.obook")]
    Compact(compact::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Show(arguments) => show::run(arguments),
        Command::Line(arguments) => line::run(arguments),
        Command::Why(arguments) => why::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Fit(arguments) => fit::run(arguments),
        Command::Match(arguments) => matches::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Fix(arguments) => fix::run(arguments),
        Command::Prune(arguments) => prune::run(arguments),
        Command::Query(arguments) => query::run(arguments),
        Command::Games(arguments) => games::run(arguments),
        Command::Rate(arguments) => rate::run(arguments),
        Command::History(arguments) => history::run(arguments),
        Command::Undo(arguments) => undo::run_on(arguments, open_for_writing),
        Command::Redo(arguments) => redo::run_on(arguments, open_for_writing),
        Command::Snapshot(arguments) => snapshot::run_on(arguments, open),
        Command::Restore(arguments) => restore::run_as(&SHOGI, arguments),
        Command::Compact(arguments) => compact::run_on(arguments, open_for_writing),
    }
}

/// The arguments of a command. If one of them names a book of shogi, they are for `obook shogi`, and get that word in front.
///
/// # Errors
/// If books of shogi don't have the command.
pub(crate) fn addressed(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Vec<OsString>, Failure> {
    let mut arguments: Vec<OsString> = arguments.collect();
    // The second file may be one to write.
    let writes = arguments
        .iter()
        .any(|word| TO_FILES.iter().any(|name| word == name));
    // A folder may have the name of a command, but not behind it.
    let imports = |words: &[OsString]| words == ["games", "import"];
    let imports = arguments.windows(2).position(imports);
    let takes_folders = |place| imports.is_some_and(|imports| place > imports + 1);
    let files = arguments
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(place, argument)| file(argument, takes_folders(place)));
    let mut files = files.take(if writes { 1 } else { usize::MAX });
    let Some(book) = files.find(|path| is_book(path) || is_record(path)) else {
        return Ok(arguments);
    };
    let program = program();
    let is_othello = |path: &&OsString| {
        let kind = FileKind::with_game(Path::new(path));
        matches!(kind, Ok((FileKind::Database, Some(game))) if game != SHOGI.application_id())
    };
    if let Some(other) = arguments.iter().skip(1).find(is_othello) {
        let problem = format!(
            "a book of Othello, and {} is one of shogi: books of two games don't mix",
            book.display()
        );
        return Err(Failure::file(Path::new(other), problem));
    }
    let command = |word: &OsString| program.find_subcommand(word);
    let Some(command) = arguments.iter().skip(1).find_map(command) else {
        return Ok(arguments);
    };
    let name = command.get_name();
    if name == "shogi" {
        return Ok(arguments);
    }
    let shogi = program.find_subcommand("shogi");
    if shogi.is_some_and(|shogi| shogi.find_subcommand(name).is_none()) {
        let problem = format!("`obook {name}` doesn't support shogi; see `obook shogi --help`");
        return Err(Failure::file(&book, problem));
    }
    arguments.insert(1, OsString::from("shogi"));
    Ok(arguments)
}

/// Commands that read a file and write another.
const TO_FILES: [&str; 3] = ["export", "convert", "snapshot"];

/// The file, or folder of files, that an argument names, if it does: `FILE` or `--option=FILE`.
fn file(argument: &OsStr, takes_folders: bool) -> Option<PathBuf> {
    let text = argument.to_str().filter(|text| text.starts_with('-'));
    let path = match text.and_then(|text| text.split_once('=')) {
        Some((_, file)) => Path::new(file),
        None => Path::new(argument),
    };
    let is_there = path.is_file() || takes_folders && path.is_dir();
    is_there.then(|| path.to_owned())
}

/// Opens a database for reading.
fn open(path: &Path, context: &Context) -> Result<Store, Failure> {
    is_database(path)?;
    Ok(Store::open(&SHOGI, path, context)?)
}

/// Opens a database to change it.
fn open_for_writing(path: &Path, context: &Context) -> Result<Store, Failure> {
    is_database(path)?;
    Ok(Store::open_for_writing(&SHOGI, path, context)?)
}

/// Refuses a book file, which is only read.
fn is_database(path: &Path) -> Result<(), Failure> {
    match FileKind::of(path) {
        Ok(FileKind::Database) => Ok(()),
        _ if is_book(path) => {
            let problem =
                "a book file, which is only read; import it into a database with `obook import`";
            Err(Failure::file(path, problem))
        }
        _ => Ok(()),
    }
}

/// Reads moves from the start position, or from a position in front of them.
fn line(moves: &[String]) -> Result<Line, Failure> {
    let says = |word: &String| word.chars().any(char::is_alphanumeric);
    let sign = moves.iter().find(|word| !word.trim().is_empty());
    if let Some(sign) = sign.filter(|_| !moves.iter().any(says)) {
        let problem = "no moves; expected moves in USI such as 7g7f, or a position in SFEN, and standard input isn't read here";
        return Err(Failure::file(Path::new(sign), problem));
    }
    let line = moves.join(" ").parse();
    line.map_err(|error: obook_shogi::database::view::LineError| Failure::Shogi(error))
}

/// How to draw pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Pieces {
    /// Letters, as in SFEN
    Letters,
    /// Japanese characters
    Kanji,
}

impl Pieces {
    /// Japanese if the terminal seems to understand UTF-8, letters otherwise and in a file.
    fn drawn(chosen: Option<Pieces>) -> obook_shogi::Pieces {
        let is_utf8 = || {
            let names = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
            let set = names.filter_map(|name| std::env::var(name).ok());
            let locale = set.into_iter().find(|value| !value.is_empty());
            let locale = locale.unwrap_or_default().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        match chosen {
            Some(Pieces::Kanji) => obook_shogi::Pieces::Kanji,
            None if obook_sql::answers::Screen::of_stdout().is_some() && is_utf8() => {
                obook_shogi::Pieces::Kanji
            }
            _ => obook_shogi::Pieces::Letters,
        }
    }
}
