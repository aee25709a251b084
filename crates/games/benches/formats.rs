//! The speed of reading and writing each format.
//!
//! The games are those of `examples/levels.wtb`, repeated in memory. If `OBOOK_GAMES` names a folder with the WTHOR archive in
//! `wthor`, the archive is also read from there.
#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use obook_games::wthor::Header;
use obook_games::{Format, Game, Reader, write_ggf, write_sgf, write_transcript};
use std::hint::black_box;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The sample archive is repeated this often.
const TIMES: u32 = 30;
const GAMES: u32 = 300 * TIMES;

fn moves(reader: Reader) -> usize {
    reader.map(|entry| entry.unwrap().game.line().ply()).sum()
}

fn wthor() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/levels.wtb");
    let file = std::fs::read(path).unwrap();
    let (header, games) = file.split_first_chunk().unwrap();
    let header = Header {
        games: GAMES,
        ..Header::decode(header)
    };
    [&header.encode()[..], &games.repeat(TIMES as usize)].concat()
}

fn formats(c: &mut Criterion) {
    let wthor = wthor();
    let reader = Reader::new(Cursor::new(wthor.clone()), None, None).unwrap();
    let games: Vec<Game> = reader.map(|entry| entry.unwrap().game).collect();
    let mut files = vec![(Format::Wthor, wthor)];
    for (format, write) in [
        (Format::Ggf, write_ggf as fn(&Game) -> String),
        (Format::Sgf, write_sgf),
        (Format::Transcript, write_transcript),
    ] {
        let text: String = games.iter().map(|game| write(game) + "\n").collect();
        files.push((format, text.into_bytes()));
    }
    for (format, file) in files {
        let mut group = c.benchmark_group(format.name());
        group.throughput(Throughput::Elements(GAMES.into()));
        group.sample_size(20);
        group.bench_function("read", |b| {
            b.iter(|| {
                moves(Reader::new(Cursor::new(black_box(file.clone())), None, None).unwrap())
            });
        });
    }
    let mut group = c.benchmark_group("ggf");
    group.throughput(Throughput::Elements(GAMES.into()));
    group.bench_function("write", |b| {
        b.iter(|| {
            for game in &games {
                black_box(write_ggf(game));
            }
        });
    });
}

fn base(c: &mut Criterion) {
    let Some(folder) = std::env::var_os("OBOOK_GAMES") else {
        return;
    };
    let files = std::fs::read_dir(Path::new(&folder).join("wthor")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| Format::from_extension(file) == Some(Format::Wthor));
    let mut group = c.benchmark_group("the whole base");
    group.sample_size(10);
    group.bench_function("read", |b| {
        let read = |file: &PathBuf| moves(Reader::open(file, None).unwrap());
        b.iter(|| files.iter().map(read).sum::<usize>());
    });
}

criterion_group!(benches, formats, base);
criterion_main!(benches);
