//! Boards.

use super::markup::Markup;
use obook_base::capital;
use obook_othello::{Board, Move, Side, Square, SquareSet};

/// A board with a move that was played and a better one.
///
/// ```
/// use obook::plot::Diagram;
/// use obook_othello::{Board, Side};
/// let diagram = Diagram {
///     board: Board::START,
///     side: Side::Black,
///     played: "f5".parse()?,
///     best: None,
/// };
/// assert!(diagram.figure().finish().contains("Black to move; played f5"));
/// # Ok::<(), obook_othello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The board before the move.
    pub board: Board,
    /// The side to move.
    pub side: Side,
    /// The move that was played.
    pub played: Move,
    /// A better move.
    pub best: Option<Move>,
}

/// The width of a square.
const SQUARE: f64 = 20.0;
/// The space for the letters above the board, and for the digits beside it.
const EDGE: f64 = 17.0;
const SIZE: f64 = EDGE + 8.0 * SQUARE + 1.0;

pub(super) const STYLE: &str = "\
.squares{fill:#3f9468}.lines{fill:none;stroke:#256b48;stroke-width:1}.ranks text{font-size:10px}\
.played{fill-opacity:.75;stroke:#d8362a;stroke-width:2.6}\
.best{fill:none;stroke:#ffd75e;stroke-width:2.6;stroke-dasharray:3.5 2.4}";

impl Diagram {
    /// Draws the board for a page with [`figure_style`](super::figure_style): the played move with a ring, the best one as a dashed ring.
    #[must_use]
    pub fn figure(&self) -> Markup {
        let mut svg = Markup::figure("board", [0.0, 0.0, SIZE, SIZE], &self.description());
        svg.rectangle("squares", [EDGE, EDGE, 8.0 * SQUARE, 8.0 * SQUARE], &[]);
        let across =
            (0..=8).map(|index| format!("M{EDGE} {}h160", EDGE + SQUARE * f64::from(index)));
        let down = (0..=8).map(|index| format!("M{} {EDGE}v160", EDGE + SQUARE * f64::from(index)));
        let lines: String = across.chain(down).collect();
        svg.empty("path", &[("class", "lines"), ("d", &lines)]);
        svg.open("g", &[("class", "ranks")]);
        for (index, file) in (0_u8..).zip("abcdefgh".chars()) {
            let middle = EDGE + SQUARE * (f64::from(index) + 0.5);
            svg.label("note middle", middle, EDGE - 5.0, &file.to_string());
            let rank = (index + 1).to_string();
            svg.label("note middle", EDGE / 2.0, middle + 3.5, &rank);
        }
        svg.close();
        let (own, other) = (self.side.name(), self.side.other().name());
        for square in Square::all() {
            let holds = |discs: u64| SquareSet(discs).contains(square);
            if holds(self.board.player()) {
                draw_ring(&mut svg, &format!("disc {own}"), square);
            } else if holds(self.board.opponent()) {
                draw_ring(&mut svg, &format!("disc {other}"), square);
            }
        }
        if let Move::Place(square) = self.played {
            draw_ring(&mut svg, &format!("{own} played"), square);
        }
        if let Some(Move::Place(square)) = self.best {
            draw_ring(&mut svg, "best", square);
        }
        svg
    }

    fn description(&self) -> String {
        let side = capital(self.side.name());
        let best = self.best;
        let best = best.map_or_else(String::new, |best| format!(", best {best}"));
        let (played, board) = (self.played, self.board.to_text_for(self.side));
        format!("{side} to move; played {played}{best}; board {board}")
    }
}

fn draw_ring(svg: &mut Markup, class: &str, square: Square) {
    let middle = |index: u8| EDGE + SQUARE * (f64::from(index) + 0.5);
    svg.circle(class, [square.file(), square.rank()].map(middle), 8.0);
}
