//! The statements in docs/games.md are true.

use crate::support::faults;
use obook_games::{Format, Reader};
use std::path::Path;

/// The cells of the table with this heading, row by row.
fn table(heading: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/games.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with(heading));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<String>> = rows
        .map(|row| {
            let cells = row.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    assert!(rows.len() > 3, "{heading}");
    rows
}

#[test]
fn every_format_is_listed() {
    let rows = table("| format |");
    let named: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(named, Format::ALL.map(Format::name));
    let written = rows.iter().filter(|row| row[2] == "yes").map(|row| &row[0]);
    let writers = [Format::Wthor, Format::Ggf, Format::Sgf, Format::Transcript];
    let writers = writers.map(|format| format!("`{format}`"));
    assert!(written.eq(&writers), "{writers:?}");
    assert!(rows.iter().all(|row| row[1] == "yes"));
}

#[test]
fn every_fault_has_these_words() {
    for row in table("| record |") {
        let record = row[0].trim_matches('`');
        assert!(
            faults(record).contains(&row[1]),
            "{record}: {:?}",
            faults(record)
        );
    }
}

/// The texts in backquotes of a cell.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Law (Game records): Each kind of record in the table of docs/games.md is read as the table says.
/// Also: `crates/shogi/tests/games.rs` `what_people_have_is_read`
#[test]
fn what_people_have_is_read() {
    let rows = table("| what people have |");
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| !row[0].starts_with("Shogi"))
        .collect();
    assert!(rows.len() >= 14);
    for row in rows {
        let text = quoted(&row[1])[0].replace('⏎', "\n");
        let reader = Reader::new(std::io::Cursor::new(text.clone()), None, None).unwrap();
        let lines = reader.map(|entry| entry.unwrap().game.line().to_string());
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let moves = row[2].split(':').next().unwrap();
        assert_eq!(lines, quoted(moves), "{text}");
    }
}
