//! WTHOR files.

use crate::support::data;
use obook_games::wthor::{Names, Reader};
use obook_games::{ErrorKind, Fault};

fn small() -> Vec<u8> {
    std::fs::read(data("WTH_1978.wtb")).unwrap()
}

#[test]
fn the_first_game_of_1978() {
    let bytes = small();
    let mut games = Reader::new(&bytes[..], Names::default(), None).unwrap();
    let entry = games.next().unwrap().unwrap();
    assert_eq!(entry.faults, []);
    assert_eq!(entry.game.line().ply(), 60);
    assert_eq!(entry.game.date.to_string(), "1978");
    assert_eq!(entry.game.score.map(|score| score.get()), Some(18));
    let theoretical = entry.game.theoretical.unwrap();
    assert_eq!((theoretical.score.get(), theoretical.empties), (28, 24));
    assert_eq!((entry.place.number, entry.place.offset), (1, 16));
    assert_eq!(games.count(), 7);
}

#[test]
fn a_file_cut_off_anywhere_says_where() {
    let bytes = small();
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
fn what_is_wrong_with_a_game_stands_beside_it() {
    let mut bytes = small();
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
