//! Reading on one of rayon's workers must not wait for work queued behind it.
//!
//! This is a program of its own because the pool is global.

use obook_converters::BookReader;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/games.dat");

#[test]
fn a_pool_of_one_worker_can_read_its_own_batches() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .unwrap();
    let read = || {
        let book = BookReader::open(BOOK, None).unwrap();
        book.positions_parallel().map(Result::unwrap).count()
    };
    let mut counts = (0, 0);
    rayon::scope(|scope| {
        assert_eq!(rayon::current_num_threads(), 1);
        scope.spawn(|_| counts.0 = read());
    });
    rayon::scope(|scope| scope.spawn(|_| counts.1 = read()));
    assert_eq!(counts, (2247, 2247));
}
