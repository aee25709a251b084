//! The scores of a game, move by move.

use super::svg::{Svg, number};
use crate::read::played::{JudgedMove, Judgement, Source};
use obook_othello::Move;
use serde::Serialize;

/// A picture of the scores of a game for Black.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Course {
    /// The title.
    pub title: String,
    /// The game.
    pub judgement: Judgement,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH - 28.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = HEIGHT - 58.0;
/// The least loss, in discs, of a move that is marked.
const MARKED: i16 = 2;

const STYLE: &str = "\
.worth{fill:none;stroke:#2f6fbb;stroke-width:2}.book{fill:#2f6fbb;fill-opacity:.1}\
.black{fill:#15181d;stroke:#9aa0a9}.white{fill:#ffffff;stroke:#5d6470}";

impl Course {
    /// Draws the scores for Black as a line, with a disc in the colour of the side for each move that lost two discs or more.
    /// The part of the game in the book is shaded.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, &self.title, &self.description(), STYLE);
        svg.label("title", LEFT, 34.0, &self.title);
        svg.label("note", LEFT, 56.0, "score for Black, in discs");
        self.draw_grid(&mut svg);
        if self.judgement.in_book > 1 {
            let right = self.x(self.judgement.in_book - 1);
            svg.rectangle("book", [LEFT, TOP, right - LEFT, BOTTOM - TOP], &[]);
        }
        let worths = self.worths().into_iter().enumerate();
        let points = worths.map(|(index, worth)| {
            let [x, y] = [self.x(index), self.y(worth)].map(number);
            format!("{x},{y}")
        });
        let points: Vec<String> = points.collect();
        svg.empty(
            "polyline",
            &[("class", "worth"), ("points", &points.join(" "))],
        );
        svg.open("g", &[("class", "moves")]);
        for (index, mv) in self.judgement.moves.iter().enumerate() {
            if mv.loss >= MARKED {
                self.draw_move(&mut svg, index, mv);
            }
        }
        svg.close();
        self.draw_legend(&mut svg);
        svg.label(
            "note middle",
            (LEFT + RIGHT) / 2.0,
            HEIGHT - 14.0,
            "discs placed",
        );
        svg.finish()
    }

    fn description(&self) -> String {
        let Judgement {
            start, end, moves, ..
        } = &self.judgement;
        let ends = match end.source {
            Source::Final => "The final score is",
            _ => "The last score is",
        };
        format!(
            "{} moves. The first score for Black is {:+}. {ends} {:+}.",
            moves.len(),
            start.score,
            end.score
        )
    }

    /// The score of each position, for Black.
    fn worths(&self) -> Vec<i16> {
        let moves = &self.judgement.moves;
        let after = moves.iter().map(|mv| mv.after.to_black(mv.side).score);
        std::iter::once(self.judgement.start.score)
            .chain(after)
            .collect()
    }

    /// The highest score on the axis, a multiple of four.
    fn reach(&self) -> i16 {
        let peak = self.worths().into_iter().map(i16::abs).max().unwrap_or(0);
        (peak / 4 + 1).max(2) * 4
    }

    fn x(&self, index: usize) -> f64 {
        let moves = self.judgement.moves.len().max(1);
        LEFT + (RIGHT - LEFT) * index as f64 / moves as f64
    }

    fn y(&self, worth: i16) -> f64 {
        let middle = (TOP + BOTTOM) / 2.0;
        middle - (BOTTOM - TOP) / 2.0 * f64::from(worth) / f64::from(self.reach())
    }

    fn draw_grid(&self, svg: &mut Svg) {
        let reach = self.reach();
        for worth in [-reach, -reach / 2, 0, reach / 2, reach] {
            let y = self.y(worth);
            let class = if worth == 0 { "axis" } else { "grid" };
            svg.line_between(class, [LEFT, y], [RIGHT, y]);
            let words = format!("{worth:+}").replace('-', "−");
            svg.label("number end", LEFT - 10.0, y + 4.0, &words);
        }
        for (index, mv) in self.judgement.moves.iter().enumerate() {
            // A pass places no disc.
            if mv.ply % 10 == 0 && mv.mv != Move::Pass {
                let words = mv.ply.to_string();
                svg.label("number middle", self.x(index + 1), BOTTOM + 20.0, &words);
            }
        }
    }

    /// Draws the key above the axes, from right to left.
    fn draw_legend(&self, svg: &mut Svg) {
        const Y: f64 = 56.0;
        let (disc, words) = (RIGHT - 268.0, RIGHT - 240.0);
        svg.open("g", &[("class", "legend")]);
        for (class, x) in [("black", disc), ("white", disc + 14.0)] {
            let [x, y] = [x, Y - 4.5].map(number);
            svg.empty(
                "circle",
                &[("class", class), ("cx", &x), ("cy", &y), ("r", "4.5")],
            );
        }
        let lost = format!("the move lost {MARKED} discs or more");
        svg.label("note", words, Y, &lost);
        if self.judgement.in_book > 1 {
            let x = disc - 118.0;
            svg.rectangle("book", [x, Y - 11.0, 13.0, 13.0], &[]);
            svg.label("note", x + 21.0, Y, "in the book");
        }
        svg.close();
    }

    fn draw_move(&self, svg: &mut Svg, index: usize, mv: &JudgedMove) {
        let class = match mv.side {
            obook_othello::Side::Black => "black",
            obook_othello::Side::White => "white",
        };
        let worth = mv.after.to_black(mv.side).score;
        let [x, y] = [self.x(index + 1), self.y(worth)].map(number);
        svg.open("g", &[]);
        svg.words("title", &[], &tooltip(mv));
        svg.empty(
            "circle",
            &[("class", class), ("cx", &x), ("cy", &y), ("r", "4.5")],
        );
        svg.close();
    }
}

/// The tooltip of a move.
fn tooltip(mv: &JudgedMove) -> String {
    let best = mv.best.filter(|best| *best != mv.mv);
    let best = best.map_or_else(String::new, |best| format!("; best {best}"));
    format!(
        "{}. {} {:+}: lost {}{best}",
        mv.ply, mv.mv, mv.after.score, mv.loss
    )
}
