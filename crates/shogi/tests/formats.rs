//! Book files: round trips, what real files are like, and hostile input.

use crate::golden::{all_golden, golden, read};
use crate::positions::{MATSURI, START, any_board, board, game};
use crate::scores::published;
use crate::whole::{apery_file, db_file, ybb_file};
use obook_needs::needs;
use obook_shogi::{
    At, Board, Book, BookMove, Comment, Dropped, Entry, Move, apery, db, gikou, sbk, ybb,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const ANY_MOVES: usize = 5;

/// A record of a random position, with some of its legal moves.
fn any_entry() -> impl Strategy<Value = Entry> {
    let details = (
        any::<prop::sample::Index>(),
        option::of(any::<prop::sample::Index>()),
        option::of(prop_oneof![-2_000..2_000, any::<i32>()]),
        option::of(prop_oneof![0..50u32, any::<u32>()]),
        option::of(prop_oneof![0..50u32, any::<u32>()]),
    );
    let ply = option::of(prop_oneof![1..300u32, 1..=u32::MAX]);
    let text = prop_oneof!["(#|//)[a-z歩 ]{0,6}[a-z#]", Just("#7g7f none".to_owned())];
    let comments = vec((any::<prop::sample::Index>(), text), 0..3);
    (any_board(), ply, vec(details, 0..ANY_MOVES), comments).prop_map(
        |(board, ply, details, comments)| {
            let children = board.children();
            let mut moves: Vec<BookMove> = Vec::new();
            for (at, ponder, score, depth, count) in details {
                if children.is_empty() {
                    break;
                }
                let (mv, child) = children[at.index(children.len())];
                if moves.iter().any(|listed| listed.mv == mv) {
                    continue;
                }
                let answers = child.legal_moves();
                let ponder = ponder.filter(|_| !answers.is_empty());
                let ponder = ponder.map(|ponder| answers[ponder.index(answers.len())]);
                moves.push(BookMove {
                    mv,
                    ponder,
                    score,
                    depth,
                    count,
                });
            }
            let listed = moves.iter().map(|listed| At::Move(listed.mv));
            let places: Vec<At> = [At::Above, At::Below].into_iter().chain(listed).collect();
            let mut comments: Vec<(usize, String)> = comments
                .into_iter()
                .map(|(at, text)| (at.index(places.len()), text))
                .collect();
            comments.sort_by_key(|&(at, _)| at);
            let comments = comments.into_iter().map(|(at, text)| Comment {
                at: places[at],
                text,
            });
            Entry {
                comments: comments.collect(),
                ..Entry::new(board, ply, moves)
            }
        },
    )
}

fn any_book() -> impl Strategy<Value = Book> {
    vec(any_entry(), 0..6).prop_map(|entries| Book { entries })
}

/// The same without comments.
fn silent(mut book: Book) -> Book {
    for entry in &mut book.entries {
        entry.comments.clear();
    }
    book
}

fn comments(book: &Book) -> u64 {
    book.entries
        .iter()
        .map(|entry| entry.comments.len() as u64)
        .sum()
}

/// The first record of each position with moves.
fn distinct(book: &Book) -> Book {
    let mut seen = BTreeSet::new();
    let mut entries = book.entries.clone();
    entries.retain(|entry| !entry.moves.is_empty() && seen.insert(entry.board.packed()));
    Book { entries }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): Any book survives a round trip through `.db`, a sorted `.ybb` byte for byte; other formats count what they
    /// can't hold. Comments survive text, database, merge, undo and snapshot.
    /// Also: `a_large_book_comes_back_in_its_order` `any_book_comes_back_packed_as_far_as_it_fits`
    /// `a_hashed_book_is_found_again` `packed_books_of_yaneuraou_come_back_byte_for_byte`
    /// `comments_belong_where_people_put_them`
    /// `crates/shogi/tests/database/laws.rs` `a_file_comes_back_from_a_database`
    /// `merging_again_changes_nothing_and_nothing_is_lost` `undo_takes_back_every_change` `cli/tests/program/shogi.rs`
    /// `comments_come_back_and_positions_are_merged_as_wholes`
    #[test]
    fn any_book_comes_back_from_text(book in any_book()) {
        let text = db_file(&book);
        let read = db::read(text.as_bytes());
        prop_assert_eq!(&read.book, &book);
        prop_assert_eq!((read.faults.len(), read.dropped), (0, Dropped::default()));
    }

    #[test]
    fn text_with_other_line_ends_and_comments_is_the_same_book(book in any_book()) {
        let book = silent(book);
        let text = db_file(&book);
        let lines = text.lines().skip(1).map(|line| format!("// {line}\r\n\r\n{line}  \r\n#\r\n"));
        let text = format!("\u{feff}{}", lines.collect::<String>());
        let read = db::read(text.as_bytes());
        let lines = db_file(&book).lines().skip(1).count() as u64;
        prop_assert_eq!(comments(&read.book) + read.dropped.comments, 2 * lines);
        prop_assert_eq!(silent(read.book), book);
        prop_assert_eq!(read.faults.len(), 0);
    }

    #[test]
    fn any_book_comes_back_packed_as_far_as_it_fits(book in any_book()) {
        let book = distinct(&book);
        let (bytes, dropped) = ybb_file(&book);
        let read = ybb::read(&bytes).unwrap();
        prop_assert_eq!(read.faults.len(), 0);
        // What was read fits, so it is written as it was.
        let (again, _) = ybb_file(&read.book);
        prop_assert_eq!(again, bytes);

        let moves = || book.entries.iter().flat_map(|entry| &entry.moves);
        let has_depth = moves().any(|listed| listed.depth.is_some());
        let fit = |number: u32| number.min(u16::MAX.into());
        let fits = |listed: &BookMove| BookMove {
            ponder: None,
            count: None,
            score: Some(listed.score.unwrap_or(0).clamp(i16::MIN.into(), i16::MAX.into())),
            depth: has_depth.then(|| fit(listed.depth.unwrap_or(0))),
            ..*listed
        };
        let mut expected: Vec<Entry> = book.entries.iter().map(|entry| Entry {
            ply: entry.ply.map(fit),
            moves: entry.moves.iter().map(fits).collect(),
            comments: Vec::new(),
            ..*entry
        }).collect();
        expected.sort_by_key(|entry| entry.board.packed());
        prop_assert_eq!(read.book.entries, expected);

        let count = |has: fn(&BookMove) -> bool| moves().filter(|&listed| has(listed)).count() as u64;
        prop_assert_eq!(dropped.ponders, count(|listed| listed.ponder.is_some()));
        prop_assert_eq!(dropped.counts, count(|listed| listed.count.is_some()));
        let large = |number: Option<u32>| u64::from(number.is_some_and(|number| number > u16::MAX.into()));
        let clipped: u64 = book.entries.iter().map(|entry| large(entry.ply)).sum::<u64>()
            + moves().map(|listed| large(listed.depth)).sum::<u64>()
            + count(|listed| listed.score.is_some_and(|score| i16::try_from(score).is_err()));
        prop_assert_eq!(dropped.clipped, clipped);
        prop_assert_eq!(dropped.comments, comments(&book));
    }

    /// Law (Shogi): Each book is recognised as one format, and random bytes, texts and Othello's files as none.
    /// Also: `the_same_book_in_four_formats_agrees` `crates/shogi/tests/database/laws.rs` `random_bytes_are_no_book`
    /// `texts_are_no_book_unless_they_begin_as_one` `cli/tests/program/shogi.rs` `files_of_othello_are_no_books_of_shogi`
    #[test]
    fn a_hashed_book_is_found_again(choices in vec(any::<u16>(), 1..30), count in 1..70_000u32, score in any::<i32>()) {
        let entries = game(Board::start(), &choices).into_iter().filter_map(|(board, mv)| {
            let listed = BookMove { count: Some(count), score: Some(score), ..BookMove::new(mv?) };
            Some(Entry::new(board, None, vec![listed]))
        });
        let book = distinct(&Book { entries: entries.collect() });
        let (bytes, dropped) = apery_file(&book);
        prop_assert_eq!(dropped.clipped > 0, count > u16::MAX.into());
        let found = apery::read(&bytes).unwrap();
        prop_assert_eq!(found.missed, 0);
        let by_position = |book: &Book, clip: bool| -> BTreeMap<_, _> {
            book.entries.iter().map(|entry| {
                let BookMove { mv, score, count, .. } = entry.moves[0];
                let most = if clip { u16::MAX.into() } else { u32::MAX };
                (entry.board.packed(), (mv, score, count.map(|count| count.min(most))))
            }).collect()
        };
        prop_assert_eq!(by_position(&found.book, false), by_position(&book, true));
        let (again, _) = apery_file(&found.book);
        prop_assert_eq!(again, bytes);
    }

    /// Law (Shogi): Damaged books are read or refused; a header's numbers allocate nothing.
    /// Also: `damaged_books_are_read_or_refused` `a_long_header_is_refused_before_it_takes_memory`
    /// `cli/tests/fuzzed/replay.rs` `shogi`
    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300), text in "(sfen |[-+0-9a-z/*# \r\n]){0,80}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            let _ = db::read(bytes);
            let _ = ybb::read(bytes);
            let _ = sbk::read(bytes);
            let _ = gikou::read(bytes);
            let _ = apery::read(bytes);
        }
    }

    #[test]
    fn damaged_books_are_read_or_refused(book in any_book(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = db_file(&book).into_bytes();
        let place = at.index(text.len());
        text[place] = byte;
        let _ = db::read(&text);
        let (mut bytes, _) = ybb_file(&book);
        let place = at.index(bytes.len());
        bytes[place] = byte;
        let _ = ybb::read(&bytes);
        bytes.truncate(place);
        let cut = ybb::read(&bytes);
        let is_whole = cut.is_ok_and(|read| read.faults.is_empty());
        prop_assert!(!is_whole, "a book cut off at {place} has no fault");
    }
}

#[test]
fn a_long_header_is_refused_before_it_takes_memory() {
    let mut bytes = b"YANE-BINBOOK-V1\0".to_vec();
    bytes.extend(u64::MAX.to_le_bytes());
    bytes.extend([0; 8]);
    let refused = |bytes: &[u8]| ybb::read(bytes).unwrap_err().to_string();
    let error = refused(&bytes);
    assert!(error.starts_with("the file has 32 bytes;"), "{error}");
    bytes[24] = 2;
    let error = refused(&bytes);
    assert!(error.starts_with("the file's flags are 0x2;"), "{error}");
    // A field of .sbk that claims to be long.
    assert!(sbk::read(&[0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err());
}

#[test]
fn faults_name_their_lines_and_everything_else_is_kept() {
    let text = format!(
        "7g7f none 0 0\nsfen {START}\n7g7f 3c3d 30 12 5 and more\n7g7f none 1\n2g2f\nnone none 0 0 0\n2h7h 9g29 -5x\n7g7e none 500\n\
         sfen 9/9/9/9/9/9/9/9/9 b - 0\n7g7f none 0\nsfen {MATSURI}\n# comment\n"
    );
    let read = db::read(text.as_bytes());
    let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "line 1: there is no position before this line; expected one, such as “sfen … b - 1”",
            "line 4: 7g7f is listed twice; the first line counts",
            "line 7: the expected answer: “9g29” is not a move; expected one in USI, such as 7g7f, 8h2b+ or P*5e",
            "line 9: Black has 0 kings; expected one",
        ]
    );
    assert_eq!(
        read.dropped,
        Dropped {
            comments: 0,
            ..Dropped::default()
        }
    );
    assert_eq!(read.dropped.to_string(), "nothing");
    let mut book = read.book;
    let said = book.entries.iter().flat_map(|entry| &entry.comments);
    let said: Vec<&str> = said.map(|comment| &*comment.text).collect();
    assert_eq!(said, ["# and more", "# comment"]);
    let moves = |entry: &Entry| {
        entry
            .moves
            .iter()
            .map(|listed| listed.mv.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        book.entries.iter().map(moves).collect::<Vec<_>>(),
        [vec!["7g7f", "2g2f", "2h7h", "7g7e"], vec![]]
    );
    let pawn = book.entries[0].moves[0];
    assert_eq!(
        (pawn.score, pawn.depth, pawn.count),
        (Some(30), Some(12), Some(5))
    );
    assert_eq!(book.entries[0].moves[2].score, Some(-5));
    assert_eq!(book.drop_illegal_moves(), [(Board::start(), 1)]);
    assert_eq!(moves(&book.entries[0]), ["7g7f", "2g2f", "2h7h"]);
}

/// A line that is too long is a fault like any other: only of a position, the moves that follow are left out with it.
#[test]
fn a_line_that_is_too_long_is_left_out() {
    let long = "9".repeat(1 << 20);
    for (begin, expected) in [
        ("sfen ", vec!["7g7f"]),
        (" sfen ", vec!["7g7f"]),
        ("# ", vec!["7g7f", "2g2f"]),
        ("3g3f none ", vec!["7g7f", "2g2f"]),
    ] {
        let text =
            format!("sfen {START}\n7g7f\n\n# comment\n{begin}{long}\n2g2f\nsfen {MATSURI}\n");
        let read = db::read(text.as_bytes());
        let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, ["line 5: the line has more than 1048576 bytes"]);
        let [first, second] = &read.book.entries[..] else {
            panic!("{begin}: {}", read.book.entries.len())
        };
        let moves = first.moves.iter().map(|listed| listed.mv.to_string());
        assert_eq!(moves.collect::<Vec<_>>(), expected, "{begin}");
        // A comment above a position is its own.
        let is_position = expected.len() == 1;
        assert_eq!(first.comments.is_empty(), is_position, "{begin}");
        assert_eq!(read.dropped.comments, u64::from(is_position), "{begin}");
        assert!(second.moves.is_empty() && second.comments.is_empty());
    }
}

#[test]
fn packed_books_of_yaneuraou_come_back_byte_for_byte() {
    let mut files = 0;
    for path in all_golden() {
        if path.extension().is_some_and(|extension| extension == "ybb") {
            let bytes = fs::read(&path).unwrap();
            let read = ybb::read(&bytes).unwrap();
            assert_eq!(read.faults, [], "{}", path.display());
            assert_eq!(ybb_file(&read.book).0, bytes, "{}", path.display());
            files += 1;
        }
    }
    assert_eq!(files, 6);
    let bytes = fs::read(golden("s2_seed_nodepth.ybb")).unwrap();
    let first = &ybb::read(&bytes).unwrap().book.entries[0];
    assert_eq!(
        (first.ply, first.moves[0].mv.to_string()),
        (Some(3), "3h2h".to_owned())
    );
}

/// The first record of a move counts, as in a `.db`, and the others are reported.
#[test]
fn moves_that_a_packed_book_lists_again_are_faults() {
    let listed = [
        ("7g7f", 30),
        ("2g2f", 20),
        ("7g7f", 10),
        ("7g7f", 5),
        ("5g5f", 1),
    ];
    let moves = listed.map(|(mv, score)| BookMove {
        score: Some(score),
        depth: Some(9),
        ..BookMove::new(mv.parse().unwrap())
    });
    let entry = |moves: &[BookMove]| Book {
        entries: vec![Entry::new(Board::start(), Some(1), moves.to_vec())],
    };
    let read = |bytes: &[u8]| {
        let read = ybb::read(bytes).unwrap();
        let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
        (read.book, faults.join("\n"))
    };
    let (mut bytes, _) = ybb_file(&entry(&moves));
    let (book, faults) = read(&bytes);
    assert_eq!(book, entry(&[moves[0], moves[1], moves[4]]));
    let again = "2 of its moves are listed again; the first of each counts";
    assert_eq!(faults, format!("record 1: {again}"));
    // A piece that stays where it is.
    let last = bytes.len() - 6;
    bytes[last..][..2].fill(0);
    let (book, faults) = read(&bytes);
    assert_eq!(book, entry(&moves[..2]));
    assert_eq!(
        faults,
        format!("record 1: 1 of its moves is no move, and {again}")
    );
}

#[test]
fn hashes_are_those_of_apery() {
    for (sfen, hash) in [
        (START, 0xeebe_8ee7_e1ad_7e15),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
            0x3e7b_1f82_5672_20d5,
        ),
        (
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
            0x399d_261f_9781_4f41,
        ),
    ] {
        assert_eq!(apery::hash(&board(sfen)), hash, "{sfen}");
    }
}

/// The moves of each position.
fn moves(book: &Book) -> BTreeMap<String, BTreeSet<Move>> {
    let mut moves: BTreeMap<String, BTreeSet<Move>> = BTreeMap::new();
    for entry in &book.entries {
        let listed = entry.moves.iter().map(|listed| listed.mv);
        moves
            .entry(entry.board.to_string())
            .or_default()
            .extend(listed);
    }
    moves.retain(|_, moves| !moves.is_empty());
    moves
}

/// Where comments were found, by their texts.
fn placed(text: &str) -> Vec<(usize, String, String)> {
    let read = db::read(text.as_bytes());
    assert_eq!(
        (read.faults, read.dropped),
        (Vec::new(), Dropped::default())
    );
    let entries = read.book.entries.iter().enumerate();
    let of = |(number, entry): (usize, &Entry)| {
        let place = |at| match at {
            At::Above => "above".to_owned(),
            At::Below => "below".to_owned(),
            At::Move(mv) => mv.to_string(),
        };
        let comments = entry.comments.clone().into_iter();
        let placed = comments.map(|comment| (number, place(comment.at), comment.text));
        placed.collect::<Vec<_>>()
    };
    entries.flat_map(of).collect()
}

#[test]
fn comments_belong_where_people_put_them() {
    let [first, second] = [format!("sfen {START}"), format!("sfen {MATSURI}")];
    let expect = |text: String, expected: &[(usize, &str, &str)]| {
        let owned =
            |&(number, at, text): &(usize, &str, &str)| (number, at.to_owned(), text.to_owned());
        assert_eq!(
            placed(&text),
            expected.iter().map(owned).collect::<Vec<_>>(),
            "{text}"
        );
    };
    // Below, as ShogiHome writes them.
    expect(
        format!("{first}\n# a\n7g7f none\n// b\n2g2f # c\n# d\n{second}\n# e"),
        &[
            (0, "below", "# a"),
            (0, "7g7f", "// b"),
            (0, "2g2f", "# c"),
            (0, "2g2f", "# d"),
            (1, "below", "# e"),
        ],
    );
    // Above, with moves that are commented out.
    expect(
        format!("# a\n{first}\n7g7f none\n# b\n#2g2f none 0\n# c\n{second}\n"),
        &[
            (0, "above", "# a"),
            (0, "7g7f", "# b"),
            (0, "7g7f", "#2g2f none 0"),
            (1, "above", "# c"),
        ],
    );
    // An empty line separates.
    expect(
        format!("{first}\n7g7f none\n# a\n\n# b\n{second}\n"),
        &[(0, "7g7f", "# a"), (1, "above", "# b")],
    );
}

/// What YaneuraOu's own reader takes, one by one: each text is the same book.
///
/// Law (Shogi): Line ends, comments and missing headers or fields change nothing; a fault names its line.
/// Also: `text_with_other_line_ends_and_comments_is_the_same_book`
/// `faults_name_their_lines_and_everything_else_is_kept` `real_files_are_read` `the_same_book_in_four_formats_agrees`
#[test]
fn texts_that_yaneuraou_reads_are_read_alike() {
    let before = format!("sfen {START}\n7g7f 3c3d 30 12 5\n2g2f none -5 8 1\n");
    let book = db::read(format!("{}\n{before}", db::HEADER).as_bytes()).book;
    assert_eq!((book.entries.len(), book.entries[0].moves.len()), (1, 2));
    let header = db::HEADER;
    for (what, text) in [
        ("no header", before.clone()),
        ("a byte order mark", format!("\u{feff}{header}\n{before}")),
        ("a mark and no header", format!("\u{feff}{before}")),
        (
            "a header of another version",
            format!("#YANEURAOU-DB2016 9.99\n{before}"),
        ),
        (
            "a count of positions",
            format!("{header}\n# NOE:12345,6\n{before}"),
        ),
        ("CR LF", format!("{header}\n{before}").replace('\n', "\r\n")),
        (
            "no end of the last line",
            format!("{header}\n{}", before.trim_end()),
        ),
        (
            "empty lines",
            format!("{header}\n\n{}", before.replace('\n', "\n\n")),
        ),
        (
            "blanks at the ends of lines",
            before.replace('\n', " \t \n"),
        ),
        (
            "several blanks between fields",
            before.replace(" 30 12", "   30\t12"),
        ),
        ("a plus sign", before.replace(" 30 ", " +30 ")),
        ("None with a capital", before.replace("none", "None")),
        ("junk in a number", before.replace(" 12 ", " 12x ")),
        (
            "a move that is none",
            before.replace("2g2f", "none none 0 0 0\nresign none 0 0 0\n2g2f"),
        ),
    ] {
        let read = db::read(text.as_bytes());
        // A number that isn't whole is read alike, but said.
        let faults = usize::from(what == "junk in a number");
        assert_eq!(
            (read.book, read.faults.len()),
            (book.clone(), faults),
            "{what}"
        );
    }

    let one = |text: &str| {
        let read = db::read(text.as_bytes());
        assert_eq!(read.faults, []);
        read.book.entries.into_iter().next().unwrap()
    };
    // What is missing at the end of a line isn't known. A missing ply isn't either.
    let known = |line: &str| {
        let BookMove {
            ponder,
            score,
            depth,
            count,
            ..
        } = one(&format!("sfen {START}\n7g7f{line}\n")).moves[0];
        (ponder.is_some(), score, depth, count)
    };
    assert_eq!(known(""), (false, None, None, None));
    assert_eq!(known(" 3c3d"), (true, None, None, None));
    assert_eq!(known(" none 7"), (false, Some(7), None, None));
    assert_eq!(known(" none 7 9"), (false, Some(7), Some(9), None));
    assert_eq!(known(" none 7 9 3"), (false, Some(7), Some(9), Some(3)));
    // An empty field can't be told from several blanks, so the next one moves up; text is no number.
    assert_eq!(known(" none   8"), (false, Some(8), None, None));
    assert_eq!(known(" none none 9"), (false, None, Some(9), None));
    let without_ply = START.rsplit_once(' ').unwrap().0;
    assert_eq!(one(&format!("sfen {without_ply}\n7g7f\n")).ply, None);
    assert_eq!(one(&format!("sfen {without_ply} 0\n7g7f\n")).ply, None);
    // Pieces in hand in any order are one position.
    let hands = ["P2Bp", "2BPp", "pP2B", "BpBP"];
    let boards = hands.map(|hands| one(&format!("sfen 4k4/9/9/9/9/9/9/9/4K4 b {hands} 1\n")).board);
    assert!(boards.iter().all(|board| board == &boards[0]));
    assert_eq!(boards[0].to_string(), "4k4/9/9/9/9/9/9/9/4K4 b 2BPp");
    // Illegal moves are kept until somebody drops them, and plies of one position stay apart.
    assert_eq!(
        one(&format!("sfen {START}\n7g7e none 1 1\n")).moves.len(),
        1
    );
    let twice = format!("sfen {without_ply} 1\n7g7f none 1\nsfen {without_ply} 5\n2g2f none 2\n");
    assert_eq!(db::read(twice.as_bytes()).book.entries.len(), 2);
}

/// Law (Shogi): No number is changed in silence.
#[test]
fn numbers_that_are_changed_are_said() {
    for (fields, kept, fault) in [
        (
            "99999999999 1 2",
            [Some(i32::MAX as i64), Some(1), Some(2)],
            "the score is “99999999999”; expected a whole number from -2147483648 to 2147483647; 2147483647 is kept",
        ),
        (
            "1.5 1 2",
            [Some(1), Some(1), Some(2)],
            "the score is “1.5”; expected a whole number from -2147483648 to 2147483647; 1 is kept",
        ),
        (
            "mate 1 2",
            [None, Some(1), Some(2)],
            "the score is “mate”; expected a whole number from -2147483648 to 2147483647; nothing is kept",
        ),
        (
            "7 -4 2",
            [Some(7), Some(0), Some(2)],
            "the depth is “-4”; expected a whole number from 0 to 4294967295; 0 is kept",
        ),
        (
            "7 1 4294967296",
            [Some(7), Some(1), Some(u32::MAX as i64)],
            "the count is “4294967296”; expected a whole number from 0 to 4294967295; 4294967295 is kept",
        ),
        ("+7 none 2", [Some(7), None, Some(2)], ""),
    ] {
        let read = db::read(format!("sfen {START}\n7g7f none {fields}\n").as_bytes());
        let mv = read.book.entries[0].moves[0];
        let found = [
            mv.score.map(i64::from),
            mv.depth.map(i64::from),
            mv.count.map(i64::from),
        ];
        assert_eq!(found, kept, "{fields}");
        let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
        let expected = if fault.is_empty() {
            vec![]
        } else {
            vec![format!("line 2: {fault}")]
        };
        assert_eq!(faults, expected, "{fields}");
    }
}

/// Books of few records are recognised by a position near the start, and other short files aren't.
#[test]
fn small_books_of_apery_are_recognised() {
    let mut near = vec![Board::start()];
    for _ in 0..3 {
        let book = |board: &Board| Book {
            entries: vec![Entry::new(
                *board,
                None,
                vec![BookMove::new(board.children()[0].0)],
            )],
        };
        let is_book = |board: &Board| {
            let (bytes, _) = apery_file(&book(board));
            apery::is_book(&bytes, bytes.len() as u64)
        };
        assert!(near.iter().step_by(7).all(is_book));
        near = near
            .iter()
            .flat_map(|board| board.children())
            .map(|(_, child)| child)
            .collect();
    }
    let (bytes, _) = apery_file(&Book {
        entries: vec![Entry::new(
            Board::start(),
            None,
            vec![BookMove::new("7g7f".parse().unwrap())],
        )],
    });
    for at in 0..8 {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(!apery::is_book(&changed, 16), "another position: {at}");
    }
    assert!(!apery::is_book(&bytes, 17) && !apery::is_book(&[], 0));
}

#[test]
fn a_large_book_comes_back_in_its_order() {
    let moves = vec![BookMove::new("7g7f".parse().unwrap())];
    let entry = |ply| Entry::new(Board::start(), Some(ply), moves.clone());
    let book = Book {
        entries: (1..70_000).map(entry).collect(),
    };
    assert!(db::read(db_file(&book).as_bytes()).book == book);
}

#[needs(shogi_books)]
#[test]
fn the_same_book_in_four_formats_agrees() {
    let folder = published().join("yuuki/book");
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    let text = db::read(&bytes("yaneuraou.db"));
    assert_eq!(text.faults, []);
    let expected = moves(&text.book);
    assert_eq!(expected.len(), 73);

    let found = apery::read(&bytes("apery.bin")).unwrap();
    assert_eq!(found.missed, 0);
    assert_eq!(moves(&found.book), expected);
    assert_eq!(apery_file(&found.book).0, bytes("apery.bin"));

    let found = gikou::read(&bytes("gikou.bin")).unwrap();
    assert_eq!(found.faults, []);
    assert_eq!(found.missed, 0);
    assert_eq!(moves(&found.book), expected);

    let states = sbk::read(&bytes("shogigui.sbk")).unwrap();
    assert_eq!(states.faults, []);
    // This file also has moves that were never played.
    let mut played = states.book;
    for entry in &mut played.entries {
        entry.moves.retain(|listed| listed.count != Some(0));
    }
    assert_eq!(moves(&played), expected);
}

#[needs(shogi_books)]
#[test]
fn real_files_are_read() {
    let folder = published().join("shogihome");
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    let usual = db::read(&bytes("yaneuraou.db"));
    assert_eq!(usual.faults, []);
    assert!(comments(&usual.book) > 0);
    for name in ["bom-no-header", "crlf", "no-header", "bom-crlf"] {
        let other = db::read(&bytes(&format!("yaneuraou-{name}.db")));
        assert_eq!(other.faults, [], "{name}");
        assert!(!other.book.entries.is_empty(), "{name}");
    }
    for name in ["yaneuraou.ybb", "yaneuraou-edit.ybb"] {
        let read = ybb::read(&bytes(name)).unwrap();
        assert_eq!(read.faults, [], "{name}");
        assert_eq!(ybb_file(&read.book).0, bytes(name), "{name}");
    }
    for name in ["shogigui01.sbk", "shogigui02.sbk", "sbk-merge.sbk"] {
        let states = sbk::read(&bytes(name)).unwrap();
        assert!(states.faults.is_empty(), "{name}: {:?}", &states.faults);
        assert!(states.book.entries.len() > 2, "{name}");
    }
    let large = fs::read(published().join("24kifu/24book.sbk")).unwrap();
    let states = sbk::read(&large).unwrap();
    // 336 of its states lead to one another, and no move leads to them.
    assert_eq!(
        (states.book.entries.len(), states.faults.len()),
        (30_164, 336)
    );
    assert!(
        states
            .faults
            .iter()
            .all(|fault| fault.reason == "no position leads to this state")
    );

    // The faults of published books, and their positions with illegal moves.
    for (name, records, faults, illegal) in [
        (
            "HandicappedRook_user_book1.db",
            3_613,
            &["line 88: Black has 0 kings; expected one"][..],
            0,
        ),
        (
            "HoneyWaffleWCSC28_user_book2.db",
            5_793,
            &[
                "line 145: the expected answer: “9g29” is not a move; expected one in USI, such as 7g7f, 8h2b+ or P*5e",
                "line 227: 8b4b is listed twice; the first line counts",
                "line 6615: the board has 2 ranks; expected 9",
            ],
            1,
        ),
    ] {
        let read = db::read(&fs::read(published().join(name)).unwrap());
        let found: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
        assert_eq!(found, faults, "{name}");
        let mut book = read.book;
        assert_eq!(
            (book.entries.len(), book.drop_illegal_moves().len()),
            (records, illegal),
            "{name}"
        );
    }
    let edge = read(&golden("edge/e4_comment_crlf.db"));
    assert_eq!(edge.entries[0].moves.len(), 2);
}
