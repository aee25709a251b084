//! `obook solve`: problem files, searched to the end of the game.

use crate::advice::on_no_answer;
use crate::prelude::*;
use crate::problems::{Problem, problems};
use crate::searches::in_order;
use crate::words::depth;
use obook::read::view::or_null;
use obook_engine::{Answer, Request, Stop};
use obook_learn::search::NoAnswer;
use obook_othello::Move;

/// Solve problem files, and compare the scores
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook solve endgames.obf\n  \
    obook solve endgames.obf --jobs 4 --json\n  \
    obook solve - --level 10 < positions.txt\n  \
    obook solve endgames.obf --engine 'edax -nboard -q -n 1 -book-usage off'\n\n\
    A line has 64 squares and the side to move, perhaps followed by moves with their scores: \
    …XO… X; f5:+2; d6:-4; empty lines and comments from % or # on are skipped. Scores are for the side to move. \
    The exit status is 1 if a score differs from the best score in the file, or a search failed.")]
pub(crate) struct Arguments {
    /// Problem files; - is standard input
    #[arg(required = true, add = Standard)]
    files: Vec<PathBuf>,
    /// Level of the searches [default: to the end of the game]
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Write JSON, one object per line
    #[arg(long)]
    json: bool,
}

/// The report on a problem.
#[derive(Serialize)]
struct Solved<'a> {
    file: String,
    line: u64,
    board: String,
    #[serde(flatten)]
    found: Option<Found>,
    /// Why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "or_null")]
    error: Option<&'a NoAnswer>,
    /// The best move's score in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<i8>,
}

/// The best move, and how it was found.
#[derive(Default, Serialize)]
struct Found {
    score: i8,
    #[serde(rename = "move", serialize_with = "or_null")]
    mv: Option<Move>,
    depth: u8,
    probability: Option<u8>,
    proven: bool,
    nodes: Option<u64>,
    seconds: f64,
    variation: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let level = arguments.level.unwrap_or(60);
    let engine = arguments.engine.choice()?;
    let tasks = arguments.files.iter().flat_map(|file| problems(file));
    let mut tasks = tasks.peekable();
    if let Some(first) = tasks.next_if(Result::is_err) {
        return first.map(drop);
    }
    let tasks = tasks.map(|problem| {
        let problem = problem?;
        let request = Request::new(problem.board, level).ok();
        Ok((problem, request))
    });
    let out = &mut stdout();
    let mut differ = false;
    if !arguments.json {
        writeln!(out, "{HEADING}")?;
    }
    let (jobs, never) = (arguments.engine.jobs(), Stop::default());
    in_order(&engine, jobs, &never, tasks, |problem: Problem, answer| {
        let (solved, complaint) = compared(&problem, answer.as_ref());
        if arguments.json {
            serde_json::to_writer(&mut *out, &solved).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            write_row(out, &solved)?;
        }
        // Each row can be read as soon as its problem is solved.
        out.flush()?;
        if let Some(complaint) = complaint {
            differ = true;
            say(format_args!("obook: {}: {complaint}", problem.place()));
        }
        Ok(())
    })?;
    Failure::told_if(differ)
}

/// Compares an answer with the problem's scores. Returns the report and a complaint, if any.
fn compared<'a>(
    problem: &Problem,
    answer: Option<&'a Result<Answer, NoAnswer>>,
) -> (Solved<'a>, Option<String>) {
    let expected = problem.expected();
    let found = match answer {
        None => Ok(Found {
            score: problem.board.final_score(),
            probability: Some(100),
            proven: true,
            ..Found::default()
        }),
        Some(Ok(answer)) => Ok(Found {
            score: answer.score,
            mv: Some(answer.mv),
            depth: answer.depth,
            probability: answer.probability,
            proven: answer.proven,
            nodes: answer.nodes,
            seconds: answer.time.as_secs_f64(),
            variation: answer.variation.iter().map(Move::to_string).collect(),
        }),
        Some(Err(error)) => Err(error),
    };
    let complaint = match (&found, expected) {
        (Err(error), _) => Some(on_no_answer(error)),
        (Ok(Found { score, .. }), Some(expected)) if *score != expected => {
            Some(format!("expected {expected:+}, found {score:+}"))
        }
        (Ok(Found { mv: Some(mv), .. }), Some(expected)) => {
            let worth = problem.score_of(*mv).filter(|worth| *worth < expected);
            worth.map(|worth| {
                format!("expected a move worth {expected:+}, found {mv}, which is worth {worth:+}")
            })
        }
        _ => None,
    };
    let solved = Solved {
        file: problem.file.display().to_string(),
        line: problem.line,
        board: problem.board.to_text_for(problem.side),
        error: found.as_ref().err().copied(),
        found: found.ok(),
        expected,
    };
    (solved, complaint)
}

const HEADING: &str = " line  score  move  depth   seconds         nodes  expected";

fn write_row(out: &mut dyn Write, solved: &Solved) -> io::Result<()> {
    let unknown = || String::from("-");
    let expected = (solved.expected).map_or_else(unknown, |score| format!("{score:+}"));
    let [score, mv, depth, seconds, nodes] = match &solved.found {
        Some(found) => [
            format!("{:+}", found.score),
            found.mv.map_or_else(unknown, |mv| mv.to_string()),
            depth(found.depth, found.probability),
            format!("{:.3}", found.seconds),
            found.nodes.map_or_else(unknown, |nodes| nodes.to_string()),
        ],
        None => ["?"; 5].map(String::from),
    };
    writeln!(
        out,
        "{:>5}  {score:>5}  {mv:>4}  {depth:>6} {seconds:>9} {nodes:>13}  {expected:>8}",
        solved.line
    )
}
