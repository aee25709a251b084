//! All integration tests of the crate, one binary. Tests that run the program are in the root package.

mod check;
mod check_slabs;
#[cfg(target_os = "linux")]
mod locks;

mod games {
    mod asked;
    mod rated;
    mod repertoire;
    mod taken_in;
    mod whole;
}

mod read {
    mod diff;
    mod line;
    mod lines_to;
    mod played;
    mod view;
    mod why;
}

mod store {
    mod counts;
    mod header;
    mod history;
    mod redo;
}

mod write {
    mod conversions;
    mod cut_slabs;
    mod cuts_laws;
    mod edit;
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
