//! A small book of each format.

use crate::golden::golden;
use crate::{ntest_book, sensei_book, task_list, zebra_book};
use obook_converters::zebra::Form;
use obook_converters::{BookReader, BookWriter, Format, Header};
use std::path::{Path, PathBuf};

/// A book of this format: a golden one, or one made in the folder.
pub fn small(folder: &Path, format: Format) -> PathBuf {
    let made = folder.join("book");
    let written: Vec<u8> = match format {
        Format::Edax => return golden("games.dat"),
        Format::Egbk3 => return golden("egaroucid/games.mixed.egbk3"),
        Format::Egbk2 => return golden("egaroucid/games.egbk2"),
        Format::Egbk => return golden("egaroucid/games.egbk"),
        Format::Sensei => {
            let folder = folder.join("sensei");
            sensei_book::write(&folder, &sensei_book::small());
            return folder;
        }
        Format::EdaxText => {
            let header = Header::default();
            let mut bytes = Vec::new();
            let mut text = BookWriter::new(&mut bytes, format, &header, None).unwrap();
            for position in BookReader::open(golden("games.dat"), None).unwrap() {
                text.write(&position.unwrap()).unwrap();
            }
            text.finish().unwrap();
            bytes
        }
        Format::Zebra => zebra_book::small().bytes(Form::Binary),
        Format::Takizawa => task_list::SMALL.into(),
        Format::Ntest => ntest_book::small().bytes(),
        other => panic!("a small book of {other} is needed here"),
    };
    std::fs::write(&made, written).unwrap();
    made
}
