//! Positions as SFEN texts.

use crate::{Board, Colour, Hand, Piece, PieceType, ReadError, Square, shown};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// A position in SFEN, with the number of the next move if the text has one. A number of 0 counts as none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sfen {
    /// The position.
    pub board: Board,
    /// 1 for the start of a game.
    pub ply: Option<u32>,
}

fn missing(what: &str) -> ReadError {
    ReadError(format!(
        "there is no {what}; expected a board, b or w, hands, and perhaps a ply"
    ))
}

impl FromStr for Sfen {
    type Err = ReadError;

    /// Reads a board, the side to move, hands in any order, and perhaps a ply.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split_ascii_whitespace();
        let mut part = |what| parts.next().ok_or_else(|| missing(what));
        let squares = squares(part("board")?)?;
        let turn = match part("side to move")? {
            "b" => Colour::Black,
            "w" => Colour::White,
            other => {
                let problem = format!("the side to move is “{}”; expected b or w", shown(other));
                return Err(ReadError(problem));
            }
        };
        let text = part("part with the hands")?;
        let hands = hands(text).ok_or_else(|| {
            let text = shown(text);
            ReadError(format!(
                "the hands are “{text}”; expected -, or letters with their counts, such as RB2g3p"
            ))
        })?;
        let ply = parts.next().map(|ply| {
            ply.parse().map_err(|_| {
                let (ply, most) = (shown(ply), u32::MAX);
                let expected = format!("expected a whole number from 0 to {most}");
                ReadError(format!("the ply is “{ply}”; {expected}"))
            })
        });
        let ply = ply.transpose()?.filter(|&ply| ply > 0);
        if let Some(more) = parts.next() {
            return Err(ReadError(format!("“{}” follows the ply", shown(more))));
        }
        let board = Board::new(squares, hands, turn);
        let board = board.map_err(|error| ReadError(error.to_string()))?;
        Ok(Self { board, ply })
    }
}

fn squares(text: &str) -> Result<[Option<Piece>; Square::COUNT], ReadError> {
    let mut squares = [None; Square::COUNT];
    let ranks = text.split('/').count();
    if ranks != 9 {
        let problem = format!("the board has {ranks} ranks; expected 9");
        return Err(ReadError(problem));
    }
    for (rank, text) in (1..).zip(text.split('/')) {
        let mut found = 0;
        let mut chars = text.chars();
        while let Some(first) = chars.next() {
            if let Some(empty @ 1..=9) = first.to_digit(10) {
                found += empty as usize;
                continue;
            }
            let second = if first == '+' { chars.next() } else { None };
            let letter = second.unwrap_or(first);
            let kind = PieceType::from_letter(letter.to_ascii_uppercase());
            let kind = match first {
                '+' => kind.and_then(PieceType::promoted),
                _ => kind,
            };
            let Some(kind) = kind else {
                let piece: String = [Some(first), second].into_iter().flatten().collect();
                let piece = shown(&piece);
                return Err(ReadError(format!("“{piece}” in the board is not a piece")));
            };
            let colour = Colour::white_if(letter.is_ascii_lowercase());
            if found < 9 {
                let square = Square::new(9 - found as u8, rank as u8);
                squares[square.map_or(0, Square::index)] = Some(Piece { kind, colour });
            }
            found += 1;
        }
        if found != 9 {
            let problem = format!("rank {rank} of the board has {found} squares; expected 9");
            return Err(ReadError(problem));
        }
    }
    Ok(squares)
}

fn hands(text: &str) -> Option<[Hand; 2]> {
    let mut hands = [Hand::default(); 2];
    if text == "-" {
        return Some(hands);
    }
    let mut count: Option<u32> = None;
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            count = Some(count.unwrap_or(0) * 10 + digit).filter(|&count| count <= 18);
            count?;
            continue;
        }
        let kind = PieceType::from_letter(letter.to_ascii_uppercase())?;
        let hand = &mut hands[usize::from(letter.is_ascii_lowercase())];
        if !PieceType::IN_HAND.contains(&kind) || count == Some(0) {
            return None;
        }
        let total = u32::from(hand.count(kind)) + count.take().unwrap_or(1);
        hand.set(kind, u8::try_from(total).ok()?);
    }
    count.is_none().then_some(hands)
}

/// The position in SFEN, without a ply.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            let mut empty = 0;
            for square in Square::of_rank(rank) {
                match self.piece(square) {
                    None => empty += 1,
                    Some(piece) => {
                        write_number(f, empty)?;
                        empty = 0;
                        if piece.kind.is_promoted() {
                            f.write_char('+')?;
                        }
                        f.write_char(piece.letter())?;
                    }
                }
            }
            write_number(f, empty)?;
            f.write_char(if rank < 9 { '/' } else { ' ' })?;
        }
        f.write_str(match self.turn() {
            Colour::Black => "b ",
            Colour::White => "w ",
        })?;
        let is_empty = |colour: Colour| self.hand(colour).is_empty();
        if Colour::ALL.into_iter().all(is_empty) {
            return f.write_str("-");
        }
        for colour in Colour::ALL {
            for kind in PieceType::BY_VALUE.into_iter().rev() {
                let letter = kind.of(colour).letter();
                match self.hand(colour).count(kind) {
                    0 => {}
                    1 => f.write_char(letter)?,
                    count => write!(f, "{count}{letter}")?,
                }
            }
        }
        Ok(())
    }
}

/// A number of empty squares, if there are any.
fn write_number(f: &mut fmt::Formatter<'_>, empty: u8) -> fmt::Result {
    match empty {
        0 => Ok(()),
        empty => f.write_char(char::from(b'0' + empty)),
    }
}

/// The position with its ply, if it's known.
impl fmt::Display for Sfen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.fmt(f)?;
        self.ply.map_or(Ok(()), |ply| write!(f, " {ply}"))
    }
}
