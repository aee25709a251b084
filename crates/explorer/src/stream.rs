//! Answers that come line by line while a thread works on them.

use crate::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use obook_base::locked;
use serde::Serialize;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_stream::{Stream, StreamExt as _};

/// The type of the answers.
pub(crate) const KIND: &str = "application/x-ndjson";
/// Pieces that wait to be sent.
const WAITING: usize = 8;
/// The size of a piece in bytes, unless a line is longer.
const PIECE: usize = 16 << 10;
/// How long in all an answer waits for its reader while others wait for its thread.
const YIELDING: Duration = Duration::from_secs(2);
/// The time between two looks at whether others wait.
const GLANCE: Duration = Duration::from_millis(100);

/// The writing end: lines of JSON.
pub(crate) struct Lines {
    pieces: Sender<Bytes>,
    piece: Vec<u8>,
    /// How the answer ended. It needs no place among the pieces, so it comes even if the reader is late.
    ended: oneshot::Sender<Result<(), Problem>>,
    unread: Arc<Mutex<Unread>>,
    patience: Patience,
}

/// The pieces of an answer that its reader hasn't taken yet.
struct Unread {
    pieces: Receiver<Bytes>,
    /// The place among the streams that this takes.
    place: Option<OwnedSemaphorePermit>,
}

/// How long an answer waits for its reader: without end, if not told otherwise.
#[derive(Default)]
struct Patience {
    deadline: Option<Instant>,
    /// The queue for its thread: held by the lane, and by each question that waits.
    queue: Weak<()>,
    /// How long it has waited so far, while others waited.
    waited: Duration,
}

impl Patience {
    /// Waits on this thread; `None`: the future wasn't ready in time.
    fn wait_for<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        struct Unpark(Thread);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Some(output);
            }
            let begun = Instant::now();
            let left = match self.deadline {
                None => GLANCE,
                Some(deadline) => deadline.checked_duration_since(begun)?.min(GLANCE),
            };
            thread::park_timeout(left);
            if self.queue.strong_count() > 1 {
                self.waited += begun.elapsed();
                if self.waited >= YIELDING {
                    return None;
                }
            }
        }
    }
}

impl Unread {
    /// Nobody reads it: it keeps nothing from others.
    fn give_up(&mut self) {
        self.pieces.close();
        while self.pieces.try_recv().is_ok() {}
        self.place = None;
    }
}

impl Lines {
    fn new(place: OwnedSemaphorePermit) -> (Lines, oneshot::Receiver<Result<(), Problem>>) {
        let (pieces, written) = channel(WAITING);
        let (ended, end) = oneshot::channel();
        let unread = Unread {
            pieces: written,
            place: Some(place),
        };
        let lines = Lines {
            pieces,
            piece: Vec::new(),
            ended,
            unread: Arc::new(Mutex::new(unread)),
            patience: Patience::default(),
        };
        (lines, end)
    }

    /// Waits for the reader until the deadline at most, and no longer than [`YIELDING`] in all while others wait in this queue.
    pub(crate) fn within(self, deadline: Option<Instant>, queue: Weak<()>) -> Lines {
        let patience = Patience {
            deadline,
            queue,
            waited: Duration::ZERO,
        };
        Lines { patience, ..self }
    }

    /// Adds a line. Fails as late if the reader has gone away or hasn't read in time.
    pub(crate) fn write(&mut self, line: &impl Serialize) -> Result<(), Problem> {
        add(&mut self.piece, line);
        match self.piece.len() < PIECE {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Sends the lines so far.
    pub(crate) fn flush(&mut self) -> Result<(), Problem> {
        if self.piece.is_empty() {
            return Ok(());
        }
        match self.patience.wait_for(self.pieces.reserve()) {
            Some(Ok(place)) => {
                place.send(std::mem::take(&mut self.piece).into());
                Ok(())
            }
            Some(Err(_)) | None => {
                locked(&self.unread).give_up();
                Err(Problem::late())
            }
        }
    }

    /// Ends the answer. A problem before the first line is an answer of its own; later, it is the last line.
    pub(crate) fn end(mut self, ended: Result<(), Problem>) {
        let flushed = self.flush();
        // If the reader has gone away, nothing is lost.
        let _ = self.ended.send(ended.and(flushed));
    }
}

fn add(piece: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *piece, line).expect("a line is JSON");
    piece.push(b'\n');
}

/// The reading end. `T` is kept until the answer has been read or the reader is gone.
pub(crate) struct Reading<T> {
    unread: Arc<Mutex<Unread>>,
    end: oneshot::Receiver<Result<(), Problem>>,
    _kept: T,
}

impl<T> Drop for Reading<T> {
    fn drop(&mut self) {
        locked(&self.unread).give_up();
    }
}

impl<T: Unpin> Stream for Reading<T> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = locked(&self.unread).pieces.poll_recv(context);
        if let Some(piece) = ready!(piece) {
            return Poll::Ready(Some(Ok(piece)));
        }
        if self.end.is_terminated() {
            return Poll::Ready(None);
        }
        let ended = outcome(ready!(Pin::new(&mut self.end).poll(context)));
        let problem = ended.err().map(|problem| {
            let mut line = Vec::new();
            add(&mut line, &problem.to_answer());
            Ok(line.into())
        });
        Poll::Ready(problem)
    }
}

/// How an answer ended. A thread that panics doesn't say.
fn outcome(ended: Result<Result<(), Problem>, RecvError>) -> Result<(), Problem> {
    ended.unwrap_or_else(|_| Err(Problem::failed()))
}

/// Answers with the lines that `start` lets a thread write.
pub(crate) async fn answer<T: Send + Unpin + 'static>(
    place: OwnedSemaphorePermit,
    start: impl FnOnce(Lines) -> Result<T, Problem>,
) -> Result<Response, Problem> {
    let (lines, mut end) = Lines::new(place);
    let unread = Arc::clone(&lines.unread);
    let kept = start(lines)?;
    let first = poll_fn(|context| locked(&unread).pieces.poll_recv(context)).await;
    if first.is_none() {
        outcome((&mut end).await)?;
    }
    let reading = Reading {
        unread,
        end,
        _kept: kept,
    };
    let pieces = tokio_stream::iter(first.map(Ok)).chain(reading);
    let headers = [(CONTENT_TYPE, KIND), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tokio::sync::Semaphore;
    use tokio::sync::mpsc::error::TryRecvError;

    /// An answer that nobody reads, and its place.
    fn unread(patience: impl FnOnce(Lines) -> Lines) -> (Reading<()>, Arc<Semaphore>) {
        let places = Arc::new(Semaphore::new(1));
        let place = Arc::clone(&places).try_acquire_owned().unwrap();
        let (lines, end) = Lines::new(place);
        let unread = Arc::clone(&lines.unread);
        let mut lines = patience(lines);
        let (ended, writer) = mpsc::channel();
        thread::spawn(move || {
            let row = "x".repeat(PIECE);
            while lines.write(&row).is_ok() {}
            lines.end(Ok(()));
            ended.send(()).unwrap();
        });
        let waited = writer.recv_timeout(Duration::from_secs(60));
        waited.expect("the thread waits for no reader");
        let reading = Reading {
            unread,
            end,
            _kept: (),
        };
        (reading, places)
    }

    /// A reader that takes nothing must not hold the thread, its place or memory, and learns that rows are missing.
    fn is_given_up((mut reading, places): (Reading<()>, Arc<Semaphore>)) {
        assert_eq!(places.available_permits(), 1);
        let mut read = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(piece))) = Pin::new(&mut reading).poll_next(&mut context) {
            read.push(piece);
        }
        assert_eq!(read.len(), 1);
        let last: serde_json::Value = serde_json::from_slice(&read[0]).unwrap();
        assert_eq!(last["error"], "the time limit was reached");
    }

    #[test]
    fn unread_lines_end_at_the_deadline() {
        let soon = Instant::now() + Duration::from_millis(50);
        let unread = unread(|lines| lines.within(Some(soon), Weak::new()));
        is_given_up(unread);
    }

    #[test]
    fn unread_lines_make_way_for_others() {
        let queue = Arc::new(());
        let _other = Arc::clone(&queue);
        is_given_up(unread(|lines| lines.within(None, Arc::downgrade(&queue))));
    }

    /// One piece now and then is not enough.
    #[test]
    fn lines_that_are_read_slowly_make_way_for_others() {
        let queue = Arc::new(());
        let _other = Arc::clone(&queue);
        let mut reader = None;
        let (_reading, places) = unread(|lines| {
            let unread = Arc::clone(&lines.unread);
            reader = Some(thread::spawn(move || {
                while !matches!(
                    locked(&unread).pieces.try_recv(),
                    Err(TryRecvError::Disconnected)
                ) {
                    thread::sleep(Duration::from_millis(50));
                }
            }));
            lines.within(None, Arc::downgrade(&queue))
        });
        assert_eq!(places.available_permits(), 1);
        reader.unwrap().join().unwrap();
    }
}
