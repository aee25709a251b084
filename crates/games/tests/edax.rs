//! Records written by Edax are read here, and records written here are read by Edax.

use crate::support::data;
use obook_games::{Entry, Format, Note, Reader, Score};
use obook_othello::{Board, Side};

const FORMATS: [(&str, Format); 5] = [
    ("txt", Format::Transcript),
    ("ggf", Format::Ggf),
    ("sgf", Format::Sgf),
    ("pgn", Format::Pgn),
    ("edx", Format::Edx),
];

/// The only game of a file written by Edax 4.6.
fn saved(name: &str, format: Format) -> Entry {
    let mut reader = Reader::open(data(&format!("edax/{name}")), None).unwrap();
    assert_eq!(reader.format(), format, "{name}");
    let entry = reader.next().unwrap().unwrap();
    assert!(reader.next().is_none());
    entry
}

/// Law (Game records): obook and Edax read each other's games.
/// Also: `edax_reads_what_is_written`
#[test]
fn a_whole_game() {
    let moves = "f5d6c5f4e3c4e6b6d3e2c2f2c3b3d2e1d1f7g4f3g3g6g5c1c6c7e7f8d7h6e8f6h4d8c8h3g8h5b4a5b8b5g1f1b1b2a2a3a1g7h8\
        paa6b7h7a7a8pag2h2h1paa4";
    for (extension, format) in FORMATS {
        let entry = saved(&format!("whole.{extension}"), format);
        assert_eq!(entry.faults, [], "{extension}");
        assert_eq!(entry.game.line().to_string(), moves, "{extension}");
        let has_result = !matches!(format, Format::Transcript | Format::Edx);
        assert_eq!(
            entry.game.score,
            Score::new(56).filter(|_| has_result),
            "{extension}"
        );
        assert_eq!(entry.game.black.name, None);
        assert_eq!(entry.game.comment, None);
        let mut notes = (0..entry.game.line().moves().len()).map(|at| entry.game.note(at));
        assert!(notes.all(|note| *note == Note::NONE));
    }
}

#[test]
fn a_game_that_continues_after_a_pass() {
    for (extension, format) in FORMATS {
        let entry = saved(&format!("pass.{extension}"), format);
        assert_eq!(
            entry.game.line().to_string(),
            "f5f6d3g5h5h4f7h6pae7",
            "{extension}"
        );
        assert_eq!(entry.game.score, None);
        assert_eq!(entry.faults, [], "it is unfinished");
    }
}

/// Edax keeps the position in three of its five formats.
#[test]
fn a_game_that_white_begins() {
    for (extension, format) in FORMATS {
        let entry = saved(&format!("white.{extension}"), format);
        assert_eq!(entry.game.line().moves().len(), 2, "{extension}");
        assert_eq!(entry.game.line().start(), Board::START);
        let keeps_it = !matches!(format, Format::Transcript | Format::Pgn);
        let first = if keeps_it { Side::White } else { Side::Black };
        assert_eq!(entry.game.first(), first, "{extension}");
    }
}

/// Edax reads the games written here, and has the same moves.
#[cfg(unix)]
#[obook_needs::needs(engine_kit)]
#[test]
fn edax_reads_what_is_written() {
    use obook_games::{Decimal, Game, Note, Player, write_ggf, write_sgf, write_transcript};
    use obook_othello::Move;
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let kit = std::env::var_os("OBOOK_ENGINE_KIT").expect("the test is ignored without it");
    let kit = std::path::PathBuf::from(kit);
    let folder = tempfile::tempdir().unwrap();
    let whole = saved("whole.txt", Format::Transcript).game;
    let mut game = Game::new(whole.line().clone());
    let player = |name: &str| Player {
        name: Some(name.to_owned()),
        rating: Decimal::new(1800.5),
        clock: "05:00//02:00".parse().ok(),
    };
    (game.black, game.white) = (player("north"), player("south"));
    game.tournament = Some("Open".to_owned());
    game.site = Some("Here".to_owned());
    game.date = "2020-02-29".parse().unwrap();
    game.score = Score::new(56);
    game.comment = Some("a game".to_owned());
    for index in 0..game.line().moves().len() {
        game.annotate(
            index,
            Note {
                value: Decimal::new(1.5),
                time: Some(Duration::from_millis(1500)),
                comment: (index == 3).then(|| "a remark".to_owned()),
            },
        );
    }
    let mut engine = Command::new(kit.join("edax/edax"))
        .args([
            "-n",
            "1",
            "-q",
            "-mode",
            "3",
            "-h",
            "16",
            "-book-usage",
            "off",
        ])
        .current_dir(kit.join("edax"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut console = engine.stdin.take().unwrap();
    for (extension, text) in [
        ("ggf", write_ggf(&game)),
        ("sgf", write_sgf(&game)),
        ("txt", write_transcript(&game)),
    ] {
        let written = folder.path().join(format!("ours.{extension}"));
        fs::write(&written, text + "\n").unwrap();
        let saved = folder.path().join(format!("{extension}.ggf"));
        writeln!(
            console,
            "init\nload {}\nsave {}",
            written.display(),
            saved.display()
        )
        .unwrap();
        console.flush().unwrap();
        let begun = Instant::now();
        let entry = loop {
            // The file may not be complete yet.
            let read = Reader::open(&saved, None)
                .ok()
                .and_then(|mut games| games.next()?.ok());
            if let Some(entry) = read {
                break entry;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "Edax saves nothing"
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        // Edax reads no passes from SGF files, not even its own.
        let moves = game.line().moves();
        let first_pass = moves.iter().position(|mv| *mv == Move::Pass).unwrap();
        let read = if extension == "sgf" {
            first_pass
        } else {
            moves.len()
        };
        assert_eq!(entry.game.line(), &game.line().prefix(read), "{extension}");
    }
    writeln!(console, "quit").unwrap();
    drop(console);
    engine.wait().unwrap();
}
