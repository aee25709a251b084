//! The format of files of games may be given wherever they are read, and overrules what they look like.

use crate::support::program::{arg, obook};
use std::fs;
use std::path::Path;

/// Commands that read GAMES, of Othello and of shogi. They may create NEW.
const READ_GAMES: [&[&str]; 2] = [
    &[
        "games import GAMES --book NEW --format FORMAT",
        "check GAMES --no-book --level 1 --exact 1 --format FORMAT",
        "extract GAMES --book NEW --min-games 1 --format FORMAT",
        "rate compare GAMES --since 2001 --format FORMAT",
        "repertoire BOOK rose --games GAMES --games-format FORMAT",
        "learn NEW --recipe store --level 1 --dry-run --games GAMES --games-format FORMAT",
    ],
    &[
        "shogi games import GAMES --book NEW --format FORMAT",
        "shogi games verify GAMES --format FORMAT",
        "shogi extract GAMES --book NEW --min-games 1 --format FORMAT",
        "shogi fit GAMES --format FORMAT",
        "shogi learn NEW --engine usi:true --recipe played --games GAMES --games-format FORMAT",
    ],
];

/// The answer and messages of a command, with a format for the games or without.
fn said(line: &str, games: &Path, format: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.obook");
    let line = match format {
        Some(_) => line,
        None => line.rsplit_once(" --").unwrap().0,
    };
    let words = line.split(' ').map(|word| match word {
        "GAMES" => arg(games),
        "NEW" => arg(&new),
        "BOOK" => "../examples/games.dat",
        "FORMAT" => format.unwrap(),
        word => word,
    });
    let output = obook(words);
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_ne!(output.status.code(), Some(2), "{line}: {said:?}");
    said.concat().replace(arg(folder.path()), "")
}

#[test]
fn a_format_that_is_given_overrules_what_files_look_like() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing tells that these are games of Othello.
    let othello = folder.path().join("club.txt");
    let record = "(;GM[Othello]PB[rose]PW[lily]DT[2000.01.01]RE[+4]TY[8]\
                  BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)";
    fs::write(&othello, format!("The games of our club\n{record}\n")).unwrap();
    for line in READ_GAMES[0] {
        const UNKNOWN: &str = "no game record begins like this";
        let [unknown, known] = [None, Some("ggf")].map(|format| said(line, &othello, format));
        assert!(unknown.contains(UNKNOWN), "{line}: {unknown}");
        assert!(!known.contains(UNKNOWN), "{line}: {known}");
    }
    // A game in one format isn't one in another.
    let shogi = folder.path().join("game.kif");
    let moves = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
    fs::write(&shogi, format!("先手：Rose\n{moves}")).unwrap();
    for line in READ_GAMES[1] {
        let [as_it_looks, same, other] =
            [None, Some("kif"), Some("csa")].map(|format| said(line, &shogi, format));
        assert_eq!(as_it_looks, same, "{line}");
        assert_ne!(as_it_looks, other, "{line}");
    }
}

/// Every command that takes files of games is tried above.
#[test]
fn every_command_that_reads_games_is_tried() {
    let page = fs::read_to_string("../docs/commands.md").unwrap();
    let mut number = 0;
    for line in page.lines() {
        let Some((usage, rest)) = line
            .strip_prefix("- `obook ")
            .and_then(|line| line.split_once('`'))
        else {
            continue;
        };
        let takes_games = usage.ends_with("GAMES...") || usage.contains("games import");
        // `shogi match` has a number of games.
        if !takes_games && (!rest.contains("`--games`") || usage.contains("match")) {
            continue;
        }
        let is_of_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
        let name: Vec<&str> = usage.split(' ').take_while(is_of_name).collect();
        let name = name.join(" ");
        assert!(
            READ_GAMES
                .concat()
                .iter()
                .any(|tried| tried.starts_with(&name)),
            "{name}"
        );
        number += 1;
    }
    assert_eq!(number, 10);
}
