//! `obook games import`: games from files to a database.

use crate::options::destination::{FILES, check_ending};
use crate::options::games::{Othello, ReadAs, Unsaid, entries, faults};
use crate::prelude::*;
use obook::games::{Imported, import, import_new};
use obook::{Error, IfExists, NewBook};
use obook_base::{files_of, locked};
use obook_games::{ErrorKind, Reader};
use std::sync::Mutex;

/// Import games into a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games import wthor/*.wtb --book games.obook\n  \
    obook games import my-games.ggf --book book.obook\n  \
    obook games import my-games.txt --book games.obook --black rose --date 2026-05-01\n  \
    obook games import archive.zip downloads --book games.obook --strict\n\n\
    Formats are WTHOR (.wtb, with the names in the .jou and .trn files beside it), GGF, SGF, PGN, Othello Quest's JSON and plain transcripts; they are \
    recognised by their contents, and may be compressed with zstd, gzip or bzip2. Folders and .zip archives stand for the files in them. Games that the database already has are skipped, but if they had \
    only the numbers of their players, they get the names: import the files again once you have their lists. If a record is \
    faulty (an illegal move, a result that contradicts the discs or the end), the fault is reported and the rest of the game is \
    imported; --strict skips the game. A game without a result may end anywhere. A file that can't be read to its end is reported; \
    everything else is imported, and the exit status is 1. --json lists all faults.")]
pub(crate) struct Arguments {
    /// Files with games, and folders or .zip archives of such files; - is standard input
    #[arg(required = true, add = Standard)]
    files: Vec<PathBuf>,
    /// The database; created if it doesn't exist
    #[arg(long, value_name = "BOOK", value_parser = changeable())]
    book: PathBuf,
    /// Skip games with faulty records
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    read_as: ReadAs<Othello>,
    #[command(flatten)]
    unsaid: Unsaid,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    imported: Imported,
    /// Games with faulty records.
    faulty: u64,
    /// Whether they were skipped.
    strict: bool,
    /// WTHOR files without a list of players, whose players got numbers as names.
    without_names: Vec<PathBuf>,
    /// Files that can't be read, or not to their end.
    unread: usize,
    /// The faults of the records and the files.
    faults: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.unsaid.check()?;
    check_ending(&arguments.book, &FILES)?;
    let faulty = Teller::default();
    let (unread, listed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let list = |fault: &dyn ToString| {
        if arguments.json {
            locked(&listed).push(fault.to_string());
        }
    };
    let strict = arguments.strict;
    let entries = entries(&arguments.files, arguments.read_as.format);
    let entries = entries.filter_map(|entry| {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                list(&error);
                locked(&unread).push(error);
                return None;
            }
        };
        let is_faulty = !entry.faults.is_empty();
        if is_faulty {
            let fault = faults(&entry);
            list(&fault);
            faulty.tell(fault);
        }
        arguments.unsaid.fill_in(&mut entry.game);
        (!(is_faulty && strict)).then_some(Ok(entry))
    });
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        let mut unread = locked(&unread);
        if let Some(error) = unread.pop() {
            tell_unread(&unread);
            return Err(error.into());
        }
        if !faulty.has_told() {
            let path = arguments.files[0].clone();
            return Err(Error::NoGames { path }.into());
        }
    }
    let context = context::shown();
    let book = &arguments.book;
    let imported = match book.exists() {
        true => import(&mut Book::open_for_writing(book, &context)?, entries)?,
        false => import_new(NewBook::create(book, IfExists::Refuse, &context)?, entries)?,
    };
    let files = arguments.files.iter();
    let files = files.flat_map(|named| files_of(named).unwrap_or_default());
    let lacks_names = |file: &PathBuf| Reader::open(file, None).is_ok_and(|it| it.lacks_names());
    let report = Report {
        imported,
        faulty: faulty.finish(),
        strict,
        without_names: files.filter(lacks_names).collect(),
        unread: tell_unread(&locked(&unread)),
        faults: std::mem::take(&mut locked(&listed)),
    };
    account(&report, arguments.json, describe)?;
    Failure::told_if(report.unread > 0)
}

/// Reports the files that can't be read, and returns how many.
fn tell_unread(unread: &[Error]) -> usize {
    let teller = Teller::default();
    let mut is_explained = false;
    for error in unread {
        match unknown(error) {
            Some(file) if is_explained => {
                teller.tell(format_args!("{file}: no game record, either"));
            }
            found => {
                is_explained |= found.is_some();
                teller.tell(error);
            }
        }
    }
    teller.finish() as usize
}

/// The file, if the error is that its format isn't known.
fn unknown(error: &Error) -> Option<&str> {
    match error {
        Error::Games(error) if matches!(error.kind(), ErrorKind::UnknownFormat { .. }) => {
            error.name()
        }
        _ => None,
    }
}

fn describe(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let imported = &report.imported;
    let (read, added) = (imported.read, imported.added);
    let games = count(added, "game[|s]");
    let positions = count(imported.positions, "position[|s]");
    let players = count(imported.players, "new player[|s]");
    let tournaments = count(imported.tournaments, "new tournament[|s]");
    writeln!(
        out,
        "{games} with {positions} imported; {players}, {tournaments}"
    )?;
    if_any(read - added, "game[ was|s were] already there", out)?;
    // Perhaps only tournaments got names.
    let players = some(imported.named_players, " of # player[|s]");
    let named = format!("game[|s]{players} got names instead of numbers");
    if_any(imported.named_games, &named, out)?;
    if let [first, others @ ..] = &report.without_names[..]
        && added > 0
    {
        let first = first.display();
        let more = some(others.len() as u64, " and # more");
        let them = if others.is_empty() { "it" } else { "them" };
        writeln!(
            out,
            "{first}{more}: players have numbers as names, because no list of players (.jou) is beside {them}"
        )?;
    }
    let unread = "file[|s] can't be read; everything else was imported";
    if_any(report.unread as u64, unread, out)?;
    let faulty = match report.strict {
        true => "game[ with a faulty record was|s with faulty records were] skipped",
        false => "game[ has a faulty record|s have faulty records]; everything else was imported",
    };
    if_any(report.faulty, faulty, out)
}
