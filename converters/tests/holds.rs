//! What the table of formats says that books hold.

use crate::support::books::data;
use obook_converters::zebra::Form;
use obook_converters::{BookReader, BookWriter, Format, Header, StoredLinks};
use obook_othello::{Move, Position};
use obook_testing::{ntest_book, sensei_book, task_list, zebra_book};
use std::path::{Path, PathBuf};

/// A small book of each format.
fn book(folder: &Path, format: Format) -> PathBuf {
    let made = folder.join("book");
    let written: Vec<u8> = match format {
        Format::Edax => return data("edax/games.dat"),
        Format::Egbk3 => return data("egaroucid/games.mixed.egbk3"),
        Format::Egbk2 => return data("egaroucid/games.egbk2"),
        Format::Egbk => return data("egaroucid/games.egbk"),
        Format::Sensei => {
            let folder = folder.join("sensei");
            sensei_book::write(&folder, &sensei_book::small());
            return folder;
        }
        Format::EdaxText => {
            let header = Header::default();
            let mut text = BookWriter::new(Vec::new(), format, &header, None).unwrap();
            for position in BookReader::open(data("edax/games.dat"), None).unwrap() {
                text.write(&position.unwrap()).unwrap();
            }
            text.finish().unwrap()
        }
        Format::Zebra => zebra_book::small().bytes(Form::Binary),
        Format::Takizawa => task_list::SMALL.into(),
        Format::Ntest => ntest_book::small().bytes(),
    };
    std::fs::write(&made, written).unwrap();
    made
}

/// Law (Book files): A book's positions have what the table of formats says, and no more; their levels are on its
/// engine's scale.
#[test]
fn books_hold_what_the_table_says() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = BookReader::open(book(folder.path(), format), None).unwrap();
        assert_eq!(reader.format(), format);
        let positions: Vec<Position> = reader.by_ref().map(Result::unwrap).collect();
        let any = |has: fn(&Position) -> bool| positions.iter().any(has);
        let holds = format.holds();
        let found = [
            ("values", holds.values, any(|it| it.value.is_some())),
            ("bounds", holds.bounds, any(|it| it.bounds.is_some())),
            ("proofs", holds.proofs, any(|it| it.proof.is_some())),
            ("levels", holds.levels, any(|it| it.level.is_some())),
            ("outcomes", holds.outcomes, any(|it| it.outcomes.is_some())),
            ("lines", holds.lines, any(|it| it.lines.is_some())),
            ("leaves", holds.leaves, any(|it| it.leaf.is_some())),
            (
                "links",
                holds.links != StoredLinks::None,
                any(|it| !it.links.is_empty()),
            ),
        ];
        for (what, expected, found) in found {
            // Nothing is proven in these small books.
            let is_rare = what == "proofs" && matches!(format, Format::Zebra | Format::Ntest);
            assert!(found == expected || is_rare && !found, "{format}: {what}");
        }
        let passes = any(|it| it.links.iter().any(|link| link.mv == Move::Pass));
        assert_eq!(passes, holds.links == StoredLinks::All, "{format}: passes");
        assert!(reader.turned() == 0 || !holds.canonical, "{format}");
        for position in &positions {
            let of_leaf = position.leaf.map_or(format.engine(), |leaf| leaf.engine);
            assert_eq!(
                (position.engine, of_leaf),
                (format.engine(), format.engine())
            );
        }
    }
}
