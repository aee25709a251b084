//! The README's table: the main commands, each in a fresh process.
//!
//! ```sh
//! OBOOK_BENCH_SIZE=4000000 cargo bench --bench table
//! ```
//!
//! or `OBOOK_BENCH_BOOK=book.dat` for your own book. Everything runs in turn several times, so that the ratios hold even if the
//! machine's speed drifts; the medians are printed as Markdown. The ratios compare with the least that SQLite needs to write the
//! same rows: bare prepared statements, one row each. If `OBOOK_ENGINE_KIT` names a folder with the program `edax/edax` in it, this
//! loads, fixes and saves the same book.

#[allow(dead_code, reason = "it prints a table of its own")]
#[path = "../../benches/bare/mod.rs"]
mod bare;
#[path = "../../benches/bench_book/mod.rs"]
mod bench_book;

use bare::{RUNS, time, write_bare, write_book};
use bench_book::{random_book, write_text};
use obook::read::view::hex;
use obook_converters::BookReader;
use obook_othello::Position;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Positions that are merged.
const INCREMENT: usize = 40_000;

/// Removes everything that `fix` computes.
const WIPE: &str = "UPDATE positions SET value = NULL, lower = NULL, upper = NULL, wins = NULL, draws = NULL, losses = NULL, lines = NULL";

/// The name of a row that isn't a command of the program.
const BARE: &str = "the same rows by bare statements";

/// The time and the peak of the memory in bytes, if known.
type Measured = (Duration, Option<u64>);

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let [random, file, egbk3] = ["random.dat", "book.dat", "book.egbk3"].map(path);
    let increment = path("increment.dat");
    let [book, wiped, changed] = ["book.obook", "wiped.obook", "changed.obook"].map(path);
    let [to_egbk3, to_edax, bare] = ["converted.egbk3", "converted.dat", "bare.db"].map(path);
    write_book(&random);
    // Of a random book, Edax would search what it lacks.
    let convert = |from: &Path, to: &Path| {
        run(&[
            &"convert",
            &from,
            &to,
            &"--missing-leaf",
            &"demote",
            &"--force",
        ])
    };
    convert(&random, &file);
    let positions = sorted(&file);
    let middle = hex(positions[positions.len() / 2].board);
    write_text(&increment, &random_book(INCREMENT, 1));
    convert(&file, &egbk3);
    run(&[&"import", &file, &"--book", &book]);
    copy(&book, &wiped);
    run(&[&"query", &wiped, &"--write", &WIPE]);

    let mut rows: Vec<(&str, Vec<Measured>)> = Vec::new();
    for _ in 0..RUNS {
        let mut place = 0;
        let mut add = |name, measured| {
            if rows.len() == place {
                rows.push((name, Vec::new()));
            }
            rows[place].1.push(measured);
            place += 1;
        };
        add("`show` in a fresh process", run(&[&"show", &book, &middle]));
        add(BARE, (time(|| write_bare(&positions, &bare)), None));
        let import = |file: &Path| run(&[&"import", &file, &"--book", &changed, &"--force"]);
        add("`import` of an Edax book", import(&file));
        add("`import` of an egbk3 book", import(&egbk3));
        add("`convert`, Edax to egbk3", convert(&file, &to_egbk3));
        add("`convert`, egbk3 to Edax", convert(&egbk3, &to_edax));
        copy(&wiped, &changed);
        add("`fix`, every number changes", run(&[&"fix", &changed]));
        add("`fix`, nothing changes", run(&[&"fix", &changed]));
        if let Some(kit) = std::env::var_os("OBOOK_ENGINE_KIT") {
            let measured = edax(&PathBuf::from(kit), &file, folder.path());
            add("Edax: load, fix and save", measured);
        }
        copy(&book, &changed);
        add(
            "the first `merge`, of 40 000 other positions",
            run(&[&"merge", &changed, &increment]),
        );
        let scan = "SELECT empties, count(*), avg(value) FROM positions GROUP BY empties";
        add(
            "a scan of all positions in SQL",
            run(&[&"query", &book, &scan]),
        );
    }
    print(positions.len(), &rows);
}

/// The positions of a file by key.
fn sorted(file: &Path) -> Vec<Position> {
    let reader = BookReader::open(file, None).expect("a book");
    let positions = reader.positions_parallel().collect::<Result<_, _>>();
    let mut positions: Vec<Position> = positions.expect("the book is in order");
    positions.sort_by_key(|position| position.board);
    positions
}

fn copy(from: &Path, to: &Path) {
    std::fs::copy(from, to).expect("room for a copy");
}

/// Runs the program.
fn run(arguments: &[&dyn AsRef<OsStr>]) -> Measured {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
    let command = command.args(arguments.iter().map(|argument| argument.as_ref()));
    let start = Instant::now();
    // Nothing but an error is written here, so it fits into the pipe.
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program starts");
    let mut peak = None;
    let ended = loop {
        peak = peak.max(memory(&child));
        match child.try_wait().expect("a child") {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    };
    let taken = start.elapsed();
    if !ended.success() {
        let complaint = child.wait_with_output().expect("a child").stderr;
        panic!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&complaint)
        );
    }
    (taken, peak)
}

/// The peak of a process's memory in bytes; only Linux tells it.
fn memory(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes = peak.trim().strip_suffix(" kB")?;
    Some(1024 * kilobytes.trim().parse::<u64>().ok()?)
}

/// Has Edax load, fix and save the book. It doesn't say when it is done, so it saves twice: when the second file appears, the first
/// one is complete.
fn edax(kit: &Path, file: &Path, folder: &Path) -> Measured {
    let [saved, done] = ["edax.dat", "edax-done.dat"].map(|name| folder.join(name));
    let _ = std::fs::remove_file(&done);
    let start = Instant::now();
    let mut command = Command::new("./edax");
    let command = command.args(["-n", "1", "-mode", "3", "-q", "-book-usage", "off"]);
    let command = command.current_dir(kit.join("edax"));
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().expect("Edax starts");
    let mut input = child.stdin.take().expect("it is piped");
    let [file, saved] = [file, &saved].map(|path| path.display().to_string());
    let last = done.display();
    writeln!(
        input,
        "book load {file}\nbook fix\nbook save {saved}\nbook save {last}"
    )
    .expect("Edax reads");
    let mut peak = None;
    while !done.exists() {
        peak = peak.max(memory(&child));
        assert!(child.try_wait().expect("a child").is_none(), "Edax ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    let taken = start.elapsed();
    child.kill().and_then(|()| child.wait()).expect("a child");
    (taken, peak)
}

/// Prints the medians.
fn print(positions: usize, rows: &[(&str, Vec<Measured>)]) {
    let seconds = |measured: &[Measured]| {
        let mut times: Vec<Duration> = measured.iter().map(|(time, _)| *time).collect();
        times.sort();
        times[times.len() / 2].as_secs_f64()
    };
    let (_, bare) = rows
        .iter()
        .find(|(name, _)| *name == BARE)
        .expect("it was measured");
    let bare = seconds(bare);
    println!("{positions} positions, medians of {RUNS} runs:\n");
    println!("| | seconds | ratio | memory |\n| --- | --- | --- | --- |");
    for (name, measured) in rows {
        let found = seconds(measured);
        let peak = measured.iter().filter_map(|(_, peak)| *peak).max();
        let memory = peak.map(|bytes| format!("{} MB", bytes / 1_000_000));
        let memory = memory.unwrap_or_default();
        println!("| {name} | {found:.3} | {:.2} | {memory} |", found / bare);
    }
}
