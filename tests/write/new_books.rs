//! New books are complete or not there.

use obook::games::Condition;
use obook::write::extract::{ExtractOptions, extract};
use obook::{Context, Error, IfExists, Meter, NewBook, Progress, Store, StoreError};
use obook_games::Reader;
use obook_testing::games::sample;
use obook_testing::imported::import_at;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn options() -> ExtractOptions {
    ExtractOptions {
        min_games: 3,
        depth: 20,
        level: 5,
        condition: Condition::default(),
    }
}

/// A database with the games of the sample archive.
fn games(folder: &Path) -> Store {
    let path = folder.join("games.obook");
    let games = Reader::open(sample(), None).unwrap();
    let games = games.map(|game| Ok(game?));
    import_at(&path, games, &Context::new("test")).unwrap();
    Store::open(&path, &Context::default()).unwrap()
}

#[test]
fn an_extracted_book_is_computed_in_one_change() {
    let folder = tempfile::tempdir().unwrap();
    let store = games(folder.path());
    let path = folder.path().join("book.obook");
    let context = Context::new("test extract");
    let new = NewBook::create(&path, IfExists::Refuse, &context).unwrap();
    let extracted = extract(&store, &options(), new).unwrap();
    let book = Store::open(&path, &Context::default()).unwrap();
    let history = book.history().unwrap();
    assert_eq!(history.len(), 1, "{history:?}");
    let count = |sql: &str| -> u64 {
        let connection = book.connection();
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
            .cast_unsigned()
    };
    assert!(extracted.positions > 100, "{extracted:?}");
    assert_eq!(count("SELECT count(*) FROM positions"), extracted.positions);
    assert_eq!(count("SELECT count(*) FROM links"), extracted.links);
    assert!(book.is_fixed().unwrap());
    assert!(count("SELECT count(*) FROM todo") > 0);
    assert_eq!(
        count("SELECT count(*) FROM positions WHERE lines IS NULL"),
        0
    );
}

/// Fails when the nth step begins.
struct FailAt(u32, Arc<AtomicU32>);

impl Meter for FailAt {
    fn step(&self, doing: &'static str, _: Option<u64>) {
        let step = self.1.fetch_add(1, Ordering::Relaxed);
        assert_ne!(step, self.0, "failing while {doing}");
    }

    fn advance(&self, _: u64) {}
}

#[test]
fn a_failure_in_the_middle_leaves_no_book() {
    let folder = tempfile::tempdir().unwrap();
    let store = games(folder.path());
    let path = folder.path().join("book.obook");
    let mut failed = 0;
    loop {
        let fail_at = FailAt(failed, Arc::default());
        let context = Context::new("test").with_progress(Progress::shown_by(fail_at));
        let extract = || {
            let new = NewBook::create(&path, IfExists::Refuse, &context).unwrap();
            extract(&store, &options(), new).unwrap()
        };
        if catch_unwind(AssertUnwindSafe(extract)).is_ok() {
            break;
        }
        failed += 1;
        assert!(!path.exists(), "step {failed}");
        let names = std::fs::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names
            .filter(|name| !name.to_string_lossy().starts_with("games.obook"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    assert!(failed >= 3, "{failed} steps");
    assert!(path.exists());
}

/// Two processes make the same new book. The second one fails with useful advice, which is not to replace the first book.
#[test]
fn games_go_into_a_book_that_was_created_meanwhile_by_another_import() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.obook");
    let open = || Reader::open(sample(), None).unwrap().map(|game| Ok(game?));
    let first = std::iter::once_with(|| {
        import_at(&path, open().take(3), &Context::new("first")).unwrap();
    });
    // The first import runs when the second one has begun.
    let second = open().chain(first.flat_map(|()| None));
    let refused = import_at(&path, second, &Context::new("second")).unwrap_err();
    assert!(
        matches!(refused, Error::Store(StoreError::Unfit { .. })),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("run the command again"),
        "{refused}"
    );
    let again = import_at(&path, open(), &Context::new("second")).unwrap();
    assert!(again.added > 0 && again.added < again.read, "{again:?}");
}
