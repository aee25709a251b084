//! Tables announce all positions that they look up, many at a time.

use obook_othello::{CanonicalBoard, Position};
use obook_sql::functions::{
    Ancestors, BestLine, Book, BookTable, Choose, LineTo, Moves, NearBest, Problem, Result,
    SqlEngine, Table, Tree, Value, add_tables,
};
use obook_testing::random_book::{self, recipes};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// A book that has only what was announced.
struct Distant {
    positions: random_book::Book,
    announced: RefCell<BTreeSet<CanonicalBoard>>,
    announcements: Cell<u32>,
}

impl Distant {
    fn new(positions: random_book::Book) -> Distant {
        Distant {
            positions,
            announced: RefCell::default(),
            announcements: Cell::default(),
        }
    }

    fn find(&self, board: CanonicalBoard) -> Result<Option<&Position>> {
        match self.announced.borrow().contains(&board) {
            true => Ok(self.positions.get(&board)),
            false => Err(Problem::new(format!("{board:?} was not announced"))),
        }
    }
}

impl Book for &Distant {
    fn position(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        Ok(self.find(board)?.cloned())
    }

    /// Forgets what was announced before.
    fn expect(&self, boards: &[CanonicalBoard]) -> Result<()> {
        self.announced.replace(boards.iter().copied().collect());
        self.announcements.update(|number| number + 1);
        Ok(())
    }
}

/// The number of rows, if nothing is looked up that wasn't announced, and the number of announcements.
fn read<T: BookTable>(
    table: T,
    positions: &random_book::Book,
    arguments: &[Value<'_>],
) -> (usize, u32) {
    let book = Distant::new(positions.clone());
    let arguments: Vec<_> = arguments.iter().copied().map(Some).collect();
    let rows = table.query("table", Box::new(&book), &arguments).unwrap();
    let rows: Vec<T::Row> = rows.collect::<Result<_>>().unwrap();
    for row in &rows {
        (0..T::COLUMNS.len()).for_each(|column| drop(T::value(row, column)));
    }
    (rows.len(), book.announcements.get())
}

/// Reads every table around a board, which is given in digits: the table of openings finds none of that name.
struct All {
    positions: random_book::Book,
    digits: String,
    /// The number of tables.
    number: usize,
}

impl SqlEngine for All {
    type Error = Infallible;

    fn add<T: BookTable>(&mut self, _: &str, table: T) -> std::result::Result<(), Infallible> {
        read(
            table,
            &self.positions,
            &[Value::Text(self.digits.as_bytes())],
        );
        self.number += 1;
        Ok(())
    }
}

proptest! {
    /// Law (Databases): A table announces positions before looking them up; a tree yields its root before it grows.
    /// Also: `the_root_of_a_tree_comes_first`
    #[test]
    fn nothing_is_looked_up_unannounced(recipe in recipes(), from in any::<prop::sample::Index>()) {
        let positions = recipe.book();
        prop_assume!(!positions.is_empty());
        let from = positions.keys().nth(from.index(positions.len())).unwrap();
        let key = from.to_key();
        let board = [Value::Blob(&key)];
        let (_, announcements) = read(Moves, &positions, &board);
        prop_assert!(announcements <= 2);
        let (chosen, announcements) = read(Choose, &positions, &board);
        prop_assert!(chosen <= 1 && announcements <= 1);
        let (steps, announcements) = read(BestLine, &positions, &board);
        prop_assert!(announcements as usize <= 2 * (steps + 1));
        // Two for each number of moves, however many positions they lead to.
        let (nodes, announcements) = read(Tree, &positions, &board);
        prop_assert!(nodes > 0 && announcements <= 2 * (120 + 2));
        let (ancestors, announcements) = read(Ancestors, &positions, &board);
        // Two for each number of moves.
        prop_assert!(announcements as usize <= 2 * (ancestors + 1));
        let (lines, announcements) = read(LineTo, &positions, &board);
        prop_assert!(lines <= 1 && announcements as usize <= 1 + positions.len());
        let digits = format!("{:032X}", u128::from_be_bytes(key));
        let mut all = All { positions, digits, number: 0 };
        let Ok(()) = add_tables(&mut all);
        prop_assert!(all.number > 8);
    }

    #[test]
    fn the_root_of_a_tree_comes_first(recipe in recipes(), from in any::<prop::sample::Index>()) {
        let positions = recipe.book();
        prop_assume!(!positions.is_empty());
        let from = positions.keys().nth(from.index(positions.len())).unwrap();
        let book = Distant::new(positions.clone());
        let key = from.to_key();
        let mut rows = Tree.query("tree", Box::new(&book), &[Some(Value::Blob(&key))]).unwrap();
        prop_assert!(rows.next().unwrap().is_ok());
        prop_assert!(book.announcements.get() <= 2);
    }
}

#[test]
fn a_missing_board_has_a_default_or_is_a_problem() {
    let book = Distant::new(random_book::Book::new());
    let said = Moves.query("moves", Box::new(&book), &[]).err().unwrap();
    assert_eq!(said.to_string(), "board is missing: moves(board, schema)");
    assert_eq!(read(NearBest::Worst, &book.positions, &[]).0, 0);
    // NULL is no board, so there are no moves.
    assert_eq!(read(Moves, &book.positions, &[Value::Null]).0, 0);
    // Without a book, all moves are unknown; NULL leaves out an argument.
    let start = Value::Text(b"");
    assert_eq!(read(Moves, &book.positions, &[start]).0, 4);
    let all = [start, Value::Null, Value::Null];
    assert_eq!(read(Choose, &book.positions, &all).0, 0);
    assert_eq!(read(Tree, &book.positions, &all).0, 0);
}
