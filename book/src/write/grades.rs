//! The grades of all positions, as a table of the database.

use crate::{Book, Result, Store, load};
use obook_graph::accuracy::{AccuracyTable, Grading, grades};
use rayon::prelude::*;

/// Grades every position of a database that is open for writing and replaces the table `accuracy`, in one transaction:
/// readers see the old grades until the new ones are complete.
///
/// # Errors
/// Any error from reading or writing.
pub fn store_grades(store: &mut Store, rules: Grading) -> Result<AccuracyTable> {
    // From here on no other process can write, so the grades match what is read.
    let update = store.change()?;
    let context = update.store().context();
    let progress = context.progress();
    let graph = load(&Book::Database(update.store().reader()?), context)?;
    progress.step("grading", None);
    let grades = grades(&graph, rules);
    let mut rows: Vec<_> = graph
        .ids()
        .map(|id| graph.board(id))
        .zip(grades.iter().copied())
        .collect();
    rows.par_sort_unstable();
    progress.step("writing", None);
    update.replace_grades(rows)?;
    let table = AccuracyTable::new(&graph, &grades, rules);
    update.commit(&table.grades)?;
    Ok(table)
}
