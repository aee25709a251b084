//! What a level is worth, read from the tables that the engines print.

use super::golden::table;
use obook_model::Engine;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a person entered, and no engine searched.
const PERSON: u8 = 70;

/// Depth, probability in percent, and whether the end of the game is reached.
pub type PlainSearch = (u8, u8, bool);

type Table = HashMap<(u8, u8), PlainSearch>;

static EDAX: LazyLock<Table> = LazyLock::new(|| {
    let rows = numbers("edax/levels.tsv").into_iter();
    rows.map(|row| ((row[0], row[1]), (row[2], row[3], row[2] == row[1])))
        .collect()
});

static EGAROUCID: LazyLock<Table> = LazyLock::new(|| {
    let rows = numbers("egaroucid/levels.tsv").into_iter();
    rows.map(|row| ((row[0], row[1]), (row[2], row[3], row[4] == 1)))
        .collect()
});

fn numbers(name: &str) -> Vec<Vec<u8>> {
    let numbers = |row: Vec<String>| row.iter().map(|field| field.parse().unwrap()).collect();
    table(name).into_iter().map(numbers).collect()
}

/// What a level searches. Above 60 it counts as exact; Egaroucid has no level 0, which is none of a search.
pub fn plain_search(engine: Engine, level: u8, empties: u8) -> PlainSearch {
    match (engine, level) {
        (_, 61..) => (empties, 100, true),
        (Engine::Edax | Engine::Obook, _) | (_, 0) => EDAX[&(level, empties)],
        (Engine::Egaroucid, _) => EGAROUCID[&(level, empties)],
    }
}

/// In the order of worth: nothing known, then the deeper, the surer, the one that reaches the end, the higher level; and
/// above all what a person entered.
pub fn plain_strength(
    engine: Engine,
    level: Option<u8>,
    empties: u8,
) -> Option<(bool, PlainSearch, u8)> {
    level.map(|level| {
        let (depth, probability, to_the_end) = plain_search(engine, level, empties);
        let search = (depth.min(empties), probability, to_the_end);
        (level >= PERSON, search, level)
    })
}
