//! WTHOR files.

use crate::support::{few_games, sample};
use obook_games::wthor::{List, ListKind, Names, Reader, Writer};
use obook_games::{Date, Error, ErrorKind, Fault, Game, Score};
use std::fs;
use std::path::Path;

#[test]
fn the_first_game_of_the_sample() {
    let bytes = std::fs::read(sample("wtb")).unwrap();
    let mut games = Reader::new(&bytes[..], Names::default(), None).unwrap();
    let entry = games.next().unwrap().unwrap();
    assert_eq!(entry.faults, []);
    assert_eq!(entry.game.line().ply(), 60);
    assert_eq!(entry.game.date.to_string(), "2026");
    assert_eq!(entry.game.score.map(|score| score.get()), Some(-12));
    let theoretical = entry.game.theoretical.unwrap();
    assert_eq!((theoretical.score.get(), theoretical.empties), (-24, 14));
    assert_eq!((entry.place.number, entry.place.offset), (1, 16));
    assert_eq!(games.count(), 299);
}

/// Law (Game records): Game files that are cut off are reported with the place.
/// Also: `crates/games/tests/hostile.rs` `a_tree_that_is_cut_off_says_where_it_begins`
/// `a_record_of_edax_that_is_cut_off_says_where`
#[test]
fn a_file_cut_off_anywhere_says_where() {
    let bytes = few_games();
    for len in 0..bytes.len() {
        let opened = Reader::new(&bytes[..len], Names::default(), None);
        if len < 16 {
            let error = opened.unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Truncated { found, expected: 16 } if *found == len as u64)
            );
            continue;
        }
        let mut games = opened.unwrap();
        let whole = games.by_ref().take_while(Result::is_ok).count();
        assert_eq!(whole, (len - 16) / 68);
        let mut games = Reader::new(&bytes[..len], Names::default(), None).unwrap();
        let error = games.nth(whole).unwrap().unwrap_err();
        match error.kind() {
            ErrorKind::Truncated {
                found,
                expected: 68,
            } => {
                assert_eq!(*found as usize, (len - 16) % 68);
                let place = error.place().unwrap();
                assert_eq!(place.number as usize, whole + 1);
                assert_eq!(place.offset as usize, 16 + 68 * whole);
            }
            ErrorKind::Count { promised: 8, found } => {
                assert_eq!((*found as usize, (len - 16) % 68), (whole, 0));
            }
            kind => panic!("{kind}"),
        }
        assert!(games.next().is_none());
    }
}

#[test]
fn faults_come_with_their_game() {
    let mut bytes = few_games();
    let second = 16 + 68;
    bytes[second + 6] = 65;
    bytes[second + 8 + 3] = 11;
    bytes[second + 8 + 5] = 99;
    let third = second + 68;
    bytes[third + 8 + 10] = 0;
    let entries: Vec<_> = Reader::new(&bytes[..], Names::default(), None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(entries.len(), 8);
    assert_eq!(entries[1].game.line().ply(), 3);
    assert_eq!(entries[1].game.score, None);
    assert!(matches!(
        entries[1].faults[..],
        [Fault::Illegal(_), Fault::Field { .. }]
    ));
    assert_eq!(entries[1].faults[0].number(), Some(4));
    assert_eq!(entries[2].game.line().ply(), 10);
    assert!(matches!(
        entries[2].faults[..],
        [Fault::NoMove { number: 11, .. }]
    ));
}

/// The file of a list of `???` and these names.
fn list(kind: ListKind, names: &[&str]) -> Vec<u8> {
    let mut game = Game::new("e6f4e3f6g5d6e7f5c5".parse().unwrap());
    let mut writer = Writer::new(Names::default(), None);
    for name in names {
        let name = Some((*name).to_owned());
        match kind {
            ListKind::Players => game.black.name = name,
            ListKind::Tournaments => game.tournament = name,
        }
        writer.write(&game).unwrap();
    }
    let (_, lists) = writer.finish(Date::UNKNOWN);
    let list = match kind {
        ListKind::Players => lists.players,
        ListKind::Tournaments => lists.tournaments,
    };
    list.unwrap().encode(Date::UNKNOWN)
}

/// The players and the tournament of the first game in a file.
fn first(file: &Path) -> [Option<String>; 3] {
    let mut reader = obook_games::Reader::open(file, None).unwrap();
    let entry = reader.next().unwrap().unwrap();
    assert_eq!(entry.faults, []);
    let game = entry.game;
    [game.black.name, game.white.name, game.tournament]
}

#[test]
fn names_lie_beside_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("WTH_2026.WTB");
    // Numbers in short lists: tournament 1, players 1 and 2.
    let mut bytes = few_games();
    bytes.truncate(16 + 68);
    bytes[4] = 1;
    bytes[16..22].copy_from_slice(&[1, 0, 1, 0, 2, 0]);
    fs::write(&games, &bytes).unwrap();
    let known = |names: [&str; 3]| names.map(|name| Some(name.to_owned()));
    assert_eq!(
        first(&games),
        known(["player 1", "player 2", "tournament 1"])
    );

    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("other.jou", &list(ListKind::Players, &["Another", "Third"]));
    let only = known(["Another", "Third", "tournament 1"]);
    assert_eq!(first(&games), only, "the only list");
    put("wthor.Jou", &list(ListKind::Players, &["Zoé", "Max"]));
    put("WTHOR.TRN", &list(ListKind::Tournaments, &["Open"]));
    let federation = known(["Zoé", "Max", "Open"]);
    assert_eq!(first(&games), federation, "the federation's");
    put("wth_2026.jou", &list(ListKind::Players, &["Own", "Other"]));
    let own = known(["Own", "Other", "Open"]);
    assert_eq!(first(&games), own, "the list of the same name");

    let compressed = folder.path().join("x.zst");
    fs::write(&compressed, zstd::encode_all(&bytes[..], 1).unwrap()).unwrap();
    assert_eq!(first(&compressed), federation);

    put("wth_2026.jou", &list(ListKind::Players, &["Own"])[..20]);
    let error = obook_games::Reader::open(&games, None).unwrap_err();
    let ErrorKind::Truncated { found, expected } = error.kind() else {
        panic!("{error}");
    };
    assert_eq!((*found, *expected), (20, 56));
    assert!(error.to_string().contains("wth_2026.jou: "), "{error}");
}

#[test]
fn a_number_without_a_name_is_reported() {
    let players = list(ListKind::Players, &["Zoé"]);
    let names = Names {
        players: Some(List::read(ListKind::Players, &players[..]).unwrap()),
        tournaments: None,
    };
    let mut bytes = few_games();
    bytes[16 + 2..16 + 6].copy_from_slice(&[18, 3, 41, 8]);
    let mut reader = Reader::new(&bytes[..], names, None).unwrap();
    let entry = reader.next().unwrap().unwrap();
    assert_eq!(entry.game.black.name.as_deref(), Some("player 786"));
    let told: Vec<_> = entry.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "player is “786”: expected a number that the list of names has",
            "player is “2089”: expected a number that the list of names has",
        ]
    );
}

#[test]
fn headers_that_are_not_read() {
    let fields = [
        (12, 10, "the size of the board"),
        (14, 61, "the depth of the theoretical scores"),
    ];
    for (at, value, field) in fields {
        let mut bytes = few_games();
        bytes[at] = value;
        let error = Reader::new(&bytes[..], Names::default(), None).unwrap_err();
        let ErrorKind::Header { field: named, .. } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(*named, field);
    }
    let mut bytes = few_games();
    bytes[4] = 7;
    let reader = Reader::new(&bytes[..], Names::default(), None).unwrap();
    let error = reader.last().unwrap().unwrap_err();
    let ErrorKind::Count { promised, found } = error.kind() else {
        panic!("{error}");
    };
    assert_eq!((*promised, *found), (7, 8));
}

/// Law (Game records): A game that a format can't hold is refused without effect.
/// Also: `a_list_of_names_can_be_full`
#[test]
fn what_does_not_fit_is_refused_and_the_writer_unchanged() {
    let mut game = Game::new("f5d6".parse().unwrap());
    let mut writer = Writer::new(Names::default(), Some(1990));
    let refused = |writer: &mut Writer, game: &Game| {
        let error: Error = writer.write(game).unwrap_err();
        match error.kind() {
            ErrorKind::DoesNotFit { what, .. } => *what,
            kind => panic!("{kind}"),
        }
    };
    assert_eq!(refused(&mut writer, &game), "the date");
    game.date = Date::of_year(1990).unwrap();
    assert_eq!(refused(&mut writer, &game), "the result");
    game.score = Score::new(3);
    assert_eq!(refused(&mut writer, &game), "a result");
    game.score = Score::new(4);
    game.white.name = Some("A name of twenty let".to_owned());
    assert_eq!(refused(&mut writer, &game), "a player's name");
    game.white.name = Some("Łukasz".to_owned());
    assert_eq!(refused(&mut writer, &game), "a player's name");
    game.white.name = Some("A name of nineteen!".to_owned());
    game.tournament = Some("A tournament's name: 26 ab".to_owned());
    assert_eq!(refused(&mut writer, &game), "a tournament's name");
    game.tournament = None;
    writer.write(&game).unwrap();
    assert_eq!(writer.games(), 1);
    let (file, names) = writer.finish(Date::UNKNOWN);
    let players = names.players.as_ref().unwrap();
    assert_eq!(players.names(), ["???", "A name of nineteen!"]);
    assert_eq!(names.tournaments.as_ref().unwrap().names(), ["???"]);
    let mut reader = Reader::new(&file[..], names, None).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().game, game);
}

#[test]
fn a_list_of_names_can_be_full() {
    let mut game = Game::new("f5d6".parse().unwrap());
    game.score = Score::new(0);
    let mut writer = Writer::new(Names::default(), None);
    for number in 1..65_535 {
        game.black.name = Some(number.to_string());
        writer.write(&game).unwrap();
    }
    game.black.name = Some("one more".to_owned());
    assert_eq!(
        writer.write(&game).unwrap_err().to_string(),
        "the number of players is 65536: wthor holds 65535 names in a list"
    );
    game.black.name = Some("7".to_owned());
    writer.write(&game).unwrap();
    let (file, names) = writer.finish(Date::UNKNOWN);
    assert_eq!(names.players.as_ref().unwrap().names().len(), 65_535);
    let reader = Reader::new(&file[..], names, None).unwrap();
    let last = reader.last().unwrap().unwrap();
    assert_eq!(last.game.black.name.as_deref(), Some("7"));
}

#[test]
fn theoretical_scores_of_different_depths_are_left_out() {
    let theoretical = |empties| obook_games::Theoretical {
        score: Score::new(6).unwrap(),
        empties,
    };
    let read = |depths: [u8; 2]| {
        let mut writer = Writer::new(Names::default(), None);
        for empties in depths {
            let mut game = Game::new("f5d6".parse().unwrap());
            game.score = Score::new(2);
            game.theoretical = (empties > 0).then(|| theoretical(empties));
            writer.write(&game).unwrap();
        }
        let (file, names) = writer.finish(Date::UNKNOWN);
        let reader = Reader::new(&file[..], names, None).unwrap();
        reader
            .map(|entry| entry.unwrap().game.theoretical)
            .collect::<Vec<_>>()
    };
    let known = Some(theoretical(24));
    assert_eq!(read([24, 24]), [known, known]);
    assert_eq!(read([24, 22]), [None, None]);
    assert_eq!(read([24, 0]), [None, None]);
}
