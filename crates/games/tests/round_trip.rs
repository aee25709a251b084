//! Games are the same after writing and reading.

use crate::support::{games, lines, read};
use obook_games::wthor::{self, Names};
use obook_games::{
    Clock, Date, Decimal, Ending, Format, Game, Note, Player, Reader, Score, Theoretical,
    write_ggf, write_sgf, write_transcript,
};
use obook_othello::{Move, Side};
use proptest::prelude::*;
use std::time::Duration;

/// Reads a file with a game twice, which must be the same.
fn again(text: &str, format: Format) -> Game {
    let file = format!("{text}\n{text}\n");
    let reader = Reader::new(std::io::Cursor::new(file), None, None).unwrap();
    assert_eq!(reader.format(), format);
    let entries: Vec<_> = reader.map(Result::unwrap).collect();
    let [first, second] = &entries[..] else {
        panic!("{} games", entries.len());
    };
    assert_eq!(first.game, second.game);
    assert_eq!((first.place.number, second.place.number), (1, 2));
    first.game.clone()
}

proptest! {
    /// Law (Game records): Any game survives a round trip through GGF; SGF, transcripts and WTHOR keep what they can.
    /// Also: `sgf_keeps_what_it_can` `transcripts_keep_moves_result_and_remark` `wthor_keeps_what_it_can`
    /// `crates/games/tests/archive.rs` `every_game_comes_back_from_every_text`
    #[test]
    fn any_game_comes_back_from_ggf(game in games()) {
        prop_assert_eq!(again(&write_ggf(&game), Format::Ggf), game);
    }

    #[test]
    fn sgf_keeps_what_it_can(game in games()) {
        let mut kept = game.clone();
        (kept.time, kept.kind) = (None, None);
        let time = |player: &Player| Some(player.clock?.initial?.time.as_secs());
        let clock = time(&kept.black).filter(|_| time(&kept.black) == time(&kept.white));
        let clock = clock.and_then(|seconds| Clock::of_time(Duration::from_secs(seconds)));
        (kept.black.clock, kept.white.clock) = (clock, clock);
        // The winner tells who resigned or ran out of time.
        let winner = kept.score.map(|score| score.get().signum());
        match (kept.ending, winner) {
            (Some(Ending::Resigned | Ending::TimeOut), Some(winner @ (1 | -1))) => {
                kept.score = Score::new(64 * winner);
            }
            _ => kept.ending = None,
        }
        for index in 0..kept.line().moves().len() {
            let note = Note { time: None, ..kept.note(index).clone() };
            kept.annotate(index, note);
        }
        // SGF does not keep that both agreed, and no end without a winner, so the discs decide the result.
        if let (Some(_), None, Some(_)) = (game.ending, kept.ending, Score::at_end(game.line())) {
            return Ok(());
        }
        prop_assert_eq!(again(&write_sgf(&game), Format::Sgf), kept);
    }

    #[test]
    fn transcripts_keep_moves_result_and_remark(game in games()) {
        prop_assume!(!game.line().moves().is_empty() || !game.line().is_from_start());
        let mut kept = Game::new(game.line().clone());
        kept.comment = game.comment.as_ref().map(|comment| comment.replace('\n', " "));
        kept.score = match Score::at_end(game.line()) {
            Some(end) => game.score.filter(|score| *score == end),
            None => game.score,
        };
        let mut game = game;
        game.score = kept.score;
        prop_assert_eq!(again(&write_transcript(&game), Format::Transcript), kept);
    }

    #[test]
    fn wthor_keeps_what_it_can(
        line in lines(),
        names in proptest::collection::vec(proptest::option::of("[A-ZÀ-Ö][a-zß-ÿ]{1,10}"), 3),
        year in proptest::option::of(1u16..=9999),
        theoretical in proptest::option::of((-32i8..=32, 1u8..=60)),
        score in -32i8..=32,
    ) {
        let mut game = Game::new(line);
        game.score = Score::at_end(game.line()).or(Score::new(2 * score));
        game.theoretical = theoretical.map(|(score, empties)| Theoretical {
            score: Score::new(2 * score).unwrap(),
            empties,
        });
        game.date = year.and_then(Date::of_year).unwrap_or_default();
        let mut names = names.into_iter();
        game.black.name = names.next().flatten();
        game.white.name = names.next().flatten();
        game.tournament = names.next().flatten();
        let mut writer = wthor::Writer::new(Names::default(), year);
        let fits = game.line().is_from_start();
        prop_assert_eq!(writer.write(&game).is_ok(), fits);
        if fits {
            let (file, names) = writer.finish(Date::UNKNOWN);
            let mut reader = wthor::Reader::new(&file[..], names, None).unwrap();
            let mut again = reader.next().unwrap().unwrap().game;
            prop_assert!(reader.next().is_none());
            // A final pass is not written.
            if game.line().moves().last() == Some(&Move::Pass) {
                let moves = game.line().moves().len() - 1;
                prop_assert_eq!(again.line(), &game.line().prefix(moves));
                again = game.clone();
            }
            prop_assert_eq!(again, game);
        }
    }

    #[test]
    fn a_side_belongs_to_each_move(line in lines()) {
        let game = Game::new(line);
        let is_same = game.line().moves().len().is_multiple_of(2);
        prop_assert_eq!(game.first() == game.line().side(), is_same);
        if game.line().is_from_start() {
            prop_assert_eq!(game.first(), Side::Black);
        }
    }
}

/// The generators make all cases that the laws are about.
#[test]
fn the_games_are_worth_testing() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut over, mut passes, mut other, mut noted) = (0, 0, 0, 0);
    for _ in 0..300 {
        let game = games().new_tree(&mut runner).unwrap().current();
        over += usize::from(game.line().board().is_over());
        passes += usize::from(game.line().moves().contains(&Move::Pass));
        other += usize::from(!game.line().is_from_start());
        let mut notes = (0..game.line().moves().len()).map(|at| game.note(at));
        noted += usize::from(notes.any(|note| *note != Note::NONE));
    }
    assert!(
        over > 60 && passes > 40 && other > 90 && noted > 200,
        "{over} {passes} {other} {noted}"
    );
}

#[test]
fn an_evaluation_is_blacks_in_sgf_and_the_movers_here() {
    let mut game = Game::new("f5d6".parse().unwrap());
    for index in 0..2 {
        let value = Decimal::new(1.5);
        game.annotate(
            index,
            Note {
                value,
                ..Note::NONE
            },
        );
    }
    let text = write_sgf(&game);
    assert!(text.contains(";B[f5]V[1.5]\n;W[d6]V[-1.5]"), "{text}");
    assert_eq!(read(text)[0].game.note(1).value, Decimal::new(1.5));
}
