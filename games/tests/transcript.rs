//! Transcripts as people type them.

use crate::support::{faults, read, sound};
use obook_games::{ErrorKind, Format, Reader, Score};

/// A short game in which Black wins all discs.
const WHOLE: &str = "e6f4e3f6g5d6e7f5c5";

#[test]
fn moves_in_any_dress() {
    for text in [
        "e6f4e3f6g5d6e7f5c5",
        "E6F4E3F6G5D6E7F5C5",
        "e6 f4 e3 f6 g5 d6 e7 f5 c5",
        "e6-f4-e3-f6-g5-d6-e7-f5-c5",
        "1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5",
        "1.e6 2.f4 3.e3 4.f6 5.g5 6.d6 7.e7 8.f5 9.c5",
        "1) e6, 2) f4, 3) e3, 4) f6; g5 | d6 e7 f5 c5.",
        "  e6f4e3 f6g5d6 e7f5c5 \r",
        "\u{feff}e6f4e3f6g5d6e7f5c5",
    ] {
        let game = sound(text);
        assert_eq!(game.line().to_string(), WHOLE, "{text}");
        assert_eq!((game.score, game.comment), (None, None));
    }
}

#[test]
fn results_and_comments() {
    for (behind, score, comment) in [
        (" +64", 64, None),
        (" 64-0", 64, None),
        (" 13-0", 64, None),
        (" +13", 64, None),
        (" 64:0 # the first", 64, Some("the first")),
        (": +64 // a // comment", 64, Some("a // comment")),
        (" +64 % odd", 64, Some("odd")),
    ] {
        let game = sound(&format!("{WHOLE}{behind}"));
        assert_eq!(game.line().to_string(), WHOLE, "{behind}");
        assert_eq!(
            (game.score, game.comment.as_deref()),
            (Score::new(score), comment),
            "{behind}"
        );
    }
    assert_eq!(read("f5 0")[0].game.score, Score::new(0));
    assert_eq!(read("f5 -4")[0].game.score, Score::new(-4));
    assert_eq!(read("f5 30-34")[0].game.score, Score::new(-4));
    assert_eq!(
        faults(&format!("{WHOLE} -64")),
        ["the result is given as -64, but the discs make it +64"]
    );
    assert_eq!(
        faults(&format!("{WHOLE} 40-40")),
        ["the result is “40-40”: expected +4 or 34-30"]
    );
}

#[test]
fn passes_are_written_or_not() {
    for pass in ["", "pa", "pass", "PS", "--", " - pa - "] {
        let entry = read(format!("f5f6d3g5h5h4f7h6{pass}e7")).remove(0);
        assert_eq!(
            entry.game.line().to_string(),
            "f5f6d3g5h5h4f7h6pae7",
            "{pass}"
        );
    }
    assert_eq!(
        sound(&format!("{WHOLE}papa")).line().to_string(),
        WHOLE,
        "the game is over"
    );
}

#[test]
fn a_game_in_a_line() {
    let text = "# openings\n\nf5d6\n   // nothing\nf5f6\n%\nf5f4";
    let reader = Reader::new(text.as_bytes(), Some("a.txt".into())).unwrap();
    assert_eq!(reader.format(), Format::Transcript);
    let found: Vec<_> = reader
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.place.to_string(), entry.game.line().to_string()))
        .collect();
    let expected = [
        ("a.txt: game 1 (line 3)", "f5d6"),
        ("a.txt: game 2 (line 5)", "f5f6"),
        ("a.txt: game 3 (line 7)", "f5f4"),
    ];
    let expected = expected.map(|(place, line)| (place.to_owned(), line.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn from_another_position() {
    let board = "---------------------------XO------OX---------------------------";
    let entry = read(format!("{board} O d3c3")).remove(0);
    assert!(!entry.game.line().is_from_start());
    assert_eq!(entry.game.line().moves().len(), 2);
    let broken = format!("{}? O d3c3", &board[1..]).into_bytes();
    let broken = std::io::Cursor::new(broken);
    let mut reader = Reader::of_format(broken, None, Format::Transcript).unwrap();
    let fault = reader.next().unwrap().unwrap().faults.remove(0).to_string();
    assert!(fault.starts_with("the start position is “---"), "{fault}");
}

#[test]
fn text_that_is_not_a_move_is_reported() {
    assert_eq!(
        faults("f5 d6 hello c3"),
        ["move 3 is “hello”: expected a square such as f5, or pa"]
    );
    assert_eq!(
        faults("f5d6i9"),
        ["move 3 is “i9”: expected a square such as f5, or pa"]
    );
    assert_eq!(
        faults("f5 +4 Rose"),
        ["move 2 is “Rose”: expected nothing after the result but a comment, which begins with #"]
    );
}

#[test]
fn other_texts_are_refused() {
    for text in ["once upon a time", "", "12", "{\"a\": 1}", "+4"] {
        let error = Reader::new(text.as_bytes(), None).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::UnknownFormat { .. }),
            "{text}"
        );
    }
}
