//! `obook convert` and `export` with real books.

#[cfg(feature = "lake")]
use crate::support::program::games_database;
use crate::support::program::{arg, json, stdout};
use assert_cmd::Command;
use obook::Context;
use obook::write::export::{self, ExportOptions, Input};
use obook_converters::{BookReader, Format, Header};
use obook_graph::mapping::MissingLeaf;
use obook_needs::needs;
use obook_othello::{CanonicalBoard, Move, Position};
use obook_testing::book_file::small;
use obook_testing::golden::{self, EDAX_BOOKS, LARGE_EDAX_BOOK};
use obook_testing::imported::import_file;
use predicates::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Records = BTreeMap<CanonicalBoard, Position>;

fn obook() -> Command {
    Command::new(env!("CARGO_BIN_EXE_obook"))
}

fn convert(from: &Path, to: &Path) -> Command {
    let mut command = obook();
    command.arg("convert").arg(from).arg(to);
    command
}

/// The records of a book by board, links as sets.
fn records(positions: impl IntoIterator<Item = Position>) -> Records {
    let record = |mut position: Position| {
        position.links.sort_by_key(|link| link.mv);
        (position.board, position)
    };
    positions.into_iter().map(record).collect()
}

fn read(path: &Path) -> (Header, Records) {
    let reader = BookReader::open(path, None).unwrap();
    let header = reader.header().clone();
    (header, records(reader.map(Result::unwrap)))
}

/// A golden book as a file, and its records.
fn golden(name: &str) -> (PathBuf, Header, Records) {
    let (header, positions) = golden::book(name);
    (golden::golden(name), header, records(positions))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn come_back_from_egbk3(names: &[&str]) {
    let folder = folder();
    let (there, back) = (folder.path().join("a.egbk3"), folder.path().join("b.dat"));
    for name in names {
        let (path, header, expected) = golden(name);
        convert(&path, &there).arg("--force").assert().success();
        let option = |number: Option<i32>| number.unwrap().to_string();
        convert(&there, &back)
            .args(["--force", "--level", &option(header.level)])
            .args(["--depth", &option(header.depth())])
            .assert()
            .success()
            .stderr("");
        let (back_header, found) = read(&back);
        assert!(found == expected, "{name}");
        let fields = |header: &Header| {
            let Header {
                level,
                n_empties,
                midgame_error,
                endcut_error,
                count,
                ..
            } = *header;
            (level, n_empties, midgame_error, endcut_error, count)
        };
        assert_eq!(fields(&back_header), fields(&header), "{name}");
    }
}

#[test]
fn edax_books_come_back_from_egbk3() {
    come_back_from_egbk3(&EDAX_BOOKS);
}

#[needs(large_books)]
#[test]
fn the_large_edax_book_comes_back_from_egbk3() {
    come_back_from_egbk3(&[LARGE_EDAX_BOOK]);
}

fn come_back_from_edax_text(names: &[&str]) {
    let folder = folder();
    let (text, back) = (folder.path().join("a.txt"), folder.path().join("b.dat"));
    let copy = folder.path().join("copy.dat.zst");
    for name in names {
        let (path, header, expected) = golden(name);
        let there = convert(&path, &text).arg("--force").assert().success();
        convert(&text, &back)
            .args(["--force", "--strict"])
            .assert()
            .success()
            .stderr("");
        let (back_header, found) = read(&back);
        assert!(found == expected, "{name}");
        // The text has no header. Most follow from their book.
        let fields = |header: &Header| {
            [
                header.level,
                header.n_empties,
                header.midgame_error,
                header.endcut_error,
            ]
        };
        let both = fields(&header).into_iter().zip(fields(&back_header));
        let lost = both.filter(|(before, after)| before != after).count();
        let said = match lost {
            0 => String::new(),
            1 => String::from(
                "edax-text can't hold:\n  1 header field that can't be derived from the book\n",
            ),
            _ => format!(
                "edax-text can't hold:\n  {lost} header fields that can't be derived from the book\n"
            ),
        };
        there.stderr(said);
        convert(&path, &text)
            .args(["--force", "--strict"])
            .assert()
            .code(i32::from(lost > 0));
        convert(&path, &copy)
            .args(["--force", "--strict"])
            .assert()
            .success()
            .stderr("");
        let (copy_header, found) = read(&copy);
        assert_eq!(copy_header, header, "{name}");
        assert!(found == expected, "{name}");
    }
}

#[test]
fn edax_books_come_back_from_edax_text_and_a_copy_is_a_copy() {
    come_back_from_edax_text(&EDAX_BOOKS);
}

/// Windows users write names in capitals.
#[test]
fn a_name_in_capitals_says_the_same() {
    let folder = folder();
    let [small, large] = ["copy.dat.zst", "COPY.DAT.ZST"].map(|name| folder.path().join(name));
    for copy in [&small, &large] {
        convert(&golden("edax/games.prune.dat").0, copy)
            .assert()
            .success();
    }
    assert_eq!(std::fs::read(small).unwrap(), std::fs::read(large).unwrap());
}

#[needs(large_books)]
#[test]
fn the_large_edax_book_comes_back_from_edax_text() {
    come_back_from_edax_text(&[LARGE_EDAX_BOOK]);
}

/// Pass positions get Egaroucid's form with the right sign: the values along a game don't change.
///
/// Law (From one format to another): Values keep their sign in every format.
/// Also: `crates/graph/tests/mapping_law.rs` `older_formats_keep_values`
#[test]
fn values_keep_their_sign_in_every_format() {
    let folder = folder();
    for name in ["games.dat", "small.dat"] {
        let (path, _, expected) = golden(name);
        let passes: Vec<&Position> = expected
            .values()
            .filter(|position| position.board.board().must_pass())
            .collect();
        assert!(passes.iter().any(|pass| pass.value != Some(0)));
        for format in [Format::Egbk3, Format::Egbk2, Format::Egbk] {
            let out = folder.path().join(format!("book.{}", format.extension()));
            convert(&path, &out).arg("--force").assert().success();
            let (_, found) = read(&out);
            for position in expected.values() {
                let board = position.board.board();
                let has_passes = format != Format::Egbk3;
                if has_passes || !board.must_pass() {
                    assert_eq!(found[&position.board].value, position.value);
                    continue;
                }
                assert!(!found.contains_key(&position.board));
                let passed = &found[&board.passed().canonical()];
                assert_eq!(passed.value, position.value.map(|value| -value));
            }
        }
    }
}

/// The releases that wrote the oldest formats imported the same Edax books: positions that are in both results have the same
/// value.
fn equal_the_engines(names: &[&str]) {
    let folder = folder();
    for name in names {
        for format in [Format::Egbk2, Format::Egbk] {
            let (path, ..) = golden(&format!("edax/{name}.dat"));
            let engine = format!("egaroucid/{name}.{}", format.extension());
            let (_, _, expected) = golden(&engine);
            let out = folder.path().join(format!("book.{}", format.extension()));
            convert(&path, &out).arg("--force").assert().success();
            let (_, found) = read(&out);
            let source = read(&path).1;
            let mut compared = 0;
            for board in source.keys() {
                let (Some(ours), Some(theirs)) = (found.get(board), expected.get(board)) else {
                    continue;
                };
                compared += 1;
                assert_eq!(
                    ours.value,
                    theirs.value,
                    "{engine} {}",
                    board.board().to_text()
                );
            }
            assert_eq!(compared, source.len(), "{engine}");
            let no_pass =
                |position: &Position| position.links.iter().all(|link| link.mv != Move::Pass);
            assert!(found.values().all(no_pass));
        }
    }
}

#[test]
fn values_are_those_that_the_engine_wrote() {
    equal_the_engines(&["games"]);
}

#[needs(large_books)]
#[test]
fn values_of_a_larger_book_are_those_that_the_engine_wrote() {
    equal_the_engines(&["small"]);
}

fn egbk3_comes_back(names: &[&str]) {
    let folder = folder();
    for name in names {
        let (path, _, expected) = golden(name);
        let copy = folder.path().join("copy.egbk3");
        let database = folder.path().join("book.obook");
        let back = folder.path().join("back.egbk3");
        convert(&path, &copy)
            .args(["--force", "--strict"])
            .assert()
            .success();
        assert!(read(&copy).1 == expected, "{name}");
        obook()
            .arg("import")
            .arg(&path)
            .arg("--book")
            .arg(&database)
            .arg("--force")
            .assert()
            .success();
        obook()
            .arg("export")
            .args([&database, &back])
            .args(["--force", "--strict"])
            .assert()
            .success();
        assert!(read(&back).1 == expected, "{name}");
    }
}

#[test]
fn egbk3_books_come_back_from_the_database_and_from_egbk3() {
    egbk3_comes_back(&["egaroucid/games.mixed.egbk3"]);
}

#[needs(large_books)]
#[test]
fn a_larger_egbk3_book_comes_back() {
    egbk3_comes_back(&["egaroucid/small.mixed.egbk3"]);
}

fn become_edax_books(names: &[&str]) {
    let folder = folder();
    let back = folder.path().join("back.dat");
    for name in names {
        let (path, ..) = golden(name);
        convert(&path, &back)
            .args(["--force", "--missing-leaf", "demote"])
            .assert()
            .success();
        // A demoted position is no longer in the book, so a move to it is not a missing link.
        obook().arg("verify").arg(&back).assert().success();
        let again = folder.path().join("again.dat");
        // An Edax book that meets all demands is copied; any other would be repaired, which --strict forbids.
        convert(&back, &again)
            .args(["--force", "--strict"])
            .assert()
            .success();
        assert_eq!(read(&again).1, read(&back).1);
    }
}

#[test]
fn every_format_becomes_an_edax_book() {
    become_edax_books(&[
        "egaroucid/games.mixed.egbk3",
        "egaroucid/games.egbk2",
        "egaroucid/games.egbk",
    ]);
}

#[needs(large_books)]
#[test]
fn larger_books_of_every_format_become_edax_books() {
    become_edax_books(&[
        "egaroucid/small.mixed.egbk3",
        "egaroucid/small.egbk2",
        "egaroucid/small.egbk",
    ]);
}

#[test]
fn what_edax_would_refuse_is_named_and_not_written() {
    let (path, ..) = golden("egaroucid/games.egbk2");
    let folder = folder();
    let out = folder.path().join("out.dat");
    convert(&path, &out)
        .assert()
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains(
            "is not a link, and there is no leaf",
        ))
        .stderr(predicate::str::contains("--missing-leaf"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn losses_are_counted_and_refused_if_strict() {
    let (path, _, expected) = golden("games.dat");
    let folder = folder();
    let out = folder.path().join("out.egbk2");
    let with_move = |position: &&Position| position.leaf.is_some_and(|leaf| leaf.mv.is_some());
    let leaves = expected.values().filter(with_move).count();
    let keep = || {
        let mut command = convert(&path, &out);
        command.args(["--leaves", "keep"]);
        command
    };
    keep()
        .arg("--strict")
        .assert()
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains(format!("{leaves} leaves")));
    assert!(!out.exists());
    let output = keep().arg("--json").assert().success();
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["losses"]["leaves"], leaves);
    assert_eq!(json["positions"], expected.len());
    keep()
        .arg("--force")
        .assert()
        .success()
        .stderr(predicate::str::contains(format!("{leaves} leaves")));
}

#[test]
fn streams_carry_books_and_nothing_else() {
    let (path, _, expected) = golden("games.dat");
    let bytes = std::fs::read(&path).unwrap();
    let output = obook()
        .args(["convert", "-", "-", "--to", "egbk3", "--zstd-level", "1"])
        .write_stdin(bytes)
        .assert()
        .success()
        .stderr(predicate::str::contains("positions as egbk3"));
    let packed = output.get_output().stdout.clone();
    assert_eq!(packed[..4], [0x28, 0xb5, 0x2f, 0xfd], "a zstd frame");
    let output = obook()
        .args(["convert", "-", "-", "--from", "egbk3", "--to", "edax"])
        .args(["--level", "2", "--zstd-threads", "2"])
        .write_stdin(packed)
        .assert()
        .success();
    let bytes = output.get_output().stdout.clone();
    let reader = BookReader::new(std::io::Cursor::new(bytes), "stdout", None).unwrap();
    assert!(records(reader.map(Result::unwrap)) == expected);
    obook()
        .args(["convert", "-", "-"])
        .write_stdin("")
        .assert()
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("--to"));
}

/// The file that the library makes of a book: of a file from memory, of a folder or a database from its place.
fn by_the_library(book: &Path, format: Format) -> Vec<u8> {
    let context = Context::default();
    let input = match std::fs::read(book) {
        Ok(bytes) if !bytes.starts_with(b"SQLite format 3") => {
            Input::new(std::io::Cursor::new(bytes), "the book", None, &context)
        }
        _ => Input::open(book, None, &context),
    };
    let options = ExportOptions {
        missing_leaf: MissingLeaf::Demote,
        ..ExportOptions::new(format)
    };
    let mut bytes = Vec::new();
    export::convert(input.unwrap(), &mut bytes, &options, &context).unwrap();
    bytes
}

/// Law (From one format to another): The library and the program convert to the same bytes, for every pair of formats.
#[test]
fn the_library_converts_as_the_program_does() {
    /// The date in Edax's header: the present time, if the source has none.
    const DATE: std::ops::Range<usize> = 10..17;
    let folder = folder();
    let (database, out) = (folder.path().join("a.obook"), folder.path().join("out"));
    for from in Format::ALL {
        let book = small(folder.path(), from);
        import_file(&book, &database, &Context::default()).unwrap();
        for to in Format::WRITTEN {
            for (command, choice, book) in [
                ("convert", "--to", &book),
                ("export", "--format", &database),
            ] {
                let mut program = obook();
                program.arg(command).arg(book).arg(&out);
                program.args([choice, to.name(), "--missing-leaf", "demote", "--force"]);
                program.assert().success();
                let mut files = [std::fs::read(&out).unwrap(), by_the_library(book, to)];
                if to == Format::Edax {
                    files.iter_mut().for_each(|file| file[DATE].fill(0));
                }
                assert!(files[0] == files[1], "{command}: {from} to {to}");
            }
        }
    }
}

#[test]
fn duplicates_are_settled_and_counted() {
    let (path, header, expected) = golden("edax/games.prune.dat");
    let folder = folder();
    let (twice, out) = (
        folder.path().join("twice.dat"),
        folder.path().join("out.dat"),
    );
    let mut bytes = std::fs::read(&path).unwrap();
    let count = 2 * header.count.unwrap() as i32;
    let records = bytes[42..].to_vec();
    bytes.extend(records);
    bytes[38..42].copy_from_slice(&count.to_le_bytes());
    std::fs::write(&twice, bytes).unwrap();
    let output = convert(&twice, &out).arg("--json").assert().success();
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["duplicates"], expected.len());
    assert!(read(&out).1 == expected);
}

#[test]
fn a_database_keeps_the_data_of_each_format() {
    let (path, _, expected) = golden("games.dat");
    let folder = folder();
    let database = folder.path().join("book.obook");
    obook()
        .arg("import")
        .arg(&path)
        .arg("--book")
        .arg(&database)
        .assert()
        .success();
    for format in Format::WRITTEN {
        let extension = format.extension();
        let direct = folder.path().join(format!("direct.{extension}"));
        let exported = folder.path().join(format!("exported.{extension}"));
        convert(&path, &direct).assert().success();
        obook()
            .arg("export")
            .args([&database, &exported])
            .assert()
            .success();
        assert_eq!(read(&exported), read(&direct), "{format}");
    }
    assert!(read(&folder.path().join("exported.dat")).1 == expected);
}

/// In a message of several lines, all but the first are indented.
#[test]
fn reasons_of_several_lines_are_indented() {
    let (path, ..) = golden("egaroucid/games.egbk");
    let folder = folder();
    let book = folder.path().join("book.dat");
    let refused = convert(&path, &book)
        .args(["--missing-leaf", "stop"])
        .assert();
    let (path, ..) = golden("egaroucid/games.mixed.egbk3");
    let lossy = convert(&path, &folder.path().join("book.egbk"))
        .arg("--strict")
        .assert();
    for (reasons, first) in [
        (refused, "meet Edax's demands"),
        (lossy, "--strict: egbk can't hold"),
    ] {
        let reasons = String::from_utf8(reasons.failure().get_output().stderr.clone()).unwrap();
        let mut lines = reasons.lines();
        assert!(lines.next().unwrap().contains(first), "{reasons}");
        assert!(lines.clone().count() > 0, "{reasons}");
        assert!(
            lines.all(|line| line.starts_with("  ") && !line.starts_with("   ")),
            "{reasons}"
        );
    }
}

/// A book from a source without a date gets today's date, as with Edax; an existing date is kept.
#[test]
fn an_edax_book_has_a_date() {
    let folder = folder();
    let [there, back, copy] = ["a.egbk3", "b.dat", "c.dat"].map(|name| folder.path().join(name));
    let (path, header, _) = golden("games.dat");
    convert(&path, &there).assert().success();
    convert(&there, &back).assert().success();
    convert(&path, &copy).assert().success();
    let date = read(&back).0.date.unwrap();
    assert!(
        date.year >= 2026 && date.month > 0 && date.day > 0,
        "{date}"
    );
    assert_eq!(read(&copy).0.date, header.date);
}

/// The advice of an error is something new, and helps.
#[test]
fn the_advice_for_missing_leaves_works() {
    let folder = folder();
    let out = folder.path().join("a.dat");
    let path = golden::golden("egaroucid/games.egbk2");
    for (way, advice) in [
        ("stop", "--missing-leaf fold or demote"),
        ("fold", "--missing-leaf demote"),
    ] {
        let advice = format!("made the book, or give {advice}\n");
        convert(&path, &out)
            .args(["--missing-leaf", way])
            .assert()
            .failure()
            .stderr(predicate::str::ends_with(advice));
    }
    convert(&path, &out)
        .args(["--missing-leaf", "demote"])
        .assert()
        .success();
}

/// The releases that wrote `.egbk2` wrote no passes as links, so their absence is not a fault.
#[test]
fn passes_are_no_links_in_egbk2() {
    let folder = folder();
    let out = folder.path().join("a.egbk2");
    convert(&golden::golden("games.dat"), &out)
        .assert()
        .success();
    obook()
        .arg("verify")
        .arg(&out)
        .assert()
        .stdout(predicate::str::contains("missing-link").not());
}

/// If a leaf that became a position leads to other positions, its value may contradict theirs. These are counted, and `verify`
/// finds no others.
#[test]
fn inconsistent_values_in_egbk2_are_reported() {
    let folder = folder();
    for (name, some) in [("games", true), ("small", true), ("games.prune", true)] {
        let out = folder.path().join(format!("{name}.egbk2"));
        let book = golden::golden(&format!("edax/{name}.dat"));
        let said = json(["convert", arg(&book), arg(&out), "--json"]);
        let told = said["losses"]["transpositions"].as_u64().unwrap_or(0);
        assert_eq!(told > 0, some, "{said}");
        let output = obook().args(["verify", arg(&out), "--json"]).output();
        let found: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let findings = found["findings"].as_array().unwrap().iter();
        let inconsistent = findings.filter(|finding| finding["severity"] == "inconsistent");
        let counts: u64 = inconsistent.map(|it| it["count"].as_u64().unwrap()).sum();
        assert_eq!(counts, told, "{name}");
    }
}

/// If a format leaves passes out, there are three counts of positions; each is explained.
#[test]
fn passes_that_come_and_go_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let games = golden::golden("games.dat");
    let egbk3 = folder.path().join("games.egbk3");
    let back = folder.path().join("back.dat");
    let convert = |from: &Path, to: &Path| {
        let output = obook().args(["convert", arg(from), arg(to)]).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let said = convert(&games, &egbk3);
    let expected = "2242 positions as egbk3 (5 pass positions left out: this format has none, and those that moves lead to come back)";
    assert!(said.contains(expected), "{said}");
    let said = stdout(["info", arg(&egbk3)]);
    assert!(said.contains("Positions: 2253 "), "{said}");
    let expected =
        "Pass positions among them, left out of the file: 11 (those that its moves lead to)\n";
    assert!(said.contains(expected), "{said}");
    let said = convert(&egbk3, &back);
    let expected = "2247 positions as edax (5 pass positions added: those that moves lead to)";
    assert!(said.contains(expected), "{said}");
}

/// A file doesn't say how many bytes its link counts have, so `info` shows what was found.
#[test]
fn info_says_how_link_counts_were_read() {
    let folder = folder();
    let (path, ..) = golden("egaroucid/games.egbk2");
    let one = std::fs::read(&path).unwrap();
    let (mut four, mut rest) = (one[..14].to_vec(), &one[14..]);
    while !rest.is_empty() {
        let links = rest[18];
        let (record, next) = rest.split_at(19 + 2 * usize::from(links));
        four.extend(&record[..18]);
        four.extend(u32::from(links).to_le_bytes());
        four.extend(&record[19..]);
        rest = next;
    }
    let documented = folder.path().join("four.egbk2");
    std::fs::write(&documented, four).unwrap();
    for (book, bytes) in [(&path, 1), (&documented, 4)] {
        let info = json(["info", arg(book), "--json"]);
        assert_eq!(info["link_count_bytes"], bytes);
        assert_eq!(info["positions"], 4455);
    }
}

#[test]
fn an_unknown_extension_lists_what_the_command_writes() {
    let path = golden::golden("games.dat");
    for (command, option, has_parquet) in [("export", "--format", true), ("convert", "--to", false)]
    {
        let refused = obook()
            .args([command, arg(&path), "new.lake"])
            .assert()
            .code(1);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(
            said.contains(&format!("format with {option}: edax, ")),
            "{said}"
        );
        assert_eq!(said.contains(", parquet"), has_parquet, "{said}");
    }
}

/// A lake holds the tables of the schema only.
#[cfg(feature = "lake")]
#[test]
fn what_a_lake_leaves_behind_is_named_and_refused_with_strict() {
    let (folder, book) = games_database();
    let lake = folder.path().join("book.lake");
    let export = |options: &[&str]| {
        let mut command = obook();
        command.args(["export", arg(&book), arg(&lake), "--format", "parquet"]);
        command.args(options).assert()
    };
    export(&["--strict"]).success().stderr("");
    let advice = predicate::str::contains("`obook import` makes a database of it");
    obook()
        .args(["info", arg(&lake)])
        .assert()
        .code(1)
        .stderr(advice);
    let sql = "CREATE TABLE marks (board BLOB)";
    obook()
        .args(["query", arg(&book), "--write", sql])
        .assert()
        .success();
    let lost = predicate::str::contains("parquet can't hold:\n  table marks");
    export(&["--force"]).success().stderr(lost);
    let answer = export(&["--force", "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&answer.get_output().stdout).unwrap();
    assert_eq!(json["left_out"], serde_json::json!(["table marks"]));
    std::fs::remove_dir_all(&lake).unwrap();
    let refused = predicate::str::contains("--strict: parquet can't hold\n  table marks");
    export(&["--strict"]).code(1).stdout("").stderr(refused);
    assert!(!lake.exists());
}
