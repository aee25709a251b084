//! Common parts of all protocols: asking, and reading answers.

use super::process::Exchange;
use super::{Failed, Trouble};
use crate::Request;
use obook_othello::{Board, Move};

/// The protocol in which a running engine is spoken to.
pub(super) trait Spoken: Send {
    /// Waits until the engine has responded in this protocol.
    fn greet(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed>;
}

/// A protocol for Othello.
pub(super) trait Dialogue: Spoken {
    /// Asks for the best `count` moves that aren't excluded, or for as many as there are, best first. The side to move must
    /// have a move.
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        engine: &mut Exchange<'_>,
    ) -> Result<Vec<Claim>, Failed>;
}

/// A move of an engine's answer before it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) mv: Move,
    pub(super) score: i32,
    /// In plies; `None` for a search to the end, for which some engines state only the probability.
    pub(super) depth: Option<u32>,
    /// In percent.
    pub(super) probability: Option<u8>,
    pub(super) variation: Vec<Move>,
    pub(super) nodes: Option<u64>,
}

/// The number of moves to ask for, so that `count` of them aren't excluded.
pub(super) fn rows(request: &Request, count: usize) -> usize {
    let legal = request.board().moves().count();
    let left_out = legal - request.moves().count();
    left_out.saturating_add(count).min(legal)
}

/// Drops excluded moves and keeps at most `count` others.
pub(super) fn remaining(
    mut claims: Vec<Claim>,
    request: &Request,
    count: usize,
) -> Result<Vec<Claim>, Failed> {
    let first = claims.first().map(|claim| claim.mv);
    let first = first.ok_or_else(|| no_answer("a move", "none"))?;
    let left_out = |square| request.excluded().contains(square);
    claims.retain(|claim| !claim.mv.square().is_some_and(left_out));
    claims.truncate(count);
    match claims.is_empty() {
        true => Err(Trouble::LeftOut(first).into()),
        false => Ok(claims),
    }
}

/// Parses a variation such as `c6F4d7` or `C6-F4-D7`: the first move, legal or not, and the moves as far as they are legal.
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

/// Parses a depth, a probability or both: `21`, `21@73%`, `100%`.
pub(super) fn depth(text: &str) -> Option<(Option<u32>, Option<u8>)> {
    let percent = |text: &str| {
        let percent: u8 = text.strip_suffix('%')?.parse().ok()?;
        (percent <= 100).then_some(percent)
    };
    match text.split_once('@') {
        Some((depth, probability)) => {
            Some((Some(depth.parse().ok()?), Some(percent(probability)?)))
        }
        None if text.ends_with('%') => Some((None, Some(percent(text)?))),
        None => Some((Some(text.parse().ok()?), None)),
    }
}

/// Parses a score in discs and rounds it.
pub(super) fn score(text: &str) -> Option<i32> {
    let score: f64 = text.parse().ok()?;
    // An impossible score is reported later, clamped to 32 bits.
    score.is_finite().then(|| score.round() as i32)
}

/// An error that says what was expected.
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
        // The check of answers will refuse this first move.
        assert_eq!(moves("a1"), Some(0));
        assert_eq!(moves("ää"), None);
        assert_eq!(moves(""), None);
    }
}
