//! Values as text.

use obook_othello::Board;
use rusqlite::types::ValueRef;
use std::fmt::Write;

/// How to show a blob that is a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Boards {
    /// In hexadecimal digits, like any blob.
    Hex,
    /// As 64 characters and the side to move.
    Text,
    /// Drawn over ten lines, as by `obook show` with Black to move.
    Drawn,
}

/// The value as text: NULL is empty, a blob is hexadecimal.
pub(crate) fn text(value: ValueRef<'_>, boards: Boards) -> String {
    let mut text = String::new();
    write(&mut text, value, boards);
    text
}

/// Appends [`text`].
pub(crate) fn write(text: &mut String, value: ValueRef<'_>, boards: Boards) {
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(number) => write!(text, "{number}").expect("a text takes all"),
        // 1.0 remains distinct from 1.
        ValueRef::Real(number) => write!(text, "{number:?}").expect("a text takes all"),
        ValueRef::Text(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        ValueRef::Blob(bytes) => match (boards, board(bytes)) {
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

pub(crate) fn is_number(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Integer(_) | ValueRef::Real(_))
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
        let blob = ValueRef::Blob(&key);
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
                text(ValueRef::Blob(other), Boards::Drawn).len(),
                2 * other.len()
            );
        }
    }

    #[test]
    fn numbers_keep_what_they_are() {
        let of = |value| text(value, Boards::Hex);
        assert_eq!(of(ValueRef::Integer(1)), "1");
        assert_eq!(of(ValueRef::Real(1.0)), "1.0");
        assert_eq!(of(ValueRef::Null), "");
        assert_eq!(of(ValueRef::Text(b"\xff")), "\u{fffd}");
    }
}
