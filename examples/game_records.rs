//! An archive of games: how many there are, and what is wrong with the records.

use obook::records::Reader;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games = Reader::open("examples/levels.wtb", None)?.collect::<Result<Vec<_>, _>>()?;
    let faulty: Vec<_> = games.iter().filter(|it| !it.faults.is_empty()).collect();
    for game in &faulty {
        println!("{}: {:?}", game.place, game.faults);
    }
    println!("{} games, {} with faults", games.len(), faulty.len());
    assert!(games.len() == 300 && faulty.is_empty());
    Ok(())
}
