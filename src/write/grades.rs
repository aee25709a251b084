//! The grades of all positions, as a table of the database.

use crate::{Book, Error, Result, Store, load_in_slabs};
use obook_graph::accuracy::{AccuracyTable, Grade, Grader, Grading};
use obook_graph::slabs::Slab;

/// Grades every position of a database that is open for writing and replaces the table `accuracy`, in one transaction:
/// readers see the old grades until the new ones are complete.
///
/// # Errors
/// Any error from reading or writing.
pub fn store_grades(store: &mut Store, rules: Grading) -> Result<AccuracyTable> {
    // From here on no other process can write, so the grades match what is read.
    let update = store.change()?;
    let context = update.store().context();
    let path = update.store().path().to_owned();
    let failed = Error::of_slabs(&path);
    let book = load_in_slabs(&Book::Database(update.store().reader()?), context)?;
    context.progress().step("grading", None);
    let mut grader = Grader::new(rules);
    let graded = book.finish_in_sets(Slab::position, u64::MAX, |slab| {
        let frozen = slab.graph().unfrozen_places().start;
        let grades = grader
            .grades(slab)
            .into_iter()
            .map(|grade| 1 << grade as u8);
        Ok(std::iter::repeat_n(0, frozen).chain(grades).collect())
    });
    let graded = graded.map_err(&failed)?;
    let table = grader.table();
    context.progress().step("writing", None);
    update.replace_grades(graded.positions_and_sets()?.map(|graded| {
        let (position, set) = graded?;
        Ok((position.board, Grade::ALL[set.trailing_zeros() as usize]))
    }))?;
    update.commit(&table.grades)?;
    Ok(table)
}
