//! Test files and random games.

use obook_games::{Clock, Date, Decimal, Ending, Entry, Game, Note, Period, Player, Reader, Score};
use obook_othello::{Line, Move};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file in `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// A file of the sample archive: games, players or tournaments.
pub(crate) fn sample(extension: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/levels")
        .with_extension(extension)
}

/// The first eight games of the sample archive, as a file of their own.
pub(crate) fn few_games() -> Vec<u8> {
    let mut file = std::fs::read(sample("wtb")).unwrap();
    file.truncate(16 + 8 * 68);
    file[4..8].copy_from_slice(&8u32.to_le_bytes());
    file
}

/// The folder of all tournament games, if this machine has it.
pub(crate) fn archive() -> PathBuf {
    std::env::var_os("OBOOK_GAMES")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games"),
            PathBuf::from,
        )
        .join("wthor")
}

/// The `.wtb` files of the archive, by name.
pub(crate) fn archive_files() -> Vec<PathBuf> {
    let files = std::fs::read_dir(archive()).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "wtb"));
    files.sort();
    files
}

/// Reads all games of a text or file in any format.
pub(crate) fn read(bytes: impl Into<Vec<u8>>) -> Vec<Entry> {
    let reader = Reader::new(Cursor::new(bytes.into()), None, None).unwrap();
    reader.map(Result::unwrap).collect()
}

/// The only game of a text, without faults.
pub(crate) fn sound(text: &str) -> Game {
    let entries = read(text);
    let [entry] = &entries[..] else {
        panic!("{} games", entries.len());
    };
    assert_eq!(entry.faults, [], "{text}");
    entry.game.clone()
}

/// The messages of the faults of the only game of a text.
pub(crate) fn faults(text: &str) -> Vec<String> {
    let entries = read(text);
    assert_eq!(entries.len(), 1, "{text}");
    entries[0].faults.iter().map(ToString::to_string).collect()
}

/// A line of random moves, one for each choice or up to the end.
pub(crate) fn line(start: Line, choices: &[u8]) -> Line {
    let mut line = start;
    for choice in choices {
        let moves: Vec<Move> = line.board().moves().collect();
        if moves.is_empty() {
            break;
        }
        line.push(moves[usize::from(*choice) % moves.len()])
            .unwrap();
    }
    line
}

/// Lines of any length from any position. Many go to the end of the game.
pub(crate) fn lines() -> impl Strategy<Value = Line> {
    let start = (any::<bool>(), vec(any::<u8>(), 0..30)).prop_map(|(usual, choices)| {
        let from_start = line(Line::new(), &choices);
        match usual {
            true => Line::new(),
            false => Line::at(from_start.board(), from_start.side()),
        }
    });
    (start, vec(any::<u8>(), 0..80)).prop_map(|(start, choices)| line(start, &choices))
}

/// A name for a record, without special characters at its ends.
pub(crate) fn names() -> impl Strategy<Value = String> {
    r"[A-Za-zé\]\\(\[;)][ -~éß]{0,20}[a-z\]\\;)]"
}

/// Games with any fields. The result, if known, matches the discs.
pub(crate) fn games() -> impl Strategy<Value = Game> {
    let about = (
        option::of(names()),
        option::of(names()),
        option::of(names()),
    );
    let hour = option::of(r"[0-2][0-9]:[0-5][0-9](\.[A-Z]{3})?");
    let kind = option::of("s?8r?[0-9]{0,2}");
    let remark = option::of("[a-z#{}\\]\\\\]([ -~é\n]{0,40}[a-z])?");
    let texts = (about, hour, kind, remark);
    let ending = option::of(select(vec![
        Ending::Resigned,
        Ending::TimeOut,
        Ending::Agreed,
    ]));
    let rest = (lines(), dates(), ending, -64i8..=64, any::<bool>());
    let notes = vec(option::of(notes()), 0..80);
    (texts, players(), players(), rest, notes).prop_map(|(texts, black, white, rest, notes)| {
        let ((tournament, round, site), time, kind, comment) = texts;
        let (line, date, ending, score, known) = rest;
        let mut game = Game::new(line);
        (game.black, game.white) = (black, white);
        (game.tournament, game.round, game.site) = (tournament, round, site);
        (game.time, game.kind, game.comment) = (time, kind, comment);
        (game.date, game.ending) = (date, ending);
        let said = Score::at_end(game.line()).filter(|_| ending.is_none());
        game.score = said.or(Score::new(score)).filter(|_| known);
        for (index, note) in notes.into_iter().enumerate() {
            if let Some(note) = note
                && index < game.line().moves().len()
            {
                game.annotate(index, note);
            }
        }
        game
    })
}

fn players() -> impl Strategy<Value = Player> {
    let period = (0u64..40_000, option::of(0u16..100), any::<bool>());
    let period = period.prop_map(|(seconds, moves, negated)| Period {
        time: Duration::from_secs(seconds),
        moves,
        negated,
    });
    let clock = vec(option::of(period), 3).prop_map(|periods| Clock {
        initial: periods[0],
        increment: periods[1],
        extension: periods[2],
    });
    // A clock without times is no clock.
    let clock = option::of(clock).prop_map(|clock| clock.filter(|c| *c != Clock::default()));
    (option::of(names()), option::of(decimals()), clock).prop_map(|(name, rating, clock)| Player {
        name,
        rating,
        clock,
    })
}

fn notes() -> impl Strategy<Value = Note> {
    let time = option::of((0u32..100_000, 0u32..1_000_000_000));
    let time =
        time.prop_map(|time| time.map(|(seconds, nanos)| Duration::new(seconds.into(), nanos)));
    let comment = option::of("[a-z({;]([ -~\n]{0,20}[a-z\\]])?");
    (time, option::of(decimals()), comment).prop_map(|(time, value, comment)| Note {
        time,
        value,
        comment,
    })
}

fn decimals() -> impl Strategy<Value = Decimal> {
    (-300_000i32..300_000)
        .prop_map(|hundredths| Decimal::new(f64::from(hundredths) / 100.0).unwrap())
}

fn dates() -> impl Strategy<Value = Date> {
    let days = (1u16..=9999, option::of((1u8..=12, option::of(1u8..=31))));
    option::of(days).prop_map(|day| {
        let Some((year, rest)) = day else {
            return Date::UNKNOWN;
        };
        let month = rest.map(|(month, _)| month);
        let day = rest.and_then(|(_, day)| day);
        Date::new(Some(year), month, day).unwrap_or_else(|| Date::of_year(year).unwrap())
    })
}
