//! The checks in plain `cargo test`: with the inputs in `fuzz/corpus`, and with some thousand changes of the seeds, which are the
//! same on every machine.
//!
//! The corpus of a target is a folder with inputs that once broke a law, each with a name that says how, and a pack of those with
//! which the fuzzer reached new branches.

use super::seeds::seeds;
use super::{CHECKS, check};
use fastrand::Rng;
use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

fn folder(name: &str, target: &str) -> PathBuf {
    let fuzz = crate::support::root().join("fuzz");
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

/// The file with a target's packed inputs.
fn pack_file(target: &str) -> PathBuf {
    folder("corpus", &format!("{target}.pack.zst"))
}

/// The bytes of a pack: for each input its length in four bytes, little-endian, and the input. All are compressed together.
fn pack(inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for input in inputs {
        bytes.extend(u32::try_from(input.len()).unwrap().to_le_bytes());
        bytes.extend(input);
    }
    zstd::encode_all(&*bytes, 19).unwrap()
}

fn unpack(pack: &[u8]) -> Vec<Vec<u8>> {
    let bytes = zstd::decode_all(pack).unwrap();
    let mut rest = &*bytes;
    let mut inputs = Vec::new();
    while !rest.is_empty() {
        let mut len = [0; 4];
        rest.read_exact(&mut len).unwrap();
        let (input, behind) = rest.split_at(u32::from_le_bytes(len) as usize);
        inputs.push(input.to_vec());
        rest = behind;
    }
    inputs
}

#[test]
fn laws_hold_in_each_branch_that_the_fuzzer_reached() {
    for (target, _) in CHECKS {
        let inputs = unpack(&fs::read(pack_file(target)).unwrap());
        assert!(!inputs.is_empty(), "{target} has inputs");
        for (number, input) in inputs.iter().enumerate() {
            replay(target, input, &format!("packed-{number}"));
        }
        assert_eq!(unpack(&pack(&inputs)), inputs);
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

/// Law (Changes): A book without findings can be exported consistently.
#[test]
fn rows() {
    seeds_and_changes("rows", 24);
}

#[test]
fn import() {
    seeds_and_changes("import", 24);
}

#[test]
fn shogi() {
    for seed in seeds("shogi") {
        assert!(super::shogi::positions(&seed) > 0, "{:?}", &seed[..9]);
    }
    seeds_and_changes("shogi", 5000);
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

/// Executions per second of processor time, as `fuzz/run` runs the two slow targets: on one thread.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "measures for half a minute"]
fn speed() {
    // Without effect if other tests have run.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
    let _ = pool.use_current_thread().build_global();
    for target in ["rows", "import"] {
        let inputs = unpack(&fs::read(pack_file(target)).unwrap());
        inputs.iter().for_each(|input| check(target, input));
        let (start, mut executions) = (processor_seconds(), 0);
        while processor_seconds() < start + 15.0 {
            inputs.iter().for_each(|input| check(target, input));
            executions += inputs.len();
        }
        let rate = executions as f64 / (processor_seconds() - start);
        println!("{target}: {rate:.0} executions per second of processor time");
    }
}

/// The processor time of this process, in seconds.
#[cfg(target_os = "linux")]
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .map(|it| it.parse::<f64>().unwrap())
        .sum();
    ticks / 100.0
}

/// Writes initial inputs for the fuzzer; see fuzz/README.md.
#[test]
#[ignore = "writes the fuzzer's seeds and the packed inputs into fuzz/grown"]
fn write_seeds() {
    for (target, _) in CHECKS {
        let folder = folder("grown", target);
        fs::create_dir_all(&folder).unwrap();
        let packed = unpack(&fs::read(pack_file(target)).unwrap());
        for (number, seed) in seeds(target).iter().chain(&packed).enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
        }
    }
}

/// Packs what `fuzz/minimize` selected; see fuzz/README.md.
#[test]
#[ignore = "replaces the packs in fuzz/corpus with the inputs in fuzz/minimized"]
fn write_packs() {
    for (target, _) in CHECKS {
        let files = fs::read_dir(folder("minimized", target)).unwrap();
        let mut inputs: Vec<Vec<u8>> = files
            .map(|file| fs::read(file.unwrap().path()).unwrap())
            .collect();
        // Similar inputs side by side compress well.
        inputs.sort();
        fs::write(pack_file(target), pack(&inputs)).unwrap();
    }
}
