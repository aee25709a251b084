//! Records that another program reads and writes.

use obook_needs::needs;
use obook_shogi::Colour;
use obook_shogi::games::{End, Format, Game, decode, records};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// A game of random moves, with names of every kind of letters.
fn any_game() -> impl Strategy<Value = Game> {
    let name = || prop::sample::select(vec!["Rose", "藤 太郎", "Iris Fern", "ﾊﾅｺ"]);
    let end = prop::sample::select(vec![
        End::Resigned,
        End::TimeOut,
        End::BrokenOff,
        End::Impasse,
        End::Declared,
    ]);
    let choices = prop::collection::vec(any::<u16>(), 1..200);
    (
        choices,
        [name(), name(), name()],
        1900..2027u16,
        1..13u8,
        1..29u8,
        end,
    )
        .prop_map(|(choices, names, year, month, day, end)| {
            let mut game = Game::default();
            for choice in choices {
                let mut moves: Vec<_> = game.board().legal_moves().into_iter().collect();
                // Drops and captures are rare otherwise.
                if choice % 4 == 0 && moves.iter().any(|mv| game.board().piece(mv.to()).is_some()) {
                    moves.retain(|mv| game.board().piece(mv.to()).is_some());
                }
                match moves.len() {
                    0 => break,
                    len => game.play(moves[usize::from(choice) % len]).unwrap(),
                }
            }
            let [black, white, event] = names.map(|name| Some(name.to_owned()));
            (game.black, game.white, game.event) = (black, white, event);
            game.date = Some(format!("{year}-{month:02}-{day:02}"));
            game.end(end);
            game
        })
}

fn moves(game: &Game) -> Vec<String> {
    game.moves().iter().map(ToString::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.div_ceil(32),
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    })]

    /// Law (Shogi): Another program reads obook's CSA, KIF, USI and JKF, and obook reads its records in these and KI2: moves,
    /// players, dates and ends are the same.
    #[needs(python3)]
    #[test]
    fn another_program_reads_and_writes_the_same_games(games in prop::collection::vec(any_game(), 1..5), seed in any::<u64>()) {
        // Such an end contradicts a repetition.
        let is_sound = |game: &Game| records(&Format::Csa.write(game, false)).unwrap().all(|record| record.faults.is_empty());
        let games: Vec<Game> = games.into_iter().filter(is_sound).collect();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for format in Format::ALL {
            let texts = (0..).zip(&games).map(|(number, game)| format.write(game, number > 0));
            fs::write(at(&format!("games.{}", format.name())), texts.collect::<String>()).unwrap();
        }
        let told = |game: &Game| json!({
            "moves": moves(game), "black": game.black, "white": game.white, "event": game.event, "date": game.date,
            "end": game.end.map(End::name),
        });
        let all: Vec<Value> = games.iter().map(told).collect();
        fs::write(at("games.json"), json!(all).to_string()).unwrap();
        let done = Command::new("/usr/bin/python3")
            .args(["../../tools/testing/records.py", "shogi", &seed.to_string()])
            .arg(folder.path())
            .output()
            .unwrap();
        prop_assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let written: Value = serde_json::from_slice(&fs::read(at("written.json")).unwrap()).unwrap();
        let files = written.as_object().unwrap();
        prop_assert_eq!(files.len(), 5);
        for (file, numbers) in files {
            let bytes = fs::read(at(file)).unwrap();
            let text = decode(&bytes);
            let numbers: Vec<usize> = serde_json::from_value(numbers.clone()).unwrap();
            // Of moves without origin, the program may not find the words.
            prop_assert!(numbers.len() == games.len() || file == "p.ki2");
            let found: Vec<_> = match numbers.is_empty() {
                true => Vec::new(),
                false => records(&text).unwrap().collect(),
            };
            prop_assert_eq!(found.len(), numbers.len(), "{}\n{}", file, text);
            for (record, number) in found.iter().zip(numbers) {
                let game = &games[number];
                prop_assert_eq!(&record.faults[..], &[], "{}\n{}", file, text);
                prop_assert_eq!(moves(&record.game), moves(game), "{}\n{}", file, text);
                if file != "p.usi" {
                    let found = told(&record.game);
                    prop_assert_eq!(found, told(game), "{}\n{}", file, text);
                    prop_assert_eq!(record.game.outcome, game.outcome);
                }
            }
        }
    }
}

/// The games of the test above have what it is about.
#[test]
fn the_games_are_worth_comparing() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let games: Vec<Game> = (0..40)
        .map(|_| any_game().new_tree(&mut runner).unwrap().current())
        .collect();
    let has = |wanted: &dyn Fn(&str) -> bool| games.iter().flat_map(moves).any(|mv| wanted(&mv));
    assert!(has(&|mv| mv.contains('*')) && has(&|mv| mv.ends_with('+')));
    assert!(
        games
            .iter()
            .any(|game| game.outcome == Some(obook_shogi::games::Outcome::Won(Colour::White)))
    );
    assert!(games.iter().any(|game| game.moves().len() > 100));
}
