//! `obook accuracy`: Egaroucid's accuracy grades.

use crate::options::values::gradings;
use crate::prelude::*;
use obook::read::grades::{Graded, grades_on};
use obook::write::grades::store_grades;
use obook::{Error, load_in_slabs};
use obook_graph::accuracy::{AccuracyTable, Grade, Grading};

/// Grade how well the searches support a value: Egaroucid's AA to F
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook accuracy book.obook f5d6c3\n  \
    obook accuracy book.egbk3 f5d6c3 --line --rules egaroucid\n  \
    obook accuracy book.dat --all\n  \
    obook accuracy book.obook --store\n  \
    obook query book.obook 'SELECT grade, count(*) FROM accuracy GROUP BY grade'\n\n\
    A grade looks at the ends of all lines within 1 disc of the best. A: all are exact. B: some are exact, the others are \
    selective searches to the end. C: all are selective searches to the end. D, E: some are midgame searches, and of the \
    others at least one is exact (D), or none is (E). F: all are midgame searches. An A is graded again within 2 discs, \
    which makes it AA, AB or AD. An AA is the value of perfect play among the moves within these 2 discs. It may differ from that \
    among all moves if a weak search scored the truly best one lower.\n\n\
    A leaf is graded by its search: with all empty squares of the position. The rules egaroucid judge as the engine \
    does: with one fewer, and without leaves from midgame searches.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// Moves from the start position, such as f5d6c3, or the name of an opening; passes may be left out or written as pa
    #[arg(add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
    /// Rules to grade by
    #[arg(long, default_value = Grading::Published.name(), value_parser = gradings())]
    rules: Grading,
    /// Grade every position from the start to the last move
    #[arg(long)]
    line: bool,
    /// Count the positions of each grade in the whole book
    #[arg(long, conflicts_with_all = ["line", "moves"])]
    all: bool,
    /// Like --all, and store the grade of every position in the database's table accuracy; the view grades describes them by the
    /// published rules
    #[arg(long, conflicts_with_all = ["line", "moves"])]
    store: bool,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = arguments.memory.context();
    let (path, rules) = (&arguments.book, arguments.rules);
    if arguments.store {
        refuse_starter(path)?;
        let table = store_grades(&mut Book::open_for_writing(path, &context)?, rules)?;
        return account(&table, arguments.json, write_table);
    }
    if arguments.all {
        let book = Book::open(path, &context)?;
        let mut slabs = load_in_slabs(&book, &context)?;
        let table = AccuracyTable::new(&mut slabs, rules).map_err(Error::of_slabs(path))?;
        drop((slabs, book));
        return answer(&table, arguments.json, write_table);
    }
    let line = line(&arguments.moves)?;
    let book = Book::open(path, &context::quiet())?;
    let graded = grades_on(&book, &line, arguments.line, rules, &context)?;
    let describe = |out: &mut dyn Write| write_grades(out, &graded);
    match &graded[..] {
        [one] if !arguments.line => answer(one, arguments.json, |_, out| describe(out)),
        all => answer(&all, arguments.json, |_, out| describe(out)),
    }
}

/// Warns that the engine's own rules give better grades, which look like proofs.
fn warn(out: &mut dyn Write, lower: u64) -> io::Result<()> {
    let words = "\n# position[|s] ha[s|ve] a lower grade by the published rules: Egaroucid leaves out leaves from midgame searches";
    if_any(lower, words, out)
}

fn write_grades(out: &mut dyn Write, graded: &[Graded]) -> io::Result<()> {
    writeln!(
        out,
        "        ends within 1 disc              within 2 discs"
    )?;
    writeln!(
        out,
        "grade   exact  to end midgame     exact  to end midgame  line"
    )?;
    for Graded { line, accuracy, .. } in graded {
        match accuracy {
            Some(accuracy) => {
                write!(out, "{:<5}", accuracy.grade)?;
                for ends in [&accuracy.ends, &accuracy.ends_within_2] {
                    let (exact, to_the_end, midgame) = (ends.exact, ends.to_the_end, ends.midgame);
                    write!(out, " {exact:>7} {to_the_end:>7} {midgame:>7}  ")?;
                }
            }
            None => write!(out, "{:57}", "not in the book")?,
        }
        writeln!(out, "{line}")?;
    }
    let accuracies = graded.iter().filter_map(|at| at.accuracy);
    let lower = accuracies.filter(|at| at.published.is_some_and(|grade| grade > at.grade));
    warn(out, lower.count() as u64)
}

fn write_table(table: &AccuracyTable, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "empties")?;
    for grade in Grade::ALL {
        write!(out, " {grade:>9}")?;
    }
    writeln!(out)?;
    let rows = table.by_empties.iter();
    let rows = rows.map(|(empties, row)| (empties.to_string(), row));
    for (name, row) in rows.chain([(String::from("all"), &table.grades)]) {
        write!(out, "{name:>7}")?;
        for grade in Grade::ALL {
            write!(out, " {:>9}", row.get(&grade).copied().unwrap_or(0))?;
        }
        writeln!(out)?;
    }
    warn(out, table.lower_if_published.unwrap_or(0))
}
