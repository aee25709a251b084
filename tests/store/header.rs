//! The header of a book: changing a part of it leaves the rest alone.

use obook::write::fix::{Steps, recompute};
use obook::{BookHeader, Context, Store};
use obook_testing::imported::imported;
use rusqlite::Connection;
use std::path::Path;

fn set(book: &Path, change: impl FnOnce(&mut BookHeader)) {
    let mut store = Store::open_for_writing(book, &Context::default()).unwrap();
    let mut header = store.header().unwrap();
    change(&mut header);
    let update = store.change().unwrap();
    update.set_header(&header).unwrap();
    update.commit(&()).unwrap();
    assert_eq!(
        Store::open(book, &Context::default())
            .unwrap()
            .header()
            .unwrap(),
        header
    );
}

#[test]
fn only_given_fields_change() {
    let (_folder, book) = imported("games.dat");
    recompute(
        &mut Store::open_for_writing(&book, &Context::new("test")).unwrap(),
        Steps::Fix { rules: None },
    )
    .unwrap();
    let sql =
        "ALTER TABLE book ADD COLUMN note TEXT; UPDATE book SET note = 'mine', repetition = 3";
    Connection::open(&book).unwrap().execute_batch(sql).unwrap();
    let rest = || {
        let sql = "SELECT note, repetition, fixed FROM book";
        let read = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, Option<String>>(0)?,
                row.get::<_, Option<i8>>(1)?,
                row.get::<_, Option<i8>>(2)?,
            ))
        };
        Connection::open(&book)
            .unwrap()
            .query_row(sql, [], read)
            .unwrap()
    };
    let mine = || Some(String::from("mine"));
    assert_eq!(rest(), (mine(), Some(3), Some(1)));
    set(&book, |book| book.header.level = Some(33));
    assert_eq!(
        rest(),
        (mine(), Some(3), Some(1)),
        "numbers don't follow from the book's level"
    );
    set(&book, |book| book.header.midgame_error = Some(9));
    assert_eq!(
        rest(),
        (mine(), Some(3), None),
        "bounds follow from the errors"
    );
}
