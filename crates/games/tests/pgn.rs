//! PGN as written by Othello programs.

use crate::support::{faults, read, sound};
use obook_games::{Decimal, Ending, Entry, Format, Reader, Score};

const TAGS: &str = "[Event \"Open\"]\n[Site \"Here\"]\n[Date \"2012.03.??\"]\n[Round \"2\"]\n[Black \"a \\\"b\\\"\"]\n\
    [White \"c\"]\n[BlackElo \"1750\"]\n[WhiteElo \"-\"]\n";
const MOVES: &str = "1. e6 f4 2.e3 f6 3. g5 {a [remark]\n[not a tag]} d6 4... E7 ; to the end of the line\n\
    f5 (5. c4 c5) $1 5. c5!";

#[test]
fn a_game_with_tags_remarks_and_variations() {
    let game = sound(&format!("{TAGS}[Result \"64-0\"]\n\n{MOVES} 64-0\n"));
    assert_eq!(game.line().to_string(), "e6f4e3f6g5d6e7f5c5");
    assert_eq!(game.tournament.as_deref(), Some("Open"));
    assert_eq!(game.black.name.as_deref(), Some("a \"b\""));
    assert_eq!(
        (game.black.rating, game.white.rating),
        (Decimal::new(1750.0), None)
    );
    assert_eq!(game.date.to_string(), "2012-03");
    assert_eq!(game.score, Score::new(64));
    assert_eq!(
        game.note(4).comment.as_deref(),
        Some("a [remark]\n[not a tag]")
    );
    assert_eq!(
        game.note(6).comment.as_deref(),
        Some("to the end of the line")
    );
}

#[test]
fn several_remarks_are_kept() {
    let game = sound(&format!(
        "{TAGS}\n{{before}} {{the first move}} 1. f5 {{strong}} ; and common\nd6 {{only}} {{}} *"
    ));
    assert_eq!(game.comment.as_deref(), Some("before\nthe first move"));
    let remark = |at| game.note(at).comment.clone();
    assert_eq!(remark(0).as_deref(), Some("strong\nand common"));
    assert_eq!(remark(1).as_deref(), Some("only"));
}

#[test]
fn results_with_and_without_discs() {
    let game = |result: &str| format!("{TAGS}[Result \"{result}\"]\n\n{MOVES}\n");
    assert_eq!(sound(&game("1-0")).score, None);
    assert_eq!(sound(&game("13-0")).score, Score::new(64));
    assert_eq!(sound(&game("*")).score, None);
    assert_eq!(
        faults(&game("0-1")),
        ["Result is “0-1”: expected the result by the discs"]
    );
    assert_eq!(
        faults(&game("24-40")),
        ["the result is given as -16, but the discs make it +64"]
    );
    assert_eq!(
        faults(&game("won")),
        ["Result is “won”: expected 44-20, 1-0, 0-1, 1/2-1/2 or *"]
    );
}

#[test]
fn results_of_games_that_stop_early() {
    let game =
        |result: &str, more: &str| format!("[Result \"{result}\"]\n{more}\n1. f5 d6 2. c3 *\n");
    let time = "[Termination \"Time forfeit\"]\n";
    let (resigned, out_of_time) = (Some(Ending::Resigned), Some(Ending::TimeOut));
    for (result, more, score, ending) in [
        ("1-0", "", Some(64), resigned),
        ("0-1", "", Some(-64), resigned),
        ("1/2-1/2", "", Some(0), Some(Ending::Agreed)),
        ("1-0", "[Termination \"normal\"]\n", Some(64), resigned),
        ("0-1", time, Some(-64), out_of_time),
        ("24-40", time, Some(-16), out_of_time),
        ("*", time, None, out_of_time),
        ("*", "", None, None),
    ] {
        let game = sound(&game(result, more));
        let found = (game.score.map(Score::get), game.ending);
        assert_eq!(found, (score, ending), "{result} {more}");
    }
    // The rest of the moves is not known.
    let cut = read("[Result \"1-0\"]\n\n1. f5 f5\n")[0].game.clone();
    assert_eq!((cut.score, cut.ending), (None, None));
    let bare = sound("[Black \"a\"]\n\n1. f5 d6 0-1\n");
    assert_eq!(bare.score, Score::new(-64));
}

#[test]
fn several_games() {
    let one = format!("{TAGS}[Result \"64-0\"]\n\n{MOVES} 64-0\n");
    let text = format!("{one}\n\n{TAGS}\n{one}{one}");
    let reader = Reader::new(std::io::Cursor::new(text.clone().into_bytes()), None, None).unwrap();
    assert_eq!(reader.format(), Format::Pgn);
    let entries: Vec<_> = reader.map(Result::unwrap).collect();
    let moves: Vec<_> = entries.iter().map(|e| e.game.line().ply()).collect();
    assert_eq!(moves, [9, 0, 9, 9]);
    for entry in entries {
        assert!(
            text[entry.place.offset as usize..].starts_with("[Event"),
            "{}",
            entry.place
        );
        let line = text.lines().nth(entry.place.line.unwrap() as usize - 1);
        assert_eq!(line, Some("[Event \"Open\"]"));
    }
}

/// Lines that begin with `%` are for other programs, unless they stand in a remark in braces. Places are those in the file.
#[test]
fn escapes_are_skipped() {
    let one = "% before\n[Event \"Open\"]\n% [Event \"no\"]\n[Black \"a\"]\n%\n\n%{\n1. f5 {left\n% kept\n} d6\n\
        % a1 {\r\n2. c3 ; {\n% 1-0\n*\n";
    let text = format!("{one}% between\n{one}\n[Event \"Open\"]\n\n1. f5 f5 *\n");
    let entries = read(text.clone());
    assert_eq!(entries.len(), 3);
    for entry in &entries[..2] {
        assert_eq!(entry.faults, []);
        assert_eq!(entry.game.line().to_string(), "f5d6c3");
        assert_eq!(entry.game.tournament.as_deref(), Some("Open"));
        assert_eq!(entry.game.black.name.as_deref(), Some("a"));
        let remark = |at| entry.game.note(at).comment.clone();
        assert_eq!(remark(0).as_deref(), Some("left\n% kept"));
    }
    assert_eq!(entries[2].faults.len(), 1);
    for Entry { place, .. } in &entries {
        let begin = &text[place.offset as usize..];
        assert!(begin.starts_with("[Event \"Open\"]"), "{place}");
        let line = text.lines().nth(place.line.unwrap() as usize - 1);
        assert_eq!(line, Some("[Event \"Open\"]"));
    }
}

#[test]
fn an_illegal_move_is_reported() {
    let text = format!("{TAGS}\n1. f5 f5 2. d6 *");
    assert_eq!(
        faults(&text),
        ["move 2, f5, is not legal after f5: legal moves are f4 d6 f6"]
    );
    assert_eq!(read(text)[0].game.line().to_string(), "f5");
}
