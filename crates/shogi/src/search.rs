//! A small search, and games between evaluations.
//!
//! It is there to tell what an evaluation is worth: alpha-beta to a fixed depth, then captures until the position is quiet.

use crate::effects::value;
use crate::games::{End, Game, Positions};
use crate::{Board, Colour, Move, Repetition};
use rayon::prelude::*;

/// The score of a position in which the side to move has won; a mate in n plies is worth n less.
pub const MATE: i32 = 1_000_000;
/// The most captures after the fixed depth.
const CAPTURES: u32 = 4;

/// Gives a position's score in centipawns for the side to move.
pub type Evaluate = fn(&Board) -> i32;

/// The best move and its score after looking this many plies ahead; `None` if there is no legal move. Of equally good moves it is the first
/// of `moves`, which [`Board::children`] gives.
///
/// ```
/// use obook_shogi::effects::Evaluation;
/// use obook_shogi::search::{MATE, best};
/// use obook_shogi::{Board, Sfen};
///
/// let Sfen { board, .. } = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1".parse()?;
/// let evaluate = |board: &Board| Evaluation::new(board).score();
/// let (mv, score) = best(&board, board.children(), 1, evaluate).ok_or("a move")?;
/// assert_eq!((mv.to_string().as_str(), score), ("G*5b", MATE - 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn best(
    board: &Board,
    mut moves: Vec<(Move, Board)>,
    depth: u32,
    evaluate: Evaluate,
) -> Option<(Move, i32)> {
    order(board, &mut moves);
    let mut best: Option<(Move, i32)> = None;
    for (mv, child) in moves {
        let alpha = best.map_or(-MATE, |(_, score)| score);
        let left = depth.saturating_sub(1).saturating_add(CAPTURES);
        let score = -negamax(&child, left, 1, -MATE, -alpha, evaluate);
        if best.is_none_or(|(_, known)| score > known) {
            best = Some((mv, score));
        }
    }
    best
}

/// The score of a position, if it lies between `alpha` and `beta`; or else a bound beyond them. It looks this many plies ahead. In the
/// last ones, which are as many as [`CAPTURES`], the side to move captures as long as that pays, and in check looks at all moves.
fn negamax(
    board: &Board,
    left: u32,
    ply: i32,
    mut alpha: i32,
    beta: i32,
    evaluate: Evaluate,
) -> i32 {
    let is_last = left <= CAPTURES;
    let in_check = board.is_check();
    let may_stand = is_last && !in_check;
    let mut best = match may_stand {
        true => evaluate(board),
        false => ply - MATE,
    };
    if left == 0 {
        return match in_check && !board.is_lost() {
            true => evaluate(board),
            false => best,
        };
    }
    if is_last {
        alpha = alpha.max(best);
        if alpha >= beta {
            return best;
        }
    }
    let mut moves = board.children();
    if may_stand {
        moves.retain(|(mv, _)| board.piece(mv.to()).is_some());
    }
    order(board, &mut moves);
    for (_, child) in moves {
        let score = -negamax(&child, left - 1, ply + 1, -beta, -alpha, evaluate);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Puts captures of valuable pieces by cheap ones first, then promotions.
fn order(board: &Board, moves: &mut [(Move, Board)]) {
    let worth = |at| board.piece(at).map_or(0, |piece| value(piece.kind));
    moves.sort_by_key(|&(mv, _)| {
        let captured = 16 * worth(mv.to());
        let (promotion, mover) = match mv {
            Move::Step { from, promotes, .. } => (i32::from(promotes), worth(from)),
            Move::Drop { .. } => (0, 0),
        };
        -(captured + promotion * 100 - if captured > 0 { mover } else { 0 })
    });
}

/// The longest game of a match, in moves. It is a draw.
const LONGEST: usize = 256;

/// Plays a game from the end of an opening: Black searches by the first evaluation, White by the second. Of equally good moves one is
/// chosen by `random`.
#[must_use]
pub fn play(
    opening: &Game,
    depth: u32,
    evaluate: [Evaluate; 2],
    random: &mut fastrand::Rng,
) -> Game {
    let mut game = opening.clone();
    let mut positions = Positions::default();
    opening.positions().for_each(|board| positions.add(&board));
    while game.moves().len() < LONGEST {
        let board = *game.board();
        let mut moves = board.children();
        random.shuffle(&mut moves);
        let Some((mv, _)) = best(&board, moves, depth, evaluate[board.turn() as usize]) else {
            game.end(End::Mate);
            return game;
        };
        game.play(mv).expect("the search finds legal moves");
        positions.add(game.board());
        if let Some(repetition) = positions.verdict() {
            game.end(match repetition {
                Repetition::Draw => End::Repetition,
                Repetition::Perpetual(by) => End::Foul(by),
            });
            return game;
        }
    }
    game.end(End::BrokenOff);
    game
}

/// How many random moves an opening has.
const OPENING: usize = 6;
/// How much better one side may be after it, by pieces alone.
const EVEN: i32 = 100;

/// A random opening after which the pieces are even.
#[must_use]
pub fn opening(random: &mut fastrand::Rng) -> Game {
    loop {
        let mut game = Game::default();
        while game.moves().len() < OPENING
            && let Some(mv) = random.choice(game.board().legal_moves())
        {
            game.play(mv).expect("it is legal");
        }
        let pieces = |board: &Board| crate::effects::Evaluation::without_effects(board).score();
        let even = best(game.board(), game.board().children(), 2, pieces);
        if even.is_some_and(|(_, score)| score.abs() <= EVEN) {
            return game;
        }
    }
}

/// Plays pairs of games on all cores: the same random opening twice, the first evaluation with Black and then with White. The games
/// depend on nothing but the arguments. `done` is called after each pair.
#[must_use]
pub fn play_pairs(
    pairs: u64,
    depth: u32,
    [one, other]: [Evaluate; 2],
    seed: u64,
    done: impl Fn() + Sync,
) -> Vec<[Game; 2]> {
    let pair = |number: u64| {
        let mut random = fastrand::Rng::with_seed((seed << 32).wrapping_add(number));
        let opening = opening(&mut random);
        let games =
            [[one, other], [other, one]].map(|sides| play(&opening, depth, sides, &mut random));
        done();
        games
    };
    (0..pairs).into_par_iter().map(pair).collect()
}

/// The results of a match in pairs of games, in which each side has Black once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Games won by the first evaluation.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games lost by the first evaluation.
    pub losses: u64,
    /// Of each pair, the share that the first evaluation scored: 0, 1/4, … 1.
    pairs: Vec<f64>,
}

impl Score {
    /// Adds a pair: the first evaluation had Black, then White.
    pub fn add(&mut self, pair: [&Game; 2]) {
        let mut points = 0.0;
        for (game, side) in pair.into_iter().zip(Colour::ALL) {
            let result = game.outcome.map_or(0, |outcome| outcome.for_side(side));
            *match result {
                1 => &mut self.wins,
                0 => &mut self.draws,
                _ => &mut self.losses,
            } += 1;
            points += (f64::from(result) + 1.0) / 2.0;
        }
        self.pairs.push(points / 2.0);
    }

    /// The share of the points that the first evaluation scored.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.pairs.iter().sum::<f64>() / self.pairs.len() as f64
    }

    /// The difference of strength in Elo, with the ends of its 95 % interval. Infinite if one side won all games.
    ///
    /// The games of a pair have the same opening, so a pair counts as one.
    #[must_use]
    pub fn elo(&self) -> [f64; 3] {
        let (share, count) = (self.share(), self.pairs.len() as f64);
        let squares = self.pairs.iter().map(|pair| (pair - share).powi(2));
        let error = (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt();
        let elo = |share: f64| -400.0 * (1.0 / share.clamp(0.0, 1.0) - 1.0).log10();
        [share - 1.96 * error, share, share + 1.96 * error].map(elo)
    }
}
