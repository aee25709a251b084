//! Lines exchanged between machines survive a round trip, and anything else is refused.

use obook_engine::wire::{Failure, MAX_LINE, Name, Question, Reply, Sent as _, WireError};
use obook_engine::{Answer, Request};
use obook_othello::{Engine, Move};
use obook_testing::engines::positions;
use obook_testing::own_engines::own_engines;
use proptest::prelude::*;
use std::time::Duration;

/// A question about a random board, with some of its moves left out.
fn question() -> impl Strategy<Value = Question> {
    let engine = prop::sample::select([&Engine::ALL[..], &own_engines()].concat());
    (1u32..=60, any::<u64>(), 0u8..61, 0usize..8, engine).prop_map(
        |(empties, seed, level, left_out, engine)| {
            let board = positions(seed, empties, 1)[0];
            let mut request = Request::new(board, level).unwrap();
            for mv in board.moves().take(left_out) {
                request = match request.clone().without(mv) {
                    Ok(rest) => rest,
                    Err(_) => break,
                };
            }
            Question { request, engine }
        },
    )
}

/// Any reply.
fn reply() -> impl Strategy<Value = Reply> {
    let answer = (
        any::<i8>(),
        any::<u8>(),
        any::<Option<u8>>(),
        any::<[bool; 2]>(),
        0u64..1 << 50,
    );
    let failure = prop_oneof![
        ".{0,500}".prop_map(Failure::Engine),
        any::<u32>().prop_map(Failure::Lost)
    ];
    let said = prop_oneof![answer.prop_map(Ok), failure.prop_map(Err)];
    (question(), said, "[A-Za-z0-9_-]{1,64}").prop_map(|(question, said, worker)| {
        let answer = said.map(
            |(score, depth, probability, [proven, complete], time)| Answer {
                mv: question.request.moves().next().unwrap(),
                score,
                depth,
                probability,
                proven,
                complete,
                variation: Vec::new(),
                nodes: None,
                time: Duration::from_millis(time),
                engine: question.engine,
                level: question.request.level(),
            },
        );
        Reply {
            question,
            answer,
            worker: worker.parse().unwrap(),
        }
    })
}

proptest! {
    /// Law (Several machines): Questions and replies of both games survive a round trip as lines of at most 4096 bytes; damaged
    /// lines give values or errors.
    /// Also: `ids_tell_questions_apart` `replies_come_back_as_they_were_written` `damaged_lines_do_no_harm`
    /// `lines_that_ask_what_cannot_be_asked_are_refused` `crates/learn/tests/all/shogi.rs` `lines_survive`
    #[test]
    fn questions_come_back_as_they_were_written(question in question()) {
        let line = question.to_line();
        prop_assert!(line.len() <= MAX_LINE && !line.contains('\n'), "{}", line);
        let same = Question::from_line(line.as_bytes()).unwrap();
        prop_assert_eq!(same.id(), question.id());
        prop_assert_eq!(same.to_line(), line);
    }

    /// Two questions have the same name only if they are equal.
    #[test]
    fn ids_tell_questions_apart(one in question(), other in question(), level in 0u8..61) {
        prop_assert_eq!(one.to_line() == other.to_line(), one.id() == other.id());
        let board = one.request.board();
        let deeper = Question { request: Request::new(board, level).unwrap(), engine: one.engine };
        prop_assert_eq!(one.to_line() == deeper.to_line(), one.id() == deeper.id());
        let in_names = |c: char| c.is_ascii_alphanumeric() || c == '-';
        prop_assert!(one.id().chars().all(in_names));
    }

    #[test]
    fn replies_come_back_as_they_were_written(reply in reply()) {
        let line = reply.to_line();
        prop_assert!(line.len() <= MAX_LINE && !line.contains('\n'), "{}", line);
        let same = <Reply>::from_line(line.as_bytes()).unwrap();
        prop_assert_eq!(same.question.to_line(), reply.question.to_line());
        prop_assert_eq!(&same.worker, &reply.worker);
        match (same.answer, reply.answer) {
            (Err(Failure::Engine(same)), Err(Failure::Engine(reason))) => {
                let plain = reason.chars().take(400).filter(|c| !c.is_control());
                prop_assert_eq!(same, plain.collect::<String>());
            }
            (same, answer) => prop_assert_eq!(same, answer),
        }
    }

    /// Reading a damaged line ends with a value or an error.
    #[test]
    fn damaged_lines_do_no_harm(reply in reply(), at: prop::sample::Index, byte: u8, end: prop::sample::Index) {
        let mut line = reply.to_line().into_bytes();
        let at = at.index(line.len());
        line[at] = byte;
        line.truncate(end.index(line.len()) + 1);
        if let Ok(read) = <Reply>::from_line(&line) {
            prop_assert!(<Reply>::from_line(read.to_line().as_bytes()).is_ok());
        }
        let _ = Question::from_line(&line);
    }
}

/// A question with one field changed.
fn changed(from: &str, to: &str) -> Result<Question, WireError> {
    let line = r#"{"question":1,"board":"---------------------------OX------XO--------------------------- X","without":["d3"],"level":10,"engine":"edax"}"#;
    assert!(Question::from_line(line.as_bytes()).is_ok());
    assert!(line.contains(from));
    Question::from_line(line.replace(from, to).as_bytes())
}

#[test]
fn lines_that_ask_what_cannot_be_asked_are_refused() {
    for (from, to, complaint) in [
        (r#""question":1"#, r#""question":2"#, "version 2"),
        (
            r#""question":1"#,
            r#""reply":1"#,
            "missing field `question`",
        ),
        ("edax", "tiny", "engine is \"tiny\""),
        ("d3", "z9", "without is \"z9\""),
        (
            r#"["d3"]"#,
            r#"["d3","c4","f5","e6"]"#,
            "all legal moves are left out",
        ),
        ("OX", "O", "board: "),
        (r#""level":10"#, r#""level":1000"#, "not a valid line"),
        (r#""level":10"#, r#""level":61"#, "the maximum is 60"),
    ] {
        let error = changed(from, to).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
    let long = vec![b' '; MAX_LINE + 1];
    assert!(matches!(
        Question::from_line(&long),
        Err(WireError::Long(_))
    ));
}

#[test]
fn a_reply_says_a_move_and_a_score_or_why_there_is_none() {
    let asked = r#""board":"---------------------------OX------XO--------------------------- X","level":10,"engine":"edax","worker":"a""#;
    let read = |said: &str| {
        let line = format!(r#"{{"reply":1,{asked}{said}}}"#);
        <Reply>::from_line(line.as_bytes())
    };
    let complete = r#","move":"d3","score":2,"depth":10,"complete":true"#;
    let answer = read(complete).unwrap().answer.unwrap();
    assert_eq!(answer.mv, "d3".parse::<Move>().unwrap());
    assert!(answer.complete && !answer.proven);
    let failed = read(r#","failed":"the engine died""#).unwrap();
    assert_eq!(
        failed.answer,
        Err(Failure::Engine(String::from("the engine died")))
    );
    for missing in ["move", "score", "depth"] {
        let other = complete.replace(missing, "other");
        let error = read(&other).unwrap_err().to_string();
        assert_eq!(error, format!("{missing} is missing"));
    }
    assert!(read(r#","move":"d3","score":200,"depth":10"#).is_err());
}

#[test]
fn names_may_stand_in_subjects() {
    for text in ["", "a.b", "a b", "*", ">", "é", &"x".repeat(65)] {
        assert!(text.parse::<Name>().is_err(), "{text}");
        let made = Name::like(text);
        assert_eq!(made.as_str().parse::<Name>().unwrap(), made);
    }
}
