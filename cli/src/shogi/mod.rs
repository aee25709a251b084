//! `obook shogi`: the commands for books of shogi. They have the words of those for Othello where they mean the same.

mod convert;
mod diff;
mod evaluate;
mod export;
mod extract;
mod fit;
mod fix;
mod games;
mod history;
mod import;
mod info;
mod learn;
mod line;
mod matches;
mod merge;
mod prune;
mod query;
mod rate;
mod records;
mod search;
mod show;
mod stats;
mod verify;
mod why;

use crate::commands::{compact, named, redo, restore, snapshot, subcommands, undo};
use crate::engines::choose_for_shogi;
use crate::options::destination::ends_in;
use crate::options::moves::no_signs_only;
use crate::prelude::*;
use clap::builder::PathBufValueParser;
use obook::{Content, Context, FileKind};
use obook_shogi::database::games::is_record;
use obook_shogi::database::{SHOGI, file};
use obook_shogi::games::Game;
use obook_shogi::{Draws, Pieces};
use obook_sql::answers::Screen;
use obook_store::Store;
use std::ffi::{OsStr, OsString};

subcommands! {
    /// Opening books of shogi: correct scores in books with repetitions
    #[command(after_help = "Examples:\n  \
        obook shogi import user_book1.db --book book.obook\n  \
        obook shogi fix book.obook\n  \
        obook shogi show book.obook 7g7f 3c3d\n  \
        obook shogi export book.obook user_book1.db --force\n\n\
        The word `shogi` may be left out if an argument names a book of shogi: `obook fix book.obook` means the same. docs/shogi.md is an \
        introduction.")]
    struct Arguments;
    Show show,
    Line line,
    Why why,
    Info info,
    Stats stats,
    Evaluate evaluate,
    Fit fit,
    Match matches,
    Search search,
    Learn learn,
    Diff diff,
    #[command(
        mut_arg("files", |files| files
            .help("Book files in any format, recognised by their contents")
            .value_parser(PathBufValueParser::new())
            .add(Standard)),
        after_help = "Examples:\n  \
            obook shogi import user_book1.db                          creates user_book1.obook\n  \
            obook shogi import user_book1.db --book book.obook\n  \
            obook shogi import new.ybb book.bin --book book.obook     merges both into it\n\n\
            Formats: .db and .ybb of YaneuraOu, book.bin of Apery and Gikou, .sbk of ShogiGUI, also compressed (.gz, .zst). Of two scores of a move, the deeper one is kept, \
            and of equally deep ones the newer. Records that can't be read are listed on standard error; moves that aren't legal are left out. \
            Apery and Gikou write hashes of positions, so those are looked for from the start position."
    )]
    Import import,
    Export export,
    Convert convert,
    Merge merge,
    Fix fix,
    Prune prune,
    Query query,
    Games games,
    Extract extract,
    Rate rate,
    Verify verify,
    History history,
    #[command(after_help = "Examples:\n  obook shogi undo book.obook")]
    Undo undo = |it| undo::run_on(it, open_for_writing),
    #[command(after_help = "Examples:\n  obook shogi redo book.obook")]
    Redo redo = |it| redo::run_on(it, open_for_writing),
    #[command(after_help = "Examples:\n  obook shogi snapshot book.obook book-$(date +%F).zst")]
    Snapshot snapshot = |it| snapshot::run_on(it, open),
    #[command(
        after_help = "Examples:\n  obook shogi restore book-2026-02-28.zst book.obook --force"
    )]
    Restore restore = |it| restore::run_as(&SHOGI, it),
    #[command(after_help = "Examples:\n  obook shogi compact book.obook")]
    Compact compact = |it| compact::run_on(it, open_for_writing),
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
    let writes = |word: &OsString| TO_FILES.iter().any(|name| word == name);
    let writes = arguments.iter().any(writes);
    // A folder may have the name of a command, but not behind it.
    let imports = |words: &[OsString]| words == ["games", "import"];
    let imports = arguments.windows(2).position(imports);
    let takes_folders = |place: usize| imports.is_some_and(|imports| place > imports + 1);
    let pairs = (1..).zip(arguments.windows(2));
    let read = pairs.filter(|(_, pair)| !is_output(&pair[0], &pair[1]));
    let files = read.filter_map(|(place, pair)| file(&pair[1], takes_folders(place)));
    let mut files = files.take(if writes { 1 } else { usize::MAX });
    let Some(book) = files.find(|path| is_shogi(path)) else {
        if is_new(&arguments) {
            arguments.insert(1, OsString::from("shogi"));
        }
        return Ok(arguments);
    };
    let is_othello = |path: &&OsString| {
        let kind = FileKind::of(Path::new(path));
        matches!(kind, Ok(FileKind::Database(game)) if game != SHOGI.application_id)
    };
    if let Some(other) = arguments.iter().skip(1).find(is_othello) {
        let problem = format!(
            "a book of Othello, and {} is one of shogi: books of two games don't mix",
            book.display()
        );
        let mixed = Failure::file(Path::new(other), problem);
        return Err(match arguments.iter().any(|word| word == "diff") {
            true => mixed.apart(),
            false => mixed,
        });
    }
    let command = |word: &OsString| named(word.to_str()?);
    let found = arguments.iter().skip(1).find_map(command);
    let Some(command) = found.filter(|it| it.get_name() != "shogi") else {
        return Ok(arguments);
    };
    let name = command.get_name();
    let shogi = named("shogi");
    if shogi.is_some_and(|shogi| shogi.find_subcommand(name).is_none()) {
        let problem = format!("`obook {name}` doesn't support shogi; see `obook shogi --help`");
        return Err(Failure::file(&book, problem));
    }
    arguments.insert(1, OsString::from("shogi"));
    Ok(arguments)
}

/// Whether a new book of shogi is to be learned: by the engine, or by the ending of its name.
fn is_new(arguments: &[OsString]) -> bool {
    let Some(place) = arguments.iter().position(|word| word == "learn") else {
        return false;
    };
    let is_command = |word: &OsString| word.to_str().and_then(named).is_some();
    if arguments[..place].iter().skip(1).any(is_command) {
        return false;
    }
    let is_option = |word: &&OsString| word.to_str().is_some_and(|text| text.starts_with('-'));
    let mut words = arguments[place..].iter().filter(|word| !is_option(word));
    let is_there =
        |word: &OsString| matches!(FileKind::of(Path::new(word)), Ok(FileKind::Database(_)));
    if arguments.iter().any(is_there) {
        return false;
    }
    let behind = |pair: &[OsString]| match pair {
        [option, engine] if option == "--engine" => engine.to_str().map(str::to_owned),
        [_, both] => Some(both.to_str()?.strip_prefix("--engine=")?.to_owned()),
        _ => None,
    };
    let mut engines = arguments.windows(2).filter_map(behind);
    engines.any(|engine| choose_for_shogi(&engine).is_ok())
        || words.any(|word| ends_in(Path::new(word), &learn::FILES))
}

/// Whether a file, or the first in a folder, is a book or a record of shogi.
fn is_shogi(path: &Path) -> bool {
    match FileKind::of(path) {
        Ok(FileKind::Database(game) | FileKind::Snapshot(game)) => game == SHOGI.application_id,
        Ok(FileKind::ForeignDatabase | FileKind::Empty) => false,
        _ => is_book(path) || is_record(path),
    }
}

/// Whether a file is a book of shogi.
fn is_book(path: &Path) -> bool {
    let is_in = |content: Content| content.is_in(path).is_ok_and(|is_in| is_in);
    file::is_book(path) && (is_in(file::BOOK_FILE) || !is_in(obook::BOOK_FILE))
}

/// Commands that read a file and write another.
const TO_FILES: [&str; 4] = ["export", "convert", "snapshot", "salvage"];

/// Whether an argument names a file to write. `before`: the argument before it.
fn is_output(before: &OsStr, argument: &OsStr) -> bool {
    let argument = argument.as_encoded_bytes();
    before == "--output" || before == "-o" || argument.starts_with(b"--output=")
}

/// The file, or folder of files, that an argument names, if it does: `FILE` or `--option=FILE`.
fn file(argument: &OsStr, takes_folders: bool) -> Option<PathBuf> {
    let text = argument.to_str().filter(|text| text.starts_with('-'));
    let option = text.and_then(|text| text.split_once('='));
    let path = Path::new(option.map_or(argument, |(_, file)| OsStr::new(file)));
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
    let is_database = matches!(FileKind::of(path), Ok(FileKind::Database(_)));
    if !is_database && is_book(path) {
        let problem =
            "a book file, which is only read; import it into a database with `obook import`";
        return Err(Failure::file(path, problem));
    }
    Ok(())
}

/// Reads moves from the start position, or from a position in front of them.
fn line(moves: &[String]) -> Result<Game, Failure> {
    let expected = "moves such as 7g7f or ▲７六歩, or a position in SFEN";
    no_signs_only(moves, expected)?;
    Ok(moves.join(" ").parse()?)
}

/// The worth of draws in words; `None` if it is 0 for both sides and games have no limit.
fn draws_in_words(draws: Draws) -> Option<String> {
    let (black, white) = (draws.black, draws.white);
    let worth = format!("a draw is worth {black} to Black and {white} to White");
    let worth = Some(worth).filter(|_| black != 0 || white != 0);
    let limit = draws.max_moves;
    let limit = limit.map(|most| format!("a game is a draw after {most} moves"));
    let words: Vec<String> = worth.into_iter().chain(limit).collect();
    Some(words.join(", ")).filter(|words| !words.is_empty())
}

/// How to draw pieces.
const PIECES: [(&str, Pieces, &str); 2] = [
    ("letters", Pieces::Letters, "Letters, as in SFEN"),
    ("kanji", Pieces::Kanji, "Japanese characters"),
];

/// The pieces to draw if none are chosen: Japanese if the terminal seems to understand UTF-8, letters otherwise and in a file.
fn usual_pieces() -> Pieces {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut set = names.filter_map(|name| std::env::var(name).ok());
    let locale = set.find(|value| !value.is_empty());
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
    match Screen::of_stdout().is_some() && is_utf8 {
        true => Pieces::Kanji,
        false => Pieces::Letters,
    }
}
