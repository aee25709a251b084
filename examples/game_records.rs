//! An archive of games: how each ended, and what is wrong with the records.

use obook::records::Reader;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut games, mut faults) = (0, 0);
    for entry in Reader::open("examples/levels.wtb")? {
        let entry = entry?;
        games += 1;
        faults += entry.faults.len();
        entry
            .faults
            .iter()
            .for_each(|fault| eprintln!("{}: {fault}", entry.place));
    }
    println!("{games} games, {faults} faults");
    assert_eq!((games, faults), (300, 0));
    Ok(())
}
