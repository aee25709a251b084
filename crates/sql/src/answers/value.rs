//! Values as text.

use crate::functions::Value;
use obook_othello::Board;
use std::fmt::Write;

/// How to show a blob that is a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boards {
    /// In hexadecimal digits, like any blob.
    Hex,
    /// As 64 characters and the side to move.
    Text,
    /// Drawn over ten lines, as by `obook show` with Black to move.
    Drawn,
}

/// The value as text: NULL is empty, a blob is hexadecimal. Infinity is a number that is too large, which SQL, JSON and most programs
/// read as infinity.
pub(crate) fn text(value: Value<'_>, boards: Boards) -> String {
    let mut text = String::new();
    write(&mut text, value, boards);
    text
}

/// Replaces a text by [`text`].
pub(crate) fn write(text: &mut String, value: Value<'_>, boards: Boards) {
    text.clear();
    match value {
        Value::Null => {}
        Value::Integer(number) => write!(text, "{number}").expect("a text takes all"),
        Value::Real(f64::INFINITY) => text.push_str("9e999"),
        Value::Real(f64::NEG_INFINITY) => text.push_str("-9e999"),
        // 1.0 remains distinct from 1.
        Value::Real(number) => write!(text, "{number:?}").expect("a text takes all"),
        Value::Text(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        Value::Blob(bytes) => match (boards, board(bytes)) {
            (Boards::Text, Some(board)) => text.push_str(&board.to_text()),
            (Boards::Drawn, Some(board)) => {
                write!(text, "{}", board.diagram()).expect("a text takes all")
            }
            _ => {
                for byte in bytes {
                    write!(text, "{byte:02x}").expect("a text takes all");
                }
            }
        },
    }
}

pub(crate) fn is_number(value: Value<'_>) -> bool {
    matches!(value, Value::Integer(_) | Value::Real(_))
}

/// Reads 16 bytes as a board if no square has two discs and the four centre squares are taken. Only one random blob in millions
/// passes.
fn board(bytes: &[u8]) -> Option<Board> {
    let (player, opponent) = bytes.split_first_chunk::<8>()?;
    let opponent: &[u8; 8] = opponent.try_into().ok()?;
    let board = Board::new(u64::from_be_bytes(*player), u64::from_be_bytes(*opponent)).ok()?;
    ((board.player() | board.opponent()) & Board::CENTRE == Board::CENTRE).then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_that_are_boards_are_known() {
        let key = Board::START.canonical().to_key();
        let blob = Value::Blob(&key);
        assert_eq!(text(blob, Boards::Hex), "00000008100000000000001008000000");
        assert_eq!(text(blob, Boards::Text), Board::START.to_text());
        let drawn = text(blob, Boards::Drawn);
        assert_eq!(drawn.lines().count(), 10);
        assert_eq!(drawn.lines().nth(4), Some("4 - - . O * - - - 4"));
        // Too short, too long, discs on one square, no discs in the middle.
        for other in [
            &key[1..],
            &[&key[..], &[0]].concat(),
            &[&key[..8], &key[..8]].concat(),
            &[0; 16],
        ] {
            assert_eq!(
                text(Value::Blob(other), Boards::Drawn).len(),
                2 * other.len()
            );
        }
    }

    #[test]
    fn numbers_keep_what_they_are() {
        let of = |value| text(value, Boards::Hex);
        assert_eq!(of(Value::Integer(1)), "1");
        assert_eq!(of(Value::Real(1.0)), "1.0");
        assert_eq!(of(Value::Real(f64::NEG_INFINITY)), "-9e999");
        assert_eq!(of(Value::Null), "");
        assert_eq!(of(Value::Text(b"\xff")), "\u{fffd}");
    }
}
