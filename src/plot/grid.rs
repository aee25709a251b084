//! Boards whose squares are shaded.

use super::markup::Markup;
use super::svg::{MARGIN, blend, number};

/// A board whose squares are shaded by which side has more of them, with a word and a remark in each square.
///
/// ```
/// use obook::plot::{Grid, Shaded};
/// let square = Shaded { balance: 0.5, word: "R".into(), is_turned: false, remark: "2:0".into() };
/// let grid = Grid {
///     title: "One square".into(),
///     note: "blue: Black".into(),
///     columns: vec!["1".into()],
///     rows: vec![("a".into(), vec![square])],
/// };
/// assert!(grid.to_svg().contains("<title>1a: R 2:0</title>"));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// The title.
    pub title: String,
    /// A line below it.
    pub note: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows with their names.
    pub rows: Vec<(String, Vec<Shaded>)>,
}

/// A square of a [`Grid`].
#[derive(Clone, PartialEq, Debug)]
pub struct Shaded {
    /// Whose it is: from −1, the second side's (red), to 1, the first side's (blue).
    pub balance: f64,
    /// A word in its middle.
    pub word: String,
    /// Whether the word stands upside down.
    pub is_turned: bool,
    /// A remark in its corner.
    pub remark: String,
}

/// The width of a square.
const SQUARE: f64 = 46.0;
const LEFT: f64 = MARGIN;
const TOP: f64 = 98.0;

/// Pale colours that dark text can be read on, from the second side's to the first side's.
const SHADES: [u32; 3] = [0xe07c62, 0xf3eee2, 0x62a9d8];

const STYLE: &str = ".piece{font-size:23px;fill:#15181d}.remark{font-size:10px;fill:#3c4149}.square{stroke:#6b717b;stroke-width:1}";

impl Grid {
    /// Draws the picture.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let right = LEFT + SQUARE * self.columns.len() as f64;
        let bottom = TOP + SQUARE * self.rows.len() as f64;
        let size = [right + 2.0 * LEFT, bottom + LEFT];
        let mut svg = Markup::picture(size, &self.title, &self.note, &self.note, STYLE);
        let place = |start: f64, index: usize| start + SQUARE * index as f64;
        for (index, name) in self.columns.iter().enumerate() {
            svg.label("middle", place(LEFT, index) + SQUARE / 2.0, TOP - 8.0, name);
        }
        for (row, (name, squares)) in self.rows.iter().enumerate() {
            let y = place(TOP, row);
            svg.label("", right + 8.0, y + SQUARE / 2.0 + 4.0, name);
            for (index, (column, square)) in self.columns.iter().zip(squares).enumerate() {
                svg.open("g", &[]);
                let words = format!("{column}{name}: {} {}", square.word, square.remark);
                svg.words("title", &[], &words);
                square.draw(&mut svg, [place(LEFT, index), y]);
                svg.close();
            }
        }
        svg.finish()
    }
}

impl Shaded {
    fn draw(&self, svg: &mut Markup, [x, y]: [f64; 2]) {
        let fill = blend(&SHADES, 0.5 + 0.5 * self.balance);
        svg.rectangle("square", [x, y, SQUARE, SQUARE], &[("fill", &fill)]);
        let middle = [x + SQUARE / 2.0, y + SQUARE / 2.0 - 3.0].map(number);
        let turn = format!("rotate(180 {} {})", middle[0], middle[1]);
        let baseline = number(y + SQUARE / 2.0 + 5.0);
        let mut attributes = vec![
            ("class", "piece middle"),
            ("x", &*middle[0]),
            ("y", &*baseline),
        ];
        if self.is_turned {
            attributes.push(("transform", &turn));
        }
        svg.words("text", &attributes, &self.word);
        let [right, bottom] = [x + SQUARE - 3.0, y + SQUARE - 4.0];
        svg.label("remark end number", right, bottom, &self.remark);
    }
}
