//! Look-ups in book files.

use obook::read::lookup::Lookup;
use obook::{Book, Context, Error, StoreError};
use obook_othello::{Board, CanonicalBoard, Line};
use obook_testing::golden::golden;

/// A book file that doesn't fit in memory is looked up in a temporary database, with the same answers.
#[test]
fn look_ups_need_little_memory() {
    for name in ["games.dat", "egaroucid/games.mixed.egbk3"] {
        let file = golden(name);
        let [whole, small] = [None, Some(1)].map(|memory| {
            let context = Context::new("test").with_memory(memory);
            Lookup::new(Book::open(&file, &context).unwrap(), &context).unwrap()
        });
        let Lookup::Memory(graph, _) = &whole else {
            panic!("{name} fits in memory");
        };
        assert!(matches!(small, Lookup::Temporary(..)), "{name}");
        let boards = graph.ids().map(|id| graph.board(id));
        for board in boards.chain([Board::START.passed().canonical()]) {
            let sorted = |lookup: &Lookup, board: CanonicalBoard| {
                let mut position = lookup.position(board).unwrap();
                position
                    .iter_mut()
                    .for_each(|position| position.sort_links());
                position
            };
            assert_eq!(sorted(&small, board), sorted(&whole, board), "{name}");
        }
        let line: Line = "f5f4d3".parse().unwrap();
        let left = |lookup: &Lookup| match lookup.require(&line) {
            Err(Error::Store(StoreError::Unfit { path, .. })) => path == file,
            _ => false,
        };
        assert!(left(&whole) && left(&small), "{name}");
    }
}
