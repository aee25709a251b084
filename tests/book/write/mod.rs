//! What changes a book.

mod cuts;
mod cuts_laws;
mod edit;
mod fix;
mod fix_layers;
mod fix_loops;
mod identity;
mod import_layers;
mod merge;
mod no_leaf;
mod progress;
mod round_trip;
