//! The number of lines of legal moves, to compare with published ones:
//! `cargo run --release -p obook-shogi --example perft -- 5 lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -`.

use obook_shogi::{Board, Sfen, perft};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let most = words.next().map_or(Ok(4), |depth| depth.parse())?;
    let sfen = words.collect::<Vec<_>>().join(" ");
    let board = match sfen.is_empty() {
        true => Board::start(),
        false => sfen.parse::<Sfen>()?.board,
    };
    for depth in 1..=most {
        println!("{depth} {}", perft(&board, depth));
    }
    Ok(())
}
