//! Books that don't fit in memory are cut, and get other levels, with the same result.

use super::cuts_laws::{ALL_RULES, Computed, books, cuts, fitted};
use obook::write::cut::{Cut, Losses, cut};
use obook::write::export::{ExportOptions, Input, MissingLeaf, Output, export};
use obook::write::level::{NewLevel, Relevel, Whose, relevel};
use obook::write::{KEPT, Rewritten, Target};
use obook::{Book, BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_graph::Graph;
use obook_othello::{CanonicalBoard, Leaf, Line, Position, RuleSet};
use obook_testing::book_rows::{Rows, rows};
use obook_testing::golden::{book, golden};
use obook_testing::imported::{import_file, imported};
use obook_testing::random_book::{Random, graph_of, recipes};
use obook_testing::slabs::slabs_of;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Clone, Debug)]
enum Change {
    Cut(Cut),
    Level(Relevel),
}

impl Change {
    /// The report or the error, as text.
    fn carry_out(&self, target: Target<'_>, memory: u64) -> Result<String, String> {
        let context = &Context::new("test").with_memory(memory);
        match self {
            Change::Cut(how) => cut(target, how, context).map(|report| format!("{report:?}")),
            Change::Level(how) => relevel(target, how, context).map(|report| format!("{report:?}")),
        }
        .map_err(|error| error.to_string())
    }

    /// Changes a database in place. Returns what was reported, and the rows then. Afterwards it is as before.
    fn in_database(&self, book: &Path, memory: u64) -> (Result<String, String>, Rows) {
        let (bytes, before) = (std::fs::read(book).unwrap(), rows(book));
        let mut store = Store::open_for_writing(book, &Context::new("test")).unwrap();
        let said = self.carry_out(Target::InPlace(&mut store), memory);
        let after = rows(book);
        if after != before {
            store.undo().unwrap();
            assert_eq!(rows(book), before);
        }
        drop(store);
        std::fs::write(book, bytes).unwrap();
        (said, after)
    }

    fn dry_run(&self, book: &Path, memory: u64) -> Result<String, String> {
        let book = Book::open(book, &Context::new("test")).unwrap();
        self.carry_out(Target::DryRun(&book), memory)
    }

    /// Writes a changed file. Returns what was reported, and the bytes of the file.
    fn in_file(&self, book: &Path, memory: u64) -> (Result<String, String>, Option<Vec<u8>>) {
        let output = &book.with_file_name("changed.zst");
        let Book::File(book) = Book::open(book, &Context::new("test")).unwrap() else {
            panic!("it is a file")
        };
        let target = Target::File {
            book: &book,
            output,
            if_exists: IfExists::Replace,
        };
        let said = self.carry_out(target, memory);
        let bytes = std::fs::read(output).ok();
        let _ = std::fs::remove_file(output);
        (said, bytes)
    }
}

/// Changes a database with the usual memory and with little, and compares. Returns what was reported.
fn same_in_database(book: &Path, change: &Change, memory: u64) -> Result<String, String> {
    let whole = change.in_database(book, u64::MAX);
    let slabs = change.in_database(book, memory);
    assert_eq!(slabs.0, whole.0, "{change:?}");
    assert_eq!(slabs.1, whole.1, "{change:?}");
    let dry = [u64::MAX, memory].map(|memory| change.dry_run(book, memory));
    assert_eq!(dry[1], dry[0], "{change:?}");
    whole.0
}

/// The same for a file.
fn same_in_file(book: &Path, change: &Change, memory: u64) -> Result<String, String> {
    let whole = change.in_file(book, u64::MAX);
    let slabs = change.in_file(book, memory);
    assert_eq!(slabs.0, whole.0, "{change:?}");
    assert!(slabs.1 == whole.1, "{change:?}");
    let dry = [u64::MAX, memory].map(|memory| change.dry_run(book, memory));
    assert_eq!(dry[1], dry[0], "{change:?}");
    whole.0
}

/// A database of these positions.
fn database(path: &Path, rules: RuleSet, depth: u8, positions: &[Position]) {
    let new = NewBook::create(path, IfExists::Refuse, &Context::new("import")).unwrap();
    new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
    let mut header = Header::default();
    header.set_depth(depth.into());
    let header = BookHeader {
        rules,
        format: None,
        header,
    };
    new.set_header(&header).unwrap();
    new.commit(&()).unwrap();
}

/// Levels to change in a book with these rules.
fn levels() -> impl Strategy<Value = Change> {
    let new = prop_oneof![
        (0..=60u8).prop_map(NewLevel::Set),
        (0..=60u8, 0..=60u8).prop_map(|(one, other)| NewLevel::Within(one..=other)),
        Just(NewLevel::Set(70)),
    ];
    let whose = prop::sample::select(vec![
        Whose::Both,
        Whose::Both,
        Whose::Positions,
        Whose::Leaves,
    ]);
    let conditions = ["value > 0", "level IS NULL OR empties % 2 = 0"];
    let condition = prop::option::of(prop::sample::select(conditions.to_vec()));
    (new, whose, prop::option::of(0..=60u8), condition).prop_map(
        |(level, whose, from, condition)| {
            Change::Level(Relevel {
                level,
                whose,
                empties: from.map(|from| from..=60),
                condition: condition.map(String::from),
            })
        },
    )
}

/// A change that fits the book.
fn changes() -> impl Strategy<Value = (Change, u64)> {
    let cut = cuts().prop_map(|(how, seed)| (Change::Cut(how), seed));
    prop_oneof![4 => cut, 1 => (levels(), any::<u64>())]
}

fn fit(change: Change, graph: &Graph, seed: u64) -> Change {
    match change {
        Change::Cut(how) => Change::Cut(fitted(how, graph, seed)),
        level => level,
    }
}

/// Little memory: each layer is a slab, or a few are.
fn little() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1), 2_000..60_000u64]
}

/// Makes about one position in `rarely` wrong, or removes it. Finished games keep their score if they are `sound`.
fn mess_up(positions: &mut Vec<Position>, rarely: u64, sound: bool, random: &mut Random) {
    positions.retain(|_| random.below(rarely) > 0);
    for position in positions {
        if random.below(rarely) > 0 || sound && position.board.board().is_over() {
            continue;
        }
        match random.below(8) {
            0 => position.value = Some(random.below(40) as i16 - 20),
            1 => drop(position.links.pop()),
            2 => position
                .links
                .iter_mut()
                .for_each(|link| link.score = Some(3)),
            3 => position.leaf = None,
            4 => position.level = Some(random.below(61) as u8),
            // Linking drops this leaf, and a search is lost.
            5 | 6 => {
                let link = position.links.first().map(|link| link.mv);
                position.leaf = position.leaf.map(|leaf| Leaf {
                    mv: link.or(leaf.mv),
                    ..leaf
                });
            }
            _ => position.lines = None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Consistent books, where little changes, and others.
    #[test]
    fn databases_are_changed_in_slabs(
        book in books(),
        (change, seed) in changes(),
        depth in 0..=60u8,
        (mess, sound) in (0..3u64, any::<bool>()),
        memory in little(),
    ) {
        let mut positions: Vec<Position> = book.graph.positions().collect();
        if mess > 0 {
            mess_up(&mut positions, mess * mess * 20, sound, &mut Random(seed));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        database(&path, book.rules, depth, &positions);
        let _ = same_in_database(&path, &fit(change, &book.graph, seed), memory);
    }

    /// Random numbers and links, and passes that Egaroucid leaves out.
    #[test]
    fn wild_databases_are_changed_in_slabs(
        recipe in recipes(),
        rules in prop::sample::select(&ALL_RULES),
        (change, seed) in changes(),
        memory in little(),
    ) {
        let book = if rules == RuleSet::Edax { recipe.book() } else { recipe.book_without_passes() };
        let mut positions: Vec<Position> = book.into_values().collect();
        for position in &mut positions {
            // A table has no move twice.
            let mut met = BTreeSet::new();
            position.links.retain(|link| met.insert(link.mv));
            if position.board.board().is_over() {
                let score = position.board.board().final_score();
                position.value = position.value.map(|_| score.into());
                position.leaf = position.leaf.map(|leaf| Leaf { score, ..leaf });
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let graph = graph_of(positions.clone());
        database(&path, rules, 60, &positions);
        let _ = same_in_database(&path, &fit(change, &graph, seed), memory);
    }

    /// Files with duplicates.
    #[test]
    fn files_are_changed_in_slabs(
        book in books(),
        (change, seed) in changes(),
        format in 0..3usize,
        mess in 0..3u64,
        memory in little(),
    ) {
        let random = &mut Random(seed);
        let mut records: Vec<Position> = book.graph.positions().collect();
        let again: Vec<Position> = records.iter().filter(|_| random.below(9) == 0).cloned().collect();
        records.extend(again);
        random.shuffle(&mut records);
        if mess > 0 {
            mess_up(&mut records, mess * mess * 20, true, random);
        }
        let formats = match book.rules {
            RuleSet::Edax => [Format::Edax, Format::Edax, Format::EdaxText],
            _ => [Format::Egbk3, Format::Egbk2, Format::Egbk],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let header = Header { count: Some(records.len() as i64), level: Some(21), n_empties: Some(20), midgame_error: Some(2), endcut_error: Some(1), ..Header::default() };
        let mut writer = BookWriter::create(&path, formats[format], &header, None).unwrap();
        // A record that the format can't hold is left out.
        let written = records.iter().filter(|record| writer.write(record).is_ok()).count();
        prop_assume!(written == records.len());
        writer.finish().unwrap();
        let _ = same_in_file(&path, &fit(change, &book.graph, seed), memory);
    }
}

/// A changed file has the format that its name says, or else that of the book. It loses what an import, the same change and an export
/// lose, and a dry run says so.
#[test]
fn a_changed_file_loses_what_its_format_cannot_hold() {
    let context = &Context::new("test");
    let folder = tempfile::tempdir().unwrap();
    let [ntest, database, exported] =
        ["games.book", "book.obook", "exported"].map(|name| folder.path().join(name));
    let write = |book: &Path, to: &Path, format| {
        let options = ExportOptions {
            missing_leaf: MissingLeaf::Demote,
            ..ExportOptions::new(format)
        };
        let input = Input::open(book, None, context).unwrap();
        let to = Output::File(to.to_owned(), IfExists::Replace);
        export(input, &to, &options, context).unwrap()
    };
    write(&golden("games.dat"), &ntest, Format::Ntest);
    let depth: fn(Target<'_>, &Context) -> Rewritten =
        |target, context| cut(target, &Cut::Depth(6), context).unwrap().rewritten;
    let level: fn(Target<'_>, &Context) -> Rewritten = |target, context| {
        let how = Relevel {
            level: NewLevel::Set(70),
            whose: Whose::Both,
            empties: None,
            condition: None,
        };
        relevel(target, &how, context).unwrap().rewritten
    };
    let zebra = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/zebra.cmp");
    for (file, change, output, loses) in [
        (golden("games.dat"), depth, "changed", false),
        (
            golden("egaroucid/games.mixed.egbk3"),
            depth,
            "changed",
            false,
        ),
        (
            golden("egaroucid/games.mixed.egbk3"),
            level,
            "changed",
            false,
        ),
        (golden("egaroucid/games.egbk2"), depth, "changed", true),
        (golden("egaroucid/games.egbk"), depth, "changed", true),
        (golden("egaroucid/games.egbk"), level, "changed", true),
        (ntest.clone(), depth, "changed", true),
        (ntest, level, "changed", true),
        (golden("games.dat"), depth, "changed.egbk3", false),
        (golden("games.dat"), depth, "changed.EGBK2.zst", true),
        (golden("egaroucid/games.egbk2"), depth, "changed.dat", true),
        (zebra, depth, "changed.dat", false),
    ] {
        let name = format!("{} to {output}", file.display());
        let output = folder.path().join(output);
        let book = Book::open(&file, context).unwrap();
        let dry = change(Target::DryRun(&book), context);
        let left_out = book.left_out();
        let Book::File(book) = book else {
            panic!("it is a file")
        };
        let target = Target::File {
            book: &book,
            output: &output,
            if_exists: IfExists::Replace,
        };
        let changed = change(target, context);
        assert_eq!((&dry.left_out, &changed.left_out), (&left_out, &left_out));
        let loses_more = matches!(book.format(), Format::Zebra | Format::Ntest);
        assert_eq!(!left_out.lost.is_empty(), loses_more, "{name}");
        let format = Format::from_extension(&output).unwrap_or(book.format());
        if format == book.format() {
            assert_eq!(dry.losses, changed.losses, "{name}");
        }
        assert_eq!(
            !changed.losses.is_empty(),
            loses,
            "{name}: {}",
            changed.losses
        );

        import_file(&file, &database, context).unwrap();
        let mut store = Store::open_for_writing(&database, context).unwrap();
        change(Target::InPlace(&mut store), context);
        drop(store);
        let expected = write(&database, &exported, format);
        assert_eq!(changed.losses, expected.losses, "{name}");
        let written = BookReader::open(&output, None).unwrap();
        assert_eq!(written.format(), format, "{name}");
        let positions = written.count();
        assert_eq!(positions as u64, expected.positions, "{name}");
    }
}

/// A change makes leaves of links only if it drops them. A file of Edax that lacks others is refused, as by an export.
#[test]
fn a_file_of_edax_that_lacks_leaves_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let (header, mut positions) = book("games.dat");
    let lacking = positions.iter_mut().filter(|position| {
        let empties = position.board.board().empties();
        [30, 40, 50].contains(&empties) && position.links.len() == 1
    });
    lacking.for_each(|position| position.leaf = None);
    let mut writer = BookWriter::create(&path, Format::Edax, &header, None).unwrap();
    (positions.iter()).for_each(|position| writer.write(position).unwrap());
    writer.finish().unwrap();
    let level = Relevel {
        level: NewLevel::Set(12),
        whose: Whose::Both,
        empties: None,
        condition: None,
    };
    for change in [
        Change::Level(level),
        Change::Cut(Cut::Reachable),
        Change::Cut(Cut::Depth(30)),
    ] {
        let (said, written) = change.in_file(&path, u64::MAX);
        let said = said.unwrap_err();
        assert!(said.contains("meet Edax's demands"), "{said}");
        assert_eq!(written, None);
        assert_eq!(change.dry_run(&path, u64::MAX), Err(said));
    }
    let (said, written) = Change::Cut(Cut::Depth(10)).in_file(&path, u64::MAX);
    assert!(said.is_ok() && written.is_some(), "{said:?}");
}

/// Edax's form makes leaves of some positions of other books.
#[test]
fn a_cut_counts_the_positions_in_a_file_of_edax() {
    let context = &Context::new("test");
    let folder = tempfile::tempdir().unwrap();
    let output = &folder.path().join("cut.dat");
    for name in [
        "games.dat",
        "egaroucid/games.mixed.egbk3",
        "egaroucid/games.egbk2",
    ] {
        let Book::File(book) = Book::open(golden(name), context).unwrap() else {
            panic!("it is a file")
        };
        let target = Target::File {
            book: &book,
            output,
            if_exists: IfExists::Replace,
        };
        let report = cut(target, &Cut::Depth(20), context).unwrap();
        let written = BookReader::open(output, None).unwrap().count();
        assert_eq!(report.counts.kept, written as u64, "{name}");
        assert_eq!(report.rewritten.todo, 0, "{name}");
    }
}

/// The boards that a cut marks in a book in slabs, or why it refuses.
fn marked(how: &Cut, book: &Computed, memory: u64) -> Result<BTreeSet<CanonicalBoard>, String> {
    let (mut slabs, _) = slabs_of(book.graph.positions(), memory);
    let chosen = how.choose(Path::new("book"), &mut slabs, book.rules, None);
    chosen.map_err(|error| error.to_string())?;
    let mut boards = BTreeSet::new();
    let scanned = slabs.scan(|slab| {
        let graph = slab.graph();
        let own = graph.ids().filter(|id| !graph.is_frozen(*id));
        let kept = own.filter(|id| slab.mark(*id) & KEPT != 0);
        boards.extend(kept.map(|id| graph.board(id)));
    });
    scanned.unwrap();
    Ok(boards)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Cuts of endings, where passes and both views of finished games matter, and all others.
    #[test]
    fn positions_are_marked_in_slabs(
        book in books(),
        (how, seed) in cuts(),
        losses in prop::option::of((0..8u8, 0..20u8)),
    ) {
        let how = match losses {
            Some((per_move, per_line)) => Cut::Reduce {
                from: Line::new(),
                depth: 60,
                losses: Losses { per_move, per_line },
            },
            None => how,
        };
        let how = fitted(how, &book.graph, seed);
        prop_assert_eq!(marked(&how, &book, 0), marked(&how, &book, u64::MAX));
    }
}

/// All kinds of cuts.
fn all_cuts() -> Vec<Cut> {
    let from: Line = "f5d6".parse().unwrap();
    vec![
        Cut::Prune { depth: None },
        Cut::Prune { depth: Some(9) },
        Cut::Subtree {
            from: from.clone(),
            depth: None,
        },
        Cut::Reachable,
        Cut::Reduce {
            from,
            depth: 30,
            losses: Losses {
                per_move: 2,
                per_line: 3,
            },
        },
        Cut::Depth(58),
        Cut::Depth(20),
    ]
}

#[test]
fn golden_books_are_cut_in_slabs() {
    for name in ["games.dat", "egaroucid/games.mixed.egbk3"] {
        let (folder, book) = imported(name);
        let file = folder.path().join("book");
        std::fs::copy(golden(name), &file).unwrap();
        for how in all_cuts() {
            let change = Change::Cut(how);
            for memory in [1, 300_000] {
                assert!(same_in_database(&book, &change, memory).is_ok());
                assert!(same_in_file(&file, &change, memory).is_ok());
            }
        }
    }
}
