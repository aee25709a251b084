//! Building, linking and computing a book of random games, and giving it out again in order.
//!
//! `OBOOK_BENCH_BOOK=book.dat cargo bench --bench negamax` measures on a book of your own.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use obook::graph::Graph;
use obook::link::link;
use obook::negamax::{Rules, negamax};
use obook::passes::restore_passes;
use obook_converters::{BookReader, Engine, Leaf, Position};
use obook_othello::{Board, CanonicalBoard, Move};
use std::collections::HashSet;
use std::hint::black_box;

/// Positions of the random book: enough for every thread, and soon measured.
const POSITIONS: usize = 100_000;

const EDAX: Rules = Rules::Edax {
    midgame_error: 2,
    endcut_error: 1,
};

const EGAROUCID: Rules = Rules::Egaroucid {
    edax_compliant: true,
};

/// Xorshift: every run measures the same book.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Games that mostly play the favourite move of a position, so that lines share long beginnings, as they do in books.
fn random_book() -> Vec<Position> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut boards, mut known) = (Vec::new(), HashSet::new());
    while boards.len() < POSITIONS {
        let mut board = Board::START;
        for _ in 0..36 {
            let canonical = board.canonical();
            if known.insert(canonical) {
                boards.push(canonical);
            }
            board = canonical.board();
            let moves: Vec<Move> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            let favourite = (board.player() ^ board.opponent()) as usize % moves.len();
            let detour = if random.below(4) == 0 {
                random.below(moves.len())
            } else {
                0
            };
            let mv = moves[(favourite + detour) % moves.len()];
            board = board.play(mv).expect("the move is legal");
        }
    }
    let leaf = |board: CanonicalBoard| {
        let mut position = Position::new(board, Engine::Edax);
        position.level = Some(21);
        position.leaf = board.board().moves().next().map(|mv| Leaf {
            mv: Some(mv),
            score: random.below(21) as i8 - 10,
            level: None,
        });
        position
    };
    boards.into_iter().map(leaf).collect()
}

fn book() -> Vec<Position> {
    let Some(path) = std::env::var_os("OBOOK_BENCH_BOOK") else {
        return random_book();
    };
    let book = BookReader::open(path, None).expect("OBOOK_BENCH_BOOK is a book");
    let positions = book.positions_parallel().collect::<Result<_, _>>();
    positions.expect("the book is in order")
}

fn build(book: &[Position]) -> Graph {
    let mut builder = Graph::builder();
    book.iter()
        .cloned()
        .for_each(|position| builder.push(position));
    builder.finish().expect("the book fits").0
}

fn measure(criterion: &mut Criterion) {
    let book = book();
    let mut graph = build(&book);
    let mut group = criterion.benchmark_group("negamax");
    group.throughput(Throughput::Elements(book.len() as u64));
    group.sample_size(10);
    group.bench_function("build", |bencher| bencher.iter(|| build(&book)));
    group.bench_function("restore_passes", |bencher| {
        bencher.iter_batched_ref(|| graph.clone(), restore_passes, BatchSize::PerIteration);
    });
    group.bench_function("link", |bencher| {
        bencher.iter_batched_ref(|| graph.clone(), link, BatchSize::PerIteration);
    });
    link(&mut graph).expect("the links fit");
    group.bench_function("edax", |bencher| bencher.iter(|| negamax(&mut graph, EDAX)));
    group.bench_function("egaroucid", |bencher| {
        bencher.iter(|| negamax(&mut graph, EGAROUCID));
    });
    group.bench_function("positions", |bencher| {
        bencher.iter(|| {
            graph
                .positions()
                .for_each(|position| drop(black_box(position)))
        });
    });
    group.finish();
}

criterion_group!(benches, measure);
criterion_main!(benches);
