//! Small random games, and the definition of their scores: exhaustive evaluation with explicit histories.

use obook_cycles::{Edge, Graph, Score};
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::RangeInclusive;

/// The worth of a repetition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// A draw.
    Draw,
    /// This much to Black, however it is made.
    Fixed(Score),
    /// The first to Black if Black makes it, the second to Black if White does.
    ByColour(Score, Score),
    /// This much to the side that makes it.
    Maker(Score),
    /// This much to the side that makes it if an odd number of the cycle's positions are marked, otherwise to the other side: a
    /// rule that depends on the whole cycle.
    Marks(Score),
    /// A draw, but this much is the cost of perpetual check. In marked positions the mover is in check.
    Check(Score),
}

impl Rule {
    /// Whether it depends on the colour of the side to move.
    fn needs_colours(self) -> bool {
        matches!(self, Self::Fixed(_) | Self::ByColour(..))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) children: Vec<Vec<Edge>>,
    pub(crate) payoffs: Vec<Option<Score>>,
    /// Whether Black moves, if positions have colours.
    pub(crate) black: Option<Vec<bool>>,
    pub(crate) marked: Vec<bool>,
    pub(crate) ranks: Vec<u32>,
    pub(crate) rule: Rule,
    pub(crate) limit: Score,
}

impl Graph for Game {
    fn nodes(&self) -> u32 {
        self.children.len() as u32
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        self.children[node as usize].iter().copied()
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        self.payoffs[node as usize]
    }
    fn repetition_range(&self, node: u32) -> RangeInclusive<Score> {
        match self.rule {
            Rule::Marks(score) => -score.abs()..=score.abs(),
            _ => self.repetition(&[node])..=self.repetition(&[node]),
        }
    }
    fn repetition(&self, cycle: &[u32]) -> Score {
        let maker = cycle[cycle.len() - 1] as usize;
        let black = self.black.as_ref().is_none_or(|black| black[maker]);
        let sign = if black { 1 } else { -1 };
        match self.rule {
            Rule::Draw | Rule::Check(_) => 0,
            Rule::Fixed(score) => sign * score,
            Rule::ByColour(by_black, by_white) => sign * if black { by_black } else { by_white },
            Rule::Maker(score) => score,
            Rule::Marks(score) => {
                let marks = cycle
                    .iter()
                    .filter(|&&node| self.marked[node as usize])
                    .count();
                if marks % 2 == 1 { score } else { -score }
            }
        }
    }
    fn perpetual(&self) -> Option<Score> {
        match self.rule {
            Rule::Check(cost) => Some(cost),
            _ => None,
        }
    }
    fn checked(&self, node: u32) -> bool {
        self.marked[node as usize]
    }
    fn rank(&self, node: u32) -> u32 {
        self.ranks[node as usize]
    }
    fn limit(&self) -> Score {
        self.limit
    }
}

/// A line, as the definition sees it: positions, each with the edge that leads to the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    nodes: Vec<u32>,
    /// One less than the nodes.
    edges: Vec<Edge>,
}

impl History {
    pub(crate) fn last(&self) -> u32 {
        self.nodes[self.nodes.len() - 1]
    }

    pub(crate) fn push(&mut self, edge: Edge) {
        self.nodes.push(edge.child);
        self.edges.push(edge);
    }

    pub(crate) fn pop(&mut self) {
        self.nodes.pop();
        self.edges.pop();
    }
}

/// More lines than a test has time for.
#[derive(Debug)]
pub(crate) struct TooMany;

impl Game {
    /// The history of a path; of several edges to one child it takes the one that changes the side.
    pub(crate) fn history(&self, path: &[u32]) -> History {
        let edge = |pair: &[u32]| {
            let edges = self.children[pair[0] as usize].iter();
            let there = edges.filter(|edge| edge.child == pair[1]);
            *there.max_by_key(|edge| edge.flips).unwrap()
        };
        History {
            nodes: path.to_vec(),
            edges: path.windows(2).map(edge).collect(),
        }
    }

    /// The plies at which the last edge's child was on the line before, if that is a repetition under the game's rule.
    fn visits(&self, line: &History, last: Edge) -> Vec<usize> {
        let mut flips = last.flips;
        let mut visits = Vec::new();
        for ply in (0..line.nodes.len()).rev() {
            let returns = !matches!(self.rule, Rule::Check(_)) || !flips;
            if line.nodes[ply] == last.child && returns {
                visits.push(ply);
            }
            if ply > 0 {
                flips ^= line.edges[ply - 1].flips;
            }
        }
        visits
    }

    /// The worth, to its maker, of going back to `ply` by `last`.
    fn worth(&self, line: &History, ply: usize, last: Edge) -> Score {
        let Rule::Check(cost) = self.rule else {
            return self
                .repetition(&line.nodes[ply..])
                .clamp(-self.limit, self.limit);
        };
        let cost = cost.clamp(0, self.limit);
        let edges = [&line.edges[ply..], &[last]].concat();
        // Backwards from the last move, which the maker plays.
        let mut makers = true;
        let [mut maker_checks, mut other_checks] = [true; 2];
        for (at, edge) in edges.iter().enumerate().rev() {
            // Back from here, each change of sides changes whose move it is.
            makers ^= edge.flips && at + 1 < edges.len();
            let checks = edge.flips && self.marked[edge.child as usize];
            if makers {
                maker_checks &= checks;
            } else {
                other_checks &= checks;
            }
            if !edge.flips {
                [maker_checks, other_checks] = [false; 2];
            }
        }
        match (maker_checks, other_checks) {
            (true, false) => -cost,
            (false, true) => cost,
            _ => 0,
        }
    }

    /// The worth, to its maker, of the repetition that an edge makes, if it makes one.
    pub(crate) fn repeated(&self, line: &History, last: Edge) -> Option<Score> {
        let visits = self.visits(line, last);
        visits.first().map(|&ply| self.worth(line, ply, last))
    }

    /// The definition: the value of the last position of `line`, if its game ends when a position comes for the `times`-th time.
    /// `budget` is the number of positions that may be entered.
    pub(crate) fn value(
        &self,
        line: &mut History,
        times: usize,
        budget: &mut u64,
    ) -> Result<Option<Score>, TooMany> {
        *budget = budget.checked_sub(1).ok_or(TooMany)?;
        let node = line.last();
        let mut best = self.payoffs[node as usize];
        for &edge in &self.children[node as usize] {
            let visits = self.visits(line, edge);
            let option = if visits.len() + 1 == times {
                Some(self.worth(line, visits[times - 2], edge))
            } else {
                line.push(edge);
                let score = self.value(line, times, budget)?;
                line.pop();
                score.map(|score| if edge.flips { -score } else { score })
            };
            best = best.max(option);
        }
        Ok(best)
    }

    /// The value of the last position of `path` when reached by it. The first repetition ends the game.
    pub(crate) fn exhaustive(&self, path: &[u32]) -> Option<Score> {
        self.value(&mut self.history(path), 2, &mut u64::MAX.clone())
            .expect("enough")
    }

    /// The own score, by the definition.
    pub(crate) fn own(&self, node: u32) -> Option<Score> {
        self.exhaustive(&[node])
    }

    /// About `most` paths without a repetition, shortest first.
    pub(crate) fn paths(&self, most: usize) -> Vec<Vec<u32>> {
        let mut paths: Vec<Vec<u32>> = (0..self.nodes()).map(|node| vec![node]).collect();
        let mut at = 0;
        while at < paths.len() && paths.len() < most {
            let path = paths[at].clone();
            for edge in &self.children[path[path.len() - 1] as usize] {
                if !path.contains(&edge.child) {
                    paths.push([&path[..], &[edge.child]].concat());
                }
            }
            at += 1;
        }
        paths
    }

    /// The same game with position i called `names[i]`.
    pub(crate) fn renamed(&self, names: &[u32]) -> Self {
        let mut game = self.clone();
        for (node, &name) in names.iter().enumerate() {
            let name = name as usize;
            game.children[name] = self.children[node].clone();
            for edge in &mut game.children[name] {
                edge.child = names[edge.child as usize];
            }
            game.payoffs[name] = self.payoffs[node];
            game.marked[name] = self.marked[node];
            game.ranks[name] = self.ranks[node];
            if let (Some(new), Some(old)) = (&mut game.black, &self.black) {
                new[name] = old[node];
            }
        }
        game
    }
}

/// Parent, child, and whether the side changes if positions have no colours.
type Link = (u32, u32, bool);

fn any_links(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    vec(
        (0..nodes, 0..nodes, any::<bool>()),
        0..=(2 * nodes as usize + 2),
    )
}

fn dag(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    any_links(nodes).prop_map(|links| {
        let forward = |(a, b, flips): Link| (a.min(b), a.max(b), flips);
        links
            .into_iter()
            .map(forward)
            .filter(|&(a, b, _)| a != b)
            .collect()
    })
}

fn tree(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    vec(
        (any::<prop::sample::Index>(), any::<bool>()),
        nodes as usize - 1,
    )
    .prop_map(|parents| {
        let link = |(child, (parent, flips)): (u32, (prop::sample::Index, bool))| {
            (parent.index(child as usize) as u32, child, flips)
        };
        (1..).zip(parents).map(link).collect()
    })
}

/// A ring of all positions, and shorter rings along it: nested and overlapping cycles.
fn rings(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    (
        vec(any::<bool>(), nodes as usize),
        vec((0..nodes, 0..nodes, any::<bool>()), 0..=5),
    )
        .prop_map(move |(flips, chords)| {
            let ring = (0..nodes)
                .zip(flips)
                .map(|(node, flips)| (node, (node + 1) % nodes, flips));
            ring.chain(chords).collect()
        })
}

/// Lines that run forward, with cycles of two: passes back and forth.
fn passes(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    (dag(nodes), vec((0..nodes, any::<bool>()), 1..=3)).prop_map(move |(mut links, pairs)| {
        for (node, flips) in pairs {
            let other = (node + 1) % nodes;
            links.extend([(node, other, flips), (other, node, flips)]);
        }
        links
    })
}

fn links(nodes: u32) -> impl Strategy<Value = Vec<Link>> {
    prop_oneof![
        1 => tree(nodes),
        1 => dag(nodes),
        2 => rings(nodes),
        2 => passes(nodes),
        4 => any_links(nodes),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let score = || -6..=6;
    prop_oneof![
        2 => Just(Rule::Draw),
        2 => score().prop_map(Rule::Fixed),
        1 => (score(), score()).prop_map(|(black, white)| Rule::ByColour(black, white)),
        1 => score().prop_map(Rule::Maker),
        1 => score().prop_map(Rule::Marks),
        4 => prop_oneof![Just(0), Just(6), Just(9), Just(64)].prop_map(Rule::Check),
    ]
}

/// How the movers are chosen.
#[derive(Clone, Copy, Debug)]
enum Movers {
    /// Positions have colours, any colour anywhere.
    Colours,
    /// No colours; every edge changes the side, even on cycles of odd length.
    Turns,
    /// No colours; any edge may or may not change the side.
    Mixed,
}

/// Games of up to `most` positions.
pub(crate) fn game(most: u32) -> impl Strategy<Value = Game> {
    game_under(most, rule())
}

/// Games of up to `most` positions under these rules.
pub(crate) fn game_under(
    most: u32,
    rule: impl Strategy<Value = Rule>,
) -> impl Strategy<Value = Game> {
    let movers = prop_oneof![
        Just(Movers::Colours),
        Just(Movers::Turns),
        Just(Movers::Mixed)
    ];
    (1..=most, rule, movers).prop_flat_map(|(nodes, rule, movers)| {
        let n = nodes as usize;
        let payoffs = vec(prop::option::weighted(0.4, -9..=9), n);
        let colours = vec(any::<bool>(), n);
        let marked = vec(any::<bool>(), n);
        let ranks = prop_oneof![
            Just((0..nodes).collect()),
            vec(0..nodes, n),
            Just(vec![0; n])
        ];
        let limit = prop_oneof![Just(9), Just(64)];
        (links(nodes), payoffs, colours, marked, ranks, limit).prop_map(
            move |(links, payoffs, colours, marked, ranks, limit)| {
                let coloured = rule.needs_colours() || matches!(movers, Movers::Colours);
                let mut children = vec![Vec::new(); n];
                for (parent, child, bit) in links {
                    let flips = match movers {
                        _ if coloured => colours[parent as usize] != colours[child as usize],
                        Movers::Turns => true,
                        _ => bit,
                    };
                    children[parent as usize].push(Edge { child, flips });
                }
                let black = coloured.then_some(colours);
                Game {
                    children,
                    payoffs,
                    black,
                    marked,
                    ranks,
                    rule,
                    limit,
                }
            },
        )
    })
}
