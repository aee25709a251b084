//! What draws are worth: own scores beside a search over all histories.

use crate::golden::{golden, names, read};
use crate::positions::board;
use obook_shogi::{
    Board, Book, BookMove, Colour, Draws, Entry, MATE, Move, OwnScores, Packed, Repetition,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU16;

fn any_worth() -> impl Strategy<Value = i32> {
    prop_oneof![6 => -120..120, 1 => Just(0), 1 => prop::sample::select(vec![-MATE, -31_999, 31_950, MATE])]
}

pub(crate) fn any_draws() -> impl Strategy<Value = Draws> {
    let max_moves = option::of((1..12_u16).prop_map(|most| NonZeroU16::new(most).unwrap()));
    // Of some books both sides have the same game.
    (any_worth(), option::of(any_worth()), max_moves).prop_map(|(black, white, max_moves)| Draws {
        black,
        white: white.unwrap_or(-black),
        max_moves,
    })
}

/// Hand-made books with all kinds of cycles, with random scores of the moves that lead out of them, more such moves, and random plies.
/// Some positions are also there turned.
pub(crate) fn any_cyclic_book() -> impl Strategy<Value = Book> {
    let books: Vec<Book> = names()
        .into_iter()
        .map(|name| read(&golden(&format!("{name}.db"))))
        .filter(|book| book.entries.len() < 12)
        .collect();
    assert!(books.len() > 8, "{}", books.len());
    let score = prop_oneof![8 => -150..150, 1 => prop::sample::select(vec![-MATE, MATE, 0])];
    let entry = (
        vec((any::<prop::sample::Index>(), score), 1..3),
        option::weighted(0.8, 1..14_u32),
        any::<bool>(),
    );
    (prop::sample::select(books), vec(entry, 12)).prop_map(|(mut book, random)| {
        let mut twins = Vec::new();
        for (entry, (moves, ply, has_twin)) in book.entries.iter_mut().zip(random) {
            let legal = entry.board.legal_moves();
            entry.ply = ply;
            for (at, score) in moves {
                if legal.is_empty() {
                    continue;
                }
                // The listed moves first, so that these get other scores.
                let (at, count) = (at.index(legal.len()), entry.moves.len());
                let mv = entry
                    .moves
                    .get(at % (count + 1))
                    .map_or(legal[at], |it| it.mv);
                entry.moves.retain(|it| it.mv != mv);
                entry.moves.push(BookMove {
                    score: Some(score),
                    ..BookMove::new(mv)
                });
            }
            if has_twin {
                let ply = ply.map(|ply| ply + 1);
                twins.push(Entry::new(entry.board.turned(), ply, Vec::new()));
            }
        }
        book.entries.extend(twins);
        book
    })
}

/// What a book says about a position: the plies with Black and with White to move, and the listed moves as Black sees them.
#[derive(Default)]
struct Known {
    plies: [Option<u32>; 2],
    moves: BTreeMap<u16, i32>,
}

fn known(book: &Book) -> BTreeMap<Packed, Known> {
    let mut all: BTreeMap<Packed, Known> = BTreeMap::new();
    for entry in &book.entries {
        let turn = entry.board.turn();
        let known = all.entry(entry.board.key()).or_default();
        let ply = &mut known.plies[turn as usize];
        *ply = ply.iter().copied().chain(entry.ply).min();
        let moves = entry.moves.iter();
        let scores = moves.map(|it| (it.mv.seen_by(turn).bits(), it.score.unwrap_or(0)));
        known.moves.extend(scores);
    }
    all
}

fn to(side: Colour, score: i32) -> i32 {
    if side == Colour::Black { score } else { -score }
}

/// The game that a book is, in which a draw is worth this much to Black.
struct Game<'b> {
    book: &'b BTreeMap<Packed, Known>,
    worth: i32,
    max_moves: Option<NonZeroU16>,
}

impl Game<'_> {
    /// The score of a move after these positions; `None` if the book doesn't know it.
    fn score(&self, path: &mut Vec<Board>, board: Board, mv: Move) -> Option<i32> {
        let turn = board.turn();
        let child = board.play(mv).unwrap();
        let known = &self.book[&board.key()];
        let listed = known.moves.get(&mv.seen_by(turn).bits());
        let is_there = self.book.contains_key(&child.key());
        if !is_there && listed.is_none() {
            return None;
        }
        let is_last = match (known.plies[turn as usize], self.max_moves) {
            (Some(ply), Some(most)) => ply >= most.get().into(),
            _ => false,
        };
        if is_last {
            let drawn = to(turn, self.worth);
            return Some(if child.is_lost() { MATE } else { drawn });
        }
        if !is_there {
            return listed.copied();
        }
        path.push(child);
        let value = self.value(path).map(|value| -value);
        path.pop();
        value
    }

    /// The value of the game that has gone through these positions, for the side to move: the second occurrence ends it.
    fn value(&self, path: &mut Vec<Board>) -> Option<i32> {
        let (board, before) = path.split_last().unwrap();
        let (board, turn) = (*board, board.turn());
        if board.is_lost() {
            return Some(-MATE);
        }
        if let Some(first) = before.iter().position(|it| *it == board) {
            let cycle = path[first + 1..].iter();
            let cycle = cycle.map(|board| (board.turn(), board.is_check()));
            return Some(match Repetition::of(cycle) {
                Repetition::Draw => to(turn, self.worth),
                Repetition::Perpetual(loser) if loser == turn => -MATE,
                Repetition::Perpetual(_) => MATE,
            });
        }
        let moves = board.legal_moves().into_iter();
        moves.filter_map(|mv| self.score(path, board, mv)).max()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): Scores are those of all histories, whatever draws are worth and whenever games end.
    /// Also: `a_limit_of_moves_counts_them` `draws_that_are_worth_nothing_change_nothing`
    #[test]
    fn scores_are_those_of_all_histories(book in any_cyclic_book(), draws in any_draws()) {
        let own = OwnScores::new(&book).with_draws(draws);
        let known = known(&book);
        for entry in &book.entries {
            let board = entry.board;
            let worth = match board.turn() {
                Colour::Black => draws.black,
                Colour::White => -draws.white,
            };
            let game = Game { book: &known, worth, max_moves: draws.max_moves };
            prop_assert_eq!(own.of(&board), game.value(&mut vec![board]), "{}", board);
            let moves = own.moves(&board);
            for listed in &moves {
                // The score of a move is that of a game that begins after it.
                let score = game.score(&mut Vec::new(), board, listed.mv);
                prop_assert_eq!(listed.score, score, "{} {}", board, listed.mv);
            }
            prop_assert!(moves.is_sorted_by_key(|it| std::cmp::Reverse(it.score)));
        }
    }

    #[test]
    fn draws_that_are_worth_nothing_change_nothing(book in any_cyclic_book()) {
        let plain = OwnScores::new(&book);
        let late = NonZeroU16::new(100);
        for draws in [Draws::default(), Draws { max_moves: late, ..Draws::default() }] {
            let own = OwnScores::new(&book).with_draws(draws);
            for entry in &book.entries {
                prop_assert_eq!(own.of(&entry.board), plain.of(&entry.board));
                prop_assert_eq!(own.moves(&entry.board), plain.moves(&entry.board));
            }
        }
    }

    /// In a book of moves by pawns, every line reaches a position at the same ply.
    #[test]
    fn a_limit_of_moves_counts_them(
        games in vec(vec((any::<u8>(), -90..90), 1..9), 1..12),
        most in 1..10_u16,
        worth in any_worth(),
    ) {
        let mut boards: BTreeMap<Packed, Entry> = BTreeMap::new();
        for game in games {
            let mut board = Board::start();
            for (ply, (choice, score)) in (1..).zip(game) {
                // Pawns that have only just moved meet no other piece.
                let by_pawn = |mv: &Move| {
                    let name = mv.to_string();
                    ["g", "c"].iter().any(|rank| name[1..2] == **rank) && ["f", "d"].iter().any(|rank| name[3..4] == **rank)
                };
                let pawns: Vec<Move> = board.legal_moves().into_iter().filter(by_pawn).collect();
                let mv = pawns[usize::from(choice) % pawns.len().min(3)];
                let entry = boards.entry(board.key()).or_insert_with(|| Entry::new(board, Some(ply), Vec::new()));
                if entry.moves.iter().all(|it| it.mv != mv) {
                    entry.moves.push(BookMove { score: Some(score), ..BookMove::new(mv) });
                }
                board = board.play(mv).unwrap();
            }
        }
        let book = Book { entries: boards.values().cloned().collect() };
        let draws = Draws { black: worth, white: -worth, max_moves: NonZeroU16::new(most) };
        let own = OwnScores::new(&book).with_draws(draws);
        let start = Board::start();
        prop_assert_eq!(own.of(&start), Some(counted(&boards, start, 0, most, worth)));
    }
}

/// The value of a game after so many moves.
fn counted(
    boards: &BTreeMap<Packed, Entry>,
    board: Board,
    moves: u16,
    most: u16,
    worth: i32,
) -> i32 {
    let listed = &boards[&board.key()].moves;
    let score = |mv: Move| {
        let child = board.play(mv).unwrap();
        let is_there = boards.contains_key(&child.key());
        let listed = listed.iter().find(|it| it.mv == mv);
        if moves + 1 == most && (is_there || listed.is_some()) {
            return Some(to(board.turn(), worth));
        }
        match is_there {
            true => Some(-counted(boards, child, moves + 1, most, worth)),
            false => listed?.score,
        }
    };
    let legal = board.legal_moves().into_iter();
    legal.filter_map(score).max().unwrap()
}

/// Whether or not the book has the position after it.
#[test]
fn a_last_move_that_mates_wins() {
    let text = "sfen 8k/9/8P/9/9/9/9/9/K8 b G 5\n1c1b none 50 10 1\nG*1b none -7 10 1\n";
    let mated = "sfen 8k/8G/8P/9/9/9/9/9/K8 w - 6\n";
    for (text, depth) in [(text.to_owned(), 0), (format!("{text}{mated}"), 1)] {
        let book = obook_shogi::db::read(text.as_bytes()).book;
        let board = book.entries[0].board;
        for worth in [0, -40, MATE] {
            let draws = Draws {
                black: worth,
                white: -worth,
                max_moves: NonZeroU16::new(5),
            };
            let own = OwnScores::new(&book).with_draws(draws);
            assert_eq!(own.of(&board), Some(MATE), "{text}");
            let mut moves: Vec<_> = (own.moves(&board).into_iter())
                .map(|it| (it.mv.to_string(), it.score, it.depth))
                .collect();
            moves.sort();
            let expected = [("1c1b", worth, 0), ("G*1b", MATE, depth)]
                .map(|(mv, score, depth)| (mv.to_owned(), Some(score), Some(depth)));
            assert_eq!(moves, expected, "{text}");
        }
    }
}

/// Law (Shogi): Contempt makes each side leave a draw for what is nearly as good.
#[test]
fn contempt_leaves_a_draw_for_a_small_loss() {
    let book = read(&golden("s3_draw.db"));
    let start = board(crate::positions::START);
    // To leave the repetition costs Black 10.
    let first = |black, white| {
        let draws = Draws {
            black,
            white,
            max_moves: None,
        };
        let best = OwnScores::new(&book).with_draws(draws).moves(&start)[0];
        (best.mv.to_string(), best.score.unwrap())
    };
    assert_eq!(first(0, 0), ("2h3h".to_owned(), 0));
    assert_eq!(first(-9, 0), ("2h3h".to_owned(), -9));
    assert_eq!(first(-11, 0), ("7g7f".to_owned(), -10));
    // What a draw is worth to White matters in White's moves only.
    assert_eq!(first(0, -50), ("2h3h".to_owned(), 0));
}
