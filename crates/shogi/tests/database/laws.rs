//! Laws of books in databases.

use crate::draws::{any_cyclic_book, any_draws};
use crate::golden::{golden, names};
use crate::whole::{apery_file, db_file, ybb_file};
use flate2::write::GzEncoder;
use obook_base::compression::{Compression, compress};
use obook_shogi::database::diff::diff;
use obook_shogi::database::export::{Scores, convert, export, open, records};
use obook_shogi::database::file::{BookFile, Format, is_book};
use obook_shogi::database::fix::{self, Fixed, fix, fix_with_draws};
use obook_shogi::database::prune::{Cut, prune};
use obook_shogi::database::stats::Distribution;
use obook_shogi::database::verify::verify;
use obook_shogi::database::view::{BestLine, Ending, View};
use obook_shogi::database::why::{Limits, Why};
use obook_shogi::database::{Position, Rule, SHOGI, import};
use obook_shogi::games::Game;
use obook_shogi::{
    At, Board, Book, BookMove, Colour, Comment, Draws, ENDLESS, Entry, MATE, Move, OwnScores,
    Packed, Sfen, db, ybb,
};
use obook_store::{Context, IfExists, Output, Store};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use rusqlite::types::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use tempfile::TempDir;

/// Positions of games from the start, so that some of them are linked, with some of their legal moves.
fn any_book() -> impl Strategy<Value = Book> {
    let listed = (
        any::<prop::sample::Index>(),
        option::of(any::<prop::sample::Index>()),
        option::of(-2_000..2_000),
        option::of(0..40u32),
        option::of(0..9u32),
    );
    let step = (
        any::<u16>(),
        vec(listed, 0..4),
        option::of(1..300u32),
        any::<bool>(),
        option::weighted(0.2, any::<bool>()),
    );
    vec(vec(step, 1..6), 1..5).prop_map(|games| {
        let mut book = Book::default();
        for game in games {
            let mut board = Board::start();
            for (choice, listed, ply, turns, remark) in game {
                let children = board.children();
                let mut moves: Vec<BookMove> = Vec::new();
                for (at, ponder, score, depth, count) in listed {
                    let (mv, child) = children[at.index(children.len())];
                    let answers = child.legal_moves();
                    let ponder = ponder.filter(|_| !answers.is_empty());
                    let ponder = ponder.map(|ponder| answers[ponder.index(answers.len())]);
                    if moves.iter().all(|known| known.mv != mv) {
                        moves.push(BookMove {
                            mv,
                            ponder,
                            score,
                            depth,
                            count,
                        });
                    }
                }
                let at = match (&remark, moves.last()) {
                    (Some(true), _) => At::Above,
                    (_, Some(last)) => At::Move(last.mv),
                    (_, None) => At::Below,
                };
                let remark = remark.map(|_| Comment {
                    at,
                    text: format!("# {ply:?}"),
                });
                let mut entry = Entry {
                    comments: remark.into_iter().collect(),
                    ..Entry::new(board, ply, moves)
                };
                if turns {
                    entry = turned(&entry);
                }
                book.entries.push(entry);
                // Few moves, so that games meet.
                board = children[usize::from(choice) % children.len().min(3)].1;
            }
        }
        book
    })
}

fn turned(entry: &Entry) -> Entry {
    let moves = entry.moves.iter().map(|listed| BookMove {
        mv: listed.mv.turned(),
        ponder: listed.ponder.map(Move::turned),
        ..*listed
    });
    let comments = entry.comments.iter().map(|comment| Comment {
        at: match comment.at {
            At::Move(mv) => At::Move(mv.turned()),
            at => at,
        },
        text: comment.text.clone(),
    });
    Entry {
        comments: comments.collect(),
        ..Entry::new(entry.board.turned(), entry.ply, moves.collect())
    }
}

/// A database of a book, in a folder of its own.
struct Made {
    folder: TempDir,
    path: PathBuf,
}

impl Made {
    fn of(book: &Book) -> Made {
        Made::of_text(&db_file(book))
    }

    fn of_text(text: &str) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.db");
        let path = folder.path().join("book.obook");
        fs::write(&file, text).unwrap();
        import::create(&[&file], &path, IfExists::Refuse, &Context::new("test")).unwrap();
        Made { folder, path }
    }

    fn store(&self) -> Store {
        Store::open_for_writing(&SHOGI, &self.path, &Context::new("test")).unwrap()
    }

    fn merge(&self, book: &Book) -> import::Imported {
        self.merge_by(book, Rule::Moves)
    }

    fn merge_by(&self, book: &Book, rule: Rule) -> import::Imported {
        let file = self.folder.path().join("other.db");
        fs::write(&file, db_file(book)).unwrap();
        import::merge(&[&file], &mut self.store(), rule)
            .unwrap()
            .remove(0)
    }

    fn rows(&self) -> Vec<Vec<Value>> {
        let store = Store::open(&SHOGI, &self.path, &Context::new("test")).unwrap();
        rows(&store)
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// All rows of the book's tables.
fn rows(store: &Store) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for table in [
        "book",
        "positions",
        "links",
        "record_scores",
        "leaves",
        "comments",
    ] {
        let mut select = store
            .connection()
            .prepare(&format!("SELECT * FROM {table}"))
            .unwrap();
        let columns = select.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
        let rows = select.query_map([], row).unwrap();
        all.extend(rows.collect::<Result<Vec<Vec<Value>>, _>>().unwrap());
    }
    all
}

/// What a record says: ply, moves and comments.
type Said = (Option<u32>, Vec<BookMove>, Vec<Comment>);

/// The positions of a book, each with all of its records.
fn positions(book: &Book) -> impl Iterator<Item = Position> {
    book.by_position().map(|(key, entries)| {
        let mut position = Position::new(key);
        position.merge_records(&entries);
        position
    })
}

/// The records of a book, of several of one position and side one: of two scores of a move the deeper, or else the later.
fn merged(book: &Book) -> BTreeMap<(Packed, bool), Said> {
    let mut all: BTreeMap<(Packed, bool), Said> = BTreeMap::new();
    for (key, (ply, moves, comments)) in book.entries.iter().map(record) {
        let said = all.entry(key).or_default();
        said.0 = said.0.into_iter().chain(ply).min();
        for listed in moves {
            let Some(known) = said.1.iter_mut().find(|known| known.mv == listed.mv) else {
                said.1.push(listed);
                continue;
            };
            let is_weaker =
                (listed.score.is_some(), listed.depth) < (known.score.is_some(), known.depth);
            let [mut better, worse] = if is_weaker {
                [*known, listed]
            } else {
                [listed, *known]
            };
            better.ponder = better.ponder.or(worse.ponder);
            better.count = better.count.or(worse.count);
            *known = better;
        }
        said.2.extend(comments);
        let mut seen: Vec<Comment> = Vec::new();
        said.2.retain(|comment| {
            let is_new = !seen.contains(comment);
            seen.push(comment.clone());
            is_new
        });
    }
    all
}

fn record(entry: &Entry) -> ((Packed, bool), Said) {
    let key = (entry.board.key(), entry.board == entry.board.canonical());
    let said = (entry.ply, entry.moves.clone(), entry.comments.clone());
    (key, said)
}

fn by_record(book: &Book) -> BTreeMap<(Packed, bool), Said> {
    book.entries.iter().map(record).collect()
}

/// One record of each position and side, as a sorted file has them: a position and its turned twin may have a record each.
fn distinct(book: &Book) -> Book {
    let mut entries: Vec<Entry> = Vec::new();
    for entry in &book.entries {
        if !entry.moves.is_empty() && entries.iter().all(|known| known.board != entry.board) {
            entries.push(entry.clone());
        }
    }
    Book { entries }
}

/// Puts a book in the order that YaneuraOu's binary search expects: positions by their text.
fn sort(book: &mut Book) {
    (book.entries).sort_by_cached_key(|entry| entry.board.to_string());
}

/// A file in a format, by the format's own function.
fn written(format: Format, book: &Book) -> Vec<u8> {
    match format {
        Format::Db => db_file(book).into_bytes(),
        Format::Ybb => ybb_file(book).0,
        Format::Apery => apery_file(book).0,
        Format::Gikou | Format::Sbk => panic!("{format} is only read"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): A database reproduces a `.db` line by line, fixed or not, and a `.ybb` byte for byte; of one position's
    /// records, the deeper searches and the smallest ply stay.
    /// Also: `a_packed_book_comes_back_byte_for_byte` `records_of_one_position_are_merged` `a_book_of_counts_stays_one`
    #[test]
    fn a_file_comes_back_from_a_database(book in any_book()) {
        let mut book = distinct(&book);
        let made = Made::of(&book);
        let file = made.folder.path().join("again.db");
        let exported = export(&made.store(), &Output::File(file.clone(), IfExists::Refuse), Format::Db, Scores::Own).unwrap();
        prop_assert_eq!((exported.own_scores, &*exported.lost), (false, "nothing"));
        sort(&mut book);
        prop_assert_eq!(fs::read_to_string(&file).unwrap(), db_file(&book));
        // Also once it is fixed.
        fix(&mut made.store()).unwrap();
        for format in Format::written() {
            let file = made.folder.path().join(format.name());
            let output = Output::File(file.clone(), IfExists::Refuse);
            export(&made.store(), &output, format, Scores::Listed).unwrap();
            prop_assert!(fs::read(&file).unwrap() == written(format, &book), "{format}");
        }
    }

    #[test]
    fn a_book_of_counts_stays_one(book in any_book(), score in option::of(Just(0))) {
        let mut book = distinct(&book);
        let moves = book.entries.iter_mut().flat_map(|entry| &mut entry.moves);
        let has_counts = moves.fold(false, |before, listed| {
            listed.score = score;
            before || listed.count > Some(1)
        });
        prop_assume!(has_counts);
        let made = Made::of(&book);
        prop_assert!(fix(&mut made.store()).unwrap().only_counts);
        sort(&mut book);
        for format in Format::written() {
            let file = made.folder.path().join(format.name());
            let output = Output::File(file.clone(), IfExists::Refuse);
            prop_assert!(!export(&made.store(), &output, format, Scores::Own).unwrap().own_scores);
            prop_assert!(fs::read(&file).unwrap() == written(format, &book), "{format}");
        }
    }

    /// Law (Shogi): Compression and pipes don't change a book.
    /// Also: `cli/tests/program/shogi.rs` `compressed_books_and_pipes_are_read_and_written`
    #[test]
    fn a_compressed_file_is_the_same_book(book in any_book(), compressor in 0..3usize) {
        let text = db_file(&book).into_bytes();
        let bytes = match compressor {
            0 => compress(&text, Compression::default()).unwrap(),
            1 => gzip(&text),
            _ => text.clone(),
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.db");
        fs::write(&file, bytes).unwrap();
        prop_assert!(is_book(&file));
        let read = BookFile::open(&file, &Context::default()).unwrap();
        prop_assert_eq!(read.read.book, db::read(&text).book);
    }

    #[test]
    fn records_of_one_position_are_merged(book in any_book()) {
        let made = Made::of(&book);
        let (records, _) = records(&made.store(), Scores::Listed).unwrap();
        prop_assert_eq!(by_record(&records), merged(&book));
    }

    #[test]
    fn a_conversion_is_an_import_and_an_export(book in any_book()) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: String| folder.path().join(name);
        let context = Context::new("test");
        let mut sorted = distinct(&book);
        sort(&mut sorted);
        // Small files of Apery are not recognised by their contents.
        for from in [Format::Db, Format::Ybb] {
            // Only the text can list a position more than once.
            let bytes = written(from, if from == Format::Db { &book } else { &sorted });
            let (file, database) = (path(format!("book.{from}")), path(format!("{from}.obook")));
            fs::write(&file, bytes).unwrap();
            import::create(&[&file], &database, IfExists::Refuse, &context).unwrap();
            let store = Store::open(&SHOGI, &database, &context).unwrap();
            for to in Format::written() {
                let output = |name: &str| Output::File(path(format!("{name}.{from}.{to}")), IfExists::Refuse);
                let (converted, exported) = (output("converted"), output("exported"));
                let report = convert(&file, &converted, to, &context).unwrap().exported;
                let expected = export(&store, &exported, to, Scores::Listed).unwrap();
                prop_assert_eq!(
                    (report.positions, report.moves, report.lost),
                    (expected.positions, expected.moves, expected.lost)
                );
                let [converted, exported] = [converted, exported].map(|it| fs::read(it.name()).unwrap());
                prop_assert!(converted == exported, "{} to {}", from, to);
            }
        }
    }

    #[test]
    fn memory_makes_no_difference(first in any_book(), second in any_book(), by_position in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one.db", "other.db"].map(|name| folder.path().join(name));
        fs::write(&one, db_file(&first)).unwrap();
        fs::write(&other, db_file(&second)).unwrap();
        let rule = if by_position { Rule::Positions } else { Rule::Moves };
        let made = [None, Some(1)].map(|memory| {
            let path = folder.path().join(format!("{memory:?}.obook"));
            let context = Context::new("test").with_memory(memory);
            let created = import::create(&[&one], &path, IfExists::Refuse, &context).unwrap();
            let mut store = Store::open_for_writing(&SHOGI, &path, &context).unwrap();
            let merged = import::merge(&[&other], &mut store, rule).unwrap();
            (format!("{created:?} {merged:?}"), rows(&store))
        });
        prop_assert_eq!(&made[0], &made[1]);
    }

    /// Law (Shogi): A fix in a database, whole or after each import, equals one in memory; what files list for links stays
    /// readable.
    /// Also: `an_increment_gives_what_the_whole_gives` `a_fix_agrees_with_peta_shock_where_that_is_right`
    /// `what_files_say_about_a_link_stays_readable`
    #[test]
    fn a_fix_gives_own_scores(book in any_book()) {
        let made = Made::of(&book);
        let mut store = made.store();
        let fixed = fix(&mut store).unwrap();
        let (listed, _) = records(&store, Scores::Listed).unwrap();
        is_as_computed(&store, &as_one(&listed)?, Draws::default())?;
        // A second fix has nothing to do, and is no change.
        let changes = store.history().unwrap().len();
        let again = fix(&mut store).unwrap();
        prop_assert_eq!(again.changed, 0);
        prop_assert_eq!((again.links, again.leaves), (fixed.links, fixed.leaves));
        prop_assert_eq!(store.history().unwrap().len(), changes);
    }

    /// Law (Shogi): A book stores what draws are worth; its own scores stay, and records go out with their side's scores.
    #[test]
    fn records_have_the_scores_of_their_side(
        book in prop_oneof![any_book(), any_cyclic_book()],
        draws in any_draws(),
    ) {
        let made = Made::of(&book);
        let mut store = made.store();
        fix(&mut store).unwrap();
        let plain = rows(&store);
        let fixed = fix_with_draws(&mut store, |_| draws).unwrap().0;
        prop_assert_eq!(fix::draws(&store).unwrap(), draws);
        let listed = as_one(&records(&store, Scores::Listed).unwrap().0)?;
        is_as_computed(&store, &listed, draws)?;
        let own = OwnScores::new(&listed).with_draws(draws);
        let (written, are_own) = records(&store, Scores::Own).unwrap();
        prop_assert_eq!(are_own, !fixed.only_counts);
        for entry in written.entries.iter().filter(|_| are_own) {
            let said = |moves: &[BookMove]| {
                let said = moves.iter().map(|it| (it.score.unwrap(), it.mv, it.depth.unwrap()));
                said.collect::<BTreeSet<_>>()
            };
            let computed = own.moves(&entry.board);
            prop_assert_eq!(said(&entry.moves), said(&computed), "{}", entry.board);
            let first = |moves: &[BookMove]| moves.first().map(|it| it.mv);
            prop_assert_eq!(first(&entry.moves), first(&computed), "{}", entry.board);
            prop_assert!(entry.moves.is_sorted_by_key(|it| Reverse(it.score)), "{}", entry.board);
        }
        let count = "SELECT count(DISTINCT board) FROM record_scores";
        let positions: i64 = store.connection().query_row(count, [], |row| row.get(0)).unwrap();
        prop_assert_eq!(fixed.by_draws, positions.unsigned_abs());
        // A second fix keeps what draws are worth, and changes nothing.
        let changes = store.history().unwrap().len();
        prop_assert_eq!(fix(&mut store).unwrap(), Fixed { changed: 0, ..fixed });
        prop_assert_eq!(store.history().unwrap().len(), changes);
        let check = || verify(&made.path, &Context::new("test")).unwrap();
        prop_assert_eq!(check(), []);
        let write = |sql: &str| store.connection().execute(sql, []).unwrap();
        let damaged = write("UPDATE record_scores SET depth = depth + 1 WHERE place = 0");
        prop_assert_eq!(check().len(), damaged.min(usize::try_from(positions).unwrap()));
        write("UPDATE record_scores SET depth = depth - 1 WHERE place = 0");
        // All of it goes when draws are worth nothing again, and by undo.
        let with_draws = rows(&store);
        fix_with_draws(&mut store, |_| Draws::default()).unwrap();
        prop_assert_eq!(&rows(&store), &plain);
        if draws != Draws::default() {
            store.undo().unwrap();
            prop_assert_eq!(rows(&store), with_draws);
        }
    }

    /// Until the next fix, too, and whatever draws are worth.
    #[test]
    fn moves_of_another_file_are_known_at_once(
        first in any_book(),
        second in any_book(),
        draws in any_draws(),
    ) {
        let made = Made::of(&first);
        fix_with_draws(&mut made.store(), |_| draws).unwrap();
        let before = made.rows();
        let merged = made.merge(&second);
        let store = made.store();
        prop_assert_eq!(merged.changed, made.rows() != before);
        prop_assert!(!merged.changed || !store.is_fixed().unwrap());
        let (listed, _) = records(&store, Scores::Listed).unwrap();
        for entry in &listed.entries {
            let shown = View::new(&store, &Game::new(entry.board)).unwrap().moves;
            for listed in &entry.moves {
                let known = shown.iter().filter(|it| it.usi == listed.mv.to_string()).count();
                prop_assert_eq!(known, 1, "{} {}", entry.board, listed.mv);
            }
        }
    }

    #[test]
    fn an_increment_gives_what_the_whole_gives(first in any_book(), second in any_book()) {
        let made = Made::of(&first);
        fix(&mut made.store()).unwrap();
        made.merge(&second);
        fix(&mut made.store()).unwrap();
        let whole = Made::of(&first);
        whole.merge(&second);
        fix(&mut whole.store()).unwrap();
        prop_assert_eq!(made.rows(), whole.rows());
    }

    /// Law (Shogi): Importing again changes nothing; no import loses a move or a deeper search; undo and redo restore all rows.
    /// Also: `undo_takes_back_every_change`
    #[test]
    fn merging_again_changes_nothing_and_nothing_is_lost(first in any_book(), second in any_book()) {
        let made = Made::of(&first);
        let before = merged(&first);
        made.merge(&second);
        let rows = made.rows();
        let again = made.merge(&second);
        prop_assert_eq!((again.new_positions, again.new_moves, again.replaced_moves), (0, 0, 0));
        prop_assert_eq!(made.rows(), rows);
        let (after, _) = records(&made.store(), Scores::Listed).unwrap();
        let after = by_record(&after);
        for (key, (_, moves, comments)) in before.into_iter().chain(merged(&second)) {
            let (_, kept, kept_comments) = &after[&key];
            prop_assert!(comments.iter().all(|comment| kept_comments.contains(comment)));
            for listed in moves {
                let kept = kept.iter().find(|kept| kept.mv == listed.mv).unwrap();
                // The deeper search wins.
                prop_assert!((kept.score.is_some(), kept.depth) >= (listed.score.is_some(), listed.depth));
                prop_assert!(kept.count.is_some() || listed.count.is_none());
                prop_assert!(kept.ponder.is_some() || listed.ponder.is_none());
            }
        }
    }

    /// The rule as YaneuraOu's script has it.
    ///
    /// Law (Shogi): A merge by positions chooses as YaneuraOu's script does.
    #[test]
    fn positions_are_merged_as_wholes_by_the_other_rule(first in any_book(), second in any_book()) {
        let moves = |records: BTreeMap<_, Said>| records.into_iter().map(|(key, said)| (key, said.1)).collect::<BTreeMap<_, _>>();
        let [a, b] = [&first, &second].map(|book| moves(merged(book)));
        let made = Made::of(&first);
        let counts = made.merge_by(&second, Rule::Positions);
        let rows = made.rows();
        let (records, _) = records(&made.store(), Scores::Listed).unwrap();
        let found = moves(by_record(&records));
        // An unknown depth is 0.
        let depth = |moves: &[BookMove]| moves[0].depth.unwrap_or(0);
        let mut expected = a.clone();
        let mut removed = 0;
        for (key, theirs) in &b {
            let own = expected.entry(*key).or_default();
            let takes = if own.is_empty() || theirs.is_empty() {
                own.is_empty()
            } else if depth(own) != depth(theirs) {
                depth(theirs) > depth(own)
            } else {
                theirs.len() > own.len()
            };
            if takes {
                removed += own.iter().filter(|own| theirs.iter().all(|it| it.mv != own.mv)).count() as u64;
                own.clone_from(theirs);
            }
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(counts.removed_moves, removed);
        // Again, it changes nothing; and undo takes it back.
        made.merge_by(&second, Rule::Positions);
        prop_assert_eq!(made.rows(), rows.clone());
        let before = Made::of(&first).rows();
        if rows != before {
            made.store().undo().unwrap();
            prop_assert_eq!(made.rows(), before);
        }
    }

    /// Law (Shogi): Merging a database equals merging its file; a fixed book has no findings; damage is found.
    /// Also: `differences_are_those_of_the_positions` `a_fixed_book_is_sound_and_damage_is_found`
    #[test]
    fn a_database_is_merged_as_its_file(first in any_book(), second in any_book()) {
        let made = Made::of(&first);
        let other = Made::of(&second);
        fix(&mut other.store()).unwrap();
        import::merge(&[&other.path], &mut made.store(), Rule::Moves).unwrap();
        let of_file = Made::of(&first);
        of_file.merge(&second);
        prop_assert_eq!(made.rows(), of_file.rows());
    }

    #[test]
    fn a_fixed_book_is_sound_and_damage_is_found(book in any_book(), at in any::<prop::sample::Index>()) {
        let made = Made::of(&book);
        let check = || verify(&made.path, &Context::new("test")).unwrap();
        prop_assert_eq!(check(), []);
        fix(&mut made.store()).unwrap();
        prop_assert_eq!(check(), []);
        let store = made.store();
        let positions: Vec<Packed> = positions(&book).map(|position| position.key).collect();
        let key = positions[at.index(positions.len())].0;
        let write = |sql: &str| store.connection().execute(sql, [key]).unwrap();
        write("UPDATE positions SET value = ifnull(value, 0) + 1 WHERE board = ?");
        prop_assert_eq!(check().len(), 1);
        write("UPDATE positions SET value = value - 1 WHERE board = ?");
        // 1a1b is never legal: Black's pieces go up the board from its last rank.
        write("INSERT INTO leaves (board, colour, move, place) SELECT ?1, 1 + (colours = 2), 1, 99 FROM positions WHERE board = ?1");
        let problems: Vec<String> = check().into_iter().map(|finding| finding.problem).collect();
        prop_assert!(problems.iter().any(|problem| problem.contains("1a1b isn't legal")), "{problems:?}");
        let other = write("INSERT INTO leaves (board, colour, move, place) SELECT board, 3 - colours, 1, 0 FROM positions WHERE board = ? AND colours < 3");
        let of_no_record = check().iter().filter(|finding| finding.problem.contains("belong to no position")).count();
        prop_assert_eq!(of_no_record, other);
        write("DELETE FROM positions WHERE board = ?");
        prop_assert!(check().iter().any(|finding| finding.problem.contains("belong to no position")));
    }

    #[test]
    fn differences_are_those_of_the_positions(first in any_book(), second in any_book()) {
        let (a, b) = (Made::of(&first), Made::of(&second));
        let [first, second] = [&first, &second].map(|book| {
            positions(book).map(|position| (position.key, position)).collect::<BTreeMap<_, _>>()
        });
        let found = diff(&a.store(), &b.store(), usize::MAX).unwrap();
        let only = |one: &BTreeMap<_, _>, other: &BTreeMap<_, _>| one.keys().filter(|key| !other.contains_key(*key)).count() as u64;
        prop_assert_eq!((found.only_first, found.only_second), (only(&first, &second), only(&second, &first)));
        let both: Vec<_> = first.values().filter_map(|one| Some((one, second.get(&one.key)?))).collect();
        // A record is compared with that of the same side, or else with the other one.
        let sorted = |position: &Position, side: usize| {
            let [own, other] = [side, 1 - side].map(|side| position.records[side].as_ref());
            let mut moves = own.or(other).unwrap().moves.clone();
            moves.sort_by_key(|listed| listed.mv.bits());
            moves
        };
        let differ = |one: &Position, other: &Position| (0..2).any(|side| {
            let is_there = one.records[side].is_some() || other.records[side].is_some();
            is_there && sorted(one, side) != sorted(other, side)
        });
        let others = both.iter().filter(|(one, other)| differ(one, other)).count() as u64;
        prop_assert_eq!((found.common, found.other_moves), (both.len() as u64, others));
        let commented = |position: &Position| {
            let records = Colour::ALL.into_iter().zip(&position.records);
            let comments = records.flat_map(|(side, record)| record.iter().flat_map(move |it| it.comments.iter().map(move |it| (side, it))));
            let mut comments: Vec<String> = comments.map(|comment| format!("{comment:?}")).collect();
            comments.sort();
            comments.dedup();
            comments
        };
        let remarks = both.iter().filter(|(one, other)| commented(one) != commented(other)).count() as u64;
        prop_assert_eq!(found.other_comments, remarks);
        prop_assert_eq!(found.rows.len() as u64, found.differences());
        let again = diff(&a.store(), &a.store(), 9).unwrap();
        prop_assert_eq!((again.common, again.rows.len(), again.differences()), (first.len() as u64, 0, 0));
    }

    #[test]
    fn undo_takes_back_every_change(first in any_book(), second in any_book()) {
        let made = Made::of(&first);
        let mut states = vec![made.rows()];
        made.merge(&second);
        states.push(made.rows());
        fix(&mut made.store()).unwrap();
        states.push(made.rows());
        states.dedup();
        let mut store = made.store();
        let last = states.pop().unwrap();
        for state in states.iter().rev() {
            store.undo().unwrap();
            prop_assert_eq!(&rows(&store), state);
        }
        for _ in &states {
            store.redo().unwrap();
        }
        prop_assert_eq!(rows(&store), last);
    }

    /// Law (Shogi): A cut follows its definition and changes no value, even with cycles.
    /// Also: `books_with_cycles_are_cut_and_explained_as_others`
    #[test]
    fn a_cut_keeps_what_good_play_reaches_and_changes_no_value(
        book in any_book(),
        depth in option::of(0..4u32),
        all in any::<bool>(),
        at in any::<prop::sample::Index>(),
    ) {
        let cut = if all { Cut::Reachable } else { Cut::Prune { depth } };
        is_pruned_rightly(&Made::of(&book), book.entries[at.index(book.entries.len())].board, cut)?;
    }

    /// Law (Shogi): Explanations agree with the book: detours repeat positions, and moves that hold a draw are worth at most 0.
    /// Also: `books_with_cycles_are_cut_and_explained_as_others`
    /// `checks_that_go_on_and_draws_that_hold_are_explained`
    #[test]
    fn explanations_agree_with_the_book(book in any_book()) {
        let made = Made::of(&book);
        let mut store = made.store();
        fix(&mut store).unwrap();
        for entry in &book.entries {
            is_explained_rightly(&store, entry.board)?;
        }
    }

    /// Law (Shogi): Distributions count each position once, in the range of its value.
    #[test]
    fn distributions_count_everything_once(book in any_book()) {
        let made = Made::of(&book);
        let mut store = made.store();
        let fixed = fix(&mut store).unwrap();
        let counted = Distribution::of(&store).unwrap();
        let sum = |of: fn(&obook_shogi::database::stats::Ply) -> u64| counted.plies.iter().map(of).sum::<u64>();
        prop_assert_eq!((sum(|ply| ply.positions), sum(|ply| ply.links), sum(|ply| ply.leaves)), (fixed.positions, fixed.links, fixed.leaves));
        let mut values: Vec<i32> = values(&store).into_values().flatten().collect();
        prop_assert_eq!(counted.without, fixed.positions - values.len() as u64);
        for range in &counted.values {
            let before = values.len();
            values.retain(|value| !(range.from..=range.to).contains(value));
            prop_assert_eq!(range.positions, (before - values.len()) as u64);
        }
        prop_assert!(values.is_empty());
    }

    #[test]
    fn texts_are_no_book_unless_they_begin_as_one(text in "[ -~\t\n\r一-龠]{0,200}") {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, &text).unwrap();
        let lines = text.lines().map(str::trim);
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"));
        prop_assert!(!is_book(&file) || lines.next().is_some_and(|line| line.starts_with("sfen ")), "{text}");
    }

    #[test]
    fn random_bytes_are_no_book(bytes in vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, &bytes).unwrap();
        prop_assert!(!is_book(&file));
        let _ = open(&file, &Context::new("test"));
    }
}

/// The records in the head are checked, and the length tells whether the last one is whole.
#[test]
fn compressed_books_without_a_mark_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book");
    let listed = BookMove::new("7g7f".parse().unwrap());
    let entry = Entry::new(Board::start(), None, vec![listed]);
    let (apery, _) = apery_file(&Book {
        entries: vec![entry],
    });
    // Numbers of 0 give each position the hash 0; the record has 7g7f.
    let numbers = vec![0; 20_992];
    let mut gikou = vec![0; 32];
    gikou[8..12].copy_from_slice(&(59_u32 | 60 << 8 | 1 << 16).to_le_bytes());
    // State 1 has the start position.
    let start = format!("{} 1", Board::start());
    let state = [&[8, 1, 0x3a, start.len() as u8][..], start.as_bytes()].concat();
    let sbk = [&[0x1a, state.len() as u8][..], &state].concat();
    for (format, begin, record) in [
        (Format::Apery, Vec::new(), apery),
        (Format::Gikou, numbers, gikou),
        (Format::Sbk, Vec::new(), sbk),
    ] {
        for count in [1, 3_000] {
            let whole = [begin.clone(), record.repeat(count)].concat();
            let cut = &whole[..whole.len() - 1];
            for pack in [gzip, |bytes: &[u8]| {
                compress(bytes, Compression::default()).unwrap()
            }] {
                fs::write(&file, pack(&whole)).unwrap();
                assert_eq!(Format::of_file(&file).unwrap(), Some(format), "{count}");
                assert!(is_book(&file), "{format} {count}");
                // The first state tells an .sbk.
                fs::write(&file, pack(cut)).unwrap();
                let is_told = format == Format::Sbk && count > 1;
                assert_eq!(is_book(&file), is_told, "{format} {count}");
            }
        }
    }
}

/// A book in which both records of a position say the same: of a move that is listed with either side to move, the deeper score counts.
fn as_one(book: &Book) -> Result<Book, TestCaseError> {
    let mut entries = Vec::new();
    for position in positions(book) {
        let leaves = position.leaves();
        let listings = position.records.iter().flatten().flat_map(|it| &it.moves);
        for listed in listings.clone() {
            let counts = leaves.iter().find(|leaf| leaf.mv == listed.mv).unwrap();
            let rank = |of: &BookMove| (of.score.is_some(), of.depth);
            prop_assert!(rank(counts) >= rank(listed));
        }
        for leaf in &leaves {
            let said = |listed: &BookMove| (listed.mv, listed.score, listed.depth);
            prop_assert!(listings.clone().any(|listed| said(listed) == said(leaf)));
        }
        let board = position.key.board().unwrap();
        for (side, record) in Colour::ALL.into_iter().zip(&position.records) {
            let Some(record) = record else { continue };
            let leaves = leaves.iter().map(|leaf| BookMove {
                mv: leaf.mv.seen_by(side),
                ..*leaf
            });
            let board = if side == Colour::Black {
                board
            } else {
                board.turned()
            };
            entries.push(Entry::new(board, record.ply, leaves.collect()));
        }
    }
    Ok(Book { entries })
}

/// The values of a book.
fn values(store: &Store) -> BTreeMap<Packed, Option<i32>> {
    let sql = "SELECT board, value FROM positions";
    let mut select = store.connection().prepare(sql).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((Packed(row.get(0)?), row.get(1)?));
    select
        .query_map([], row)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// The positions that a cut keeps, by its definition: who may play any move, and the other only the best. A move to a position without a
/// score may be played by who may play any.
fn kept_plainly(store: &Store, root: Board, cut: Cut) -> HashSet<Packed> {
    let values = values(store);
    let most = match cut {
        Cut::Prune { depth } => depth.unwrap_or(u32::MAX),
        Cut::Reachable => u32::MAX,
    };
    let mut reached: HashSet<(Board, bool)> = HashSet::new();
    let mut ply: HashSet<(Board, bool)> = HashSet::from([(root, false), (root, true)]);
    let mut plies = 0;
    while !ply.is_empty() && plies <= most {
        plies += 1;
        let mut next = HashSet::new();
        for &(board, only_best) in &ply {
            let view = View::new(store, &Game::new(board)).unwrap();
            for mv in view.moves.iter().filter(|mv| mv.is_link) {
                if only_best && cut != Cut::Reachable && mv.score < view.value {
                    continue;
                }
                next.insert((board.play(mv.usi.parse().unwrap()).unwrap(), !only_best));
            }
            if !only_best || cut == Cut::Reachable {
                let children = board.children().into_iter().map(|(_, child)| child);
                let unknown = children.filter(|child| values.get(&child.key()) == Some(&None));
                next.extend(unknown.map(|child| (child, !only_best)));
            }
        }
        reached.extend(ply);
        ply = next.difference(&reached).copied().collect();
    }
    reached.into_iter().map(|(board, _)| board.key()).collect()
}

/// Whether a cut keeps what it should, and no value changes.
fn is_pruned_rightly(made: &Made, root: Board, cut: Cut) -> Result<(), TestCaseError> {
    fix(&mut made.store()).unwrap();
    let (before, rows) = (values(&made.store()), made.rows());
    let expected = kept_plainly(&made.store(), root, cut);
    let dry = prune(&mut made.store(), &root, cut, true).unwrap();
    prop_assert_eq!(made.rows(), rows.clone());
    let pruned = prune(&mut made.store(), &root, cut, false).unwrap();
    prop_assert_eq!(dry, pruned);
    let after = values(&made.store());
    prop_assert_eq!(after.keys().copied().collect::<HashSet<_>>(), expected);
    prop_assert_eq!(
        (pruned.kept, pruned.removed),
        (after.len() as u64, (before.len() - after.len()) as u64)
    );
    for (key, value) in after {
        prop_assert_eq!(before[&key], value);
    }
    prop_assert_eq!(verify(&made.path, &Context::new("test")).unwrap(), []);
    if pruned.removed > 0 {
        made.store().undo().unwrap();
        prop_assert_eq!(made.rows(), rows);
    }
    Ok(())
}

/// Whether a best line has the length that the position's depth is, or no end.
fn is_as_long_as_said(store: &Store, board: Board, best: &BestLine) -> Result<(), TestCaseError> {
    let view = View::new(store, &Game::new(board)).unwrap();
    // A move out of the book doesn't count.
    let links = best.moves.iter().filter(|mv| mv.is_link).count() as u32;
    let length = match best.end {
        Ending::Repetition | Ending::PerpetualCheck { .. } => ENDLESS,
        _ => links,
    };
    prop_assert_eq!(view.depth, view.value.map(|_| length), "{}", board);
    Ok(())
}

/// Whether an explanation of a position agrees with everything else that the book says.
fn is_explained_rightly(store: &Store, board: Board) -> Result<(), TestCaseError> {
    let start = Game::new(board);
    let limits = Limits {
        moves: 99,
        positions: 999,
    };
    let why = Why::new(store, &start, limits).unwrap();
    let best = BestLine::new(store, start.clone(), 99).unwrap();
    let names = |moves: &[obook_shogi::database::view::Shown]| -> Vec<String> {
        moves.iter().map(|mv| mv.usi.clone()).collect()
    };
    let steps: Vec<_> = why.steps.iter().map(|step| step.best.clone()).collect();
    is_as_long_as_said(store, board, &best)?;
    if why.value.is_none() {
        prop_assert!(steps.is_empty());
        return Ok(());
    }
    prop_assert_eq!((names(&steps), why.end), (names(&best.moves), best.end));
    let mut line = start.clone();
    for step in &why.steps {
        let view = View::new(store, &line).unwrap();
        // The line carries the value.
        let value = match line.board().turn() == board.turn() {
            true => why.value,
            false => why.value.map(|value| -value),
        };
        prop_assert_eq!((view.value, step.best.score.or(Some(0))), (value, value));
        let others: Vec<_> = step
            .others
            .iter()
            .map(|other| other.shown.clone())
            .collect();
        prop_assert_eq!(names(&others), names(&view.moves[1..]));
        for other in &step.others {
            prop_assert_eq!(
                Some(other.worse),
                value.map(|value| value - other.shown.score.unwrap_or(0))
            );
        }
        line.play(step.best.usi.parse().unwrap()).unwrap();
    }
    for detour in &why.detours {
        let mut line = start.clone();
        for mv in detour.after.iter().chain(&detour.moves) {
            line.play(mv.parse().unwrap()).unwrap();
        }
        prop_assert!(line.repetition().is_some());
        prop_assert_eq!(&names(&steps)[..detour.after.len()], &detour.after[..]);
        prop_assert!(steps[detour.after.len()].usi != detour.moves[0]);
    }
    prop_assert_eq!(
        why.standoff.is_some(),
        why.value == Some(0) && why.end == Ending::Repetition
    );
    if let Some(standoff) = &why.standoff {
        prop_assert!(standoff.complete && standoff.positions > 1);
        for (side, exit) in Colour::ALL.into_iter().zip(&standoff.exits) {
            let Some(exit) = exit else { continue };
            let mut line = start.clone();
            for mv in &exit.after {
                line.play(mv.parse().unwrap()).unwrap();
                let view = View::new(store, &line).unwrap();
                prop_assert_eq!(view.value, Some(0));
            }
            prop_assert!(line.board().turn() == side && exit.worth <= 0);
            prop_assert_eq!(exit.shown.score.unwrap_or(0), exit.worth);
        }
    }
    Ok(())
}

/// Whether a fixed database says what is computed in memory.
fn is_as_computed(store: &Store, listed: &Book, draws: Draws) -> Result<(), TestCaseError> {
    let plain = OwnScores::new(listed);
    let own = plain.clone().with_draws(draws);
    let boards = listed.entries.iter().map(|entry| entry.board);
    for board in boards.flat_map(|board| [board, board.turned()]) {
        let view = View::new(store, &Game::new(board)).unwrap();
        let moves = own.moves(&board);
        let other = plain
            .of(&board)
            .filter(|_| plain.of(&board) != own.of(&board));
        prop_assert_eq!(view.own_score, other, "{}", board);
        prop_assert_eq!(view.value, own.of(&board), "{}", board);
        prop_assert_eq!(
            view.moves.first().map(|mv| mv.usi.clone()),
            moves.first().map(|best| best.mv.to_string())
        );
        prop_assert_eq!(view.moves.len(), moves.len());
        for shown in &view.moves {
            let computed = moves
                .iter()
                .find(|own| own.mv.to_string() == shown.usi)
                .unwrap();
            prop_assert_eq!(shown.score.unwrap_or(0), computed.score.unwrap());
            if shown.is_link {
                prop_assert_eq!(shown.depth, computed.depth);
            }
            if draws.max_moves.is_none() {
                prop_assert_eq!(shown.is_link, computed.depth > Some(0));
            }
        }
    }
    Ok(())
}

#[test]
fn a_fix_agrees_with_peta_shock_where_that_is_right() {
    let mut compared = 0;
    // The last one has scores beyond a mate.
    for name in names().into_iter().chain(["edge/e11_big".to_owned()]) {
        let made = Made::of_text(&fs::read_to_string(golden(&format!("{name}.db"))).unwrap());
        let mut store = made.store();
        fix(&mut store).unwrap();
        let (ours, own) = records(&store, Scores::Apart).unwrap();
        assert!(own, "{name}");
        let theirs = golden(&format!("{name}.out.db"));
        let theirs = db::read(&fs::read(theirs).unwrap()).book;
        for entry in &theirs.entries {
            let ours = ours
                .entries
                .iter()
                .find(|ours| ours.board == entry.board)
                .unwrap();
            let scored = |of: &Entry| -> Vec<_> {
                let moves = of.moves.iter();
                moves.map(|listed| (listed.mv, listed.score)).collect()
            };
            if name.starts_with('q') {
                let best = ours.moves[0].score;
                assert_eq!(best, Some(0), "{name}: {}", entry.board);
            } else {
                assert_eq!(scored(ours), scored(entry), "{name}: {}", entry.board);
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn a_book_that_is_read_in_pieces_is_fixed_and_cut_as_a_whole() {
    let lone: Sfen = "4k4/9/9/9/9/9/9/9/4K4 b R 1".parse().unwrap();
    let mut boards = vec![Board::start()];
    let mut known = HashSet::from([Board::start().key()]);
    let mut at = 0;
    while boards.len() < 9_000 {
        let children = boards[at].children().into_iter();
        boards.extend(
            children
                .map(|(_, child)| child)
                .filter(|child| known.insert(child.key())),
        );
        at += 1;
    }
    boards.push(lone.board);
    let listed = |(number, board): (usize, &Board)| {
        let score = Some(number as i32 * 7 % 401 - 200);
        let moves = board.legal_moves();
        let listed = BookMove {
            score,
            ..BookMove::new(moves[number % moves.len()])
        };
        Entry::new(*board, None, vec![listed])
    };
    let entries = boards.iter().enumerate().map(listed).collect();
    let book = Book { entries };
    let made = Made::of(&book);
    fix(&mut made.store()).unwrap();
    let own = OwnScores::new(&book);
    let values = values(&made.store());
    assert_eq!(values.len(), boards.len());
    for (key, value) in values {
        assert_eq!(value, own.of(&key.board().unwrap()));
    }
    let pruned = prune(&mut made.store(), &Board::start(), Cut::Reachable, false).unwrap();
    assert_eq!((pruned.kept, pruned.removed), (boards.len() as u64 - 1, 1));
    assert_eq!(verify(&made.path, &Context::new("test")).unwrap(), []);
}

/// Formats write a ply that isn't known as 0, and this isn't smaller than one that is known.
#[test]
fn an_unknown_ply_leaves_a_known_one() {
    let listed = BookMove::new("7g7f".parse().unwrap());
    let of = |ply| Book {
        entries: vec![Entry::new(Board::start(), ply, vec![listed])],
    };
    let unknown = of(None);
    for (name, bytes) in [
        ("none.db", db_file(&unknown).into_bytes()),
        ("zero.db", db_file(&of(Some(0))).into_bytes()),
        ("none.ybb", ybb_file(&unknown).0),
    ] {
        let made = Made::of(&of(Some(7)));
        let file = made.folder.path().join(name);
        fs::write(&file, bytes).unwrap();
        import::merge(&[&file], &mut made.store(), Rule::Moves).unwrap();
        let (book, _) = records(&made.store(), Scores::Listed).unwrap();
        assert_eq!(book.entries[0].ply, Some(7), "{name}");
    }
}

#[test]
fn a_packed_book_comes_back_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "q1_quiet_or_check.ybb",
        "q1_quiet_or_check_nodepth.ybb",
        "s2_seed.ybb",
        "s2_seed_nodepth.ybb",
    ] {
        let bytes = fs::read(golden(name)).unwrap();
        let path = folder.path().join(name).with_extension("obook");
        let context = Context::new("test");
        import::create(&[golden(name)], &path, IfExists::Refuse, &context).unwrap();
        let file = folder.path().join(name);
        export(
            &open(&path, &context).unwrap(),
            &Output::File(file.clone(), IfExists::Refuse),
            Format::Ybb,
            Scores::Own,
        )
        .unwrap();
        assert_eq!(fs::read(&file).unwrap(), bytes, "{name}");
        assert!(ybb::read(&bytes).is_ok());
    }
}

/// Law (Shogi): A line makes progress, is as long as its depth says, and ends in a draw or perpetual check at a repetition.
/// Also: `explanations_agree_with_the_book` `books_with_cycles_are_cut_and_explained_as_others`
/// `crates/shogi/tests/scores.rs` `depths_are_those_of_the_lines` `published_books_have_the_scores_of_peta_shock`
#[test]
fn lines_make_progress_and_end_where_positions_come_back() {
    let line = |name: &str, start: &str| {
        let made = Made::of_text(&fs::read_to_string(golden(&format!("{name}.db"))).unwrap());
        fix(&mut made.store()).unwrap();
        BestLine::new(&made.store(), start.parse().unwrap(), 100).unwrap()
    };
    let start = "8k/6+R2/9/9/4g4/9/9/9/K8 b -";
    for name in ["q1_quiet_or_check", "q2_quiet_or_check_noexit"] {
        let best = line(name, start);
        assert_eq!(best.end, Ending::Repetition, "{name}");
        // Quiet moves: checks for ever would lose.
        assert_eq!(best.moves[0].usi, "9i8i");
        assert_eq!(
            (best.moves[0].score, best.moves[0].depth),
            (Some(0), Some(ENDLESS))
        );
    }
    let best = line("p2_perp_noexit", "8k/6+R2/9/9/9/9/9/9/K8 b -");
    let loser = Colour::Black;
    assert_eq!(best.end, Ending::PerpetualCheck { loser });
    assert_eq!(best.moves[0].score, Some(-MATE));
    let best = line("s2_seed", "");
    assert_eq!(best.end, Ending::OutOfBook);
    assert_eq!(best.moves.last().unwrap().usi, "7g7f");
}

#[test]
fn what_files_say_about_a_link_stays_readable() {
    let made = Made::of_text(
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 300 12 7\n\
         sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d none -20 14\n",
    );
    fix(&mut made.store()).unwrap();
    let view = View::new(&made.store(), &Game::new(Board::start())).unwrap();
    let mv = &view.moves[0];
    assert_eq!(
        (mv.score, mv.listed_score, mv.count),
        (Some(20), Some(300), Some(7))
    );
    assert_eq!(
        (mv.kif.as_str(), mv.ponder.as_deref()),
        ("▲７六歩(77)", Some("3c3d"))
    );
    let sql = "SELECT usi(move, '7g7f') FROM readable_moves WHERE board = board('7g7f')";
    let seen: Result<String, _> = made
        .store()
        .connection()
        .query_row(sql, [], |row| row.get(0));
    assert_eq!(seen.unwrap(), "3c3d");
    let sql = "SELECT usi, kind, score, listed_score FROM readable_moves ORDER BY usi, score DESC";
    let store = made.store();
    let mut select = store.connection().prepare(sql).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows: Vec<(String, String, i64, i64)> = select
        .query_map([], row)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    // White's 3c3d is Black's 7g7f in the turned position.
    let expected = [("7g7f", "link", 20, 300), ("7g7f", "leaf", -20, -20)];
    assert_eq!(
        rows,
        expected.map(|(usi, kind, score, listed)| (usi.to_owned(), kind.to_owned(), score, listed))
    );
}

/// No score is too large for the commands that show, sort and subtract it.
#[test]
fn scores_beyond_a_mate_count_as_mates() {
    let made = Made::of_text(&format!(
        "sfen {}\n7g7f none {} 1\n2g2f none {} 1\n3g3f none 5 1\n",
        Board::start(),
        i32::MIN,
        i32::MAX
    ));
    let expected = [
        ("2g2f", MATE, Some(i32::MAX)),
        ("3g3f", 5, None),
        ("7g7f", -MATE, Some(i32::MIN)),
    ];
    let start = Game::new(Board::start());
    for is_fixed in [false, true] {
        let mut store = made.store();
        if is_fixed {
            fix(&mut store).unwrap();
        }
        let view = View::new(&store, &start).unwrap();
        let shown = view.moves.iter();
        let shown: Vec<_> = shown
            .map(|mv| (&*mv.usi, mv.score.unwrap(), mv.listed_score))
            .collect();
        assert_eq!(shown, expected, "{is_fixed}");
    }
    let limits = Limits {
        moves: 9,
        positions: 9,
    };
    let why = Why::new(&made.store(), &start, limits).unwrap();
    let others = why.steps[0].others.iter();
    let worse: Vec<i32> = others.map(|other| other.worse).collect();
    assert_eq!((why.value, worse), (Some(MATE), vec![MATE - 5, 2 * MATE]));
}

#[test]
fn sql_knows_positions_and_moves() {
    let made = Made::of(&Book::default());
    let store = made.store();
    let ask = |sql: &str| {
        store
            .connection()
            .query_row(sql, [], |row| row.get::<_, String>(0))
    };
    assert_eq!(ask("SELECT sfen('')").unwrap(), Board::start().to_string());
    assert_eq!(ask("SELECT usi(7739)").unwrap(), "7g7f");
    let after = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    // The key is seen by the side to move.
    assert_eq!(ask("SELECT sfen(child('', '7g7f'))").unwrap(), after);
    for name in ["７六歩", "▲７六歩(77)", "+7776FU"] {
        let sql = format!("SELECT sfen(child('', '{name}'))");
        assert_eq!(ask(&sql).unwrap(), after, "{name}");
    }
    let moves = ask("SELECT legal_moves('7g7f')").unwrap();
    assert!(moves.split(' ').any(|mv| mv == "3c3d"), "{moves}");
    assert!(ask("SELECT show('7g7f')").unwrap().contains("歩"));
    for wrong in [
        "SELECT sfen(x'00')",
        "SELECT sfen('7g7e')",
        "SELECT usi(-1)",
        "SELECT usi('x')",
        "SELECT child('', 'x')",
        "SELECT child('', '７六')",
        "SELECT sfen(1)",
    ] {
        let error = ask(wrong).unwrap_err().to_string();
        assert!(
            error.contains("expected") || error.contains("legal"),
            "{wrong}: {error}"
        );
    }
}

/// The table `moves` has what `show` shows, in the same order, and then the other legal moves.
#[test]
fn the_table_of_moves_is_what_is_shown() {
    let (mut shown, mut others) = (0, 0);
    for name in names() {
        let text = fs::read_to_string(golden(&format!("{name}.db"))).unwrap();
        let made = Made::of_text(&text);
        let mut store = made.store();
        fix(&mut store).unwrap();
        for entry in db::read(text.as_bytes()).book.entries {
            let sql = "SELECT usi, kind, score, depth, count, listed_score, child = child(?1, move) FROM moves(?1)";
            let mut statement = store.connection().prepare(sql).unwrap();
            let rows = statement.query_map([entry.board.to_string()], |row| {
                let kind: Option<String> = row.get(1)?;
                let numbers: [Option<i64>; 4] =
                    [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
                Ok((row.get::<_, String>(0)?, kind, numbers, row.get(6)?))
            });
            type Row = (String, Option<String>, [Option<i64>; 4], bool);
            let rows: Vec<Row> = rows.unwrap().collect::<Result<_, _>>().unwrap();
            assert!(rows.iter().all(|row| row.3), "{name}");
            let view = View::new(&store, &Game::new(entry.board)).unwrap();
            assert!(!view.moves.is_empty(), "{name}");
            for (at, row) in rows.iter().enumerate() {
                let Some(known) = view.moves.get(at) else {
                    assert_eq!((&row.1, row.2), (&None, [None; 4]), "{name}");
                    others += 1;
                    continue;
                };
                let kind = if known.is_link { "link" } else { "leaf" };
                let numbers = [
                    known.score.map(i64::from),
                    known.depth.map(i64::from),
                    known.count.map(i64::from),
                    known.listed_score.map(i64::from),
                ];
                assert_eq!(
                    (&row.0, row.1.as_deref(), row.2),
                    (&known.usi, Some(kind), numbers),
                    "{name}"
                );
                shown += 1;
            }
            let mut names: Vec<String> = rows.into_iter().map(|row| row.0).collect();
            let mut legal: Vec<String> = entry
                .board
                .legal_moves()
                .iter()
                .map(ToString::to_string)
                .collect();
            names.sort();
            legal.sort();
            assert_eq!(names, legal, "{name}");
        }
    }
    assert!(shown > 50 && others > 500, "{shown} {others}");
}

#[test]
fn books_with_cycles_are_cut_and_explained_as_others() {
    for name in names() {
        let text = fs::read_to_string(golden(&format!("{name}.db"))).unwrap();
        let book = db::read(text.as_bytes()).book;
        let made = Made::of_text(&text);
        let mut store = made.store();
        fix(&mut store).unwrap();
        for entry in &book.entries {
            is_explained_rightly(&store, entry.board).unwrap();
        }
        drop(store);
        for depth in [Some(1), Some(2), None] {
            for entry in book.entries.iter().take(3) {
                // It leaves the book as it was.
                is_pruned_rightly(&made, entry.board, Cut::Prune { depth }).unwrap();
            }
        }
    }
}

/// The explanation of a position of a hand-made book.
fn explained(name: &str, line: &str) -> Why {
    let made = Made::of_text(&fs::read_to_string(golden(name)).unwrap());
    let mut store = made.store();
    fix(&mut store).unwrap();
    let limits = Limits {
        moves: 99,
        positions: 999,
    };
    Why::new(&store, &line.parse().unwrap(), limits).unwrap()
}

#[test]
fn checks_that_go_on_and_draws_that_hold_are_explained() {
    let start = "8k/6+R2/9/9/4g4/9/9/9/K8 b -";
    for (name, way_out) in [
        ("q1_quiet_or_check.db", Some(-500)),
        ("q2_quiet_or_check_noexit.db", None),
    ] {
        let why = explained(name, start);
        assert_eq!((why.value, why.end), (Some(0), Ending::Repetition));
        let [detour] = &why.detours[..] else {
            panic!("{:?}", why.detours)
        };
        assert_eq!(detour.moves, ["3b3a", "1a1b", "3a3b", "1b1a"]);
        let loser = Colour::Black;
        assert_eq!(detour.end, Ending::PerpetualCheck { loser });
        let standoff = why.standoff.unwrap();
        assert_eq!(standoff.positions, 7);
        let [black, white] = standoff.exits;
        assert_eq!(black.map(|exit| exit.worth), way_out);
        assert!(white.is_none());
    }
    // The seed: a cycle that ends with a move as good as going round.
    let why = explained("s2_seed.db", "");
    assert_eq!((why.value, why.end), (Some(4), Ending::OutOfBook));
    assert_eq!(why.detours.len(), 1);
    assert_eq!(why.detours[0].end, Ending::Repetition);
    assert!(why.standoff.is_none());
    // Nothing but checks.
    let loser = Colour::Black;
    let why = explained("p2_perp_noexit.db", "8k/6+R2/9/9/9/9/9/9/K8 b -");
    assert_eq!(
        (why.value, why.end),
        (Some(-MATE), Ending::PerpetualCheck { loser })
    );
}
