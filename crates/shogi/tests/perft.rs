//! Published numbers of lines of legal moves. With `OBOOK_LONG` in the environment, more of them.

use crate::positions::{MATSURI, MOST_MOVES, START, board};
use obook_shogi::perft;

/// Positions, and their numbers of lines from `first` moves on: those of a default run, and further ones.
const COUNTS: &[(&str, u32, &[u64], &[u64])] = &[
    (
        START,
        1,
        &[30, 900, 25_470, 719_731, 19_861_490],
        &[547_581_517],
    ),
    (MATSURI, 1, &[207, 28_684], &[4_809_015, 516_925_165]),
    (MOST_MOVES, 1, &[593, 105_677], &[53_393_368]),
    (
        "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
        3,
        &[37_189, 1_307_221],
        &[],
    ),
    (
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        2,
        &[15_850, 1_114_656],
        &[],
    ),
    (
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        2,
        &[41_605],
        &[8_420_492],
    ),
    (
        "ln3gsn1/7kl/3+B1p1p1/p4s2p/2P6/P2B3PP/1PNP+rPP2/2G3SK1/L4G1NL b G3Prs3p 65",
        1,
        &[101, 15_744, 1_183_354],
        &[],
    ),
    (
        "ln2+r1r2/5s+Pkl/3+B1p1p1/p4B2p/2P6/P6PP/1PNP1P3/2G3SK1/L4G1NL w 2GSN3Ps3p 76",
        2,
        &[445],
        &[],
    ),
];

#[test]
fn published_positions() {
    let long = std::env::var_os("OBOOK_LONG").is_some();
    for &(sfen, first, short, rest) in COUNTS {
        let rest = if long { rest } else { &[] };
        for (depth, &count) in (first..).zip(short.iter().chain(rest)) {
            assert_eq!(perft(&board(sfen), depth), count, "{sfen}, {depth} moves");
        }
    }
}
