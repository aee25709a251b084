//! `obook shogi games verify`: what is wrong with records.

use super::{describe_left_out, told};
use crate::options::games::ReadAs;
use crate::prelude::*;
use crate::shogi::records::Shogi;
use crate::words::Teller;
use obook_shogi::Fault;
use obook_shogi::database::games::each_record;
use obook_shogi::games::Record;
use std::collections::BTreeMap;

/// Play the games of files, and report what is wrong with their records
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games verify *.csa\n  \
    obook shogi games verify games.kif --json\n\n\
    Every move must be legal. A position that stands for the fourth time ends the game: it is a draw, or a loss for the side that only \
    gave checks, and the record must say so. The exit status is 1 if anything is wrong.")]
pub(crate) struct Arguments {
    /// Files with games, and folders of such files
    #[arg(required = true, value_name = "FILE", add = Standard)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    read_as: ReadAs<Shogi>,
    /// Write JSON, with all faults and notes
    #[arg(long)]
    json: bool,
}

/// The results of the records.
#[derive(Default, Serialize)]
struct Report {
    games: u64,
    moves: u64,
    /// Games by how they end.
    endings: BTreeMap<&'static str, u64>,
    faulty: u64,
    faults: Vec<String>,
    /// Problems, which are no games.
    problems: u64,
    /// Files that can't be read.
    unread: u64,
    /// Contents of records that games have no field for.
    notes: Vec<String>,
}

impl Report {
    fn add(&mut self, file: &Path, record: &Record) {
        let at = |place: &Fault| format!("{}: {place}", file.display());
        self.notes.extend(record.notes.iter().map(at));
        if record.is_problem {
            self.problems += 1;
            return;
        }
        self.games += 1;
        self.moves += record.game.moves().len() as u64;
        let ending = record.game.end.map_or("not known", |end| end.name());
        *self.endings.entry(ending).or_default() += 1;
        self.faulty += u64::from(!record.faults.is_empty());
        self.faults.extend(record.faults.iter().map(at));
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut report = Report::default();
    let teller = Teller::default();
    let (files, format) = (&arguments.files, arguments.read_as.format);
    each_record(files, format, |file, record| {
        let is_told = match &record {
            Ok(record) => {
                report.add(file, record);
                !record.faults.is_empty() && !arguments.json
            }
            Err(_) => {
                report.unread += 1;
                true
            }
        };
        if is_told {
            teller.tell(told(file, record.as_ref()));
        }
        Ok(())
    })?;
    teller.finish();
    let is_wrong = report.faulty + report.unread > 0;
    verdict(&report, arguments.json, is_wrong, |report, out| {
        let games = count(report.games, "game[|s]");
        let moves = count(report.moves, "move[|s]");
        writeln!(out, "{games}, {moves}")?;
        for (ending, games) in &report.endings {
            writeln!(out, "{games:8}  {ending}")?;
        }
        describe_left_out(report.problems, report.unread, out)?;
        match report.faulty {
            0 if report.unread > 0 => {}
            0 => writeln!(out, "nothing is wrong")?,
            faulty => writeln!(out, "{}", count(faulty, "faulty record[|s]"))?,
        }
        Ok(())
    })
}
