//! Transcripts as people type them.

use crate::support::{faults, line, read, sound};
use obook_games::{ErrorKind, Format, Reader, Score};
use obook_othello::{Line, Move};
use proptest::collection::vec;
use proptest::prelude::*;

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
        "Ｅ６Ｆ４Ｅ３Ｆ６Ｇ５Ｄ６Ｅ７Ｆ５Ｃ５",
        "１．e6　f4　２．e3 f6 g5 d6 e7 f5 c5",
        "\"e6f4e3f6g5d6e7f5c5\"",
        "「e6f4e3f6g5d6e7f5c5」",
        "1 e6 2 f4 3 e3 4 f6 5 g5 6 d6 7 e7 8 f5 9 c5",
        "17,1,e6f4e3f6g5d6e7f5c5",
        "\"17\"\t\"e6f4e3f6g5d6e7f5c5\"\tRose",
        "https://othello.example/board?size=8#e6f4e3f6g5d6e7f5c5",
        "http://othello.example/game/e6f4e3f6g5d6e7f5c5",
        "e6f4e3\nf6g5d6\ne7f5c5",
        "1. e6 f4 2. e3\n f6 3. g5 d6\n4. e7 f5 5. c5\n",
        "1 e6\n2 f4\n3 e3\n4 f6\n5 g5\n6 d6\n7 e7\n8 f5\n9 c5",
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
        (" 64 - 0", 64, None),
        (" (64-0)", 64, None),
        ("\n64 - 0", 64, None),
        (" +13", 64, None),
        (" 64:0 # the first", 64, Some("the first")),
        (": +64 // a // comment", 64, Some("a // comment")),
        (" +64 % odd", 64, Some("odd")),
        (" ＋６４ # 強い！", 64, Some("強い！")),
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
        faults("f5d6c3 +4"),
        ["the game stops after 3 moves, with 57 empty squares, although there is a legal move"]
    );
    assert_eq!(faults("f5d6c3"), Vec::<String>::new(), "it is unfinished");
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
    // PlayOK's number of the next move is no result.
    let numbered = "1. f5 f6 2. d3 g5 3. h5 h4 4. f7 h6 5. -- e7 6. d7 c3";
    let moves = sound(numbered).line().to_string();
    assert!(moves.starts_with("f5f6d3g5h5h4f7h6pae7"), "{moves}");
    assert_eq!(
        sound(&numbered.replace(" 5. -- e7 6.", " -- 5. e7 6."))
            .line()
            .to_string(),
        moves
    );
    assert_eq!(
        sound(&format!("{WHOLE}papa")).line().to_string(),
        WHOLE,
        "the game is over"
    );
}

#[test]
fn a_game_in_a_line() {
    let text = "# openings\n\nf5d6\n   // nothing\nf5f6\n%\nf5f4";
    let reader = Reader::new(text.as_bytes(), Some("a.txt".into()), None).unwrap();
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Game records): A transcript is the same game in one line or several, however numbered.
    /// Also: `lines_that_belong_together` `moves_in_any_dress`
    #[test]
    fn a_game_over_several_lines(choices in vec(any::<u8>(), 1..70), breaks in vec(any::<bool>(), 70), full in any::<bool>(), crlf in any::<bool>()) {
        let game = line(Line::new(), &choices);
        let placed: Vec<Move> = game.moves().iter().copied().filter(|mv| *mv != Move::Pass).collect();
        let (mut pairs, mut singles, mut whole) = (String::new(), String::new(), String::new());
        for (number, mv) in placed.iter().enumerate() {
            // Not within a pair: a line that begins with a move that is legal at the start is a game of its own.
            let end = match breaks[number] && number > 0 && number % 2 == 0 {
                true if crlf => "\r\n",
                true => "\n",
                false => " ",
            };
            if number % 2 == 0 {
                pairs.push_str(&format!("{end}{}.", number / 2 + 1));
            }
            pairs.push_str(&format!(" {mv}"));
            singles.push_str(&format!("{end}{} {mv}", number + 1));
            whole.push_str(&format!("{mv}"));
        }
        for text in [pairs, singles, whole] {
            let text = match full {
                true => text.chars().map(|c| match c {
                    '!'..='~' => char::from_u32(c as u32 + 0xfee0).unwrap(),
                    c => c,
                }).collect(),
                false => text,
            };
            let found = sound(text.trim_start());
            let found: Vec<Move> = found.line().moves().iter().copied().filter(|mv| *mv != Move::Pass).collect();
            prop_assert_eq!(&found, &placed, "{}", text);
        }
    }
}

#[test]
fn lines_that_belong_together() {
    for (text, expected) in [
        (
            "f5 d6 c3 d3 c4\nf4 f6 f3 e6 e7 d7\n",
            &["f5d6c3d3c4f4f6f3e6e7d7"][..],
        ),
        // A game of its own, though it would go on with the one above.
        ("f5d6c3\nd3c3c4\n", &["f5d6c3", "d3c3c4"]),
        (
            "1. f5d6c3\n2. f5f6e6\n3. f5f4e3\n",
            &["f5d6c3", "f5f6e6", "f5f4e3"],
        ),
        // A blank line, a comment and a result end a game.
        ("f5d6\n\nf5f6\n", &["f5d6", "f5f6"]),
        ("f5d6 # a\nf5f6\n", &["f5d6", "f5f6"]),
        (
            "e6f4e3f6g5d6e7f5c5\nf5d6\n",
            &["e6f4e3f6g5d6e7f5c5", "f5d6"],
        ),
        (",;\nf5d6\n--\n", &["f5d6"]),
    ] {
        let reader = Reader::new(text.as_bytes(), None, Some(Format::Transcript)).unwrap();
        let found: Vec<String> = reader
            .map(|entry| entry.unwrap().game.line().to_string())
            .collect();
        assert_eq!(found, expected, "{text}");
    }
    // What can't be played belongs to the game above: it is no game.
    let entries = read("f5d6c3\nh8a1\nh1\nf5f6\n");
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| entry.game.line().to_string())
        .collect();
    assert_eq!(lines, ["f5d6c3", "f5f6"]);
    assert!(
        entries[0].faults[0]
            .to_string()
            .starts_with("move 4, h8, is not legal")
    );
    // Text is none of it.
    let entries = read("f5d6c3\nhello\nf5f6\n");
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| entry.game.line().to_string())
        .collect();
    assert_eq!(lines, ["f5d6c3", "", "f5f6"]);
    assert_eq!(entries[0].faults, []);
    // Lines without end stay small.
    let many = format!("f5d6c3\n{}", "pa\n".repeat(100_000));
    assert_eq!(read(many).len(), 1);
}

#[test]
fn from_another_position() {
    let board = "---------------------------XO------OX---------------------------";
    let entry = read(format!("{board} O d3c3")).remove(0);
    assert!(!entry.game.line().is_from_start());
    assert_eq!(entry.game.line().moves().len(), 2);
    let broken = format!("{}? O d3c3", &board[1..]).into_bytes();
    let broken = std::io::Cursor::new(broken);
    let mut reader = Reader::new(broken, None, Some(Format::Transcript)).unwrap();
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
    assert_eq!(
        faults("f5 d6 +4 C3"),
        ["move 3 is “C3”: expected nothing after the result but a comment, which begins with #"]
    );
    // Neither a date nor a time is a result.
    for word in ["12-10-2019", "2019-05-04", "10:05:33"] {
        let expected = format!("move 4 is “{word}”: expected a square such as f5, or pa");
        assert_eq!(faults(&format!("f5d6c3 {word}")), [expected]);
    }
}

/// A heading is no game, but hides none.
#[test]
fn a_heading_may_stand_above() {
    for (text, games) in [
        (
            "eOthello_game_id,winner,game_moves\n17,1,e6f4e3f6g5d6e7f5c5\n18,1,e6f4e3f6g5d6e7f5c5\n",
            2,
        ),
        ("Dear Rose, my game:\ne6f4e3f6g5d6e7f5c5\n", 1),
    ] {
        let entries = read(text);
        let whole = entries.iter().filter(|entry| entry.faults.is_empty());
        assert!(
            whole
                .clone()
                .all(|entry| entry.game.line().to_string() == WHOLE),
            "{text}"
        );
        assert_eq!(whole.count(), games, "{text}");
        assert!(entries[0].game.line().moves().is_empty());
    }
}

/// The error names the format that a file most looks like, if it looks like one.
#[test]
fn the_likely_format_is_named() {
    for (text, expected) in [
        ("{\"a\": 1}", "“{\"a\": 1}”, expected Othello Quest's JSON"),
        ("[1, 2]\n", "“[1, 2]”, expected [Event \"…\"]"),
        ("(hello)", "“(hello)”, expected (;GM[Othello] (ggf)"),
        ("hello there\nall", "“hello there”, expected a WTHOR file"),
    ] {
        let error = Reader::new(text.as_bytes(), Some("x".into()), None).unwrap_err();
        let said = error.to_string();
        let begins = format!("x: no game record begins like this: found {expected}");
        assert!(said.starts_with(&begins), "{said}");
        assert!(said.contains("WTHOR") == text.starts_with('h'), "{said}");
    }
    let error = Reader::new(&b"(;GM[Othello]PB[\0]"[..], None, None).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("expected a WTHOR file (.wtb), or text, which has no NUL byte"),
        "{said}"
    );
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "once upon a time",
        "",
        "12",
        "{\"a\": 1}",
        "+4",
        "see\nf5d6c3d3\nh8a1",
    ] {
        let error = Reader::new(text.as_bytes(), None, None).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::UnknownFormat { .. }),
            "{text}"
        );
    }
}
