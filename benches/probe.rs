//! Look-ups of single positions, in random order, on one thread and on all cores: with a [`Probe`], with a [`Store`], from memory, and of
//! the key alone, which a program in any language does in SQL.
//!
//! `OBOOK_BENCH_SIZES=400000 cargo bench --bench probe` measures other sizes, `OBOOK_BENCH_BOOK=book.obook` your own book.

mod bench_book;

use bench_book::{make, random_book};
use obook::othello::Symmetry;
use obook::read::book::load_in_slabs;
use obook::{Board, Book, Context, Lookup, Probe, Store};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

/// Look-ups of each thread. Two in a hundred are of boards that the book lacks.
const LOOK_UPS: usize = 200_000;

fn main() {
    if let Some(book) = std::env::var_os("OBOOK_BENCH_BOOK") {
        return measure(Path::new(&book));
    }
    let sizes = std::env::var("OBOOK_BENCH_SIZES");
    let sizes = sizes.unwrap_or_else(|_| String::from("1000000,4000000"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for size in sizes.split(',') {
        let book: PathBuf = folder.path().join("book.obook");
        let size = size.trim().parse().expect("a number of positions");
        make(&book, &random_book(size, 0));
        measure(&book);
    }
}

fn measure(path: &Path) {
    let context = Context::default();
    let open = || Book::open(path, &context).expect("a book");
    let store = Store::open(path, &context).expect("a database");
    let positions = store.positions().expect("positions");
    let mut boards: Vec<Board> = positions
        .map(|it| it.expect("a row").board.board())
        .collect();
    println!("{} positions", boards.len());
    let mut random = fastrand::Rng::with_seed(1);
    random.shuffle(&mut boards);
    boards.truncate(LOOK_UPS);
    for (number, board) in boards.iter_mut().enumerate() {
        *board = Symmetry::ALL[number % 8].board(match number % 50 {
            0 => board.passed(),
            _ => *board,
        });
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let probe = Probe::open(path, &context).expect("a probe");
    let sql = "SELECT value FROM positions WHERE board = ?";
    timed("SELECT value by key, one connection", 1, &boards, || {
        let store = Store::open(path, &context).expect("a database");
        move |board| {
            let mut select = store.connection().prepare_cached(sql).expect("a query");
            select
                .exists([board.canonical().to_key()])
                .expect("an answer")
        }
    });
    timed("Store::position, one thread", 1, &boards, || {
        let store = Store::open(path, &context).expect("a database");
        move |board| {
            store
                .position(board.canonical())
                .expect("an answer")
                .is_some()
        }
    });
    for threads in [1, cores] {
        let ask = || |board| probe.position(board).expect("an answer").is_some();
        timed("Probe::position", threads, &boards, ask);
    }
    let graph = load_in_slabs(&open(), &context)
        .expect("a book")
        .into_graph();
    let graph = graph.expect("enough memory");
    let memory = Probe::of(Lookup::Memory(graph, path.to_owned())).expect("a probe");
    for threads in [1, cores] {
        let ask = || |board| memory.position(board).expect("an answer").is_some();
        timed("Probe::position, in memory", threads, &boards, ask);
    }
}

/// Asks about all boards on each of some threads, twice, because the first time reads the file.
fn timed<A: FnMut(Board) -> bool + Send>(
    what: &str,
    threads: usize,
    boards: &[Board],
    begin: impl Fn() -> A,
) {
    let mut asks: Vec<A> = (0..threads).map(|_| begin()).collect();
    let mut run = || {
        let start = Instant::now();
        thread::scope(|scope| {
            for ask in &mut asks {
                scope.spawn(|| boards.iter().filter(|board| ask(**board)).count());
            }
        });
        start.elapsed().as_secs_f64()
    };
    run();
    let each = boards.len() as f64 / run();
    println!("{what}, {threads} threads: {each:.0} a second and thread");
}
