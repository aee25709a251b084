//! Tables of book files: what their errors say of files that are no books.

use super::rows;
use crate::book_file::write;
use obook_converters::Format;
use obook_converters::zebra::Form;
use obook_testing::golden::book;
use obook_testing::random_book::Random;
use obook_testing::{ntest_book, zebra_book};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::Path;

/// The beginnings of books of all formats, some without a single byte and some with a few good positions.
fn beginnings(folder: &Path) -> Vec<Vec<u8>> {
    let (_, positions) = book("games.dat");
    let written = [
        Format::Edax,
        Format::EdaxText,
        Format::Egbk3,
        Format::Egbk2,
        Format::Egbk,
    ];
    let mut books: Vec<Vec<u8>> = Vec::new();
    for format in written {
        let file = folder.join("book");
        write(&file, format, &positions[..20]);
        books.push(fs::read(&file).unwrap());
    }
    let zebra = zebra_book::small();
    books.push(zebra.bytes(Form::Binary));
    books.push(zebra.bytes(Form::Text));
    books.push(ntest_book::small().bytes());
    books.push(b"obf,count,score,alpha,beta\n".to_vec());
    let lengths = [0, 1, 4, 8, 10, 14, 20, 27, 42, 70, 120];
    let cut = |book: &Vec<u8>| {
        let lengths = lengths.map(|length| length.min(book.len()));
        lengths.map(|length| book[..length].to_vec())
    };
    books.iter().flat_map(cut).collect()
}

/// Random text, which continues the beginning of no format.
fn secret(random: &mut Random, length: usize) -> Vec<u8> {
    let letters = b"ghijklmpqruvwxyz=:-\n";
    let letter = |random: &mut Random| letters[random.below(letters.len() as u64) as usize];
    (0..length).map(|_| letter(random)).collect()
}

/// The message without the place of the damage.
fn without_place(said: &str) -> String {
    match said.split_once("): ") {
        Some((head, tail)) if head.contains("position ") => tail.to_owned(),
        _ => said.to_owned(),
    }
}

/// Permission to read books tells nothing of other files, whatever these begin with: the error is the same for any contents.
#[test]
fn errors_do_not_depend_on_what_is_no_book() {
    let connection = Connection::open_in_memory().unwrap();
    obook_sql::extension::register(&connection).unwrap();
    let tables: Vec<String> = rows(&connection, "SELECT name FROM pragma_module_list", [])
        .into_iter()
        .filter_map(|row| match &row[0] {
            Value::Text(name) if obook_sql::extension::reads_files(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    assert!(tables.len() > Format::ALL.len(), "{tables:?}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    let mut random = Random(8);
    let mut refused = 0;
    for beginning in beginnings(folder.path()) {
        for length in [17 * 8, 16 + 17 * 9, 200] {
            let rest = length - beginning.len().min(length - 40);
            for table in &tables {
                let sql = format!("SELECT * FROM {table}('{}')", file.display());
                let mut errors = [(); 2].map(|()| {
                    // The number of positions that `.egbk` begins with agrees with the length.
                    let mut text = beginning.clone();
                    if text.is_empty() && length % 17 != 4 {
                        text = ((length / 17) as u32).to_le_bytes().to_vec();
                        text.extend(secret(&mut random, length / 17 * 17));
                    } else {
                        text.extend(secret(&mut random, rest));
                    }
                    fs::write(&file, &text).unwrap();
                    let asked = connection.prepare(&sql).unwrap();
                    error_of(asked)
                });
                let [Some(first), Some(second)] = &mut errors else {
                    panic!("{table} reads {beginning:?}");
                };
                let [first, second] = [first, second].map(|said| without_place(said));
                assert_eq!(first, second, "{table}: {beginning:?}");
                refused += 1;
            }
        }
    }
    assert!(refused > 3000, "{refused}");
}

fn error_of(mut statement: rusqlite::Statement<'_>) -> Option<String> {
    let mut rows = statement.raw_query();
    loop {
        match rows.next() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => return Some(error.to_string()),
        }
    }
}
