//! `obook shogi games import`: games from files to a database.

use super::{describe_left_out, told};
use crate::options::games::{ReadAs, Unsaid};
use crate::prelude::*;
use crate::shogi::records::Shogi;
use crate::words::Teller;
use obook::spare;
use obook_shogi::database::games::{ImportOptions, ImportedGames, import};
use obook_shogi::games::Game;

/// Import games into a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games import *.csa --book games.obook\n  \
    obook shogi games import *.kif --book book.obook\n  \
    obook shogi games import floodgate/*.csa --book games.obook --strict\n\n\
    Games that the database already has, with the same players, date and moves, are skipped. If a record is faulty, such as by an illegal \
    move or a repetition that contradicts the result, the fault is reported, and the game is imported up to the first move that can't \
    be played; --strict skips the game. A record without an end is a game that was broken off. Problems, in which a side has no king, \
    are counted and left out. A file that can't be read to its end is reported; everything else is imported, and the exit status is 1. \
    --json lists all faults.")]
pub(crate) struct Arguments {
    /// Files with games, and folders or .zip archives of such files; - is standard input
    #[arg(required = true, value_name = "FILE", add = Standard)]
    files: Vec<PathBuf>,
    /// The database; created if it doesn't exist
    #[arg(long, value_name = "BOOK")]
    book: PathBuf,
    /// Skip games with faulty records
    #[arg(long)]
    strict: bool,
    /// Also import the variations of KIF and JKF, each as a game without a result
    #[arg(long)]
    variations: bool,
    #[command(flatten)]
    read_as: ReadAs<Shogi>,
    #[command(flatten)]
    unsaid: Unsaid,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    imported: ImportedGames,
    /// The faults of the records and the files.
    faults: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.unsaid.check()?;
    let Arguments { files, book, .. } = arguments;
    files.iter().try_for_each(|file| spare(file, book))?;
    let (teller, mut faults) = (Teller::default(), Vec::new());
    let tell = |file: &Path, found: Result<&_, &_>| {
        let fault = told(file, found);
        if arguments.json {
            faults.push(fault.clone());
        }
        teller.tell(fault);
    };
    let fill = |game: &mut Game| {
        let (black, white) = (&mut game.black, &mut game.white);
        let when = [black, white, &mut game.date, &mut game.event];
        arguments.unsaid.fill(when);
    };
    let options = ImportOptions {
        format: arguments.read_as.format,
        strict: arguments.strict,
        variations: arguments.variations,
        fill: Some(&fill),
    };
    let imported = import(files, options, book, tell, &context::shown())?;
    teller.finish();
    let report = Report { imported, faults };
    account(&report, arguments.json, |report, out| {
        let (imported, faulty) = (&report.imported, report.imported.faulty);
        let (skipped, what) = match arguments.strict {
            true => (faulty, "skipped"),
            false => (0, "everything else was imported"),
        };
        let games = count(imported.added, "game[|s]");
        let positions = count(imported.positions, "position[|s]");
        writeln!(out, "{games} with {positions} imported")?;
        let found = imported.read + imported.variations;
        let known = found - imported.added - skipped;
        if_any(known, "game[|s] [was|were] already there", out)?;
        if_any(faulty, &format!("faulty record[|s]: {what}"), out)?;
        describe_left_out(imported.problems, imported.unread, out)
    })?;
    Failure::told_if(imported.unread > 0)
}
