//! Commands as people type them, for a book's history and for advice.

use std::ffi::{OsStr, OsString};

/// The command line of this process, without `--wait`, `--json` and passwords.
pub(crate) fn this_command() -> String {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--json") => {}
            Some("--wait") => drop(words.next()),
            Some(word) if word.starts_with("--wait=") => {}
            Some(word) if word.contains("://") => kept.push(OsString::from(without_password(word))),
            _ => kept.push(word.clone()),
        }
    }
    command(kept)
}

/// One or more addresses, without user names and passwords.
pub(crate) fn without_password(address: &str) -> String {
    let one = |address: &str| match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => address.to_owned(),
    };
    address.split(',').map(one).collect::<Vec<_>>().join(",")
}

/// `obook` with these arguments, quoted for a shell.
pub(crate) fn command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    shell("obook", arguments)
}

/// A program with these arguments, quoted for a shell.
pub(crate) fn shell(
    program: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> String {
    let mut command = String::from(program);
    for argument in arguments {
        command.push(' ');
        command.push_str(&quoted(&argument.as_ref().to_string_lossy()));
    }
    command
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_kept() {
        for (typed, kept) in [
            ("nats://me:secret@host:4222", "nats://host:4222"),
            ("--nats=tls://me:se@cret@host", "--nats=tls://host"),
            ("nats://a,nats://t@b:1", "nats://a,nats://b:1"),
            ("nats://host", "nats://host"),
        ] {
            assert_eq!(without_password(typed), kept);
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        let words = ["fix", "my book.obook", "--rules", "edax", "", "it's"];
        let expected = r"obook fix 'my book.obook' --rules edax '' 'it'\''s'";
        assert_eq!(command(words), expected);
    }
}
