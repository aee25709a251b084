//! What is a book worth to an engine? The built-in engine plays itself: one side moves by the book as long as it can, the other searches
//! each move.
//!
//! ```sh
//! obook import starter
//! cargo run --release --example book_match -- starter.obook
//! ```
//!
//! Each opening is played twice, so that either side has the book once. The openings are lines of the book that it finds balanced.

use obook::{Context, Probe};
use obook_engine::{Inside, Request, Searcher};
use obook_othello::Line;
use rayon::prelude::*;
use std::collections::HashSet;
use std::error::Error;

/// The level of the engine.
const LEVEL: u8 = 10;
/// The most openings, and their length in plies.
const OPENINGS: usize = 150;
const PLIES: usize = 10;
/// The most that either side is ahead after an opening, in discs, by the book.
const BALANCED: i16 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a book")?;
    let context = Context::default();
    let book = Probe::open(path, &context)?;
    let pairs = openings(&book)?
        .par_iter()
        .map(|opening| Ok([play(opening, &book, 0)?, play(opening, &book, 1)?]))
        .collect::<Result<Vec<_>, String>>()?;
    report(&pairs);
    Ok(())
}

/// Lines that the book has and finds balanced, in random order.
fn openings(book: &Probe) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut lines = vec![Line::new()];
    for _ in 0..PLIES {
        let mut seen = HashSet::new();
        let mut longer = Vec::new();
        for line in lines {
            let found = book.position(line.board())?;
            for link in found.iter().flat_map(|found| &found.links) {
                let mut line = line.clone();
                line.push(link.mv)?;
                if seen.insert(line.board().canonical()) {
                    longer.push(line);
                }
            }
        }
        lines = longer;
    }
    let mut balanced = Vec::new();
    for line in lines {
        let value = book.position(line.board())?.and_then(|found| found.value);
        if value.is_some_and(|value| value.abs() <= BALANCED) {
            balanced.push(line);
        }
    }
    fastrand::Rng::with_seed(1).shuffle(&mut balanced);
    balanced.truncate(OPENINGS);
    Ok(balanced)
}

/// A game from the point of view of the side with the book.
struct Game {
    discs: i16,
    /// Moves from the book.
    known: u32,
    /// Seconds that the side with the book, and the other one, searched.
    seconds: [f64; 2],
}

/// Plays an opening to the end. The side to move after `moves` further moves has the book.
fn play(opening: &Line, book: &Probe, moves: usize) -> Result<Game, String> {
    let mut engine = Inside::new();
    let mut board = opening.board();
    let mut has_book = moves == 0;
    let mut game = Game {
        discs: 0,
        known: 0,
        seconds: [0.0; 2],
    };
    while !board.is_over() {
        let found = match has_book {
            true => book.position(board).map_err(|error| error.to_string())?,
            false => None,
        };
        let mv = match found.and_then(|found| Some(found.moves().next()?.0)) {
            Some(mv) => {
                game.known += 1;
                mv
            }
            None => {
                let request = Request::new(board, LEVEL).map_err(|error| error.to_string())?;
                let answer = engine.search(&request);
                let answer = answer.map_err(|error| error.to_string())?;
                game.seconds[usize::from(!has_book)] += answer.time.as_secs_f64();
                answer.mv
            }
        };
        board = board.play(mv).ok_or("an illegal move")?;
        has_book = !has_book;
    }
    let discs = i16::from(board.final_score());
    game.discs = if has_book { discs } else { -discs };
    Ok(game)
}

/// Prints results, their error by pairs of games, and the time.
fn report(pairs: &[[Game; 2]]) {
    let each = || pairs.iter().flatten();
    let count = |sign: i16| each().filter(|game| game.discs.signum() == sign).count();
    let [won, drawn, lost] = [1, 0, -1].map(count);
    let by_pairs = |of: fn(&Game) -> f64| {
        let of_pair = move |pair: &[Game; 2]| pair.iter().map(of).sum::<f64>() / 2.0;
        mean(pairs.iter().map(of_pair))
    };
    let (share, error) = by_pairs(|game| f64::from(game.discs.signum() + 1) / 2.0);
    let (discs, uncertain) = by_pairs(|game| game.discs.into());
    let elo = |share: f64| -400.0 * (1.0 / share - 1.0).log10();
    let all = each().count() as f64;
    let sum = |of: &dyn Fn(&Game) -> f64| each().map(of).sum::<f64>() / all;
    let openings = pairs.len();
    println!("{all} games at level {LEVEL} from {openings} openings of {PLIES} plies");
    println!("with the book: {won} won, {drawn} drawn, {lost} lost");
    println!(
        "Elo {:+.0}, from {:+.0} to {:+.0}; discs a game {discs:+.2} ± {uncertain:.2} (one standard error each)",
        elo(share),
        elo(share - error),
        elo(share + error)
    );
    println!(
        "moves from the book: {:.1} a game; seconds a game: {:.2} with the book, {:.2} without",
        sum(&|game| game.known.into()),
        sum(&|game| game.seconds[0]),
        sum(&|game| game.seconds[1])
    );
}

/// The mean and its standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}
