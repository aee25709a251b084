//! What the table of formats says that books hold.

use obook_converters::{BookReader, Format, StoredLinks};
use obook_othello::{Move, Position};
use obook_testing::book_file::small;

/// Law (Book files): Books hold exactly what the table of formats says, with levels on their engine's scale.
#[test]
fn books_hold_what_the_table_says() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = BookReader::open(small(folder.path(), format), None).unwrap();
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
