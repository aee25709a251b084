//! Settings belong to a context, not to the process.

use super::support::{book, open};
use obook::{AtomicFile, BOOK_FILE, Context, Error, IfExists, Store, StoreError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn each_context_has_its_own_patience() {
    let (_folder, path) = book();
    let mut writer = open(&path);
    let change = writer.change().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&told);
    let patient = Context::new("patient").with_busy_timeout(Duration::from_secs(2), move |said| {
        hear.lock().unwrap().push(said.to_owned());
    });
    let hasty = Context::new("hasty").with_busy_timeout(Duration::ZERO, |_| ());
    for (context, waits) in [(&patient, 2), (&hasty, 0)] {
        let mut store = Store::open_for_writing(&path, context).unwrap();
        let Err(Error::Store(StoreError::Busy { waited, .. })) = store.change() else {
            panic!("two writers at once");
        };
        assert_eq!(waited.as_secs(), waits);
    }
    drop(change);
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("up to 2 s"), "{told:?}");
}

#[test]
fn only_files_of_the_same_context_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let begin = |name: &str, context: &Context| {
        let target = folder.path().join(name);
        AtomicFile::create(&target, BOOK_FILE, IfExists::Refuse, context).unwrap()
    };
    let (one, other) = (Context::default(), Context::default());
    let (removed, kept) = (begin("a", &one), begin("b", &other));
    // Neither is swept as if its process had died.
    let third = begin("c", &Context::default());
    one.clone().remove_unfinished();
    assert!(!removed.temporary_path().exists());
    assert!(kept.temporary_path().exists() && third.temporary_path().exists());
    kept.commit().unwrap();
    assert!(folder.path().join("b").exists());
}
