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

/// The beginning of the page, up to its style. It may load nothing and run nothing.
const BEGIN: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; connect-src 'none'; img-src 'none'; font-src 'none'; media-src 'none'; object-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'"/>
<title>Checked games</title>
<style>
"#;

const STYLE: &str = "
body{margin:0;background:#ffffff;color:#3c4149;font:15px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1,h2{color:#15181d;line-height:1.25}
h1{font-size:1.6rem}
h2{font-size:1.25rem;margin:0}
section{border-top:1px solid #e4e6ea;padding:1.5rem 0;content-visibility:auto;contain-intrinsic-size:auto 60rem}
p{margin:.2rem 0}
.facts{color:#6b717b}
.course{display:block;width:100%;min-width:36rem;height:auto;margin:1rem 0}
.boards{display:flex;flex-wrap:wrap;gap:1.5rem;margin:1rem 0}
figure{margin:0;width:14rem}
figcaption{font-size:.9rem;margin-top:.4rem}
ol{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem;margin:1rem 0;padding:0}
li{padding:.1rem .5rem;border-radius:.35rem;background:#f0f1f4;font-variant-numeric:tabular-nums;white-space:nowrap}
li i{display:inline-block;width:.65rem;height:.65rem;border-radius:50%;border:1px solid #5d6470;margin-right:.35rem}
li.of-black i{background:#15181d}
li.of-white i{background:#ffffff}
li b{margin-left:.35rem}
.lost-1{background:#faedc4;color:#15181d}
.lost-2{background:#f8d49a;color:#15181d}
.lost-4{background:#f2a97e;color:#15181d}
.lost-8{background:#e57b6c;color:#15181d}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.15rem 0 .15rem 1.3rem;text-align:right;white-space:nowrap}
th{font-weight:600}
th:first-child,td:first-child{text-align:left;padding-left:0}
@media (prefers-color-scheme:dark){
body{background:#14171c;color:#c3c8d0}
h1,h2{color:#f1f3f6}
section{border-color:#2a2f37}
.facts{color:#8d94a0}
li{background:#23272e}
}
@media print{section{content-visibility:visible}figure,ol{break-inside:avoid}}
</style>
</head>
<body>
<main>
<h1>Checked games</h1>
";

const PAGE: Content = Content::file("a page of HTML", |head, _| {
    let head = head.trim_ascii_start();
    let begins = |with: &[u8]| {
        let begin = head.get(..with.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(with))
    };
    begins(b"<!doctype html") || begins(b"<html")
});

impl Page {
    /// Creates the file for the page. `method` tells where the values come from. Called before the searches, so that they aren't made for
    /// nothing.
    pub(super) fn create(path: &Path, if_exists: IfExists, method: &str) -> Result<Page, Failure> {
        has_ending(path, &["html", "htm"])?;
        let file = AtomicFile::create(path, PAGE, if_exists, &context::quiet())?;
        let mut page = Page { file };
        page.write(BEGIN)?;
        page.write(&figure_style())?;
        page.write(STYLE)?;
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
    let score = game
        .score
        .map(|score| format!("{} for Black", signed(score.into())));
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
    let details = format!(
        "{}: {} ({}){best}",
        capital(mv.side.name()),
        signed(mv.after.score),
        by(mv)
    );
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
