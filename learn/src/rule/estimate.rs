//! What a search is off by, and what it takes.

use obook_model::Engine;
use obook_model::levels::Effort;

/// By how many discs a score is off: the standard deviation of its error.
///
/// A search that reaches the end is off by a disc where one in four of its cuts may be wrong, and by nothing where none may be. Of
/// the others, estimates without any search are off by more discs the fewer squares are empty, and each ply of search takes
/// 7.5 % of that away. Fitted to the tables in `docs/evaluator.md`, of the engine inside; other engines are better at the same
/// depth, and all by about the same part, which changes no order of their leaves.
pub(crate) fn uncertainty(engine: Engine, level: Option<u8>, empties: u8) -> f64 {
    let search = level.map(|level| Effort::new(engine, level, empties));
    let depth = match search {
        Some(search) if search.to_the_end => return f64::from(100 - search.probability) / 25.0,
        Some(search) => search.depth,
        None => 0,
    };
    let without = 1.7 + 0.13 * f64::from(57u8.saturating_sub(empties));
    without * libm::pow(0.925, depth.into())
}

/// How many positions a search visits, roughly.
///
/// Twice as many again with each two thirds of a ply as long as nothing is pruned, with each 1.6 plies where much is, and with
/// nearly each square that is empty where the game is played to its end: measured with the engine inside.
pub(crate) fn work(engine: Engine, level: u8, empties: u8) -> f64 {
    let search = Effort::new(engine, level, empties);
    let depth = f64::from(search.depth);
    let doublings = if search.to_the_end {
        depth * (0.75 + f64::from(search.probability) / 250.0)
    } else if search.probability == 100 {
        4.0 + 1.5 * depth
    } else {
        9.3 + 0.63 * depth
    };
    libm::exp2(doublings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_searches_are_surer_and_take_longer() {
        for empties in [16, 30, 44, 58] {
            for level in 0..30 {
                let of = |level| uncertainty(Engine::Obook, Some(level), empties);
                assert!(of(level + 1) <= of(level), "{level} {empties}");
                assert!(of(level) <= uncertainty(Engine::Obook, None, empties));
            }
            let work = |level| work(Engine::Obook, level, empties);
            assert!(work(4) < work(8), "{empties}");
            // Few squares are solved by any of these.
            assert_eq!(work(12) < work(24), empties > 21, "{empties}");
        }
        assert_eq!(uncertainty(Engine::Edax, Some(30), 30), 0.0);
        assert_eq!(uncertainty(Engine::Edax, Some(30), 31), 0.08);
    }
}
