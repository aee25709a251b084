//! The speed of obook's own engine: estimates, midgame leaves by level, exact endgames.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use obook_engine::{Evaluator, Inside, Request, Searcher};
use obook_othello::{Board, Line, Move};
use std::hint::black_box;

/// A position of a random game with this many empty squares: the same ones for ever, so that figures can be compared.
fn random(empties: u32, seed: u64) -> Board {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let mut board = Board::START;
        while board.empties() > empties && !board.is_over() {
            let moves: Vec<Move> = board.moves().collect();
            board = board
                .play(moves[random.usize(..moves.len())])
                .expect("legal");
        }
        if board.empties() == empties && !board.is_over() {
            return board;
        }
    }
}

fn estimate(criterion: &mut Criterion) {
    let evaluator = Evaluator::built_in();
    let board = random(30, 1);
    criterion.bench_function("estimate", |bencher| {
        bencher.iter(|| evaluator.estimate(black_box(board)));
    });
}

/// A well-known opening, 46 empty squares.
fn midgame(criterion: &mut Criterion) {
    let line: Line = "f5d6c3d3c4f4f6b4c2e6f3e3d2c5".parse().expect("a line");
    for level in [1, 5, 10, 15] {
        let request = Request::new(line.board(), level).expect("moves are left");
        let mut inside = Inside::new();
        criterion.bench_function(&format!("midgame leaf, level {level}"), |bencher| {
            bencher.iter(|| inside.search(&request).expect("no limit"));
        });
    }
}

fn endgame(criterion: &mut Criterion) {
    for empties in [10, 14, 18] {
        let mut inside = Inside::new();
        let mut seed = 0;
        criterion.bench_function(&format!("exact, {empties} empty squares"), |bencher| {
            bencher.iter_batched(
                || {
                    seed += 1;
                    Request::new(random(empties, seed % 16), 60).expect("moves are left")
                },
                |request| inside.search(&request).expect("no limit"),
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = estimate, midgame, endgame
}
criterion_main!(benches);
