//! Pictures of a book as SVG, with real text, colours for light and dark pages, and the numbers in the file.
//!
//! Each picture is data first (such as [`Bars`] or [`Tree`]), which can be compared and serialised. The same data always
//! gives the same bytes.

mod axes;
mod bars;
mod chart;
mod course;
mod curves;
mod svg;
mod tree;

pub use bars::{
    Bar, Bars, Scale, Series, accuracy_by_ply, positions_by_empties, positions_by_score,
};
pub use chart::{Across, Chart, Curve, Panel};
pub use course::Course;
pub use svg::Palette;
pub use tree::{Branch, Shape, Tree};
