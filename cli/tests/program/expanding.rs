//! Small files that unpack to large ones: repeated records take no memory, and what is kept is refused where it takes too much.

use crate::support::program::{arg, obook};
use crate::support::report::GAMES;
use obook_converters::{BookHeader, BookRecord, Format, edax, egbk2, egbk3};
use obook_games::Format as GamesFormat;
use obook_shogi::database::file::Format as ShogiFormat;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The number of copies of each record.
const COPIES: usize = 2_000_000;

/// The limit of a command's address space, in KiB: its threads, the program itself, and a million records, after which copies
/// are removed.
const LIMIT: usize = 240 << 10;

/// The same where games that aren't kept are imported.
const LIMIT_OF_FAULTS: usize = 150 << 10;

/// The same where small games are imported: a hundred thousand of them are kept at a time.
const LIMIT_OF_GAMES: usize = 400 << 10;

/// A file of copies, compressed.
fn bomb<T: BookRecord>(folder: &Path, name: &str, header: &T::Header, record: &T) -> PathBuf {
    let path = folder.join(name);
    let mut output = zstd::Encoder::new(File::create(&path).unwrap(), 1).unwrap();
    let mut bytes = Vec::new();
    header.encode(&mut bytes);
    output.write_all(&bytes).unwrap();
    bytes.clear();
    for _ in 0..1000 {
        record.encode(T::Layout::default(), &mut bytes).unwrap();
    }
    for _ in 0..COPIES / 1000 {
        output.write_all(&bytes).unwrap();
    }
    output.finish().unwrap();
    assert!(path.metadata().unwrap().len() < 100_000);
    path
}

/// A file of many copies of one record.
fn copies(folder: &Path, format: Format) -> PathBuf {
    let mut golden = edax::Reader::new(File::open(GAMES).unwrap()).unwrap();
    let header = *golden.header();
    let record = golden.next().unwrap().unwrap();
    let position = record.check().unwrap();
    let count = COPIES as i32;
    match format {
        Format::Edax => {
            let header = edax::Header { count, ..header };
            bomb(folder, "copies.dat.zst", &header, &record)
        }
        Format::Egbk3 => {
            let header = egbk3::Header { count };
            let record = egbk3::Record::from_position(&position).unwrap();
            bomb(folder, "copies.egbk3.zst", &header, &record)
        }
        Format::Egbk2 => {
            let header = egbk2::Header { count };
            let record = egbk2::Record::from_position(&position).unwrap();
            bomb(folder, "copies.egbk2.zst", &header, &record)
        }
        other => panic!("{other} has no bomb of copies"),
    }
}

/// The binary with these arguments under a limit.
fn limited(arguments: &[&str], limit: usize) -> Output {
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {limit}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        // Each thread's stack takes address space.
        .env("RAYON_NUM_THREADS", "2")
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap()
}

#[test]
fn copies_of_a_record_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (file, out) = (copies(folder, Format::Egbk3), folder.join("out.dat"));
    let (file, out) = (arg(&file), arg(&out));
    // They read every format the same way; imports of each are tested below.
    for arguments in [
        vec!["verify", file],
        vec!["convert", file, out, "--missing-leaf", "demote", "--force"],
        vec!["diff", file, GAMES],
        vec!["info", file],
        vec!["stats", file],
        vec!["depth", file, "40", "--output", out, "--force"],
    ] {
        let done = limited(&arguments, LIMIT);
        let said = String::from_utf8_lossy(&done.stderr);
        // The command's report about the book doesn't matter here.
        let has_ended = matches!(done.status.code(), Some(0 | 1));
        assert!(has_ended, "{arguments:?}: {:?} {said}", done.status);
        assert!(!said.contains("memory"), "{arguments:?}: {said}");
    }
}

/// The memory that a command may use, and what a bomb unpacks to: more than its address space.
const MEMORY: &str = "32MB";
const UNPACKED: usize = 260 << 20;
/// The unpacked size of a bomb that is read record by record: together with the program, it is larger than [`LIMIT`].
const STREAMED: usize = 160 << 20;

/// A compressed file that begins with `head`; then `body` repeats up to `size`.
fn repeated(folder: &Path, name: &str, head: &[u8], body: &[u8], size: usize) -> PathBuf {
    let path = folder.join(format!("{name}.zst"));
    // Two bombs with the same name would be one.
    let mut output = zstd::Encoder::new(File::create_new(&path).unwrap(), 1).unwrap();
    output.write_all(head).unwrap();
    let block = body.repeat((1 << 20) / body.len() + 1);
    for _ in 0..size / block.len() + 1 {
        output.write_all(&block).unwrap();
    }
    output.finish().unwrap();
    assert!(path.metadata().unwrap().len() < 1 << 20, "{name}");
    path
}

/// A bomb of each format of books. A new format needs one.
fn book_bomb(folder: &Path, format: Format) -> PathBuf {
    const BOARD: &str = "---------------------------OX------XO---------------------------";
    let many = i32::MAX.to_le_bytes();
    match format {
        Format::Edax | Format::Egbk3 | Format::Egbk2 => copies(folder, format),
        Format::EdaxText => {
            let line = format!("{BOARD} X,1,f5,0\n");
            repeated(folder, "book.txt", b"", line.as_bytes(), STREAMED)
        }
        Format::Egbk => {
            let start = [
                &0x8_1000_0000u64.to_le_bytes()[..],
                &0x10_0800_0000u64.to_le_bytes(),
                &[0],
            ];
            repeated(folder, "bomb.egbk", &many, &start.concat(), STREAMED / 2)
        }
        Format::Takizawa => {
            let line = format!("{BOARD} X;,1,0,-64,64\n");
            let head = b"obf,count,score,alpha,beta\n";
            repeated(folder, "bomb.csv", head, line.as_bytes(), STREAMED)
        }
        Format::Zebra => {
            let head = b"2718 2818 2000000000\n";
            repeated(folder, "bomb.bin", head, b"1 2 0 0 -1 9999 0\n", UNPACKED)
        }
        Format::Ntest => {
            // A position without moves, whose board doesn't come again, is followed by one that is none.
            let head = [&2i32.to_le_bytes()[..], &many].concat();
            repeated(folder, "bomb.book", &head, &[0], UNPACKED)
        }
        Format::Sensei => {
            // A folder isn't compressed, but its index may have holes.
            let buckets = (UNPACKED / 16) as u64;
            let folder = folder.join("sensei");
            std::fs::create_dir(&folder).unwrap();
            let mut index = File::create(folder.join("index.sen")).unwrap();
            index.write_all(&buckets.to_le_bytes()).unwrap();
            index.write_all(&0u64.to_le_bytes()).unwrap();
            index.set_len(16 + 5 * buckets).unwrap();
            folder
        }
        other => panic!("a bomb of {other} is needed here"),
    }
}

/// A bomb of each format of game records. A new format needs one.
fn games_bomb(folder: &Path, format: GamesFormat) -> PathBuf {
    let long = "x".repeat(1_000_000);
    let text = |name: &str, body: String| {
        let size = match format {
            GamesFormat::Sgf | GamesFormat::Pgn => STREAMED,
            // None of their games is kept.
            _ => STREAMED / 2,
        };
        repeated(folder, name, b"", body.as_bytes(), size)
    };
    match format {
        // Games without names and moves.
        GamesFormat::Wthor => {
            let mut head = vec![20, 26, 2, 16];
            head.extend(1_000_000i32.to_le_bytes());
            head.extend([0, 0, 0xea, 7, 8, 0, 10, 0]);
            repeated(folder, "bomb.wtb", &head, &[0; 68], STREAMED / 4)
        }
        GamesFormat::Ggf => text(
            "bomb.ggf",
            format!("(;GM[Othello]PB[{long}]C[{}];)\n", &long[..40_000]),
        ),
        GamesFormat::Sgf => text(
            "bomb.sgf",
            format!("(;GM[2]FF[4]PB[a]PW[b]C[{long}];B[f5])\n"),
        ),
        GamesFormat::Pgn => text(
            "bomb.pgn",
            format!("[Event \"a\"]\n[Result \"*\"]\n\n1. f5 {{{long}}} d6\n\n"),
        ),
        GamesFormat::Transcript => text("bomb.txt", format!("f5d6c3 {long}\n")),
        GamesFormat::Edx => {
            let mut game = [0; 160];
            game[..16].copy_from_slice(
                &[
                    0x8_1000_0000u64.to_le_bytes(),
                    0x10_0800_0000u64.to_le_bytes(),
                ]
                .concat(),
            );
            game[88..148].fill(65);
            repeated(folder, "bomb.edx", b"", &game, STREAMED / 4)
        }
        GamesFormat::Quest => text(
            "bomb.json",
            format!(
                "{{\"players\":[{{\"name\":\"{long}\"}}],\"position\":{{\"moves\":[{{\"m\":\"f5\"}}]}}}}\n"
            ),
        ),
    }
}

const START: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";

/// A bomb of each format of shogi books. A new format needs one.
fn shogi_bomb(folder: &Path, format: ShogiFormat) -> PathBuf {
    match format {
        // Every line is a fault.
        ShogiFormat::Db => repeated(
            folder,
            "bomb.db",
            START.as_bytes(),
            b"7g7f 3c3d 0 10 1\n",
            STREAMED / 2,
        ),
        // All positions have the same moves, which are many.
        ShogiFormat::Ybb => {
            let mut head = b"YANE-BINBOOK-V1\0".to_vec();
            head.extend(((UNPACKED / 44) as u64).to_le_bytes());
            head.extend(0u64.to_le_bytes());
            repeated(folder, "bomb.ybb", &head, &[0; 44], UNPACKED)
        }
        ShogiFormat::Apery => repeated(folder, "book.bin", b"", &[0; 16], UNPACKED),
        ShogiFormat::Gikou => {
            // Its numbers come before the records.
            let (numbers, record) = ([0u8; 8 * (32 * 81 + 2 * 16)], [0; 32]);
            repeated(folder, "gikou.bin", &numbers, &record, UNPACKED)
        }
        ShogiFormat::Sbk => repeated(folder, "bomb.sbk", b"", b"\x1a\x02\x4a\x00", UNPACKED),
    }
}

/// Whatever a file unpacks to, a command ends in its way within its memory: it reads it, or says why it doesn't.
///
/// Law (Book files): Any file is read within the memory limit, or refused, whatever it promises and however far it expands.
/// Also: `copies_of_a_record_take_no_memory` `crates/lake-files/src/read.rs` `forged_lakes_are_refused_before_they_take_memory`
/// `converters/tests/memory.rs` `memory_is_bounded`
#[test]
fn no_file_takes_more_memory_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut cases = Vec::new();
    for format in Format::ALL {
        cases.push((
            format!("book {format}"),
            book_bomb(folder, format),
            "import",
        ));
    }
    for format in GamesFormat::ALL {
        let bomb = games_bomb(folder, format);
        cases.push((format!("games {format}"), bomb, "games import"));
    }
    for format in ShogiFormat::ALL {
        let bomb = shogi_bomb(folder, format);
        cases.push((format!("shogi {format}"), bomb, "shogi import"));
    }
    let comment = format!("'{}\n", "x".repeat(1000));
    for (name, head) in [
        ("bomb.csa", "V2.2\nPI\n+\n"),
        ("bomb.kif", "手合割：平手\n"),
    ] {
        let body = comment.replace('\'', if name == "bomb.csa" { "'" } else { "*" });
        let bomb = repeated(folder, name, head.as_bytes(), body.as_bytes(), UNPACKED);
        cases.push((name.to_owned(), bomb, "shogi games import"));
    }
    for (name, file, command) in cases {
        let book = folder.join("book.obook");
        let _ = std::fs::remove_file(&book);
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend([arg(&file), "--book", arg(&book)]);
        if !command.contains("games") {
            arguments.extend(["--memory", MEMORY]);
        }
        let limit = match name.as_str() {
            "games edx" => LIMIT_OF_GAMES,
            "games wthor" | "games ggf" | "games transcript" | "games quest" => LIMIT_OF_FAULTS,
            _ => LIMIT,
        };
        let done = limited(&arguments, limit);
        let said = String::from_utf8_lossy(&done.stderr);
        let has_ended = matches!(done.status.code(), Some(0 | 1));
        assert!(has_ended, "{name}: {:?} {said}", done.status);
        assert!(!said.contains("memory allocation"), "{name}: {said}");
        let copies = ["book edax", "book egbk3", "book egbk2"].contains(&&*name);
        assert!(!copies || !said.contains("memory"), "{name}: {said}");
        let is_too_large = said.contains("takes more than");
        assert_eq!(is_too_large, said.contains("--memory"), "{name}: {said}");
        if done.status.code() == Some(1) {
            assert!(said.starts_with("obook: "), "{name}: {said}");
            // The sound part of a file of games goes in.
            let may_stay = command == "games import";
            assert!(may_stay || !book.exists(), "{name}: {said}");
        }
    }
}

/// A book of shogi that doesn't fit in memory goes through temporary files, and is the same.
#[test]
fn a_large_book_of_shogi_needs_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = "../examples/s2_seed.db";
    let rows = |book: &Path| {
        let rows = obook([
            "shogi",
            "export",
            arg(book),
            "-",
            "--format",
            "db",
            "--listed",
        ]);
        assert_eq!(rows.status.code(), Some(0));
        rows.stdout
    };
    let made = ["8GB", "1KB"].map(|memory| {
        let book = folder.path().join(format!("{memory}.obook"));
        let import = [
            "shogi",
            "import",
            file,
            "--book",
            arg(&book),
            "--memory",
            memory,
        ];
        let done = obook(import);
        let said = String::from_utf8(done.stdout).unwrap();
        // Once more, into what is there.
        let again = obook(import);
        let again = String::from_utf8(again.stdout).unwrap();
        let said = [said, again].concat().replace(memory, "");
        (said, rows(&book))
    });
    assert_eq!(made[0], made[1]);
    let refused = obook(["shogi", "verify", file, "--memory", "1KB"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        said.contains("takes more than") && said.contains("--memory"),
        "{said}"
    );
}
