//! Answers that come line by line while a thread works on them.

use crate::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread::{self, Thread};
use std::time::Instant;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_stream::Stream;

/// The type of the answers.
pub(crate) const KIND: &str = "application/x-ndjson";
/// Pieces that wait to be sent.
const WAITING: usize = 8;
/// The size of a piece in bytes, unless a line is longer.
const PIECE: usize = 16 << 10;

/// The writing end: lines of JSON.
pub(crate) struct Lines {
    pieces: Sender<Bytes>,
    piece: Vec<u8>,
    /// How the answer ended. It needs no place among the pieces, so it comes even if the reader is late.
    ended: oneshot::Sender<Result<(), Problem>>,
    /// The end of the wait for a reader.
    deadline: Option<Instant>,
}

/// The reader has gone away, or hasn't read by the deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Left;

impl Lines {
    fn new() -> (
        Lines,
        Receiver<Bytes>,
        oneshot::Receiver<Result<(), Problem>>,
    ) {
        let (pieces, written) = channel(WAITING);
        let (ended, end) = oneshot::channel();
        let lines = Lines {
            pieces,
            piece: Vec::new(),
            ended,
            deadline: None,
        };
        (lines, written, end)
    }

    /// Waits for the reader only until the deadline.
    pub(crate) fn until(self, deadline: Option<Instant>) -> Lines {
        Lines { deadline, ..self }
    }

    /// Adds a line.
    pub(crate) fn write(&mut self, line: &impl Serialize) -> Result<(), Left> {
        add(&mut self.piece, line);
        match self.piece.len() < PIECE {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Sends the lines so far.
    pub(crate) fn flush(&mut self) -> Result<(), Left> {
        if self.piece.is_empty() {
            return Ok(());
        }
        match wait_for(self.pieces.reserve(), self.deadline) {
            Some(Ok(place)) => {
                place.send(std::mem::take(&mut self.piece).into());
                Ok(())
            }
            Some(Err(_)) | None => Err(Left),
        }
    }

    /// Ends the answer. A problem before the first line is an answer of its own; later, it is the last line.
    pub(crate) fn end(mut self, ended: Result<(), Problem>) {
        let ended = match self.flush() {
            Ok(()) => ended,
            Err(Left) => ended.and(Err(Problem::late())),
        };
        // If the reader has gone away, nothing is lost.
        let _ = self.ended.send(ended);
    }
}

fn add(piece: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *piece, line).expect("a line is JSON");
    piece.push(b'\n');
}

/// Waits on this thread; `None`: the future wasn't ready by the deadline.
fn wait_for<T>(future: impl Future<Output = T>, deadline: Option<Instant>) -> Option<T> {
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
        match deadline {
            None => thread::park(),
            Some(deadline) => {
                let left = deadline.checked_duration_since(Instant::now())?;
                thread::park_timeout(left);
            }
        }
    }
}

/// The reading end. `T` is kept until the answer has been read or given up.
pub(crate) struct Reading<T> {
    first: Option<Bytes>,
    pieces: Receiver<Bytes>,
    /// `None` after the end.
    end: Option<oneshot::Receiver<Result<(), Problem>>>,
    _kept: (T, OwnedSemaphorePermit),
}

impl<T: Unpin> Stream for Reading<T> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        if let Some(piece) = ready!(self.pieces.poll_recv(context)) {
            return Poll::Ready(Some(Ok(piece)));
        }
        let Some(end) = &mut self.end else {
            return Poll::Ready(None);
        };
        let ended = outcome(ready!(Pin::new(end).poll(context)));
        self.end = None;
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
    permit: OwnedSemaphorePermit,
    start: impl FnOnce(Lines) -> Result<T, Problem>,
) -> Result<Response, Problem> {
    let (lines, mut pieces, end) = Lines::new();
    let kept = start(lines)?;
    let first = pieces.recv().await;
    let end = match first {
        Some(_) => Some(end),
        None => {
            outcome(end.await)?;
            None
        }
    };
    let reading = Reading {
        first,
        pieces,
        end,
        _kept: (kept, permit),
    };
    let headers = [(CONTENT_TYPE, KIND), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(reading)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// A reader that takes nothing must not hold the thread, and learns that rows are missing.
    #[test]
    fn unread_lines_end_at_the_deadline() {
        let (lines, pieces, end) = Lines::new();
        let mut lines = lines.until(Some(Instant::now() + Duration::from_millis(50)));
        let (ended, writer) = mpsc::channel();
        thread::spawn(move || {
            let row = "x".repeat(PIECE);
            while lines.write(&row).is_ok() {}
            lines.end(Ok(()));
            ended.send(()).unwrap();
        });
        let waited = writer.recv_timeout(Duration::from_secs(60));
        waited.expect("the thread waits for no reader");
        let permit = Arc::new(tokio::sync::Semaphore::new(1)).try_acquire_owned();
        let mut reading = Reading {
            first: None,
            pieces,
            end: Some(end),
            _kept: ((), permit.unwrap()),
        };
        let mut read = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(piece))) = Pin::new(&mut reading).poll_next(&mut context) {
            read.push(piece);
        }
        assert_eq!(read.len(), WAITING + 1);
        let last: serde_json::Value = serde_json::from_slice(&read[WAITING]).unwrap();
        assert_eq!(last["error"], "the time limit was reached");
    }
}
