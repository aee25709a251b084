//! `obook shogi export`.

use super::draws_in_words;
use crate::options::mapping::{output, unknown_format};
use crate::options::values::one_of;
use crate::prelude::*;
use obook_shogi::database::export::{Exported, Scores, export, open};
use obook_shogi::database::file::Format;

/// Write a book for an engine
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi export book.obook user_book1.db\n  \
    obook shogi export book.obook user_book1.ybb\n  \
    obook shogi export book.obook user_book1.db --apart     for YaneuraOu with BookEvalDiff 0\n  \
    obook shogi export book.obook user_book1.db --listed    the scores of the imported files\n\n\
    After `obook fix`, the file has own scores, the best move first, and the length of the best line as the depth, as YaneuraOu's \
    makebook peta_shock writes them: 9999 is a line that never ends. A .db then has no counts, because YaneuraOu would put moves \
    that were played often before better ones. A book of counts without scores is written as listed. Positions are in the order that YaneuraOu expects, so BookOnTheFly works. \
    docs/shogi.md has the options that YaneuraOu needs.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(add = Standard)]
    book: PathBuf,
    /// The file to write; its extension determines the format: .db, .ybb, or .bin for Apery, each also compressed as .zst. - is
    /// standard output
    #[arg(add = Standard)]
    file: PathBuf,
    /// Format, if the extension doesn't tell
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::written(), Format::name, |_| ""))]
    format: Option<Format>,
    /// Write what the imported files say about moves, not own scores
    #[arg(long)]
    listed: bool,
    /// Give moves that tie with the best one, but at another depth, 1 less, as peta_shock does: YaneuraOu draws lots among equals
    #[arg(long, conflicts_with = "listed")]
    apart: bool,
    #[command(flatten)]
    force: Force,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The format to write.
pub(super) fn format(file: &Path, chosen: Option<Format>, option: &str) -> Result<Format, Failure> {
    let format = chosen.or_else(|| Format::of_extension(file));
    format.ok_or_else(|| {
        let advice = format!("use .db, .ybb or .bin, or choose a format with {option}");
        unknown_format(file, &advice)
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = format(&arguments.file, arguments.format, "--format")?;
    let store = open(&arguments.book, &context::shown())?;
    let scores = match (arguments.listed, arguments.apart) {
        (true, _) => Scores::Listed,
        (false, true) => Scores::Apart,
        (false, false) => Scores::Own,
    };
    let output = output(&arguments.file, arguments.force);
    let exported = export(&store, &output, format, scores)?;
    report_on(&output, &exported, arguments.json, describe)
}

/// Reports what was written.
pub(super) fn describe(exported: &Exported, out: &mut dyn Write) -> io::Result<()> {
    let (file, format) = (exported.file.display(), exported.format);
    let positions = count(exported.positions, "position[|s]");
    let moves = count(exported.moves, "move[|s]");
    let scores = match draws_in_words(exported.worth_of_draws) {
        _ if !exported.own_scores => String::from("scores as listed"),
        None => String::from("own scores"),
        Some(words) => format!("own scores; {words}"),
    };
    writeln!(out, "{file} ({format}): {positions}, {moves}, {scores}")?;
    match exported.lost.as_str() {
        "nothing" => Ok(()),
        lost => writeln!(out, "  left out, because the format can't hold it: {lost}"),
    }
}
