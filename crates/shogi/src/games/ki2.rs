//! KI2: Kakinoki's format with moves as books on shogi write them, without their squares of origin: `▲５八金右`.

use super::kif::{self, kind, target};
use super::{End, Game, Outcome};
use crate::kif::Kif;
use crate::{Board, Colour, Move, PieceType, Square, shown};
use std::fmt::Write as _;

/// The marks before a move: whose it is.
pub(crate) const MARKS: [char; 6] = ['▲', '△', '☗', '☖', '▼', '▽'];

/// The move that a text means in a position: of several pieces, the words at its end say which.
pub(super) fn read(board: &Board, last: Option<Square>, text: &str) -> Result<Move, String> {
    let fails = || {
        let text = shown(text);
        format!("“{text}” is no move; expected one such as ７六歩 or ５八金右")
    };
    let (to, rest) = target(text).ok_or_else(fails)?;
    let to = to.or(last).ok_or("同 follows no move")?;
    let (kind, mut rest) = kind(rest).ok_or_else(fails)?;
    let (mut words, mut promotes, mut drops) = (String::new(), false, false);
    while let Some(word) = rest.chars().next() {
        rest = &rest[word.len_utf8()..];
        match word {
            '打' => drops = true,
            '成' => promotes = true,
            '不' => rest = rest.strip_prefix('成').ok_or_else(fails)?,
            '右' | '左' | '直' | '上' | '行' | '入' | '寄' | '引' => words.push(word),
            _ => return Err(fails()),
        }
    }
    let steps = steps(board, kind, to).filter(|&(_, found)| found == promotes);
    let mut steps: Vec<Square> = steps.map(|(from, _)| from).collect();
    let lacks = || format!("“{}”: no such piece can go to {to}", shown(text));
    if drops || steps.is_empty() {
        return Move::dropped(kind, to).ok_or_else(lacks);
    }
    choose(&mut steps, board.turn(), to, &words);
    match steps[..] {
        [from] => Ok(Move::Step { from, to, promotes }),
        [] => Err(lacks()),
        _ => {
            let (text, pieces) = (shown(text), steps.len());
            Err(format!("“{text}”: {pieces} pieces can make this move"))
        }
    }
}

/// The squares from which pieces of a kind may legally go to one, and whether they promote.
fn steps(board: &Board, kind: PieceType, to: Square) -> impl Iterator<Item = (Square, bool)> {
    let steps = board.legal_moves().into_iter();
    let steps = steps.filter(move |mv| mv.to() == to);
    steps.filter_map(move |mv| match mv {
        Move::Step { from, promotes, .. } if board.piece(from)?.kind == kind => {
            Some((from, promotes))
        }
        _ => None,
    })
}

/// Keeps the squares from which a move fits the words.
fn choose(steps: &mut Vec<Square>, colour: Colour, to: Square, words: &str) {
    let seen = |square: Square| match colour {
        Colour::Black => square,
        Colour::White => square.turned(),
    };
    let to = seen(to);
    for word in words.chars() {
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
        words if words.contains('右') => files.min(),
        words if words.contains('左') => files.max(),
        _ => return,
    };
    steps.retain(|&from| Some(seen(from).file()) == outermost);
}

/// The words that tell pieces apart, the simplest first.
const WORDS: [&str; 13] = [
    "", "上", "寄", "引", "直", "左", "右", "左上", "右上", "左寄", "右寄", "左引", "右引",
];

/// A move of a position, as [`read`] understands it, with its mark.
fn written(board: &Board, mv: Move, last: Option<Square>) -> String {
    let full = Kif { board, mv, last }.to_string();
    let to = mv.to();
    let rivals = |kind: PieceType| {
        let mut rivals: Vec<Square> = steps(board, kind, to).map(|(from, _)| from).collect();
        rivals.sort_unstable();
        rivals.dedup();
        rivals
    };
    let (from, promotes) = match mv {
        Move::Drop { kind, .. } => {
            let name = full.trim_end_matches('打');
            let word = if rivals(kind).is_empty() { "" } else { "打" };
            return format!("{name}{word}");
        }
        Move::Step { from, promotes, .. } => (from, promotes),
    };
    let name = full.split('(').next().unwrap_or_default();
    let name = match promotes {
        true => name.trim_end_matches('成'),
        false => name,
    };
    let rivals = board.piece(from).map(|piece| rivals(piece.kind));
    let rivals = rivals.unwrap_or_default();
    // Of two promoted bishops or rooks, none is in the middle.
    let is_large = ["馬", "龍"].iter().any(|kind| name.ends_with(kind));
    let mut words = WORDS.iter().filter(|&&words| !(is_large && words == "直"));
    let tells = |words: &&&str| {
        let mut left = rivals.clone();
        choose(&mut left, board.turn(), to, words);
        left == [from]
    };
    let words = words.find(tells).unwrap_or(&"");
    let other = Move::Step {
        from,
        to,
        promotes: !promotes,
    };
    let promotion = match promotes {
        true => "成",
        false if board.play(other).is_some() => "不成",
        false => "",
    };
    format!("{name}{words}{promotion}")
}

/// The moves of a line.
const IN_A_LINE: usize = 6;

/// Writes a game.
///
/// ```
/// use obook_shogi::games::{Game, ki2};
///
/// let mut game = Game::default();
/// for mv in ["7g7f", "3c3d", "4i5h"] {
///     game.play(mv.parse()?);
/// }
/// assert!(ki2::write(&game).ends_with("\n▲７六歩    △３四歩    ▲５八金右\n"));
/// # Ok::<(), obook_shogi::ParseMoveError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let mut text = kif::head(game);
    let moves = (game.steps()).map(|(board, last, mv)| written(&board, mv, last));
    let moves: Vec<String> = moves.collect();
    for line in moves.chunks(IN_A_LINE) {
        // Writing to a string never fails.
        let _ = writeln!(text, "{}", line.join("    "));
    }
    let turn = game.board().turn();
    let name = |side| match side {
        Colour::Black => "先手",
        Colour::White => "後手",
    };
    let result = match game.recorded_end() {
        Some(End::Resigned) => format!("{}の勝ち", name(turn.other())),
        Some(End::Mate) => format!("詰みにより{}の勝ち", name(turn.other())),
        Some(End::TimeOut) => format!("時間切れにより{}の勝ち", name(turn.other())),
        Some(End::Foul(by)) => format!("{}の反則負け", name(by)),
        Some(End::Declared) => format!("{}の入玉勝ち", name(turn)),
        Some(End::Repetition) => String::from("千日手"),
        Some(End::Impasse) => String::from("持将棋"),
        Some(End::BrokenOff) => String::from("中断"),
        None => match game.outcome {
            Some(Outcome::Won(winner)) => format!("{}の不戦勝", name(winner)),
            _ => return text,
        },
    };
    let _ = writeln!(text, "まで{}手で{result}", moves.len());
    text
}
