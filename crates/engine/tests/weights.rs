//! The file of weights.

use obook_engine::{Evaluator, WeightsError};
use sha2::{Digest, Sha256};

static FILE: &[u8] = include_bytes!("../weights.zst");

/// Law (Searches): The weights are the documented ones; damaged ones are refused.
/// Also: `damaged_weights_are_refused` `weights_come_back`
#[test]
fn the_file_is_the_one_that_is_documented() {
    let page = include_str!("../../../docs/research/evaluator.md");
    let hash: String = Sha256::digest(FILE)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(
        page.contains(&hash),
        "docs/research/evaluator.md does not name {hash}"
    );
    assert!(FILE.len() <= 3_000_000, "{} bytes", FILE.len());
}

#[test]
fn weights_come_back() {
    let read = Evaluator::read(FILE).unwrap();
    let again = Evaluator::read(&read.write()).unwrap();
    assert_eq!(again.weights(), read.weights());
}

/// A damaged byte anywhere is noticed by the checksum or the structure.
#[test]
fn damaged_weights_are_refused() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20 {
        let mut bytes = FILE.to_vec();
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.u32(..8);
        assert!(Evaluator::read(&bytes).is_err(), "byte {at}");
    }
    assert!(Evaluator::read(&FILE[..FILE.len() - 1]).is_err());
    assert!(matches!(
        Evaluator::read(&zstd::bulk::compress(b"something else", 1).unwrap()),
        Err(WeightsError::Length { found: 14, .. })
    ));
}
