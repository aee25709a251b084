//! The meaning of levels, from the tables that the engines print.

use super::golden::table;
use obook_othello::{Engine, Place};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The level of values that a person entered.
const PERSON: u8 = 70;

/// Depth, probability in percent, and whether the search reaches the end of the game.
pub type PlainSearch = (u8, u8, bool);

type Table = HashMap<(u8, u8), PlainSearch>;

static EDAX: LazyLock<Table> = LazyLock::new(|| levels("edax/levels.tsv", |row| row[2] == row[1]));

static EGAROUCID: LazyLock<Table> =
    LazyLock::new(|| levels("egaroucid/levels.tsv", |row| row[4] == 1));

fn levels(name: &str, reaches_the_end: fn(&[u8]) -> bool) -> Table {
    let search = |row: Vec<String>| {
        let row: Vec<u8> = row.iter().map(|field| field.parse().unwrap()).collect();
        ((row[0], row[1]), (row[2], row[3], reaches_the_end(&row)))
    };
    table(name).into_iter().map(search).collect()
}

/// The search of a level. Levels above 60 count as exact. Egaroucid has no level 0, so Edax's is used.
pub fn plain_search(engine: Engine, level: u8, empties: u8) -> PlainSearch {
    match (engine.scale(), level) {
        (_, 61..) => (empties, 100, true),
        (Engine::Edax | Engine::Obook | Engine::Takizawa, _) | (Engine::Egaroucid, 0) => {
            EDAX[&(level, empties)]
        }
        (Engine::Egaroucid, _) => EGAROUCID[&(level, empties)],
        (Engine::Zebra | Engine::Sensei | Engine::Ntest, 60) => (empties, 100, true),
        (Engine::Sensei, _) => {
            let depth = 3.0f64.mul_add(f64::from(level), -21.0) / 4.0;
            let depth = depth.floor().max(0.0) as u8;
            let is_full = empties == 0 || depth == 0;
            let depth = if empties == 0 { 0 } else { depth };
            (depth, if is_full { 100 } else { 73 }, empties == 0)
        }
        (Engine::Ntest, _) if empties == 0 => (0, 100, true),
        (Engine::Ntest, _) if empties <= level + 8 => (empties, 73, true),
        (Engine::Ntest, _) => (level, if level == 0 { 100 } else { 73 }, false),
        (Engine::Zebra, _) => {
            let to_the_end = empties <= level;
            let is_full = level <= 8 || empties <= 8;
            let depth = if to_the_end { empties } else { level };
            (depth, if is_full { 100 } else { 73 }, to_the_end)
        }
        _ => unreachable!("no level of {engine} is tested"),
    }
}

/// Orders searches from worst to best: first an unknown level, then that of an engine without a place, then by depth, probability, end
/// of the game, and level. A person's level is best.
pub fn plain_strength(
    engine: Engine,
    level: Option<u8>,
    empties: u8,
) -> Option<(bool, bool, PlainSearch, u8)> {
    level.map(|level| {
        let (depth, probability, to_the_end) = plain_search(engine, level, empties);
        let search = (depth.min(empties), probability, to_the_end);
        let is_placed = level >= PERSON || engine.place() != Some(Place::UNKNOWN);
        (level >= PERSON, is_placed, search, level)
    })
}
