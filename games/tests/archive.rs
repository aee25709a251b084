//! Forty years of tournament games.

use crate::support::archive_files;
use obook_games::{Fault, Format, Reader};

/// Counted once with a reader of its own: all games are legal and no result contradicts the discs.
#[test]
#[cfg_attr(not(archive), ignore = "the archive of tournament games is not here")]
fn every_game_is_read() {
    let (mut games, mut moves, mut early) = (0, 0, 0);
    for file in archive_files() {
        let reader = Reader::open(&file).unwrap();
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
