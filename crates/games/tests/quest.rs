//! Othello Quest's games.

use obook_games::{Clock, Ending, Entry, Format, Reader};
use std::time::Duration;

fn entries(text: &str) -> Vec<Entry> {
    let reader = Reader::new(std::io::Cursor::new(text.to_owned()), None, None).unwrap();
    assert_eq!(reader.format(), Format::Quest, "{text}");
    reader.collect::<Result<_, _>>().unwrap()
}

/// A game with this end of the list of moves.
fn detail(moves: &str) -> String {
    format!(
        r#"{{"id":"0x1","gtype":"reversi","tcb":300000,"created":"2026-05-01T10:20:30.135Z",
            "players":[{{"id":"rose","name":"Rose \"{{\" ","oldR":1820.485,"newR":1830}},{{"id":"fern"}}],
            "position":{{"moves":[{moves}]}},"finished":true}}"#
    )
}

/// Law (Game records): Othello Quest's games are read with players, ratings, times and ends, alone, in lists and in messages.
#[test]
fn games_of_its_server_are_read() {
    let resigned = detail(r#"{"m":"f5","t":1500},{"m":"d6"},{"s":"LOSE:RESIGN","t":4000}"#);
    let timed_out = detail(r#"{"m":"F5"},{"s":"LOSE:TIMEUP"}"#);
    let won = detail(r#"{"m":"f5"},{"s":"WIN:DISCONNECT"}"#);
    let open = detail(r#"{"m":"f5"},{"m":"f6"}"#);
    let passes = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
        .map(|mv| format!(r#"{{"m":"{mv}"}}"#));
    let finished = detail(
        &passes
            .join(",")
            .replace(r#""c5""#, r#""c5","s":"SCORE:13""#),
    );
    let message = format!(r#"{{"name":"ba276087","args":[{resigned},{timed_out}]}}"#);
    let list = format!("[{won},\n{open}]\n{finished}\n");
    let found = entries(&(message + &list));
    let seen: Vec<_> = found
        .iter()
        .map(|Entry { game, faults, .. }| {
            assert_eq!(faults, &[]);
            (
                game.line().to_string(),
                game.score.map(|score| score.get()),
                game.ending,
            )
        })
        .collect();
    let expected = [
        ("f5d6", Some(-64), Some(Ending::Resigned)),
        ("f5", Some(64), Some(Ending::TimeOut)),
        ("f5", Some(-64), Some(Ending::TimeOut)),
        ("f5f6", None, None),
        ("e6f4e3f6g5d6e7f5c5", Some(64), None),
    ];
    assert_eq!(
        seen,
        expected.map(|(line, score, ending)| (line.to_owned(), score, ending))
    );
    let game = &found[0].game;
    assert_eq!(game.black.name.as_deref(), Some("Rose \"{\""));
    assert_eq!(game.white.name.as_deref(), Some("fern"));
    assert_eq!(game.black.rating, "1820.485".parse().ok());
    assert_eq!(game.white.clock, "5:00".parse::<Clock>().ok());
    assert_eq!(
        (game.date.to_string().as_str(), game.time.as_deref()),
        ("2026-05-01", Some("10:20:30.UTC"))
    );
    assert_eq!(game.note(0).time, Some(Duration::from_millis(1500)));
    assert_eq!(found[3].place.line, Some(8));
}

/// Passes are written or not, and what is wrong is told.
#[test]
fn faults_of_its_games_are_told() {
    // White must pass after move 8.
    let line: obook_othello::Line = "f5f6d3g5h5h4f7h6e7".parse().unwrap();
    let with = line.moves().iter().map(|mv| match mv.to_string() {
        pass if pass == "pa" => r#"{"m":"-"}"#.to_owned(),
        mv => format!(r#"{{"m":"{mv}"}}"#),
    });
    let with: Vec<String> = with.collect();
    let without = with
        .iter()
        .filter(|mv| !mv.contains('-'))
        .cloned()
        .collect::<Vec<_>>();
    assert!(without.len() < with.len());
    for moves in [with, without] {
        let found = entries(&detail(&moves.join(",")));
        assert_eq!(
            (found[0].game.line(), &found[0].faults[..]),
            (&line, &[][..])
        );
    }
    for (text, moves, fault) in [
        (
            detail(r#"{"m":"f5"},{"m":"f5"}"#),
            "f5",
            "move 2, f5, is not legal after f5",
        ),
        (
            detail(r#"{"m":"z9"}"#),
            "",
            "move 1 is “z9”: expected a square such as f5, or -",
        ),
        (detail("").replace("2026-05", "2026-15"), "", "created"),
        (r#"{"players":x}"#.to_owned(), "", "the object"),
    ] {
        let found = entries(&text);
        let said = found[0].faults[0].to_string();
        assert!(said.contains(fault), "{said}");
        assert_eq!(found[0].game.line().to_string(), moves);
    }
}
