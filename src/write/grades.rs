//! The grades of all positions, as a table of the database.

use crate::{Book, Error, Result, Store, load_in_slabs};
use obook_graph::NodeId;
use obook_graph::accuracy::{AccuracyTable, Grade, Grader, Grading};
use obook_graph::slabs::{ByKey, Slab};
use obook_othello::{Engine, Position};

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
    let book = load_in_slabs(&Book::Database(update.store().reader()?), context)?;
    context.progress().step("grading", None);
    let mut grader = Grader::new(rules);
    let graded = book.finish(with_grade, |slab| {
        let grades = grader.grades(slab);
        let (graph, marks) = slab.graph_and_marks();
        for (id, grade) in graph.unfrozen_ids().zip(grades) {
            marks[id.index()] = grade as u8;
        }
        Ok(())
    });
    let graded = graded.map_err(Error::of_slabs(&path))?;
    let table = grader.table();
    context.progress().step("writing", None);
    update.replace_grades(graded.positions::<Error>(ByKey::ALL)?.map(|graded| {
        let Position { board, level, .. } = graded?;
        let grade = level.expect("it was graded");
        Ok((board, Grade::ALL[usize::from(grade)]))
    }))?;
    update.commit(&table.grades)?;
    Ok(table)
}

/// The board of a position, and the number of its grade, which is its mark, as the level: all that is written.
fn with_grade(slab: &Slab, id: NodeId) -> Position {
    Position {
        level: Some(slab.mark(id)),
        ..Position::new(slab.graph().board(id), Engine::Obook)
    }
}
