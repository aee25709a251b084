//! Forty years of tournament games.

use crate::support::{archive, archive_files};
use obook_games::wthor::{self, List, ListKind, Names};
use obook_games::{Fault, Format, Game, Reader, write_ggf, write_sgf, write_transcript};
use obook_needs::needs;
use std::fs;
use std::io::Cursor;

/// All games are legal, and no result contradicts the discs. The numbers were counted with an independent reader.
#[needs(archive)]
/// Law (Game records): Forty years of tournament games are read, and their WTHOR files reproduced byte for byte.
/// Also: `files_survive_a_round_trip`
#[test]
fn every_game_is_read() {
    let (mut games, mut moves, mut early) = (0, 0, 0);
    for file in archive_files() {
        let reader = Reader::open(&file, None).unwrap();
        assert_eq!(reader.format(), Format::Wthor);
        for entry in reader {
            let entry = entry.unwrap();
            games += 1;
            moves += entry.game.line().ply();
            for fault in &entry.faults {
                let ends_early = matches!(fault, Fault::EndsEarly { .. });
                assert!(ends_early, "{}: {fault}", entry.place);
                early += 1;
            }
            assert!(entry.game.tournament.is_some() && entry.game.theoretical.is_some());
        }
    }
    assert_eq!((games, moves, early), (124_326, 7_440_261, 413));
}

/// The games in a file.
fn games(file: &std::path::Path) -> Vec<Game> {
    let reader = Reader::open(file, None).unwrap();
    reader.map(|entry| entry.unwrap().game).collect()
}

#[needs(archive)]
#[test]
fn files_survive_a_round_trip() {
    let (players, tournaments) = (archive().join("WTH.JOU"), archive().join("WTH.TRN"));
    let list = |kind, file: &_| List::read(kind, fs::File::open(file).unwrap()).unwrap();
    let mut names = Names {
        players: Some(list(ListKind::Players, &players)),
        tournaments: Some(list(ListKind::Tournaments, &tournaments)),
    };
    let (made_players, made_tournaments) = (
        names.players.as_ref().unwrap().made(),
        names.tournaments.as_ref().unwrap().made(),
    );
    for file in archive_files() {
        let bytes = fs::read(&file).unwrap();
        let header = *wthor::Reader::new(&bytes[..], Names::default(), None)
            .unwrap()
            .header();
        let mut writer = wthor::Writer::new(names, Some(header.year));
        for game in games(&file) {
            writer.write(&game).unwrap();
        }
        let (written, after) = writer.finish(header.date());
        assert!(written == bytes, "{}", file.display());
        names = after;
    }
    let written = names.players.unwrap().encode(made_players);
    assert!(written == fs::read(players).unwrap());
    let written = names.tournaments.unwrap().encode(made_tournaments);
    assert!(written == fs::read(tournaments).unwrap());
}

/// The games of every fourth year; of all years with `OBOOK_LONG` in the environment.
#[needs(archive)]
#[test]
fn every_game_comes_back_from_every_text() {
    let is_long = std::env::var_os("OBOOK_LONG").is_some();
    for file in archive_files()
        .into_iter()
        .step_by(if is_long { 1 } else { 4 })
    {
        // No text format has room for this.
        let games: Vec<Game> = games(&file)
            .into_iter()
            .map(|mut game| {
                game.theoretical = None;
                game
            })
            .collect();
        let writers = [write_ggf, write_sgf, write_transcript];
        for (write, has_players) in writers.into_iter().zip([true, true, false]) {
            let text: String = games.iter().map(|game| write(game) + "\n").collect();
            let mut again = Reader::new(Cursor::new(text), None, None).unwrap();
            for game in &games {
                let read = again.next().unwrap().unwrap().game;
                match has_players {
                    true => assert_eq!(&read, game),
                    false => assert_eq!((read.line(), read.score), (game.line(), game.score)),
                }
            }
            assert!(again.next().is_none());
        }
    }
}
