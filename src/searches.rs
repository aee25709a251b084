//! Searches side by side, whose answers come in the order of the questions.

use obook_engine::{Answer, Request, SearchError, Searcher};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Something to be said, after a search or without one.
pub(crate) struct Task<T> {
    pub(crate) about: T,
    /// What is to be searched, if anything.
    pub(crate) request: Option<Request>,
}

type Found = Option<Result<Answer, SearchError>>;

/// A question on its way to a searcher, and where the answer is waited for.
type Asked = (Request, SyncSender<Result<Answer, SearchError>>);

/// Answers the tasks and hands them on, in their order and a bounded number ahead. Ends with the first error of `take`, or
/// of a task that can't be had.
pub(crate) fn in_order<T: Send, E: Send>(
    searchers: Vec<Box<dyn Searcher>>,
    tasks: impl Iterator<Item = Result<Task<T>, E>> + Send,
    mut take: impl FnMut(T, Found) -> Result<(), E>,
) -> Result<(), E> {
    let ahead = 2 * searchers.len();
    let (ask, questions) = sync_channel::<Asked>(ahead);
    let questions = Mutex::new(questions);
    let (line_up, queue) = sync_channel(ahead);
    thread::scope(|scope| {
        // With the last searcher goes the receiver: no question waits for nobody.
        let questions = Arc::new(questions);
        for searcher in searchers {
            let questions = Arc::clone(&questions);
            scope.spawn(move || answer(searcher, &questions));
        }
        drop(questions);
        scope.spawn(move || {
            for task in tasks {
                let in_line = task.map(|Task { about, request }| {
                    let waits = request.map(|request| {
                        let (reply, answer) = sync_channel(1);
                        // Where no searcher is left, none will reply, and that is how it is noticed.
                        let _ = ask.send((request, reply));
                        answer
                    });
                    (about, waits)
                });
                if line_up.send(in_line).is_err() {
                    return;
                }
            }
        });
        for in_line in queue {
            let (about, waits) = in_line?;
            let found =
                waits.map(|answer: Receiver<_>| answer.recv().unwrap_or(Err(SearchError::Stopped)));
            take(about, found)?;
        }
        Ok(())
    })
}

/// Answers one question after another until there are no more.
fn answer(mut searcher: Box<dyn Searcher>, questions: &Mutex<Receiver<Asked>>) {
    loop {
        let next = questions
            .lock()
            .expect("nobody panics with the lock")
            .recv();
        let Ok((request, reply)) = next else { return };
        // Who does not wait for it any more needs none.
        let _ = reply.send(searcher.search(&request));
    }
}
