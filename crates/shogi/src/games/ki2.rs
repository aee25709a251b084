//! Moves without their squares of origin, as KI2 and books on shogi write them: `▲５八金右`.

use super::kif::{kind, target};
use super::shown;
use crate::{Board, Colour, Move, PieceType, Square};

/// The marks before a move: whose it is.
pub(crate) const MARKS: [char; 6] = ['▲', '△', '☗', '☖', '▼', '▽'];

/// Whether a line has such moves, or what should be some.
pub(super) fn is_move(line: &str) -> bool {
    line.starts_with(MARKS)
}

/// Whether a line begins with a move and can be nothing else.
pub(super) fn is_surely_move(line: &str) -> bool {
    let moved = line
        .strip_prefix(MARKS)
        .and_then(|text| target(text.trim_start()));
    moved.is_some_and(|(_, rest)| kind(rest).is_some())
}

/// Calls `each` with every move of a line, without its mark.
pub(super) fn each_move(line: &str, each: impl FnMut(&str)) {
    let moves = line.split(MARKS).map(str::trim);
    moves.filter(|text| !text.is_empty()).for_each(each);
}

/// The move that a text means in a position: of several pieces, the words at its end say which.
pub(super) fn read(board: &Board, last: Option<Square>, text: &str) -> Result<Move, String> {
    let fails = || {
        format!(
            "“{}” is no move; expected one such as ７六歩 or ５八金右",
            shown(text)
        )
    };
    let (to, rest) = target(text).ok_or_else(fails)?;
    let to = to.or(last).ok_or("同 follows no move")?;
    let (kind, mut rest) = kind(rest).ok_or_else(fails)?;
    let (mut words, mut promoted, mut drops) = (Vec::new(), false, false);
    while let Some(word) = rest.chars().next() {
        rest = &rest[word.len_utf8()..];
        match word {
            '打' => drops = true,
            '成' => promoted = true,
            '不' => rest = rest.strip_prefix('成').ok_or_else(fails)?,
            '右' | '左' | '直' | '上' | '行' | '入' | '寄' | '引' => words.push(word),
            _ => return Err(fails()),
        }
    }
    let legal = board.legal_moves().into_iter();
    let step = |mv| match mv {
        Move::Step {
            from,
            to: there,
            promotes,
        } if there == to && promotes == promoted => Some(from),
        _ => None,
    };
    let is_kind = |from: &Square| board.piece(*from).is_some_and(|piece| piece.kind == kind);
    let mut steps: Vec<Square> = legal.filter_map(step).filter(is_kind).collect();
    if drops || steps.is_empty() {
        return match PieceType::IN_HAND.contains(&kind) {
            true => Ok(Move::Drop { kind, to }),
            false => Err(format!("“{}”: no such piece can go to {to}", shown(text))),
        };
    }
    choose(&mut steps, board.turn(), to, &words);
    match steps[..] {
        [from] => Ok(Move::Step {
            from,
            to,
            promotes: promoted,
        }),
        [] => Err(format!("“{}”: no such piece can go to {to}", shown(text))),
        _ => Err(format!(
            "“{}”: {} pieces can make this move",
            shown(text),
            steps.len()
        )),
    }
}

/// Keeps the squares from which a move fits the words.
fn choose(steps: &mut Vec<Square>, colour: Colour, to: Square, words: &[char]) {
    let seen = |square: Square| match colour {
        Colour::Black => square,
        Colour::White => square.turned(),
    };
    let to = seen(to);
    for word in words {
        steps.retain(|&from| {
            let from = seen(from);
            match word {
                '上' | '行' | '入' => from.rank() > to.rank(),
                '引' => from.rank() < to.rank(),
                '寄' => from.rank() == to.rank(),
                '直' => from.rank() == to.rank() + 1 && from.file() == to.file(),
                _ => true,
            }
        });
    }
    let files = steps.iter().map(|&from| seen(from).file());
    let outermost = match words {
        words if words.contains(&'右') => files.min(),
        words if words.contains(&'左') => files.max(),
        _ => return,
    };
    steps.retain(|&from| Some(seen(from).file()) == outermost);
}
