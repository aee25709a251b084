//! The losses of moves: they add up, exact ones equal those of exhaustive search, and the book's follow from its values.

use obook::read::played::{Judgement, Phase, Played, SearchedMove, Source, Tally};
use obook::read::view::{LinkOrLeaf, View};
use obook::{Book, Context, Error, Store};
use obook_engine::{Inside, Request, Searcher};
use obook_needs::needs;
use obook_othello::{Board, Line, Move, Side};
use obook_testing::engines::{kit, positions};
use obook_testing::exhaustive::exhaustive;
use obook_testing::imported::imported;
use obook_testing::random_book::Random;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// A random game from here with at most this many moves, by the moves of `store` as long as it has any.
fn played_from(mut line: Line, random: &mut Random, most: usize, store: Option<&Store>) -> Line {
    while line.moves().len() < most && !line.board().is_over() {
        let position = store.and_then(|it| it.position(line.board().canonical()).unwrap());
        let known = position.map(|position| View::new(line.clone(), &position));
        let known: Vec<Move> = known
            .iter()
            .flat_map(|view| view.moves().iter().map(|known| known.mv))
            .collect();
        let all: Vec<Move> = line.board().moves().collect();
        let moves = if known.is_empty() { &all } else { &known };
        let choice = moves[random.below(moves.len() as u64) as usize];
        line.push(choice).unwrap();
    }
    line
}

/// Answers that need not make sense.
fn any_answers(played: &Played, random: &mut Random) -> BTreeMap<usize, SearchedMove> {
    let mut answer = |board: Board| {
        let moves: Vec<Move> = board.moves().collect();
        SearchedMove {
            mv: moves[random.below(moves.len() as u64) as usize],
            score: (random.below(129) as i16 - 64) as i8,
            proven: random.below(2) == 0,
        }
    };
    played
        .questions()
        .map(|(index, board)| (index, answer(board)))
        .collect()
}

/// Checks that the losses of one side are the gains of the other.
fn assert_adds_up(judgement: &Judgement, line: &Line) {
    let sum = |side| {
        let moves = judgement.moves.iter().filter(|mv| mv.side == side);
        moves.map(|mv| i64::from(mv.loss)).sum::<i64>()
    };
    let (black, white) = (sum(Side::Black), sum(Side::White));
    let (start, end) = (judgement.start.score, judgement.end.score);
    assert_eq!(i64::from(start) - black + white, i64::from(end), "{line}");
    // Without a choice, nothing is lost, so the tallies contain all losses.
    for (side, all) in [(Side::Black, black), (Side::White, white)] {
        let tally = judgement.tally(side, None);
        assert_eq!(tally.loss, all, "{line}");
        let mut parts = Tally::default();
        for phase in Phase::ALL {
            parts += judgement.tally(side, Some(phase));
        }
        assert_eq!(parts, tally, "{line}");
        assert!(tally.best <= tally.moves);
    }
    if line.board().is_over() {
        let score = i16::from(line.board().final_score());
        let score = if line.side() == Side::Black {
            score
        } else {
            -score
        };
        assert_eq!(
            (end, judgement.end.source),
            (score, Source::Final),
            "{line}"
        );
    }
}

/// Even if the numbers are wrong.
///
/// Law (Databases): The losses of a game's moves add up to its final score; exact ones match exhaustive search and Edax, others
/// the book.
/// Also: `exact_losses_are_those_of_exhaustive_search` `edax_analyses_exact_positions_alike`
/// `losses_inside_the_book_are_the_books` `cli/tests/program/check.rs` `games_and_players_are_told`
#[test]
fn losses_add_up_to_the_final_score() {
    let (_folder, database) = imported("games.dat");
    let store = Store::open(&database, &Context::default()).unwrap();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(256));
    let games = (any::<u64>(), 0..80usize, any::<bool>());
    let judged = runner.run(&games, |(seed, most, follows)| {
        let mut random = Random(seed);
        let line = played_from(Line::new(), &mut random, most, follows.then_some(&store));
        let played = Played::new(Some(&store), line.clone()).unwrap();
        let answers = any_answers(&played, &mut random);
        assert_adds_up(&played.judge(&answers), &line);
        Ok(())
    });
    judged.unwrap();
}

/// A searched position is worth at least as much as the move that was played. Only the book and proofs stay as they are.
#[test]
fn no_move_is_better_than_a_search_before_it() {
    let (_folder, database) = imported("games.dat");
    let store = Store::open(&database, &Context::default()).unwrap();
    let mut random = Random(5);
    let (mut raised, mut better) = (0, 0);
    for game in 0..150 {
        let followed = (game % 2 == 0).then_some(&store);
        let line = played_from(Line::new(), &mut random, 60, followed);
        let played = Played::new(Some(&store), line).unwrap();
        let answers = any_answers(&played, &mut random);
        for (index, mv) in played.judge(&answers).moves.iter().enumerate() {
            let answer = answers.get(&index).filter(|answer| !answer.proven);
            match answer.map(|answer| (i16::from(answer.score), mv.before)) {
                Some((score, before)) if before.source != Source::Leaf => {
                    assert_eq!(before.score, score.max(mv.after.score));
                    let is_raised = mv.after.score > score;
                    assert_eq!(
                        is_raised,
                        mv.best == Some(mv.mv) && mv.loss == 0 && score < before.score
                    );
                    raised += u32::from(is_raised);
                }
                _ => better += u32::from(mv.loss < 0 && mv.before.source == Source::Book),
            }
        }
    }
    assert!(raised > 50 && better > 10, "{raised} {better}");
}

/// Without the last answers, the moves up to them are judged as if the game had ended there.
#[test]
fn a_game_is_judged_as_far_as_it_was_searched() {
    let (_folder, database) = imported("games.dat");
    let store = Store::open(&database, &Context::default()).unwrap();
    let mut random = Random(8);
    let mut judged = 0;
    for seed in 0..20 {
        let book = (seed % 2 == 0).then_some(&store);
        let line = played_from(Line::new(), &mut random, 99, book);
        let played = Played::new(book, line.clone()).unwrap();
        let mut answers = any_answers(&played, &mut random);
        assert_eq!(played.judge_begun(&answers), Some(played.judge(&answers)));
        let all = answers.clone();
        while let Some((open, _)) = answers.pop_last() {
            let Some(begun) = played.judge_begun(&answers) else {
                assert!(
                    open < 2
                        || played.judge(&all).moves[..open - 1]
                            .iter()
                            .all(|mv| !mv.choice)
                );
                continue;
            };
            let count = begun.moves.len();
            // Forced moves before the open position have no score yet.
            let forced = &played.judge(&all).moves[count..open];
            assert!(
                count < open && forced[1..].iter().all(|mv| !mv.choice),
                "{line} {open}"
            );
            let prefix = Played::new(book, line.prefix(count)).unwrap();
            let expected = prefix.judge(&all);
            assert_eq!(begun.end, expected.end);
            for (begun, expected) in begun.moves.iter().zip(&expected.moves) {
                assert_eq!(
                    (begun.mv, begun.loss, begun.in_book),
                    (expected.mv, expected.loss, expected.in_book)
                );
            }
            judged += 1;
        }
    }
    assert!(judged > 200, "{judged}");
}

/// The answers of searches to the end of the game.
fn solved(played: &Played) -> BTreeMap<usize, SearchedMove> {
    let mut searcher = Inside::new();
    let questions = played.questions();
    let found = questions.map(|(index, board)| {
        let answer = searcher.search(&Request::new(board, 60).unwrap()).unwrap();
        let found = SearchedMove {
            mv: answer.mv,
            score: answer.score,
            proven: answer.proven,
        };
        (index, found)
    });
    found.collect()
}

#[test]
fn exact_losses_are_those_of_exhaustive_search() {
    let mut random = Random(11);
    let (mut lost, mut forced) = (0, 0);
    for board in positions(5, 8, 12) {
        let line = played_from(Line::at(board, Side::White), &mut random, 99, None);
        let played = Played::new(None, line.clone()).unwrap();
        let judgement = played.judge(&solved(&played));
        assert_adds_up(&judgement, &line);
        let mut board = board;
        for mv in &judgement.moves {
            let child = board.play(mv.mv).unwrap();
            let (before, after) = (exhaustive(board), -exhaustive(child));
            assert_eq!(
                (mv.before.score, mv.after.score),
                (before.into(), after.into())
            );
            assert_eq!(mv.loss, i16::from(before - after));
            assert!(mv.loss >= 0 && matches!(mv.after.source, Source::Solved | Source::Final));
            if let Some(best) = mv.best {
                assert_eq!(-exhaustive(board.play(best).unwrap()), before);
            }
            assert_eq!(mv.best.is_some(), mv.choice);
            lost += i64::from(mv.loss);
            forced += u32::from(!mv.choice);
            board = child;
        }
        assert!(!judgement.moves.is_empty() && judgement.in_book == 0);
        assert_eq!(judgement.first_outside(), None);
    }
    assert!(lost > 0 && forced > 0, "{lost} {forced}");
}

#[test]
fn losses_inside_the_book_are_the_books() -> Result<(), Error> {
    let (_folder, database) = imported("games.dat");
    let store = Store::open(&database, &Context::default())?;
    let book = Book::open(&database, &Context::default())?;
    let mut random = Random(3);
    let (mut links, mut leaves, mut left, mut beyond) = (0, 0, 0, 0);
    for _ in 0..60 {
        let line = played_from(Line::new(), &mut random, 60, Some(&store));
        let played = Played::new(Some(&store), line.clone())?;
        let judgement = played.judge(&any_answers(&played, &mut random));
        for (index, mv) in judgement.moves.iter().enumerate().take(judgement.in_book) {
            let view = View::of(&book, line.prefix(index))?;
            let said = view.moves().iter().find(|known| known.mv == mv.mv).unwrap();
            // A position without a choice has the score of the next one, which the book may lack.
            let is_forced = judgement.moves.get(index + 1).is_some_and(|it| !it.choice);
            if is_forced && matches!(mv.after.source, Source::Search | Source::Solved) {
                beyond += 1;
                continue;
            }
            if mv.choice {
                assert_eq!(mv.before.source, Source::Book);
                // Of the best move and its mirror images, the played one is shown.
                let (first, board) = (view.moves()[0].mv, line.prefix(index).board());
                let leads_to = |mv| board.play(mv).map(Board::canonical);
                let is_first = leads_to(mv.mv) == leads_to(first);
                assert_eq!(mv.best, Some(if is_first { mv.mv } else { first }));
                assert_eq!(mv.loss <= 0, said.score == view.moves()[0].score, "{line}");
            }
            assert_eq!(
                Some(mv.after.score),
                said.score.map(i16::from),
                "{line}: {}",
                mv.mv
            );
            assert_eq!(mv.in_book, said.kind == LinkOrLeaf::Link);
            links += u32::from(said.kind == LinkOrLeaf::Link);
            leaves += u32::from(mv.after.source == Source::Leaf);
        }
        if let Some(outside) = judgement.first_outside() {
            assert!(!outside.in_book);
            left += 1;
        }
        assert!(judgement.in_book > 1);
    }
    assert!(
        links > 100 && leaves > 10 && left > 10 && beyond > 0,
        "{links} {leaves} {left} {beyond}"
    );
    Ok(())
}

#[test]
fn moves_to_mirror_images_are_the_same() {
    let c4: Move = "c4".parse().unwrap();
    for (line, choice, best) in [
        ("f5", false, None),
        ("d3", false, None),
        ("f5f6e6d6", false, None),
        ("f5f6d3c3c4", true, Some("c4")),
        ("f5f6d3c3e6", true, Some("e6")),
        ("f5f6d3c3f7", true, Some("e6")),
    ] {
        let played = Played::new(None, line.parse().unwrap()).unwrap();
        let answer = |(index, _)| {
            let (score, proven) = (0, true);
            (
                index,
                SearchedMove {
                    mv: c4,
                    score,
                    proven,
                },
            )
        };
        let judgement = played.judge(&played.questions().map(answer).collect());
        let last = judgement.moves.last().unwrap();
        let best = best.map(|best| best.parse().unwrap());
        assert_eq!(
            (last.choice, last.best, last.loss),
            (choice, best, 0),
            "{line}"
        );
    }
}

/// A row of Edax's analysis: the ply, the score of the move played, and the score of the best other move.
fn row(line: &str) -> Option<(usize, i16, Option<i16>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [ply, _, _, mv, played, rest @ ..] = &words[..] else {
        return None;
    };
    mv.parse::<Move>().ok()?;
    let other = rest.get(1).and_then(|score| score.parse().ok());
    Some((ply.parse().ok()?, played.parse().ok()?, other))
}

#[needs(engine_kit)]
#[test]
fn edax_analyses_exact_positions_alike() {
    const MOVES: usize = 12;
    let program = kit("edax/edax");
    let mut random = Random(21);
    let mut compared = 0;
    for _ in 0..3 {
        // Edax analyses games from the start and leaves out passes.
        let line = loop {
            let line = played_from(Line::new(), &mut random, 99, None);
            if line.moves().len() == 60 && !line.moves().contains(&Move::Pass) {
                break line;
            }
        };
        let mut edax = Command::new(&program)
            .args(["-n", "1", "-h", "16", "-book-usage", "off"])
            .current_dir(program.parent().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = edax.stdin.take().unwrap();
        write!(input, "level 60\nplay {line}\nanalyze {MOVES}\n").unwrap();
        let mut rows = BTreeMap::new();
        for said in BufReader::new(edax.stdout.take().unwrap()).lines() {
            // Edax overwrites its output during a search.
            let said = said.unwrap();
            if said.contains("error rate") {
                break;
            }
            if let Some((ply, played, other)) = row(said.rsplit('\r').next().unwrap()) {
                rows.insert(ply, (played, other));
            }
        }
        let _ = writeln!(input, "quit");
        drop(input);
        let _ = edax.wait();
        assert!(rows.len() > MOVES / 2, "{line}: {rows:?}");
        let mut late = Line::at(
            line.prefix(60 - MOVES).board(),
            line.prefix(60 - MOVES).side(),
        );
        let moves = line.moves().iter().skip(60 - MOVES);
        moves.for_each(|mv| late.push(*mv).unwrap());
        let played = Played::new(None, late).unwrap();
        let judgement = played.judge(&solved(&played));
        for mv in &judgement.moves {
            let Some((score, other)) = rows.get(&mv.ply) else {
                continue;
            };
            assert_eq!(mv.after.score, *score, "{line}: ply {}", mv.ply);
            let loss = other.map_or(0, |other| (other - score).max(0));
            assert_eq!(mv.loss, loss, "{line}: ply {}", mv.ply);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}
