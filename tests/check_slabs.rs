//! A book that doesn't fit in memory is checked and repaired with the same result.

use crate::book_file::header;
use obook::check::{FindingKind, Verification, verify};
use obook::write::repair::{Fixed, repair_file};
use obook::{Book, BookHeader, Context, IfExists, NewBook};
use obook_converters::{BookWriter, Format, Header};
use obook_othello::{Position, Proof, RuleSet, Symmetry};
use obook_testing::consistent_book::{closed, edax_book};
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use obook_testing::random_book::{Random, Recipe, recipes};
use obook_testing::samples::samples;
use proptest::prelude::*;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::Path;

/// Enough for the whole book, for slabs of a few layers, and for slabs of one.
const MEMORY: [Option<u64>; 3] = [None, Some(30_000), Some(1)];

/// The report of a book, and what becomes of a file that is repaired: another report, and the file.
type Checked = (Verification, Option<(Result<Fixed, String>, Vec<u8>)>);

fn checked(path: &Path, examples: usize, memory: Option<u64>) -> Result<Checked, String> {
    let context = Context::new("test").with_memory(memory);
    let book = Book::open(path, &context).map_err(|error| error.to_string())?;
    let report = verify(&book, examples, &context).map_err(|error| error.to_string())?;
    let Book::File(file) = book else {
        return Ok((report, None));
    };
    let output = path.with_extension("repaired");
    std::fs::write(&output, "nothing yet").unwrap();
    let fixed = repair_file(file, &output, IfExists::Replace, examples, &context);
    let fixed = fixed.map_err(|error| error.to_string());
    Ok((report, Some((fixed, std::fs::read(&output).unwrap()))))
}

/// Checks and repairs a book with much memory and with little. Fails if the results differ.
fn in_all_ways(path: &Path, examples: usize) {
    let [whole, few_layers, single_layers] = MEMORY.map(|memory| checked(path, examples, memory));
    for other in [few_layers, single_layers] {
        if let (Ok((report, _)), Ok((expected, _))) = (&other, &whole) {
            assert_eq!(report, expected);
        }
        assert!(other == whole, "the repaired files or the errors differ");
    }
}

/// Records of two books with a common trunk, in any order: many boards occur twice. The records of a sound book are Edax's, but for
/// `wrong` of them, which are nonsense.
fn records(one: &Recipe, other: &Recipe, sound: bool, wrong: u64, seed: u64) -> Vec<Position> {
    let random = &mut Random(seed);
    let prove = |mut position: Position| {
        let bounds = [random.below(129), random.below(129)].map(|bound| (bound as i16 - 64) as i8);
        if random.below(4) == 0 {
            position.proof = Proof::new(bounds[0], bounds[1], position.engine);
        }
        position
    };
    let nonsense: Vec<Position> = one.book().into_values().map(prove).collect();
    if sound {
        let graph = edax_book(&closed(one), seed, true);
        let mut records: Vec<Position> = graph.positions().collect();
        for _ in 0..wrong {
            let place = random.below(records.len() as u64) as usize;
            let like = &nonsense[random.below(nonsense.len() as u64) as usize];
            records[place] = Position {
                board: records[place].board,
                ..like.clone()
            };
        }
        return records;
    }
    let mut records = nonsense;
    records.extend(other.book().into_values());
    random.shuffle(&mut records);
    records
}

/// Writes those of the records that the format can hold.
fn write(file: &Path, format: Format, positions: &[Position]) {
    let create = |count| BookWriter::create(file, format, &header(count), None).unwrap();
    let mut trial = create(positions.len());
    let fit: Vec<&Position> = positions
        .iter()
        .filter(|it| trial.write(it).is_ok())
        .collect();
    drop(trial);
    let mut writer = create(fit.len());
    fit.iter()
        .for_each(|position| writer.write(position).unwrap());
    writer.finish().unwrap();
}

/// Makes a database. Boards of `turned` rows are turned, so that they aren't canonical, and those of as many others are there twice.
fn database(path: &Path, rules: RuleSet, mut positions: Vec<Position>, turned: u32) {
    positions.sort_by_key(|position| position.board);
    positions.dedup_by_key(|position| position.board);
    for position in &mut positions {
        position.links.sort_by_key(|link| link.mv);
        position.links.dedup_by_key(|link| link.mv);
    }
    let new = NewBook::create(path, IfExists::Refuse, &Context::new("test")).unwrap();
    let header = Header {
        level: Some(21),
        midgame_error: Some(2),
        endcut_error: Some(1),
        ..Header::default()
    };
    let header = BookHeader {
        rules,
        format: None,
        header,
    };
    new.set_header(&header).unwrap();
    new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
    new.commit(&()).unwrap();
    let connection = Connection::open(path).unwrap();
    for (place, position) in (0..turned).zip(positions.iter().step_by(7)) {
        let image = Symmetry::ALL[3].board(position.board.board());
        let image = [image.player(), image.opponent()].map(u64::to_be_bytes);
        let key = position.board.to_key();
        let sql = match place % 2 {
            0 => String::from("UPDATE OR IGNORE positions SET board = ?1 WHERE board = ?2"),
            _ => copy(&connection),
        };
        connection
            .execute(&sql, (image.concat(), &key[..]))
            .unwrap();
    }
}

/// SQL that copies the row of board ?2 to board ?1.
fn copy(connection: &Connection) -> String {
    let sql = "SELECT group_concat(name) FROM pragma_table_info('positions') WHERE name <> 'board'";
    let columns: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    format!(
        "INSERT OR IGNORE INTO positions (board, {columns}) SELECT ?1, {columns} FROM positions WHERE board = ?2"
    )
}

/// A book to check.
#[derive(Clone, Debug)]
struct Made {
    recipes: (Recipe, Recipe),
    sound: bool,
    wrong: u64,
    seed: u64,
    /// The format of a file, or the rules and turned boards of a database.
    form: Result<Format, (RuleSet, u32)>,
}

impl Made {
    fn write(&self, folder: &Path) -> std::path::PathBuf {
        let path = folder.join("book");
        let (one, other) = &self.recipes;
        let records = records(one, other, self.sound, self.wrong, self.seed);
        match self.form {
            Ok(format) => write(&path, format, &records),
            Err((rules, turned)) => database(&path, rules, records, turned),
        }
        path
    }
}

fn books() -> impl Strategy<Value = Made> {
    let rules = prop::sample::select(vec![
        RuleSet::Edax,
        RuleSet::Egaroucid,
        RuleSet::EgaroucidEdax,
    ]);
    // With little memory, books of NTest are refused: they are read as a whole.
    let formats = Format::WRITTEN
        .into_iter()
        .filter(|format| *format != Format::Ntest);
    let form = prop_oneof![
        prop::sample::select(formats.collect::<Vec<_>>()).prop_map(Ok),
        (rules, 0..6u32).prop_map(Err),
    ];
    let wrong = prop_oneof![Just(0), 1..9u64];
    (
        (recipes(), recipes()),
        any::<bool>(),
        wrong,
        any::<u64>(),
        form,
    )
        .prop_map(|(recipes, sound, wrong, seed, form)| Made {
            recipes,
            sound,
            wrong,
            seed,
            form,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn random_books_are_checked_in_slabs(book in books(), examples in 0..6usize) {
        let folder = tempfile::tempdir().unwrap();
        in_all_ways(&book.write(folder.path()), examples);
    }
}

/// The books have everything that is found by looking at other positions.
#[test]
fn the_books_are_worth_checking() {
    let mut found = BTreeSet::new();
    let mut sound = 0;
    for book in samples(&books(), 60) {
        let folder = tempfile::tempdir().unwrap();
        let context = Context::new("test");
        let Ok(opened) = Book::open(book.write(folder.path()), &context) else {
            continue;
        };
        let report = verify(&opened, 0, &context).unwrap();
        sound += usize::from(report.is_sound());
        found.extend(report.findings.iter().map(|group| group.kind));
    }
    assert!(sound > 3, "{sound}");
    for kind in [
        FindingKind::NotCanonical,
        FindingKind::Duplicate,
        FindingKind::NoChild,
        FindingKind::LeafInBook,
        FindingKind::MissingLeaf,
        FindingKind::Contradiction,
        FindingKind::MissingLink,
        FindingKind::LinkScore,
        FindingKind::Value,
        FindingKind::Bounds,
        FindingKind::Proof,
        FindingKind::Outcomes,
        FindingKind::Lines,
        FindingKind::NoLeaf,
        FindingKind::Disproved,
        FindingKind::Unreachable,
    ] {
        assert!(found.contains(&kind), "{kind} of {found:?}");
    }
}

#[test]
fn golden_files_and_their_databases_are_checked_in_slabs() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "games.dat",
        "edax/games.prune.dat",
        "edax/small.txt",
        "egaroucid/games.egbk",
        "egaroucid/games.egbk2",
        "egaroucid/games.mixed.egbk3",
    ] {
        let [file, database] = ["book", "book.obook"].map(|name| folder.path().join(name));
        std::fs::copy(golden(name), &file).unwrap();
        in_all_ways(&file, 3);
        import_file(&file, &database, &Context::new("test")).unwrap();
        in_all_ways(&database, 3);
    }
}
