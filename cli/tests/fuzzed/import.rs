//! The life of a book: created from a small file, then fixed, merged, cut, edited and undone as the bytes say.

use super::made::{header, level, line, positions};
use super::rows::{Contents, Pen, contents, drop_views};
use arbitrary::{Result, Unstructured};
use obook::check::{Severity, verify};
use obook::write::Target;
use obook::write::cut::{Cut, Losses, cut};
use obook::write::edit::{Edit, edit};
use obook::write::fix::{Steps, recompute};
use obook::write::level::{NewLevel, Relevel, Whose, relevel};
use obook::write::merge::{MergeOptions, Strategy, merge};
use obook::{Book, BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::{BookWriter, Format};
use obook_othello::RuleSet;
use obook_testing::imported::import_file;
use rusqlite::Connection;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const RULES: [RuleSet; 3] = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];

/// An empty book, which is opened once: to make and open a database takes longer than most of what is done with it.
struct Desk {
    _folder: TempDir,
    pen: Pen,
    book: Store,
    reader: Book,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::new());
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let book = NewBook::create(&path, IfExists::Refuse, &Context::new("make")).unwrap();
        let header = BookHeader {
            rules: RuleSet::Edax,
            format: None,
            header: header(0),
        };
        book.set_header(&header).unwrap();
        book.commit(&()).unwrap();
        let (book, reader) = open(&path);
        Desk {
            _folder: folder,
            pen: Pen::new(&path),
            book,
            reader,
        }
    }
}

/// A handle to write and one to read.
fn open(path: &Path) -> (Store, Book) {
    drop_views(&Connection::open(path).unwrap());
    let book = Store::open_for_writing(path, &Context::new("test")).unwrap();
    (book, Book::open(path, &Context::default()).unwrap())
}

pub(crate) fn check(bytes: &[u8]) {
    // If the bytes end early, the life is shorter.
    let _ = begin(&mut Unstructured::new(bytes));
}

/// One book in eight is imported into a new database, and each other one is merged into an empty one, which is faster.
fn begin(bytes: &mut Unstructured<'_>) -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let is_new = bytes.len().is_multiple_of(8);
    let Some(first) = file(bytes, folder)? else {
        return Ok(());
    };
    if is_new {
        let path = folder.join("book.obook");
        if import_file(&first, &path, &Context::new("import")).is_err() {
            assert!(!path.exists());
            return Ok(());
        }
        let (mut book, reader) = open(&path);
        return life(bytes, &mut book, &reader, folder);
    }
    DESK.with_borrow_mut(|desk| {
        desk.pen.begin();
        desk.pen.commit();
        let empty = said(&desk.book);
        if merge(&mut desk.book, &[first], MergeOptions::default()).is_err() {
            assert_eq!(said(&desk.book), empty);
            return Ok(());
        }
        life(bytes, &mut desk.book, &desk.reader, folder)
    })
}

fn life(
    bytes: &mut Unstructured<'_>,
    book: &mut Store,
    reader: &Book,
    folder: &Path,
) -> Result<()> {
    let rules = Some(*bytes.choose(&RULES)?);
    recompute(book, Steps::Fix { rules }).unwrap();
    is_consistent(reader);
    for _ in 0..4 {
        if bytes.is_empty() {
            break;
        }
        let before = said(book);
        let changes = changes(book);
        let done = change(bytes, book, folder)?;
        let more = self::changes(book) - changes;
        if !done || more == 0 {
            assert_eq!(
                said(book),
                before,
                "what fails, or finds nothing to do, changes nothing"
            );
            assert_eq!(more, 0);
            continue;
        }
        assert_eq!(more, 1, "what is done is one change");
        is_consistent(reader);
        if bytes.arbitrary()? {
            book.undo().unwrap();
            assert_eq!(said(book), before, "undo is exact");
        }
    }
    Ok(())
}

/// A book file in some format; `None` if the format can't hold the positions.
fn file(bytes: &mut Unstructured<'_>, folder: &Path) -> Result<Option<PathBuf>> {
    let format = *bytes.choose(&Format::WRITTEN)?;
    let positions = positions(bytes)?;
    let number = std::fs::read_dir(folder).unwrap().count();
    let path = folder.join(format!("{number}.{}", format.extension()));
    let mut writer = BookWriter::create(&path, format, &header(positions.len()), None).unwrap();
    for position in &positions {
        if writer.write(position).is_err() {
            return Ok(None);
        }
    }
    writer.finish().unwrap();
    Ok((!positions.is_empty()).then_some(path))
}

/// Changes a book, and returns whether that succeeded.
fn change(bytes: &mut Unstructured<'_>, book: &mut Store, folder: &Path) -> Result<bool> {
    Ok(match bytes.int_in_range(0..=5u8)? {
        0 | 1 => {
            let Some(from) = file(bytes, folder)? else {
                return Ok(false);
            };
            let strategy = *bytes.choose(&[Strategy::Whole, Strategy::Increment])?;
            let from = [from];
            let options = MergeOptions {
                strategy,
                ..MergeOptions::default()
            };
            let merged = merge(book, &from, options).is_ok();
            if merged && bytes.ratio(1, 4)? {
                merging_again_changes_nothing(book, &from, options);
            }
            merged
        }
        2 => {
            let line = line(bytes, 60)?;
            let how = match bytes.int_in_range(-65..=64i8)? {
                -65 => Edit::Remove,
                score => Edit::Enter(score),
            };
            edit(book, &line, how).is_ok()
        }
        3 => {
            let depth = bytes.int_in_range(0..=60)?;
            let some = bytes.arbitrary::<bool>()?.then_some(depth);
            let from = line(bytes, 8)?;
            let how = match bytes.int_in_range(0..=4u8)? {
                0 => Cut::Prune { depth: some },
                1 => Cut::Subtree { from, depth: some },
                2 => Cut::Reachable,
                3 => Cut::Reduce {
                    from,
                    depth,
                    losses: Losses {
                        per_move: bytes.int_in_range(0..=20)?,
                        per_line: bytes.int_in_range(0..=40)?,
                    },
                },
                _ => Cut::Depth(depth),
            };
            cut(Target::InPlace(book), &how, &Context::new("cut")).is_ok()
        }
        4 => {
            let how = Relevel {
                level: NewLevel::Set(level(bytes)?),
                whose: *bytes.choose(&[Whose::Both, Whose::Positions, Whose::Leaves])?,
                empties: None,
                condition: None,
            };
            relevel(Target::InPlace(book), &how, &Context::new("level")).is_ok()
        }
        _ => {
            let rules = Some(*bytes.choose(&RULES)?);
            recompute(book, Steps::Fix { rules }).is_ok()
        }
    })
}

fn merging_again_changes_nothing(book: &mut Store, from: &[PathBuf], options: MergeOptions) {
    let forced = MergeOptions {
        forced: true,
        ..options
    };
    let before = (said(book), changes(book));
    merge(book, from, forced).unwrap();
    let [once, twice] = [before.0.clone(), said(book)].map(|mut said| {
        said.remove("sources");
        for row in said.get_mut("positions").unwrap().as_mut().unwrap() {
            forget_level_without_value(row);
        }
        said
    });
    assert_eq!(twice, once);
    if changes(book) > before.1 {
        book.undo().unwrap();
    }
    assert_eq!(said(book), before.0);
}

/// No search found anything at the level of a position without a value, so any record may set it.
fn forget_level_without_value(row: &mut String) {
    let Some((board, rest)) = row.split_once("]), ") else {
        return;
    };
    let mut cells: Vec<&str> = rest.split(", ").collect();
    if let [_empties, "Null", "Null", "Null", level, ..] = &mut cells[..] {
        *level = "?";
        *row = format!("{board}]), {}", cells.join(", "));
    }
}

/// Checks that links and numbers follow from the leaves.
fn is_consistent(book: &Book) {
    let report = verify(book, 2, &Context::default()).unwrap();
    assert_eq!(
        report.count(Severity::Inconsistent),
        0,
        "{:?}",
        report.findings
    );
}

/// The contents of a book, without its history.
fn said(book: &Store) -> Contents {
    let mut contents = contents(book.connection());
    contents.remove("history");
    contents.remove("undo");
    contents
}

/// The number of changes that were not undone.
fn changes(book: &Store) -> i64 {
    let sql = "SELECT count(*) FROM history WHERE undone IS NULL";
    book.connection()
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}
