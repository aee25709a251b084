//! Replacing a database: nothing of the old one gets into the new one.

use crate::support::program::{arg, complaint, obook, stdout};
use crate::support::report::GAMES;
use obook_shogi::Board;
use rusqlite::Connection;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with an imported database and a snapshot of it.
fn book() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [path, snapshot] = ["book.obook", "book.zst"].map(|name| folder.path().join(name));
    stdout(["import", GAMES, "--book", arg(&path)]);
    stdout(["snapshot", arg(&path), arg(&snapshot)]);
    (folder, path, snapshot)
}

fn beside(path: &Path, end: &str) -> PathBuf {
    PathBuf::from(format!("{}{end}", path.display()))
}

/// The number of positions that differ between two books.
fn different(one: &Path, other: &Path) -> bool {
    match obook(["diff", arg(one), arg(other)]).status.code() {
        Some(0) => false,
        Some(1) => true,
        other => panic!("{other:?}"),
    }
}

/// Leaves the journal of a change without its database, as a killed process and `rm` do.
fn leave_a_journal(path: &Path) {
    let mut shell = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["shell", arg(path)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    writeln!(stdin, "SELECT count(*) FROM positions;").unwrap();
    stdin.flush().unwrap();
    // Its answer shows that it has the database open.
    let mut answer = [0];
    std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut answer).unwrap();
    stdout(["negamax", arg(path), "--rules", "egaroucid"]);
    shell.kill().unwrap();
    shell.wait().unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(std::fs::metadata(beside(path, "-wal")).unwrap().len() > 0);
}

/// Law (Crashes, untrusted books, concurrency): Files left beside a deleted database never become part of another.
/// Also: `an_old_journal_is_not_rolled_back_into_a_new_book`
#[test]
fn files_of_a_deleted_book_do_not_get_into_the_next() {
    let (folder, path, snapshot) = book();
    let original = folder.path().join("original.obook");
    stdout(["restore", arg(&snapshot), arg(&original)]);
    for make in [
        ["restore", arg(&snapshot), arg(&path)].as_slice(),
        &["import", GAMES, "--book", arg(&path)],
    ] {
        leave_a_journal(&path);
        let wal = beside(&path, "-wal");
        let said = complaint(make, &wal);
        assert!(said.contains("give --force to remove it"), "{said}");
        assert!(wal.exists() && !path.exists());
        stdout(make.iter().copied().chain(["--force"]));
        assert!(!different(&path, &original), "{make:?}");
        stdout(["verify", arg(&path)]);
    }
}

#[test]
fn an_old_journal_is_not_rolled_back_into_a_new_book() {
    let (folder, path, snapshot) = book();
    let original = folder.path().join("original.obook");
    stdout(["restore", arg(&snapshot), arg(&original)]);
    // A journal as a killed process leaves it in the middle of a change, and then no database.
    let journal = beside(&path, "-journal");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1;
             BEGIN; UPDATE positions SET value = 9, lines = 9; UPDATE links SET score = 9;",
        )
        .unwrap();
    let copy = folder.path().join("journal");
    std::fs::copy(&journal, &copy).unwrap();
    drop(connection);
    std::fs::remove_file(&path).unwrap();
    std::fs::copy(&copy, &journal).unwrap();
    complaint(["restore", arg(&snapshot), arg(&path)], &journal);
    stdout(["restore", arg(&snapshot), arg(&path), "--force"]);
    assert!(!journal.exists() && !different(&path, &original));
}

/// Law (Crashes, untrusted books, concurrency): A book replaced while it is changed is one or the other, never a mixture.
#[test]
fn a_book_that_is_replaced_while_it_is_changed_is_one_or_the_other() {
    let (folder, path, snapshot) = book();
    let [original, levelled] =
        ["original.obook", "levelled.obook"].map(|name| folder.path().join(name));
    for copy in [&original, &levelled] {
        stdout(["restore", arg(&snapshot), arg(copy)]);
    }
    let level = ["--at-most", "1"];
    stdout(["level", arg(&levelled)].iter().chain(&level));
    let mut replaced = 0;
    for round in 0..20 {
        let start = |words: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_obook"))
                .args(words)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut restore = start(&["restore", arg(&snapshot), arg(&path), "--force"]);
        std::thread::sleep(std::time::Duration::from_millis(round * 2));
        let mut change = start(&["level", arg(&path), "--at-most", "1"]);
        let restored = restore.wait().unwrap().success();
        change.wait().unwrap();
        replaced += u32::from(restored);
        stdout(["verify", arg(&path)]);
        assert!(
            !different(&path, &original) || !different(&path, &levelled),
            "round {round}: neither of the two books"
        );
    }
    assert!(replaced > 0, "one of them at least comes to its end");
}

#[test]
fn an_input_is_never_replaced() {
    let (folder, path, snapshot) = book();
    let dat = folder.path().join("games.dat");
    std::fs::copy(GAMES, &dat).unwrap();
    // A picture's name must have the right extension, even if a file is there.
    let [svg_file, svg_book] = ["games.svg", "book.svg"].map(|name| folder.path().join(name));
    std::fs::copy(&dat, &svg_file).unwrap();
    std::fs::copy(&path, &svg_book).unwrap();
    let games = folder.path().join("games.html");
    std::fs::write(&games, "e6f4e3f6g5d6e7f5c5\n").unwrap();
    for (file, command) in [
        (&svg_book, "plot FILE scores --output FILE --force"),
        (&svg_file, "plot FILE scores --output FILE --force"),
        (&games, "check FILE --html FILE --force"),
        (&path, "export FILE FILE --format edax --force"),
        (&path, "snapshot FILE FILE --force"),
        (&path, "import FILE --book FILE --force"),
        (&dat, "import FILE --book FILE --force"),
        (&dat, "convert FILE FILE --force"),
        (&dat, "depth FILE 20 --output FILE --force"),
        (&snapshot, "restore FILE FILE --force"),
    ] {
        let before = std::fs::read(file).unwrap();
        let command = command.replace("FILE", arg(file));
        let said = complaint(command.split(' '), file);
        assert!(
            said.contains("input and output are the same file"),
            "{command}: {said}"
        );
        assert!(std::fs::read(file).unwrap() == before, "{command}");
    }
}

/// Files, with obook's words for what they hold.
const KINDS: [(&str, &str); 10] = [
    ("book.dat", "a book file"),
    ("book.dat.zst", "a book file"),
    ("book.obook", "an obook database"),
    ("foreign.db", "a SQLite database of another program"),
    ("book.zst", "a snapshot of a database"),
    ("picture.svg", "an SVG picture"),
    ("page.html", "a page of HTML"),
    ("obook.1", "a manual page"),
    ("games.ggf", "a file of games"),
    ("notes.txt", "a file of some other kind"),
];

/// Commands that write NEW, and its kind among [`KINDS`].
const WRITERS: [(&str, &str); 11] = [
    ("import GAMES --book NEW", "an obook database"),
    ("restore FOLDER/book.zst NEW", "an obook database"),
    ("salvage FOLDER/book.obook NEW", "an obook database"),
    ("export FOLDER/book.obook NEW --format edax", "a book file"),
    ("convert GAMES NEW", "a book file"),
    ("depth GAMES 20 --output NEW", "a book file"),
    (
        "verify GAMES --fix-what-is-safe --output NEW",
        "a book file",
    ),
    ("snapshot FOLDER/book.obook NEW", "a snapshot of a database"),
    ("plot GAMES scores --output NEW", "an SVG picture"),
    (
        "check f5d6 --no-book --level 0 --html NEW",
        "a page of HTML",
    ),
    (
        "check ../examples/levels.wtb --game 1 --no-book --level 0 --output NEW",
        "a file of games",
    ),
];

/// A folder with a file of each of [`KINDS`].
fn one_of_each() -> TempDir {
    let (folder, path, _) = book();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(GAMES, at("book.dat")).unwrap();
    stdout(["convert", GAMES, arg(&at("book.dat.zst"))]);
    let foreign = Connection::open(at("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE t (x)").unwrap();
    let picture = at("picture.svg");
    stdout(["plot", arg(&path), "scores", "--output", arg(&picture)]);
    std::fs::write(at("page.html"), "<!doctype html>\n<title>notes</title>").unwrap();
    std::fs::write(at("obook.1"), stdout(["man"])).unwrap();
    std::fs::write(at("games.ggf"), "(;GM[Othello]PB[a]PW[b]B[F5];)").unwrap();
    std::fs::write(at("notes.txt"), "f5 is best").unwrap();
    folder
}

#[test]
fn force_replaces_only_a_file_of_the_same_kind() {
    let from = one_of_each();
    for (command, written) in WRITERS {
        let mut is_followed = false;
        for (name, found) in KINDS {
            let to = tempfile::tempdir().unwrap();
            // The name determines what is written, even if a file is there.
            let new = to.path().join(match written {
                "an SVG picture" => "new.svg",
                "a page of HTML" => "new.html",
                "a book file" => "new.dat",
                "a file of games" => "new.ggf",
                _ => "new",
            });
            std::fs::copy(from.path().join(name), &new).unwrap();
            let before = std::fs::read(&new).unwrap();
            let words = command.replace("GAMES", GAMES).replace("NEW", arg(&new));
            let words = words.replace("FOLDER", arg(from.path()));
            let words: Vec<&str> = words.split(' ').collect();
            // A book is merged into a database.
            if command.starts_with("import") && found == written {
                continue;
            }
            let forced = [&words[..], &["--force"]].concat();
            let said = complaint(&words, &new);
            // A book file is recognised only by a command that writes one.
            let known = found == written || found.contains("database");
            let called = if known {
                found
            } else {
                "a file of some other kind"
            };
            assert!(
                said.contains(&format!("already exists, {called}; ")),
                "{said}"
            );
            if found == written {
                assert!(said.contains("give --force to replace it"), "{said}");
                stdout(&forced);
                continue;
            }
            assert!(!said.contains("give --force"), "{command}: {said}");
            let said = complaint(&forced, &new);
            let expected = format!("{written} can't replace it, even with --force");
            assert!(said.contains(&expected), "{command}: {said}");
            assert!(said.contains("remove the file first"), "{command}: {said}");
            assert!(std::fs::read(&new).unwrap() == before, "{command}: {name}");
            // The advice works, and an empty file counts as none. The file is gone, so it doesn't matter which it was.
            if !std::mem::replace(&mut is_followed, true) {
                std::fs::write(&new, "").unwrap();
                stdout(&forced);
                std::fs::remove_file(&new).unwrap();
                stdout(&words);
            }
        }
    }
}

#[test]
fn a_page_and_the_numbers_of_a_picture_replace_their_like() {
    let from = one_of_each();
    let to = tempfile::tempdir().unwrap();
    let numbers = to.path().join("new.json");
    let page = to.path().join("obook-undo.1");
    for (file, command, like) in [
        (
            &numbers,
            format!("plot {GAMES} scores --json --output {}", arg(&numbers)),
            true,
        ),
        (
            &numbers,
            format!("plot {GAMES} tree --json --output {}", arg(&numbers)),
            true,
        ),
        (&page, format!("man --output {}", arg(to.path())), false),
    ] {
        if !like {
            std::fs::write(file, ".TH mine").unwrap();
        } else {
            stdout(command.split(' ').chain(["--force"]));
        }
        stdout(command.split(' ').chain(["--force"]));
        for (name, found) in KINDS {
            if found == "a manual page" {
                continue;
            }
            std::fs::copy(from.path().join(name), file).unwrap();
            let before = std::fs::read(file).unwrap();
            complaint(command.split(' ').chain(["--force"]), file);
            assert!(std::fs::read(file).unwrap() == before, "{command}: {name}");
        }
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn no_file_that_is_imported_is_replaced_by_the_first() {
    let (folder, path, _) = book();
    let dat = folder.path().join("games.dat");
    std::fs::copy(GAMES, &dat).unwrap();
    let before = std::fs::read(&path).unwrap();
    let words = [
        "import",
        arg(&dat),
        arg(&path),
        "--book",
        arg(&path),
        "--force",
    ];
    let said = complaint(words, &path);
    assert!(
        said.contains("input and output are the same file"),
        "{said}"
    );
    assert!(std::fs::read(&path).unwrap() == before);
}

#[cfg(unix)]
#[test]
fn links_stay_and_only_files_are_replaced() {
    let (folder, path, _) = book();
    let [file, link, nowhere, socket] =
        ["file.svg", "link.svg", "nowhere.svg", "socket"].map(|name| folder.path().join(name));
    std::fs::write(&file, "<svg/>").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let plot = |output: &Path| {
        let output = arg(output).to_owned();
        ["plot", arg(&path), "scores", "--output", &output, "--force"].map(str::to_owned)
    };
    stdout(plot(&link));
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&file).unwrap().contains("</svg>"));
    std::os::unix::fs::symlink(folder.path().join("none"), &nowhere).unwrap();
    complaint(plot(&nowhere), &nowhere);
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let said = complaint(plot(&socket), &socket);
    assert!(said.contains("a socket"), "{said}");
    // A symbolic link leads to the book and the files beside it.
    let book = folder.path().join("link.obook");
    std::os::unix::fs::symlink(&path, &book).unwrap();
    stdout(["import", GAMES, "--book", arg(&book), "--force"]);
    assert!(book.is_symlink() && !path.is_symlink());
    stdout(["verify", arg(&book)]);
}

/// What each command writes, with its words for OUT; the folder has book.dat, book.db, both databases, and one with games of each.
const WRITTEN: [&str; 40] = [
    "export book.dat OUT --format edax",
    "export book.dat OUT --format edax-text",
    "export book.dat OUT --format egbk3",
    "export book.dat OUT --format egbk2",
    "export book.dat OUT --format egbk",
    "export book.dat OUT --format ntest",
    "export book.dat OUT.zst --format edax",
    "export book.dat OUT.zst --format edax-text",
    "export book.dat OUT.zst --format egbk3",
    "export book.dat OUT.zst --format egbk2",
    "export book.dat OUT.zst --format egbk",
    "export book.dat OUT.zst --format ntest",
    "export book.dat OUT --format parquet",
    "site book.dat OUT --plies 2",
    "restore book.zst OUT",
    "extract games.txt --book OUT --min-games 1",
    "snapshot book.obook OUT",
    "games export games.obook OUT --format wthor",
    "games export games.obook OUT --format ggf",
    "games export games.obook OUT --format sgf",
    "games export games.obook OUT --format transcript",
    "check games.txt --no-book --output OUT.ggf --level 1 --exact 1 --jobs 1",
    "check games.txt --no-book --html OUT.html --level 1 --exact 1 --jobs 1",
    "plot book.dat empties --output OUT.svg",
    "plot book.dat empties --output OUT.png",
    "shogi export book.db OUT --format db",
    "shogi export book.db OUT --format ybb",
    "shogi export book.db OUT --format apery",
    "shogi export small.db OUT --format apery",
    "shogi export large.db OUT --format apery",
    "shogi export book.db OUT.db.zst --format db",
    "shogi export book.db OUT.ybb.zst --format ybb",
    "shogi export book.db OUT.bin.zst --format apery",
    "shogi export large.db OUT.bin.zst --format apery",
    "shogi extract games.usi --book OUT --min-games 1",
    "shogi games export games.shogi OUT --format csa",
    "shogi games export games.shogi OUT --format kif",
    "shogi games export games.shogi OUT --format ki2",
    "shogi games export games.shogi OUT --format usi",
    "shogi games export games.shogi OUT --format jkf",
];

#[cfg_attr(not(feature = "full"), ignore = "some of the files need all features")]
#[test]
fn what_is_written_may_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut program = Command::new(env!("CARGO_BIN_EXE_obook"));
        program
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    std::fs::copy(GAMES, at("book.dat")).unwrap();
    std::fs::write(at("games.txt"), "e6f4e3f6g5d6e7f5c5\nf5d6c3\n").unwrap();
    let usi = "startpos moves 7g7f 3c3d\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1 moves 8c8d\n";
    std::fs::write(at("games.usi"), usi).unwrap();
    let db = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 30 1 1\n";
    std::fs::write(at("book.db"), db).unwrap();
    // A book for White only, and one that is larger than what tells its format.
    let small = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d none 10 1 5\n";
    std::fs::write(at("small.db"), small).unwrap();
    let moves: String = Board::start()
        .children()
        .iter()
        .map(|(mv, _)| format!("{mv} none 0 1 1\n"))
        .collect();
    let mut large = db.replace("7g7f none 30 1 1\n", &moves);
    for (_, board) in Board::start().children() {
        large.push_str(&format!("sfen {board} 2\n"));
        for (mv, _) in board.children() {
            large.push_str(&format!("{mv} none 0 1 1\n"));
        }
    }
    std::fs::write(at("large.db"), large).unwrap();
    for line in [
        "import book.dat --book book.obook",
        "snapshot book.obook book.zst",
        "games import games.txt --book games.obook --date 2026 --black rose",
        "shogi games import games.usi --book games.shogi",
    ] {
        let done = run(line);
        assert!(done.status.success(), "{line}: {done:?}");
    }
    let remove = |path: &Path| match path.is_dir() {
        true => std::fs::remove_dir_all(path).unwrap(),
        false => std::fs::remove_file(path).unwrap(),
    };
    for line in WRITTEN {
        let name = line
            .split(' ')
            .find(|word| word.starts_with("OUT"))
            .unwrap();
        let out = at(name);
        let said = |line: &str, status: i32| {
            let done = run(line);
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(status), "{line}: {said}");
            said
        };
        said(line, 0);
        let refused = said(line, 1);
        assert!(refused.contains("--force"), "{line}: {refused}");
        let forced = format!("{line} --force");
        said(&forced, 0);
        // Anything else stays.
        if out.is_dir() {
            std::fs::write(out.join("notes"), "mine").unwrap();
            let refused = said(&forced, 1);
            assert!(refused.contains("not empty"), "{line}: {refused}");
            assert!(out.join("notes").exists());
        }
        remove(&out);
        std::fs::write(&out, "f5 is a good move\n").unwrap();
        let refused = said(&forced, 1);
        assert_eq!(
            std::fs::read(&out).unwrap(),
            b"f5 is a good move\n",
            "{line}: {refused}"
        );
        remove(&out);
    }
}

/// A format of files that is new has to stand in the list.
#[test]
fn every_format_that_is_written_is_tried() {
    let is_tried = |command: &str, format: &str| {
        let format = format!("--format {format}");
        WRITTEN
            .iter()
            .any(|line| line.starts_with(command) && line.ends_with(&format))
    };
    for format in obook_converters::Format::WRITTEN {
        assert!(is_tried("export", format.name()), "{format}");
    }
    for format in obook_shogi::database::file::Format::ALL {
        let is_written = is_tried("shogi export", format.name());
        assert_eq!(is_written, format_is_written(format), "{}", format.name());
    }
    for format in obook_shogi::games::Format::ALL {
        assert!(is_tried("shogi games export", format.name()), "{format:?}");
    }
}

fn format_is_written(format: obook_shogi::database::file::Format) -> bool {
    obook_shogi::database::file::Format::written().any(|written| written == format)
}
