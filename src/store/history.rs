//! What was done to a book: table `history`.

use serde::Serialize;
use serde_json::Value;
use std::ffi::OsStr;
use std::fmt::Display;

/// What a change says about itself in the book's history: the command, as a person types it, and what came of it.
///
/// ```
/// use obook::Entry;
/// use std::collections::BTreeMap;
///
/// let entry = Entry::new("fix")
///     .argument("my book.obook")
///     .option("--rules", Some("edax"))
///     .flag("--quick", false)
///     .counts(&BTreeMap::from([("positions", 12)]));
/// assert_eq!(entry.command(), "obook fix 'my book.obook' --rules edax");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    command: String,
    counts: Value,
}

impl Entry {
    /// A change by this command of obook, so far without arguments.
    #[must_use]
    pub fn new(command: &str) -> Entry {
        Entry {
            command: format!("obook {command}"),
            counts: Value::Object(serde_json::Map::new()),
        }
    }

    /// Goes on with a file or another argument.
    #[must_use]
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Entry {
        self.command.push(' ');
        self.command
            .push_str(&quoted(&argument.as_ref().to_string_lossy()));
        self
    }

    /// Goes on with an option, where it has a value.
    #[must_use]
    pub fn option(self, name: &str, value: Option<impl Display>) -> Entry {
        match value {
            Some(value) => self.argument(name).argument(value.to_string()),
            None => self,
        }
    }

    /// Goes on with an option that has no value, where it is given.
    #[must_use]
    pub fn flag(self, name: &str, given: bool) -> Entry {
        if given { self.argument(name) } else { self }
    }

    /// The main numbers of the command's report, an object.
    ///
    /// # Panics
    /// Where `counts` is nothing that JSON can hold.
    #[must_use]
    pub fn counts(self, counts: &impl Serialize) -> Entry {
        let counts = serde_json::to_value(counts).expect("counts are numbers with names");
        Entry { counts, ..self }
    }

    /// The command line.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub(super) const NONE: &str = "none";

impl Entry {
    /// Writes it; `log` says what there is to undo it with. Returns its number.
    pub(super) fn insert(
        &self,
        connection: &rusqlite::Connection,
        log: &str,
    ) -> rusqlite::Result<i64> {
        connection.query_row(
            "INSERT INTO history (command, time, counts, log)
             VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?) RETURNING id",
            rusqlite::params![self.command, self.counts.to_string(), log],
            |row| row.get(0),
        )
    }
}
