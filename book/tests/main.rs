//! All integration tests of the crate, one binary. Tests that run the program are in the root package.

mod games {
    mod asked;
    mod whole;
}

mod read {
    mod view;
    mod why;
}

mod write {
    mod cuts_laws;
    mod identity;
    mod new_books;
    mod progress;
    mod recorded;
    mod salvage;
}
