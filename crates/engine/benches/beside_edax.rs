//! The engine inside beside the real Edax: the same endgames, one thread each, one after the other in one run.
//!
//! `OBOOK_ENGINE_KIT` names the folder in which `edax/edax` and `edax/problem/` are. `cargo bench -p obook-engine --bench
//! beside_edax -- 40-47` solves these problems of `fforum-40-59.obf`.

use obook_engine::{Inside, Request, Searcher};
use obook_othello::Board;
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

/// The number of the first problem in the file.
const FIRST: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(kit) = std::env::var_os("OBOOK_ENGINE_KIT").map(PathBuf::from) else {
        println!("OBOOK_ENGINE_KIT does not name the real engines: nothing to compare with");
        return Ok(());
    };
    let range = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let (from, to) = range
        .as_deref()
        .unwrap_or("40-47")
        .split_once('-')
        .ok_or("from-to")?;
    let (from, to): (usize, usize) = (from.parse()?, to.parse()?);
    let text = std::fs::read_to_string(kit.join("edax/problem/fforum-40-59.obf"))?;
    let problems: Vec<&str> = text
        .lines()
        .skip(from - FIRST)
        .take(to + 1 - from)
        .collect();
    let file = std::env::temp_dir().join("obook-beside-edax.obf");
    std::fs::write(&file, problems.join("\n") + "\n")?;
    let output = Command::new("./edax")
        .current_dir(kit.join("edax"))
        .args(["-n", "1", "-l", "60", "-h", "21", "-verbose", "1"])
        .args(["-book-usage", "off", "-solve"])
        .arg(&file)
        .output()?;
    let rows = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<(i8, f64, u64)> = rows.lines().filter_map(row).collect();
    println!(
        "problem empties | inside: score seconds    nodes   Mn/s | Edax: score seconds    nodes   Mn/s"
    );
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (number, (problem, (score, seconds, nodes))) in problems.iter().zip(&rows).enumerate() {
        let position = problem.split(';').next().unwrap_or_default().trim();
        let (board, _) = Board::read_with_side(position)?;
        let answer = Inside::new().search(&Request::new(board, 60)?)?;
        let (time, visited) = (answer.time.as_secs_f64(), answer.nodes.unwrap_or(0));
        println!(
            "{:7} {:7} | {:13} {time:7.2} {visited:10} {:6.1} | {score:11} {seconds:7.2} {nodes:10} {:6.1}",
            from + number,
            board.empties(),
            answer.score,
            visited as f64 / time / 1e6,
            *nodes as f64 / seconds / 1e6,
        );
        ours += time;
        theirs += seconds;
    }
    println!(
        "inside {ours:.2} s, Edax {theirs:.2} s: {:.2} of its time",
        ours / theirs
    );
    Ok(())
}

/// Score, seconds and nodes of a row such as `  1|   20   +38        0:01.725      19244389   …`.
fn row(line: &str) -> Option<(i8, f64, u64)> {
    let mut words = line.split('|').nth(1)?.split_whitespace().skip(1);
    let score = words.next()?.parse().ok()?;
    let (minutes, seconds) = words.next()?.rsplit_once(':')?;
    let minutes: f64 = minutes.parse().ok()?;
    Some((
        score,
        60.0 * minutes + seconds.parse::<f64>().ok()?,
        words.next()?.parse().ok()?,
    ))
}
