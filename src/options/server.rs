//! A NATS server: how to connect to it, and the names of books and machines there.

use clap::Args;
use obook_engine::wire::Name;
use obook_nats::Server;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Credentials and certificates for a NATS server.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Credentials file, as written by `nsc`
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// Use TLS, and trust servers with a certificate from these authorities (PEM)
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Key of the client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

impl ServerArgs {
    /// The server at this address.
    pub(crate) fn at(&self, url: &str) -> Server {
        Server {
            url: url.to_owned(),
            credentials: self.creds.clone(),
            authorities: self.ca.clone(),
            certificate: self.cert.clone().zip(self.key.clone()),
        }
    }
}

/// The name of this machine.
pub(crate) fn name_of_machine() -> Name {
    Name::like(&sysinfo::System::host_name().unwrap_or_default())
}

/// What a book is called on a server: as its file, and so that no other file has the same name. Under another path, on another
/// machine, or by another obook it may be another one: then replies that wait are not taken, and what they answer is asked again.
pub(crate) fn name_of_book(path: &Path) -> Name {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    let mut hasher = DefaultHasher::new();
    whole.unwrap_or_else(|_| path.to_owned()).hash(&mut hasher);
    name_of_machine().as_str().hash(&mut hasher);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.chars().take(32).collect();
    Name::like(&format!("{stem}-{:016x}", hasher.finish()))
}
