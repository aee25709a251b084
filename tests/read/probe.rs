//! Look-ups from many threads.

use crate::book_file::write;
use obook::{Board, Book, Context, Lookup, Position, Probe, Store};
use obook_converters::Format;
use obook_othello::Symmetry;
use obook_testing::consistent_book::{closed, edax_book, records};
use obook_testing::imported::{import_file, imported};
use obook_testing::random_book::recipes;
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A position as the board that was asked about shows it, by the definition: each move that leads to the same child.
fn is_seen(board: Board, seen: &Position<Board>, stored: &Position) -> bool {
    let child = |board: Board, mv| board.play(mv).map(Board::canonical);
    let (links, own) = (seen.links.iter(), stored.links.iter());
    let mut links: Vec<_> = links.map(|it| (child(board, it.mv), it.score)).collect();
    let mut own: Vec<_> = own
        .map(|it| (child(stored.board.board(), it.mv), it.score))
        .collect();
    links.sort();
    own.sort();
    let of_leaf = |board: Board, leaf: &obook::Leaf| {
        let mv = leaf.mv.map(|mv| child(board, mv));
        (mv, leaf.score, leaf.level, leaf.engine)
    };
    let scores = |links: &[obook::Link]| links.iter().map(|it| it.score).collect::<Vec<_>>();
    seen.board == board
        && links == own
        && links.iter().all(|(child, _)| child.is_some())
        && scores(&seen.links) == scores(&stored.links)
        && seen.leaf.as_ref().map(|leaf| of_leaf(board, leaf))
            == stored
                .leaf
                .as_ref()
                .map(|leaf| of_leaf(stored.board.board(), leaf))
        && (seen.value, seen.bounds, seen.proof, seen.level, seen.engine)
            == (
                stored.value,
                stored.bounds,
                stored.proof,
                stored.level,
                stored.engine,
            )
        && (seen.outcomes, seen.lines, seen.no_leaf)
            == (stored.outcomes, stored.lines, stored.no_leaf)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Law (Databases): A probe gives the book's answer for any of a position's eight boards, from a database, memory or a
    /// temporary database.
    #[test]
    fn a_probe_says_what_the_book_says_as_the_board_lies(recipe in recipes(), seed in any::<u64>()) {
        let folder = tempfile::tempdir().unwrap();
        let [file, database] = ["book.dat", "book.obook"].map(|name| folder.path().join(name));
        write(&file, Format::Edax, &records(&edax_book(&closed(&recipe), seed, true)));
        import_file(&file, &database, &Context::new("test")).unwrap();
        let store = Store::open(&database, &Context::default()).unwrap();
        let probes = [(&database, None), (&file, None), (&file, Some(1))].map(|(path, memory)| {
            let context = Context::default().with_memory(memory);
            Probe::open(path, &context).unwrap()
        });
        for (number, position) in store.positions().unwrap().enumerate() {
            let key = position.unwrap().board;
            let stored = store.position(key).unwrap().unwrap();
            let board = Symmetry::ALL[(number + seed as usize % 8) % 8].board(key.board());
            for probe in &probes {
                let seen = probe.position(board).unwrap().unwrap();
                prop_assert!(is_seen(board, &seen, &stored), "{seen:?}\n{stored:?}");
                prop_assert_eq!(seen.moves().count(), stored.moves().count());
            }
            for child in board.children().map(|(_, child)| child) {
                let stored = store.position(child.canonical()).unwrap();
                for probe in &probes {
                    prop_assert_eq!(probe.position(child).unwrap().is_some(), stored.is_some());
                }
            }
        }
    }
}

/// Law (Crashes, untrusted books, concurrency): Threads may share a probe while another connection writes; each answer is of
/// one state.
#[test]
fn threads_ask_one_probe_while_another_connection_writes() {
    const THREADS: usize = 4;
    const STATES: i8 = 60;
    let (_folder, path) = imported("games.dat");
    let context = Context::new("test");
    let mut store = Book::open_for_writing(&path, &context).unwrap();
    let key = Board::START.canonical();
    // In each state, the value, the scores of all links and the leaf are the same number.
    let mut state = store.position(key).unwrap().unwrap();
    assert!(!state.links.is_empty());
    let mut enter = |store: &mut Store, number: i8| {
        state.value = Some(number.into());
        state
            .links
            .iter_mut()
            .for_each(|link| link.score = Some(number));
        let change = store.change().unwrap();
        change.put(&state).unwrap();
        change.commit(&()).unwrap();
    };
    enter(&mut store, 0);
    let probe =
        Probe::of(Lookup::new(Book::open(&path, &context).unwrap(), &context).unwrap()).unwrap();
    let is_over = AtomicBool::new(false);
    let seen: Vec<i8> = std::thread::scope(|scope| {
        let ask = |thread: usize| {
            let (probe, is_over) = (&probe, &is_over);
            move || {
                let (mut last, mut states) = (0, 0);
                while !is_over.load(Ordering::Relaxed) || last < STATES {
                    let board = Symmetry::ALL[2 * thread].board(Board::START);
                    let seen = probe.position(board).unwrap().unwrap();
                    let number = seen.links[0].score.unwrap();
                    assert!(seen.links.iter().all(|link| link.score == Some(number)));
                    assert_eq!(seen.value, Some(number.into()), "two states in one answer");
                    assert!(number >= last, "an earlier state");
                    states += i8::from(number > last);
                    last = number;
                }
                states
            }
        };
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(ask(thread)))
            .collect();
        for number in 1..=STATES {
            enter(&mut store, number);
        }
        is_over.store(true, Ordering::Relaxed);
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(seen.iter().all(|states| *states > 0), "{seen:?}");
}

/// A probe is shared by threads, a store belongs to one at a time.
#[test]
fn a_probe_is_send_and_sync() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Store>();
    is_send::<Book>();
    is_send::<Probe>();
    is_sync::<Probe>();
}
