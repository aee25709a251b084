//! Connections, and how long the server waits for their clients.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep};

/// The most connections at a time; others wait.
const MOST: usize = 128;
/// The time for answers in progress when the server is stopped.
const GRACE: Duration = Duration::from_secs(1);
/// The time to wait if the system can't open a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the server waits for a client to send the head of its next request, to send a body, or to take what was written
/// to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Patience {
    pub(crate) usual: Duration,
    /// For heads and bodies while more than half of the connections are taken: silent clients must not keep others out.
    pub(crate) crowded: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            usual: Duration::from_secs(20),
            crowded: Duration::from_secs(1),
        }
    }
}

/// The places for connections.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    free: Arc<Semaphore>,
    patience: Patience,
}

impl Connections {
    pub(crate) fn new(patience: Patience) -> Connections {
        let free = Arc::new(Semaphore::new(MOST));
        Connections { free, patience }
    }

    /// The time for a client to send something.
    pub(crate) fn patience(&self) -> Duration {
        match self.free.available_permits() < MOST / 2 {
            true => self.patience.crowded,
            false => self.patience.usual,
        }
    }

    /// Answers requests until `stopped`, then finishes the answers in progress.
    pub(crate) async fn serve(self, listener: TcpListener, router: Router, stopped: impl Future) {
        let graceful = GracefulShutdown::new();
        let accept = async {
            loop {
                let permit = Arc::clone(&self.free).acquire_owned().await;
                let permit = permit.expect("the semaphore is never closed");
                let Ok((stream, _)) = listener.accept().await else {
                    // The system has run out of something; it will come back.
                    sleep(PAUSE).await;
                    continue;
                };
                // Answers are written at once; if that fails, they only take longer.
                let _ = stream.set_nodelay(true);
                let stream = TokioIo::new(Prompt::new(stream, self.patience.usual));
                let service = TowerToHyperService::new(router.clone());
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(self.patience())
                    .serve_connection(stream, service);
                let connection = graceful.watch(connection);
                tokio::spawn(async move {
                    let _permit = permit;
                    // A connection that breaks is the client's affair.
                    let _ = connection.await;
                });
            }
        };
        tokio::select! {
            () = accept => {}
            _ = stopped => {}
        }
        drop(listener);
        // Anything that takes longer is cut off.
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    }
}

/// A connection that breaks if its client doesn't take what is written to it.
struct Prompt {
    stream: TcpStream,
    limit: Duration,
    /// Ends the wait for the client to take the rest of a write.
    late: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl Prompt {
    fn new(stream: TcpStream, limit: Duration) -> Prompt {
        Prompt {
            stream,
            limit,
            late: Box::pin(sleep(limit)),
            is_waiting: false,
        }
    }

    /// Watches a write of some bytes. A client that takes them in part still owes the rest, so that none can hold an answer by
    /// taking a byte now and then.
    fn watched(
        &mut self,
        context: &mut Context<'_>,
        bytes: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(taken)) => self.is_waiting &= taken < bytes,
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                if !self.is_waiting {
                    self.is_waiting = true;
                    self.late.as_mut().reset(Instant::now() + self.limit);
                }
                if self.late.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Err(ErrorKind::TimedOut.into()));
                }
            }
        }
        written
    }
}

impl AsyncRead for Prompt {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Prompt {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, bytes.len(), written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
