//! Commands as a person types them: what a book's history says of a change.

use std::ffi::{OsStr, OsString};

/// The command that this process was started with, without what only says how to wait and how to answer.
pub(crate) fn this_command() -> String {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--json") => {}
            Some("--wait") => drop(words.next()),
            Some(word) if word.starts_with("--wait=") => {}
            _ => kept.push(word),
        }
    }
    command(kept)
}

/// `obook` with these arguments, each as a shell takes it for one word.
pub(crate) fn command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    shell("obook", arguments)
}

/// A program with these arguments, likewise.
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
    fn words_are_quoted_where_a_shell_would_split_them() {
        let words = ["fix", "my book.obook", "--rules", "edax", "", "it's"];
        let expected = r"obook fix 'my book.obook' --rules edax '' 'it'\''s'";
        assert_eq!(command(words), expected);
    }
}
