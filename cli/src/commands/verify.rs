//! `obook verify`: faults of a book.

use crate::options::destination::{needs_no_output, needs_output};
use crate::prelude::*;
use crate::{engines, interrupt, reports};
use obook::check::{Group, Severity, Verification, verify};
use obook::write::repair::{Fixed, repair, repair_file};
use obook::{FileKind, Lookup, Store};
use obook_converters::Format;
use obook_learn::sample::{SampleOptions, Sampled, sample};
use obook_learn::status;
use obook_othello::{Board, Side};
use std::fmt;

/// Find everything wrong with a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook verify book.obook\n  \
    obook verify book.dat --examples 10 --draw\n  \
    obook verify book.egbk3 --json\n  \
    obook verify book.obook --fix-what-is-safe\n  \
    obook verify book.dat --fix-what-is-safe --output mended.dat\n  \
    obook verify book.obook --sample 200 --level 16\n\n\
    Each finding is an error (it breaks a reader, an engine or a query), an inconsistency (`obook fix` would change it) \
    or a note. The exit status is 1 if there are errors or inconsistencies; notes alone don't count.\n\n\
    --sample searches random leaves again, and shows for each level how far off the book's leaves are: the mean of the \
    differences, their spread, and the largest one.")]
#[command(mut_arg("engine", |engine| engine.requires("sample")))]
#[command(mut_arg("jobs", |jobs| jobs.requires("sample")))]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// Examples to show of each kind of finding
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Draw the boards
    #[arg(long, conflicts_with = "json")]
    draw: bool,
    /// Repair what needs no search, then check again; a database is repaired in place, a book file goes to --output
    #[arg(long)]
    fix_what_is_safe: bool,
    /// Write the repaired book file here, in the same format
    #[arg(long, value_name = "FILE", requires = "fix_what_is_safe")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Search this many random leaves again
    #[arg(long, value_name = "N", conflicts_with = "fix_what_is_safe")]
    sample: Option<usize>,
    /// Level of these searches, on the engine's scale [default: that of each leaf]
    #[arg(long, value_name = "LEVEL", requires = "sample", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    /// Seed for choosing the leaves, to choose the same again [default: random]
    #[arg(long, value_name = "S", requires = "sample")]
    seed: Option<u64>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.fix_what_is_safe {
        true => mend(arguments),
        false => check(arguments),
    }
}

fn check(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, draw, .. } = arguments;
    let context = arguments.memory.context();
    Store::check_log(book)?;
    let verification = verify(&Book::open(book, &context)?, arguments.examples, &context)?;
    let sample = |count| search_again(arguments, count);
    let checked = Checked {
        verification,
        unfinished: unfinished(book)?,
        sample: arguments.sample.map(sample).transpose()?,
    };
    let (report, sampled) = (&checked.verification, checked.sample.as_ref());
    let is_wrong = !(report.is_sound() || is_unused(report))
        || sampled.is_some_and(|sampled| sampled.failed > 0);
    let told = verdict(&checked, arguments.json, is_wrong, |checked, out| {
        write_report(out, book, &checked.verification, *draw)?;
        if let Some(unfinished) = &checked.unfinished {
            writeln!(out, "{unfinished}")?;
        }
        if let Some(sampled) = &checked.sample {
            reports::sampled(sampled, out)?;
        }
        Ok(())
    });
    match sampled {
        Some(sampled) if sampled.stopped => Err(Failure::Interrupted),
        _ => told,
    }
}

/// The results of a check.
#[derive(Serialize)]
struct Checked {
    #[serde(flatten)]
    verification: Verification,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Unfinished>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sampled>,
}

/// A run of `obook learn` that ended before its recipe did, which is no fault.
#[derive(Serialize)]
pub(crate) struct Unfinished {
    stage: usize,
    stages: usize,
    waiting: u64,
    /// The command that continues it, unless that named another book.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stage, stages) = (self.stage, self.stages);
        let waiting = count(self.waiting, "search[|es]");
        write!(
            f,
            "Learning isn't finished: stage {stage} of {stages}, {waiting} waiting. To continue, run "
        )?;
        match &self.command {
            Some(command) => write!(f, "`{command}`"),
            None => f.write_str("`obook learn` with the same recipe"),
        }
    }
}

/// The run of `obook learn` that can be continued, if there is one.
pub(crate) fn unfinished(path: &Path) -> Result<Option<Unfinished>, Failure> {
    if !matches!(FileKind::of(path), Ok(FileKind::Database(_))) {
        return Ok(None);
    }
    let status = status(&Book::open(path, &context::quiet())?.into_database()?)?;
    let Some((stage, recipe)) = status.stage.zip(status.recipe) else {
        return Ok(None);
    };
    // The book may have been copied or renamed since.
    let learns_it = |command: &String| {
        let words = shlex::split(command).unwrap_or_default();
        command.starts_with("obook learn ") && words.iter().any(|word| Path::new(word) == path)
    };
    Ok((!status.outdated).then(|| Unfinished {
        stage,
        stages: recipe.stages.len(),
        waiting: status.waiting,
        command: status.command.filter(learns_it),
    }))
}

fn search_again(arguments: &Arguments, count: usize) -> Result<Sampled, Failure> {
    let choice = arguments.engine.choice()?;
    let options = SampleOptions {
        count,
        level: arguments.level,
        seed: arguments.seed.unwrap_or_else(|| fastrand::u64(..1 << 53)),
        jobs: arguments.engine.jobs(),
        stop: interrupt::stop(),
    };
    let context = context::shown();
    let book = Lookup::new(Book::open(&arguments.book, &context)?, &context)?;
    let start = || engines::start(&choice);
    Ok(sample(&book, &options, &start, &context)?)
}

fn mend(arguments: &Arguments) -> Result<(), Failure> {
    let (book, output, draw) = (&arguments.book, &arguments.output, arguments.draw);
    refuse_starter(book)?;
    let (examples, context) = (arguments.examples, arguments.memory.context());
    let fixed = match (Book::open(book, &context)?, output) {
        (Book::File(file), _) if file.format().form().is_err() => {
            let problem = format!(
                "books in format {} can be read, but not written: `obook import` makes a database of it, which can be repaired",
                file.format()
            );
            return Err(Failure::file(book, problem));
        }
        (Book::Database(store), None) => {
            drop(store);
            repair(&mut Store::open_for_writing(book, &context)?, examples)?
        }
        (Book::File(file), Some(output)) => {
            let format = file.format();
            if Format::from_extension(output).is_some_and(|named| named != format) {
                let problem = format!("a repaired book stays in its format, {format}");
                return Err(Failure::file(output, problem));
            }
            let if_exists = arguments.force.if_exists();
            repair_file(file, output, if_exists, examples, &context)?
        }
        (Book::Database(_), Some(_)) => return Err(needs_no_output(book)),
        (Book::File(_), None) => return Err(needs_output(book)),
    };
    account(&fixed, arguments.json, |fixed, out| {
        write_report(out, book, &fixed.before, draw)?;
        write_fixed(out, fixed, draw)
    })?;
    Failure::told_if(!fixed.is_sound())
}

fn write_fixed(out: &mut dyn Write, fixed: &Fixed, draw: bool) -> io::Result<()> {
    let output = fixed.output.display();
    let positions = count(fixed.changed.unwrap_or(fixed.positions), "position[|s]");
    match fixed.changed {
        Some(_) => writeln!(out, "\nRepaired {output}: {positions} rewritten")?,
        None => writeln!(out, "\nRepaired: {positions} in {output}")?,
    }
    if !fixed.is_sound() {
        writeln!(out, "Left, because it needs a search or a person:")?;
    }
    let left = fixed.left.iter();
    for group in left.filter(|group| group.severity != Severity::Note) {
        write_group(out, group, draw)?;
    }
    Ok(())
}

/// Whether this is a book as engines begin them: the start position, which can be read, and whose numbers say nothing.
fn is_unused(report: &Verification) -> bool {
    report.positions == 1 && report.count(Severity::Error) == 0
}

fn write_report(
    out: &mut dyn Write,
    path: &Path,
    report: &Verification,
    draw: bool,
) -> io::Result<()> {
    let format = &report.format;
    let name = context::quiet().name_of(path);
    let positions = count(report.positions, "position[|s]");
    writeln!(out, "{name}: {format}, {positions}")?;
    for group in &report.findings {
        write_group(out, group, draw)?;
    }
    if report.is_sound() {
        writeln!(out, "Nothing is wrong.")
    } else if is_unused(report) {
        writeln!(out, "Unused: its engine hasn't computed anything yet.")
    } else {
        let errors = count(report.count(Severity::Error), "error[|s]");
        let inconsistent = report.count(Severity::Inconsistent);
        let inconsistent = count(inconsistent, "inconsistenc[y|ies]");
        writeln!(out, "{errors}, {inconsistent}.")
    }
}

fn write_group(out: &mut dyn Write, group: &Group, draw: bool) -> io::Result<()> {
    let Group { kind, examples, .. } = group;
    let (severity, count) = (group.severity, group.count);
    writeln!(out, "\n{severity}: {} ({kind}): {count}", kind.text())?;
    for example in examples {
        let board = example.board.as_ref();
        match (board, example.line.as_deref()) {
            (Some(board), Some("")) => writeln!(out, "  {board}  the start position")?,
            (Some(board), Some(line)) => writeln!(out, "  {board}  {line}")?,
            (Some(board), None) => writeln!(out, "  {board}")?,
            (None, _) => {}
        }
        writeln!(out, "    {}", example.detail)?;
        // If both sides hold a square, it can't be drawn.
        if let Some(Ok(board)) = board.filter(|_| draw).map(|board| board.parse::<Board>()) {
            for row in board.diagram_for(Side::Black).to_string().lines() {
                writeln!(out, "    {row}")?;
            }
        }
    }
    let more = count - examples.len() as u64;
    if more > 0 && !examples.is_empty() {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}
