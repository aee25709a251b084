//! Records that another program wrote.

use obook_games::{Ending, Reader};
use obook_needs::needs;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::process::Command;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.div_ceil(32),
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    })]

    /// Law (Game records): Every format is read as another program wrote it, with moves, players, results, dates and ends.
    #[needs(python3)]
    #[test]
    fn another_program_writes_the_same_games(seed in any::<u64>()) {
        let folder = tempfile::tempdir().unwrap();
        let done = Command::new("/usr/bin/python3")
            .args(["../../tools/testing/records.py", "othello", &seed.to_string()])
            .arg(folder.path())
            .output()
            .unwrap();
        prop_assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let expected = std::fs::read(folder.path().join("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let files = expected.as_object().unwrap();
        prop_assert!(files.len() >= 6);
        for (file, games) in files {
            let path = folder.path().join(file);
            let mut found = Vec::new();
            for entry in Reader::open(&path, None).unwrap() {
                let entry = entry.unwrap();
                // The heading of a table is no game.
                if file == "g.csv" && entry.place.number == 1 {
                    continue;
                }
                prop_assert_eq!(&entry.faults[..], &[], "{}: {}", entry.place, entry.game.line());
                let game = entry.game;
                let ending = game.ending.map(|ending| match ending {
                    Ending::Resigned => "r",
                    Ending::TimeOut => "t",
                    Ending::Agreed => "s",
                });
                found.push(json!({
                    "line": game.line().to_string(),
                    "black": game.black.name,
                    "white": game.white.name,
                    "date": game.date.year().map(|_| game.date.to_string()),
                    "ending": ending,
                    "score": game.score.map(|score| score.get()),
                }));
            }
            prop_assert_eq!(&Value::Array(found), games, "{}\n{}", file, String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
}
