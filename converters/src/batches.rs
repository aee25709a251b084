//! Checking positions on all cores, in the order of the file.

use crate::checked::{Batch, Positions};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, sync_channel};
use std::thread;

/// Records per batch: enough that handing over costs nothing, few enough to stay in the cache.
const BATCH: usize = 16 * 1024;

/// The positions of a book in batches, in order, or what was made of them;
/// [`BookReader::batches`](crate::BookReader::batches) and
/// [`batches_as`](crate::BookReader::batches_as) make it.
///
/// A thread reads ahead of the iterator by a bounded number of batches, and the workers of rayon's pool check them.
#[derive(Debug)]
pub struct Batches<T = Batch> {
    /// One receiver per batch, in order, each with its batch as soon as that is checked.
    checked: Receiver<Receiver<T>>,
}

impl<T: Send + 'static> Batches<T> {
    pub(crate) fn new(
        mut records: Box<dyn Positions>,
        make: impl Fn(Batch) -> T + Send + Sync + 'static,
    ) -> Batches<T> {
        let make = Arc::new(make);
        // Every worker has a batch at work and one waiting.
        let (ahead, checked) = sync_channel(2 * rayon::current_num_threads());
        // The thread ends with the input, or when the iterator is gone.
        thread::spawn(move || {
            while let Some(job) = records.next_batch(BATCH) {
                let (done, batch) = sync_channel(1);
                if ahead.send(batch).is_err() {
                    return;
                }
                let make = Arc::clone(&make);
                rayon::spawn(move || {
                    // The iterator may be gone.
                    let _ = done.send(make(job()));
                });
            }
        });
        Batches { checked }
    }
}

impl<T> Iterator for Batches<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let batch = self.checked.recv().ok()?;
        Some(receive(&batch).expect("a batch that was announced is checked and sent"))
    }
}

/// Waits for a batch. A worker of the pool that waits has to work meanwhile: the batch may be queued behind it.
fn receive<T>(batch: &Receiver<T>) -> Result<T, RecvError> {
    while rayon::current_thread_index().is_some() {
        match batch.try_recv() {
            Ok(batch) => return Ok(batch),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    thread::yield_now();
                }
            }
        }
    }
    batch.recv()
}
