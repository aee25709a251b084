//! Pictures of a book as SVG: text that stays text, colours for light and dark pages, the numbers in the picture.
//!
//! What is drawn is data first ([`Bars`], [`Tree`]), which can be looked at, compared and serialised; the same data
//! always gives the same bytes.

mod bars;
mod chart;
mod colour;
mod counts;
mod course;
mod curves;
mod growth;
mod svg;
mod tree;

pub use bars::{Bar, Bars, Scale, Series};
pub use chart::{Across, Chart, Curve, Panel};
pub use colour::Palette;
pub use counts::{accuracy_by_ply, positions_by_empties, positions_by_score};
pub use course::Course;
pub use tree::{Branch, Shape, Tree};
