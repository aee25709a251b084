//! The hot path of a book: moves, flips, playing and canonicalising, over boards of every stage; and perft.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use obook_othello::{Board, Move, Square, Symmetry, perft};
use std::hint::black_box;

#[path = "../tests/support/playout.rs"]
mod playout;

/// Boards of random games, each with a legal move: too many, in too many orientations, for branch prediction to learn.
fn boards() -> Vec<(Board, Square)> {
    (0..1000)
        .flat_map(|seed| {
            let symmetry = Symmetry::ALL[seed as usize % 8];
            playout::playout(seed)
                .into_iter()
                .map(move |(board, mv)| (symmetry.board(board), symmetry.play(mv)))
        })
        .filter_map(|(board, mv)| match mv {
            Move::Place(square) => Some((board, square)),
            Move::Pass => None,
        })
        .collect()
}

fn rules(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("rules");
    group.throughput(Throughput::Elements(boards.len() as u64));
    // Fold all answers into one number: a black box per board would cost more than the call.
    let mut bench = |name: &str, work: fn(Board, Square) -> u64| {
        group.bench_function(name, |b| {
            b.iter(|| {
                black_box(&boards)
                    .iter()
                    .fold(0u64, |sum, &(board, square)| {
                        sum.wrapping_add(work(board, square))
                    })
            })
        });
    };
    bench("legal_moves", |board, _| board.legal_moves().0);
    bench("flips", |board, square| board.flips(square).0);
    bench("play", |board, square| {
        board
            .play(Move::Place(square))
            .map_or(0, |child| child.player() ^ child.opponent())
    });
    bench("canonical", |board, _| {
        let canonical = board.canonical().board();
        canonical.player() ^ canonical.opponent()
    });
    bench("canonicalize", |board, square| {
        let (canonical, symmetry) = board.canonicalize();
        canonical.board().player()
            ^ canonical.board().opponent()
            ^ u64::from(symmetry.square(square).index())
    });
    group.finish();
}

fn leaves(c: &mut Criterion) {
    const LEAVES: u64 = 212_258_800;
    assert_eq!(perft(Board::START, 11), LEAVES);
    let mut group = c.benchmark_group("perft");
    group.sample_size(10);
    group.throughput(Throughput::Elements(LEAVES));
    group.bench_function("11", |b| b.iter(|| perft(black_box(Board::START), 11)));
    group.finish();
}

criterion_group!(benches, rules, leaves);
criterion_main!(benches);
