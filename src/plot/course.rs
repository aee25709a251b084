//! The values of a game, move by move.

use super::axes::{Area, TOP, Ticks, WIDTH, plain, signed};
use super::markup::Markup;
use super::svg::number;
use crate::read::played::{JudgedMove, Judgement, Source};
use itertools::Itertools;
use obook_othello::{Move, Side};
use serde::Serialize;

/// A picture of the values of a game for Black.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Course {
    /// The title.
    pub title: String,
    /// The game.
    pub judgement: Judgement,
}

const HEIGHT: f64 = 500.0;
/// The space for the legend.
const LEGEND: f64 = 204.0;
/// The least loss, in discs, of a move that is marked.
const MARKED: i16 = 2;

pub(super) const STYLE: &str = "\
.worth{fill:none;stroke:#2f6fbb;stroke-width:2}.book{fill:#2f6fbb;fill-opacity:.14}\
.disc{stroke-width:1.2}.black{fill:#15181d;stroke:#9aa0a9}.white{fill:#ffffff;stroke:#5d6470}";

impl Course {
    /// Draws the values for Black as a line, with a disc in the colour of the side for each move that lost two discs or more.
    /// The part of the game in the book is shaded.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (note, description) = (self.note(), self.description());
        let mut svg = Markup::picture([WIDTH, HEIGHT], &self.title, &note, &description, STYLE);
        self.draw(&mut svg);
        svg.finish()
    }

    /// Draws the picture without its title, for a page with [`figure_style`](super::figure_style).
    #[must_use]
    pub fn figure(&self) -> Markup {
        // The name of the vertical axis is the first text below the title and its note.
        let top = TOP - 32.0;
        let view = [0.0, top, WIDTH, HEIGHT - top];
        let mut svg = Markup::figure("course", view, &self.description());
        self.draw(&mut svg);
        svg
    }

    fn draw(&self, svg: &mut Markup) {
        let area = Area::of(HEIGHT, LEGEND);
        let moves = &self.judgement.moves;
        let worths = self.judgement.worths();
        let reach = worths.iter().map(|worth| worth.abs()).fold(4, i16::max);
        // Zero is in the middle, so that both sides can be compared.
        let up = Ticks::whole([0.0, reach.into()]).both_ways();
        let across = |index: usize| index as f64 / moves.len().max(1) as f64;
        area.draw_up(svg, "value for Black, in discs", up.labels(signed));
        // A pass places no disc.
        let placed = (1..).zip(moves).filter(|(_, mv)| mv.mv != Move::Pass);
        let step = match moves.len() {
            ..=12 => 1,
            13..=30 => 5,
            _ => 10,
        };
        let numbers = placed.filter(|(_, mv)| mv.ply.is_multiple_of(step));
        let numbers = numbers.map(|(index, mv)| (across(index), plain(mv.ply as f64)));
        area.draw_across(svg, "discs played", numbers);
        if self.judgement.in_book > 1 {
            let width = area.x(across(self.judgement.in_book - 1)) - area.left;
            let place = [area.left, area.top, width, area.bottom - area.top];
            svg.rectangle("book", place, &[]);
        }
        let at = |index: usize, worth: i16| [area.x(across(index)), area.y(up.share(worth.into()))];
        let point = |(index, worth): (usize, &i16)| at(index, *worth).map(number).join(",");
        let points = worths.iter().enumerate().map(point).join(" ");
        svg.empty("polyline", &[("class", "worth"), ("points", &points)]);
        svg.open("g", &[("class", "moves")]);
        for (index, mv) in moves.iter().enumerate() {
            if mv.loss >= MARKED {
                svg.open("g", &[]);
                svg.words("title", &[], &tooltip(mv));
                draw_disc(svg, mv.side, at(index + 1, worths[index + 1]));
                svg.close();
            }
        }
        svg.close();
        self.draw_legend(svg, area.right + 24.0, area.top);
    }

    fn draw_legend(&self, svg: &mut Markup, x: f64, top: f64) {
        const ROW: f64 = 22.0;
        svg.open("g", &[("class", "legend")]);
        let heading = format!("Losses of {MARKED} discs or more");
        svg.label("note", x, top + 8.0, &heading);
        let sides = [(Side::Black, "by Black"), (Side::White, "by White")];
        for (row, (side, words)) in (1_u8..).zip(sides) {
            let y = top + 4.0 + ROW * f64::from(row);
            draw_disc(svg, side, [x + 7.0, y]);
            svg.label("", x + 22.0, y + 4.5, words);
        }
        if self.judgement.in_book > 1 {
            let y = top + 4.0 * ROW;
            svg.rectangle("book", [x, y - 8.0, 14.0, 14.0], &[]);
            svg.label("", x + 22.0, y + 4.5, "in the book");
        }
        svg.close();
    }

    fn note(&self) -> String {
        let Judgement { end, .. } = &self.judgement;
        let end_words = match end.source {
            Source::Final => "final score for Black",
            _ => "last value for Black",
        };
        format!("{end_words} {}", signed(end.score.into()))
    }

    fn description(&self) -> String {
        let Judgement { start, moves, .. } = &self.judgement;
        let (moves, first) = (moves.len(), signed(start.score.into()));
        let note = self.note();
        format!("{moves} moves. The first value for Black is {first}, the {note}.")
    }
}

fn draw_disc(svg: &mut Markup, side: Side, at: [f64; 2]) {
    svg.circle(&format!("disc {}", side.name()), at, 4.5);
}

/// The tooltip of a move.
fn tooltip(mv: &JudgedMove) -> String {
    let best = mv.best.filter(|best| *best != mv.mv);
    let best = best.map_or_else(String::new, |best| format!("; best {best}"));
    let after = signed(mv.after.score.into());
    format!("{}. {} {after}: lost {}{best}", mv.ply, mv.mv, mv.loss)
}
