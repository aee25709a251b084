//! Engines with another name, scale or place.

use obook::write::engine::{NewEngine, replace_engine};
use obook::write::{Report, Target};
use obook::{Book, BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::Header;
use obook_othello::{Engine, Leaf, Position, Proof, RuleSet};
use obook_testing::book_rows::{Rows, rows, select};
use obook_testing::golden::golden;
use obook_testing::imported::fix;
use obook_testing::own_engines::own_engines;
use obook_testing::random_book::{Random, recipes};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::Path;

/// The rows of a book, and the names of its engines.
type Contents = (Rows, Vec<Vec<Value>>);

fn same(one: &Contents, other: &Contents) -> Result<(), TestCaseError> {
    for (table, rows) in &one.0 {
        let differing: Vec<_> = rows.symmetric_difference(&other.0[table]).take(4).collect();
        prop_assert!(differing.is_empty(), "{}: {:#?}", table, differing);
    }
    prop_assert_eq!(&one.1, &other.1);
    Ok(())
}

fn contents(path: &Path) -> Contents {
    let names = select(path, "SELECT * FROM engines ORDER BY engine");
    (rows(path), names)
}

/// A fixed book of these positions, where missing leaves were `engine`'s.
fn put(path: &Path, rules: RuleSet, positions: &[Position], engine: Engine) {
    let new = NewBook::create(path, IfExists::Refuse, &Context::new("import")).unwrap();
    new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
    let header = BookHeader {
        rules,
        format: None,
        header: Header::default(),
    };
    new.set_header(&header).unwrap();
    new.commit(&()).unwrap();
    fix(path);
    let sql = format!(
        "UPDATE todo SET move = 1, score = 2, level = 3, engine = {0};
         INSERT OR IGNORE INTO engines VALUES ({0}, '{1}')",
        engine.number(),
        engine.name()
    );
    Connection::open(path).unwrap().execute_batch(&sql).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law (Changes): A book whose engine gets another name, scale or place is as that engine's searches would make it.
    #[test]
    fn searches_are_those_of_the_new_engine(
        recipe in recipes(), old in 0..5usize, name in any::<bool>(), scale in any::<bool>(), place in 0..3usize
    ) {
        let folder = tempfile::tempdir().unwrap();
        let all = own_engines();
        let old = all[old];
        let new = NewEngine {
            name: name.then(|| String::from("other")),
            scale: scale.then_some(Engine::Egaroucid),
            place: [None, Some("above ntest"), Some("unknown")][place].map(|it| it.parse().unwrap()),
        };
        // All engines of the name, since a name is all that a person knows.
        let becomes = |engine: Engine| match engine.name() == old.name() {
            true => Engine::own(
                new.name.as_deref().unwrap_or(engine.name()),
                new.scale.unwrap_or(engine.scale()),
                new.place.unwrap_or(engine.place().unwrap()),
            ).unwrap(),
            false => engine,
        };
        let random = &mut Random(recipe.seed);
        let mut positions: Vec<Position> = recipe.book().into_values().collect();
        for position in &mut positions {
            let mut any = || *[&all[..], &[Engine::Edax]].concat().get(random.below(6) as usize).unwrap();
            // They are found again.
            position.links.clear();
            position.engine = any();
            position.leaf = position.leaf.map(|leaf| Leaf { engine: any(), ..leaf });
            let prover = any();
            position.proof = match random.below(4) == 0 && !position.board.board().is_over() {
                true => Proof::new(-(random.below(33) as i8), random.below(33) as i8, prover),
                false => None,
            };
        }
        // A short game may have no search by it.
        positions[0].engine = old;
        let mut renamed = positions.clone();
        for position in &mut renamed {
            position.engine = becomes(position.engine);
            position.leaf = position.leaf.map(|leaf| Leaf { engine: becomes(leaf.engine), ..leaf });
            position.proof = position.proof.and_then(|it| Proof::new(it.lower(), it.upper(), becomes(it.prover())));
        }
        for rules in [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax] {
            let [book, expected] = ["book", "expected"].map(|name| folder.path().join(format!("{rules}-{name}")));
            put(&book, rules, &positions, old);
            put(&expected, rules, &renamed, becomes(old));
            let before = contents(&book);
            let context = Context::new("test");
            let dry = Target::DryRun(&Book::open(&book, &context).unwrap());
            let dry = replace_engine(dry, old.name(), &new, &context).unwrap();
            same(&contents(&book), &before)?;
            let mut store = Store::open_for_writing(&book, &context).unwrap();
            let Report { counts, .. } = replace_engine(Target::InPlace(&mut store), old.name(), &new, &context).unwrap();
            prop_assert_eq!(dry.counts, counts);
            same(&contents(&book), &contents(&expected))?;
            store.undo().unwrap();
            same(&contents(&book), &before)?;
        }
    }
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    put(&path, RuleSet::Edax, &[], Engine::Edax);
    let context = Context::new("test");
    let refused = |path: &Path, name: &str, new: &NewEngine| {
        let book = Book::open(path, &context).unwrap();
        let report = replace_engine(Target::DryRun(&book), name, new, &context);
        report.unwrap_err().to_string()
    };
    let place = |place: &str| NewEngine {
        place: Some(place.parse().unwrap()),
        ..NewEngine::default()
    };
    let unknown = NewEngine {
        name: Some("t1".into()),
        ..NewEngine::default()
    };
    let told = refused(&path, "zebra", &unknown);
    assert!(told.contains("by an engine called “zebra”"), "{told}");
    for (path, name, words) in [
        (
            &path,
            "tiny",
            "no search in the book is by an engine called “tiny”",
        ),
        (
            &path,
            "edax",
            "edax is the name of an engine that obook knows",
        ),
        (
            &golden("games.dat"),
            "edax",
            "a book file can't name engines",
        ),
    ] {
        let told = refused(path, name, &place("above ntest"));
        assert!(told.contains(words), "{told}");
    }
}
