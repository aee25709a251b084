//! `obook shogi show`.

use super::{PIECES, line, usual_pieces};
use crate::options::values::choice;
use crate::prelude::*;
use crate::words::bracketed;
use comfy_table::{Cell, CellAlignment, Table, presets};
use obook_shogi::Pieces;
use obook_shogi::database::export::open;
use obook_shogi::database::view::{Remark, Shown, View, words};

/// Draw a position with its moves and their scores
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi show book.obook                 the start position\n  \
    obook shogi show book.obook 7g7f 3c3d       after these moves\n  \
    obook shogi show user_book1.db 8k/6+R2/9/9/4g4/9/9/9/K8 b -\n  \
    obook shogi show book.obook --pieces kanji\n\n\
    [7g7f] leads to a position of the book, <2g2f> out of it. Scores are for the side to move, in centipawns. For a link, the column \
    listed has the imported files' score. Comments follow, with the move that they follow in the file.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// Moves from the start position, in USI or as in records: 7g7f, +7776FU, ▲７六歩. A position in SFEN may come before the moves or instead of them
    #[arg(default_value = "", hide_default_value = true)]
    moves: Vec<String>,
    /// Letters, or Japanese pieces and moves also in 棋譜 notation [default: kanji on a terminal with UTF-8, letters otherwise]
    #[arg(long, value_parser = choice(&PIECES))]
    pieces: Option<Pieces>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.moves)?;
    let view = View::new(&open(&arguments.book, &context::quiet())?, &line)?;
    let pieces = arguments.pieces.unwrap_or_else(usual_pieces);
    answer(&view, arguments.json, |view, out| {
        write!(out, "{}", line.board().diagram(pieces))?;
        let check = if view.check { ", in check" } else { "" };
        writeln!(out, "{}{check}", view.sfen)?;
        describe(view, pieces, out)
    })
}

fn describe(view: &View, pieces: Pieces, out: &mut dyn Write) -> io::Result<()> {
    if !view.in_book {
        return writeln!(out, "not in the book");
    }
    match view.value {
        Some(value) => {
            let own = view.own_score.map_or(String::new(), |own| {
                let own = words(own, None);
                format!(" by what draws are worth; own score {own}")
            });
            writeln!(out, "value {}{own}", words(value, view.depth))?;
        }
        None => writeln!(
            out,
            "value not known: `obook fix` computes it if the position has moves or is mate"
        )?,
    }
    match view.moves.is_empty() {
        true => writeln!(out, "no moves")?,
        false => writeln!(out, "\n{}", table(&view.moves, pieces))?,
    }
    for (number, Remark { usi, text }) in view.comments.iter().enumerate() {
        let above = if number == 0 { "\n" } else { "" };
        let place = usi.as_ref().map_or(String::new(), |usi| format!("{usi}  "));
        writeln!(out, "{above} {place}{}", in_line(text))?;
    }
    Ok(())
}

/// Moves with what is known about them, a row each.
pub(super) fn table(moves: &[Shown], pieces: Pieces) -> String {
    let mut table = Table::new();
    let header = ["score", "depth", "count", "answer", "listed"];
    table
        .load_style(presets::NOTHING)
        .set_header(names_header(pieces).chain(header));
    let cell = |text: Option<String>| Cell::new(text.unwrap_or_default());
    let right = |text: Option<String>| cell(text).set_alignment(CellAlignment::Right);
    for mv in moves {
        let known = [
            right(mv.score.map(|score| words(score, None))),
            right(mv.depth.map(|depth| depth.to_string())),
            right(mv.count.map(|count| count.to_string())),
            cell(mv.ponder.clone()),
            right(mv.listed_score.map(|score| words(score, None))),
        ];
        table.add_row(names(mv, pieces).chain(known));
    }
    table.trim_fmt()
}

/// The name of a move: `[7g7f]` leads to a position of the book, `<2g2f>` out of it.
pub(super) fn name(mv: &Shown) -> String {
    bracketed(&mv.usi, mv.is_link)
}

/// The headers of the columns with names of moves: with Japanese pieces also in 棋譜 notation.
pub(super) fn names_header(pieces: Pieces) -> impl Iterator<Item = &'static str> {
    let kif = (pieces == Pieces::Kanji).then_some("棋譜");
    ["move"].into_iter().chain(kif)
}

/// The names of a move for these columns.
pub(super) fn names(mv: &Shown, pieces: Pieces) -> impl Iterator<Item = Cell> + use<> {
    let kif = (pieces == Pieces::Kanji).then(|| Cell::new(&mv.kif));
    [Cell::new(name(mv))].into_iter().chain(kif)
}
