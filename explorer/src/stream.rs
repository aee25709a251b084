//! Answers that come line by line while a thread works on them.

use crate::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_stream::Stream;

/// The type of the answers.
pub(crate) const KIND: &str = "application/x-ndjson";
/// Pieces that wait to be sent.
const WAITING: usize = 8;
/// The size of a piece in bytes, unless a line is longer.
const PIECE: usize = 16 << 10;

/// The writing end: lines of JSON.
pub(crate) struct Lines {
    pieces: Sender<Result<Bytes, Problem>>,
    piece: Vec<u8>,
    /// Whether something was sent.
    begun: bool,
}

/// The reader has gone away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Left;

impl Lines {
    /// Adds a line.
    pub(crate) fn write(&mut self, line: &impl Serialize) -> Result<(), Left> {
        serde_json::to_writer(&mut self.piece, line).expect("a line is JSON");
        self.piece.push(b'\n');
        match self.piece.len() < PIECE {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Sends the lines so far.
    pub(crate) fn flush(&mut self) -> Result<(), Left> {
        self.begun = true;
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        self.pieces.blocking_send(Ok(piece)).map_err(|_| Left)
    }

    /// Ends the answer. A problem before the first line is an answer of its own; later, it is the last line.
    pub(crate) fn end(mut self, ended: Result<(), Problem>) {
        // If the reader has gone away, nothing is lost.
        let _ = match ended {
            Err(problem) if !self.begun && self.piece.is_empty() => {
                self.pieces.blocking_send(Err(problem)).map_err(|_| Left)
            }
            Err(problem) => self.write(&problem.to_answer()).and_then(|()| self.flush()),
            Ok(()) => self.flush(),
        };
    }
}

/// The reading end. `T` is kept until the answer has been read or given up.
pub(crate) struct Reading<T> {
    first: Option<Bytes>,
    pieces: Receiver<Result<Bytes, Problem>>,
    _kept: (T, OwnedSemaphorePermit),
}

impl<T: Unpin> Stream for Reading<T> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        // Problems after the first piece are lines.
        self.pieces
            .poll_recv(context)
            .map(|piece| piece.and_then(Result::ok).map(Ok))
    }
}

/// Answers with the lines that `start` lets a thread write.
pub(crate) async fn answer<T: Send + Unpin + 'static>(
    permit: OwnedSemaphorePermit,
    start: impl FnOnce(Lines) -> Result<T, Problem>,
) -> Result<Response, Problem> {
    let (sender, mut pieces) = channel(WAITING);
    let kept = start(Lines {
        pieces: sender,
        piece: Vec::new(),
        begun: false,
    })?;
    let first = match pieces.recv().await {
        Some(first) => first?,
        None => return Err(Problem::busy()),
    };
    let reading = Reading {
        first: Some(first),
        pieces,
        _kept: (kept, permit),
    };
    let headers = [(CONTENT_TYPE, KIND), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(reading)).into_response())
}
