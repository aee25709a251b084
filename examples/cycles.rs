//! A toy game that can repeat positions: four rooms in a circle, one of which holds a prize, and a way out of another.

use obook::cycles::{Edge, Graph, Own, Score, exact};
use std::ops::RangeInclusive;

struct Rooms;

impl Graph for Rooms {
    fn nodes(&self) -> u32 {
        4
    }
    fn children(&self, room: u32) -> impl Iterator<Item = Edge> {
        std::iter::once(Edge::turn((room + 1) % 4))
    }
    fn payoff(&self, room: u32) -> Option<Score> {
        [Some(4), None, None, Some(-6)][room as usize]
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scores = exact(&Rooms);
    let own = [0, 1, 2, 3].map(|room| scores.own(room));
    println!("{own:?}");
    assert_eq!(own, [4, -4, 4, -4].map(Own::Score));
    Ok(())
}
