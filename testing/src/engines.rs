//! Real engines, and positions to ask them about.

use crate::random_book::Random;
use obook_engine::{Outside, Protocol};
use obook_othello::Board;
use std::path::PathBuf;
use std::time::Duration;

/// A program in the folder that `OBOOK_ENGINE_KIT` names, for tests with `#[needs(engine_kit)]`.
pub fn kit(program: &str) -> PathBuf {
    let kit = std::env::var_os("OBOOK_ENGINE_KIT").expect("OBOOK_ENGINE_KIT names the engine kit");
    let program = PathBuf::from(kit).join(program);
    assert!(program.is_file(), "{}", program.display());
    program
}

/// A real engine, by its protocol.
pub fn real(protocol: Protocol) -> Outside {
    let (program, arguments) = match protocol {
        Protocol::NBoard => ("edax/edax", "-nboard -q -n 1 -h 16 -book-usage off"),
        Protocol::EdaxBook => ("edax/edax", "-mode 3 -q -n 1 -h 16 -book-usage off"),
        Protocol::Egaroucid => ("egaroucid/egaroucid", "-nobook -q -t 1 -hash 16"),
    };
    let program = kit(program);
    Outside {
        name: protocol.name().to_owned(),
        protocol,
        folder: program.parent().map(PathBuf::from),
        program,
        arguments: arguments.split(' ').map(str::to_owned).collect(),
        scale: protocol.scale(),
        patience: Duration::from_secs(1200),
    }
}

/// `count` different positions with at most this number of empty squares, from unfinished random games.
pub fn positions(seed: u64, empties: u32, count: usize) -> Vec<Board> {
    let mut random = Random(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = Board::START;
        while board.empties() > empties && !board.is_over() {
            let children: Vec<_> = board.children().collect();
            board = children[random.below(children.len() as u64) as usize].1;
        }
        if !board.is_over() && !found.contains(&board) {
            found.push(board);
        }
    }
    found
}
