//! GGF as written by the server and by programs.

use crate::support::{faults, read, sound};
use obook_games::{Clock, Decimal, Ending, Fault, Format, Reader, Score};
use obook_othello::{Move, Side};
use std::time::Duration;

/// A record in the style of the server's archives: upper and lower case, evaluations and times.
const GAME: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[north]PW[south]RB[2197.01]RW[2199.72]\
    TI[05:00//02:00]TY[8r20]RE[+64.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
    B[E6//0.20]W[f4/-25.99/1]B[E3/3.5]W[f6]B[G5//12.345]W[d6]B[E7]W[f5]B[C5//1:02.5];)";

#[test]
fn a_game_of_the_server() {
    let game = sound(GAME);
    assert_eq!(game.line().to_string(), "e6f4e3f6g5d6e7f5c5");
    assert_eq!(game.black.name.as_deref(), Some("north"));
    assert_eq!(game.white.rating, Decimal::new(2199.72));
    assert_eq!(game.site.as_deref(), Some("GGS/os"));
    assert_eq!(game.date.to_string(), "2003-12-15");
    assert_eq!(game.time.as_deref(), Some("13:24:03.MST"));
    assert_eq!(game.kind.as_deref(), Some("8r20"));
    assert_eq!((game.score, game.ending), (Score::new(64), None));
    let clock: Clock = "05:00//02:00".parse().unwrap();
    assert_eq!(
        (game.black.clock, game.white.clock),
        (Some(clock), Some(clock))
    );
    assert_eq!(game.note(0).time, Some(Duration::from_millis(200)));
    assert_eq!(game.note(0).value, None);
    assert_eq!(game.note(1).value, Decimal::new(-25.99));
    assert_eq!(game.note(1).time, Some(Duration::from_secs(1)));
    assert_eq!(game.note(2).value, Decimal::new(3.5));
    assert_eq!(game.note(8).time, Some(Duration::from_millis(62_500)));
}

#[test]
fn several_games_a_line_with_their_number_before() {
    let bytes = format!("\u{feff}2 {GAME}{GAME}\n1 {GAME}\n\nbye (not a game)\n {GAME}");
    let reader = Reader::new(std::io::Cursor::new(bytes.clone().into_bytes()), None, None).unwrap();
    assert_eq!(reader.format(), Format::Ggf);
    let places: Vec<_> = reader.map(|entry| entry.unwrap().place).collect();
    let found: Vec<_> = places.iter().map(|p| (p.number, p.line.unwrap())).collect();
    assert_eq!(found, [(1, 1), (2, 1), (3, 2), (4, 5)]);
    for place in places {
        assert!(bytes[place.offset as usize..].starts_with("(;GM[Othello]"));
    }
}

#[test]
fn a_game_from_another_position() {
    let game = sound(
        "(;GM[Othello]PC[GGS/os]PB[a]PW[b]RE[-10.000:r]TY[s8r18]\
         BO[8 --**O--- --**---- --*OO--- ****OO-- ---O*--- --O-*--- -------- -------- *]B[f1]W[C5/8.00/25.36];)",
    );
    assert_eq!(
        (game.line().board().empties(), game.line().side()),
        (44, Side::Black)
    );
    assert_eq!(game.ending, Some(Ending::Resigned));
    assert_eq!(game.first(), Side::Black);
}

#[test]
fn passes_are_written_or_not() {
    let played = "B[F5]W[F6]B[D3]W[G5]B[H5]W[H4]B[F7]W[H6]";
    let game = |moves: &str| {
        format!(
            "(;GM[Othello]PB[a]PW[b]RE[?:s]BO[8 ---------------------------O*------*O--------------------------- *]{played}{moves};)"
        )
    };
    for moves in ["B[PA]W[E7]", "B[pass//0.1]W[E7]", "W[E7]"] {
        let game = sound(&game(moves));
        assert_eq!(game.line().moves()[8], Move::Pass);
        assert_eq!(game.line().moves().len(), 10);
    }
    assert_eq!(
        faults(&game("B[E7]")),
        ["move 9 is given to black, but it is white's turn"]
    );
}

#[test]
fn faults_are_reported_and_the_rest_is_read() {
    let text = "(;GM[Othello]DT[yesterday]PB[a]PW[b]RB[strong]RE[+64.000]\
        BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5/good]W[a1]B[d3];)";
    let entries = read(text);
    assert_eq!(entries[0].game.line().to_string(), "f5");
    assert_eq!(entries[0].game.black.name.as_deref(), Some("a"));
    assert_eq!(
        entries[0]
            .faults
            .iter()
            .filter_map(Fault::number)
            .collect::<Vec<_>>(),
        [2]
    );
    assert_eq!(
        faults(text),
        [
            "DT is “yesterday”: expected a date such as 2003.12.15, and optionally a time",
            "RB is “strong”: expected a rating such as 1837.5",
            "an evaluation is “good”: expected discs, such as -2.5",
            "move 2, a1, is not legal after f5: legal moves are f4 d6 f6",
        ]
    );
}

#[test]
fn a_result_that_the_discs_contradict() {
    assert_eq!(
        faults(&GAME.replace("+64.000", "-64.000")),
        ["the result is given as -64, but the discs make it +64"]
    );
    // Some programs count the thirteen discs, without the empty squares.
    let game = sound(&GAME.replace("+64.000", "+13"));
    assert_eq!(game.score, Score::new(64));
    assert_eq!(
        sound(&GAME.replace("+64.000", "-64.000:t")).ending,
        Some(Ending::TimeOut)
    );
    let early = GAME.replace("B[C5//1:02.5]", "");
    assert_eq!(
        faults(&early),
        ["the game stops after 8 moves, with 52 empty squares, although there is a legal move"]
    );
}

#[test]
fn other_boards_and_games_are_not_read() {
    let board = "(;GM[Othello]BO[10 ---- *]B[F5];)";
    assert!(faults(board)[0].starts_with("the start position is “10 ---- *”"));
    assert!(read(board)[0].game.line().moves().is_empty());
    let amazons = [GAME, &GAME.replace("Othello", "Amazons")].concat();
    assert_eq!(
        read(amazons)[1].faults[0].to_string(),
        "GM is “Amazons”: expected Othello"
    );
}

#[test]
fn days_in_all_their_forms() {
    let day = |text: &str| {
        let game = sound(&GAME.replace("2003.12.15_13:24:03.MST", text));
        (game.date.to_string(), game.time.unwrap_or_default())
    };
    let pair = |day: &str, time: &str| (day.to_owned(), time.to_owned());
    assert_eq!(day("2000-4-16 11:13 EST"), pair("2000-04-16", "11:13 EST"));
    assert_eq!(day("945277754"), pair("1999-12-15", "17:09:14.UTC"));
    assert_eq!(day("1998"), pair("1998", ""));
    assert_eq!(day(""), pair("", ""));
}
