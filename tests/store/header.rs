//! The header of a book: changing a part of it leaves the rest alone.

use obook::write::fix::{Steps, recompute};
use obook::{BookHeader, Context, IfExists, NewBook, Store};
use obook_othello::RuleSet;
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

#[test]
fn a_book_without_settings_says_how_to_add_them() {
    let (_folder, path) = imported("games.dat");
    let execute = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    execute("DELETE FROM book");
    let open = || Store::open_for_writing(&path, &Context::default()).unwrap();
    let steps = || Steps::Fix { rules: None };
    assert!(!open().is_fixed().unwrap());
    for error in [
        open().header().unwrap_err(),
        recompute(&mut open(), steps()).unwrap_err(),
    ] {
        let error = error.to_string();
        let (said, advice) = error.split_once(", such as ").unwrap();
        assert!(said.ends_with("numbers"), "{error}");
        assert!(said.contains(": table book has no row: "), "{error}");
        execute(advice);
        assert_eq!(open().header().unwrap().rules, RuleSet::Edax);
        recompute(&mut open(), steps()).unwrap();
        assert!(open().is_fixed().unwrap());
        execute("DELETE FROM book");
    }
}

#[test]
fn a_new_book_has_settings_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let context = Context::default();
    let new = NewBook::create(&path, IfExists::Refuse, &context).unwrap();
    new.mark_fixed().unwrap();
    new.commit(&()).unwrap();
    let store = Store::open(&path, &context).unwrap();
    assert_eq!(store.header().unwrap().rules, RuleSet::Edax);
    assert!(store.is_fixed().unwrap());
}
