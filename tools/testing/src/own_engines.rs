//! Engines that obook doesn't know.

use obook_othello::Engine;

/// Engines of people: two with a name in common, on different scales, with and without a place.
pub fn own_engines() -> Vec<Engine> {
    let engines = [
        ("tiny 1.0", Engine::Edax, "unknown"),
        ("tiny 1.0", Engine::Edax, "above edax"),
        ("日本", Engine::Egaroucid, "unknown"),
        ("weak", Engine::Zebra, "below edax"),
        ("strong", Engine::Edax, "above ntest"),
    ];
    let own = engines.map(|(name, scale, place)| Engine::own(name, scale, place.parse().unwrap()));
    own.map(Result::unwrap).into()
}
