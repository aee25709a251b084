//! Everything that can go wrong, each said in one sentence that names the file. What a program offers to overcome it is the
//! program's to say: it can tell by the variant.

use crate::FileKind;
use obook_graph::sort;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of anything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with the file it concerns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A book file could not be read or written.
    #[error(transparent)]
    Codec(#[from] obook_converters::Error),

    /// The operating system refused.
    #[error("{}: can't {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a verb: "open", "write" …
        doing: &'static str,
        /// Its reason.
        source: std::io::Error,
    },

    /// SQLite refused.
    #[error("{}: can't {doing}: {source}", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What was tried, as a verb.
        doing: &'static str,
        /// SQLite's reason.
        source: rusqlite::Error,
    },

    /// A SQLite database that obook did not make.
    #[error(
        "{}: a SQLite database, but not an obook one (application_id {found:#010x}, expected {expected:#010x})",
        path.display()
    )]
    NotABook {
        /// The database.
        path: PathBuf,
        /// Its `application_id`.
        found: u32,
        /// Ours.
        expected: u32,
    },

    /// A snapshot of a database, where a book was expected.
    #[error("{}: a snapshot of a database, not a book", path.display())]
    Snapshot {
        /// The snapshot.
        path: PathBuf,
    },

    /// A file that gzip compressed; only zstd is looked through.
    #[error("{}: compressed by gzip, which is not read", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
    },

    /// A database of a later obook.
    #[error(
        "{}: schema version {found}, but this obook knows versions up to {supported}; use a newer obook",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest that this program knows.
        supported: i64,
    },

    /// An obook database whose tables are not those that obook made.
    #[error("{}: {problem}: its tables are not those that obook made", path.display())]
    ForeignSchema {
        /// The database.
        path: PathBuf,
        /// The first difference.
        problem: String,
    },

    /// A row that no book can hold.
    #[error("{}: board {board}: {problem}", path.display())]
    BadRow {
        /// The database.
        path: PathBuf,
        /// The key in hexadecimal.
        board: String,
        /// What was found and expected.
        problem: String,
    },

    /// The output is there already, and is not to be replaced or no file of this kind may take its place.
    #[error("{}: already exists, {found}", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
        /// What is there.
        found: FileKind,
        /// What was to be written; where it [replaces](FileKind::replaces) what is there, it may be told to.
        output: FileKind,
    },

    /// A file that SQLite left beside a database which is not there any more.
    #[error(
        "{}: left behind by a database that is gone; a new one would take it for its own",
        companion.display()
    )]
    Leftover {
        /// The database that is to be made.
        path: PathBuf,
        /// The file beside it.
        companion: PathBuf,
    },

    /// A line of a file that is not what it should be.
    #[error("{}: byte {at}: {problem}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Where the line begins.
        at: u64,
        /// What was found and expected.
        problem: String,
    },

    /// Those who search on other machines can't be reached, or can't go on.
    #[error("{place}: {problem}")]
    Workers {
        /// Where they are looked for.
        place: String,
        /// What became of them.
        problem: String,
    },

    /// A file of games.
    #[error(transparent)]
    Games(#[from] obook_games::Error),

    /// A book file, where only a database will do.
    #[error("{}: can't {doing} a book file", path.display())]
    BookFile {
        /// The book file.
        path: PathBuf,
        /// What was tried, as a verb that can stand before “a book file”: "fix", "merge into" …
        doing: &'static str,
    },

    /// Another process is writing to the database and did not end in time.
    #[error("{}: another process is still writing after {} s", path.display(), waited.as_secs())]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long this process waited.
        waited: Duration,
    },

    /// A database with rows that make no sense, where what they say matters.
    #[error("{}: the book is damaged in {places} places", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// How many there are.
        places: u64,
    },

    /// A database whose pages do not hang together: what it holds can't all be found, so nothing is made of it.
    #[error("{}: the database is damaged: {found}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// The first thing that SQLite finds wrong.
        found: String,
    },

    /// What a repetition is worth, where it is no score.
    #[error(
        "{}: table book, column repetition is {found}: expected -64 to 64",
        path.display()
    )]
    BadRepetition {
        /// The database.
        path: PathBuf,
        /// What the book says.
        found: i64,
    },

    /// The format can't hold all that the book says, and had to.
    #[error("{}: {format} can't hold\n  {losses}", path.display())]
    Lossy {
        /// The book.
        path: PathBuf,
        /// The format.
        format: &'static str,
        /// What it can't hold, a line each.
        losses: String,
    },

    /// Positions that Edax would stumble over, where they can't be mended.
    #[error("{}: {demands}", path.display())]
    EdaxDemands {
        /// The book.
        path: PathBuf,
        /// The positions and what they lack, a line each.
        demands: String,
        /// Where a leaf is missing among it: the names of the [ways](obook_graph::mapping::MissingLeaf) to choose one that
        /// were not tried yet.
        missing_leaf: Option<&'static [&'static str]>,
    },

    /// A cut that would take the position that it starts from.
    #[error(
        "{}: the position to start from is {plies} plies from the start position, and nothing stays beyond {depth}",
        path.display()
    )]
    TooDeep {
        /// The book.
        path: PathBuf,
        /// How many plies it is from the start position.
        plies: u8,
        /// The depth.
        depth: u8,
    },

    /// A level of positions or leaves alone, where the book's rules have one for both.
    #[error(
        "{}: the book follows Edax's rules, by which a position has the level of its leaf",
        path.display()
    )]
    OneLevel {
        /// The book.
        path: PathBuf,
    },

    /// An SQL condition that SQLite does not take.
    #[error("{}: the condition: {problem}", path.display())]
    Condition {
        /// The book.
        path: PathBuf,
        /// SQLite's reason.
        problem: String,
    },

    /// An engine could not be started, or failed.
    #[error(transparent)]
    Engine(#[from] obook_engine::SearchError),

    /// An engine that gives no answers.
    #[error(
        "engine {engine}: no answer to {count} positions in a row; the last one: {board}: {reason}"
    )]
    NoAnswer {
        /// What it is called.
        engine: String,
        /// The number of positions.
        count: u64,
        /// The last of them.
        board: String,
        /// What was wrong with it.
        reason: String,
    },

    /// A book whose numbers do not follow from each other, where that matters.
    #[error("{}: {problem}", path.display())]
    Unfixed {
        /// The book.
        path: PathBuf,
        /// Which do not.
        problem: String,
    },

    /// Something that the input lacks and the output needs, or a request that makes no sense for this book.
    #[error("{}: {problem}", path.display())]
    Unfit {
        /// The book.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl From<sort::Error> for Error {
    fn from(error: sort::Error) -> Error {
        Error::Io {
            path: error.folder,
            doing: error.doing,
            source: error.source,
        }
    }
}

impl Error {
    /// The operating system refused: for `map_err`. Costs nothing unless there is an error, so it may stand in the innermost loop.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// SQLite refused: as [`Error::io`].
    pub fn sqlite(path: &Path, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
        move |source| Error::Sqlite {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// The book at `path` does not fit in memory.
    pub fn too_large<E: std::error::Error>(path: &Path) -> impl Fn(E) -> Error {
        move |error| Error::unfit(path, error.to_string())
    }

    /// Something about the book at `path` that stands in the way.
    #[must_use]
    pub fn unfit(path: &Path, problem: impl Into<String>) -> Error {
        Error::Unfit {
            path: path.to_owned(),
            problem: indented(&problem.into()),
        }
    }

    /// The file at `path` is no database, and only that will do: see [`Error::BookFile`].
    #[must_use]
    pub fn book_file(path: &Path, doing: &'static str) -> Error {
        Error::BookFile {
            path: path.to_owned(),
            doing,
        }
    }
}

/// The lines of a problem that follow its first are indented: they belong to it.
pub fn indented(problem: &str) -> String {
    problem.replace('\n', "\n  ")
}
