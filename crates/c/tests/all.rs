//! Programs in C use the library.
#![cfg(unix)]

use obook::othello::{Side, Symmetry};
use obook::read::line::best_line;
use obook::read::view::LinkOrLeaf;
use obook::write::export::{ExportOptions, convert};
use obook::{Board, Book, Context, Format, Line, Lookup, Move, Probe};
use obook_needs::needs;
use obook_testing::golden::golden;
use obook_testing::imported::imported;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Compilers, with the language and its standard.
const C: [&str; 3] = ["cc", "-xc", "-std=c11"];
const CPP: [&str; 3] = ["c++", "-xc++", "-std=c++11"];

/// Compiles a program with all warnings, and links the library.
fn compiled(source: impl AsRef<Path>, [compiler, options @ ..]: [&str; 3]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    // The library was built for the tests, and lies beside them.
    let tests = std::env::current_exe().unwrap();
    let library = tests.parent().unwrap();
    let output = Command::new(compiler)
        .args(options)
        .args(["-pedantic", "-Wall", "-Wextra", "-Werror"])
        .args(["-D_POSIX_C_SOURCE=200809L", "-Iinclude", "-pthread"])
        .arg(source.as_ref())
        .arg("-o")
        .arg(&program)
        .arg(format!("-L{}", library.display()))
        .args([
            "-xnone",
            "-lobook_c",
            &format!("-Wl,-rpath,{}", library.display()),
        ])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    (folder, program)
}

/// What a program prints, which must succeed.
fn printed(program: &Path, arguments: &[&Path], input: &str) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// A move as the program prints it.
fn word(mv: Move, score: Option<i8>, kind: LinkOrLeaf) -> String {
    let kind = i32::from(kind == LinkOrLeaf::Leaf);
    format!("{}/{}/{kind}", mv.code(), score.unwrap_or(127))
}

/// The moves of a board by the definition: all that lead to the same child as one that the book lists.
fn moves_of(book: &Lookup, board: Board) -> BTreeSet<String> {
    let Some(stored) = book.position(board.canonical()).unwrap() else {
        return BTreeSet::new();
    };
    let child = |board: Board, mv| board.play(mv).map(Board::canonical);
    let own = stored.board.board();
    let links = stored
        .links
        .iter()
        .map(|link| (link.mv, link.score, LinkOrLeaf::Link));
    let leaf = stored
        .leaf
        .and_then(|leaf| Some((leaf.mv?, Some(leaf.score), LinkOrLeaf::Leaf)));
    let known: Vec<_> = links.chain(leaf).collect();
    let words = board.moves().filter_map(|mv| {
        let same = known.iter().find(|it| child(own, it.0) == child(board, mv));
        same.map(|(_, score, kind)| word(mv, *score, *kind))
    });
    words.collect()
}

/// Law (Databases): C programs get a probe's answers, from several threads at once; mistakes give errors, short of what the
/// header forbids.
#[needs(cc)]
#[test]
fn c_learns_what_the_book_says() {
    let (_folder, program) = compiled("crates/c/tests/ask.c", C);
    let (folder, database) = imported("games.dat");
    let nothing = folder.path().join("nothing.dat");
    fs::write(&nothing, "This is no book.").unwrap();
    let context = Context::default();
    let egbk3 = folder.path().join("games.egbk3");
    let mut bytes = Vec::new();
    let games = Book::open(golden("games.dat"), &context).unwrap();
    let options = ExportOptions::new(Format::Egbk3);
    convert(games, &mut bytes, &options, &context).unwrap();
    fs::write(&egbk3, bytes).unwrap();
    let (mut passes, mut leaves, mut several) = (0, 0, 0);
    for file in [database, golden("games.dat"), golden("ntest.book"), egbk3] {
        let book = Lookup::new(Book::open(&file, &context).unwrap(), &context).unwrap();
        let probe = Probe::open(&file, &context).unwrap();
        let mut boards = vec![Board::START];
        let turn = |board: Board, turned: usize| Symmetry::ALL[turned % 8].board(board);
        Book::open(&file, &context)
            .unwrap()
            .each_position(&context, |position| {
                boards.push(turn(position.board.board(), boards.len()));
                Ok(())
            })
            .unwrap();
        // And their children, most of which no book has.
        let children: Vec<Board> = boards
            .iter()
            .flat_map(|it| it.children())
            .map(|it| it.1)
            .collect();
        boards.extend(children.iter().step_by(11).copied());
        let mut input = String::new();
        for board in &boards {
            writeln!(input, "{:x} {:x}", board.player(), board.opponent()).unwrap();
        }
        let output = printed(&program, &[&file, &nothing], &input);
        let mut lines = output.lines();
        assert_eq!(lines.next(), Some(env!("CARGO_PKG_VERSION")));
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.len(), boards.len());
        for (board, line) in boards.into_iter().zip(lines) {
            let value = book.position(board.canonical()).unwrap();
            let value = value.and_then(|position| position.value);
            let (found, rest) = line.split_once(' ').unwrap();
            let (value_and_moves, best) = rest.split_once(" :").unwrap();
            let mut words = value_and_moves.split(' ');
            let told = words.next().unwrap().to_owned();
            assert_eq!(found, if value.is_some() { "1" } else { "0" }, "{board:?}");
            assert_eq!(value.unwrap_or(0).to_string(), told, "{board:?}");
            let moves: Vec<&str> = words.collect();
            let as_set: BTreeSet<String> = moves.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(as_set, moves_of(&book, board), "{board:?}");
            assert_eq!(as_set.len(), moves.len(), "{board:?}");
            // Best first, and links before the leaf.
            let rank = |word: &&str| {
                let mut parts = word.split('/').skip(1).map(|it| it.parse::<i32>().unwrap());
                (-parts.next().unwrap(), parts.next().unwrap())
            };
            assert!(moves.is_sorted_by_key(rank), "{moves:?}");
            let start = Line::at(board, Side::Black);
            let expected = best_line(&probe, start, usize::MAX).unwrap().moves;
            let expected: Vec<String> = expected
                .iter()
                .map(|it| word(it.mv, it.score, it.kind))
                .collect();
            assert_eq!(best.split_whitespace().collect::<Vec<_>>(), expected);
            passes += moves.iter().filter(|it| it.starts_with("64/")).count();
            leaves += moves.iter().filter(|it| it.ends_with("/1")).count();
            several += usize::from(moves.len() > 1);
        }
    }
    assert!(
        passes > 0 && leaves > 0 && several > 0,
        "{passes} {leaves} {several}"
    );
}

fn the_example_runs(compiler: [&str; 3]) {
    let (_folder, program) = compiled("examples/book.c", compiler);
    let output = printed(&program, &[&golden("games.dat")], "");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 5, "{output}");
    assert!(
        lines[..4].iter().all(|it| it.ends_with("+1 in the book")),
        "{output}"
    );
    assert!(lines[4].len() > 2, "{output}");
}

#[needs(cc)]
#[test]
fn the_example_runs_in_c() {
    the_example_runs(C);
}

#[needs(cxx)]
#[test]
fn the_example_runs_in_cpp() {
    the_example_runs(CPP);
}

#[needs(cc)]
#[test]
fn the_documentation_in_c_compiles_and_runs() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/c.md")).unwrap();
    let block = |language: &str| {
        let (_, text) = page.split_once(&format!("```{language}\n")).unwrap();
        text.split_once("```").unwrap().0
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("documented.c");
    let program = format!(
        "#include <obook.h>\n#include <stdio.h>\nint main(void) {{\nuint64_t player = {}, opponent = {};\n{}
        obook_close(book);\nprintf(\"%d\", count);\nreturn 0;\n}}\n",
        Board::START.player(),
        Board::START.opponent(),
        block("c").replace("games.dat", golden("games.dat").to_str().unwrap())
    );
    fs::write(&source, program).unwrap();
    let (_folder, program) = compiled(&source, C);
    assert_eq!(printed(&program, &[], ""), "4");
    let example = fs::read_to_string(Path::new(ROOT).join("examples/book.c")).unwrap();
    for line in block("sh").lines() {
        assert!(example.contains(&format!("\n * {line}\n")), "{line}");
    }
}

/// The header has what the library has.
#[test]
fn the_header_is_complete() {
    let names = |text: &str, before: &str, after: char| -> BTreeSet<String> {
        let parts = text.split(before).skip(1);
        let names =
            parts.filter_map(|part| part.split_once(after).map(|(name, _)| name.to_owned()));
        names
            .filter(|it| it.chars().all(|it| it.is_ascii_lowercase()))
            .collect()
    };
    let [header, source] = ["include/obook.h", "crates/c/src/lib.rs"]
        .map(|path| fs::read_to_string(Path::new(ROOT).join(path)).unwrap());
    let functions = names(&source, "extern \"C\" fn obook_", '(');
    assert!(functions.len() > 4, "{functions:?}");
    assert_eq!(names(&header, "obook_", '('), functions);
}
