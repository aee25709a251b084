//! Positions per second for reading and writing each format, raw and checked.
//!
//! The books are the small ones in `tests/data`, repeated in memory to 100 000 positions, so that neither the disk nor the
//! readers' fixed costs matter. `OBOOK_BENCH_BOOK` may name another book to read from disk.
#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use obook_converters::{
    BookReader, BookRecord, Compression, Format, Reader, Writer, edax, edax_text, egbk, egbk2,
    egbk3,
};
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;

const POSITIONS: u32 = 100_000;

/// A book that repeats the records of `file`.
fn repeated<T: BookRecord>(file: &str, header: T::Header) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data")
        .join(file);
    let bytes = std::fs::read(path).unwrap();
    let records: Vec<T> = Reader::new(&bytes[..])
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    for record in records.iter().cycle().take(POSITIONS as usize) {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

fn format<T: BookRecord>(c: &mut Criterion, bytes: &'static [u8]) {
    let mut group = c.benchmark_group(T::FORMAT.name());
    group.throughput(Throughput::Elements(POSITIONS.into()));
    group.sample_size(20);
    group.bench_function("read raw", |b| {
        b.iter(|| {
            let reader = Reader::<_, T>::new(bytes).unwrap();
            reader.fold(0, |sum, record| sum ^ record.unwrap().discs().0)
        });
    });
    checked(&mut group, Cursor::new(bytes), T::FORMAT);
    let records: Vec<T> = Reader::new(bytes).unwrap().map(Result::unwrap).collect();
    let positions: Vec<_> = records
        .iter()
        .map(|record| record.check().unwrap())
        .collect();
    let header = Reader::<_, T>::new(bytes).unwrap().header().clone();
    group.bench_function("write positions", |b| {
        b.iter(|| {
            let mut writer = Writer::<_, T>::new(std::io::sink(), header.clone()).unwrap();
            for position in &positions {
                let record = T::from_position(position).unwrap();
                writer.write(&record).unwrap();
            }
            writer.finish().unwrap()
        });
    });
    group.finish();
}

/// Reads checked positions one by one and on all cores.
fn checked(
    group: &mut BenchmarkGroup<'_, criterion::measurement::WallTime>,
    input: impl std::io::Read + Send + Clone + 'static,
    format: Format,
) {
    let book = || BookReader::new(input.clone(), "bench", Some(format)).unwrap();
    group.bench_function("read checked", |b| {
        b.iter(|| book().for_each(|position| drop(black_box(position.unwrap()))));
    });
    group.bench_function("read checked, all cores", |b| {
        b.iter(|| {
            book()
                .positions_parallel()
                .for_each(|p| drop(black_box(p.unwrap())))
        });
    });
}

fn formats(c: &mut Criterion) {
    let count = POSITIONS as i32;
    let header = edax::Header {
        count,
        ..edax::Header::default()
    };
    let book: &[u8] = repeated::<edax::Record>("games.dat", header).leak();
    format::<edax::Record>(c, book);
    let mut text = Writer::<_, edax_text::Record>::new(Vec::new(), edax_text::Header).unwrap();
    for record in edax::Reader::new(book).unwrap() {
        let edax::Record {
            player,
            opponent,
            level,
            leaf,
            ..
        } = record.unwrap();
        text.write(&edax_text::Record {
            player,
            opponent,
            level,
            leaf,
        })
        .unwrap();
    }
    format::<edax_text::Record>(c, text.finish().unwrap().leak());
    let header = egbk3::Header { count };
    format::<egbk3::Record>(
        c,
        repeated::<egbk3::Record>("egaroucid/games.mixed.egbk3", header).leak(),
    );
    let header = egbk2::Header { count };
    format::<egbk2::Record>(
        c,
        repeated::<egbk2::Record>("egaroucid/games.egbk2", header).leak(),
    );
    let header = egbk::Header { count };
    format::<egbk::Record>(
        c,
        repeated::<egbk::Record>("egaroucid/games.egbk", header).leak(),
    );

    let mut group = c.benchmark_group("edax.zst");
    group.throughput(Throughput::Elements(POSITIONS.into()));
    group.sample_size(20);
    let level = Compression::default().level;
    let compressed: &'static [u8] = zstd::encode_all(book, level).unwrap().leak();
    checked(&mut group, Cursor::new(compressed), Format::Edax);
    group.finish();

    if let Some(path) = std::env::var_os("OBOOK_BENCH_BOOK") {
        let book = || BookReader::open(&path, None).unwrap();
        let mut group = c.benchmark_group("OBOOK_BENCH_BOOK");
        group.throughput(Throughput::Elements(book().count() as u64));
        group.sample_size(10);
        group.bench_function("read checked", |b| b.iter(|| book().count()));
        group.bench_function("read checked, all cores", |b| {
            b.iter(|| book().positions_parallel().count());
        });
        group.finish();
    }
}

criterion_group!(benches, formats);
criterion_main!(benches);
