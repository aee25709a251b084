//! What the fuzzer and the replay start from: small golden books, SQL of the documentation, bytes by chance.

use super::made::header;
use fastrand::Rng;
use obook_converters::{BookReader, BookWriter, Format, Header, Position};
use std::path::{Path, PathBuf};

/// Positions of a book, which is then some hundred bytes long: short inputs are changed more often where it matters.
const POSITIONS: usize = 12;

/// The first inputs of a target.
pub(crate) fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "books" => files()
            .map(|(place, _, file)| behind(place, &file))
            .collect(),
        "compressed" => compressed(),
        "notation" => notation(),
        "sql" => sql(),
        "rows" | "import" => by_chance(16, 600),
        other => panic!("there is no check {other}"),
    }
}

fn behind(first: u8, rest: &[u8]) -> Vec<u8> {
    [&[first], rest].concat()
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A small book of each format, with the format's place among all.
fn files() -> impl Iterator<Item = (u8, Format, Vec<u8>)> {
    let book = |format| match format {
        Format::Edax | Format::EdaxText => "edax/games.dat",
        Format::Egbk3 => "egaroucid/games.mixed.egbk3",
        Format::Egbk2 => "egaroucid/games.egbk2",
        Format::Egbk => "egaroucid/games.egbk",
    };
    (0..).zip(Format::ALL).map(move |(place, format)| {
        let path = repository("tests/data").join(book(format));
        let reader = BookReader::open(path, None).unwrap();
        let own = reader.header().clone();
        let positions: Vec<Position> = reader.map(Result::unwrap).take(POSITIONS).collect();
        let header = Header {
            count: Some(POSITIONS as i64),
            ..if own.level.is_some() { own } else { header(0) }
        };
        let mut writer = BookWriter::new(Vec::new(), format, &header, None).unwrap();
        for position in &positions {
            writer.write(position).unwrap();
        }
        (place, format, writer.finish().unwrap())
    })
}

fn compressed() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (place, _, file) in files() {
        seeds.push(behind(0, &zstd::encode_all(&*file, 1).unwrap()));
        seeds.push(behind(1 + 4 * 7 * place, &file));
    }
    let database = super::rows::database();
    seeds.push(behind(2, database));
    seeds.push(behind(3, &zstd::encode_all(database, 1).unwrap()));
    seeds
}

fn notation() -> Vec<Vec<u8>> {
    let texts = [
        "f5d6c3d3c4",
        "F5 f4 E3 pa",
        "f5f6d3g5h5h4f7h6pae7",
        "a1 h8 PA pass -- f９ é",
        "---------------------------OX------XO--------------------------- X",
        "OOOOOOOOXXXXXXXX...........xo......ox...................****---- O;",
        "00000008100000000000001008000000",
    ];
    let start = [8u64 << 32 | 0x1000_0000, 0x10_0800_0000]
        .map(u64::to_be_bytes)
        .concat();
    let texts = texts.iter().map(|text| text.as_bytes().to_vec());
    texts.chain([start]).chain(by_chance(4, 16)).collect()
}

/// The statements of the documentation, and calls with arguments by chance.
fn sql() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for file in ["docs/sql.md", "docs/functions.md"] {
        let text = std::fs::read_to_string(repository(file)).unwrap();
        let blocks = text.split("```sql\n").skip(1);
        seeds.extend(blocks.map(|block| behind(0, block.split("```").next().unwrap().as_bytes())));
    }
    assert!(seeds.len() > 10, "the documentation has statements");
    let calls = by_chance(16, 60);
    seeds.extend(calls.into_iter().map(|call| behind(1, &call)));
    seeds
}

/// Bytes that are the same each time.
fn by_chance(count: u64, len: usize) -> Vec<Vec<u8>> {
    let bytes = |seed| {
        let mut random = Rng::with_seed(seed);
        (0..len).map(|_| random.u8(..)).collect()
    };
    (0..count).map(bytes).collect()
}
