//! Many files at once: folders, archives and pipes.

use crate::support::program::{arg, zip};
use obook_shogi::games::{Format as ShogiFormat, Game as ShogiGame};
use proptest::prelude::*;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a game with these moves and Black's name.
type Write = fn(&str, &str) -> String;

/// The ways to write a game of Othello, each with an extension.
const OTHELLO: [(&str, Write); 5] = [
    ("txt", |moves, _| format!("{moves}\n")),
    ("ggf", |moves, name| {
        let moves = squares(moves).into_iter().zip(["B", "W"].iter().cycle());
        let moves: String = moves.map(|(mv, side)| format!("{side}[{mv}]")).collect();
        format!(
            "(;GM[Othello]PB[{name}]PW[Fern]RB[1700]RE[?]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]{moves};)\n"
        )
    }),
    ("pgn", |moves, name| {
        let [a, b, c] = squares(moves)[..] else {
            panic!("{moves}")
        };
        format!("[Event \"x\"]\n[Black \"{name}\"]\n[White \"Fern\"]\n\n1. {a} {b} 2. {c} *\n\n")
    }),
    ("json", |moves, name| {
        let moves = squares(moves)
            .into_iter()
            .map(|mv| format!("{{\"m\":\"{mv}\"}}"));
        let moves = moves.collect::<Vec<_>>().join(",");
        format!("{{\"players\":[{{\"name\":\"{name}\"}}],\"position\":{{\"moves\":[{moves}]}}}}\n")
    }),
    ("csv", |_, _| "1,1,e6f4e3f6g5d6e7f5c5\n".to_owned()),
];

/// The moves one by one.
fn squares(moves: &str) -> Vec<&str> {
    (0..moves.len())
        .step_by(2)
        .map(|at| &moves[at..at + 2])
        .collect()
}

const OPENINGS: [&str; 4] = ["f5d6c3", "f5f6e6", "c4c3d3", "e6f4e3"];

fn run(words: &[&str], input: Option<&Path>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_obook"));
    program.args(words);
    if let Some(input) = input {
        program.stdin(File::open(input).unwrap());
    }
    program.output().unwrap()
}

/// The words of a command for a game.
fn of_game<'a>(shogi: bool, words: &[&'a str]) -> Vec<&'a str> {
    let game: &[&str] = if shogi { &["shogi"] } else { &[] };
    [game, words].concat()
}

/// Everything that a database says about its games, in the order of the texts.
fn contents(shogi: bool, book: &Path) -> Vec<String> {
    let format = if shogi { "jkf" } else { "ggf" };
    let words = of_game(
        shogi,
        &["games", "export", arg(book), "-", "--format", format],
    );
    let done = run(&words, None);
    assert!(done.status.success(), "{done:?}");
    let text = String::from_utf8(done.stdout).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn import(shogi: bool, files: &[PathBuf], book: &Path) -> Output {
    let mut words = of_game(shogi, &["games", "import", "--book", arg(book)]);
    words.extend(files.iter().map(|file| arg(file)));
    run(&words, None)
}

/// The text of a file: games of which some come in other files, too.
fn text_of(shogi: bool, format: usize, games: &[usize]) -> (String, String) {
    if !shogi {
        let (extension, write) = OTHELLO[format % OTHELLO.len()];
        let texts = games
            .iter()
            .map(|game| write(OPENINGS[game % OPENINGS.len()], ["Rose", "Iris"][game % 2]));
        return (extension.to_owned(), texts.collect());
    }
    let format = ShogiFormat::ALL[format % ShogiFormat::ALL.len()];
    let texts = (0..).zip(games).map(|(number, game)| {
        let mut made = ShogiGame::default();
        for mv in ["7g7f 3c3d", "2g2f 8c8d", "7g7f 8c8d", "2g2f 3c3d"][game % 4].split(' ') {
            made.play(mv.parse().unwrap()).unwrap();
        }
        made.black = (game % 2 == 0).then(|| "Rose".to_owned());
        format.write(&made, number > 0)
    });
    (format.name().to_owned(), texts.collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.div_ceil(64),
        failure_persistence: None,
        max_shrink_iters: 20,
        ..ProptestConfig::default()
    })]

    /// Law (Game records): A folder or an archive, also on standard input, is its files in any order, in both games; unreadable
    /// files are named and stop no other.
    /// Also: `cli/tests/program/games.rs` `a_bad_file_stops_no_other` `crates/base/src/source.rs`
    /// `an_archive_is_a_folder_of_its_files` `crates/shogi/tests/database/games.rs` `a_bad_file_stops_no_other`
    #[test]
    fn a_folder_is_its_files_in_any_order(
        shogi in any::<bool>(),
        (files, order) in prop::collection::vec((any::<usize>(), prop::collection::vec(0usize..8, 1..4), any::<bool>()), 1..7)
            .prop_flat_map(|files| { let order = (0..files.len()).collect::<Vec<_>>(); (Just(files), Just(order).prop_shuffle()) }),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().join("all");
        let mut paths = Vec::new();
        for (number, (format, games, is_deep)) in files.iter().enumerate() {
            let (extension, text) = text_of(shogi, *format, games);
            let inside = if *is_deep { all.join("deep/er") } else { all.clone() };
            fs::create_dir_all(&inside).unwrap();
            paths.push(inside.join(format!("{number}.{extension}")));
            fs::write(paths.last().unwrap(), text).unwrap();
        }
        let shuffled: Vec<PathBuf> = order.iter().map(|at| paths[*at].clone()).collect();
        let book = |name: &str| folder.path().join(name);
        let (one, single) = (book("one.obook"), book("single.obook"));
        let done = import(shogi, std::slice::from_ref(&all), &one);
        prop_assert!(done.status.success(), "{done:?}");
        for file in &shuffled {
            prop_assert!(import(shogi, std::slice::from_ref(file), &single).status.success());
        }
        let expected = contents(shogi, &one);
        prop_assert!(!expected.is_empty());
        prop_assert_eq!(&contents(shogi, &single), &expected);
        let archive = book("all.zip");
        fs::write(&archive, zip(&all)).unwrap();
        let piped = book("piped.obook");
        let words = of_game(shogi, &["games", "import", "-", "--book", arg(&piped)]);
        let done = run(&words, Some(&archive));
        prop_assert!(done.status.success(), "{done:?}");
        prop_assert_eq!(&contents(shogi, &piped), &expected);
        // Among files that can't be read, with all in one command.
        let bad = folder.path().join("bad");
        fs::write(&bad, "hello there\n").unwrap();
        let together = book("together.obook");
        let done = import(shogi, &[&shuffled[..], &[bad, archive]].concat(), &together);
        prop_assert_eq!(done.status.code(), Some(1));
        prop_assert_eq!(&contents(shogi, &together), &expected);
    }
}

/// Law (Game records): A report on hundreds of files fits a screen, however many are faulty.
#[test]
fn a_report_on_hundreds_of_files_fits_a_screen() {
    const SCREEN: usize = 24;
    let folder = tempfile::tempdir().unwrap();
    for shogi in [false, true] {
        let all = folder.path().join(format!("all {shogi}"));
        fs::create_dir_all(all.join("deep")).unwrap();
        for number in 0..300 {
            let inside = if number % 7 == 0 {
                all.join("deep")
            } else {
                all.clone()
            };
            let (extension, text) = text_of(shogi, number, &[number]);
            // A third is no record, a third has a fault, and the others are right; some are compressed.
            let text = match (number / 5) % 3 {
                0 => "hello there\n".to_owned(),
                1 if shogi => "手合割：平手\n1 ７六歩(77)\n2 ３五歩(33)\n".to_owned(),
                1 => "f5d6c3 f5\n".to_owned(),
                _ => text,
            };
            let path = inside.join(format!("{number}.{extension}"));
            match number % 10 {
                0 => {
                    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
                    fs::write(path.with_extension("zst"), packed).unwrap();
                }
                _ => fs::write(path, text).unwrap(),
            }
        }
        if !shogi {
            // Years without the lists of their players.
            for year in 0..9 {
                fs::copy("../examples/levels.wtb", all.join(format!("{year}.wtb"))).unwrap();
            }
        }
        let book = folder.path().join(format!("{shogi}.obook"));
        for is_first in [true, false] {
            let done = import(shogi, std::slice::from_ref(&all), &book);
            let lines = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().lines().count();
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&done.stderr),
                String::from_utf8_lossy(&done.stdout)
            );
            assert_eq!(done.status.code(), Some(1), "{said}");
            assert!(
                lines(&done.stdout) + lines(&done.stderr) <= SCREEN,
                "{said}"
            );
            assert!(
                said.matches("no game record begins like this").count() <= 1,
                "{said}"
            );
            assert!(said.contains("100 files can't be read"), "{said}");
            assert!(
                said.contains("100 faulty records")
                    || said.contains("100 games have faulty records"),
                "{said}"
            );
            assert!(is_first || said.contains("already there"), "{said}");
        }
        let again = folder.path().join(format!("again {shogi}.obook"));
        let words = of_game(
            shogi,
            &[
                "games",
                "import",
                arg(&all),
                "--book",
                arg(&again),
                "--json",
            ],
        );
        let report: Value = serde_json::from_slice(&run(&words, None).stdout).unwrap();
        assert_eq!(report["unread"], 100);
        assert_eq!(report["faults"].as_array().unwrap().len(), 200);
        // Other commands read the same files, and say no more.
        let extracted = folder.path().join("extracted.obook");
        let words = match shogi {
            true => vec!["shogi", "games", "verify", arg(&all)],
            false => vec!["extract", arg(&all), "--book", arg(&extracted)],
        };
        let done = run(&words, None);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.lines().count() <= SCREEN, "{said}");
    }
}

/// A book in an archive is read from standard input, too; an archive of several files is none.
#[test]
fn an_archive_on_standard_input_stands_for_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inside = at("inside");
    fs::create_dir(&inside).unwrap();
    fs::copy("../examples/games.dat", inside.join("games.dat")).unwrap();
    let archive = at("book.zip");
    fs::write(&archive, zip(&inside)).unwrap();
    let [one, other] = ["one.egbk3", "other.egbk3"].map(at);
    let done = run(&["convert", "-", arg(&one)], Some(&archive));
    assert!(done.status.success(), "{done:?}");
    assert!(
        run(&["convert", "../examples/games.dat", arg(&other)], None)
            .status
            .success()
    );
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    fs::write(inside.join("more.txt"), "f5d6c3\n").unwrap();
    fs::write(&archive, zip(&inside)).unwrap();
    let done = run(&["convert", "-", arg(&at("x.egbk3"))], Some(&archive));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        said.contains("standard input: can't read: an archive of 2 files"),
        "{said}"
    );
    // A cut archive is named.
    let bytes = fs::read(&archive).unwrap();
    fs::write(&archive, &bytes[..bytes.len() / 2]).unwrap();
    let done = run(
        &["games", "import", "-", "--book", arg(&at("x.obook"))],
        Some(&archive),
    );
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        said.contains("not a .zip archive, or a damaged one"),
        "{said}"
    );
}
