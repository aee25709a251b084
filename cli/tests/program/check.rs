//! `obook check`: games from a file, compared with a book.

use crate::support::program::{arg, complaint, json, obook, piped, stdout};
use obook_games::{Decimal, Game, Reader};
use obook_testing::games::eight_games;
use obook_testing::golden::golden;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with a file of eight games.
fn games() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.wtb");
    std::fs::write(&file, eight_games(1978)).unwrap();
    (folder, file)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn games_and_players_are_told() {
    let book = golden("games.dat");
    let (_folder, games) = games();
    let checked = json([
        "check",
        arg(&games),
        "--book",
        arg(&book),
        "--level",
        "1",
        "--json",
    ]);
    let found = checked["games"].as_array().unwrap();
    assert_eq!(found.len(), 8);
    for game in found {
        let moves = game["moves"].as_array().unwrap();
        assert!(moves.len() >= 50);
        let lost = |side: &str| -> i64 {
            let own = moves.iter().filter(|mv| mv["side"] == side);
            own.map(|mv| number(&mv["loss"])).sum()
        };
        let (start, end) = (&game["start"]["score"], &game["end"]["score"]);
        assert_eq!(number(start) - lost("black") + lost("white"), number(end));
        for side in game["sides"].as_array().unwrap() {
            assert_eq!(number(&side["loss"]), lost(side["side"].as_str().unwrap()));
            let part = |phase: &str| number(&side[phase]["moves"]);
            let parts = part("opening") + part("midgame") + part("endgame");
            assert_eq!(parts, number(&side["moves"]));
            let share = 100.0 * side["best"].as_f64().unwrap() / side["moves"].as_f64().unwrap();
            let accuracy = side["accuracy"].as_f64().unwrap();
            assert!((accuracy - share).abs() < 1e-9, "{side}");
        }
        // All games begin in the book, which is small.
        let in_book = number(&game["in_book"]);
        assert!((2..40).contains(&in_book), "{in_book}");
        let is_inside = |mv: &&Value| mv["in_book"] == true;
        assert_eq!(moves.iter().filter(is_inside).count() as i64, in_book - 1);
    }
    let sum = |of: &Value, field: &str| -> i64 {
        of.as_array()
            .unwrap()
            .iter()
            .map(|it| number(&it[field]))
            .sum()
    };
    let by_side: i64 = found.iter().map(|game| sum(&game["sides"], "loss")).sum();
    let players = &checked["players"];
    assert_eq!(sum(players, "games"), 16);
    assert_eq!(sum(players, "loss"), by_side);

    let words = stdout(["check", arg(&games), "--book", arg(&book), "--level", "1"]);
    assert_eq!(words.matches("left the book at move").count(), 8, "{words}");
    for player in players.as_array().unwrap() {
        assert!(words.contains(player["name"].as_str().unwrap()), "{words}");
    }
}

#[test]
fn one_game_is_shown_move_by_move_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("game.svg");
    let (_folder, games) = games();
    let of_one = [
        "check",
        arg(&games),
        "--game",
        "3",
        "--no-book",
        "--level",
        "1",
    ];
    let words = stdout(of_one.iter().chain(&["--plot", arg(&picture)]));
    let found = &json(of_one.iter().chain(&["--json"]))["games"][0];
    assert!(found["place"].as_str().unwrap().contains("game 3"));
    let moves = found["moves"].as_array().unwrap();
    for mv in moves {
        let row = format!(
            "{:>4}  {:5}  {:4}",
            number(&mv["ply"]),
            mv["side"].as_str().unwrap(),
            mv["move"].as_str().unwrap()
        );
        let row = words.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("{mv}\n{words}"));
        assert!(row.contains(&format!("{:+}", number(&mv["after"]["score"]))));
    }
    assert!(words.contains("not in the book"), "{words}");
    // From 16 empty squares on, everything is exact, so no move can gain.
    let late = moves.iter().filter(|mv| number(&mv["ply"]) > 44);
    for mv in late {
        let by = mv["before"]["source"].as_str().unwrap();
        assert!(
            ["solved", "final"].contains(&by) && number(&mv["loss"]) >= 0,
            "{mv}"
        );
    }
    let svg = std::fs::read_to_string(&picture).unwrap();
    let marked = moves.iter().filter(|mv| number(&mv["loss"]) >= 2).count();
    assert!(marked > 0);
    // The legend has one of each side.
    assert_eq!(svg.matches("<circle ").count(), marked + 2);
    for tick in ["10", "30", "60"] {
        assert!(svg.contains(&format!(">{tick}</text>")), "{tick}");
    }
    let points = svg
        .split("points=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(points.split(' ').count(), moves.len() + 1);
    // Existing files are only replaced on request.
    assert!(
        complaint(of_one.iter().chain(&["--plot", arg(&picture)]), &picture).contains("exists")
    );
    stdout(of_one.iter().chain(&["--plot", arg(&picture), "--force"]));
}

#[test]
fn games_are_written_with_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let (_games, games) = games();
    let book = golden("games.dat");
    for name in ["checked.ggf", "checked.sgf"] {
        let output = folder.path().join(name);
        let check = ["check", arg(&games), "--book", arg(&book), "--level", "1"];
        let found = json(check.iter().chain(&["--output", arg(&output), "--json"]));
        let written: Vec<Game> = Reader::open(&output, None)
            .unwrap()
            .map(|entry| entry.unwrap().game)
            .collect();
        assert_eq!(written.len(), 8);
        for (game, found) in written.iter().zip(found["games"].as_array().unwrap()) {
            let moves = found["moves"].as_array().unwrap();
            let mut given_up = 0;
            for (index, mv) in moves.iter().enumerate() {
                let note = game.note(index);
                let worth = number(&mv["after"]["score"]) as f64;
                assert_eq!(note.value.map(Decimal::get), Some(worth), "{name}: {mv}");
                let remark = note.comment.as_deref().unwrap_or("");
                let loss = format!("gave up {}", number(&mv["loss"]));
                assert_eq!(remark.contains(&loss), number(&mv["loss"]) > 0, "{remark}");
                given_up += u32::from(!remark.is_empty());
            }
            assert!(given_up > 0);
            let left = number(&found["in_book"]) as usize - 1;
            let remark = game.note(left).comment.as_deref();
            assert!(remark.unwrap().contains("left the book"));
        }
        // Games replace games on request.
        let again = [
            check[0],
            check[1],
            "--no-book",
            "--game",
            "1",
            "--level",
            "1",
            "--output",
            arg(&output),
        ];
        assert!(complaint(again, &output).contains("a file of games"));
        stdout(again.iter().chain(&["--force"]));
    }
    let other = folder.path().join("checked.txt");
    let named = complaint(["check", arg(&games), "--output", arg(&other)], &other);
    assert!(named.contains("checked.ggf"), "{named}");
}

/// The moves of checked games.
fn lines(checked: &Value) -> Vec<String> {
    let games = checked["games"].as_array().unwrap().iter();
    let line = |game: &Value| -> String {
        let moves = game["moves"].as_array().unwrap().iter();
        moves.map(|mv| mv["move"].as_str().unwrap()).collect()
    };
    games.map(line).collect()
}

#[test]
fn games_come_from_files_databases_standard_input_and_the_command_line() {
    let (folder, games) = games();
    let database = folder.path().join("games.obook");
    stdout(["games", "import", arg(&games), "--book", arg(&database)]);
    let check = |source: &str, more: &[&str]| {
        json(
            [
                &[
                    "check",
                    source,
                    "--no-book",
                    "--level",
                    "0",
                    "--exact",
                    "0",
                    "--json",
                ][..],
                more,
            ]
            .concat(),
        )
    };
    let some = [
        "--player", "PLAYER 2", "--since", "1978", "--won-by", "white",
    ];
    let mut from_file = lines(&check(arg(&games), &some));
    let mut from_database = lines(&check(arg(&database), &some));
    from_file.sort();
    from_database.sort();
    assert!((1..8).contains(&from_file.len()), "{from_file:?}");
    assert_eq!(from_file, from_database);
    let refused = complaint(["check", arg(&games), "--until", "1977"], &games);
    assert!(
        refused.contains("no game that meets the conditions"),
        "{refused}"
    );

    let list = json(["games", "list", arg(&database), "--json"]);
    let id = list[2]["game"].to_string();
    let one = check(arg(&database), &["--game", &id]);
    let place = one["games"][0]["place"].as_str().unwrap();
    assert_eq!(place, format!("{}: game {id}", database.display()));
    let moves = &lines(&one)[0];
    assert_eq!(&lines(&check(moves, &[]))[0], moves);
    let said = piped(
        [
            "check",
            "-",
            "--no-book",
            "--level",
            "0",
            "--exact",
            "0",
            "--json",
        ],
        moves,
    );
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(&lines(&said)[0], moves);
    // Moves in several words, after the name of an opening.
    assert_eq!(
        lines(&json([
            "check",
            "tiger",
            "f4",
            "--no-book",
            "--level",
            "0",
            "--json"
        ])),
        ["f5d6c3d3c4f4"]
    );
    for (typed, named) in [
        ("f5f5", "f5, is not legal"),
        ("nowhere.wtb", "nowhere.wtb: No such file"),
    ] {
        let refused = obook(["check", typed]);
        let refused = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.contains(named), "{refused}");
    }
}

/// Each game is shown when it is done. After an interrupt, the report and the file have the games so far, and the moves of the next.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_checked() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let book = golden("games.dat");
    // The first game is in the book. A search for the second would take years.
    let games = folder.path().join("games.txt");
    std::fs::write(&games, "f5d6c3d3\nf5d6c3d3c4f4f6f3e3b4\n").unwrap();
    for json in [false, true] {
        let output = folder.path().join(format!("{json}.ggf"));
        let page = folder.path().join(format!("{json}.html"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(["check", arg(&games), "--book", arg(&book), "--level", "60"])
            .args(["--output", arg(&output), "--html", arg(&page)])
            .args(json.then_some("--json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut report = String::new();
        while !report.contains(if json { "\"sides\"" } else { "white gave up" }) {
            assert!(out.read_line(&mut report).unwrap() > 0, "{report}");
        }
        let id = child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(kill.success());
        out.read_to_string(&mut report).unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("1 of 2 games checked"), "{said}");
        if json {
            let report: Value = serde_json::from_str(&report).unwrap();
            assert_eq!(lines(&report), ["f5d6c3d3", "f5d6c3d3c4"]);
            assert_eq!(report["games"][0]["complete"], true);
            assert_eq!(report["games"][1]["complete"], false);
        } else {
            assert_eq!(
                report.matches("interrupted after move 5").count(),
                1,
                "{report}"
            );
        }
        assert_eq!(Reader::open(&output, None).unwrap().count(), 2);
        read_page(&page, |page| {
            let games = elements(page.root(), "game").into_iter();
            let moves: Vec<usize> = games.map(|game| elements(game, "li").len()).collect();
            assert_eq!(moves, [4, 5]);
        });
    }
}

/// Reads a page. It is well-formed XML too, and loads and runs nothing.
fn read_page<T>(page: &std::path::Path, read: impl FnOnce(&Document<'_>) -> T) -> T {
    let text = std::fs::read_to_string(page).unwrap();
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let page = Document::parse_with_options(&text, options).unwrap();
    const KNOWN: &str = "html head meta title style body main h1 h2 p section div figure figcaption ol li i span b table tr th td \
                         svg g rect path line text polyline circle";
    for element in page.descendants().filter(Node::is_element) {
        let name = element.tag_name().name();
        assert!(KNOWN.split(' ').any(|known| known == name), "{name}");
        for attribute in element.attributes() {
            let name = attribute.name();
            let is_harmless = !name.starts_with("on") && !name.contains("href") && name != "src";
            assert!(is_harmless, "{name}");
        }
    }
    read(&page)
}

/// The elements with this name, or this class, below a node.
fn elements<'a>(node: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    let is =
        |it: &Node<'_, '_>| it.tag_name().name() == name || it.attribute("class") == Some(name);
    node.descendants().filter(is).collect()
}

/// All text in a node.
fn text_of(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    let texts: String = texts.filter_map(|it| it.text()).collect();
    texts.trim().to_owned()
}

#[test]
fn a_page_has_courses_boards_and_losses() {
    let (folder, games) = games();
    let page = folder.path().join("games.html");
    let check = [
        "check",
        arg(&games),
        "--no-book",
        "--level",
        "1",
        "--html",
        arg(&page),
    ];
    let found = json(check.iter().chain(&["--json"]));
    let games = found["games"].as_array().unwrap();
    read_page(&page, |page| {
        let sections = elements(page.root(), "game");
        assert_eq!(sections.len(), games.len());
        for (section, game) in sections.into_iter().zip(games) {
            let moves = game["moves"].as_array().unwrap();
            let title = text_of(elements(section, "h2")[0]);
            let [black, white] = ["black", "white"].map(|side| game[side].as_str().unwrap());
            assert_eq!(title, format!("{black} – {white}"));
            let points = elements(section, "polyline")[0]
                .attribute("points")
                .unwrap();
            assert_eq!(points.split(' ').count(), moves.len() + 1);
            let items = elements(section, "li");
            assert_eq!(items.len(), moves.len());
            for (item, mv) in items.into_iter().zip(moves) {
                let loss = number(&mv["loss"]);
                let expected = match loss {
                    0 => String::new(),
                    loss => format!("{:+}", -loss).replace('-', "−"),
                };
                let bold = elements(item, "b").first().map(|it| text_of(*it));
                assert_eq!(bold.unwrap_or_default(), expected);
                assert!(text_of(item).contains(mv["move"].as_str().unwrap()));
            }
            // The boards show the worst moves.
            let mut losses: Vec<i64> = moves.iter().map(|mv| number(&mv["loss"])).collect();
            losses.sort_unstable();
            let worst = losses.iter().rev().take(3).filter(|loss| **loss >= 2);
            let captions = elements(section, "figcaption").into_iter().map(text_of);
            let captions: Vec<String> = captions.collect();
            let expected: Vec<String> = worst.map(|loss| format!(" lost {loss}: ")).collect();
            assert_eq!(captions.len(), expected.len());
            for (caption, expected) in captions.iter().zip(&expected) {
                assert!(caption.contains(expected), "{caption}");
            }
        }
        let players = page
            .descendants()
            .find(|it| it.attribute("id") == Some("players"));
        let rows = elements(players.unwrap(), "tr");
        for (row, player) in rows[1..].iter().zip(found["players"].as_array().unwrap()) {
            let cells: Vec<String> = elements(*row, "td").into_iter().map(text_of).collect();
            assert_eq!(cells[0], player["name"].as_str().unwrap());
            assert_eq!(cells[5], player["loss"].to_string());
        }
        assert_eq!(rows.len(), 1 + found["players"].as_array().unwrap().len());
    });
    let before = std::fs::read(&page).unwrap();
    let refused = complaint(check, &page);
    assert!(
        refused.contains("a page of HTML; give --force"),
        "{refused}"
    );
    stdout(check.iter().chain(&["--force"]));
    assert!(std::fs::read(&page).unwrap() == before);
    let other = folder.path().join("games.txt");
    let named = complaint(["check", "f5", "--html", arg(&other)], &other);
    assert!(named.contains("games.html"), "{named}");
}

/// Names in the files of strangers are text on a page.
#[test]
fn names_on_a_page_are_escaped() {
    const BLACK: &str = "</h2><script>alert(1)</script>&lt;";
    const WHITE: &str = "\" onload=\"alert(2)\" <img src=x>\u{202e}\u{1b}\u{ffff}";
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("<b>games&.ggf");
    let record = format!("(;GM[Othello]PB[{BLACK}]PW[{WHITE}]B[F5]W[D6]B[C3]W[D3];)\n");
    std::fs::write(&games, record.repeat(2)).unwrap();
    let page = folder.path().join("games.html");
    let checked = obook([
        "check",
        arg(&games),
        "--no-book",
        "--level",
        "0",
        "--html",
        arg(&page),
    ]);
    assert!(checked.status.success(), "{checked:?}");
    read_page(&page, |page| {
        let titles = elements(page.root(), "h2");
        assert_eq!(titles.len(), 3);
        let title = text_of(titles[0]);
        assert!(
            title.starts_with(&format!("{BLACK} – \" onload=")),
            "{title}"
        );
        assert!(
            !title.contains(['\u{202e}', '\u{1b}', '\u{ffff}']),
            "{title}"
        );
        let facts = elements(page.root(), "facts").into_iter().map(text_of);
        assert!(facts.into_iter().any(|it| it.contains("<b>games&.ggf")));
    });
}

/// A word that ends as a file's name does isn't a move.
#[test]
fn a_missing_file_beside_moves_is_named() {
    let missing = Path::new("missing.ggf");
    let said = complaint(["check", "f5d6c3", arg(missing)], missing);
    assert!(said.ends_with("there is no such file\n"), "{said}");
    let said = obook(["check", "1.f5", "2.f5", "--no-book"]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("move 2, f5, is not legal"), "{said}");
}

#[test]
fn misfits_are_reported() {
    let (_folder, games) = games();
    let book = golden("games.dat");
    let none = complaint(["check", arg(&games), "--game", "9"], &games);
    assert!(none.contains("there is no game 9"), "{none}");
    let no_games = complaint(["check", arg(&book)], &book);
    assert!(no_games.contains("games.dat"), "{no_games}");
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("game.svg");
    let several = complaint(
        [
            "check",
            arg(&games),
            "--level",
            "0",
            "--plot",
            arg(&picture),
        ],
        &picture,
    );
    assert!(several.contains("choose one with --game N"), "{several}");
    assert!(!picture.exists());
    let other = folder.path().join("game.gif");
    let named = complaint(["check", arg(&games), "--plot", arg(&other)], &other);
    assert!(named.contains("game.svg"), "{named}");
}

/// Nobody is blamed for the moves before a start that was drawn.
#[test]
fn games_begin_at_drawn_starts() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts.txt");
    // The second is the first, mirrored; the third is on no game's way.
    std::fs::write(&starts, "f5f6\nd3c3c4\nf5d6c4\n").unwrap();
    let checked = |moves: &str, more: &[&str]| {
        let book = golden("games.dat");
        let words = [
            "check",
            moves,
            "--book",
            arg(&book),
            "--level",
            "1",
            "--exact",
            "1",
            "--jobs",
            "1",
            "--json",
        ];
        let report = json(words.iter().chain(more));
        report["games"][0]["moves"].as_array().unwrap().clone()
    };
    let from = ["--starts", arg(&starts)];
    let whole = checked("f5f6e6f4c3", &[]);
    let begun = checked("f5f6e6f4c3", &from);
    assert_eq!((whole.len(), begun.len()), (5, 2));
    // The worth of a start comes from no position before it.
    assert_eq!((&begun[0]["ply"], &begun[1]), (&4.into(), &whole[4]));
    assert_eq!(checked("f5d6c3", &from).len(), 3);
    // A line with a fault is no start.
    std::fs::write(&starts, "f5f6\nf5d6c3h8\n").unwrap();
    let words = ["check", "f5d6c3", "--no-book", "--level", "1"];
    let said = complaint(words.iter().chain(&from), &starts);
    assert!(said.contains("move 4, h8, is not legal"), "{said}");
}

#[test]
fn games_are_chosen_by_opening_and_rating() {
    let folder = tempfile::tempdir().unwrap();
    let [file, database] = ["games.ggf", "games.obook"].map(|name| folder.path().join(name));
    let game = |ratings: &str, moves: &str| {
        format!(
            "(;GM[Othello]PB[rose]PW[lily]{ratings}TY[8]BO[8 ---------------------------O*------*O--------------------------- *]{moves};)\n"
        )
    };
    let games = [
        game("RB[1900.5]RW[2100]", "B[f5]W[d6]"),
        game("RB[2000]RW[2100]", "B[d3]W[c5]"),
        game("", "B[f5]W[f6]"),
    ];
    std::fs::write(&file, games.concat()).unwrap();
    stdout(["games", "import", arg(&file), "--book", arg(&database)]);
    for games in [&file, &database] {
        let checked = |more: &[&str]| {
            let words = [
                "check",
                arg(games),
                "--no-book",
                "--level",
                "1",
                "--exact",
                "1",
                "--jobs",
                "1",
                "--json",
            ];
            let report = json(words.iter().chain(more));
            report["games"].as_array().unwrap().len()
        };
        let counts = [
            checked(&[]),
            checked(&["--opening", "f5d6"]),
            checked(&["--rated", "1900"]),
            checked(&["--rated", "1950"]),
            checked(&["--opening", "f5f6"]),
        ];
        assert_eq!(counts, [3, 2, 2, 1, 1], "{}", games.display());
    }
}
