//! The good lines from a position as a tree.

use crate::read::opening::Named;
use crate::read::view::Kind;
use crate::read::view::View;
use crate::read::view::as_text;
use crate::{Lookup, Result};
use obook_othello::{CanonicalBoard, Line, Move, Side};
use serde::Serialize;
use std::collections::VecDeque;

/// The lines from a position on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tree {
    /// The moves that lead to where it begins.
    #[serde(serialize_with = "as_text")]
    pub start: Line,
    /// Its value for Black, in discs.
    pub score: Option<i16>,
    /// The moves from there.
    pub branches: Vec<Branch>,
}

/// A move with those that follow it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Branch {
    /// The move, in the orientation of the line.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Whether it is Black's.
    pub black: bool,
    /// Its score for Black, in discs, where the book knows it.
    pub score: Option<i16>,
    /// The opening that it makes, where that position has a name.
    pub opening: Option<Named>,
    /// Whether it leads to a position of the book.
    pub kind: Kind,
    /// How many lines go on from there, where the book counts them.
    pub lines: Option<u32>,
    /// Whether there is more than is shown, because the picture would become too large.
    pub cut: bool,
    /// The moves that follow.
    pub branches: Vec<Branch>,
}

/// What a tree shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many moves deep it is.
    pub depth: usize,
    /// How many discs a move may be worse than the best one beside it.
    pub loss: u8,
    /// How many lines there may be side by side; where there were more, they end sooner.
    pub most: usize,
}

/// A branch as it grows: `place` tells where it hangs, a number for each move.
struct Bud {
    place: Vec<usize>,
    line: Line,
}

impl Tree {
    /// The good moves from the end of `start` on, and from where they lead.
    ///
    /// # Errors
    /// Where the book can't be read or doesn't have the position.
    pub fn new(lookup: &Lookup, start: Line, shape: &Shape) -> Result<Tree> {
        lookup.require(&start)?;
        let score = lookup
            .position(start.board().canonical())?
            .and_then(|position| position.value)
            .map(|value| for_black(value, start.side()));
        let mut tree = Tree {
            start: start.clone(),
            score,
            branches: Vec::new(),
        };
        // Level by level, so that a picture that becomes too large is cut evenly.
        let mut buds = VecDeque::from([Bud {
            place: Vec::new(),
            line: start,
        }]);
        let mut side_by_side = 1;
        while let Some(bud) = buds.pop_front() {
            if bud.place.len() == shape.depth {
                continue;
            }
            let branches = good_moves(lookup, &bud.line, shape.loss)?;
            let more = branches.len().saturating_sub(1);
            if side_by_side + more > shape.most {
                if let Some(branch) = tree.branch(&bud.place) {
                    branch.cut = true;
                }
                continue;
            }
            side_by_side += more;
            for (index, branch) in branches.iter().enumerate() {
                if branch.kind == Kind::Link {
                    let mut line = bud.line.clone();
                    line.push(branch.mv).expect("a good move is legal");
                    let place = bud.place.iter().copied().chain([index]).collect();
                    buds.push_back(Bud { place, line });
                }
            }
            match tree.branch(&bud.place) {
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
        Some(
            rest.iter()
                .fold(branch, |branch, at| &mut branch.branches[*at]),
        )
    }
}

/// The moves that are not more than `loss` worse than the best one, best first; of those that mirror one another, because the
/// position is symmetric, the rightmost: f5 at the start.
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
    let mut branches: Vec<(CanonicalBoard, Branch)> = Vec::new();
    // A damaged book may name moves that are not legal.
    for mv in view.moves().iter().filter(|mv| is_good(mv.score)) {
        let Some(after) = board.play(mv.mv) else {
            continue;
        };
        let after = after.canonical();
        let child = match mv.kind {
            Kind::Link => lookup.position(after)?,
            Kind::Leaf => None,
        };
        let branch = Branch {
            mv: mv.mv,
            black: line.side() == Side::Black,
            score: mv.score.map(|score| for_black(score.into(), line.side())),
            opening: Named::of_board(after),
            kind: mv.kind,
            lines: child.and_then(|child| child.lines),
            cut: false,
            branches: Vec::new(),
        };
        match branches.iter_mut().find(|(board, _)| *board == after) {
            Some((_, mirrored)) if column(mirrored.mv) < column(branch.mv) => *mirrored = branch,
            Some(_) => {}
            None => branches.push((after, branch)),
        }
    }
    Ok(branches.into_iter().map(|(_, branch)| branch).collect())
}

/// The letter of a move's square.
fn column(mv: Move) -> Option<u8> {
    match mv {
        Move::Place(square) => Some(square.index() % 8),
        Move::Pass => None,
    }
}

fn for_black(score: i16, side: Side) -> i16 {
    match side {
        Side::Black => score,
        Side::White => -score,
    }
}
