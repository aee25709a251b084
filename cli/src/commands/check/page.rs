//! The report on checked games as a page of HTML.

use super::checked::{CheckedGame, Player, Tallies};
use super::words::{better, by, left};
use crate::options::destination::has_ending;
use crate::prelude::*;
use crate::words::capital;
use obook::plot::{Diagram, Markup, figure_style};
use obook::read::played::JudgedMove;
use obook::{AtomicFile, Content, Error, IfExists};
use std::cmp::Reverse;

/// The page that is being written, game by game.
pub(super) struct Page {
    file: AtomicFile,
}

/// The number of boards for a game, at most.
const MOST_BOARDS: usize = 3;
/// The least loss, in discs, of a move with a board.
const LEAST_LOSS: i16 = 2;

/// The beginning of the page, with a place for the style of figures. It may load nothing and run nothing.
const BEGIN: &str = include_str!("page.html");

const PAGE: Content = Content::file("a page of HTML", |head, _| {
    let head = head.trim_ascii_start().to_ascii_lowercase();
    head.starts_with(b"<!doctype html") || head.starts_with(b"<html")
});

impl Page {
    /// Creates the file for the page. `method` tells where the values come from. Called before the searches, so that they aren't made for
    /// nothing.
    pub(super) fn create(path: &Path, if_exists: IfExists, method: &str) -> Result<Page, Failure> {
        has_ending(path, &["html", "htm"])?;
        let file = AtomicFile::create(path, PAGE, if_exists, &context::quiet())?;
        let mut page = Page { file };
        page.write(&BEGIN.replace("{figures}", &figure_style()))?;
        let mut about = Markup::default();
        about.words("p", &[("class", "facts")], &in_line(method));
        let rings = "On the boards, a red ring is the move that was played, a dashed ring the best move. All numbers are in discs.";
        about.words("p", &[("class", "facts")], rings);
        page.write(&about.finish())?;
        Ok(page)
    }

    pub(super) fn add(&mut self, game: &CheckedGame) -> Result<(), Error> {
        self.write(&section(game).finish())
    }

    /// Writes the players' sums, if there are several games, and gives the file its name.
    pub(super) fn commit(mut self, players: &[Player]) -> Result<(), Error> {
        if !players.is_empty() {
            let mut section = Markup::default();
            section.open("section", &[("id", "players")]);
            section.words("h2", &[], "Players");
            let rows = players.iter();
            let rows = rows.map(|it| (in_line(&it.name).into_owned(), Some(it.games), &it.tallies));
            write_sums(&mut section, &rows.collect::<Vec<_>>());
            self.write(&section.finish())?;
        }
        self.write("</main>\n</body>\n</html>\n")?;
        Ok(self.file.commit()?)
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        Ok(self.file.write_all(text.as_bytes())?)
    }
}

/// The section about a game.
fn section(game: &CheckedGame) -> Markup {
    let mut section = Markup::default();
    section.open("section", &[("class", "game")]);
    section.words("h2", &[], &in_line(&game.title()));
    let score = game.score.map(|it| signed(it.into()) + " for Black");
    let opening = game.opening.map(|opening| opening.to_string());
    let facts = [Some(game.place.clone()), score, opening, Some(left(game))];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    section.words("p", &[("class", "facts")], &in_line(&facts.join(" · ")));
    section.open("div", &[("class", "wide")]);
    section.append(game.course().figure());
    section.close();
    let boards = worst(game);
    if !boards.is_empty() {
        section.open("div", &[("class", "boards")]);
        for (mv, diagram) in boards {
            section.open("figure", &[]);
            section.append(diagram.figure());
            section.words("figcaption", &[], &caption(mv));
            section.close();
        }
        section.close();
    }
    section.open("ol", &[]);
    for mv in &game.judgement.moves {
        write_move(&mut section, mv);
    }
    section.close();
    let sides = game.sides.each_ref();
    let sides = sides.map(|it| (capital(it.side), None, &it.tallies));
    write_sums(&mut section, &sides);
    section
}

/// The moves that lost most, the worst first, with their boards.
fn worst(game: &CheckedGame) -> Vec<(&JudgedMove, Diagram)> {
    let positions = game.game.line().positions();
    let moves = positions.zip(&game.judgement.moves);
    let mut lost: Vec<_> = moves.filter(|(_, mv)| mv.loss >= LEAST_LOSS).collect();
    lost.sort_by_key(|(_, mv)| Reverse(mv.loss));
    lost.truncate(MOST_BOARDS);
    let drawn = lost.into_iter().map(|((board, side), mv)| {
        let diagram = Diagram {
            board,
            side,
            played: mv.mv,
            best: better(mv),
        };
        (mv, diagram)
    });
    drawn.collect()
}

fn caption(mv: &JudgedMove) -> String {
    let best = better(mv).map_or_else(String::new, |best| format!("; best {best}"));
    format!(
        "{}. {} {} lost {}: {} instead of {}{best}",
        mv.ply,
        capital(mv.side.name()),
        mv.mv,
        mv.loss,
        signed(mv.after.score),
        signed(mv.before.score)
    )
}

/// Writes a move, coloured by its loss.
fn write_move(section: &mut Markup, mv: &JudgedMove) {
    let lost = match mv.loss {
        ..=0 => "",
        1 => " lost-1",
        2..=3 => " lost-2",
        4..=7 => " lost-4",
        8.. => " lost-8",
    };
    let best = better(mv).map_or_else(String::new, |best| format!("; best {best}"));
    let (side, worth) = (capital(mv.side.name()), signed(mv.after.score));
    let details = format!("{side}: {worth} ({}){best}", by(mv));
    let class = format!("of-{}{lost}", mv.side.name());
    section.open("li", &[("class", &class), ("title", &details)]);
    section.words("i", &[], "");
    section.words("span", &[], &format!("{}. {}", mv.ply, mv.mv));
    if mv.loss != 0 {
        section.words("b", &[], &signed(-mv.loss));
    }
    section.close();
}

/// Writes a table with a row for each name: the number of games if there are several, and what was given up.
fn write_sums(section: &mut Markup, rows: &[(String, Option<u64>, &Tallies)]) {
    let has_games = rows.iter().any(|(_, games, _)| games.is_some());
    section.open("div", &[("class", "wide")]);
    section.open("table", &[]);
    section.open("tr", &[]);
    let games = if has_games { &["games"][..] } else { &[] };
    let sums = [
        "moves", "best", "accuracy", "loss", "mean", "opening", "midgame", "endgame",
    ];
    for heading in [""].iter().chain(games).chain(&sums) {
        section.words("th", &[], heading);
    }
    section.close();
    for (name, games, tallies) in rows {
        section.open("tr", &[]);
        section.words("td", &[], name);
        if let Some(games) = games {
            section.words("td", &[], &games.to_string());
        }
        for cell in tallies.cells() {
            section.words("td", &[], &cell);
        }
        section.close();
    }
    section.close();
    section.close();
}

/// Formats a number of discs with its sign.
fn signed(discs: i16) -> String {
    match discs {
        0 => String::from("0"),
        discs => format!("{discs:+}").replace('-', "−"),
    }
}
