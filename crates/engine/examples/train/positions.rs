//! The positions to learn from: those of tournament games, and openings as a book has them.

use crate::samples::searched;
use obook_engine::{Evaluator, Inside, Request, Searcher};
use obook_games::{Error, Format, Reader};
use obook_othello::{Board, Line, Move, Side};
use rayon::prelude::*;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Games from this year on are kept for tests.
pub(crate) const HELD_OUT_FROM: u16 = 2016;

/// The boards of a game, each with the side to move, without those before a pass.
pub(crate) type Game = Vec<(Board, Side)>;

/// Reads the games of all `.wtb` files in a folder, in the order of the names, each with its year or 0.
pub(crate) fn read(folder: &Path) -> Result<Vec<(u16, Game)>, Error> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| Format::from_extension(path) == Some(Format::Wthor));
    files.sort();
    let mut games = Vec::new();
    for file in files {
        for entry in Reader::open(&file, None)? {
            let game = entry?.game;
            let year = game.date.year().unwrap_or(0);
            games.push((year, boards(game.line())));
        }
    }
    Ok(games)
}

/// The boards of a line.
fn boards(line: &Line) -> Game {
    let next = line.moves().iter().map(Some).chain([None]);
    let positions = line.positions().zip(next);
    let kept = positions.filter(|(_, next)| *next != Some(&Move::Pass));
    kept.map(|(position, _)| position).collect()
}

/// Chooses distinct positions of games. Most are after one or two random moves, because searches meet bad moves too.
pub(crate) fn choose(games: &[(u16, Game)], held_out: bool, count: usize, seed: u64) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(seed);
    let games: Vec<&Game> = games
        .iter()
        .filter(|(year, _)| (*year >= HELD_OUT_FROM) == held_out)
        .map(|(_, game)| game)
        .collect();
    let mut known = HashSet::new();
    let mut chosen = Vec::new();
    let mut tries = 0;
    while chosen.len() < count && tries < 20 * count && !games.is_empty() {
        tries += 1;
        let game = games[random.usize(..games.len())];
        let (mut board, _) = game[random.usize(..game.len())];
        let strays = [0, 0, 1, 1, 2][random.usize(..5)];
        for _ in 0..strays {
            let children: Vec<(Move, Board)> = board.children().collect();
            let Some((_, child)) = random.choice(children) else {
                break;
            };
            board = child;
        }
        board = board.play(Move::Pass).unwrap_or(board);
        if !board.is_over() && known.insert(board.canonical()) {
            chosen.push(board);
        }
    }
    chosen
}

/// Each walk ends at a random number of empty squares in this range.
const EMPTIES: std::ops::Range<u32> = 34..57;

/// The distinct positions at the ends of `count` walks from the start position, whose moves lose at most `loss` discs at `level`.
pub(crate) fn ends(
    count: usize,
    evaluator: &Arc<Evaluator>,
    loss: i8,
    level: u8,
    seed: u64,
) -> Vec<Board> {
    let numbers = (0..count).into_par_iter().with_max_len(256);
    let ends = searched(numbers, evaluator, |inside, number| {
        let seed = seed.wrapping_mul(1 << 32).wrapping_add(number as u64);
        walk(inside, loss, level, seed)
    });
    let mut known = HashSet::new();
    ends.into_iter()
        .filter(|board| !board.is_over() && known.insert(board.canonical()))
        .collect()
}

/// The maximum loss of each move of a walk, in discs, by a search at [`STRAY_LEVEL`].
const STRAY: i8 = 4;
const STRAY_LEVEL: u8 = 2;

/// Positions to train on: of games, and of the ends of walks.
pub(crate) fn mixed(
    games: &[(u16, Game)],
    of_games: usize,
    of_walks: usize,
    evaluator: &Arc<Evaluator>,
    seed: u64,
) -> Vec<Board> {
    let mut boards = choose(games, false, of_games, seed);
    boards.extend(ends(of_walks, evaluator, STRAY, STRAY_LEVEL, seed));
    boards
}

fn walk(inside: &mut Inside, loss: i8, level: u8, seed: u64) -> Board {
    let mut random = fastrand::Rng::with_seed(seed);
    let empties = random.u32(EMPTIES);
    let mut board = Board::START;
    while board.empties() > empties && !board.is_over() {
        let scored = board.children().map(|(_, child)| {
            let request = Request::new(child, level).ok();
            let answer = request.and_then(|request| inside.search(&request).ok());
            let score = answer.map_or_else(|| child.final_score(), |answer| answer.score);
            (child, -score)
        });
        let mut near: Vec<(Board, i8)> = scored.collect();
        let best = near.iter().map(|(_, score)| *score).max().unwrap_or(0);
        near.retain(|(_, score)| *score >= best - loss);
        board = random.choice(near).map_or(board, |(child, _)| child);
    }
    board.play(Move::Pass).unwrap_or(board)
}
