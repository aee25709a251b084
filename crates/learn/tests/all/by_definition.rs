//! The choices of the rules by definition: path by path, on records by board.

use obook_learn::{Variation, Want};
use obook_othello::levels::Effort;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, PERSON_LEVEL, Position};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Book = BTreeMap<CanonicalBoard, Position>;

/// The wanted search of each board and its level.
pub(crate) type Wanted = BTreeMap<CanonicalBoard, (Want, u8)>;

/// A book, its depth, and the level of the stage.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) book: &'a Book,
    pub(crate) depth: u8,
    pub(crate) level: u8,
}

impl<'a> Given<'a> {
    fn at(&self, board: Board) -> Option<&'a Position> {
        self.book.get(&board.canonical())
    }

    /// The number of discs placed. A pass places none.
    fn goes_on(&self, board: Board) -> bool {
        let placed = 60 - board.empties();
        placed < self.depth.into() && !board.is_over()
    }

    /// The position's links with their scores and children.
    fn links(&self, position: &'a Position) -> Vec<(i32, &'a Position)> {
        let lead = |mv: Move| self.at(position.board.board().play(mv).unwrap()).unwrap();
        let children = position.links.iter().map(|link| lead(link.mv));
        children
            .filter_map(|child| Some((-i32::from(child.value?), child)))
            .collect()
    }

    fn expand(&self, position: &Position, wanted: &mut Wanted) {
        let Some(leaf) = position.leaf else { return };
        let child = leaf.mv.and_then(|mv| position.board.board().play(mv));
        let Some(child) = child.filter(|child| self.at(*child).is_none()) else {
            return;
        };
        // All levels in these books are on one scale. A value entered by hand has none.
        let level = leaf.level.or(position.level).filter(|level| *level <= 60);
        let level = level.unwrap_or(self.level);
        let known = wanted.entry(child.canonical());
        let known = known.or_insert((Want::Position, level));
        known.1 = known.1.max(level);
    }
}

/// Edax's `deviate`, which passes its two errors and its bounds on from ply to ply.
pub(crate) fn deviate(
    given: Given<'_>,
    position: &Position,
    errors: [i32; 2],
    (lower, upper): (i32, i32),
    wanted: &mut Wanted,
) {
    let Some(value) = position.value.map(i32::from) else {
        return;
    };
    let good = |score: i32| value - score <= errors[0] && lower <= score && score <= upper;
    if value < lower || value > upper || !given.goes_on(position.board.board()) {
        return;
    }
    for (score, child) in given.links(position) {
        if good(score) {
            let other = [errors[1], errors[0]];
            deviate(given, child, other, (-upper, -lower), wanted);
        }
    }
    if position.leaf.is_some_and(|leaf| good(leaf.score.into())) {
        given.expand(position, wanted);
    }
}

/// All positions that links lead to, to the end of the lines.
fn reached(given: Given<'_>, position: &Position, met: &mut BTreeSet<CanonicalBoard>) {
    if given.goes_on(position.board.board()) && met.insert(position.board) {
        for link in &position.links {
            let child = position.board.board().play(link.mv).unwrap();
            reached(given, given.at(child).unwrap(), met);
        }
    }
}

pub(crate) fn extend(given: Given<'_>, root: &Position, wanted: &mut Wanted) {
    let mut met = BTreeSet::new();
    reached(given, root, &mut met);
    for board in met {
        let position = &given.book[&board];
        let leaf = position.leaf.map(|leaf| i16::from(leaf.score));
        if leaf.is_some_and(|leaf| position.value.is_none_or(|value| leaf >= value)) {
            given.expand(position, wanted);
        }
    }
}

pub(crate) fn play(given: Given<'_>, root: &Position, wanted: &mut Wanted) {
    let mut met = BTreeSet::new();
    reached(given, root, &mut met);
    for board in met {
        if given.book[&board].links.is_empty() {
            given.expand(&given.book[&board], wanted);
        }
    }
}

/// Edax's `enhance`: the errors of searches in midgame and endgame, and the bounds computed so far.
pub(crate) struct Enhance<'a> {
    pub(crate) given: Given<'a>,
    pub(crate) errors: [i32; 2],
    pub(crate) known: BTreeMap<CanonicalBoard, Option<(i32, i32)>>,
}

impl<'a> Enhance<'a> {
    fn of_search(&self, position: &Position, score: i32) -> Option<(i32, i32)> {
        let empties = position.board.board().empties() as u8;
        let search = Effort::new(position.engine, position.level?, empties);
        let [midgame, endcut] = self.errors;
        let (error, bias) = match (search.depth == empties, search.probability) {
            (true, 100) => (0, 0),
            (true, _) => (endcut, 0),
            (false, _) => (
                midgame,
                i32::from(search.depth & 1) - i32::from(empties & 1),
            ),
        };
        Some((score - error - bias, score + error - bias))
    }

    fn children(&self, position: &'a Position) -> Vec<&'a Position> {
        let lead = |mv: Move| position.board.board().play(mv).unwrap();
        let links = position.links.iter();
        links
            .map(|link| self.given.at(lead(link.mv)).unwrap())
            .collect()
    }

    fn bounds(&mut self, position: &'a Position) -> Option<(i32, i32)> {
        if let Some(known) = self.known.get(&position.board) {
            return *known;
        }
        let value = position.value.map(i32::from);
        let children = self.children(position);
        let leaf = position.leaf.map(|leaf| i32::from(leaf.score));
        let mut of_moves = Vec::new();
        if leaf.is_some() || children.is_empty() {
            let score = leaf.or(value);
            of_moves.push(score.and_then(|score| self.of_search(position, score)));
        }
        for child in children {
            let bounds = self.bounds(child);
            of_moves.push(bounds.map(|(lower, upper)| (-upper, -lower)));
        }
        let of_moves: Option<Vec<(i32, i32)>> = of_moves.into_iter().collect();
        let bounds = match position.level {
            Some(PERSON_LEVEL..) => value.map(|value| (value, value)),
            _ => of_moves.map(|bounds| {
                let lower = bounds.iter().map(|bounds| bounds.0).max().unwrap();
                (lower, bounds.iter().map(|bounds| bounds.1).max().unwrap())
            }),
        };
        self.known.insert(position.board, bounds);
        bounds
    }

    pub(crate) fn choose(
        &mut self,
        position: &'a Position,
        met: &mut BTreeSet<CanonicalBoard>,
        wanted: &mut Wanted,
    ) {
        if !self.given.goes_on(position.board.board()) || !met.insert(position.board) {
            return;
        }
        let own = self.bounds(position);
        let counts = |bounds: Option<(i32, i32)>| match (own, bounds) {
            (Some(own), Some(bounds)) => bounds.0 >= own.0 || bounds.1 >= own.1,
            _ => true,
        };
        for child in self.children(position) {
            let bounds = self.bounds(child);
            if counts(bounds.map(|(lower, upper)| (-upper, -lower))) {
                self.choose(child, met, wanted);
            }
        }
        if let Some(leaf) = position.leaf
            && counts(self.of_search(position, leaf.score.into()))
        {
            self.given.expand(position, wanted);
        }
    }
}

/// Edax's `fill`: `line` leads from a position to `board`, with `plies` plies left.
pub(crate) fn fill(
    given: Given<'_>,
    board: Board,
    plies: u8,
    line: &mut Vec<CanonicalBoard>,
    wanted: &mut Wanted,
) {
    if plies > 0 {
        line.push(board.canonical());
        for (_, child) in board.children() {
            fill(given, child, plies - 1, line, wanted);
        }
        line.pop();
    } else if given.at(board).is_some() {
        for between in &line[1..] {
            let placed = 60 - between.board().empties();
            if !given.book.contains_key(between) && placed <= given.depth.into() {
                wanted.insert(*between, (Want::Position, given.level));
            }
        }
    }
}

/// The level and effort of a leaf's search, if it is known and was made by an engine.
fn search_behind(position: &Position, leaf: Leaf) -> Option<(u8, Effort)> {
    let level = leaf.level.or(position.level)?;
    let empties = position.board.board().empties() as u8;
    Some((level, Effort::new(Engine::Edax, level, empties)))
}

/// Whether the stage's level is stronger than a leaf's search.
fn is_weaker(given: Given<'_>, position: &Position, leaf: Leaf) -> bool {
    let empties = position.board.board().empties() as u8;
    let level = Effort::new(Engine::Edax, given.level, empties);
    let by = search_behind(position, leaf);
    leaf.mv.is_some() && by.is_none_or(|(own, search)| own < PERSON_LEVEL && search < level)
}

pub(crate) fn deepen(given: Given<'_>, wanted: &mut Wanted) {
    for position in given.book.values() {
        if position
            .leaf
            .is_some_and(|leaf| is_weaker(given, position, leaf))
        {
            wanted.insert(position.board, (Want::Leaf, given.level));
        }
    }
}

pub(crate) fn correct(given: Given<'_>, turn: u64, wanted: &mut Wanted) {
    for position in given.book.values().filter(|_| turn == 0) {
        let leaf = position.leaf.filter(|leaf| leaf.mv.is_some());
        if let Some((level, search)) = leaf.and_then(|leaf| search_behind(position, leaf))
            && level <= 60
            && search.is_solved()
        {
            wanted.insert(position.board, (Want::Leaf, level));
        }
    }
}

/// Egaroucid's recalculation with the rest of the sum.
pub(crate) fn recalculate(
    given: Given<'_>,
    position: &Position,
    per_move: Option<u16>,
    sum: Option<u16>,
    wanted: &mut Wanted,
) {
    let board = position.board.board();
    if board.is_over() || 60 - board.empties() > given.depth.into() {
        return;
    }
    if position
        .leaf
        .is_some_and(|leaf| is_weaker(given, position, leaf))
    {
        wanted.insert(position.board, (Want::Leaf, given.level));
    }
    let Some(value) = position.value.map(i32::from) else {
        return;
    };
    let within = |loss: i32, limit: Option<u16>| limit.is_none_or(|limit| loss <= limit.into());
    for (score, child) in given.links(position) {
        let loss = value - score;
        if within(loss, per_move) && within(loss, sum) {
            let left = sum.map(|left| left - loss.max(0) as u16);
            recalculate(given, child, per_move, left, wanted);
        }
    }
}

/// Egaroucid's `deviate` with the rest of the sum (`None`: no limit). With `best_only` the side to move plays only its best
/// moves.
#[derive(Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) per_move: Option<u16>,
    pub(crate) sum: Option<u16>,
    pub(crate) leaf: Option<u16>,
}

pub(crate) fn egaroucid_deviate(
    given: Given<'_>,
    position: &Position,
    errors: Errors,
    best_only: bool,
    wanted: &mut Wanted,
) {
    let Some(value) = position.value.map(i32::from) else {
        return;
    };
    if !given.goes_on(position.board.board()) {
        return;
    }
    let within = |loss: i32, limit: Option<u16>| limit.is_none_or(|limit| loss <= limit.into());
    let links = given.links(position);
    let of_leaf = position.leaf.map(|leaf| i32::from(leaf.score));
    let scores = links.iter().map(|(score, _)| *score).chain(of_leaf);
    let best = scores.max();
    for (score, child) in links {
        let loss = value - score;
        let may_be_played = within(loss, errors.per_move) && within(loss, errors.sum);
        if may_be_played && (!best_only || Some(score) == best) {
            let lost = loss.max(0) as u16;
            let after = Errors {
                sum: errors.sum.map(|left| left - lost),
                ..errors
            };
            egaroucid_deviate(given, child, after, !best_only, wanted);
        }
    }
    let Some(leaf) = position.leaf else { return };
    let is_wanted = within(value - i32::from(leaf.score), errors.leaf);
    if !is_wanted || best_only && of_leaf != best {
        return;
    }
    let child = leaf.mv.and_then(|mv| position.board.board().play(mv));
    let Some(child) = child.filter(|child| given.at(*child).is_none()) else {
        return;
    };
    let limits = [errors.per_move, errors.sum];
    let variation = Variation {
        promised: value as i16,
        within: limits.into_iter().flatten().min(),
    };
    // The furthest of several.
    let reach = |variation: Variation| {
        (
            variation.within.map_or(u32::MAX, u32::from),
            variation.promised,
        )
    };
    let known = wanted.get(&child.canonical());
    if let Some((Want::Variation(known), _)) = known
        && reach(*known) >= reach(variation)
    {
        return;
    }
    wanted.insert(child.canonical(), (Want::Variation(variation), given.level));
}
