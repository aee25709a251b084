//! Checks: everything that would make an engine or a question stumble.

use crate::database::file::{BookFile, Format, is_database};
use crate::database::fix::{board, draws, positions, scored};
use crate::database::position::{Own, Position};
use crate::database::rows::{State, each_made};
use crate::database::schema::SHOGI;
use crate::{Board, OwnScores};
use obook_store::{Context, Result, Store};
use serde::Serialize;
use std::path::Path;

/// Something wrong with a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where: a position in SFEN, or a place in a file.
    pub place: String,
    /// The problem.
    pub problem: String,
    /// Whether the problem is that a file's positions aren't in the order in which YaneuraOu looks for them.
    #[serde(skip)]
    pub is_unsorted: bool,
}

impl Finding {
    fn new(place: impl ToString, problem: impl Into<String>) -> Finding {
        Finding {
            place: place.to_string(),
            problem: problem.into(),
            is_unsorted: false,
        }
    }
}

/// Checks a database or a file.
///
/// # Errors
/// If it can't be read at all.
pub fn verify(path: &Path, context: &Context) -> Result<Vec<Finding>> {
    match is_database(path)? {
        true => {
            Store::check_log(path)?;
            of_database(&Store::open(&SHOGI, path, context)?)
        }
        false => Ok(of_file(&BookFile::open(path, context)?)),
    }
}

/// Everything wrong with a database: rows that belong to no position, moves that aren't legal or lead nowhere, and, if it is fixed,
/// values that aren't own scores.
fn of_database(store: &Store) -> Result<Vec<Finding>> {
    let path = store.path();
    let mut state = State::committed(store)?;
    store.context().progress().step("reading", None);
    let mut findings = Vec::new();
    for (table, belongs) in [
        ("links", ""),
        ("record_scores", "AND colours & colour"),
        ("leaves", "AND colours & colour"),
        ("comments", "AND colours & colour"),
    ] {
        let sql = format!(
            "SELECT count(*) FROM {table}
             WHERE NOT EXISTS (SELECT 1 FROM positions WHERE positions.board = {table}.board {belongs})"
        );
        let count: i64 = state.store().ask(&sql, [])?;
        if count > 0 {
            let problem = format!("rows that belong to no position: {count}");
            findings.push(Finding::new(format!("table {table}"), problem));
        }
    }
    let positions = positions(&mut state, |_| ())?;
    let is_fixed = state.store().is_fixed()?;
    store.context().progress().step("computing", None);
    let own = OwnScores::of_positions(positions).with_draws(draws(state.store())?);
    let checked = |position: Position| {
        let board = board(&position, path)?;
        let moves = moves_of(&board, &position, &own);
        let number = own.positions.number(position.key).filter(|_| is_fixed);
        let score =
            number.and_then(|number| score_of(&board, position.own, scored(&own, number).0));
        Ok((moves, score))
    };
    let mut scores = Vec::new();
    each_made(&mut state, checked, |(moves, score)| {
        findings.extend(moves);
        scores.extend(score);
        Ok(())
    })?;
    findings.append(&mut scores);
    Ok(findings)
}

/// Compares the results of a fix for a position with those expected.
fn score_of(board: &Board, found: Own, expected: Own) -> Option<Finding> {
    if found == expected {
        return None;
    }
    let shown = |value: Option<i32>| value.map_or("not known".to_owned(), |it| it.to_string());
    let problem = match expected.value == found.value {
        true if found.by_draws != expected.by_draws => {
            String::from("its moves by what draws are worth aren't those of a fix")
        }
        true => String::from("its links or its best move aren't those of a fix"),
        false => {
            let [value, score] = [found.value, expected.value].map(shown);
            format!("its value is {value}, its own score {score}")
        }
    };
    Some(Finding::new(board, problem))
}

fn moves_of(board: &Board, position: &Position, own: &OwnScores) -> Vec<Finding> {
    let legal = board.legal_moves();
    let leaves = position.leaves().into_iter();
    let illegal = leaves.filter(|leaf| !legal.contains(&leaf.mv));
    let illegal = illegal.map(|leaf| format!("the move {} isn't legal", leaf.mv));
    let astray = position.own.links.iter().filter(|link| {
        let child = board.play(link.mv);
        child.is_none_or(|child| own.positions.number(child.key()).is_none())
    });
    let astray =
        astray.map(|link| format!("the link {} leads to no position of the book", link.mv));
    let problems = illegal.chain(astray);
    let findings = problems.map(|problem| Finding::new(board, problem));
    findings.collect()
}

/// Everything wrong with a file.
fn of_file(file: &BookFile) -> Vec<Finding> {
    let faults = file.read.faults.iter();
    let faults = faults.map(|fault| Finding::new(fault.place, &*fault.reason));
    let mut findings: Vec<Finding> = faults.collect();
    for (board, moves) in &file.illegal {
        let problem = match moves {
            1 => String::from("one of its moves isn't legal"),
            moves => format!("{moves} of its moves aren't legal"),
        };
        findings.push(Finding::new(board, problem));
    }
    if let missed @ 1.. = file.read.missed {
        let problem = format!("{missed} of its positions can't be reached from the start position");
        findings.push(Finding::new("the file", problem));
    }
    let entries = &file.read.book.entries;
    if file.format == Format::Db && !entries.is_sorted_by_key(|entry| entry.board.to_string()) {
        let problem = "its positions aren't in order, so YaneuraOu misses some with BookOnTheFly";
        findings.push(Finding {
            is_unsorted: true,
            ..Finding::new("the file", problem)
        });
    }
    findings
}
