//! Engines outside that do everything wrong. Each failure is an error that says what happened, and the next search works.
#![cfg(unix)]

use obook_converters::{BookWriter, Format, Header};
use obook_engine::{EngineChoice, Limits, Outside, Protocol, Request, SearchError, Stop, Trouble};
use obook_othello::{Board, Bounds, Engine, Leaf, Move, Outcomes, Position};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A shell script that plays an engine.
pub(crate) fn scripted(protocol: Protocol, script: &str) -> Outside {
    Outside {
        name: String::from("fake"),
        protocol,
        program: PathBuf::from("sh"),
        arguments: vec![String::from("-c"), script.to_owned()],
        folder: None,
        engine: protocol.scale(),
        options: BTreeMap::new(),
        patience: Duration::from_secs(1200),
    }
}

/// An NBoard engine that answers the start position honestly, but runs these commands at level 1.
fn nboard(at_level_1: &str) -> Outside {
    let script = format!(
        r#"while read -r word rest; do
            case "$word $rest" in
                ping*) echo "pong $rest" ;;
                "set depth"*) level="${{rest#depth }}" ;;
                hint*)
                    if [ "$level" = 1 ]; then
                        {at_level_1}
                    else
                        echo "search d3C3 +1 0 $level"
                        echo "search c4E3 0.2 0 $level"
                        echo "status fake is waiting"
                    fi ;;
            esac
        done"#
    );
    scripted(Protocol::NBoard, &script)
}

fn start(level: u8) -> Request {
    Request::new(Board::START, level).unwrap()
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

/// The trouble at level 1. Searches at level 2 before and after it succeed.
fn trouble_of(outside: Outside, request: Request) -> (Trouble, String) {
    let mut searcher = EngineChoice::Outside(outside).start().unwrap();
    let before = searcher.search(&start(2)).unwrap();
    let error = searcher.search(&request).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("engine fake"), "{said}");
    assert!(said.contains(&Board::START.to_text()), "{said}");
    let after = searcher.search(&start(2)).unwrap();
    assert_eq!((before.mv, before.score), (after.mv, after.score));
    match error {
        SearchError::Failed { trouble, .. } => (trouble, said),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_honest_engine_is_believed() {
    let mut searcher = EngineChoice::Outside(nboard(":")).start().unwrap();
    let answer = searcher.search(&start(2)).unwrap();
    assert_eq!((answer.mv, answer.score, answer.depth), (mv("d3"), 1, 2));
    assert_eq!(answer.variation, [mv("d3"), mv("c3")]);
    assert_eq!(
        (answer.engine, answer.level, answer.proven),
        (Engine::Edax, 2, false)
    );
    let second = searcher
        .search(&start(2).without(mv("d3")).unwrap())
        .unwrap();
    assert_eq!((second.mv, second.score), (mv("c4"), 0));
    let both = searcher.hint(&start(2), 2).unwrap();
    let moves: Vec<Move> = both.iter().map(|answer| answer.mv).collect();
    assert_eq!(moves, [mv("d3"), mv("c4")]);
}

/// Law (Other engines): Anything but an answer is an error with the engine, the board and its words; the next search is normal.
/// Also: `an_engine_that_dies_is_restarted` `an_engine_that_hangs_is_stopped`
/// `a_table_is_read_by_the_names_of_its_columns` `text_before_the_first_row_is_skipped`
/// `books_that_come_back_are_checked`
#[test]
fn anything_but_an_answer_is_an_error() {
    let all_but_f5 = ["d3", "c4", "e6"]
        .into_iter()
        .fold(start(1), |request, left_out| {
            request.without(mv(left_out)).unwrap()
        });
    let waits = "echo 'status waiting'";
    for (does, expected) in [
        (
            "echo 'search a1 0 0 1'; echo status",
            Trouble::Illegal(String::from("a1")),
        ),
        ("echo 'search d3 65 0 1'; echo status", Trouble::Score(65)),
        (
            "echo 'search d3 -1e99 0 1'; echo status",
            Trouble::Score(i32::MIN),
        ),
        ("echo 'search d3 0 0 99'; echo status", Trouble::Depth(99)),
        (
            "echo 'book f5 0 17 9'; echo status",
            Trouble::FromBook(String::from("book f5 0 17 9")),
        ),
        (
            "echo 'search xyzzy'; echo status",
            Trouble::NoAnswer {
                expected: "search MOVES SCORE 0 DEPTH",
                found: String::from("search xyzzy"),
            },
        ),
        (
            waits,
            Trouble::NoAnswer {
                expected: "a move",
                found: String::from("none"),
            },
        ),
        (
            "while :; do printf 'search search search '; done",
            Trouble::Endless,
        ),
    ] {
        let (trouble, said) = trouble_of(nboard(does), start(1));
        assert_eq!(trouble, expected, "{said}");
    }
    let left_out = "echo 'search d3 0 0 1'; echo 'search c4 0 0 1'; echo status";
    let (trouble, said) = trouble_of(nboard(left_out), all_but_f5);
    assert_eq!(trouble, Trouble::LeftOut(mv("d3")));
    assert!(said.contains("search c4 0 0 1"), "its last words: {said}");
}

#[test]
fn an_engine_that_dies_is_restarted() {
    let (trouble, said) = trouble_of(nboard("echo 'no memory' >&2; exit 3"), start(1));
    assert!(
        matches!(trouble, Trouble::Ended(Some(status)) if status.code() == Some(3)),
        "{said}"
    );
    assert!(said.contains("no memory"), "its last words: {said}");
    // An engine that dies once is restarted and asked again, without an error.
    let folder = tempfile::tempdir().unwrap();
    let died = folder.path().join("died");
    let once = format!(
        "[ -e '{0}' ] || {{ touch '{0}'; exit 1; }}; echo 'search e6 -3 0 1'; echo status",
        died.display()
    );
    let mut searcher = EngineChoice::Outside(nboard(&once)).start().unwrap();
    assert_eq!(searcher.search(&start(1)).unwrap().mv, mv("e6"));
    assert!(died.exists());
}

#[test]
fn an_engine_that_hangs_is_stopped() {
    let impatient = Duration::from_secs(3);
    let outside = Outside {
        patience: impatient,
        ..nboard(":")
    };
    assert_eq!(trouble_of(outside, start(1)).0, Trouble::Silent(impatient));
    // An engine that closes its output but keeps running counts as ended.
    let (trouble, _) = trouble_of(nboard("exec sleep 60 >/dev/null 2>&1"), start(1));
    assert!(matches!(trouble, Trouble::Ended(_)), "{trouble}");
}

/// Law (Other engines): A limit ends one search and nothing else.
#[test]
fn limits_end_a_search_and_nothing_else() {
    let mut searcher = EngineChoice::Outside(nboard(":")).start().unwrap();
    let limits = Limits {
        time: Some(Duration::from_millis(50)),
        ..Limits::default()
    };
    let stopped = searcher.search(&start(1).within(limits));
    assert!(matches!(stopped, Err(SearchError::Stopped)), "{stopped:?}");
    assert_eq!(searcher.search(&start(2)).unwrap().score, 1);
    let stop = Stop::default();
    let limits = Limits {
        stop: stop.clone(),
        ..Limits::default()
    };
    let stopped = std::thread::scope(|scope| {
        let search = scope.spawn(|| searcher.search(&start(1).within(limits)));
        stop.set();
        search.join().unwrap()
    });
    assert!(matches!(stopped, Err(SearchError::Stopped)), "{stopped:?}");
    assert_eq!(searcher.search(&start(2)).unwrap().score, 1);
}

/// An engine may clear its status line at any time, and may still be talking about the previous position.
#[test]
fn text_before_the_first_row_is_skipped() {
    let script = r#"while read -r word rest; do
        case "$word $rest" in
            ping*) echo "pong $rest" ;;
            "set game"*) echo "search e6F4 +9 0 2"; echo "status" ;;
            hint*) echo "status"; echo "search d3C3 +1 0 2"; echo "status" ;;
        esac
    done"#;
    let outside = Outside {
        patience: Duration::from_secs(60),
        ..scripted(Protocol::NBoard, script)
    };
    let mut searcher = EngineChoice::Outside(outside).start().unwrap();
    for _ in 0..2 {
        let answer = searcher.search(&start(2)).unwrap();
        assert_eq!((answer.mv, answer.score), (mv("d3"), 1));
    }
}

/// Many engines are started by a script.
#[test]
fn an_engine_behind_a_wrapper_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let engine = nboard(&format!(
        "exec 3>'{}'; echo thinking >&3; sleep 600; echo outlived >&3",
        pipe.display()
    ));
    let wrapped = Outside {
        arguments: vec![
            String::from("-c"),
            String::from(r#"sh -c "$1"; :"#),
            String::from("wrapper"),
            engine.arguments[1].clone(),
        ],
        ..engine
    };
    let mut searcher = EngineChoice::Outside(wrapped).start().unwrap();
    let stop = Stop::default();
    let limits = Limits {
        stop: stop.clone(),
        ..Limits::default()
    };
    let heard = std::thread::spawn(move || {
        let mut heard = BufReader::new(File::open(pipe).unwrap());
        let (mut first, mut rest) = (String::new(), String::new());
        heard.read_line(&mut first).unwrap();
        stop.set();
        // The pipe ends when no process has it open any more.
        heard.read_to_string(&mut rest).unwrap();
        (first, rest)
    });
    let stopped = searcher.search(&start(1).within(limits));
    assert!(matches!(stopped, Err(SearchError::Stopped)), "{stopped:?}");
    let (first, rest) = heard.join().unwrap();
    assert_eq!((first.as_str(), rest.as_str()), ("thinking\n", ""));
}

#[test]
fn a_program_that_is_not_an_engine_is_refused_at_the_start() {
    let refused = |outside: Outside| match EngineChoice::Outside(outside).start() {
        Ok(_) => panic!("it was started"),
        Err(error) => error,
    };
    let missing = refused(Outside {
        program: "no-such-engine".into(),
        ..nboard(":")
    });
    assert!(
        missing.to_string().contains("can't start no-such-engine"),
        "{missing}"
    );
    for protocol in Protocol::ALL.into_iter().filter(|it| !it.is_for_shogi()) {
        let echo = refused(Outside {
            patience: Duration::from_millis(300),
            ..scripted(protocol, "exec cat")
        });
        let sentence = format!("engine fake: sh does not speak {protocol}: no answer");
        assert!(echo.to_string().starts_with(&sentence), "{echo}");
        let dead = refused(scripted(protocol, "echo 'no weights' >&2; exit 1"));
        assert!(dead.to_string().contains("no weights"), "{dead}");
    }
    let mut searcher = EngineChoice::Outside(nboard(":")).start().unwrap();
    let level = searcher.search(&start(61)).unwrap_err();
    assert_eq!(
        level.to_string(),
        "engine fake: level 61: its levels are 0 to 60"
    );
}

/// Egaroucid's console, with these commands in place of the table at level 1.
fn egaroucid(rows: &str) -> Outside {
    let script = format!(
        r#"while read -r word rest; do
            case "$word" in
                version) echo "Egaroucid for nobody" ;;
                level) level="$rest" ;;
                hint)
                    echo "|Depth|Level|Score|Move|Colour|Nodes|"
                    if [ "$level" = 1 ]; then {rows}
                    else echo "|6@100%|$level|+3|d3|red|77|"; fi ;;
            esac
        done"#
    );
    scripted(Protocol::Egaroucid, &script)
}

#[test]
fn a_table_is_read_by_the_names_of_its_columns() {
    let mut searcher = EngineChoice::Outside(egaroucid(":")).start().unwrap();
    let answer = searcher.search(&start(6)).unwrap();
    assert_eq!((answer.mv, answer.score, answer.depth), (mv("d3"), 3, 6));
    assert_eq!((answer.probability, answer.nodes), (Some(100), Some(77)));
    let row = "a row of the level that was asked for";
    for (does, expected) in [
        // An unknown level.
        (
            "echo '|6@100%|21|+3|d3|red|77|'",
            no_answer(row, "|6@100%|21|+3|d3|red|77|"),
        ),
        (
            "echo '|-|Book|+3|d3|red|77|'",
            Trouble::FromBook(String::from("|-|Book|+3|d3|red|77|")),
        ),
        (
            "echo '|6@100%|1|+3|'",
            no_answer("a row with depth, move and score", "|6@100%|1|+3|"),
        ),
        ("echo nonsense", no_answer(row, "nonsense")),
    ] {
        let (trouble, said) = trouble_of(egaroucid(does), start(1));
        assert_eq!(trouble, expected, "{said}");
    }
}

fn no_answer(expected: &'static str, found: &str) -> Trouble {
    Trouble::NoAnswer {
        expected,
        found: found.to_owned(),
    }
}

#[test]
fn books_that_come_back_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let answer = folder.path().join("answer.dat");
    let header = Header {
        level: Some(1),
        n_empties: Some(0),
        midgame_error: Some(0),
        endcut_error: Some(0),
        count: Some(1),
        ..Header::default()
    };
    let (board, symmetry) = Board::START.canonicalize();
    let write = |leaf: Option<&str>, board| {
        let mut position = Position::new(board, Engine::Edax);
        position.value = Some(0);
        position.bounds = Some(Bounds {
            lower: -64,
            upper: 64,
        });
        position.outcomes = Some(Outcomes::default());
        position.lines = Some(1);
        position.level = Some(1);
        position.leaf = leaf.map(|leaf| Leaf {
            mv: Some(symmetry.play(mv(leaf))),
            score: 5,
            level: None,
            engine: Engine::Edax,
        });
        let mut writer = BookWriter::create(&answer, Format::Edax, &header, None).unwrap();
        writer.write(&position).unwrap();
        writer.finish().unwrap();
    };
    let edax = |count: u32| {
        let script = format!(
            r#"while read -r word rest; do
                case "$word $rest" in
                    "book info") echo "Positions: 1" ;;
                    "book deepen") echo "Deepening book...{count} done" ;;
                    "book save"*) cp '{}' "${{rest#save }}" ;;
                esac
            done"#,
            answer.display()
        );
        EngineChoice::Outside(scripted(Protocol::EdaxBook, &script))
            .start()
            .unwrap()
    };
    let without_d3 = start(1).without(mv("d3")).unwrap();
    let trouble = |count| match edax(count).search(&without_d3).unwrap_err() {
        SearchError::Failed { trouble, .. } => trouble,
        other => panic!("{other:?}"),
    };
    write(Some("e6"), board);
    let found = edax(1).search(&without_d3).unwrap();
    assert_eq!((found.mv, found.score), (mv("e6"), 5));
    assert!(
        matches!(trouble(0), Trouble::NoAnswer { .. }),
        "nothing was searched"
    );
    write(Some("d3"), board);
    assert_eq!(trouble(1), Trouble::LeftOut(mv("d3")));
    write(None, board);
    assert!(matches!(
        trouble(1),
        Trouble::NoAnswer {
            expected: "a leaf",
            ..
        }
    ));
    write(None, Board::START.after("d3".parse().unwrap()).canonical());
    let other = "the position that was asked for";
    assert!(matches!(trouble(1), Trouble::NoAnswer { expected, .. } if expected == other));
    std::fs::write(&answer, "XADEKOOB").unwrap();
    assert!(matches!(trouble(1), Trouble::File(_)));
    std::fs::remove_file(&answer).unwrap();
    assert!(matches!(trouble(1), Trouble::File(_)));
    // Nobody writes to this pipe.
    let pipe = r#"while read -r word rest; do
        case "$word $rest" in
            "book info") echo "Positions: 1" ;;
            "book deepen") echo "Deepening book...1 done" ;;
            "book save"*) mkfifo "${rest#save }" ;;
        esac
    done"#;
    let mut piping = EngineChoice::Outside(scripted(Protocol::EdaxBook, pipe))
        .start()
        .unwrap();
    let error = piping.search(&start(1)).unwrap_err();
    assert!(
        error.to_string().contains("a device, a pipe or a socket"),
        "{error}"
    );
}
