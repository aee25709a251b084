//! Reading on one of rayon's workers must not wait for work queued behind it.

use obook_converters::BookReader;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/games.dat");

#[test]
fn a_pool_of_one_worker_can_read_its_own_batches() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().unwrap();
    let read = || {
        assert_eq!(rayon::current_num_threads(), 1);
        let book = BookReader::open(BOOK, None).unwrap();
        book.positions_parallel().map(Result::unwrap).count()
    };
    assert_eq!(pool.install(read), 2247);
    // Work that a scope spawns.
    let mut count = 0;
    pool.scope(|scope| scope.spawn(|_| count = read()));
    assert_eq!(count, 2247);
}
