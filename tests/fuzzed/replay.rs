//! The checks in plain `cargo test`: with the inputs in `fuzz/corpus`, and with some thousand changes of the seeds, which are the
//! same on every machine.

use super::seeds::seeds;
use super::{CHECKS, check};
use fastrand::Rng;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

fn folder(name: &str, target: &str) -> PathBuf {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    fuzz.join(name).join(target)
}

/// Checks an input, and saves it if it fails.
fn replay(target: &str, bytes: &[u8], name: &str) {
    let checked = catch_unwind(AssertUnwindSafe(|| check(target, bytes)));
    if let Err(panic) = checked {
        let path = std::env::temp_dir().join(format!("obook-{target}-{name}"));
        fs::write(&path, bytes).unwrap();
        eprintln!("{target}: {name} fails, kept as {}", path.display());
        resume_unwind(panic);
    }
}

#[test]
fn recorded_findings_stay_fixed() {
    for (target, _) in CHECKS {
        let mut inputs = 0;
        for file in fs::read_dir(folder("corpus", target)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            replay(target, &fs::read(&path).unwrap(), name);
            inputs += 1;
        }
        assert!(inputs > 0, "{target} has inputs");
    }
}

/// Checks all seeds, then `count` changes of them.
fn seeds_and_changes(target: &str, count: usize) {
    let seeds = seeds(target);
    for (number, seed) in seeds.iter().enumerate() {
        replay(target, seed, &format!("seed-{number}"));
    }
    let mut random = Rng::with_seed(1);
    for number in 0..count {
        let mut bytes = random.choice(&seeds).unwrap().clone();
        for _ in 0..random.usize(1..6) {
            damage(&mut bytes, &seeds, &mut random);
        }
        replay(target, &bytes, &format!("change-{number}"));
    }
}

#[test]
fn books() {
    seeds_and_changes("books", 5000);
}

#[test]
fn compressed() {
    seeds_and_changes("compressed", 1000);
}

#[test]
fn games() {
    seeds_and_changes("games", 5000);
}

#[test]
fn notation() {
    seeds_and_changes("notation", 5000);
}

#[test]
fn sql() {
    seeds_and_changes("sql", 2000);
}

#[test]
fn rows() {
    seeds_and_changes("rows", 24);
}

#[test]
fn import() {
    seeds_and_changes("import", 24);
}

/// Changes a byte, a number or the length, or inserts a piece of another seed.
fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Rng) {
    let at = random.usize(..=bytes.len());
    match random.u8(0..8) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.u8(0..8);
            }
        }
        2 | 3 => {
            let values = [0, 1, 63, 64, 65, 125, 126, 127, 128, 129, 130, 254, 255];
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.choice(values).unwrap();
            }
        }
        4 => {
            let numbers = [0, 1, -1, i32::MIN, i32::MAX, 1 << 16];
            let number = random.choice(numbers).unwrap().to_le_bytes();
            for (byte, new) in bytes[at..].iter_mut().zip(number) {
                *byte = new;
            }
        }
        5 => bytes.truncate(at),
        6 => {
            bytes.drain(at..(at + random.usize(1..8)).min(bytes.len()));
        }
        _ => {
            let other = random.choice(seeds).unwrap();
            let from = random.usize(..=other.len());
            let piece = &other[from..(from + random.usize(1..40)).min(other.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}

/// Writes initial inputs for the fuzzer; see fuzz/README.md.
#[test]
#[ignore = "writes the fuzzer's seeds into fuzz/grown"]
fn write_seeds() {
    for (target, _) in CHECKS {
        let folder = folder("grown", target);
        fs::create_dir_all(&folder).unwrap();
        for (number, seed) in seeds(target).iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
        }
    }
}
