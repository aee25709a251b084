//! Game records. The first byte is the index of the format in `Format::ALL`; the rest is the file.

use super::books::said;
use obook_games::wthor::{self, Names};
use obook_games::{
    Date, Entry, Error, Format, Game, Reader, Score, write_ggf, write_sgf, write_transcript,
};
use obook_othello::Move;
use std::io::Cursor;

pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else {
        return;
    };
    let format = Format::ALL[usize::from(*choice) % Format::ALL.len()];
    let (entries, error) = read(file, Some(format));
    let again = read(file, Some(format)).0;
    assert!(entries == again, "the same bytes are the same games");
    if let Some(error) = error {
        said(&error.to_string());
    }
    // A file can be read to its end in the detected format.
    if let Some(error) = read(file, None).1 {
        said(&error.to_string());
    }
    for (number, entry) in (1..).zip(&entries) {
        assert_eq!(entry.place.number, number);
        assert!(entry.place.offset <= file.len() as u64);
        for fault in &entry.faults {
            said(&fault.to_string());
        }
        sound(entry);
        let game = &entry.game;
        comes_back(game, &write_ggf(game), Format::Ggf, true);
        comes_back(game, &write_sgf(game), Format::Sgf, false);
        comes_back(game, &write_transcript(game), Format::Transcript, false);
        comes_back_from_wthor(&entry.game);
    }
}

/// The games, and the error that ended the reading, if any.
fn read(file: &[u8], format: Option<Format>) -> (Vec<Entry>, Option<Error>) {
    let input = Cursor::new(file.to_vec());
    let reader = Reader::new(input, None, format);
    let mut entries = Vec::new();
    for entry in reader.into_iter().flatten() {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) => return (entries, Some(error)),
        }
    }
    (entries, None)
}

/// Without a fault, discs and result agree, and there is a reason for an early end that has a result.
fn sound(entry: &Entry) {
    if entry.faults.is_empty() && entry.game.ending.is_none() {
        let end = Score::at_end(entry.game.line());
        assert!(entry.game.score.is_none_or(|said| Some(said) == end));
    }
}

/// A round trip keeps moves and result, and everything else that the format stores.
fn comes_back(game: &Game, text: &str, format: Format, keeps_all: bool) {
    let (entries, error) = read(format!("{text}\n").as_bytes(), Some(format));
    assert!(error.is_none(), "{text}");
    // An empty file isn't a transcript.
    if format == Format::Transcript && game.line().to_string().is_empty() {
        return;
    }
    let [entry] = &entries[..] else {
        panic!("{} games in {text}", entries.len());
    };
    let again = &entry.game;
    assert_eq!(again.line(), game.line(), "{text}");
    if keeps_all {
        let mut kept = game.clone();
        kept.theoretical = None;
        assert_eq!(again, &kept, "{text}");
    }
}

fn comes_back_from_wthor(game: &Game) {
    let mut writer = wthor::Writer::new(Names::default(), game.date.year());
    if let Err(error) = writer.write(game) {
        return said(&error.to_string());
    }
    let (file, names) = writer.finish(Date::UNKNOWN);
    let mut reader = wthor::Reader::new(&file[..], names, None).unwrap();
    let again = reader.next().unwrap().unwrap().game;
    assert!(reader.next().is_none());
    // A pass at the end of the moves isn't written.
    let moves = game.line().moves();
    let written = moves.len() - usize::from(moves.last() == Some(&Move::Pass));
    assert_eq!(again.line(), &game.line().prefix(written));
    assert_eq!(again.tournament, game.tournament);
    assert_eq!(again.black.name, game.black.name);
    assert_eq!(again.white.name, game.white.name);
}
