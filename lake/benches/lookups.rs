//! How long a look-up by key takes, as somebody at the prompt waits for it: statements go to `obook-lake shell` one by one.
//!
//! ```sh
//! cargo bench -- DIR [NUMBER]
//! ```
//!
//! DIR is a lake; NUMBER look-ups (1 000) of positions from all over it, twice. Prints the median and the 99th percentile of the second
//! round, in milliseconds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let Some(lake) = arguments.next() else {
        println!("lookups: name a lake to measure: cargo bench -- DIR [NUMBER]");
        return;
    };
    let number: usize = arguments
        .next()
        .map_or(1000, |number| number.parse().unwrap());
    let program = env!("CARGO_BIN_EXE_obook-lake");
    let sql = format!(
        "SELECT hex(board) AS key FROM positions ORDER BY substr(hex(board), 9) LIMIT {number}"
    );
    let keys = Command::new(program)
        .args(["query", &lake, &sql, "--format", "tsv"])
        .output()
        .unwrap();
    let keys = String::from_utf8(keys.stdout).unwrap();
    let keys: Vec<&str> = keys.lines().skip(1).collect();
    let mut shell = Command::new(program)
        .args(["shell", &lake, "--format", "tsv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    let mut answers = BufReader::new(shell.stdout.take().unwrap());
    let mut times = Vec::new();
    // The first look-ups of each layer open its files.
    for round in 0..2 {
        for key in &keys {
            let begun = Instant::now();
            writeln!(
                input,
                "SELECT value, lower, upper FROM positions WHERE board = X'{key}';"
            )
            .unwrap();
            for _ in 0..2 {
                let mut line = String::new();
                answers.read_line(&mut line).unwrap();
                assert!(!line.is_empty(), "a position of the lake is found");
            }
            if round > 0 {
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!(
        "{} look-ups: p50 {:.2} ms, p99 {:.2} ms",
        times.len(),
        at(0.5),
        at(0.99)
    );
    drop(input);
    shell.wait().unwrap();
}
