//! Text written by people and engines: squares, moves, lines, boards, diagrams.
//!
//! `data/edax_games.txt` holds whole games in Edax's notation, without passes. `data/edax_book_show.txt` is the output of
//! Edax's `book show` at the start and after f5, d6, c4 and so on.

use crate::support::boards::{any_board, reachable};
use obook_othello::{Board, Diagram, Line, LineError, Move, Side, Square, TextError};
use proptest::prelude::*;

/// Whole games, one per line.
const GAMES: &str = include_str!("data/edax_games.txt");
const BOOK_SHOW: &str = include_str!("data/edax_book_show.txt");

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

fn refused(line: &str) -> String {
    line.parse::<Line>().unwrap_err().to_string()
}

/// Law (Boards and moves): Squares, moves, lines, boards and keys survive a round trip through text.
/// Also: `lines_survive_a_round_trip` `lines_and_what_follows_come_back` `board_texts_survive_a_round_trip`
/// `crates/othello/tests/symmetry.rs` `keys_survive_a_round_trip`
#[test]
fn squares_and_moves_survive_a_round_trip() {
    let mut names = Vec::new();
    for at in Square::all() {
        assert_eq!(Square::new(at.index()), Some(at));
        assert_eq!(at.index(), at.rank() * 8 + at.file());
        assert_eq!(at.bit(), 1 << at.index());
        let name = at.to_string();
        assert_eq!(name.parse(), Ok(at));
        assert_eq!(name.to_uppercase().parse(), Ok(at));
        let mv = Move::from(at);
        assert_eq!(name.to_uppercase().parse(), Ok(mv));
        assert_eq!(mv.to_string(), name);
        assert_eq!(Move::from_code(mv.code()), Some(mv));
        names.push(name);
    }
    assert_eq!(names.len(), 64);
    assert_eq!(
        (names[0].as_str(), names[1].as_str(), names[63].as_str()),
        ("a1", "b1", "h8")
    );
    assert_eq!(Square::new(64), None);
    for pass in ["pa", "PA", "pass", "Pass", "ps", "PS", "--"] {
        assert_eq!(pass.parse(), Ok(Move::Pass), "{pass}");
    }
    assert_eq!(
        (Move::Pass.code(), Move::from_code(64)),
        (64, Some(Move::Pass))
    );
    assert_eq!(Move::Pass.to_string(), "pa");
    for code in 65..=255 {
        assert_eq!(Move::from_code(code), None);
    }
}

#[test]
fn no_squares() {
    for text in [
        "", "f", "f5f", "i1", "a0", "a9", "55", "ff", " f5", "é", "f５", "\0\0", "pa", "`1", "@1",
    ] {
        assert!(text.parse::<Square>().is_err(), "{text:?}");
    }
    let said = |text: &str| text.parse::<Square>().unwrap_err().to_string();
    assert_eq!(said("5F"), "“5F” is not a square: did you mean f5?");
    assert_eq!(said(" f5 "), "“ f5 ” is not a square: did you mean f5?");
    assert_eq!(
        said("f9"),
        "“f9” is not a square: expected a letter a–h and a digit 1–8, such as f5"
    );
    let said = |text: &str| text.parse::<Move>().unwrap_err().to_string();
    assert_eq!(said("6d"), "“6d” is not a move: did you mean d6?");
    assert_eq!(
        said("p\n"),
        "“p\\n” is not a move: expected a square such as f5, or pa for a pass"
    );
    let long = said(&"x".repeat(1_000_000));
    assert!(
        long.starts_with("“xxxxxxxxxxxxxxxx…” is not a move"),
        "{long}"
    );
}

#[test]
fn whole_games() {
    let mut passes = 0;
    for written in GAMES.lines() {
        let line: Line = written.parse().unwrap();
        assert!(line.board().is_over(), "{written}");
        assert_eq!(line.board().moves().count(), 0);
        assert_eq!(line.board().empties(), 0);
        let places = line.moves().iter().filter(|mv| **mv != Move::Pass);
        assert_eq!(
            places.clone().map(Move::to_string).collect::<String>(),
            written
        );
        assert_eq!(Line::from_moves(places.copied()), Ok(line.clone()));
        assert_eq!(line.ply(), 60);
        passes += line.moves().len() - 60;
    }
    assert_eq!(GAMES.lines().count(), 12);
    assert!(passes > 0, "some of these games have passes");
}

#[test]
fn passes_written_or_not_are_one_line() {
    let line: Line = "f5f6d3g5h5h4f7h6e7".parse().unwrap();
    assert_eq!(line.to_string(), "f5f6d3g5h5h4f7h6pae7");
    assert_eq!((line.moves().len(), line.side()), (10, Side::Black));
    assert_eq!(line.ply(), 9, "a pass is not a ply");
    for pass in ["pa", "PA", "ps", "--", "pass", " Pass ", "P a s s", ",pa,"] {
        let written = format!("F5f6D3g5 H5h4,f7h6{pass}e7");
        assert_eq!(written.parse(), Ok(line.clone()), "{written}");
    }
    let passed: Line = "f5f6d3g5h5h4f7h6pa".parse().unwrap();
    assert_eq!((passed.ply(), passed.side()), (8, Side::White));
    assert_eq!(passed.board().place(square("e7")), Some(line.board()));
}

#[test]
fn line_errors_have_a_place() {
    assert_eq!(
        refused("e4"),
        "move 1, e4, is not legal at the start: legal moves are d3 c4 f5 e6"
    );
    assert_eq!(
        refused("f5 pa"),
        "move 2, pa, is not legal after f5: legal moves are f4 d6 f6"
    );
    assert_eq!(
        refused("f5f6d3g5h5h4f7h6a1"),
        "move 9, a1, is not legal after f5f6d3g5h5h4f7h6: legal moves are pa c5 e7"
    );
    assert_eq!(
        refused("f5f6d3g5h5h4f7h6pa--"),
        "move 10, pa, is not legal after f5f6d3g5h5h4f7h6pa: legal moves are c5 e7"
    );
    assert_eq!(
        refused("e6f4e3f6g5d6e7f5c5a1"),
        "move 10, a1, is not legal after e6f4e3f6g5d6e7f5c5: the game is over"
    );
    assert_eq!(
        refused("f5 d6 5c"),
        "at character 7: “5c” is not a move: did you mean c5?"
    );
    assert_eq!(
        refused("f5d"),
        "at character 3: “d” is not a move: expected a square such as f5, or pa for a pass"
    );
    assert_eq!(
        refused("f5→d6"),
        "at character 3: “→d” is not a move: expected a square such as f5, or pa for a pass"
    );
    assert_eq!(
        "ff55".parse::<Line>(),
        Err(LineError::NoMove {
            at: 1,
            found: "ff".to_owned()
        })
    );
    assert!(matches!(
        "f5f5".parse::<Line>(),
        Err(LineError::Illegal { number: 2, mv: Move::Place(_), after, legal })
            if after == "f5" && legal.len() == 3
    ));
}

/// A line is the same however it is written.
#[test]
fn common_notations_are_one_line() {
    let line: Line = "f5d6c3".parse().unwrap();
    for text in [
        "F5 D6 C3",
        "f5-d6-c3",
        "f5, d6, c3",
        "f5;d6;c3",
        "1. f5 d6 2. c3",
        "1.f5 d6 2.c3",
        "1) F5 2) D6 3) C3",
        "1: f5 d6 2: c3",
        "1. f5 1... d6 2. c3",
        "\tf5\n d6 c3 ",
    ] {
        assert_eq!(text.parse(), Ok(line.clone()), "{text}");
    }
    for text in ["15 f5", "f5/d6", "f5 6d"] {
        assert!(text.parse::<Line>().is_err(), "{text}");
    }
}

/// The moves may follow a board: a key, in any of its forms, or squares.
#[test]
fn lines_begin_at_boards() {
    let line: Line = "f5d6".parse().unwrap();
    let canonical = line.board().canonical();
    let key: String = canonical
        .to_key()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for text in [
        key.clone(),
        key.to_uppercase(),
        format!("x'{key}'"),
        format!("X'{key}'"),
        format!(" {} {} ", &key[..16], &key[16..]),
    ] {
        let found: Line = text.parse().unwrap();
        assert_eq!(found, Line::at(canonical.board(), Side::Black), "{text}");
        assert_eq!((found.ply(), found.moves().len()), (2, 0));
    }
    let squares = line.board().to_text_for(line.side());
    for text in [
        squares.clone(),
        squares.replace(' ', ""),
        squares.replace('-', "."),
    ] {
        assert_eq!(
            text.parse(),
            Ok(Line::at(line.board(), line.side())),
            "{text}"
        );
    }
    let mv = canonical.board().moves().next().unwrap();
    for text in [format!("{key} {mv}"), format!("{squares} c3")] {
        let found: Line = text.parse().unwrap();
        assert_eq!((found.ply(), found.moves().len()), (3, 1));
        assert_eq!(found.prefix(0).board(), found.start());
    }
    assert_eq!(
        refused("00000000000000010000000000000001"),
        "the key is not a board: both sides hold a1"
    );
    assert_eq!(
        refused(&squares[..50]),
        "the board ends after 50 characters: expected 64 squares and the side to move"
    );
}

proptest! {
    /// A line written as text is read back as the same line, wherever it begins.
    #[test]
    fn lines_and_what_follows_come_back(places in prop::collection::vec(any::<prop::sample::Index>(), 0..70), begin in 0..70usize) {
        let mut line = Line::new();
        for place in places {
            let moves: Vec<Move> = line.board().moves().collect();
            if moves.is_empty() {
                break;
            }
            line.push(*place.get(&moves)).unwrap();
        }
        prop_assert_eq!(line.to_string().parse(), Ok(line.clone()));
        let mut rest = line.moves().iter().skip(begin);
        let start = line.prefix(begin);
        let mut later = Line::at(start.board(), start.side());
        prop_assert!(rest.all(|mv| later.push(*mv).is_ok()));
        prop_assert_eq!(later.board(), line.board());
        prop_assert_eq!(later.to_string().parse(), Ok(later.clone()));
    }

    /// No text causes a panic.
    #[test]
    fn any_text_is_a_line_or_an_error(text in "[a-h1-8XOxo. ,;'-]{0,80}|.{0,80}") {
        let _ = text.parse::<Line>().map_err(|error| error.to_string());
    }
}

/// Law (Boards and moves): A refused move leaves the line unchanged.
#[test]
fn a_refused_move_leaves_the_line_unchanged() {
    let mut line: Line = "f5f6d3g5h5h4f7h6".parse().unwrap();
    let before = line.clone();
    assert!(line.push(Move::Place(square("a1"))).is_err());
    assert_eq!(line, before);
    line.push(Move::Place(square("c5"))).unwrap();
    assert_eq!(line.to_string(), "f5f6d3g5h5h4f7h6pac5");
}

#[test]
fn nothing_is_the_start() {
    for text in ["", "  ", ",\n"] {
        assert_eq!(text.parse(), Ok(Line::new()));
    }
    assert_eq!(Line::default().board(), Board::START);
    assert_eq!((Line::new().side(), Line::new().ply()), (Side::Black, 0));
}

#[test]
fn board_texts_that_are_wrong() {
    let start = Board::START.to_text();
    let squares = &start[..64];
    let read = |text: &str| text.parse::<Board>();
    assert_eq!(read(""), Err(TextError::TooShort { found: 0 }));
    assert_eq!(read(&squares[..63]), Err(TextError::TooShort { found: 63 }));
    assert_eq!(read(squares), Err(TextError::TooShort { found: 64 }));
    assert_eq!(
        read(&format!("{squares}-")),
        Err(TextError::Unexpected { at: 65, found: '-' })
    );
    assert_eq!(
        read(&format!("{squares} ?")),
        Err(TextError::Unexpected { at: 66, found: '?' })
    );
    assert_eq!(
        read(&format!("é{squares}")),
        Err(TextError::Unexpected { at: 1, found: 'é' })
    );
    assert_eq!(
        read(&format!("--é{squares}")),
        Err(TextError::Unexpected { at: 3, found: 'é' })
    );
    for extra in ["X", "O", "-", ";", ",3,D6,-1", "é", " \n X"] {
        let found = extra.trim_start().chars().next().unwrap();
        let at = 67 + extra.len() - extra.trim_start().len();
        let text = format!("{start}{extra}");
        assert_eq!(
            read(&text),
            Err(TextError::Trailing { at, found }),
            "{extra:?}"
        );
    }
    assert_eq!(
        read(&"X".repeat(1_000_000)),
        Err(TextError::Trailing { at: 66, found: 'X' })
    );
    assert_eq!(
        read("\u{1b}").unwrap_err().to_string(),
        "“\\u{1b}” at character 1: expected X, O or - for a square, then X or O for the side to move"
    );
}

#[test]
fn board_texts_in_every_dress() {
    let text = Board::START.to_text();
    let turned = Board::START.passed();
    for (player, opponent, empty) in [
        ('*', 'O', '-'),
        ('x', 'o', '.'),
        ('B', 'W', '-'),
        ('b', 'w', '.'),
        ('X', '0', '-'),
    ] {
        let dressed = |side: char| {
            let squares = text[..64].chars().map(|c| match c {
                'X' => player,
                'O' => opponent,
                _ => empty,
            });
            squares.chain([side]).collect::<String>()
        };
        assert_eq!(dressed(player).parse(), Ok(Board::START));
        assert_eq!(dressed(opponent).parse(), Ok(turned));
        let lines: Vec<String> = dressed(player)
            .as_bytes()
            .chunks(8)
            .map(|c| String::from_utf8_lossy(c).into())
            .collect();
        assert_eq!(
            format!("{}\n", lines.join("\r\n")).parse(),
            Ok(Board::START)
        );
    }
}

/// Turns a drawing and the side to move into a board's text.
fn undraw(drawing: &[&str], side: char) -> String {
    let squares = drawing[1..9].iter().flat_map(|rank| rank[2..17].split(' '));
    squares.chain([side.to_string().as_str()]).collect()
}

#[test]
fn drawings_are_those_of_edax() {
    const FILES: &str = "  A B C D E F G H";
    let lines: Vec<&str> = BOOK_SHOW.lines().collect();
    let drawings = lines
        .windows(10)
        .filter(|w| w[0] == FILES && w[1].starts_with("1 "));
    let mut sides = Vec::new();
    for shown in drawings {
        let side = if shown[2].ends_with("* to move") {
            Side::Black
        } else {
            Side::White
        };
        let letter = if side == Side::Black { '*' } else { 'O' };
        let board: Board = undraw(shown, letter).parse().unwrap();
        // Edax's remarks begin after the rank's number.
        let drawing: Vec<&str> = shown
            .iter()
            .map(|line| &line[..line.len().min(19)])
            .map(str::trim_end)
            .collect();
        assert_eq!(board.diagram_for(side).to_string(), drawing.join("\n"));
        sides.push(side);
    }
    assert_eq!(sides.len(), 5);
    assert!(sides.contains(&Side::White));
}

fn drawn(diagram: Diagram, side: char) -> Board {
    let text = diagram.to_string();
    undraw(&text.lines().collect::<Vec<_>>(), side)
        .parse()
        .unwrap()
}

proptest! {
    #[test]
    fn board_texts_survive_a_round_trip(board in any_board()) {
        prop_assert_eq!(board.to_text().len(), 66);
        prop_assert_eq!(board.to_text().parse(), Ok(board));
        prop_assert_eq!(drawn(board.diagram(), '*'), board);
        prop_assert_eq!(drawn(board.diagram_for(Side::White), 'O'), board);
        prop_assert_eq!(board.diagram().to_string(), board.diagram_for(Side::Black).to_string());
    }

    #[test]
    fn drawings_mark_the_legal_moves(board in reachable()) {
        let dots = board.diagram().to_string().matches('.').count();
        prop_assert_eq!(dots, board.legal_moves().len());
    }

    #[test]
    fn lines_survive_a_round_trip(choices in prop::collection::vec(any::<u8>(), 0..70), spaced: bool) {
        let mut line = Line::new();
        for choice in choices {
            let moves: Vec<Move> = line.board().moves().collect();
            let Some(&mv) = moves.get(choice as usize % moves.len().max(1)) else { break };
            let (board, side) = (line.board(), line.side());
            line.push(mv).unwrap();
            prop_assert_eq!(board.play(mv), Some(line.board()));
            prop_assert_eq!(line.side(), side.other());
        }
        let words: Vec<String> = line.moves().iter().map(Move::to_string).collect();
        let text = words.join(if spaced { " " } else { "" }).to_uppercase();
        prop_assert_eq!(text.parse(), Ok(line.clone()));
        prop_assert_eq!(line.to_string().parse(), Ok(line.clone()));
        prop_assert_eq!(Line::from_moves(line.moves().iter().copied()), Ok(line));
    }

    /// Any text is read or refused, and what was read is written back the same.
    #[test]
    fn hostile_texts_are_answered(text in prop_oneof![".*", "[a-i0-9 pasPAS,é-]{0,40}", "[XO. -]{60,70}"]) {
        if let Err(error) = text.parse::<Square>() {
            prop_assert!(!error.to_string().is_empty());
        }
        match text.parse::<Move>() {
            Ok(mv) => prop_assert_eq!(mv.to_string().parse(), Ok(mv)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        match text.parse::<Line>() {
            Ok(line) => prop_assert_eq!(line.to_string().parse(), Ok(line)),
            Err(LineError::NoMove { at, found }) => {
                prop_assert_eq!(text.chars().nth(at - 1), found.chars().next());
                prop_assert!(found.chars().count() <= 2);
            }
            Err(error @ LineError::Illegal { .. }) => {
                prop_assert!(error.to_string().contains("is not legal"));
            }
            Err(LineError::Board(error)) => {
                // Moves may follow the board, so nothing is trailing.
                let is_inside = !matches!(error, TextError::Trailing { .. });
                prop_assert!(is_inside);
            }
            Err(LineError::Key(error)) => prop_assert!(!error.0.is_empty()),
        }
        match text.parse::<Board>() {
            Ok(board) => prop_assert_eq!(board.to_text().parse(), Ok(board)),
            Err(TextError::Unexpected { at, found } | TextError::Trailing { at, found }) => {
                prop_assert_eq!(text.chars().nth(at - 1), Some(found));
            }
            Err(TextError::TooShort { found }) => prop_assert!(found <= 64),
        }
    }
}

/// The Generic Game Server writes the number of rows before a board.
#[test]
fn boards_of_the_server_are_read() {
    let rows = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
    for side in ['*', 'O'] {
        let plain = format!("{rows} {side}");
        let board = Board::read_with_side(&plain).unwrap();
        assert_eq!(Board::read_with_side(&format!("8 {plain}")), Ok(board));
        let line = |text: &str| text.parse::<Line>().unwrap();
        assert_eq!(line(&format!("8 {plain}")), line(&plain));
    }
    let line = |text: &str| text.parse::<Line>().unwrap();
    assert_eq!(line(&format!("8 {rows} * f5d6")), line("f5d6"));
    assert!(Board::read_with_side(&format!("9 {rows} *")).is_err());
}
