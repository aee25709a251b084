//! The book for benchmarks: `OBOOK_BENCH_SIZE` positions of random games, or your own book in `OBOOK_BENCH_BOOK`.

#![allow(dead_code, reason = "each benchmark uses a part of it")]

use obook::write::fix::{Steps, recompute};
use obook::{Context, Store};
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::imported::import_file;
use std::collections::HashSet;
use std::path::Path;

/// Positions of the random book by default: enough for all threads, and quick to measure.
const POSITIONS: usize = 100_000;

/// Xorshift, so every run measures the same book.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Games that mostly play a position's favourite move, so that lines share long beginnings, as in real books. Books of different
/// seeds share these beginnings.
pub(crate) fn random_book(positions: usize, seed: u64) -> Vec<Position> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
    let (mut boards, mut known) = (Vec::new(), HashSet::new());
    while boards.len() < positions {
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
        let mv = board.board().moves().next();
        let score = match mv {
            Some(_) => random.below(21) as i8 - 10,
            None => board.board().final_score(),
        };
        position.leaf = Some(Leaf {
            mv,
            score,
            level: None,
            engine: Engine::Edax,
        });
        position
    };
    boards.into_iter().map(leaf).collect()
}

/// The positions, each with or without a leaf; your own book unchanged.
pub(crate) fn book() -> Vec<Position> {
    let Some(path) = std::env::var_os("OBOOK_BENCH_BOOK") else {
        let size = std::env::var("OBOOK_BENCH_SIZE");
        let size = size.map(|size| size.parse().expect("OBOOK_BENCH_SIZE is a number"));
        return random_book(size.unwrap_or(POSITIONS), 0);
    };
    let book = BookReader::open(path, None).expect("OBOOK_BENCH_BOOK is a book");
    let positions = book.positions_parallel().collect::<Result<_, _>>();
    positions.expect("the book is in order")
}

/// Edax's text format of these positions.
pub(crate) fn write_text(file: &Path, positions: &[Position]) {
    let handle = std::fs::File::create(file).expect("a temporary file");
    let header = Header {
        count: Some(positions.len() as i64),
        ..Header::default()
    };
    let mut writer = BookWriter::new(handle, Format::EdaxText, &header, None).expect("a header");
    for position in positions {
        writer.write(position).expect("a record");
    }
    writer.finish().expect("a whole book");
}

/// A fixed database of these positions.
pub(crate) fn make(book: &Path, positions: &[Position]) {
    let file = book.with_extension("dat");
    write_text(&file, positions);
    import_file(&file, book, &Context::new("bench")).expect("a book");
    recompute(
        &mut Store::open_for_writing(book, &Context::new("bench")).unwrap(),
        Steps::Fix { rules: None },
    )
    .expect("a database");
}
