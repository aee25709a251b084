//! Initial inputs for the fuzzer and the replay: small golden books, SQL from the documentation, random bytes.

use super::made::header;
use fastrand::Rng;
use obook_converters::zebra::Form;
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_othello::Position;
use obook_testing::games::sample;
use obook_testing::golden::golden;
use obook_testing::{ntest_book, sensei_book, task_list, zebra_book};
use std::path::PathBuf;

/// The number of positions in a book. Changes of short inputs matter more often.
const POSITIONS: usize = 12;

/// The initial inputs of a target.
pub(crate) fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "books" => files()
            .map(|(place, _, file)| behind(place, &file))
            .collect(),
        "compressed" => compressed(),
        "games" => games(),
        "notation" => notation(),
        "sql" => sql(),
        "shogi" => shogi(),
        // Short ones are few changes, and quick.
        "rows" | "import" => [40, 120, 600]
            .into_iter()
            .flat_map(|len| random_bytes(16, len))
            .collect(),
        other => panic!("there is no check {other}"),
    }
}

fn behind(first: u8, rest: &[u8]) -> Vec<u8> {
    [&[first], rest].concat()
}

fn repository(path: &str) -> PathBuf {
    crate::support::root().join(path)
}

/// A small book of each format, with the format's index.
fn files() -> impl Iterator<Item = (u8, Format, Vec<u8>)> {
    let book = |format| match format {
        Format::Edax | Format::EdaxText => "games.dat",
        Format::Egbk3 => "egaroucid/games.mixed.egbk3",
        Format::Egbk2 => "egaroucid/games.egbk2",
        Format::Egbk => "egaroucid/games.egbk",
        _ => unreachable!("it has a book of its own"),
    };
    let engines = Format::WRITTEN
        .into_iter()
        .filter(|it| *it != Format::Ntest);
    let written = (0..).zip(engines).map(move |(place, format)| {
        let path = golden(book(format));
        let reader = BookReader::open(path, None).unwrap();
        let own = reader.header().clone();
        let positions: Vec<Position> = reader.map(Result::unwrap).take(POSITIONS).collect();
        let header = Header {
            count: Some(POSITIONS as i64),
            ..if own.level.is_some() { own } else { header(0) }
        };
        let mut bytes = Vec::new();
        let mut writer = BookWriter::new(&mut bytes, format, &header, None).unwrap();
        for position in &positions {
            writer.write(position).unwrap();
        }
        writer.finish().unwrap();
        (place, format, bytes)
    });
    let place = |format| Format::ALL.iter().position(|it| *it == format).unwrap() as u8;
    let zebra = [Form::Binary, Form::Text, Form::Compressed].map(|form| {
        let file = zebra_book::small().bytes(form);
        (place(Format::Zebra), Format::Zebra, file)
    });
    let list = task_list::SMALL.into();
    let list = (place(Format::Takizawa), Format::Takizawa, list);
    let sensei = sensei_book::small().into_iter().map(move |record| {
        let record = sensei_book::encode(&record);
        (place(Format::Sensei), Format::Sensei, record)
    });
    let ntest = (
        place(Format::Ntest),
        Format::Ntest,
        ntest_book::small().bytes(),
    );
    written.chain(zebra).chain([list, ntest]).chain(sensei)
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

/// A small book of shogi in each format.
fn shogi() -> Vec<Vec<u8>> {
    use obook_shogi::database::file::Format;
    use obook_shogi::db;
    let example = |name: &str| std::fs::read(repository("examples").join(name)).unwrap();
    let packed = |name: &str| {
        std::fs::read(repository("crates/shogi/tests/data/golden").join(name)).unwrap()
    };
    let text = example("s2_seed.db");
    let hashed = super::whole::apery_file(&db::read(&text).book).0;
    // Numbers of 0 give each position the hash 0; the record has 7g7f.
    let mut gikou = vec![0; 20_992 + 32];
    gikou[20_992 + 8..][..4].copy_from_slice(&(59_u32 | 60 << 8 | 1 << 16).to_le_bytes());
    // State 1 has the start position, and 7g7f leads to state 2.
    let start = format!("{} 1", obook_shogi::Board::start());
    let mv = [&[8, 0xf7, 0xec, 0x81, 8, 24, 1, 32, 2][..]].concat();
    let mut state = [&[8, 1, 0x3a, start.len() as u8][..], start.as_bytes()].concat();
    state.extend([&[0x4a, mv.len() as u8][..], &mv].concat());
    let sbk = [&[0x1a, state.len() as u8][..], &state, &[0x1a, 2, 8, 2]].concat();
    let files = [
        (Format::Db, text),
        (Format::Db, example("q1_quiet_or_check.db")),
        (Format::Ybb, packed("s2_seed.ybb")),
        (Format::Ybb, packed("s2_seed_nodepth.ybb")),
        (Format::Apery, hashed),
        (Format::Gikou, gikou),
        (Format::Sbk, sbk),
    ];
    let place = |format| Format::ALL.iter().position(|it| *it == format).unwrap();
    files
        .into_iter()
        .map(|(format, file)| behind(place(format) as u8, &file))
        .collect()
}

/// A game or two in each format, and one that uses everything in GGF.
fn games() -> Vec<Vec<u8>> {
    use obook_games::Format;
    let data =
        |name: &str| std::fs::read(repository("crates/games/tests/data").join(name)).unwrap();
    let mut wthor = std::fs::read(sample()).unwrap();
    wthor.truncate(16 + 2 * 68);
    wthor[4..8].copy_from_slice(&2u32.to_le_bytes());
    let full = "2 (;GM[Othello]PC[GGS/os]EV[Open]RO[3]DT[2003.12.15_13:24:03.MST]PB[a b]PW[é]RB[2197.01]RW[-3]\
        TB[05:00//02:00]TW[1:0:0,N40/5]TY[s8r20]RE[+64.000]C[one\\] two\\\\]\
        BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
        B[E6//0.20]W[f4/-25.99/1]B[E3/3.5]C[good]W[f6]B[G5//12.345]W[d6]B[E7]W[f5]B[C5//1:02.5];)\
        (;GM[Othello]RE[-2:r]B[f5];)";
    let setup = "(;FF[4]GM[2]SZ[8]DT[2020-02]TM[300]RE[W+T]AB[cd:dd][a1]AW[e4][e5]PL[W];W[]V[2];B[fe]C[x]\
        (;W[f6])(;W[d6]))";
    let tagged = "[Event \"x\"]\n[Date \"2020.??.??\"]\n[Result \"13-0\"]\n\n\
        1. e6 f4 {x} 2. e3 (f5 f6) f6 13-0\n\n[Black \"y\"]\n\nf5 *\n";
    let typed = "# x\n1. F5 D6 2. c3 +4 // y\nf5f6d3g5h5h4f7h6e7 30-34\nf5-d6 -- c3\n";
    let quest = r#"[{"players":[{"name":"a","oldR":1.5},{"id":"b"}],"tcb":1,"created":"2020-01-01T00:00:00Z",
        "position":{"moves":[{"m":"f5","t":1},{"m":"d6"},{"s":"LOSE:RESIGN"}]}}]"#;
    let files = [
        (Format::Wthor, wthor),
        (Format::Ggf, data("edax/whole.ggf")),
        (Format::Ggf, full.into()),
        (Format::Sgf, data("edax/pass.sgf")),
        (Format::Sgf, setup.into()),
        (Format::Pgn, data("edax/whole.pgn")),
        (Format::Pgn, tagged.into()),
        (Format::Transcript, data("edax/whole.txt")),
        (Format::Transcript, typed.into()),
        (Format::Edx, data("edax/white.edx")),
        (Format::Quest, quest.into()),
    ];
    let place = |format| Format::ALL.iter().position(|it| *it == format).unwrap();
    files
        .into_iter()
        .map(|(format, file)| behind(place(format) as u8, &file))
        .collect()
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
    texts.chain([start]).chain(random_bytes(4, 16)).collect()
}

/// The statements in the documentation, and calls with random arguments.
fn sql() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for file in ["docs/sql.md", "docs/functions.md"] {
        let text = std::fs::read_to_string(repository(file)).unwrap();
        let blocks = text.split("```sql\n").skip(1);
        seeds.extend(blocks.map(|block| behind(0, block.split("```").next().unwrap().as_bytes())));
    }
    assert!(seeds.len() > 10, "the documentation has statements");
    let calls = random_bytes(16, 60);
    seeds.extend(calls.into_iter().map(|call| behind(1, &call)));
    seeds
}

/// Random bytes, the same each time.
fn random_bytes(count: u64, len: usize) -> Vec<Vec<u8>> {
    let bytes = |seed| {
        let mut random = Rng::with_seed(seed);
        (0..len).map(|_| random.u8(..)).collect()
    };
    (0..count).map(bytes).collect()
}
