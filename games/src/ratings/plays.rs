//! What games made of each position, by layers.

use crate::Score;
use obook_model::Outcomes;
use obook_othello::{CanonicalBoard, Line, Move, Side, SquareSet, Symmetry};
use std::collections::BTreeMap;

/// What games did in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Play {
    /// The position.
    pub board: CanonicalBoard,
    /// The squares that were played, in its orientation; of those that a symmetry of the board makes the same the first.
    pub squares: SquareSet,
    /// How the games went on that reached it, for the side to move.
    pub games: Outcomes,
}

/// The positions that games went through. Memory grows with the positions, not with the games.
#[derive(Clone, Debug)]
pub struct Plays {
    /// By the number of empty squares, 0 to 60.
    layers: Vec<Layer>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// In the order of the boards, each once, up to here; behind it as they come.
    plays: Vec<Play>,
    sorted: usize,
    /// The games that ended in one of them.
    ends: BTreeMap<CanonicalBoard, Outcomes>,
}

/// A layer is put in order when so many positions are new, or as many as there were.
const NEW: usize = 4096;
const NONE: Outcomes = Outcomes {
    wins: 0,
    draws: 0,
    losses: 0,
};

impl Default for Plays {
    fn default() -> Plays {
        Plays {
            layers: vec![Layer::default(); 65],
        }
    }
}

impl Plays {
    /// Adds a game with its result.
    pub fn add(&mut self, line: &Line, score: Score) {
        let mut board = line.start();
        // The side that moves first is the one that moves last where the number of moves is even.
        let mut side = match line.moves().len() % 2 {
            0 => line.side(),
            _ => line.side().other(),
        };
        let result = |side| match side {
            Side::Black => score.get(),
            Side::White => -score.get(),
        };
        for mv in line.moves() {
            let (canonical, symmetry) = board.canonicalize();
            self.push(canonical, Some(symmetry.play(*mv)), result(side));
            board = board.play(*mv).expect("a line's moves are legal");
            side = side.other();
        }
        self.push(board.canonical(), None, result(side));
    }

    /// Adds what one game did in one position: the move, in the position's orientation, or that the game ended there; and the
    /// game's result for the side to move.
    pub fn push(&mut self, board: CanonicalBoard, mv: Option<Move>, score: i8) {
        let one = match score.signum() {
            1 => Outcomes { wins: 1, ..NONE },
            0 => Outcomes { draws: 1, ..NONE },
            _ => Outcomes { losses: 1, ..NONE },
        };
        let layer = &mut self.layers[board.board().empties() as usize];
        let mut squares = SquareSet::default();
        match mv {
            Some(Move::Place(square)) => {
                let images = symmetries(board).map(|symmetry| symmetry.square(square));
                squares.0 = images.min().unwrap_or(square).bit();
            }
            Some(Move::Pass) => {}
            None => {
                let ended = layer.ends.entry(board).or_insert(NONE);
                *ended = sum(*ended, one);
            }
        }
        let games = one;
        layer.plays.push(Play {
            board,
            squares,
            games,
        });
        if layer.plays.len() - layer.sorted > layer.sorted.max(NEW) {
            layer.put_in_order();
        }
    }

    /// The position, where a game went through it; after [`Plays::put_in_order`].
    pub(super) fn find(&self, board: CanonicalBoard) -> Option<&Play> {
        let plays = self.layers[board.board().empties() as usize].plays();
        let at = plays.binary_search_by_key(&board, |play| play.board);
        at.ok().map(|at| &plays[at])
    }

    pub(super) fn put_in_order(&mut self) {
        self.layers.iter_mut().for_each(Layer::put_in_order);
    }

    /// Layer by layer, those with the fewest empty squares first, each in the order of its boards.
    pub(super) fn layers(&mut self) -> impl Iterator<Item = &Layer> {
        self.put_in_order();
        self.layers.iter()
    }
}

impl Layer {
    pub(super) fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// The games that ended in a position.
    pub(super) fn ended(&self, board: CanonicalBoard) -> Option<Outcomes> {
        self.ends.get(&board).copied()
    }

    fn put_in_order(&mut self) {
        if self.sorted == self.plays.len() {
            return;
        }
        // Two sorted runs, which a stable sort merges where it finds them.
        self.plays[self.sorted..].sort_by_key(|play| play.board);
        self.plays.sort_by_key(|play| play.board);
        self.plays.dedup_by(|more, play| {
            let same = more.board == play.board;
            if same {
                play.squares.0 |= more.squares.0;
                play.games = sum(play.games, more.games);
            }
            same
        });
        self.sorted = self.plays.len();
    }
}

impl Play {
    /// Mean result for the side to move, 0 to 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        mean(self.games)
    }

    /// How many games reached it.
    #[must_use]
    pub fn count(&self) -> u64 {
        count(self.games)
    }

    /// How many moves there are, those that a symmetry of the board makes the same counted once; a pass is one.
    #[must_use]
    pub fn legal(&self) -> usize {
        let legal = self.board.board().legal_moves();
        if legal.is_empty() {
            return usize::from(self.board.board().must_pass());
        }
        let symmetries: Vec<Symmetry> = symmetries(self.board).collect();
        let is_first = |square| symmetries.iter().all(|at| at.square(square) >= square);
        legal.iter().filter(|square| is_first(*square)).count()
    }
}

/// The symmetries that leave a board as it is.
fn symmetries(board: CanonicalBoard) -> impl Iterator<Item = Symmetry> {
    let keeps = move |symmetry: &Symmetry| symmetry.board(board.board()) == board.board();
    Symmetry::ALL.into_iter().filter(keeps)
}

pub(super) fn count(games: Outcomes) -> u64 {
    u64::from(games.wins) + u64::from(games.draws) + u64::from(games.losses)
}

/// 1 for a game won, 1/2 for a draw.
pub(super) fn mean(games: Outcomes) -> f64 {
    (f64::from(games.wins) + f64::from(games.draws) / 2.0) / count(games) as f64
}

/// Saturating, as counts of outcomes do.
fn sum(one: Outcomes, other: Outcomes) -> Outcomes {
    Outcomes {
        wins: one.wins.saturating_add(other.wins),
        draws: one.draws.saturating_add(other.draws),
        losses: one.losses.saturating_add(other.losses),
    }
}
