//! The server and how to connect to it.

use crate::nats::Error;
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event};
use obook_engine::wire::without_credentials;
use std::error::Error as _;
use std::fmt::Display;
use std::future::ready;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Time limit for the first connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest pause between two attempts to reach a server.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A server's address and the credentials for it.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// The address `nats://HOST:PORT` or `tls://…`, or several separated by commas for a cluster.
    pub url: String,
    /// A credentials file as written by `nsc`.
    pub credentials: Option<PathBuf>,
    /// A PEM file with the certificate authorities for the server, instead of the system's.
    pub authorities: Option<PathBuf>,
    /// PEM files with this machine's certificate and key, if the server requires them.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// A change of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Whether the connection is lost.
    pub(crate) is_lost: bool,
    /// A message for the user, if there is something to say.
    pub(crate) complaint: Option<String>,
}

/// The pause before another attempt to reach a server: twice as long each time.
pub(crate) fn pause(attempts: usize) -> Duration {
    let millis = 1_u64 << attempts.min(16);
    Duration::from_millis(millis).min(LONGEST_PAUSE)
}

impl Server {
    /// The address [without credentials](without_credentials).
    #[must_use]
    pub fn name(&self) -> String {
        without_credentials(&self.url)
    }

    /// Threads for its connections.
    pub(crate) fn runtime(&self) -> Result<Runtime, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        runtime.map_err(|problem| self.error(problem))
    }

    pub(crate) fn error(&self, problem: impl ToString) -> Error {
        Error::Server {
            server: self.name(),
            problem: problem.to_string(),
        }
    }

    /// Connects, and reconnects whenever the connection is lost. `inbox` is the prefix of the subjects for replies to requests.
    pub(crate) async fn connect(
        &self,
        inbox: &str,
        tell: impl Fn(Change) + Send + Sync + 'static,
    ) -> Result<Client, Error> {
        let addresses: Result<Vec<async_nats::ServerAddr>, _> =
            self.url.split(',').map(str::parse).collect();
        let addresses =
            addresses.map_err(|problem| self.error(format!("invalid address: {problem}")))?;
        let is_away = AtomicBool::new(false);
        let hear = move |event: Event| {
            let complaint = match &event {
                Event::Connected => None,
                // While the server is away, each attempt to reach it fails: that was said.
                _ if is_away.load(Ordering::Relaxed) => return,
                Event::Disconnected => Some("lost the server; waiting for it to return".to_owned()),
                Event::ServerError(problem) => Some(problem.to_string()),
                Event::ClientError(problem) => Some(problem.to_string()),
                _ => return,
            };
            let is_lost = matches!(event, Event::Disconnected);
            is_away.store(is_lost, Ordering::Relaxed);
            tell(Change { is_lost, complaint });
        };
        let mut options = ConnectOptions::new()
            .name("obook")
            .custom_inbox_prefix(inbox)
            .connection_timeout(PATIENCE)
            .reconnect_delay_callback(pause)
            .event_callback(move |event| {
                hear(event);
                ready(())
            });
        // The address may contain a user name.
        if let Some(named) = addresses.iter().find(|it| it.has_user_pass()) {
            let user = named.username().unwrap_or_default().to_owned();
            options = match named.password() {
                Some(password) => options.user_and_password(user, password.to_owned()),
                None => options.token(user),
            };
        }
        if let Some(path) = &self.credentials {
            let read = options.credentials_file(path).await;
            options = read.map_err(|problem| {
                self.error(format!("credentials {}: {problem}", path.display()))
            })?;
        }
        if let Some(path) = &self.authorities {
            options = options
                .add_root_certificates(path.clone())
                .require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let connected = options.connect(addresses).await;
        connected.map_err(|problem| match why_away(&problem) {
            Some(problem) => Error::Unreachable {
                server: self.name(),
                problem,
            },
            None => self.error(refusal(&problem)),
        })
    }
}

/// Why the server can't be reached, if it may be there later.
fn why_away(problem: &ConnectError) -> Option<&'static str> {
    match problem.kind() {
        ConnectErrorKind::Dns => Some("no machine of this name is known"),
        ConnectErrorKind::TimedOut => Some("no answer"),
        ConnectErrorKind::Io => match problem.source()?.downcast_ref::<io::Error>()?.kind() {
            ErrorKind::ConnectionRefused => Some("no server is running there"),
            ErrorKind::TimedOut => Some("no answer"),
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                Some("the network doesn't lead there")
            }
            _ => None,
        },
        _ => None,
    }
}

/// Describes why the server refuses something, in the words of the documentation.
fn refusal(problem: &ConnectError) -> String {
    let reason = problem.source().map(ToString::to_string);
    let because = |words: &str| match &reason {
        Some(reason) => format!("{words}: {reason}"),
        None => words.to_owned(),
    };
    match problem.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            String::from("the server knows no such user, password or credentials")
        }
        ConnectErrorKind::Tls => because("no secure connection"),
        ConnectErrorKind::ServerParse => because("invalid address"),
        _ => because("can't connect"),
    }
}

/// Describes why the server refuses to store, hand out or list messages.
pub(crate) fn plainly(problem: impl Display) -> String {
    let text = problem.to_string();
    // The other texts say that nobody listens.
    let nobody = [
        "not enabled",
        "no responders",
        "JetStream resource does not exist",
        "jetstream unavailable",
    ];
    if nobody.iter().any(|it| text.contains(it)) {
        String::from("the server stores no messages: start it with --jetstream")
    } else if text.contains("timed out") {
        String::from("the server doesn't answer: perhaps this user may not ask")
    } else {
        text
    }
}
