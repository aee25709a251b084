//! The names of streams, consumers and subjects. Permissions on a server depend on them.

use obook_engine::wire::Name;

/// The stream of questions.
pub(crate) const TASKS: &str = "OBOOK_TASKS";
/// The stream of replies.
pub(crate) const ANSWERS: &str = "OBOOK_ANSWERS";
/// All subjects of each stream.
pub(crate) const ALL_TASKS: &str = "obook.tasks.>";
pub(crate) const ALL_ANSWERS: &str = "obook.answers.>";

/// Workers' acknowledgements of their questions: in progress, or done.
pub(crate) const SIGNS_OF_LIFE: &str = "$JS.ACK.OBOOK_TASKS.>";

/// The subjects of the questions for an engine, by its [token](crate::search::Asked::token).
pub(crate) fn tasks_for(engine: &str) -> String {
    format!("obook.tasks.{engine}.>")
}

/// The subject of a question. `copy` distinguishes repeated questions.
pub(crate) fn task(engine: &str, book: &Name, effort: &str, id: &str, copy: &str) -> String {
    format!("obook.tasks.{engine}.{book}.{effort}.{id}.{copy}")
}

/// The book in a question's subject, or the worker in a reply's. A server can restrict each worker to its own subject.
pub(crate) fn named(subject: &str) -> Option<Name> {
    subject.split('.').nth(3)?.parse().ok()
}

/// The subject of a worker's replies.
pub(crate) fn answer(book: &Name, worker: &Name) -> String {
    format!("obook.answers.{book}.{worker}")
}

/// The subjects of all replies for a book.
pub(crate) fn answers_for(book: &Name) -> String {
    format!("obook.answers.{book}.*")
}

/// The subject on which workers of one name notice each other.
pub(crate) fn name_of_worker(worker: &Name) -> String {
    format!("obook.workers.{worker}")
}

/// The subject that tells a worker that it is refused.
pub(crate) fn refused(worker: &Name) -> String {
    format!("obook.refused.{worker}")
}
