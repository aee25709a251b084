//! What all protocols have in common: questions and what is found in answers.

use super::process::Process;
use super::trouble::{Failed, Trouble};
use super::wait::Wait;
use crate::Request;
use obook_othello::{Board, Move};

/// A running engine that is spoken to in its protocol.
pub(super) trait Dialogue: Send {
    /// The best `count` moves that are not left out, or as many as there are, the best first. The side to move has one.
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        wait: &mut Wait,
    ) -> Result<Vec<Found>, Failed>;

    /// The process, for what it said last.
    fn process(&self) -> &Process;
}

/// What an engine answers, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) mv: Move,
    pub(super) score: i32,
    /// Plies; `None` where it says only how sure it is, which it does of searches to the end.
    pub(super) depth: Option<u32>,
    /// In percent.
    pub(super) probability: Option<u8>,
    pub(super) variation: Vec<Move>,
    pub(super) nodes: Option<u64>,
}

/// How many moves to ask for, so that so many are among them that are not left out.
pub(super) fn rows(request: &Request, count: usize) -> usize {
    let legal = request.board().moves().count();
    let left_out = legal - request.moves().count();
    left_out.saturating_add(count).min(legal)
}

/// Those of the found moves that are not left out, `count` at most.
pub(super) fn remaining(
    found: Vec<Found>,
    request: &Request,
    count: usize,
) -> Result<Vec<Found>, Failed> {
    let first = found.first().map(|found| found.mv);
    let first = first.ok_or_else(|| no_answer("a move", "none"))?;
    let left_out = |mv: Move| match mv {
        Move::Place(square) => request.excluded().contains(square),
        Move::Pass => false,
    };
    let remaining: Vec<Found> = found
        .into_iter()
        .filter(|found| !left_out(found.mv))
        .take(count)
        .collect();
    if remaining.is_empty() {
        return Err(Trouble::LeftOut(first).into());
    }
    Ok(remaining)
}

/// The moves of a variation such as `c6F4d7` or `C6-F4-D7`, as far as they are legal; the first as it stands.
pub(super) fn variation(board: Board, text: &str) -> Option<(Move, Vec<Move>)> {
    let letters: Vec<char> = text.chars().filter(|c| *c != '-').collect();
    let mut moves = letters
        .chunks(2)
        .map_while(|pair| pair.iter().collect::<String>().parse::<Move>().ok())
        .peekable();
    let first = *moves.peek()?;
    let mut board = board;
    let legal = moves.map_while(|mv| {
        board = board.play(mv)?;
        Some(mv)
    });
    Some((first, legal.collect()))
}

/// A depth with or without how sure it is: `21`, `21@73%`, `100%`.
pub(super) fn depth(text: &str) -> Option<(Option<u32>, Option<u8>)> {
    let percent = |text: &str| {
        text.strip_suffix('%')?
            .parse::<u8>()
            .ok()
            .filter(|it| *it <= 100)
    };
    match text.split_once('@') {
        Some((depth, probability)) => {
            Some((Some(depth.parse().ok()?), Some(percent(probability)?)))
        }
        None if text.ends_with('%') => Some((None, Some(percent(text)?))),
        None => Some((Some(text.parse().ok()?), None)),
    }
}

/// A score in discs, whole or not.
pub(super) fn score(text: &str) -> Option<i32> {
    let score: f64 = text.parse().ok()?;
    // What is beyond all numbers of discs is told as it is, but for its length.
    score.is_finite().then(|| score.round() as i32)
}

/// An error that tells what was expected.
pub(super) fn no_answer(expected: &'static str, found: &str) -> Failed {
    let found = found.chars().take(120).collect();
    Trouble::NoAnswer { expected, found }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_and_scores_are_read_as_engines_write_them() {
        assert_eq!(depth("21"), Some((Some(21), None)));
        assert_eq!(depth("21@73%"), Some((Some(21), Some(73))));
        assert_eq!(depth("100%"), Some((None, Some(100))));
        for wrong in ["", "-", "@", "21@", "21@101%", "-3", "%", "é"] {
            assert_eq!(depth(wrong), None, "{wrong}");
        }
        assert_eq!(
            [score("+7"), score("-1.6"), score("1e9")],
            [Some(7), Some(-2), Some(1_000_000_000)]
        );
        for wrong in ["", "NaN", "inf", "(1,2)", "x"] {
            assert_eq!(score(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_variation_is_taken_as_far_as_it_is_legal() {
        let moves = |text| variation(Board::START, text).map(|(_, moves)| moves.len());
        assert_eq!(moves("f5D6c3"), Some(3));
        assert_eq!(moves("F5-D6-C3"), Some(3));
        assert_eq!(moves("f5D6a1c3"), Some(2));
        // The first move is for the check of answers to refuse.
        assert_eq!(moves("a1"), Some(0));
        assert_eq!(moves("ää"), None);
        assert_eq!(moves(""), None);
    }
}
