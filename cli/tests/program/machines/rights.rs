//! Access to a server: passwords, permissions, certificates.

use super::{Running, Server, contents, lines, program};
use crate::support::program::{arg, complaint, obook, stdout};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

#[test]
fn a_server_that_is_away_is_named_and_workers_wait_for_it() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let url = format!("nats://someone:secret@127.0.0.1:{port}");
    let output = obook(["learn", arg(&book), "--nats", &url]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        format!("obook: nats://127.0.0.1:{port}: no server is running there\n")
    );
    let mut work = Command::new(env!("CARGO_BIN_EXE_obook"));
    work.args(["work", &url, "--json"]);
    let mut worker = Running::start(work.stdout(Stdio::piped()));
    let told = lines(&mut worker);
    let reason = told.recv().unwrap()["reason"].clone();
    let expected =
        format!("can't reach nats://127.0.0.1:{port}: no server is running there; waiting for it");
    assert_eq!(reason, expected.as_str());
    // It comes, but stores no messages.
    let mut server = Command::new(program());
    server.args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
    let _server = Running::start(server.stderr(Stdio::null()));
    let reason = told.recv().unwrap()["reason"].clone();
    let expected = "waiting for a learner that uses obook (the server stores no messages: start it with --jetstream)";
    assert_eq!(reason, expected);
    let output = obook(["learn", arg(&book), "--nats", &url]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        format!(
            "obook: nats://127.0.0.1:{port}: the server stores no messages: start it with --jetstream\n"
        )
    );
    assert_eq!(worker.0.try_wait().unwrap(), None);
}

/// The configuration in docs/learning.md, with certificates in this folder.
fn documented(folder: &Path) -> String {
    let chapter = include_str!("../../../../docs/learning.md");
    let (_, configuration) = chapter.split_once("```text\n# server.conf\n").unwrap();
    let (configuration, _) = configuration.split_once("```").unwrap();
    assert!(configuration.contains("\"/etc/nats/server.pem\""));
    configuration.replace("/etc/nats", arg(folder))
}

/// A certificate authority for servers and clients, as files.
struct Authority {
    folder: TempDir,
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
}

impl Authority {
    fn new() -> Authority {
        let folder = tempfile::tempdir().unwrap();
        let mut own = rcgen::CertificateParams::new([]).unwrap();
        own.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        std::fs::write(
            folder.path().join("ca.pem"),
            own.self_signed(&key).unwrap().pem(),
        )
        .unwrap();
        let issuer = rcgen::Issuer::new(own, key);
        Authority { folder, issuer }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a certificate for a machine of this name, NAME.pem, and its key, NAME-key.pem.
    fn certify(&self, name: &str, host: &str) {
        let certificate = rcgen::CertificateParams::new([host.to_owned()]).unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let signed = certificate.signed_by(&key, &self.issuer).unwrap();
        std::fs::write(self.path(&format!("{name}.pem")), signed.pem()).unwrap();
        std::fs::write(self.path(&format!("{name}-key.pem")), key.serialize_pem()).unwrap();
    }
}

/// Permissions and certificates as in docs/learning.md.
///
/// Law (Several machines): The documented permissions suffice for workers; passwords in addresses appear in no book or error.
/// Also: `a_server_may_ask_for_certificates` `a_server_that_is_away_is_named_and_workers_wait_for_it`
#[test]
fn workers_need_few_rights() {
    let authority = Authority::new();
    authority.certify("server", "127.0.0.1");
    let server = Server::with(&documented(authority.folder.path()));
    let expected = server.expected();
    let book = server.path("book.obook");
    let ca = authority.path("ca.pem");
    let url = |name: &str| format!("tls://{name}:{name}-secret@127.0.0.1:{}", server.port);
    let _workers = ["attic", "cellar"].map(|name| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command.args(["work", &url(name), "--name", name, "--jobs", "1"]);
        command.args(["--ca", arg(&ca)]);
        Running::start(command.stdout(Stdio::null()))
    });
    let recipe = server.path("recipe.toml");
    let url = url("learner");
    let learn = [
        "learn",
        arg(&book),
        "--recipe",
        arg(&recipe),
        "--nats",
        &url,
    ];
    let said = complaint(
        learn,
        Path::new(&format!("tls://127.0.0.1:{}", server.port)),
    );
    assert!(said.contains("certificate"), "{said}");
    stdout([&learn[..], &["--ca", arg(&ca)]].concat());
    assert_eq!(contents(&book), expected);
    // The password is not in the book's history.
    let history = stdout(["history", arg(&book), "--json"]);
    assert!(
        history.contains("tls://127.0.0.1") && !history.contains("secret"),
        "{history}"
    );
}

/// Machines that have a certificate instead of a password.
#[test]
fn a_server_may_ask_for_certificates() {
    let authority = Authority::new();
    authority.certify("server", "127.0.0.1");
    authority.certify("machine", "cellar.example.org");
    let path = |name: &str| arg(&authority.path(name)).to_owned();
    let server = Server::with(&format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}",
        path("server.pem"),
        path("server-key.pem"),
        path("ca.pem")
    ));
    let expected = server.expected();
    let book = server.path("book.obook");
    let (ca, certificate, key) = (path("ca.pem"), path("machine.pem"), path("machine-key.pem"));
    let shown = ["--ca", &ca, "--cert", &certificate, "--key", &key];
    let mut worker = Command::new(env!("CARGO_BIN_EXE_obook"));
    worker.args(["work", &server.url()]).args(shown);
    let _worker = Running::start(worker.stdout(Stdio::null()).stderr(Stdio::null()));
    server.finish(&book, &shown);
    assert_eq!(contents(&book), expected);
    complaint(
        ["work", &server.url(), "--ca", &ca],
        Path::new(&server.url()),
    );
}
