//! Concurrent searches, with answers in the order of the questions.

use obook_engine::{Answer, Request, SearchError, Searcher};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// A step that may need a search.
pub(crate) struct Task<T> {
    pub(crate) about: T,
    /// The search, if one is needed.
    pub(crate) request: Option<Request>,
}

type Found = Option<Result<Answer, SearchError>>;

/// A question on its way to a searcher, with the channel for the answer.
type Asked = (Request, SyncSender<Result<Answer, SearchError>>);

/// Searches for the tasks, a bounded number ahead, and passes them to `take` in their order.
///
/// # Errors
///
/// Returns the first error of `tasks` or of `take`.
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
        // The receiver goes away with the last searcher, so that no question waits for ever.
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
                        // If no searcher is left, the reply channel closes, which is noticed below.
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

/// Answers questions until there are no more.
fn answer(mut searcher: Box<dyn Searcher>, questions: &Mutex<Receiver<Asked>>) {
    loop {
        let next = questions
            .lock()
            .expect("nobody panics with the lock")
            .recv();
        let Ok((request, reply)) = next else { return };
        // Nobody may be waiting any more.
        let _ = reply.send(searcher.search(&request));
    }
}
