//! Lines to positions, found one by one or all at once.

use obook::read::line::lines_to;
use obook::{Book, Context, Store};
use obook_othello::{Board, CanonicalBoard, Line};
use obook_testing::imported::imported;
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;

/// Checks that each move of a line is a link.
fn is_in(store: &Store, line: &Line) -> bool {
    let mut board = Board::START;
    line.moves().iter().all(|mv| {
        let at = store.position(board.canonical()).unwrap();
        board = board.play(*mv).unwrap();
        let leads_on = |link: &obook_othello::Link| {
            let from = at.as_ref().unwrap().board.board();
            from.play(link.mv).map(Board::canonical) == Some(board.canonical())
        };
        at.as_ref().is_some_and(|at| at.links.iter().any(leads_on))
    })
}

fn boards(path: &Path) -> Vec<CanonicalBoard> {
    let store = Store::open(path, &Context::default()).unwrap();
    let positions = store.positions().unwrap();
    positions.map(|position| position.unwrap().board).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// A found line leads from the start to the position, link by link. Both methods find lines to the same positions.
    /// The first links are never removed: the start has only one, and nothing can be reached without it.
    ///
    /// Law (Databases): Lines looked up one by one or together are the same, and follow links.
    #[test]
    fn one_by_one_as_for_all_at_once(modulus in 7u8..60, rest in 0u8..60) {
        let (_folder, path) = imported("games.dat");
        let sql = format!(
            "DELETE FROM links WHERE (move * 7 + score) % {modulus} = {rest} % {modulus} \
             AND board NOT IN (SELECT board FROM positions WHERE empties > 52)"
        );
        Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let all = boards(&path);
        prop_assert!(all.len() > 2000);
        let context = Context::default();
        let book = Book::open(&path, &Context::default()).unwrap();
        let lines = lines_to(&book, &all, &context).unwrap();
        let in_slabs = lines_to(&book, &all, &context.clone().with_memory(1)).unwrap();
        prop_assert_eq!(&in_slabs, &lines);
        let store = Store::open(&path, &Context::default()).unwrap();
        let mut found = 0;
        let some: Vec<CanonicalBoard> = all.iter().copied().step_by(9).collect();
        let one_by_one = lines_to(&book, &some, &context).unwrap();
        let lines = lines.iter().step_by(9);
        for ((board, line), known) in some.iter().zip(one_by_one).zip(lines) {
            prop_assert_eq!(line.is_some(), known.is_some());
            for line in line.iter().chain(known) {
                prop_assert_eq!(line.board().canonical(), *board);
                prop_assert!(is_in(&store, line));
                found += 1;
            }
        }
        prop_assert!(found > 0);
    }
}
