//! Looking through damaged books.

use obook::check::verify;
use obook::{Book, Context};
use obook_testing::golden::golden;
use obook_testing::imported::imported;

/// With any bytes in a book, verify ends with a report or an error of one sentence.
#[test]
fn takes_any_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (_folder, database) = imported("edax/games.prune.dat");
    let [small, egbk3] = ["edax/games.prune.dat", "egaroucid/games.mixed.egbk3"].map(golden);
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for (number, path) in [small, database, egbk3]
        .iter()
        .cycle()
        .take(150)
        .enumerate()
    {
        let mut bytes = std::fs::read(path).unwrap();
        for _ in 0..1 + random() % 40 {
            let place = random() % bytes.len();
            bytes[place] = random() as u8;
        }
        let damaged = folder.path().join(format!("damaged{number}"));
        std::fs::write(&damaged, &bytes).unwrap();
        let result = Book::open(&damaged, &Context::default())
            .and_then(|book| verify(&book, 3, &Context::default()));
        match result {
            Ok(report) => {
                assert!(report.positions < 10_000);
                read += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 0, "{read} read, {refused} refused");
}
