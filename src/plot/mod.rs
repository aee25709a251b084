//! Pictures of a book as SVG, with real text, colours for light and dark pages, and the numbers in the file.
//!
//! Each picture is data first (such as [`Bars`] or [`Tree`]), which can be compared and serialised. The same data always
//! gives the same bytes. A [`Course`] or a [`Diagram`] can also be a figure of a page of HTML, which is written as [`Markup`].

mod axes;
mod bars;
mod chart;
mod course;
mod curves;
mod diagram;
mod grid;
mod markup;
mod svg;
mod tree;

pub use bars::{
    Bar, Bars, Scale, Series, accuracy_by_ply, chances, positions_by_empties, positions_by_score,
};
pub use chart::{Across, Chart, Curve, Panel};
pub use course::Course;
pub use diagram::Diagram;
pub use grid::{Grid, Shaded};
pub use markup::Markup;
pub use svg::{Palette, figure_style};
pub use tree::{Branch, Shape, Tree};
