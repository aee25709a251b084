//! What changes a book.

mod cuts;
mod edit;
mod fix;
mod fix_layers;
mod fix_loops;
mod import_layers;
mod merge;
mod no_leaf;
mod round_trip;
