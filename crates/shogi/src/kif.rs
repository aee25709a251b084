//! Moves in 棋譜 notation, as KIF files write them.

use crate::{Board, Colour, Move, PieceType, Square};
use std::fmt;

/// A move of a position in 棋譜 notation, with the square it comes from, so that it is never ambiguous: `▲７六歩(77)`.
///
/// ```
/// use obook_shogi::{Board, Kif, Move};
///
/// let mut board = Board::start();
/// let mut last = None;
/// let mut record = Vec::new();
/// for mv in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"] {
///     let mv: Move = mv.parse()?;
///     record.push(Kif { board: &board, mv, last }.to_string());
///     board = board.play(mv).ok_or("legal")?;
///     last = Some(mv.to());
/// }
/// assert_eq!(record.join(" "), "▲７六歩(77) △３四歩(33) ▲２二角成(88) △同　銀(31) ▲４五角打");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Kif<'b> {
    /// The position before the move.
    pub board: &'b Board,
    /// The move.
    pub mv: Move,
    /// The target of the move before it, if that is known: a move to the same square is written 同.
    pub last: Option<Square>,
}

impl fmt::Display for Kif<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.board.turn() {
            Colour::Black => "▲",
            Colour::White => "△",
        })?;
        let to = self.mv.to();
        match self.last == Some(to) {
            true => f.write_str("同　")?,
            false => {
                let file = ["１", "２", "３", "４", "５", "６", "７", "８", "９"];
                f.write_str(file[usize::from(to.file()) - 1])?;
                f.write_str(RANKS[usize::from(to.rank()) - 1])?;
            }
        }
        match self.mv {
            Move::Drop { kind, .. } => write!(f, "{}打", name(kind)),
            Move::Step { from, promotes, .. } => {
                let kind = self.board.piece(from).map(|piece| piece.kind);
                f.write_str(kind.map_or("？", name))?;
                f.write_str(if promotes { "成" } else { "" })?;
                write!(f, "({}{})", from.file(), from.rank())
            }
        }
    }
}

/// The ranks, from the top.
pub(crate) const RANKS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];

/// The name of a kind in records of games.
pub(crate) const fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::ProLance => "成香",
        PieceType::ProKnight => "成桂",
        PieceType::ProSilver => "成銀",
        _ => kind.kanji(),
    }
}
