//! Limits end a search with what was found so far.

use crate::boards::random;
use obook_engine::{Inside, Limits, Request, Searcher, Stop};
use std::thread;
use std::time::Duration;

#[test]
fn nodes_end_a_search_with_its_last_finished_depth() {
    let request = Request::new(random(40, 7), 20).unwrap();
    let short = Limits {
        nodes: Some(40_000),
        ..Limits::default()
    };
    let mut inside = Inside::new();
    let answer = inside.search(&request.clone().within(short)).unwrap();
    assert!(!answer.complete && !answer.proven);
    assert!(answer.depth < 20, "depth {}", answer.depth);
    assert!(answer.nodes.unwrap() < 80_000, "{:?} nodes", answer.nodes);
    // The depth that it names is what a search of that depth alone finds.
    let same = inside.search_to(&request, answer.depth, answer.probability.unwrap());
    assert_eq!(same.unwrap().score, answer.score);
}

#[test]
fn time_ends_a_search() {
    let limits = Limits {
        time: Some(Duration::from_millis(20)),
        ..Limits::default()
    };
    let request = Request::new(random(40, 8), 40).unwrap().within(limits);
    let answer = Inside::new().search(&request).unwrap();
    assert!(!answer.complete);
}

#[test]
fn a_stop_from_another_thread_ends_a_search() {
    let stop = Stop::default();
    let limits = Limits {
        stop: stop.clone(),
        ..Limits::default()
    };
    let request = Request::new(random(40, 9), 40).unwrap().within(limits);
    let search = thread::spawn(move || Inside::new().search(&request));
    thread::sleep(Duration::from_millis(50));
    stop.set();
    let answer = search.join().unwrap();
    assert!(answer.is_ok_and(|answer| !answer.complete));
}
