//! Limits end a search with the best answer so far.

use obook_engine::{Inside, Limits, Request, SearchError, Searcher, Stop};
use obook_testing::engines::positions;
use std::thread;
use std::time::Duration;

/// Law (Searches): A limit ends a search with the best result so far.
/// Also: `time_ends_a_search` `the_shortest_time_finds_a_move` `a_stop_from_another_thread_ends_a_search`
/// `crates/engine/tests/laws.rs` `a_stop_before_the_search_is_an_error`
#[test]
fn nodes_end_a_search_with_its_last_finished_depth() {
    let request = Request::new(positions(7, 40, 1)[0], 20).unwrap();
    let short = Limits {
        nodes: Some(40_000),
        ..Limits::default()
    };
    let mut inside = Inside::new();
    let answer = inside.search(&request.clone().within(short)).unwrap();
    assert!(!answer.complete && !answer.proven);
    assert!(answer.depth < 20, "depth {}", answer.depth);
    assert!(answer.nodes.unwrap() < 80_000, "{:?} nodes", answer.nodes);
}

#[test]
fn time_ends_a_search() {
    let limits = Limits {
        time: Some(Duration::from_millis(20)),
        ..Limits::default()
    };
    let request = Request::new(positions(8, 40, 1)[0], 40)
        .unwrap()
        .within(limits);
    let answer = Inside::new().search(&request).unwrap();
    assert!(!answer.complete);
}

#[test]
fn the_shortest_time_finds_a_move() {
    let limits = Limits {
        time: Some(Duration::ZERO),
        nodes: Some(0),
        ..Limits::default()
    };
    let request = Request::new(positions(8, 40, 1)[0], 40)
        .unwrap()
        .within(limits);
    let answer = Inside::new().search(&request).unwrap();
    assert!(!answer.complete);
    assert!(request.board().play(answer.mv).is_some());
}

#[test]
fn a_stop_from_another_thread_ends_a_search() {
    let stop = Stop::default();
    let limits = Limits {
        stop: stop.clone(),
        ..Limits::default()
    };
    let request = Request::new(positions(9, 40, 1)[0], 40)
        .unwrap()
        .within(limits);
    let search = thread::spawn(move || Inside::new().search(&request));
    thread::sleep(Duration::from_millis(50));
    stop.set();
    match search.join().unwrap() {
        Ok(answer) => assert!(!answer.complete),
        Err(error) => assert!(matches!(error, SearchError::Stopped), "{error}"),
    }
}
