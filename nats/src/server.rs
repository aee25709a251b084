//! The server, and how to get at it.

use crate::Error;
use async_nats::{Client, ConnectOptions, Event};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a first connection may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the server is, and what it wants to see.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Its address: `nats://HOST:PORT`, or `tls://…`; several with commas between them where servers form a cluster.
    pub url: String,
    /// A file of credentials, as `nsc` writes them.
    pub credentials: Option<PathBuf>,
    /// A file with the certificates, in PEM, of those who may vouch for the server, in place of those that the system knows.
    pub authorities: Option<PathBuf>,
    /// Files with this machine's own certificate and its key, in PEM, where the server asks for one.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Addresses of servers, with commas between them, without the user and the password that they may name: for messages and for
/// the history of a book.
///
/// ```
/// use obook_nats::without_credentials;
/// assert_eq!(without_credentials("nats://me:secret@host:4222"), "nats://host:4222");
/// assert_eq!(without_credentials("me:secret@host:4222,token@other"), "host:4222,other");
/// // What is no address is not shown.
/// assert_eq!(without_credentials("me:secret"), "...");
/// ```
#[must_use]
pub fn without_credentials(addresses: &str) -> String {
    let shown = |address: &str| {
        let (scheme, rest) = match address.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), address),
        };
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let port = host.rsplit_once(':').map_or("", |(_, port)| port);
        let port = port.trim_end_matches('/');
        // An IPv6 address ends in a bracket. Anything else after a colon is a part of a password.
        match port.ends_with(']') || port.chars().all(|c| c.is_ascii_digit()) {
            true => format!("{scheme}{host}"),
            false => format!("{scheme}..."),
        }
    };
    let addresses: Vec<String> = addresses.split(',').map(shown).collect();
    addresses.join(",")
}

/// What becomes of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Connected,
    Lost,
    /// The server or the client complains.
    Complaint(String),
}

impl Server {
    /// Its address [without credentials](without_credentials).
    #[must_use]
    pub fn name(&self) -> String {
        without_credentials(&self.url)
    }

    pub(crate) fn error(&self, problem: impl ToString) -> Error {
        Error::Server {
            server: self.name(),
            problem: problem.to_string(),
        }
    }

    /// Connects, and goes on to connect again whenever the connection is lost. `inbox` begins the subjects on which answers to
    /// requests come.
    pub(crate) async fn connect(
        &self,
        inbox: &str,
        tell: impl Fn(Change) + Send + Sync + 'static,
    ) -> Result<Client, Error> {
        let addresses: Result<Vec<async_nats::ServerAddr>, _> =
            self.url.split(',').map(str::parse).collect();
        let addresses =
            addresses.map_err(|problem| self.error(format!("no address: {problem}")))?;
        let tell = Arc::new(tell);
        let mut options = ConnectOptions::new()
            .name("obook")
            .custom_inbox_prefix(inbox)
            .connection_timeout(PATIENCE)
            .event_callback(move |event| {
                let tell = Arc::clone(&tell);
                async move {
                    match event {
                        Event::Connected => tell(Change::Connected),
                        Event::Disconnected => tell(Change::Lost),
                        Event::ServerError(problem) => tell(Change::Complaint(problem.to_string())),
                        Event::ClientError(problem) => tell(Change::Complaint(problem.to_string())),
                        _ => {}
                    }
                }
            });
        // The address may name the user who connects.
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
        connected.map_err(|problem| self.error(problem))
    }
}
