//! Books that engines grew, to compare with books that obook's rules grow.

pub(crate) mod edax;
pub(crate) mod egaroucid;

use obook::{Context, Store};
use obook_converters::BookReader;
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_learn::search::Threads;
use obook_learn::{Correction, LearnOptions, Played, Recipe, Stage, learn};
use obook_othello::levels::of_leaf;
use obook_othello::{CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::answer::answer;
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use obook_testing::random_book::Book;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Best moves and their scores by question: the board, the excluded squares, and the level.
pub(crate) type Answers = BTreeMap<String, (Move, i8)>;

/// A question as text.
fn question(request: &Request) -> String {
    let excluded: String = request.excluded().iter().map(|it| it.to_string()).collect();
    let excluded = if excluded.is_empty() { "-" } else { &excluded };
    let (board, level) = (request.board().to_text(), request.level());
    format!("{board}\t{excluded}\t{level}")
}

/// Reads a file of answers.
pub(crate) fn read_answers(path: &Path) -> Answers {
    let text = std::fs::read_to_string(path).unwrap();
    let answer = |line: &str| {
        let mut columns = line.rsplitn(3, '\t');
        let score = columns.next().unwrap().parse().unwrap();
        let mv = columns.next().unwrap().parse().unwrap();
        (columns.next().unwrap().to_owned(), (mv, score))
    };
    let answers: Answers = text.lines().map(answer).collect();
    assert!(!answers.is_empty(), "{}", path.display());
    answers
}

/// Formats a file of answers.
pub(crate) fn write_answers(answers: &Answers) -> String {
    let line =
        |(question, (mv, score)): (&String, &(Move, i8))| format!("{question}\t{mv}\t{score}\n");
    answers.iter().map(line).collect()
}

/// An engine that gives recorded answers.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) engine: Engine,
    pub(crate) answers: Arc<Answers>,
}

impl Searcher for Recorded {
    fn name(&self) -> &str {
        "recorded"
    }

    fn engine(&self) -> Engine {
        self.engine
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        // The engine was never asked this question.
        let found = self.answers.get(&question(request));
        let (mv, score) = *found.ok_or(SearchError::Stopped)?;
        Ok(answer(request, self.engine, mv, score))
    }
}

/// An engine, and a record of its answers.
pub(crate) struct Recording {
    pub(crate) engine: Box<dyn Searcher>,
    pub(crate) answers: Arc<Mutex<Answers>>,
}

impl Searcher for Recording {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn engine(&self) -> Engine {
        self.engine.engine()
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let answer = self.engine.search(request)?;
        let mut answers = self.answers.lock().unwrap();
        answers.insert(question(request), (answer.mv, answer.score));
        Ok(answer)
    }
}

/// An engine that grew books, and the orders it got for one.
pub(crate) trait Grower: Debug + Sized {
    /// The folder of this engine's books.
    const FOLDER: &str;
    /// The extension of this engine's books.
    const ENDING: &str;
    /// A table of the cases in which the engine and obook grow the same book, with bars between its cells. A row that begins with
    /// `#` is a comment.
    const SAME: &'static str;
    /// The cases in which they grow different books.
    const DIFFERENT: &'static str;

    /// Reads a row of a table.
    fn read(row: [&'static str; 6]) -> Case<Self>;
}

/// A recorded growth, by an engine and by a stage.
#[derive(Clone, Debug)]
pub(crate) struct Case<G> {
    /// The name of the case, and of the book that the engine grew.
    pub(crate) name: &'static str,
    /// The book from which it grew, which may be that of another case.
    from: &'static str,
    /// The level of the searches.
    pub(crate) level: u8,
    /// The depth of the book.
    pub(crate) depth: u8,
    /// The orders to the engine.
    pub(crate) told: G,
    /// The stage that does the same.
    stage: Stage,
}

impl<G: Grower> Case<G> {
    /// All cases, each with whether both grow the same book.
    pub(crate) fn all() -> impl Iterator<Item = (Self, bool)> {
        let tables = [(G::SAME, true), (G::DIFFERENT, false)].into_iter();
        let rows =
            tables.flat_map(|(table, same)| table.lines().map(move |row| (row.trim(), same)));
        let rows = rows.filter(|(row, _)| !row.is_empty() && !row.starts_with('#'));
        rows.map(|(row, same)| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (G::read(cells.try_into().expect(row)), same)
        })
    }

    /// The case of this name.
    pub(crate) fn named(name: &str) -> Self {
        let case = Self::all().find(|(case, _)| case.name == name);
        case.expect(name).0
    }

    /// The stage as a recipe.
    pub(crate) fn recipe(&self) -> Recipe {
        Recipe {
            from: None,
            stages: vec![self.stage.clone()],
        }
    }

    /// Grows a book by obook's rules into a database. The rules know the games `played`. Returns the corrections of proven scores. Every
    /// question must have an answer.
    fn grow(
        &self,
        book: &Path,
        played: Played,
        start: &(dyn Fn() -> Box<dyn Searcher> + Sync),
    ) -> Vec<Correction> {
        import_file(&self.before(), book, &Context::new("import")).unwrap();
        let stop = Stop::default();
        let mut hire = |_| -> obook_learn::Result<_> {
            let threads = Threads::start(NonZeroUsize::MIN, || Ok(start()), &stop)?;
            Ok(Box::new(threads) as _)
        };
        let options = LearnOptions {
            stop: stop.clone(),
            played,
            ..LearnOptions::default()
        };
        let mut book = Store::open_for_writing(book, &Context::new("learn")).unwrap();
        let learned = learn(&mut book, &self.recipe(), &options, &mut hire, &mut |_| {}).unwrap();
        assert!(learned.failures.is_empty(), "{:?}", learned.failures);
        assert_eq!(learned.stopped, None);
        learned.corrections
    }

    /// The file of the book from which it grew.
    pub(crate) fn before(&self) -> PathBuf {
        Self::file(self.from, G::ENDING)
    }

    /// The file of the book that the engine grew.
    pub(crate) fn after(&self) -> PathBuf {
        Self::file(self.name, G::ENDING)
    }

    /// The file of the engine's answers.
    pub(crate) fn answers(&self) -> PathBuf {
        Self::file(self.name, "tsv")
    }

    /// A file of this engine's folder.
    fn file(name: &str, ending: &str) -> PathBuf {
        golden(&format!("learn/{}/{name}.{ending}", G::FOLDER))
    }
}

/// The positions of a database, comparable.
pub(crate) fn positions(book: &Path) -> Book {
    let book = Store::open(book, &Context::default()).unwrap();
    let positions = book.positions().unwrap().map(Result::unwrap);
    positions.map(|it| (it.board, comparable(it))).collect()
}

/// The positions of an engine's book, comparable.
pub(crate) fn read(path: &Path) -> Book {
    let positions = BookReader::open(path, None).unwrap().map(Result::unwrap);
    positions.map(|it| (it.board, comparable(it))).collect()
}

/// Sorts the links, and gives the leaf a level of its own.
fn comparable(mut position: Position) -> Position {
    position.links.sort_unstable_by_key(|link| link.mv.code());
    let (level, engine) = (position.level, position.engine);
    position.leaf = position.leaf.map(|leaf| Leaf {
        level: of_leaf(leaf, level, engine),
        ..leaf
    });
    position
}

/// Describes the first `most` boards whose records differ.
pub(crate) fn differences(ours: &Book, theirs: &Book, most: usize) -> Vec<String> {
    let boards: BTreeSet<&CanonicalBoard> = ours.keys().chain(theirs.keys()).collect();
    let differ = |board: &&_| ours.get(*board) != theirs.get(*board);
    let told = boards.into_iter().filter(differ).map(|board| {
        let (ours, theirs) = (ours.get(board), theirs.get(board));
        let board = board.board().to_text();
        format!("{board}\n  ours   {ours:?}\n  theirs {theirs:?}")
    });
    told.take(most).collect()
}
