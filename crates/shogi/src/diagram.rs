//! A position drawn over several lines.

use crate::kif::RANKS;
use crate::{Board, Colour, Piece, PieceType, Square};
use std::fmt;

/// How pieces are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pieces {
    /// By their letters in SFEN: Black's are upper case, and + stands before promoted ones.
    #[default]
    Letters,
    /// By their Japanese names, as in KIF files: `v` stands before White's.
    Kanji,
}

impl Board {
    /// The position as a picture, as Black sees it.
    ///
    /// ```
    /// use obook_shogi::{Board, Pieces};
    ///
    /// let picture = Board::start().diagram(Pieces::Letters).to_string();
    /// assert_eq!(picture.lines().nth(4), Some("| p| p| p| p| p| p| p| p| p| c"));
    /// let picture = Board::start().diagram(Pieces::Kanji).to_string();
    /// assert_eq!(picture.lines().nth(10), Some("| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八"));
    /// ```
    #[must_use]
    pub const fn diagram(&self, pieces: Pieces) -> Diagram<'_> {
        Diagram {
            board: self,
            pieces,
        }
    }
}

/// A picture of a position.
#[derive(Clone, Copy, Debug)]
pub struct Diagram<'b> {
    board: &'b Board,
    pieces: Pieces,
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hand(f, Colour::White)?;
        let edge = match self.pieces {
            Pieces::Letters => {
                writeln!(f, "  9  8  7  6  5  4  3  2  1")?;
                ""
            }
            Pieces::Kanji => {
                writeln!(f, "  ９ ８ ７ ６ ５ ４ ３ ２ １")?;
                "+---------------------------+\n"
            }
        };
        f.write_str(edge)?;
        for rank in 1..=9 {
            f.write_str("|")?;
            for square in Square::of_rank(rank) {
                self.square(f, self.board.piece(square))?;
            }
            match self.pieces {
                Pieces::Letters => writeln!(f, " {}", char::from(b'a' + rank - 1))?,
                Pieces::Kanji => writeln!(f, "|{}", RANKS[usize::from(rank) - 1])?,
            }
        }
        f.write_str(edge)?;
        self.hand(f, Colour::Black)
    }
}

impl Diagram<'_> {
    fn square(&self, f: &mut fmt::Formatter<'_>, piece: Option<Piece>) -> fmt::Result {
        match (self.pieces, piece) {
            (Pieces::Letters, None) => f.write_str("  |"),
            (Pieces::Letters, Some(piece)) => {
                let promoted = if piece.kind.is_promoted() { '+' } else { ' ' };
                write!(f, "{promoted}{}|", piece.letter())
            }
            (Pieces::Kanji, None) => f.write_str(" ・"),
            (Pieces::Kanji, Some(Piece { kind, colour })) => {
                let side = if colour == Colour::White { 'v' } else { ' ' };
                write!(f, "{side}{}", kind.kanji())
            }
        }
    }

    fn hand(&self, f: &mut fmt::Formatter<'_>, colour: Colour) -> fmt::Result {
        let is_turn = self.board.turn() == colour;
        let moves = if is_turn { '*' } else { ' ' };
        let (name, none) = match (self.pieces, colour) {
            (Pieces::Letters, Colour::Black) => ("Black", "-"),
            (Pieces::Letters, Colour::White) => ("White", "-"),
            (Pieces::Kanji, Colour::Black) => ("▲先手", "なし"),
            (Pieces::Kanji, Colour::White) => ("△後手", "なし"),
        };
        let held = PieceType::BY_VALUE.into_iter().rev().filter_map(|kind| {
            let name = match self.pieces {
                Pieces::Letters => kind.of(colour).letter().to_string(),
                Pieces::Kanji => kind.kanji().to_owned(),
            };
            match self.board.hand(colour).count(kind) {
                0 => None,
                1 => Some(name),
                count => Some(format!("{name}{count}")),
            }
        });
        let held: Vec<String> = held.collect();
        let held = Some(held.join(" ")).filter(|held| !held.is_empty());
        writeln!(f, "{name}{moves} {}", held.as_deref().unwrap_or(none))
    }
}
