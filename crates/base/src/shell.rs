//! Commands as people type them.

use std::ffi::OsStr;

/// A program with these arguments, quoted for a shell.
///
/// ```
/// assert_eq!(obook_base::shell("obook", ["fix", "book.obook"]), "obook fix book.obook");
/// ```
pub fn shell(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    let mut command = String::from(program);
    for argument in arguments {
        command.push(' ');
        command.push_str(&quoted(&argument.as_ref().to_string_lossy()));
    }
    command
}

fn quoted(word: &str) -> String {
    // On Windows, backslashes separate folders, and only double quotes are quotes to every shell.
    let plain =
        |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c) || cfg!(windows) && c == '\\';
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{}\"", word.replace('"', "\\\""))
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_split_are_quoted() {
        let words = ["fix", "my book.obook", "--rules", "edax", "", "it's"];
        let expected = match cfg!(windows) {
            true => r#"obook fix "my book.obook" --rules edax "" "it's""#,
            false => r"obook fix 'my book.obook' --rules edax '' 'it'\''s'",
        };
        assert_eq!(shell("obook", words), expected);
    }
}
