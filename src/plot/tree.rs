//! A tree of the good lines from a position.

use super::axes::signed;
use super::markup::Markup;
use super::svg::{MARGIN, UNKNOWN_COLOUR, number, score_colour};
use crate::read::view::{LinkOrLeaf, View, as_text};
use crate::{Lookup, Result};
use itertools::Itertools;
use obook_games::names::{Opening, of_board, of_line};
use obook_othello::{CanonicalBoard, Line, Move, Side};
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The lines from a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tree {
    /// The moves to the root.
    #[serde(serialize_with = "as_text")]
    pub start: Line,
    /// The value of the root for Black, in discs.
    pub score: Option<i16>,
    /// The moves from the root.
    pub branches: Vec<Branch>,
}

/// A move and its continuations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Branch {
    /// The move, in the orientation of the line.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Whether it is Black's.
    pub black: bool,
    /// The score for Black, in discs, if the book knows it.
    pub score: Option<i16>,
    /// The opening, if the position after the move has a name.
    pub opening: Option<&'static Opening>,
    /// Whether it leads to a position of the book.
    pub kind: LinkOrLeaf,
    /// The number of lines below, if the book counts them.
    pub lines: Option<u32>,
    /// Whether continuations were cut to keep the picture small.
    pub cut: bool,
    /// The moves from the root to the branch that leads to the same position and has the continuations, if this one has none for
    /// that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joins: Option<String>,
    /// The continuations.
    pub branches: Vec<Branch>,
}

/// The extent of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Maximum depth in moves.
    pub depth: usize,
    /// Maximum loss of a move, in discs, compared with the best move of its position.
    pub loss: u8,
    /// Maximum number of lines. If there are more, they are cut.
    pub most: usize,
}

impl Tree {
    /// Builds the tree of good moves from the end of `start`.
    ///
    /// # Errors
    /// Returns an error if the book can't be read or lacks the position.
    pub fn new(lookup: &Lookup, start: Line, shape: &Shape) -> Result<Tree> {
        let value = lookup.require(&start)?.value;
        let score = value.map(|value| start.side().for_black(value));
        let mut tree = Tree {
            start: start.clone(),
            score,
            branches: Vec::new(),
        };
        // The lines that lose least first, so that the best ones are the longest; of equal ones, the shortest first.
        let root = start.moves().len();
        // A branch to extend has its path in the tree, as an index for each move.
        let mut buds = BTreeMap::from([((0, 0, 0), (Vec::<usize>::new(), start.clone()))]);
        let mut number = 0;
        let mut side_by_side = 1;
        let mut drawn: BTreeMap<CanonicalBoard, String> = BTreeMap::new();
        while let Some(((lost, depth, _), (place, line))) = buds.pop_first() {
            if depth == shape.depth {
                continue;
            }
            if depth > 0 {
                match drawn.entry(line.board().canonical()) {
                    Entry::Occupied(other) => {
                        let branch = tree.branch(&place).expect("a bud below the root");
                        branch.joins = Some(other.get().clone());
                        continue;
                    }
                    Entry::Vacant(first) => {
                        let moves = line.moves()[root..].iter().map(Move::to_string);
                        first.insert(moves.collect());
                    }
                }
            }
            let mut branches = good_moves(lookup, &line, shape.loss)?;
            if depth == 0 {
                // The best ones are better than none.
                branches.truncate(shape.most);
            }
            let more = branches.len().saturating_sub(1);
            if side_by_side + more > shape.most {
                if let Some(branch) = tree.branch(&place) {
                    branch.cut = true;
                }
                continue;
            }
            side_by_side += more;
            let scores = branches.iter().filter_map(|branch| branch.score);
            let for_mover = |score: i16| line.side().for_black(score);
            let best = scores.map(for_mover).max();
            for (index, branch) in branches.iter().enumerate() {
                if branch.kind == LinkOrLeaf::Link {
                    let mut next = line.clone();
                    next.push(branch.mv).expect("a good move is legal");
                    let at = place.iter().copied().chain([index]).collect();
                    let score = branch.score.map(for_mover);
                    let loss = best.zip(score).map_or(0, |(best, score)| best - score);
                    number += 1;
                    buds.insert((lost + loss, depth + 1, number), (at, next));
                }
            }
            match tree.branch(&place) {
                Some(branch) => branch.branches = branches,
                None => tree.branches = branches,
            }
        }
        Ok(tree)
    }

    /// The branch at a place; `None` for the root.
    fn branch(&mut self, place: &[usize]) -> Option<&mut Branch> {
        let (first, rest) = place.split_first()?;
        let branch = &mut self.branches[*first];
        Some(rest.iter().fold(branch, |it, at| &mut it.branches[*at]))
    }
}

/// The moves that lose at most `loss` discs, best first. Only one of several symmetric moves is kept.
fn good_moves(lookup: &Lookup, line: &Line, loss: u8) -> Result<Vec<Branch>> {
    let board = line.board();
    let Some(position) = lookup.position(board.canonical())? else {
        return Ok(Vec::new());
    };
    let view = View::new(line.clone(), &position);
    let best = view.moves().iter().filter_map(|mv| mv.score).max();
    let is_good = |score: Option<i8>| match (score, best) {
        (Some(score), Some(best)) => i16::from(score) >= i16::from(best) - i16::from(loss),
        _ => best.is_none(),
    };
    let mut branches: Vec<Branch> = Vec::new();
    // A damaged book may have illegal moves.
    for mv in view.moves().iter().filter(|mv| is_good(mv.score)) {
        let conventional = board.conventional(mv.mv);
        let Some(after) = board.play(conventional) else {
            continue;
        };
        if branches.iter().any(|branch| branch.mv == conventional) {
            continue;
        }
        let after = after.canonical();
        let child = match mv.kind {
            LinkOrLeaf::Link => lookup.position(after)?,
            LinkOrLeaf::Leaf => None,
        };
        branches.push(Branch {
            mv: conventional,
            black: line.side() == Side::Black,
            score: mv.score.map(|score| line.side().for_black(score.into())),
            opening: of_board(after),
            kind: mv.kind,
            lines: child.and_then(|child| child.lines),
            cut: false,
            joins: None,
            branches: Vec::new(),
        });
    }
    Ok(branches)
}

/// Distance from one move to the next.
const STEP: f64 = 116.0;
/// The level part of a branch before its disc, with the text above and the name below it. Other branches from the same position have left
/// it there.
const LEVEL: f64 = 54.0;
/// Distance between lines, with room for the text above a branch and the name below it.
const ROW: f64 = 38.0;
const LEFT: f64 = 84.0;
const TOP: f64 = 124.0;
const RIGHT: f64 = 70.0;
/// The least width, for the notes.
const NARROWEST: f64 = 520.0;
/// The width of a letter of the title, more or less.
const LETTER: f64 = 12.0;
/// Width of the widest branch.
const WIDEST: f64 = 13.0;

const STYLE: &str = "\
.join{fill:none;stroke:#7a7f88;stroke-width:1.5;stroke-dasharray:6 4}\
.branch{fill:none;stroke-linecap:round;stroke-opacity:.75}.leaf{stroke-dasharray:0 6}\
.disc{stroke:#3c4149;stroke-width:1.2}.black{fill:#23272e}.white{fill:#ffffff}.root{fill:#2f9e6b}\
.score{font-size:12.5px}.name{font-size:11px;opacity:.8}.halo{paint-order:stroke;stroke:#ffffff;stroke-width:3.5px;stroke-linejoin:round}\
@media (prefers-color-scheme:dark){.disc{stroke:#8d94a0}.black{fill:#0b0d10}.white{fill:#e8eaee}.halo{stroke:#14171c}}";

/// A branch, and where it is drawn.
struct Placed<'t> {
    branch: &'t Branch,
    /// The moves from the root to its end.
    moves: String,
    from: [f64; 2],
    to: [f64; 2],
}

impl Tree {
    /// Draws the picture.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let depth = deepest(&self.branches);
        let rows = rows(&self.branches);
        let (title, description) = (self.title(), self.description(depth, rows));
        let width = (LEFT + STEP * depth as f64 + RIGHT)
            .max(NARROWEST)
            .max(2.0 * MARGIN + LETTER * title.chars().count() as f64);
        let height = TOP + ROW * rows as f64 + 40.0;
        let root = [LEFT, TOP + ROW * rows as f64 / 2.0];
        let mut placed = Vec::new();
        place(&self.branches, "", root, TOP, &mut placed);
        let note = "Values are for Black. Wide: many lines in the book.";
        let mut svg = Markup::picture([width, height], &title, note, &description, STYLE);
        let any = |is: fn(&Branch) -> bool| placed.iter().any(|it| is(it.branch));
        let is_leaf = |branch: &Branch| branch.kind == LinkOrLeaf::Leaf;
        let words = [
            (any(is_leaf), "Dotted: not in the book."),
            (any(|it| it.joins.is_some()), "Dashed: the same position."),
            (any(|it| it.cut), "… more in the book."),
        ];
        let words = words.into_iter().filter(|(is_drawn, _)| *is_drawn);
        let words: Vec<&str> = words.map(|(_, words)| words).collect();
        svg.label("note", MARGIN, 77.0, &words.join(" "));
        draw_key(&mut svg, MARGIN, 90.0);
        // A first move with so many lines is drawn widest.
        let most = self.branches.iter().filter_map(|branch| branch.lines).max();
        let most = f64::from(most.unwrap_or(0).max(1));
        svg.open("g", &[("class", "tree")]);
        // Discs and text are drawn over all branches.
        for it in &placed {
            it.draw(&mut svg, most);
            // It continues to the disc of the branch with the continuations.
            let is_join = |other: &&Placed<'_>| it.branch.joins.as_ref() == Some(&other.moves);
            if let Some(join) = placed.iter().find(is_join) {
                let [x, y, to_x, to_y] = [it.to[0], it.to[1], join.to[0], join.to[1]].map(number);
                let bend = number(it.to[0].max(join.to[0]) + STEP * 0.4);
                let path = format!("M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}");
                svg.empty("path", &[("class", "join"), ("d", &path)]);
            }
        }
        placed.iter().for_each(|it| it.draw_end(&mut svg, most));
        svg.circle("disc root", root, 7.0);
        let score = score_text(self.score);
        svg.label("number halo end", LEFT - 14.0, root[1] + 4.5, &score);
        svg.finish()
    }

    fn title(&self) -> String {
        let start = match self.start.to_string() {
            start if start.is_empty() => String::from("the start"),
            start => start,
        };
        let opening = named(of_line(&self.start));
        format!("Best lines from {start}{opening}")
    }

    fn description(&self, depth: usize, rows: usize) -> String {
        let first = |branch: &Branch| format!("{} {}", branch.mv, score_text(branch.score));
        let first = self.branches.iter().map(first).join(", ");
        format!(
            "A tree of {rows} lines, up to {depth} moves deep; scores are for Black. The first moves: {first}."
        )
    }
}

/// Places branches that start at `from`, and those after them. The branches of a position are stacked from `top` down.
fn place<'t>(
    branches: &'t [Branch],
    before: &str,
    from: [f64; 2],
    mut top: f64,
    placed: &mut Vec<Placed<'t>>,
) {
    for branch in branches {
        let height = ROW * rows(&branch.branches) as f64;
        let to = [from[0] + STEP, top + height / 2.0];
        let moves = format!("{before}{}", branch.mv);
        placed.push(Placed {
            branch,
            moves: moves.clone(),
            from,
            to,
        });
        place(&branch.branches, &moves, to, top, placed);
        top += height;
    }
}

impl Placed<'_> {
    fn draw(&self, svg: &mut Markup, most: f64) {
        let (branch, from, to) = (self.branch, self.from, self.to);
        let level = to[0] - LEVEL;
        let middle = number((from[0] + level) / 2.0);
        let [x, y, to_x, to_y, level] = [from[0], from[1], to[0], to[1], level].map(number);
        let path = format!("M{x} {y}C{middle} {y} {middle} {to_y} {level} {to_y}H{to_x}");
        let colour = branch.score.map(score_colour);
        let class = match branch.kind {
            LinkOrLeaf::Link => "branch",
            LinkOrLeaf::Leaf => "branch leaf",
        };
        let attributes = [
            ("class", class),
            ("d", &path),
            ("stroke", colour.as_deref().unwrap_or(UNKNOWN_COLOUR)),
            ("stroke-width", &number(branch.width(most))),
            ("data-move", &branch.mv.to_string()),
            ("data-lines", &branch.lines.unwrap_or(0).to_string()),
        ];
        svg.empty("path", &attributes);
    }

    /// Draws the disc at the end of a branch and its text.
    fn draw_end(&self, svg: &mut Markup, most: f64) {
        let (branch, at) = (self.branch, self.to);
        let side = if branch.black { "black" } else { "white" };
        svg.open("g", &[("class", "end-of-move")]);
        let lines = branch.lines;
        let lines = lines.map_or_else(String::new, |lines| format!(", {lines} lines"));
        let score = score_text(branch.score);
        let name = named(branch.opening);
        let title = format!("{} {score}{lines}{name}", branch.mv);
        svg.words("title", &[], &title);
        svg.circle(&format!("disc {side}"), at, 4.5);
        let more = if branch.cut { " …" } else { "" };
        let words = format!("{} {score}{more}", branch.mv);
        let half = branch.width(most) / 2.0;
        // There is room beside the last disc of a line. Otherwise the text goes above the branch.
        let (class, x, y) = match branch.branches.is_empty() && branch.joins.is_none() {
            true => ("score halo", at[0] + 10.0, at[1] + 4.5),
            false => ("score halo end", at[0] - 7.0, at[1] - half - 4.0),
        };
        svg.label(class, x, y, &words);
        if let Some(opening) = branch.opening {
            let (x, y) = (at[0] - 7.0, at[1] + half + 11.0);
            svg.label("name halo end", x, y, opening.name());
        }
        svg.close();
    }
}

impl Branch {
    /// The width in a tree whose first moves have at most so many lines. It is on a logarithmic scale, because counts differ by many
    /// orders of magnitude.
    fn width(&self, most: f64) -> f64 {
        const NARROW: f64 = 2.0;
        let lines = match self.kind {
            LinkOrLeaf::Link => self.lines.unwrap_or(1).max(1),
            LinkOrLeaf::Leaf => return NARROW,
        };
        let share = f64::from(lines).ln_1p() / most.ln_1p();
        NARROW + (WIDEST - NARROW) * share.powi(2)
    }
}

/// Draws the key of the colours.
fn draw_key(svg: &mut Markup, x: f64, y: f64) {
    const SCORES: [i16; 9] = [-12, -8, -4, -1, 0, 1, 4, 8, 12];
    svg.label("note score", x, y + 10.0, "White ahead");
    let from = x + 88.0;
    for (index, score) in SCORES.into_iter().enumerate() {
        let at = [from + 18.0 * index as f64, y, 18.0, 12.0];
        svg.rectangle("key", at, &[("fill", &score_colour(score))]);
    }
    let to = from + 18.0 * SCORES.len() as f64 + 8.0;
    svg.label("note score", to, y + 10.0, "Black ahead");
}

fn score_text(score: Option<i16>) -> String {
    score.map_or_else(|| String::from("?"), |score| signed(score.into()))
}

/// A name at the end of other words.
fn named(opening: Option<&'static Opening>) -> String {
    opening.map_or_else(String::new, |opening| format!(", {opening}"))
}

/// The rows that branches take up, at least one.
fn rows(branches: &[Branch]) -> usize {
    let rows: usize = branches.iter().map(|it| rows(&it.branches)).sum();
    rows.max(1)
}

fn deepest(branches: &[Branch]) -> usize {
    let below = branches.iter().map(|branch| 1 + deepest(&branch.branches));
    below.max().unwrap_or(0)
}
