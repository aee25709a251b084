//! `obook why`: why a position has its value.

use crate::options::book::is_starter;
use crate::prelude::*;
use crate::words::{self, bracketed, capital};
use obook::Lookup;
use obook::read::why::{Addition, Alternative, Explanation, Lowering, Payoff, PayoffKind};
use obook_learn::ask;
use obook_othello::{Line, Move};
use std::collections::BTreeMap;
use std::ffi::OsStr;

/// Explain a value: its line, what would change it, what to search
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook why book.obook                    the start position\n  \
    obook why book.dat f5d6c3               after these moves\n  \
    obook why book.obook tiger --json       a named opening\n  \
    obook why book.obook f5d6 --search 24   search next what could change the value\n  \
    obook query book.obook \"SELECT line, shift, value FROM why('f5d6') WHERE role = 'shift'\"\n\n\
    [f5] leads to a position of the book, <f5> out of it. Scores are for the side that makes the move. Only positions near best play \
    are read, because only they matter.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    at: BookAndLine,
    /// Let the next `obook learn` first search what could change the value, at this level [default level: the book's]
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, value_parser = levels(60), hide_possible_values = true)]
    search: Option<Option<u8>>,
    /// Maximum number of positions to read beside the line
    #[arg(long, value_name = "N", default_value = "20000")]
    most: u64,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The number of lines to show of a list.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Asked>,
    /// Whether the book is a database that can be changed, and so hold requests.
    #[serde(skip)]
    is_database: bool,
}

/// The searches that were requested.
#[derive(Serialize)]
struct Asked {
    searches: usize,
    level: u8,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (path, line) = arguments.at.read()?;
    let book = Book::open(&path, &context::quiet())?;
    let header = book.header()?;
    let lookup = Lookup::new(book, &context::shown())?;
    let explanation = Explanation::of(&lookup, &header, line, arguments.most)?;
    let asked = |level| asked(&path, &explanation, level);
    let asked = arguments.search.map(asked).transpose()?;
    let explained = Answer {
        explanation: &explanation,
        asked,
        is_database: matches!(lookup, Lookup::Database(_)) && !is_starter(&path),
    };
    let told = answer(&explained, arguments.json, |explained, out| {
        describe(explained, &path, out)
    });
    match explained.asked {
        Some(_) => stands(told),
        None => told,
    }
}

fn asked(book: &Path, explanation: &Explanation, level: Option<u8>) -> Result<Asked, Failure> {
    refuse_starter(book)?;
    let leads = explanation.leads();
    let mut store = Book::open_for_writing(book, &context::quiet())?;
    let level = ask(&mut store, &leads, level).map_err(|error| match error {
        // The option that asks also names the level.
        obook_learn::Error::NoLevel => {
            let problem = "the book has no level for its searches: give one, as --search 24";
            Failure::file(book, problem)
        }
        other => other.into(),
    })?;
    Ok(Asked {
        searches: leads.len(),
        level,
    })
}

fn describe(answer: &Answer<'_>, book: &Path, out: &mut dyn Write) -> io::Result<()> {
    let explanation = answer.explanation;
    let why = explanation.why();
    describe_line(explanation, out)?;
    describe_additions(explanation, out)?;
    describe_lowering(explanation, out)?;
    if answer.is_database && answer.asked.is_none() && !explanation.leads().is_empty() {
        let line = explanation.line().to_string();
        let why = [OsStr::new("why"), book.as_os_str(), OsStr::new(&line)];
        let words = why.into_iter().filter(|word| !word.is_empty());
        let why = command(words.chain([OsStr::new("--search")]));
        writeln!(out, "\n`{why}` asks for these searches.")?;
    }
    describe_shifts(explanation, out)?;
    if why.complete_to < 2 || why.lowering == Lowering::Unknown {
        let read = why.read;
        writeln!(
            out,
            "\nThis is incomplete: only {read} positions near best play were read. --most sets the limit."
        )?;
    }
    match answer.asked {
        Some(Asked { searches: 0, .. }) => writeln!(out, "\nThere is nothing to search."),
        Some(Asked { searches, level }) => {
            let learn = command([OsStr::new("learn"), book.as_os_str()]);
            writeln!(
                out,
                "\nSearches requested at level {level}: {searches}; `{learn}` makes them first."
            )
        }
        None => Ok(()),
    }
}

/// Describes the line that carries the value, with a row for each move, and its end.
fn describe_line(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let why = explanation.why();
    let mut line = explanation.line().clone();
    let side = capital(line.side().name());
    writeln!(
        out,
        "The position is worth {:+} for {side}, by this line:\n",
        why.value
    )?;
    writeln!(
        out,
        "ply  move  score  other moves, by how much worse they are (up to {} discs)",
        Addition::WITHIN_REACH
    )?;
    let mut row = |line: &Line, mv: String, score: i16, others: &[Alternative]| {
        let row = format!("{:>3}  {mv:4}  {score:+5}  {}", line.ply(), grouped(others));
        writeln!(out, "{}", row.trim_end())
    };
    let legal = "the moves of an explanation are legal";
    for step in &why.line {
        line.push(step.mv).expect(legal);
        row(&line, format!("[{}]", step.mv), step.score, &step.others)?;
    }
    let payoff = &why.payoff;
    if let Some(mv) = payoff.mv {
        line.push(mv).expect(legal);
        row(&line, format!("<{mv}>"), payoff.score, &why.beside)?;
    }
    writeln!(out, "\n{}", decided(payoff))
}

/// Formats the nearest alternatives as `0: d3  1: c4 c6`.
fn grouped(others: &[Alternative]) -> String {
    let near = |other: &&Alternative| other.worse <= Addition::WITHIN_REACH;
    let named = |other: &Alternative| (other.worse, bracketed(other.mv, other.is_link));
    words::grouped(others.iter().filter(near).map(named))
}

/// Says where the value comes from, and how sure it is.
fn decided(payoff: &Payoff) -> String {
    let level = match payoff.level {
        Some(level) => format!("{} at level {level}", payoff.engine.introduction()),
        None => format!("{} at an unknown level", payoff.engine.introduction()),
    };
    let search = match payoff.search {
        Some(search) if search.is_solved() => String::from(", to the end"),
        Some(search) => {
            let (depth, sure) = (search.depth, search.probability);
            format!(", {depth} plies deep, {sure} % sure")
        }
        None => String::new(),
    };
    let error = match payoff.error {
        Some(0) => "; it is exact",
        Some(1) => "; the book allows for an error of 1 disc",
        Some(error) => &format!("; the book allows for an error of {error} discs"),
        None => "",
    };
    match payoff.kind {
        PayoffKind::Leaf => format!("The last move leads out of the book: {level}{search}{error}."),
        PayoffKind::Position => {
            format!(
                "The last position has no scored move, only its own search: {level}{search}{error}."
            )
        }
        PayoffKind::GameOver => String::from("The game is over: the score is exact."),
        PayoffKind::Proof => format!(
            "{} proved a bound of the last position, which holds whatever searches say.",
            payoff.engine
        ),
        PayoffKind::Person => String::from("A person entered the value of the last position."),
    }
}

fn describe_shifts(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let why = explanation.why();
    let mut rows: BTreeMap<&[Move], (&Payoff, [Option<i16>; 4])> = BTreeMap::new();
    for shift in &why.shifts {
        let column = SHIFTS.iter().position(|it| *it == shift.shift);
        let known = rows.entry(&shift.payoff.line);
        let (_, values) = known.or_insert((&shift.payoff, [None; 4]));
        values[column.expect("leaves move by one or two discs")] = Some(shift.value);
    }
    if rows.is_empty() {
        let all = match why.complete_to {
            2 => "No",
            _ => "As far as was read, no",
        };
        return writeln!(
            out,
            "\n{all} single score would change the value if it moved by one or two discs."
        );
    }
    writeln!(
        out,
        "\nThe value if one of these scores moved by -2, -1, +1 or +2 discs:\n"
    )?;
    writeln!(out, "  -2   -1   +1   +2  score  after")?;
    let count = rows.len();
    // Scores near the top matter to more positions.
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_by_key(|(payoff, _)| payoff.line.len());
    for (payoff, values) in rows.into_iter().take(SHOWN) {
        for (value, shift) in values.into_iter().zip(SHIFTS) {
            match value {
                None if shift.abs() > why.complete_to => write!(out, "   ? ")?,
                value => write!(out, "{:+4} ", value.unwrap_or(why.value))?,
            }
        }
        writeln!(out, "{:+6}  {}", payoff.score, place(explanation, payoff))?;
    }
    more(count, out)
}

/// The shifts of a score in discs, in the order of the columns.
const SHIFTS: [i16; 4] = [-2, -1, 1, 2];

fn describe_additions(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let why = explanation.why();
    let (near, far): (Vec<_>, Vec<_>) = why.additions.iter().partition(|it| it.is_within_reach());
    let value = why.value;
    match &near[..] {
        [] if far.is_empty() => return Ok(()),
        [] => writeln!(
            out,
            "\n{value:+} is hardly too low: no move out of the book is near the best."
        )?,
        [_] => writeln!(out, "\nIf {value:+} is too low, search this move:\n")?,
        _ => writeln!(
            out,
            "\nIf {value:+} is too low, search the first of these moves:\n"
        )?,
    }
    for addition in near.iter().take(SHOWN) {
        let line = explanation.line_to(&addition.line, addition.mv);
        let worse = match addition.worse {
            Some(0) => String::from("as good as the best"),
            Some(worse) => format!("{worse} worse than the best"),
            None => String::from("a move out of the book, not searched yet"),
        };
        let limit = match addition.ceiling {
            Some(ceiling) if ceiling == value => ", raises nothing alone",
            Some(ceiling) => &format!(", raises the value to {ceiling:+} at most"),
            None => "",
        };
        writeln!(out, "  {line}  {worse}{limit}")?;
    }
    more(near.len(), out)?;
    let Some(worse) = far.iter().filter_map(|it| it.worse).min() else {
        return Ok(());
    };
    let moves = format!("  # move[|s] [is|are] at least {worse} discs worse (--json lists all)");
    if_any(far.len() as u64, &moves, out)
}

fn describe_lowering(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let why = explanation.why();
    let value = why.value;
    match &why.lowering {
        Lowering::Payoffs { by, payoffs } => {
            let discs = count(by.unsigned_abs(), "disc[|s]");
            let what = match payoffs.len() {
                1 => "search this move: it is enough if it comes down",
                _ => "search these moves: all of them have to come down",
            };
            writeln!(out, "\nIf {value:+} is too high, {what}, by {discs}:\n")?;
            // The weakest searches first: they are the most likely to change.
            let mut payoffs: Vec<&Payoff> = payoffs.iter().collect();
            payoffs.sort_by_key(|payoff| (payoff.search.map(|it| it.depth), payoff.line.len()));
            for payoff in payoffs.iter().take(SHOWN) {
                writeln!(out, "  {}", place(explanation, payoff))?;
            }
            more(payoffs.len(), out)
        }
        Lowering::Exact => writeln!(
            out,
            "\n{value:+} can't be one or two discs too high: exact scores support it."
        ),
        Lowering::Unknown => Ok(()),
    }
}

fn more(count: usize, out: &mut dyn Write) -> io::Result<()> {
    let more = count.saturating_sub(SHOWN);
    if_any(more as u64, "  and # more (--json lists them)", out)
}

/// Formats the line to a payoff.
fn place(explanation: &Explanation, payoff: &Payoff) -> String {
    let line = explanation.line_to(&payoff.line, None);
    match payoff.mv {
        Some(mv) => format!("{line}<{mv}>"),
        None => line.to_string(),
    }
}
