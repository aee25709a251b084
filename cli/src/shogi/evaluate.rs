//! `obook shogi evaluate`.

use super::{PIECES, line, usual_pieces};
use crate::options::picture::PictureFile;
use crate::options::values::choice;
use crate::prelude::*;
use obook::plot::{Grid, Shaded};
use obook_shogi::effects::{Evaluation, count};
use obook_shogi::{Board, Colour, Piece, Pieces, Square};
use obook_sql::answers::Screen;

/// Evaluate a position by effects: how many pieces attack each square
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi evaluate 7g7f 3c3d\n  \
    obook shogi evaluate 8k/6+R2/9/9/4g4/9/9/9/K8 b -\n  \
    obook shogi evaluate 7g7f 3c3d --output control.svg\n\n\
    The formula and its constants are published; docs/research/effects.md lists them. All parts are in centipawns from Black's point of view, \
    the score is for the side to move. On a terminal with colours, and in a picture, squares are blue where more of Black's pieces attack, \
    red where more of White's do, and deeper the more they are.")]
pub(crate) struct Arguments {
    /// Moves in USI from the start position. A position in SFEN may come before the moves or instead of them
    #[arg(required = true)]
    position: Vec<String>,
    /// Draw the board, shaded by who controls what, as SVG or PNG
    #[arg(short, long, value_name = "FILE.svg|FILE.png")]
    output: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long, requires = "output")]
    force: bool,
    /// Letters or Japanese pieces [default: kanji in a picture and on a terminal with UTF-8, letters otherwise]
    #[arg(long, value_parser = choice(&PIECES))]
    pieces: Option<Pieces>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Parts {
    sfen: String,
    score: i32,
    material: i32,
    on_board: i32,
    effects: i32,
    /// By rank from the top, each from file 9 to file 1.
    squares: Vec<Vec<SquarePart>>,
}

#[derive(Serialize)]
struct SquarePart {
    /// How many pieces of Black and of White attack it.
    attacks: [u8; 2],
    worth: i32,
    #[serde(skip)]
    piece: Option<Piece>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let picture = PictureFile::asked(arguments.output.as_ref(), [], arguments.force)?;
    let line = line(&arguments.position)?;
    let parts = Parts::of(line.board());
    if let Some(file) = picture {
        let picture = parts.picture(arguments.pieces == Some(Pieces::Letters));
        file.commit(picture.to_svg())?;
    }
    if !arguments.json && Screen::of_stdout().is_some() {
        let pieces = arguments.pieces.unwrap_or_else(usual_pieces);
        // Without the colours where the user wants none.
        let mut out = anstream::stdout().lock();
        out.write_all(parts.shaded(line.board(), pieces).as_bytes())?;
    }
    answer(&parts, arguments.json, describe)
}

/// How many more effects of one side than of the other make a square as deep as it gets.
const DEEPEST: i16 = 4;

impl SquarePart {
    /// How far the square belongs to White (down to −[`DEEPEST`]) or to Black (up to [`DEEPEST`]). `None` if nobody attacks it.
    fn balance(&self) -> Option<i16> {
        let [black, white] = self.attacks.map(i16::from);
        (black + white > 0).then(|| (black - white).clamp(-DEEPEST, DEEPEST))
    }
}

impl Parts {
    fn of(board: &Board) -> Parts {
        let evaluation = Evaluation::new(board);
        let [black, white] = count(board);
        let part = |square: Square| {
            let at = square.index();
            SquarePart {
                attacks: [black[at], white[at]],
                worth: evaluation.squares[at],
                piece: board.piece(square),
            }
        };
        let rank = |rank| Square::of_rank(rank).map(part).collect();
        Parts {
            sfen: board.to_string(),
            score: evaluation.score(),
            material: evaluation.material,
            on_board: -evaluation.on_board,
            effects: evaluation.squares.iter().sum(),
            squares: (1..=9).map(rank).collect(),
        }
    }

    fn picture(&self, has_letters: bool) -> Grid {
        let word = |piece: Piece| match (has_letters, piece.kind.is_promoted()) {
            (true, true) => format!("+{}", piece.letter()),
            (true, false) => piece.letter().to_string(),
            (false, _) => piece.kind.kanji().to_owned(),
        };
        let shaded = |square: &SquarePart| Shaded {
            balance: f64::from(square.balance().unwrap_or(0)) / f64::from(DEEPEST),
            word: square.piece.map(word).unwrap_or_default(),
            is_turned: (square.piece).is_some_and(|piece| piece.colour == Colour::White),
            remark: match square.attacks {
                [0, 0] => String::new(),
                [black, white] => format!("{black}:{white}"),
            },
        };
        let rows = ('a'..).zip(&self.squares);
        Grid {
            title: String::from("Who controls what"),
            note: String::from("effects of Black (blue) and White (red) on each square"),
            columns: (1..=9).rev().map(|file: u8| file.to_string()).collect(),
            rows: rows
                .map(|(rank, squares)| (rank.to_string(), squares.iter().map(shaded).collect()))
                .collect(),
        }
    }

    /// The board for a terminal, with colours behind the pieces.
    fn shaded(&self, board: &Board, pieces: Pieces) -> String {
        // From White's to Black's, among the 256 colours of terminals.
        const COLOURS: [u8; 9] = [203, 209, 216, 223, 254, 153, 117, 75, 69];
        let diagram = board.diagram(pieces).to_string();
        let mut ranks = self.squares.iter();
        let mut text = String::new();
        for line in diagram.lines() {
            let Some(squares) = line.strip_prefix('|') else {
                text.push_str(&format!("{line}\n"));
                continue;
            };
            text.push('|');
            let mut rest = squares.chars();
            for square in ranks.next().into_iter().flatten() {
                // Two characters of a piece; between letters stands a line.
                let piece: String = rest.by_ref().take(2).collect();
                match square.balance() {
                    Some(balance) => {
                        let colour = COLOURS[usize::from((balance + DEEPEST).unsigned_abs())];
                        text.push_str(&format!("\x1b[38;5;16;48;5;{colour}m{piece}\x1b[0m"));
                    }
                    None => text.push_str(&piece),
                }
                if pieces == Pieces::Letters {
                    text.extend(rest.by_ref().take(1));
                }
            }
            text.push_str(&format!("{}\n", rest.as_str()));
        }
        text
    }
}

fn describe(parts: &Parts, out: &mut dyn Write) -> io::Result<()> {
    let (sfen, score) = (&parts.sfen, parts.score);
    let (material, on_board, effects) = (parts.material, parts.on_board, parts.effects);
    writeln!(out, "{sfen}\nscore {score:+} for the side to move")?;
    writeln!(
        out,
        "  material {material:+}, of that on the board {on_board:+}, effects {effects:+}\n"
    )?;
    writeln!(
        out,
        "Effects of Black and White on each square, and what they are worth:"
    )?;
    let files: String = (1..=9).rev().map(|file| format!("{file:>6}")).collect();
    writeln!(out, "{files}")?;
    for (rank, squares) in ('a'..).zip(&parts.squares) {
        let attacks = |square: &SquarePart| match square.attacks {
            [0, 0] => String::from("     ·"),
            [black, white] => format!("   {black}:{white}"),
        };
        let worth = |square: &SquarePart| format!("{:>+6}", square.worth);
        let attacks: String = squares.iter().map(attacks).collect();
        let worths: String = squares.iter().map(worth).collect();
        writeln!(out, "{attacks} {rank}\n{worths}")?;
    }
    Ok(())
}
