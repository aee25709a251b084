//! Engines for shogi: what they say by USI, and what they may not.
#![cfg(all(unix, feature = "shogi"))]

use super::misbehaving::scripted;
use obook_engine::{
    EngineChoice, Go, Limits, Outside, Protocol, SearchError, ShogiAnswer, ShogiSearcher, Stop,
    Trouble,
};
use obook_shogi::Board;
use std::num::NonZeroU16;
use std::time::Duration;

/// An engine that answers about the start position honestly, but runs these commands for `nodes 1`, and writes down what it hears.
fn usi(at_1_node: &str) -> Outside {
    let script = format!(
        r#"heard=
        while read -r line; do
            heard="$heard/$line"
            case "$line" in
                usi) echo "id name fake"; echo "option name MultiPV type spin default 1 min 1 max 800"
                    echo "option name USI_OwnBook type check default true"
                    echo "option name Threads type spin default 4"; echo usiok ;;
                isready) echo readyok ;;
                "go nodes 1") {at_1_node} ;;
                "go nodes 3") echo "info string $heard" >&2; exit ;;
                go*)
                    echo "info depth 1 multipv 1 score cp 10 pv 2g2f"
                    echo "info string multipv 9 score none"
                    echo "info depth 2 seldepth 3 multipv 1 score cp 31 nodes 9 pv 7g7f 3c3d"
                    echo "info depth 2 multipv 2 score mate -5 pv 2g2f 1a1i"
                    echo "info depth 3 multipv 1 score cp 99 lowerbound pv 9g9f"
                    echo "bestmove 7g7f ponder 3c3d" ;;
            esac
        done"#
    );
    scripted(Protocol::Usi, &script)
}

/// Two moves of the start position, from a search of so many nodes.
fn answers(searcher: &mut ShogiSearcher, nodes: u64) -> Result<Vec<ShogiAnswer>, SearchError> {
    within(searcher, nodes, &Limits::default())
}

fn within(
    searcher: &mut ShogiSearcher,
    nodes: u64,
    limits: &Limits,
) -> Result<Vec<ShogiAnswer>, SearchError> {
    let moves = NonZeroU16::new(2).unwrap();
    searcher.search(&Board::start(), moves, Go::Nodes(nodes), limits)
}

/// Law (Shogi): An engine's moves keep their scores, questions depend on no earlier ones, and options are set.
#[test]
fn an_engine_for_shogi_is_believed() {
    let mut outside = usi(":");
    outside.options.insert("Threads".into(), "1".into());
    let mut searcher = ShogiSearcher::start(&outside).unwrap();
    let found = answers(&mut searcher, 2).unwrap();
    let said: Vec<_> = found
        .iter()
        .map(|it| {
            (
                it.mv.to_string(),
                it.ponder.map(|it| it.to_string()),
                it.score,
                it.depth,
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("7g7f".into(), Some("3c3d".into()), 31, Some(2)),
            // The reply isn't legal.
            ("2g2f".into(), None, -31_995, Some(2)),
        ]
    );
    let error = answers(&mut searcher, 3).unwrap_err().to_string();
    let start = Board::start();
    for words in [
        "/usi/setoption name USI_OwnBook value false/setoption name Threads value 1/isready/",
        "/setoption name MultiPV value 2/isready/usinewgame/position sfen lnsgkgsnl/",
        &format!("engine fake: {start}: it ended"),
    ] {
        assert!(error.contains(words), "{words}: {error}");
    }
}

/// Law (Shogi): An engine's fault is an error that names it; the next search works.
#[test]
fn hostile_answers_are_named() {
    let best = "echo bestmove 7g7f";
    for (commands, words) in [
        (
            String::from("echo 'info depth 2 score cp 3 pv 5i5a'"),
            "it answers 5i5a, which is not legal",
        ),
        (
            String::from("echo 'bestmove (none)'"),
            "it answers (none), which is not legal",
        ),
        (
            String::from("echo 'info score cp 40000 pv 7g7f'"),
            "it answers a score of 40000",
        ),
        (
            String::from("echo 'info score cp -2147483649 pv 7g7f'"),
            "expected score cp or score mate with a number",
        ),
        (
            String::from("echo 'info depth 1001 score cp 4 pv 7g7f'"),
            "it answers a depth of 1001",
        ),
        (
            String::from("echo 'info multipv x score cp 4 pv 7g7f'"),
            "expected multipv with a number",
        ),
        (
            String::from(
                "echo 'info depth 4'; echo 'info multipv 0 score cp 1 pv 7g7f'; echo 'info multipv 3 score cp 1 pv 7g7f'; ",
            ) + best,
            "expected info with pv and score before bestmove, found “bestmove 7g7f”",
        ),
        (
            String::from("echo bestmove resign"),
            "expected info with pv and score",
        ),
        (
            String::from("echo 'out of weights' >&2; exit 3"),
            "it ended, exit status: 3; it said last: usiok",
        ),
        (
            String::from("head -c 20000 /dev/zero | tr '\\0' x; echo"),
            "more than any answer needs",
        ),
        (
            String::from("yes info depth 1"),
            "more than any answer needs",
        ),
    ] {
        let mut searcher = ShogiSearcher::start(&usi(&commands)).unwrap();
        answers(&mut searcher, 2).unwrap();
        let error = answers(&mut searcher, 1).unwrap_err().to_string();
        assert!(error.contains(words), "{commands}: {error}");
        assert_eq!(answers(&mut searcher, 2).unwrap().len(), 2);
    }
    let impatient = Duration::from_secs(3);
    let outside = Outside {
        patience: impatient,
        ..usi(":")
    };
    let mut searcher = ShogiSearcher::start(&outside).unwrap();
    match answers(&mut searcher, 1) {
        Err(SearchError::Failed { trouble, .. }) => assert_eq!(trouble, Trouble::Silent(impatient)),
        other => panic!("{other:?}"),
    }
    let limits = Limits {
        stop: Stop::default(),
        ..Limits::default()
    };
    limits.stop.set();
    let stopped = within(&mut searcher, 1, &limits);
    assert!(matches!(stopped, Err(SearchError::Stopped)), "{stopped:?}");
}

#[test]
fn engines_and_games_that_do_not_fit_are_refused_at_the_start() {
    let refused = |outside: &Outside| match ShogiSearcher::start(outside) {
        Ok(_) => panic!("it was started"),
        Err(error) => error.to_string(),
    };
    let mut outside = usi(":");
    outside.options.insert("Thread".into(), "1".into());
    let error = refused(&outside);
    let words = "it has no option Thread; expected MultiPV, USI_OwnBook, Threads";
    assert!(error.contains(words), "{error}");
    outside.protocol = Protocol::NBoard;
    let error = refused(&outside);
    assert!(
        error.contains("nboard is a protocol for Othello"),
        "{error}"
    );
    match EngineChoice::Outside(usi(":")).start() {
        Ok(_) => panic!("it was started"),
        Err(error) => assert!(error.to_string().contains("usi is a protocol for shogi")),
    }
    let echo = Outside {
        patience: Duration::from_millis(300),
        ..scripted(Protocol::Usi, "exec cat")
    };
    assert!(refused(&echo).starts_with("engine fake: sh does not speak usi: no answer"));
}
