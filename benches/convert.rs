//! Conversions of book files: reading, mapping, checking and writing.
//!
//! `OBOOK_BENCH_BOOK=book.dat cargo bench --bench convert` measures your own Edax book.
#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use obook::write::export::ExportOptions;
use obook::write::export::Input;
use obook::write::export::Output;
use obook::write::export::export;
use obook::{Context, IfExists};
use obook_converters::Format;
use std::path::{Path, PathBuf};

/// Converts a file and returns the number of positions written.
fn convert(from: &Path, to: &Path, format: Format) -> u64 {
    let input = Input::open(from, None, &Context::default()).unwrap();
    let output = Output::File(to.to_owned(), IfExists::Replace);
    let options = ExportOptions::new(format);
    let exported = export(input, &output, &options, &Context::default()).unwrap();
    exported.positions
}

fn books(c: &mut Criterion) {
    let own = std::env::var_os("OBOOK_BENCH_BOOK").map(PathBuf::from);
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/small.dat.zst");
    let edax = own.unwrap_or(small);
    let folder = tempfile::tempdir().unwrap();
    let egbk3 = folder.path().join("book.egbk3");
    let back = folder.path().join("book.dat");
    let positions = convert(&edax, &egbk3, Format::Egbk3);
    let mut group = c.benchmark_group("convert");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(positions));
    let mut measure = |name, from: &Path, to: &Path, format| {
        group.bench_function(name, |b| b.iter(|| convert(from, to, format)));
    };
    measure("edax to egbk3", &edax, &egbk3, Format::Egbk3);
    measure("egbk3 to edax", &egbk3, &back, Format::Edax);
    measure("edax to edax", &edax, &back, Format::Edax);
    group.finish();
}

criterion_group!(benches, books);
criterion_main!(benches);
