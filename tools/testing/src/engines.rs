//! Real engines, and positions to ask them about.

use crate::random_book::Random;
use obook_engine::{Outside, Protocol};
use obook_othello::Board;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program in the folder that `OBOOK_ENGINE_KIT` names, for tests with `#[needs(engine_kit)]`.
pub fn kit(program: &str) -> PathBuf {
    let kit = std::env::var_os("OBOOK_ENGINE_KIT").expect("OBOOK_ENGINE_KIT names the engine kit");
    let program = PathBuf::from(kit).join(program);
    assert!(program.is_file(), "{}", program.display());
    program
}

/// Runs book commands in the console of the real Edax.
pub fn edax_console(level: u8, commands: &[String]) {
    let program = kit("edax/edax");
    let mut edax = Command::new(&program)
        .args("-n 1 -mode 3 -q -h 16 -book-usage off -l".split(' '))
        .arg(level.to_string())
        .current_dir(program.parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = edax.stdin.take().unwrap();
    for command in commands {
        writeln!(input, "book {command}").unwrap();
    }
    writeln!(input, "book info").unwrap();
    let said = BufReader::new(edax.stdout.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    // The end of the output of `book info`.
    assert!(lines.any(|line| line.contains("Hash balance")));
    drop(input);
    for _ in lines {}
    assert!(edax.wait().unwrap().success());
}

/// Egaroucid's book functions, ready to search: the program that `OBOOK_EGAROUCID_BOOK` names, for tests with
/// `#[needs(egaroucid_book)]`.
pub fn egaroucid_functions() -> Command {
    let program = std::env::var_os("OBOOK_EGAROUCID_BOOK").map(PathBuf::from);
    let program = program.expect("it was there when the tests were built");
    let weights = "resources/eval.egev2 resources/eval_move_ordering_end.egev";
    let mut functions = Command::new(&program);
    functions
        .args(format!("eval {weights}").split(' '))
        .current_dir(program.parent().unwrap())
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    functions
}

/// A real engine, by its protocol.
pub fn real(protocol: Protocol) -> Outside {
    let (program, arguments) = match protocol {
        Protocol::NBoard => ("edax/edax", "-nboard -q -n 1 -h 16 -book-usage off"),
        Protocol::EdaxBook => ("edax/edax", "-mode 3 -q -n 1 -h 16 -book-usage off"),
        Protocol::Egaroucid => ("egaroucid/egaroucid", "-nobook -q -t 1 -hash 16"),
        Protocol::Usi => panic!("it is for shogi"),
    };
    let program = kit(program);
    Outside {
        name: protocol.name().to_owned(),
        protocol,
        folder: program.parent().map(PathBuf::from),
        program,
        arguments: arguments.split(' ').map(str::to_owned).collect(),
        engine: protocol.scale(),
        options: BTreeMap::new(),
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
