//! Own scores of whole books, beside what YaneuraOu's `makebook peta_shock` wrote for them.

use crate::golden::{all_golden, folders, golden, read};
use crate::positions::{board, game};
use crate::whole::db_file;
use obook_needs::needs;
use obook_shogi::{
    Board, Book, BookMove, Colour, ENDLESS, Entry, MATE, Move, OwnScores, Packed, db, ybb,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// The books that peta_shock gets wrong.
const WRONG: [&str; 2] = ["q1_quiet_or_check", "q2_quiet_or_check_noexit"];
/// It takes a position without moves for a lost one.
const WITHOUT_MOVES: &str = "e1_empty_child";

/// Pairs of books and what peta_shock made of them.
fn pairs() -> Vec<(String, Book, Book)> {
    let mut pairs = Vec::new();
    let edge = fs::read_dir(folders()[0].join("edge")).unwrap();
    for path in all_golden().chain(edge.map(|file| file.unwrap().path())) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(name) = name.strip_suffix(".out.db") {
            let input = path.with_file_name(format!("{name}.db"));
            pairs.push((name.to_owned(), read(&input), read(&path)));
        }
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs
}

/// The differences between a book of peta_shock and own scores. Of several best moves, it may lower all but the first by 1.
fn differences(theirs: &Book, own: &OwnScores) -> Vec<String> {
    // A position may have several records, each with some of the moves.
    let as_black = |entry: &Entry, mv: Move| match entry.board.turn() {
        Colour::Black => mv,
        Colour::White => mv.turned(),
    };
    let mut listed: HashMap<Packed, BTreeSet<Move>> = HashMap::new();
    for entry in &theirs.entries {
        let moves = entry.moves.iter().map(|listed| as_black(entry, listed.mv));
        listed.entry(entry.board.key()).or_default().extend(moves);
    }
    let mut differences = Vec::new();
    for theirs in &theirs.entries {
        let board = theirs.board;
        let ours = own.moves(&board);
        let moves: BTreeSet<Move> = ours.iter().map(|own| as_black(theirs, own.mv)).collect();
        assert_eq!(moves, listed[&board.key()], "{board}");
        assert!(ours.is_sorted_by_key(|own| Reverse(own.score)), "{board}");
        let best = ours.first().and_then(|best| best.score);
        assert_eq!(own.of(&board), best, "{board}");
        for listed in &theirs.moves {
            let score = listed.score.unwrap();
            let own = ours
                .iter()
                .find(|own| own.mv == listed.mv)
                .and_then(|own| own.score);
            let is_first = listed.mv == theirs.moves[0].mv;
            let lowered = !is_first && own == best && own == Some(score + 1);
            if own != Some(score) && !lowered {
                differences.push(format!("{board} {}: {score}, not {own:?}", listed.mv));
            }
        }
    }
    differences
}

/// Law (Shogi): Scores are those of YaneuraOu's `peta_shock` where those are right, and depend on no path; differences are
/// explained.
/// Also: `what_peta_shock_gets_wrong_is_found` `quiet_or_check_is_a_draw` `perpetual_check_loses`
/// `published_books_have_the_scores_of_peta_shock`
#[test]
fn scores_are_those_of_peta_shock_where_those_are_right() {
    let mut compared = 0;
    for (name, book, theirs) in pairs() {
        if WRONG.contains(&&*name) || name == WITHOUT_MOVES {
            continue;
        }
        let boards = |book: &Book| {
            book.entries
                .iter()
                .map(|entry| entry.board)
                .collect::<Vec<_>>()
        };
        assert_eq!(boards(&book), boards(&theirs), "{name}");
        let expected: &[&str] = match &*name {
            // Two records of one position with different scores of one move. The last counts; peta_shock also leaves the first.
            "e7_flip_dup" => &[
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 3c3d: -10, not Some(77)",
            ],
            _ => &[],
        };
        assert_eq!(
            differences(&theirs, &OwnScores::new(&book)),
            expected,
            "{name}"
        );
        compared += theirs
            .entries
            .iter()
            .map(|entry| entry.moves.len())
            .sum::<usize>();
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn what_peta_shock_gets_wrong_is_found() {
    let wrong = |(name, book, theirs): (String, Book, Book)| {
        let differences = differences(&theirs, &OwnScores::new(&book)).len();
        WRONG.contains(&&*name).then_some(differences)
    };
    let counts: Vec<usize> = pairs().into_iter().filter_map(wrong).collect();
    assert_eq!(counts, [8, 7]);
}

#[test]
fn quiet_or_check_is_a_draw() {
    for name in WRONG {
        let book = read(&golden(&format!("{name}.db")));
        let own = OwnScores::new(&book);
        for entry in &book.entries {
            assert_eq!(own.of(&entry.board), Some(0), "{name}: {}", entry.board);
        }
        // Black can check and keep the score, but not for ever.
        let start = board("8k/6+R2/9/9/4g4/9/9/9/K8 b -");
        assert_eq!(own.moves(&start)[0].mv.to_string(), "9i8i", "{name}");
        let entries = book.entries.iter().map(|entry| Entry {
            moves: own.moves(&entry.board),
            ..entry.clone()
        });
        let scored = Book {
            entries: entries.collect(),
        };
        let written = db_file(&scored);
        assert_eq!(db::read(written.as_bytes()).book, scored);
        assert!(
            written.contains("\n9i8i none 0 9999\n3b3a none 0 9999\n"),
            "{written}"
        );
    }
}

#[test]
fn perpetual_check_loses() {
    let book = read(&golden("p2_perp_noexit.db"));
    let own = OwnScores::new(&book);
    for entry in &book.entries {
        let score = if entry.board.is_check() { MATE } else { -MATE };
        assert_eq!(own.of(&entry.board), Some(score), "{}", entry.board);
    }
}

/// Law (Shogi): A position without moves is unknown, unless it is mate.
#[test]
fn a_position_without_moves_is_unknown_unless_it_is_mate() {
    let book = read(&golden("edge/e1_empty_child.db"));
    let own = OwnScores::new(&book);
    assert_eq!(own.of(&book.entries[1].board), None);
    // So what the book says about the move there counts.
    assert_eq!(own.of(&book.entries[0].board), Some(30));

    let mate = board("8k/8G/8P/9/9/9/9/9/K8 w -");
    let book = Book {
        entries: vec![Entry::new(mate, None, Vec::new())],
    };
    assert_eq!(OwnScores::new(&book).of(&mate), Some(-MATE));
}

/// The first moves of a book of peta_shock beside own ones: positions where score, depth or move differ.
fn other_first_moves(theirs: &Book, own: &OwnScores) -> [usize; 3] {
    let mut differ = [0; 3];
    for theirs in &theirs.entries {
        let Some(first) = theirs.moves.first() else {
            continue;
        };
        let ours = own.moves(&theirs.board)[0];
        let same = [
            ours.score == first.score,
            ours.depth == first.depth,
            ours.mv == first.mv,
        ];
        for (differ, same) in differ.iter_mut().zip(same) {
            *differ += usize::from(!same);
        }
    }
    differ
}

#[test]
fn depths_are_those_of_the_lines() {
    for name in [
        "s1_acyclic",
        "s2_seed",
        "s3_draw",
        "s4_bad",
        "s5_good",
        "o1_odd",
    ] {
        let own = OwnScores::new(&read(&golden(&format!("{name}.db"))));
        let theirs = read(&golden(&format!("{name}.out.db")));
        assert_eq!(other_first_moves(&theirs, &own), [0, 0, 0], "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): Every legal move between positions counts, listed or not.
    #[test]
    fn every_legal_move_between_positions_counts(choices in vec(any::<u16>(), 1..40), more in vec(any::<u16>(), 40)) {
        let mut book = Book::default();
        for ((board, mv), more) in game(Board::start(), &choices).into_iter().zip(more) {
            let listed = mv.map(|mv| BookMove { score: Some(i32::from(more % 100)), ..BookMove::new(mv) });
            book.entries.push(Entry::new(board, None, listed.into_iter().collect()));
            // A position beside the game, as the other side sees it.
            let children = board.children();
            if let Some((_, child)) = children.get(usize::from(more) % children.len().max(1)) {
                book.entries.push(Entry::new(child.turned(), None, Vec::new()));
            }
        }
        let keys: BTreeSet<Packed> = book.entries.iter().map(|entry| entry.board.key()).collect();
        let own = OwnScores::new(&book);
        for entry in &book.entries {
            let legal = entry.board.children().into_iter();
            let links = legal.filter(|(_, child)| keys.contains(&child.key()) && own.of(child).is_some());
            let mut expected: BTreeSet<Move> = links.map(|(mv, _)| mv).collect();
            for other in book.entries.iter().filter(|other| other.board.key() == entry.board.key()) {
                let turn = |mv: Move| if other.board == entry.board { mv } else { mv.turned() };
                expected.extend(other.moves.iter().map(|listed| turn(listed.mv)));
            }
            let moves = own.moves(&entry.board);
            prop_assert_eq!(moves.iter().map(|own| own.mv).collect::<BTreeSet<_>>(), expected, "{}", entry.board);
            for own_move in &moves {
                let child = entry.board.play(own_move.mv).unwrap();
                if let Some(score) = own.of(&child) {
                    prop_assert_eq!(own_move.score, Some(-score));
                }
            }
            let best = moves.iter().filter_map(|own| own.score).max();
            prop_assert!(own.of(&entry.board) == best || entry.board.is_lost(), "{}", entry.board);
        }
    }
}

#[test]
fn draws_have_no_end() {
    let book = read(&golden("s3_draw.db"));
    let own = OwnScores::new(&book);
    for entry in &book.entries {
        assert_eq!(own.moves(&entry.board)[0].depth, Some(ENDLESS));
    }
}

#[test]
fn a_packed_book_has_the_same_scores() {
    for name in [
        "q1_quiet_or_check",
        "q1_quiet_or_check_nodepth",
        "s2_seed",
        "s2_seed_nodepth",
    ] {
        let packed = ybb::read(&fs::read(golden(&format!("{name}.ybb"))).unwrap()).unwrap();
        assert_eq!(packed.faults, []);
        let text = read(&golden(&format!(
            "{}.db",
            name.trim_end_matches("_nodepth")
        )));
        let [packed, own] = [&packed.book, &text].map(OwnScores::new);
        for entry in &text.entries {
            assert_eq!(
                packed.moves(&entry.board),
                own.moves(&entry.board),
                "{name}"
            );
        }
    }
}

pub(crate) fn published() -> PathBuf {
    let folder = std::env::var_os("OBOOK_SHOGI").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/shogi");
    folder.unwrap_or_else(beside)
}

#[needs(shogi_books)]
#[test]
fn published_books_have_the_scores_of_peta_shock() {
    // The first move may be another one with the same score and depth: of those, ours is the first in the book.
    for (name, records, moves, ties) in [
        ("HandicappedRook_user_book1", 3_613, 4_388, 18),
        ("HoneyWaffleWCSC28_user_book2", 5_793, 5_898, 17),
    ] {
        let book = read(&published().join(format!("{name}.db")));
        let theirs = read(&published().join(format!("{name}.petashock.db")));
        let own = OwnScores::new(&book);
        assert_eq!(differences(&theirs, &own), [] as [String; 0], "{name}");
        assert_eq!(other_first_moves(&theirs, &own), [0, 0, ties], "{name}");
        let counted = theirs.entries.iter().map(|entry| entry.moves.len()).sum();
        assert_eq!((theirs.entries.len(), counted), (records, moves), "{name}");
    }
}
