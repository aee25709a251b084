//! Building, linking and computing a book of random games, and reading it in order.
//!
//! `OBOOK_BENCH_BOOK=book.dat cargo bench --bench negamax` measures your own book.

mod bench_book;

use bench_book::book;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::restore_passes;
use obook_graph::slabs::Slabs;
use obook_othello::Position;
use std::hint::black_box;

const EDAX: Scoring = Scoring::Edax {
    midgame_error: 2,
    endcut_error: 1,
};

const EGAROUCID: Scoring = Scoring::Egaroucid {
    edax_compliant: true,
};

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
        let book = || Slabs::from(graph.clone());
        bencher.iter_batched_ref(book, restore_passes, BatchSize::PerIteration);
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
