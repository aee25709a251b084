//! A game with what is said about its moves.

use super::played::{JudgedMove, Judgement};
use obook_games::{Decimal, Game, Note};

/// Returns the game with the worth after each move as its evaluation, and a remark if the move gave something up or left the book.
/// Earlier remarks and times are kept.
///
/// # Panics
/// Panics if the judgement is of a longer game.
#[must_use]
pub fn with_remarks(game: &Game, judgement: &Judgement) -> Game {
    let mut annotated = game.clone();
    for (index, mv) in judgement.moves.iter().enumerate() {
        let before = game.note(index);
        let left = (index + 1 == judgement.in_book).then(|| String::from("left the book"));
        let said = [before.comment.clone(), left, remark(mv)];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let note = Note {
            time: before.time,
            value: Decimal::new(mv.after.score.into()),
            comment: (!said.is_empty()).then(|| said.join("; ")),
        };
        annotated.annotate(index, note);
    }
    annotated
}

fn remark(mv: &JudgedMove) -> Option<String> {
    if mv.loss <= 0 {
        return None;
    }
    let best = mv.best.filter(|best| *best != mv.mv);
    let best = best.map_or_else(String::new, |best| format!(", best {best}"));
    Some(format!("gave up {}{best}", mv.loss))
}
