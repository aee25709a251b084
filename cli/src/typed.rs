//! Commands as people type them, for a book's history and for advice.

use obook_base::shell;
use obook_engine::wire::without_credentials;
use std::ffi::{OsStr, OsString};

/// The command line of this process, without `--wait`, `--json` and passwords.
pub(crate) fn this_command() -> String {
    command(told(std::env::args_os().skip(1)))
}

/// The arguments that the history of a book keeps.
fn told(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut told = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--wait") => drop(arguments.next()),
            Some(word) if word == "--json" || word.starts_with("--wait=") => {}
            Some("--nats") => {
                told.push(argument);
                let address = arguments.next();
                told.extend(address.map(|it| without_credentials(&it.to_string_lossy()).into()));
            }
            Some(word) if let Some(address) = word.strip_prefix("--nats=") => {
                told.push(format!("--nats={}", without_credentials(address)).into());
            }
            Some(word) if word.contains("://") => told.push(without_credentials(word).into()),
            _ => told.push(argument),
        }
    }
    told
}

/// `obook` with these arguments, quoted for a shell.
pub(crate) fn command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    shell("obook", arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_kept() {
        for (typed, kept) in [
            ("work nats://me:secret@host:4222", "work nats://host:4222"),
            (
                "learn b --nats=tls://me:se@cret@host",
                "learn b --nats=tls://host",
            ),
            (
                "learn b --nats me:secret@host:4222",
                "learn b --nats host:4222",
            ),
            ("learn b --nats=me:secret@host", "learn b --nats=host"),
            (
                "learn b --nats nats://a,nats://t@b:1 --json",
                "learn b --nats nats://a,nats://b:1",
            ),
            (
                "learn me@home:b --wait 3s --nats host",
                "learn me@home:b --nats host",
            ),
        ] {
            let told = told(typed.split(' ').map(OsString::from));
            assert_eq!(told, kept.split(' ').collect::<Vec<_>>());
        }
    }
}
