//! The grades of all positions, as a table of the database.

use crate::{Book, Context, Result, load};
use obook_graph::accuracy::{AccuracyTable, Grading, grades};
use rayon::prelude::*;
use std::path::Path;

/// Grades every position of the database at `path` and replaces the table `accuracy`, in one transaction: readers see
/// the old grades until the new ones are complete.
///
/// # Errors
/// [`Error::BookFile`](crate::Error::BookFile), and any error from reading or writing.
pub fn store(path: &Path, rules: Grading, context: &Context) -> Result<AccuracyTable> {
    let progress = context.progress();
    let mut database = Book::open_for_writing(path, "store grades in", context)?;
    // From here on no other process can write, so the grades match what is read.
    let update = database.change()?;
    let graph = load(&Book::Database(update.store().reader()?), progress)?;
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
    let table = AccuracyTable::new(&graph, &grades);
    update.commit(&table.grades)?;
    Ok(table)
}
