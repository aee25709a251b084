//! What streams, consumers and subjects are called. Who sets up a server's permissions relies on these.

use obook_engine::wire::Name;
use obook_model::Engine;

/// The stream of questions.
pub(crate) const TASKS: &str = "OBOOK_TASKS";
/// The stream of replies.
pub(crate) const ANSWERS: &str = "OBOOK_ANSWERS";
/// All subjects of the first stream, and of the second.
pub(crate) const ALL_TASKS: &str = "obook.tasks.>";
pub(crate) const ALL_ANSWERS: &str = "obook.answers.>";

/// What workers say about questions that they have: that they still search, or are done.
pub(crate) const SIGNS_OF_LIFE: &str = "$JS.ACK.OBOOK_TASKS.>";

/// The questions that workers with such an engine answer.
pub(crate) fn tasks_for(engine: Engine) -> String {
    format!("obook.tasks.{engine}.>")
}

/// The subject of a question. `copy` tells apart what is asked more than once.
pub(crate) fn task(engine: Engine, book: &Name, level: u8, id: &str, copy: &str) -> String {
    format!("obook.tasks.{engine}.{book}.{level}.{id}.{copy}")
}

/// Whose book the question with this subject is for.
pub(crate) fn book_of_task(subject: &str) -> Option<Name> {
    subject.split('.').nth(3)?.parse().ok()
}

/// The subject of a worker's replies.
pub(crate) fn answer(book: &Name, worker: &Name) -> String {
    format!("obook.answers.{book}.{worker}")
}

/// All replies for a book.
pub(crate) fn answers_for(book: &Name) -> String {
    format!("obook.answers.{book}.*")
}

/// Who has replied: the server lets each worker use its own subject alone, if it is set up so.
pub(crate) fn worker_of_answer(subject: &str) -> Option<Name> {
    subject.split('.').nth(3)?.parse().ok()
}

/// Where a worker is told that it is refused.
pub(crate) fn refused(worker: &Name) -> String {
    format!("obook.refused.{worker}")
}
