//! `obook shogi why`.

use super::line::ending;
use super::show::{name, names, names_header};
use super::{PIECES, draws_in_words, line, usual_pieces};
use crate::options::values::{choice, positive};
use crate::prelude::*;
use crate::words::{capital, grouped};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use obook_shogi::database::fix::{draws, open_fixed};
use obook_shogi::database::view::{Ending, words};
use obook_shogi::database::why::{Detour, Exit, Limits, Standoff, Step, Why};
use obook_shogi::{Colour, ENDLESS, Pieces};
use obook_sql::answers::Screen;
use std::num::NonZeroUsize;

/// Explain a value: its line, moves that make no progress, and how a draw is held
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi why book.obook                  the start position\n  \
    obook shogi why book.obook 7g7f 3c3d        after these moves\n  \
    obook shogi why user_book1.db 8k/6+R2/9/9/4g4/9/9/9/K8 b -\n\n\
    [7g7f] leads to a position of the book, <2g2f> out of it. Scores are for the side that makes the move, and own scores: they depend \
    on no path. The column left has the number of moves to the end of the best line, listed the score that the imported files say.")]
pub(crate) struct Arguments {
    /// An obook database that is fixed, or a book file
    book: PathBuf,
    /// Moves in USI from the start position. A position in SFEN may come before the moves or instead of them
    #[arg(default_value = "", hide_default_value = true)]
    moves: Vec<String>,
    /// Maximum number of moves of a line
    #[arg(long, value_name = "N", default_value = "200", value_parser = positive)]
    depth: NonZeroUsize,
    /// Maximum number of positions to read beside the line
    #[arg(long, value_name = "N", default_value = "20000", value_parser = positive)]
    most: NonZeroUsize,
    /// Moves in USI, or also in 棋譜 notation [default: kanji on a terminal with UTF-8, letters otherwise]
    #[arg(long, value_parser = choice(&PIECES))]
    pieces: Option<Pieces>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The number of detours to show.
const SHOWN: usize = 20;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.moves)?;
    let store = open_fixed(&arguments.book, &context::quiet())?;
    let limits = Limits {
        moves: arguments.depth.get(),
        positions: arguments.most.get(),
    };
    let why = Why::new(&store, &line, limits)?;
    let draws = draws_in_words(draws(&store)?);
    let pieces = arguments.pieces.unwrap_or_else(usual_pieces);
    answer(&why, arguments.json, |why, out| {
        describe(why, pieces, out)?;
        match &draws {
            Some(words) => writeln!(
                out,
                "\nThis is about own scores, for which a draw is worth 0. In exports, {words}."
            ),
            None => Ok(()),
        }
    })
}

fn describe(why: &Why, pieces: Pieces, out: &mut dyn Write) -> io::Result<()> {
    let side = why.side;
    let Some(value) = why.value else {
        let reason = match why.in_book {
            true => {
                "nothing is known about the position: the book has no move of it, and it isn't mate"
            }
            false => "not in the book",
        };
        return writeln!(out, "{reason}");
    };
    if why.steps.is_empty() {
        return writeln!(out, "{side} is mate.");
    }
    let value = words(value, None);
    writeln!(
        out,
        "The position is worth {value} for {side}, by this line:\n"
    )?;
    writeln!(out, "{}\n", table(&why.steps, pieces))?;
    writeln!(out, "{}", decided(why))?;
    for detour in why.detours.iter().take(SHOWN) {
        writeln!(out, "\n{}", round(why, detour))?;
    }
    let more = why.detours.len().saturating_sub(SHOWN);
    let nowhere = "\n# more move[ gets|s get] nowhere (--json lists [it|them])";
    if_any(more as u64, nowhere, out)?;
    match &why.standoff {
        Some(standoff) => writeln!(out, "\n{}", held(standoff)),
        None => Ok(()),
    }
}

fn table(steps: &[Step], pieces: Pieces) -> String {
    let mut table = Table::new();
    let header = ["score", "left", "listed", "other moves, by how much worse"];
    let moves = names_header(pieces);
    if let Some(Screen { columns, .. }) = Screen::of_stdout() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    }
    table
        .load_style(presets::NOTHING)
        .set_header(["ply"].into_iter().chain(moves).chain(header));
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    for (ply, Step { best, others }) in (1..).zip(steps) {
        let score = |score: Option<i32>| score.map_or(String::new(), |score| words(score, None));
        let left = match best.depth.filter(|_| best.is_link) {
            Some(ENDLESS) => String::from("∞"),
            Some(left) => left.to_string(),
            None => String::from("0"),
        };
        let mut row = vec![right(i32::to_string(&ply))];
        row.extend(names(best, pieces));
        row.extend([score(best.score), left, score(best.listed_score)].map(right));
        let others = others.iter().map(|it| (it.worse, name(&it.shown)));
        row.push(Cell::new(grouped(others)));
        table.add_row(row);
    }
    table.trim_fmt()
}

/// Says what ends the line.
fn decided(why: &Why) -> String {
    let leaf = why.steps.last().map(|step| &step.best);
    let leaf = leaf.filter(|leaf| !leaf.is_link);
    match (leaf.map(|leaf| (leaf.score, leaf.depth)), ending(why.end)) {
        (Some((Some(score), depth)), _) => {
            let score = words(score, None);
            let depth = depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
            format!("The last move leads out of the book: its score is {score}{depth}.")
        }
        (Some((None, _)), _) => String::from(
            "The last move leads out of the book, and has no score, so it counts as 0.",
        ),
        (None, Some(end)) => format!("{}.", capital(&end)),
        (None, None) => String::from("The line continues; --depth sets the limit."),
    }
}

/// Says what becomes of a move that keeps the score.
fn round(why: &Why, detour: &Detour) -> String {
    let Detour { after, moves, end } = detour;
    let best = why.steps.get(after.len()).map(|step| &*step.best.usi);
    let (mv, best) = (moves.first().map_or("", |mv| mv), best.unwrap_or_default());
    let place = behind(after);
    let repeated = match end {
        Ending::PerpetualCheck { loser } => format!("loses, because {loser} only gives check"),
        _ => String::from("is a draw"),
    };
    let line = moves.join(" ");
    format!(
        "[{mv}]{place} has the same score only because {best} can still be played later. To repeat it {repeated}:\n  {line}"
    )
}

/// ` after 7g7f 3c3d`; nothing for the first move.
fn behind(moves: &[String]) -> String {
    match moves.is_empty() {
        true => String::new(),
        false => format!(" after {}", moves.join(" ")),
    }
}

/// Says what holds a draw.
fn held(standoff: &Standoff) -> String {
    let positions = count(standoff.positions, "position[|s]");
    let those_read = match standoff.complete {
        true => "",
        false => " (no more were read; --most sets the limit)",
    };
    let way_out = |(side, exit): (Colour, &Option<Exit>)| match exit {
        None => format!("\n  {side}: none"),
        Some(exit) => {
            let (name, worth) = (name(&exit.shown), words(exit.worth, None));
            format!("\n  {side}: {name}{}, worth {worth}", behind(&exit.after))
        }
    };
    let ways = Colour::ALL.into_iter().zip(&standoff.exits).map(way_out);
    let ways: String = ways.collect();
    format!(
        "Neither side can force more than a draw. Both can stay within {positions}{those_read}, and nobody gains by the best move \
         out of them:{ways}"
    )
}
