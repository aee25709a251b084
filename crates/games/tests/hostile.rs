//! Files that are truncated, damaged or malicious.

use crate::support::{data, few_games};
use obook_games::{Entry, Error, ErrorKind, Fault, Format, Reader};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{Cursor, Read};

/// Reads all games, up to the first error.
fn read_as(bytes: Vec<u8>, format: Format) -> (Vec<Entry>, Option<Error>) {
    let mut entries = Vec::new();
    let reader = match Reader::new(Cursor::new(bytes), None, Some(format)) {
        Ok(reader) => reader,
        Err(error) => return (entries, Some(error)),
    };
    for entry in reader {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) => return (entries, Some(error)),
        }
    }
    (entries, None)
}

/// A small file of each format.
fn samples() -> Vec<(Format, Vec<u8>)> {
    let edax = |extension: &str| std::fs::read(data(&format!("edax/whole.{extension}"))).unwrap();
    vec![
        (Format::Wthor, few_games()),
        (Format::Ggf, edax("ggf")),
        (Format::Sgf, edax("sgf")),
        (Format::Pgn, edax("pgn")),
        (Format::Transcript, edax("txt")),
        (
            Format::Quest,
            br#"[{"players":[{"name":"a","oldR":1.5}],"tcb":1,"created":"2020-01-01T00:00:00Z",
                "position":{"moves":[{"m":"f5","t":1},{"m":"d6"},{"s":"LOSE:RESIGN"}]}}]"#
                .to_vec(),
        ),
        (Format::Edx, edax("edx")),
    ]
}

/// Checks faults, texts and errors: they are bounded and free of control characters.
fn check(entries: &[Entry], error: Option<&Error>) {
    for entry in entries {
        assert!(entry.faults.len() <= 17);
        for fault in &entry.faults {
            let text = fault.to_string();
            assert!(
                text.len() < 2000 && !text.contains(|c: char| c.is_control()),
                "{text:?}"
            );
        }
        let names = [
            &entry.game.black.name,
            &entry.game.tournament,
            &entry.game.time,
        ];
        for name in names.into_iter().flatten() {
            assert!(!name.contains(|c: char| c.is_control()), "{name:?}");
        }
    }
    if let Some(error) = error {
        let text = error.to_string();
        assert!(!text.contains(|c: char| c.is_control()), "{text:?}");
    }
}

proptest! {
    /// Law (Game records): No bytes cause a panic; games are read as far as they are legal, and faults reported.
    /// Also: `any_text_is_read_or_refused` `damaged_files_are_read_as_far_as_they_go` `cli/tests/fuzzed/replay.rs`
    /// `games`
    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..600)) {
        for format in Format::ALL {
            let (entries, error) = read_as(bytes.clone(), format);
            check(&entries, error.as_ref());
        }
        if let Ok(reader) = Reader::new(Cursor::new(bytes), None, None) {
            reader.for_each(drop);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in r"[\[\]();BWACEGMOPRTVa-h1-8 \\\n/+.:#{}*-]{0,300}") {
        for format in Format::ALL {
            let (entries, error) = read_as(text.clone().into_bytes(), format);
            check(&entries, error.as_ref());
        }
    }

    #[test]
    fn damaged_files_are_read_as_far_as_they_go(
        which in 0usize..6,
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let (format, mut bytes) = samples().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let (entries, error) = read_as(bytes, format);
        check(&entries, error.as_ref());
    }
}

#[test]
fn a_tree_that_is_cut_off_says_where_it_begins() {
    for (format, bytes) in samples() {
        if !matches!(format, Format::Ggf | Format::Sgf) {
            continue;
        }
        let two = [&bytes[..], &bytes[..]].concat();
        let whole = bytes.len()
            - bytes
                .iter()
                .rev()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
        for len in bytes.len() + 2..bytes.len() + whole {
            let (entries, error) = read_as(two[..len].to_vec(), format);
            assert_eq!(entries.len(), 1);
            let error = error.unwrap();
            assert!(matches!(error.kind(), ErrorKind::Unfinished { .. }));
            let place = error.place().unwrap();
            assert_eq!((place.number, place.offset), (2, bytes.len() as u64));
        }
    }
}

#[test]
fn a_record_of_edax_that_is_cut_off_says_where() {
    let (format, bytes) = samples().pop().unwrap();
    let (entries, error) = read_as([&bytes[..], &bytes[..100]].concat(), format);
    assert_eq!(entries.len(), 1);
    let error = error.unwrap();
    assert!(matches!(
        error.kind(),
        ErrorKind::Truncated {
            found: 100,
            expected: 160
        }
    ));
    assert_eq!(error.place().map(|place| place.offset), Some(160));
}

/// Law (Game records): No game takes unbounded memory; of many faults, only the first are reported.
/// Also: `only_the_first_faults_are_reported`
#[test]
fn a_game_without_an_end_is_refused_before_it_fills_the_memory() {
    for (format, begin) in [
        (Format::Ggf, "(;GM[Othello]C["),
        (Format::Sgf, "(;GM[2]C["),
        (Format::Sgf, "("),
        (Format::Pgn, "[Event \"x\"]\n{"),
        (Format::Transcript, "f5"),
    ] {
        let endless = begin.as_bytes().chain(std::io::repeat(b' '));
        let mut reader = Reader::new(endless, None, Some(format)).unwrap();
        let error = reader.next().unwrap().unwrap_err();
        let ErrorKind::TooLong { limit, .. } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(*limit, 1 << 20);
        assert!(reader.next().is_none());
    }
}

#[test]
fn only_the_first_faults_are_reported() {
    let text = format!("(;GM[Othello]{};)", "RB[x]".repeat(1000));
    let (entries, _) = read_as(text.into_bytes(), Format::Ggf);
    assert_eq!(entries[0].faults.len(), 17);
    assert_eq!(entries[0].faults[16], Fault::More);
}

#[test]
fn compressed_games_are_found_and_damage_check() {
    for (format, bytes) in samples() {
        let compressed = zstd::encode_all(&bytes[..], 3).unwrap();
        let reader = Reader::new(Cursor::new(compressed.clone()), None, None).unwrap();
        assert_eq!(reader.format(), format);
        let plain = read_as(bytes, format).0;
        let games: Vec<_> = reader.map(|entry| entry.unwrap().game).collect();
        assert_eq!(
            games,
            plain
                .into_iter()
                .map(|entry| entry.game)
                .collect::<Vec<_>>()
        );
        let cut = compressed[..compressed.len() - 1].to_vec();
        let error = match Reader::new(Cursor::new(cut), None, None) {
            Ok(mut reader) => reader.find_map(Result::err),
            Err(error) => Some(error),
        };
        assert!(
            error.unwrap().to_string().contains("damaged or cut off"),
            "{format}"
        );
    }
}

#[test]
fn a_list_of_names_is_no_game() {
    let list = obook_games::wthor::List::new(obook_games::wthor::ListKind::Players);
    let file = list.encode("2020-01-02".parse().unwrap());
    let error = Reader::new(Cursor::new(file), None, None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Names { of: "players" }));
}
