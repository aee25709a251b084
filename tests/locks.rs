//! A process keeps the locks on an open book, no matter what else it does: see `RawFile`.

use obook::LakeLimits;
use obook::write::edit::{Edit, edit};
use obook::write::export::{ExportOptions, Input, export};
use obook::write::import::{import, into_store};
use obook::write::merge::{MergeOptions, merge};
use obook::write::repair::repair;
use obook::write::salvage::{Damaged, salvage};
use obook::{
    APPLICATION_ID, AtomicFile, BOOK_FILE, Book, Context, FileKind, IfExists, NewBook, Store,
    restore,
};
use obook_converters::Format;
use obook_store::Output;
use obook_testing::golden::golden;
use obook_testing::imported::imported;
use obook_testing::locks::are_held;
use std::path::Path;

/// What is done with the path of an open book; the second path is that of an empty folder. Some of it is refused.
type Deed = fn(&Path, &Path);

const DEEDS: &[(&str, Deed)] = &[
    ("its kind is told", |book, _| {
        assert_eq!(
            FileKind::of(book).unwrap(),
            FileKind::Database(APPLICATION_ID)
        );
    }),
    ("it is opened", |book, _| drop(open(book))),
    ("it is changed", |book, _| {
        edit(
            &mut writable(book),
            &"f5d6".parse().unwrap(),
            Edit::Enter(7),
        )
        .unwrap();
    }),
    ("a change is taken back", |book, _| {
        edit(
            &mut writable(book),
            &"f5d6".parse().unwrap(),
            Edit::Enter(7),
        )
        .unwrap();
        writable(book).undo().unwrap();
        writable(book).redo().unwrap();
    }),
    ("it is peeked at", |book, _| {
        drop(Store::peek(book).unwrap())
    }),
    ("it is exported", |book, folder| {
        let options = ExportOptions::new(Format::Edax);
        let output = Output::File(folder.join("book.dat"), IfExists::Refuse);
        let input = Input::open(book, None, &context()).unwrap();
        export(input, &output, &options, &context()).unwrap();
    }),
    ("it is compacted", |book, _| {
        writable(book).compact().unwrap();
    }),
    ("it is repaired", |book, _| {
        repair(&mut writable(book), 1).unwrap();
    }),
    (
        "a snapshot is made and restored elsewhere",
        |book, folder| {
            let (snapshot, other) = (folder.join("book.zst"), folder.join("restored.obook"));
            let store = Store::open(book, &context()).unwrap();
            store.save_snapshot(&snapshot, 3, IfExists::Refuse).unwrap();
            restore(&snapshot, &other, IfExists::Refuse, &context()).unwrap();
            restore(&snapshot, book, IfExists::Replace, &context()).unwrap_err();
        },
    ),
    ("it is restored from itself", |book, folder| {
        restore(book, &folder.join("new"), IfExists::Refuse, &context()).unwrap_err();
    }),
    ("it would be replaced", |book, _| {
        let source = open(&golden("small.dat"));
        let new = NewBook::create(book, IfExists::Replace, &context()).unwrap();
        import(source, new).unwrap_err();
        NewBook::create(book, IfExists::Refuse, &context()).unwrap_err();
        AtomicFile::create(book, BOOK_FILE, IfExists::Replace, &context()).unwrap_err();
    }),
    ("it is merged into another", |book, folder| {
        let other = folder.join("other.obook");
        let new = NewBook::create(&other, IfExists::Refuse, &context()).unwrap();
        import(open(&golden("small.dat")), new).unwrap();
        let from = [book.to_owned()];
        for _ in 0..2 {
            merge(&mut writable(&other), &from, MergeOptions::default()).unwrap();
        }
    }),
    ("others are merged into it", |book, _| {
        let from = [golden("small.dat")];
        merge(&mut writable(book), &from, MergeOptions::default()).unwrap();
    }),
    ("it is salvaged", |book, folder| {
        let new = NewBook::create(folder.join("new"), IfExists::Refuse, &context()).unwrap();
        salvage(Damaged::open(book).unwrap(), new).unwrap();
    }),
    ("it is a lake", |book, folder| {
        let lake = folder.join("lake");
        let store = into_store(open(book), &context()).unwrap();
        store
            .write_lake(&lake, IfExists::Refuse, LakeLimits::default())
            .unwrap();
    }),
    ("it is taken for a file of games", |book, _| {
        assert!(obook_games::Reader::open(book, None).is_err());
    }),
    ("it is taken for a book file", |book, _| {
        assert!(obook_converters::BookReader::open(book, None).is_err());
    }),
    ("SQL takes it for a book file", |book, _| {
        let store = Store::open(book, &context()).unwrap();
        for table in ["book_file", "edax", "egbk3", "egbk", "zebra", "takizawa"] {
            let sql = format!("SELECT count(*) FROM {table}(?)");
            let name = book.to_str().unwrap();
            let asked = store
                .connection()
                .query_row(&sql, [name], |row| row.get::<_, i64>(0));
            assert!(asked.is_err(), "{table}");
        }
    }),
    ("SQL attaches it", |book, _| {
        let store = Store::open(book, &context()).unwrap();
        let name = store.attached_as().unwrap();
        let connection = store.connection();
        connection.execute("ATTACH ? AS it", [name]).unwrap();
        connection.execute_batch("DETACH it").unwrap();
    }),
];

fn context() -> Context {
    Context::new("test")
}

fn open(path: &Path) -> Book {
    Book::open(path, &context()).unwrap()
}

fn writable(path: &Path) -> Store {
    Book::open_for_writing(path, &context()).unwrap()
}

/// Law (Crashes, untrusted books, concurrency): A process keeps SQLite's locks on its open database; acknowledged
/// changes stay.
/// Also: `crates/explorer/tests/all/locks.rs` `every_answer_leaves_the_server_its_locks` `crates/learn/tests/all/locks.rs`
/// `a_run_keeps_the_locks_of_its_book` `cli/tests/program/faults/mod.rs` `no_command_gives_up_its_locks`
/// `cli/tests/program/serve.rs` `acknowledged_changes_stay_whatever_other_programs_do` `cli/tests/opened.rs`
/// `only_these_places_open_files_by_other_means`
#[test]
fn nothing_that_is_done_with_an_open_book_gives_up_its_locks() {
    for (what, deed) in DEEDS {
        let (folder, path) = imported("games.dat");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let kept = Store::open(&path, &context()).unwrap();
        let count = || kept.version_of_others().unwrap();
        count();
        assert!(are_held(&path), "before");
        deed(&path, &elsewhere);
        assert!(are_held(&path), "{what}");
        count();
    }
}
