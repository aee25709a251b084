//! Names of openings, and the promises of their table.

use obook_games::names::{TypedError, find, of_board, of_line, openings, read_line};
use obook_othello::{Line, LineError, Move};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Law (Boards and moves): An opening's name means one position, in any orientation and order of moves; a line has the name of
/// its longest named beginning.
/// Also: `names_lead_to_their_openings` `a_line_has_the_name_of_its_longest_named_beginning`
/// `mirror_images_have_the_same_name` `moves_are_read_as_ever` `kana_lead_to_openings`
/// `tests/store/extension/functions.rs` `openings_have_names_and_names_lead_to_them`
/// `openings_are_listed_by_any_part_of_their_names`
#[test]
fn the_table_is_as_its_readme_says() {
    let mut boards = BTreeSet::new();
    for opening in openings() {
        let line = &opening.line;
        assert!(line.is_from_start() && line.ply() >= 2, "{line}");
        assert!(line.to_string().starts_with("f5"), "{line}");
        assert!(
            boards.insert(line.board().canonical()),
            "{line} is a second row"
        );
        for source in &opening.sources {
            let (list, page) = source.split_once(':').unwrap_or((source, ""));
            let known = match list {
                "samsoft" | "gatliff" => page.is_empty(),
                "hasera" | "bassy84" => !page.is_empty(),
                _ => false,
            };
            assert!(known, "{line}: {source}");
        }
        assert!(!opening.sources.is_empty(), "{line}");
    }
    assert!(openings().len() > 100);
    let lists = |list: &str| {
        let has = |source: &&str| source.split(':').next() == Some(list);
        let listed = |opening: &&_| -> bool {
            let opening: &obook_games::names::Opening = opening;
            opening.sources.iter().any(has)
        };
        openings().iter().filter(listed).count()
    };
    for list in ["samsoft", "gatliff", "hasera", "bassy84"] {
        assert!(lists(list) >= 20, "{list}: {}", lists(list));
    }
}

#[test]
fn rows_are_sorted_by_their_moves() {
    let lines: Vec<String> = openings().iter().map(|at| at.line.to_string()).collect();
    assert!(lines.is_sorted());
}

/// Each name means one position, and is found in any spelling.
#[test]
fn names_lead_to_their_openings() {
    let mut all: BTreeMap<String, &str> = BTreeMap::new();
    for opening in openings() {
        for name in opening.names() {
            assert_eq!(name.trim(), name);
            let small: String = name.to_lowercase();
            assert_eq!(
                all.insert(small.clone(), name),
                None,
                "{name} has two positions"
            );
            for spelt in [
                name,
                &small,
                &name.to_uppercase(),
                &name.replace(['-', ' '], ""),
            ] {
                assert_eq!(find(spelt).unwrap(), opening, "{spelt}");
            }
            assert_eq!(find(&format!(" {name} Opening")).unwrap(), opening);
            assert_eq!(read_line(name).unwrap(), opening.line, "{name}");
        }
    }
}

#[test]
fn well_known_openings_have_their_names() {
    for (moves, english, japanese) in [
        ("f5d6", "Perpendicular", "縦取り"),
        ("f5f6", "Diagonal", "斜め取り"),
        ("f5f4", "Parallel", "並び取り"),
        ("f5d6c3d3c4", "Tiger", "虎"),
        ("f5d6c5f4e3c6d3f6e6d7", "Rose", "ローズ"),
        ("f5f6e6f4e3", "Cow", "牛"),
        ("f5f6e6f4g5", "Heath", "闘牛"),
        ("f5f6e6f4c3", "Buffalo", "バッファロー"),
        ("f5d6c3d3c4f4f6f3", "Comp'Oth", "コンポス"),
        ("f5d6c3d3c4f4f6g5", "No-Kung", "ノーカン"),
    ] {
        let line: Line = moves.parse().unwrap();
        let opening = of_board(line.board().canonical()).unwrap();
        assert_eq!(opening.english, Some(english), "{moves}");
        assert_eq!(opening.japanese, Some(japanese), "{moves}");
        assert_eq!(find(japanese).unwrap(), opening);
    }
}

/// Japanese names with Chinese characters have readings, in which there are none, and which no other opening has.
#[test]
fn kana_lead_to_openings() {
    let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    for opening in openings() {
        let written = opening.names().any(|name| name.contains(is_chinese));
        assert_eq!(written, !opening.readings.is_empty(), "{opening}");
        for reading in &opening.readings {
            assert!(!reading.contains(is_chinese), "{reading}");
            assert_eq!(find(reading), Ok(opening), "{reading}");
        }
    }
    for (typed, name) in [
        ("とら", "Tiger"),
        ("トラ", "Tiger"),
        ("ﾄﾗ", "Tiger"),
        ("うさぎ", "Rabbit"),
        ("うし", "Cow"),
        ("うしじょうせき", "Cow"),
        ("へび", "Snake"),
    ] {
        assert_eq!(find(typed).unwrap().name(), name, "{typed}");
    }
    assert_eq!(read_line("うさぎ e6"), read_line("rabbit e6"));
}

#[test]
fn spelling_is_forgiven() {
    let tiger = find("tiger").unwrap();
    for typed in [
        "TIGER",
        "  Tiger ",
        "Tigér",
        "ｔｉｇｅｒ",
        "虎",
        "虎定石",
        "tora",
        "tiger opening",
    ] {
        assert_eq!(find(typed).unwrap(), tiger, "{typed}");
    }
    // In half-width letters, with separate voicing marks.
    assert_eq!(find("ﾊﾞｯﾌｧﾛｰ"), find("バッファロー"));
    assert_ne!(find("ハッファロー").ok(), find("バッファロー").ok());
}

#[test]
fn misspelt_names_are_guessed() {
    let meant = |typed: &str| find(typed).unwrap_err().meant;
    assert_eq!(meant("tigre"), ["Tiger"]);
    assert_eq!(meant("bufalo"), ["Buffalo"]);
    assert_eq!(meant("stevenson"), ["Stephenson"]);
    assert_eq!(meant("no-cung"), ["No-Kung"]);
    assert_eq!(meant("desdemona"), [""; 0]);
    assert_eq!(meant(""), [""; 0]);
    assert_eq!(meant(&"tiger".repeat(100_000)), [""; 0]);
}

#[test]
fn moves_may_follow_a_name() {
    let line = |text: &str| read_line(text).unwrap().to_string();
    assert_eq!(line("tiger f4f6"), "f5d6c3d3c4f4f6");
    assert_eq!(line(" Tiger  6. f4 7. f6"), "f5d6c3d3c4f4f6");
    assert_eq!(line("leader's tiger"), "f5d6c3d3c4f4e6");
    // The longest name counts.
    assert_eq!(line("heath chimney"), line("Heath-Chimney"));
    assert_eq!(line("f5 d6"), "f5d6");
    assert_eq!(line(""), "");
}

#[test]
fn invalid_lines_say_why() {
    let error = |text: &str| read_line(text).unwrap_err().to_string();
    assert_eq!(
        error("tigre"),
        "no opening is called “tigre”; did you mean “Tiger”?"
    );
    assert_eq!(
        error("tigre f4"),
        "no opening is called “tigre”; did you mean “Tiger”?"
    );
    assert_eq!(
        error("hamlet"),
        "no opening is called “hamlet”; moves are written like f5d6c3"
    );
    assert_eq!(
        read_line("tiger a1"),
        Err(TypedError::Line(
            "f5d6c3d3c4a1".parse::<Line>().unwrap_err()
        ))
    );
    assert_eq!(
        read_line("tiger f9"),
        Err(TypedError::Line(LineError::NoMove {
            at: 7,
            found: "f9".into()
        }))
    );
    for moves in [
        "f9",
        "f5d6x",
        "a1",
        "---X",
        "pass",
        "f5 hamlet",
        &"hamlet".repeat(20),
    ] {
        assert_eq!(
            read_line(moves),
            Err(TypedError::Line(moves.parse::<Line>().unwrap_err())),
            "{moves}"
        );
    }
}

/// A line of legal moves, each chosen by a number.
fn lines() -> impl Strategy<Value = Line> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..24).prop_map(|choices| {
        let mut line = Line::new();
        for choice in choices {
            let moves: Vec<Move> = line.board().moves().collect();
            if !moves.is_empty() {
                line.push(moves[choice.index(moves.len())]).unwrap();
            }
        }
        line
    })
}

/// An opening and random moves after it.
fn continued() -> impl Strategy<Value = Line> {
    (prop::sample::select(openings()), lines()).prop_map(|(opening, more)| {
        let mut line = opening.line.clone();
        for mv in more.moves() {
            // Moves that are legal after other moves may be legal here too.
            let _ = line.push(*mv);
        }
        line
    })
}

proptest! {
    /// The name of a line is that of its longest beginning with a name.
    #[test]
    fn a_line_has_the_name_of_its_longest_named_beginning(line in prop_oneof![lines(), continued()]) {
        let beginnings = (0..=line.moves().len()).rev().map(|length| line.prefix(length));
        let named = beginnings.filter_map(|beginning| {
            openings().iter().find(|opening| {
                opening.line.board().canonical() == beginning.board().canonical()
            })
        });
        prop_assert_eq!(of_line(&line), { named }.next());
    }

    #[test]
    fn mirror_images_have_the_same_name(line in continued(), mirrored in any::<bool>()) {
        let image = |mv: &Move| match mv {
            Move::Place(square) => {
                let (row, column) = (square.index() / 8, square.index() % 8);
                // The start position is the same in both diagonals.
                let index = if mirrored { 8 * column + row } else { 63 - square.index() };
                Move::Place(obook_othello::Square::new(index).unwrap())
            }
            Move::Pass => Move::Pass,
        };
        let other = Line::from_moves(line.moves().iter().map(image)).unwrap();
        prop_assert_eq!(of_line(&other), of_line(&line));
        prop_assert!(of_line(&line).is_some());
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}", name in prop::sample::select(openings())) {
        match (text.parse::<Line>(), read_line(&text)) {
            (Ok(line), read) => prop_assert_eq!(read, Ok(line)),
            (Err(_), Ok(line)) => prop_assert!(of_line(&line).is_some()),
            (Err(_), Err(error)) => prop_assert!(!error.to_string().is_empty()),
        }
        // The moves after a name continue from there, or belong to a longer name.
        if let Ok(line) = read_line(&format!("{} {text}", name.name())) {
            let begun = line.prefix(name.line.moves().len());
            prop_assert!(begun == name.line || of_board(line.board().canonical()).is_some());
        }
    }

    /// Lines of moves are not affected by names.
    #[test]
    fn moves_are_read_as_ever(line in lines()) {
        let written = line.to_string();
        prop_assert_eq!(read_line(&written).unwrap(), line);
    }
}
