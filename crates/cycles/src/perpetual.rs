//! Solves a component in which a side can check for ever, which loses. The crate's README has the proof.
//!
//! One side, the attacker, wants a score of at least some threshold. Each position is in the [`Arena`] twice: at place 2p its
//! mover is the attacker, at place 2p + 1 the defender. By symmetry that gives both sides' scores.

use crate::components::components;
use crate::graph::{Edge, Score, firsts, range};
use std::collections::VecDeque;

/// How a move bears on perpetual check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    Check,
    Quiet,
    /// The same side moves again, so neither side checks with all its moves.
    Again,
}

/// An edge between places.
#[derive(Clone, Copy)]
struct Move {
    from: u32,
    to: u32,
    kind: EdgeKind,
}

/// The places that are in no loop.
const NO_LOOP: u32 = u32::MAX;

const fn attacks(place: u32) -> bool {
    place.is_multiple_of(2)
}

/// A component, and the places where the defender may check for ever.
pub(crate) struct Arena {
    /// Sorted by the place they start from.
    moves: Vec<Move>,
    first_out: Vec<usize>,
    /// The indices of the moves, sorted by the place they lead to.
    into: Vec<u32>,
    first_in: Vec<usize>,
    /// The mover's best score outside the component, from the attacker's point of view.
    exits: Vec<Option<Score>>,
    /// The cost of perpetual check.
    cost: Score,
    /// Sets of places between which the attacker can go round while all the defender's moves are checks.
    loops: Vec<Vec<u32>>,
    loop_of: Vec<u32>,
}

/// The score of each position, and what a player must know beyond it.
pub(crate) struct Solved {
    pub(crate) scores: Vec<Score>,
    /// The lower, the sooner the winner gets there.
    pub(crate) ranks: Vec<u32>,
    /// Whether an edge of the component, in the order given, may go round for ever to a worse result than its score.
    pub(crate) idle: Vec<bool>,
}

impl Arena {
    /// `edges` are sorted by parent, `exits` from the mover's point of view. Returns `None` if no side can check for ever
    /// while the other doesn't.
    pub(crate) fn new(
        edges: &[(u32, Edge)],
        exits: impl ExactSizeIterator<Item = Option<Score>>,
        checked: &[bool],
        cost: Score,
    ) -> Option<Self> {
        if cost == 0 || !checked.contains(&true) {
            return None;
        }
        let mut moves = Vec::with_capacity(2 * edges.len());
        for of_parent in edges.chunk_by(|a, b| a.0 == b.0) {
            for side in [0, 1] {
                moves.extend(of_parent.iter().map(|&(parent, edge)| Move {
                    from: 2 * parent + side,
                    to: 2 * edge.child + (side ^ u32::from(edge.flips)),
                    kind: match edge.flips {
                        false => EdgeKind::Again,
                        true if checked[edge.child as usize] => EdgeKind::Check,
                        true => EdgeKind::Quiet,
                    },
                }));
            }
        }
        let places = 2 * exits.len();
        let exits = exits.flat_map(|exit| [exit, exit.map(|score| -score)]);
        let mut into: Vec<u32> = (0..moves.len() as u32).collect();
        into.sort_by_key(|&index| moves[index as usize].to);
        let first_out = firsts(places, moves.iter().map(|step| step.from));
        let first_in = firsts(places, into.iter().map(|&index| moves[index as usize].to));
        let mut arena = Self {
            moves,
            first_out,
            into,
            first_in,
            exits: exits.collect(),
            cost,
            loops: Vec::new(),
            loop_of: vec![NO_LOOP; places],
        };
        arena.find_loops();
        (!arena.loops.is_empty()).then_some(arena)
    }

    fn find_loops(&mut self) {
        let mut found = Vec::new();
        let mut number = vec![NO_LOOP; self.places()];
        // The moves along which only the defender is known to check.
        let children = |place| {
            let counts = move |step: &&Move| {
                step.kind == EdgeKind::Check || attacks(place) && step.kind == EdgeKind::Quiet
            };
            self.out(place).iter().filter(counts).map(|step| step.to)
        };
        let all = |_| true;
        components(self.places() as u32, children, all, |places| {
            let name = found.len() as u32;
            for &place in places {
                number[place as usize] = name;
            }
            // If the attacker only checks as well, nobody loses.
            let is_quiet = |step: &Move| {
                let is_inside = number[step.to as usize] == name;
                is_inside && attacks(step.from) && step.kind == EdgeKind::Quiet
            };
            let mut steps = places.iter().flat_map(|&place| self.out(place));
            if steps.any(is_quiet) {
                let mut places = places.to_vec();
                places.sort_unstable();
                found.push(places);
            } else {
                for &place in places {
                    number[place as usize] = NO_LOOP;
                }
            }
        });
        self.loops = found;
        self.loop_of = number;
    }

    fn places(&self) -> usize {
        self.exits.len()
    }

    fn out(&self, place: u32) -> &[Move] {
        &self.moves[range(&self.first_out, place)]
    }

    fn into(&self, place: u32) -> impl Iterator<Item = Move> {
        self.into[range(&self.first_in, place)]
            .iter()
            .map(|&index| self.moves[index as usize])
    }

    /// Finds all scores by bisection: each place halves the range of its score in every round, all places at once. Places with
    /// different ranges don't affect each other any more: the attacker has no move to a place with a higher range, the
    /// defender none to a lower one, and neither wants the other kind.
    pub(crate) fn solve(&self) -> Solved {
        let mut thresholds: Vec<Score> = self.exits.iter().flatten().copied().collect();
        thresholds.push(self.cost);
        thresholds.retain(|&score| score > 0);
        thresholds.sort_unstable();
        thresholds.dedup();

        let mut search = Search {
            arena: self,
            lower: vec![0; self.places()],
            upper: vec![thresholds.len() as u32 + 1; self.places()],
            thresholds,
            won: vec![false; self.places()],
            against: vec![0; self.places()],
            news: VecDeque::new(),
            stirred: vec![false; self.loops.len()],
            open_loops: VecDeque::new(),
            last_stage: 0,
            attack: vec![Progress::default(); self.places()],
            alive: vec![false; self.places()],
            ways: vec![0; self.places()],
            escape: vec![0; self.places()],
            defence: vec![0; self.places()],
        };
        while search.halve() {}
        search.solved()
    }
}

/// How far the attacker has come at a place. A move of the attacker makes progress if it leads to a lower stage or, within a
/// stage, if it's quiet or leads to a lower step. All defender's moves within a stage are checks.
#[derive(Clone, Copy, Default)]
struct Progress {
    stage: u32,
    /// The most moves before the attacker makes a quiet one.
    step: u32,
}

const NO_STEP: u32 = u32::MAX;

struct Search<'a> {
    arena: &'a Arena,
    /// The positive scores that are possible, ascending.
    thresholds: Vec<Score>,
    /// How many thresholds the attacker is known to reach.
    lower: Vec<u32>,
    /// The first threshold (counted from 1) that it's known not to reach.
    upper: Vec<u32>,
    /// Whether the attacker reaches the threshold of this round.
    won: Vec<bool>,
    /// For a defender's place, the number of options that aren't won for the attacker.
    against: Vec<u32>,
    /// Places that have been won, and whose parents haven't been told.
    news: VecDeque<u32>,
    /// Whether a loop must be looked at again.
    stirred: Vec<bool>,
    open_loops: VecDeque<u32>,
    last_stage: u32,
    attack: Vec<Progress>,
    /// Whether a place of the loop that is being looked at may still be held.
    alive: Vec<bool>,
    /// For an attacker's place, the number of moves to places that are alive.
    ways: Vec<u32>,
    /// The order in which the defender gets away from places of a loop: at once, or by a check to a place that isn't later.
    escape: Vec<u32>,
    /// The same, from the round that found the first threshold that isn't reached.
    defence: Vec<u32>,
}

impl Search<'_> {
    fn is_open(&self, place: u32) -> bool {
        self.upper[place as usize] - self.lower[place as usize] > 1
    }

    fn middle(&self, place: u32) -> u32 {
        (self.lower[place as usize] + self.upper[place as usize]) / 2
    }

    fn threshold(&self, place: u32) -> Score {
        self.thresholds[self.middle(place) as usize - 1]
    }

    /// Whether both ends of a move have the same range, which is halved in this round.
    fn matters(&self, step: Move) -> bool {
        self.is_open(step.from) && self.lower[step.from as usize] == self.lower[step.to as usize]
    }

    fn exit_fails(&self, place: u32) -> bool {
        self.arena.exits[place as usize].is_some_and(|exit| exit < self.threshold(place))
    }

    /// Halves all ranges. Returns whether there was anything to do.
    fn halve(&mut self) -> bool {
        let places = 0..self.won.len() as u32;
        let open: Vec<u32> = places.filter(|&place| self.is_open(place)).collect();
        self.won.fill(false);
        self.last_stage = 0;
        for &place in &open {
            let at = place as usize;
            if attacks(place) {
                if self.arena.exits[at].is_some_and(|exit| exit >= self.threshold(place)) {
                    self.win(place, 0);
                }
            } else {
                let moves = self.arena.out(place).iter();
                let inside = moves.filter(|&&step| self.matters(step)).count();
                self.against[at] = inside as u32 + u32::from(self.exit_fails(place));
                if self.against[at] == 0 {
                    self.win(place, 0);
                }
            }
        }
        self.attract();
        for name in 0..self.arena.loops.len() as u32 {
            self.stir(name);
        }
        while let Some(name) = self.open_loops.pop_front() {
            self.stirred[name as usize] = false;
            let held = self.hold(name);
            let stage = self.last_stage + 1;
            for &(place, step) in &held {
                self.win(place, stage);
                self.attack[place as usize].step = step;
            }
            self.attract();
        }
        for &place in &open {
            let middle = self.middle(place);
            if self.won[place as usize] {
                self.lower[place as usize] = middle;
            } else {
                self.upper[place as usize] = middle;
                self.defence[place as usize] = self.escape[place as usize];
            }
        }
        !open.is_empty()
    }

    fn win(&mut self, place: u32, stage: u32) {
        self.won[place as usize] = true;
        self.attack[place as usize] = Progress { stage, step: 0 };
        self.last_stage = self.last_stage.max(stage);
        self.news.push_back(place);
    }

    fn stir(&mut self, name: u32) {
        if !std::mem::replace(&mut self.stirred[name as usize], true) {
            self.open_loops.push_back(name);
        }
    }

    /// Wins everything from which the attacker can force its way to places that are won.
    fn attract(&mut self) {
        while let Some(place) = self.news.pop_front() {
            let stage = self.attack[place as usize].stage + 1;
            for step in self.arena.into(place) {
                let parent = step.from as usize;
                if !self.matters(step) || self.won[parent] {
                    continue;
                }
                if attacks(step.from) {
                    self.win(step.from, stage);
                    continue;
                }
                self.against[parent] -= 1;
                if self.against[parent] == 0 {
                    self.win(step.from, stage);
                } else if self.arena.loop_of[parent] != NO_LOOP {
                    self.stir(self.arena.loop_of[parent]);
                }
            }
        }
    }

    /// The places of a loop in which the attacker can stay, with quiet moves again and again, while all that the defender can
    /// do is to check, or to let the attacker win otherwise. Each comes with the step of its [`Progress`].
    fn hold(&mut self, name: u32) -> Vec<(u32, u32)> {
        let mut places = self.arena.loops[name as usize].clone();
        places.retain(|&place| {
            let at = place as usize;
            self.alive[at] =
                self.is_open(place) && !self.won[at] && self.threshold(place) <= self.arena.cost;
            self.alive[at]
        });
        let mut gone = Gone::default();
        for &place in &places {
            let moves = self.arena.out(place).iter();
            let mut moves = moves.filter(|&&step| self.matters(step));
            if attacks(place) {
                let ways = moves
                    .filter(|step| step.kind != EdgeKind::Again && self.alive[step.to as usize])
                    .count();
                self.ways[place as usize] = ways as u32;
                if ways == 0 {
                    gone.places.push(place);
                }
            } else {
                let escapes = |step: &Move| {
                    !self.won[step.to as usize]
                        && (step.kind != EdgeKind::Check || !self.alive[step.to as usize])
                };
                if self.exit_fails(place) || moves.any(escapes) {
                    gone.places.push(place);
                }
            }
        }
        self.escape_all(&mut gone);
        loop {
            let steps = self.steps(&places);
            let all = places.iter().copied().zip(steps);
            let left = all.filter(|&(place, _)| self.alive[place as usize]);
            let (held, lost): (Vec<_>, Vec<_>) = left.partition(|&(_, step)| step != NO_STEP);
            if lost.is_empty() {
                for &(place, _) in &held {
                    self.alive[place as usize] = false;
                }
                return held;
            }
            // Here the defender can check for ever while the attacker does the same. These places get one number.
            for &(place, _) in &lost {
                self.alive[place as usize] = false;
                self.escape[place as usize] = gone.number;
            }
            gone.number += 1;
            for (place, _) in lost {
                self.tell_escape(place, &mut gone);
            }
            self.escape_all(&mut gone);
        }
    }

    /// Gives up the places that are gone, and all that the attacker can't hold without them.
    fn escape_all(&mut self, gone: &mut Gone) {
        while let Some(place) = gone.places.pop() {
            if std::mem::replace(&mut self.alive[place as usize], false) {
                self.escape[place as usize] = gone.number;
                gone.number += 1;
                self.tell_escape(place, gone);
            }
        }
    }

    fn tell_escape(&mut self, place: u32, gone: &mut Gone) {
        for step in self.arena.into(place) {
            let parent = step.from as usize;
            if !self.alive[parent] || !self.matters(step) {
                continue;
            }
            if !attacks(step.from) {
                gone.places.push(step.from);
            } else if step.kind != EdgeKind::Again {
                self.ways[parent] -= 1;
                if self.ways[parent] == 0 {
                    gone.places.push(step.from);
                }
            }
        }
    }

    /// For each of the places, the most moves before the attacker makes a quiet move to a place that is alive; [`NO_STEP`] if it
    /// can't force that.
    fn steps(&self, places: &[u32]) -> Vec<u32> {
        let inside = |step: &Move| self.alive[step.to as usize] && self.matters(*step);
        let mut steps = vec![NO_STEP; places.len()];
        let mut left = vec![0; places.len()];
        let mut news = VecDeque::new();
        for (at, &place) in places.iter().enumerate() {
            if !self.alive[place as usize] {
                continue;
            }
            let mut moves = self.arena.out(place).iter().filter(|step| inside(step));
            if !attacks(place) {
                left[at] = moves.count();
            } else if moves.any(|step| step.kind == EdgeKind::Quiet) {
                steps[at] = 0;
                news.push_back(at);
            }
        }
        while let Some(at) = news.pop_front() {
            for step in self.arena.into(places[at]) {
                if !self.alive[step.from as usize] || !self.matters(step) {
                    continue;
                }
                let parent = places.binary_search(&step.from);
                let parent = parent.expect("alive places are given");
                if steps[parent] != NO_STEP || step.kind == EdgeKind::Again {
                    continue;
                }
                if !attacks(step.from) {
                    left[parent] -= 1;
                    if left[parent] > 0 {
                        continue;
                    }
                }
                steps[parent] = steps[at] + 1;
                news.push_back(parent);
            }
        }
        steps
    }

    fn solved(&self) -> Solved {
        let worth = |place: usize| match self.lower[place] {
            0 => 0,
            reached => self.thresholds[reached as usize - 1],
        };
        let positions = 0..self.won.len() / 2;
        let score = |position: usize| worth(2 * position) - worth(2 * position + 1);
        let scores: Vec<Score> = positions.clone().map(score).collect();
        let rank = |position: usize| match scores[position] {
            0 => 0,
            score => self.attack[2 * position + usize::from(score < 0)].stage,
        };
        let ranks = positions.map(rank).collect();
        let mut idle = Vec::with_capacity(self.arena.moves.len() / 2);
        for of_position in self.arena.moves.chunk_by(|a, b| a.from / 2 == b.from / 2) {
            let (attacker, defender) = of_position.split_at(of_position.len() / 2);
            let wins = scores[of_position[0].from as usize / 2] > 0;
            let moves = attacker.iter().zip(defender);
            idle.extend(moves.map(|(attacker, defender)| match wins {
                true => !self.makes_progress(*attacker),
                false => self.goes_on_checking(*defender),
            }));
        }
        Solved {
            scores,
            ranks,
            idle,
        }
    }

    /// Whether a move of the attacker that keeps the score gets it there.
    fn makes_progress(&self, step: Move) -> bool {
        let [from, to] = [step.from, step.to].map(|place| self.attack[place as usize]);
        to.stage < from.stage
            || to.stage == from.stage
                && match step.kind {
                    EdgeKind::Quiet => true,
                    EdgeKind::Check => to.step < from.step,
                    EdgeKind::Again => false,
                }
    }

    /// Whether the defender may lose by a check that keeps the score, if it does the same for ever.
    fn goes_on_checking(&self, step: Move) -> bool {
        let [from, to] = [step.from as usize, step.to as usize];
        let next = self.thresholds.get(self.upper[from] as usize - 1);
        step.kind == EdgeKind::Check
            && next.is_some_and(|&next| next <= self.arena.cost)
            && self.arena.loop_of[from] != NO_LOOP
            && self.arena.loop_of[from] == self.arena.loop_of[to]
            && self.defence[to] > self.defence[from]
    }
}

/// Places from which the defender gets away, and the number of the next one.
#[derive(Default)]
struct Gone {
    places: Vec<u32>,
    number: u32,
}
