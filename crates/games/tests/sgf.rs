//! SGF as written by programs.

use crate::support::{faults, read, sound};
use obook_games::{Decimal, Ending, Format, Game, Reader, Score, write_sgf};
use obook_othello::{Board, Line, Side};

#[test]
fn moves_by_name_and_by_two_letters() {
    let named = sound("(;FF[4]GM[2]SZ[8]RE[B+R];B[f5];W[D6];B[c3])");
    let lettered = sound("(;FF[4]GM[2]SZ[8]RE[B+R];B[fe];W[df];B[cc])");
    assert_eq!(named, lettered);
    assert_eq!(named.line().to_string(), "f5d6c3");
    assert_eq!(named.ending, Some(Ending::Resigned));
}

#[test]
fn passes() {
    let moves = ";B[f5];W[f6];B[d3];W[g5];B[h5];W[h4];B[f7];W[h6]";
    for pass in [";B[]", ";B[PA]", ";B[tt]", ""] {
        let game = sound(&format!("(;GM[2]RE[W+T]{moves}{pass};W[e7])"));
        assert_eq!(game.line().to_string(), "f5f6d3g5h5h4f7h6pae7");
    }
}

#[test]
fn the_first_branch_is_the_game() {
    let game = sound(
        "(;GM[2]RE[Void]GC[both]RE[B+R];B[f5]C[a [remark\\] with\nlines](;W[d6](;B[c3]V[2.5])(;B[c4]))(;W[f4]))",
    );
    assert_eq!(game.line().to_string(), "f5d6c3");
    assert_eq!(game.comment.as_deref(), Some("both"));
    assert_eq!(
        game.note(0).comment.as_deref(),
        Some("a [remark] with\nlines")
    );
    assert_eq!(game.note(2).value, Decimal::new(2.5));
}

#[test]
fn remarks_on_the_game_and_on_its_start_are_kept() {
    let game = sound("(;GM[2]GC[a final]C[before the first move];B[f5])");
    let expected = "a final\nbefore the first move";
    assert_eq!(game.comment.as_deref(), Some(expected));
}

/// The properties of a node have no order.
#[test]
fn remarks_and_evaluations_may_stand_before_the_move() {
    let before = sound("(;GM[2]RE[B+R];C[one]V[3]B[f5];C[two]W[d6]V[-2])");
    let after = sound("(;GM[2]RE[B+R];B[f5]C[one]V[3];W[d6]V[-2]C[two])");
    assert_eq!(before, after);
    assert_eq!(before.note(1).comment.as_deref(), Some("two"));
    assert_eq!(before.note(1).value, Decimal::new(2.0));
}

/// The format has one time for both sides.
#[test]
fn a_time_is_written_if_both_have_it() {
    let with = |black: &str, white: &str| {
        let mut game = Game::default();
        (game.black.clock, game.white.clock) = (black.parse().ok(), white.parse().ok());
        write_sgf(&game)
    };
    assert!(with("05:00", "05:00").contains("TM[300]"));
    for (black, white) in [("05:00", "10:00"), ("05:00", ""), ("", "10:00")] {
        assert!(!with(black, white).contains("TM["), "{black} {white}");
    }
    let game = sound("(;GM[2]TM[90.0]RE[W+F];B[f5])");
    assert_eq!(game.black.clock, "01:30".parse().ok());
}

#[test]
fn positions_that_are_set_up() {
    let usual = Line::at(Board::START, Side::Black);
    let at = |text: &str| sound(&format!("(;GM[2]RE[B+R]{text})")).line().clone();
    assert_eq!(at(""), usual);
    assert_eq!(at("AB[e4][d5]AW[d4][e5]PL[B]"), usual);
    let white = at("AB[d4][e5]AW[e4][d5]PL[W]");
    assert_eq!((white.board(), white.side()), (Board::START, Side::White));
    // A handicap, with the usual centre.
    let handicap = at("AB[a1][hh]");
    assert_eq!(
        handicap.board().player(),
        Board::START.player() | 1 | 1 << 63
    );
    assert_eq!(at("AB[cd:fd]AW[c5:f5]").board().player(), 0b0011_1100 << 24);
    assert_eq!(
        faults("(;GM[2]AB[d4]AW[d4];B[f5])"),
        [
            "the start position is “both sides hold d4”: expected 64 squares of *, O and -, and the side to move; no moves were read"
        ]
    );
}

#[test]
fn results() {
    let end = |result: &str| {
        let moves = ";B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]";
        sound(&format!("(;GM[2]RE[{result}]{moves})")).score
    };
    assert_eq!(end("B+64"), Score::new(64));
    assert_eq!(
        end("B+13"),
        Score::new(64),
        "empty squares counted for nobody"
    );
    assert_eq!(end("?"), None);
    assert_eq!(end("Void"), None);
    let drawn = read("(;GM[2]RE[Draw])")[0].game.score;
    assert_eq!(drawn, Score::new(0));
    for result in ["W+65", "W+-200"] {
        assert_eq!(
            faults(&format!("(;GM[2]RE[{result}])"))[0],
            format!("RE is “{result}”: expected a result such as B+10, W+4, Draw or W+R")
        );
    }
}

#[test]
fn the_winner_is_kept_without_discs() {
    let over = ";B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]";
    let (resigned, out_of_time) = (Some(Ending::Resigned), Some(Ending::TimeOut));
    for (result, moves, score, ending) in [
        ("W+R", ";B[f5];W[d6];B[c3]", Some(-64), resigned),
        ("B+Resign", ";B[f5];W[d6];B[c3]", Some(64), resigned),
        ("B+T", ";B[f5];W[d6]", Some(64), out_of_time),
        ("W+Time", "", Some(-64), out_of_time),
        ("W+R", over, Some(-64), resigned),
        ("W+", ";B[f5]", Some(-64), resigned),
        ("B+", over, None, None),
    ] {
        let game = sound(&format!("(;GM[2]RE[{result}]{moves})"));
        let found = (game.score.map(Score::get), game.ending);
        assert_eq!(found, (score, ending), "{result} {moves}");
    }
    assert_eq!(
        faults(&format!("(;GM[2]RE[W+]{over})")),
        ["RE is “W+”: expected the result by the discs"]
    );
}

#[test]
fn other_games_are_not_read() {
    let text = "(;FF[4]GM[1]SZ[19];B[pd])";
    let reader = Reader::new(text.as_bytes(), None, None).unwrap();
    assert_eq!(reader.format(), Format::Sgf);
    assert_eq!(faults(text)[0], "GM is “1”: expected 2 for Othello");
    assert!(read(text)[0].game.line().moves().is_empty());
}
