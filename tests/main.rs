//! All integration tests of the crate, one binary. Tests that run the program are in the root package.

mod book_file;
mod check;
mod check_slabs;
mod examples;
#[cfg(all(target_os = "linux", feature = "lake"))]
mod locks;

mod games {
    mod asked;
    mod random;
    mod rated;
    mod repertoire;
    mod taken_in;
    mod whole;
}

mod read {
    mod diff;
    mod line;
    mod lines_to;
    mod lookup;
    mod played;
    mod probe;
    mod view;
    mod why;
}

mod store {
    mod change_in_parts;
    mod changes;
    mod compact;
    mod contexts;
    mod counts;
    mod extension;
    mod header;
    mod history;
    #[cfg(feature = "lake")]
    mod lake;
    mod reading;
    mod redo;
    mod support;
    mod undo;
    mod wal;
}

mod write {
    mod conversions;
    mod cut_slabs;
    mod cuts_laws;
    mod edit;
    mod engine;
    mod export_slabs;
    mod fix_layers;
    mod identity;
    mod import_layers;
    mod merge;
    mod new_books;
    mod progress;
    mod recorded;
    mod salvage;
}
