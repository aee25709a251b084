//! A component solved backwards from its payoffs.

use crate::graph::{Edge, Score};
use std::cmp::Reverse;

/// A game in which a repetition is worth 0 to both sides. (A game where it is worth something else is made one by
/// counting scores from there.)
pub(crate) struct Arena {
    /// How many positions it has, numbered from 0.
    pub(crate) nodes: usize,
    /// Parent and edge.
    pub(crate) edges: Vec<(u32, Edge)>,
    /// Position, and what its mover gets by leaving the arena there.
    pub(crate) exits: Vec<(u32, Score)>,
}

impl Arena {
    /// The score of every position.
    ///
    /// Exits are taken in the order of their distance from 0, and all that follows from an exit has its distance. So
    /// the first option above 0 that a position gets is the best for its mover, and if all its options are below 0,
    /// the last one to come is the best. What is never reached has a move that keeps the game going, and no better
    /// one: 0.
    pub(crate) fn solve(mut self) -> Vec<Score> {
        self.exits
            .sort_unstable_by_key(|&(_, score)| Reverse(score.unsigned_abs()));
        self.edges.sort_unstable_by_key(|&(_, edge)| edge.child);
        let mut first_parent = vec![0; self.nodes + 1];
        let mut board = Scoreboard {
            left: vec![0; self.nodes],
            scores: vec![0; self.nodes],
        };
        for &(parent, edge) in &self.edges {
            first_parent[edge.child as usize + 1] += 1;
            board.left[parent as usize] += 1;
        }
        for child in 0..self.nodes {
            first_parent[child + 1] += first_parent[child];
        }
        for &(node, _) in &self.exits {
            board.left[node as usize] += 1;
        }

        let mut news = Vec::new();
        for (node, score) in self.exits {
            if board.offer(node, score) {
                news.push(node);
            }
            while let Some(child) = news.pop() {
                let score = board.scores[child as usize];
                let parents = first_parent[child as usize]..first_parent[child as usize + 1];
                for &(parent, edge) in &self.edges[parents] {
                    if board.offer(parent, edge.carry(score)) {
                        news.push(parent);
                    }
                }
            }
        }
        board.scores
    }
}

struct Scoreboard {
    /// How many options of a position have not turned out to be below 0.
    left: Vec<u32>,
    /// 0 while nothing better, or worse, is known.
    scores: Vec<Score>,
}

impl Scoreboard {
    /// Tells a position what one of its options is worth; whether that decides its score.
    fn offer(&mut self, node: u32, option: Score) -> bool {
        let at = node as usize;
        if self.scores[at] != 0 || option == 0 {
            return false;
        }
        if option < 0 {
            self.left[at] -= 1;
            if self.left[at] > 0 {
                return false;
            }
        }
        self.scores[at] = option;
        true
    }
}
