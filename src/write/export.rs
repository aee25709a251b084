//! Writing a book for an engine: [`convert`] to anything that takes bytes, [`export`] to a file.

use crate::database::local_time;
use crate::read::book::{budget, gather_database, gather_file};
use crate::{AtomicFile, BOOK_FILE, Book, BookHeader, Context, Error, LeftOut, Progress, Result};
use obook_base::Source;
pub use obook_base::compression::Compression;
use obook_base::parallel::in_order;
use obook_converters::{BookReader, BookWriter, Form, Format, Header, StoredLinks};
use obook_graph::NodeId;
use obook_graph::mapping::{self, EdaxError, EdaxOptions, EgaroucidOptions, Loss, Outline};
pub use obook_graph::mapping::{HeaderOptions, Leaves, Losses, MissingLeaf};
use obook_graph::negamax::{Scoring, count_inconsistent};
use obook_graph::slabs::{self, ByKey, Record, Slab, Slabs};
use obook_othello::{Move, Position, RuleSet};
pub use obook_store::Output;
use obook_store::indented;
use serde::Serialize;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The name of standard input in messages.
const STDIN: &str = "standard input";

/// The book to export.
#[derive(Debug)]
pub enum Input {
    /// A database, or a file in the format that its contents show.
    Book(Book),
    /// A stream, or a file in a given format.
    Stream {
        /// Its name in messages.
        name: PathBuf,
        /// The stream.
        reader: BookReader,
    },
}

impl From<Book> for Input {
    fn from(book: Book) -> Input {
        Input::Book(book)
    }
}

impl Input {
    /// A book file in a stream or in memory, which messages call `name`. Without a format, the contents decide.
    ///
    /// # Errors
    /// If it can't be read or is not a book file.
    pub fn new(
        stream: impl Read + Send + 'static,
        name: &str,
        format: Option<Format>,
        context: &Context,
    ) -> Result<Input> {
        let reader = BookReader::new_within(stream, name, format, budget(context))?;
        let name = PathBuf::from(name);
        Ok(Input::Stream { name, reader })
    }

    /// Opens a database or book file; `-` is standard input. Without a format, the contents decide.
    ///
    /// # Errors
    /// If it can't be read or is not a book.
    pub fn open(path: &Path, format: Option<Format>, context: &Context) -> Result<Input> {
        if path == Path::new("-") {
            let source =
                Source::open_or_stdin(path).map_err(Error::io(Path::new(STDIN), "read"))?;
            return Input::new(source, STDIN, format, context);
        }
        match format {
            None => Ok(Input::Book(Book::open(path, context)?)),
            Some(_) => Ok(Input::Stream {
                name: path.to_owned(),
                reader: BookReader::open_within(path, format, budget(context))?,
            }),
        }
    }

    fn name(&self) -> &Path {
        match self {
            Input::Book(book) => book.path(),
            Input::Stream { name, .. } => name,
        }
    }

    fn header(&self) -> Result<BookHeader> {
        match self {
            Input::Book(book) => book.header(),
            Input::Stream { reader, .. } => Ok(BookHeader::of(reader)),
        }
    }

    fn left_out(&self) -> LeftOut {
        match self {
            Input::Book(book) => book.left_out(),
            Input::Stream { reader, .. } => LeftOut::of(reader.account()),
        }
    }

    /// Reads the whole book, and counts the boards that occur more than once.
    fn read(self, context: &Context) -> Result<(Slabs, u64)> {
        let name = self.name().to_owned();
        let gathered = match self {
            Input::Book(Book::Database(store)) => gather_database(&store, context)?,
            Input::Book(Book::File(file)) => gather_file(file.reader()?, context)?,
            Input::Stream { reader, .. } => gather_file(reader, context)?,
        };
        Slabs::new(gathered).map_err(Error::of_slabs(&name))
    }
}

/// Export options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportOptions {
    /// The format.
    pub format: Format,
    /// The treatment of leaves in Egaroucid's formats. `None` keeps them in `.egbk3` and turns them into positions in
    /// formats without leaves.
    pub leaves: Option<Leaves>,
    /// The fallback if Edax needs a leaf that the book lacks.
    pub missing_leaf: MissingLeaf,
    /// Header fields that replace the book's own.
    pub header: HeaderOptions,
    /// Fail if anything is lost.
    pub strict: bool,
    /// Compression, if any.
    pub compression: Option<Compression>,
}

impl ExportOptions {
    /// The defaults for a format.
    #[must_use]
    pub fn new(format: Format) -> ExportOptions {
        ExportOptions {
            format,
            leaves: None,
            missing_leaf: MissingLeaf::default(),
            header: HeaderOptions::default(),
            strict: false,
            compression: None,
        }
    }
}

/// The result of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Exported {
    /// The format.
    pub format: String,
    /// Positions in the file.
    pub positions: u64,
    /// Boards that occurred more than once; the record with the higher level was kept.
    pub duplicates: u64,
    /// Pass positions that were left out because the format has only the position after the pass.
    pub passes_left_out: u64,
    /// Pass positions that were added because the format needs them.
    pub passes_put_in: u64,
    /// Data that the format can't hold, by kind.
    pub losses: Losses,
    /// The parts of the source file that didn't become positions.
    #[serde(flatten)]
    pub left_out: LeftOut,
}

/// [Converts](convert) a book to a file or to standard output. A file appears only when it is complete.
///
/// # Errors
/// As [`convert`]. An existing file is left as it was.
pub fn export(
    input: Input,
    output: &Output,
    options: &ExportOptions,
    context: &Context,
) -> Result<Exported> {
    output.spare(input.name())?;
    output.write(BOOK_FILE, context, |out| {
        convert_named(input, out, output.name(), options, context)
    })
}

/// Writes a book to anything that takes bytes, in a form that its engine accepts. A book that needs more memory than the context
/// allows goes through temporary files. Nothing is written unless the whole book has been read and has that form.
///
/// ```
/// use obook::write::export::{ExportOptions, Input, convert};
/// use obook::Context;
/// use obook_converters::Format;
///
/// let book = include_bytes!("../../examples/games.dat");
/// let context = Context::default();
/// let book = Input::new(&book[..], "games.dat", None, &context)?;
/// let mut file = Vec::new();
/// let done = convert(book, &mut file, &ExportOptions::new(Format::Egbk3), &context)?;
/// assert_eq!((done.positions, file.len()), (2242, 14 + 2242 * 25));
/// println!("lost: {}", done.losses);
/// # Ok::<(), obook::Error>(())
/// ```
///
/// # Errors
/// If the book can't be read or lacks something that the engine needs, or if the output can't be written.
pub fn convert(
    input: impl Into<Input>,
    output: impl Write,
    options: &ExportOptions,
    context: &Context,
) -> Result<Exported> {
    let name = Path::new("the output");
    convert_named(input.into(), output, name, options, context)
}

fn convert_named(
    input: Input,
    output: impl Write,
    output_name: &Path,
    options: &ExportOptions,
    context: &Context,
) -> Result<Exported> {
    let progress = context.progress();
    let form = options.format.form();
    let form = form.map_err(|error| Error::unfit(output_name, error.to_string()))?;
    let name = input.name().to_owned();
    let source = input.header()?;
    let left_out = input.left_out();
    let (mut book, duplicates) = input.read(context)?;
    let failed = Error::of_slabs(&name);
    let passes = count_passes(&mut book).map_err(&failed)?;
    let mapped = map(&mut book, &source, form, options, progress);
    let (header, losses) = mapped.map_err(|error| refused(&name, error))?;
    if options.strict && !losses.is_empty() {
        return Err(Error::Lossy {
            path: name.clone(),
            format: options.format.name(),
            losses: indented(&losses.to_string()),
        });
    }
    let passes_now = count_passes(&mut book).map_err(&failed)?;
    let positions = book.len();
    let book = records(book, options.format).map_err(&failed)?;
    write(&book, output, output_name, &header, options, progress)?;
    Ok(Exported {
        format: options.format.name().to_owned(),
        positions,
        duplicates,
        passes_left_out: passes.saturating_sub(passes_now),
        passes_put_in: passes_now.saturating_sub(passes),
        losses,
        left_out,
    })
}

/// Writes a book that has the form of its format to a file, compressed if the name at `path` says so, and publishes it.
///
/// # Errors
/// If it can't be written, or a position lacks something that the format needs.
pub(crate) fn write_file(
    book: &ByKey,
    mut file: AtomicFile,
    path: &Path,
    header: &Header,
    format: Format,
    progress: &Progress,
) -> Result<()> {
    let mut options = ExportOptions::new(format);
    options.compression = Compression::by_name(path);
    write(book, file.file(), path, header, &options, progress)?;
    Ok(file.commit()?)
}

/// All positions of a book that has the form of a format, as the format holds them.
///
/// # Errors
/// If temporary files can't be written or read.
pub(crate) fn records(book: Slabs, format: Format) -> slabs::Result<ByKey> {
    let record: Record = match format.holds().missing_leaves {
        true => decided,
        false => Slab::position,
    };
    book.finish(record, |_| Ok(()))
}

/// A position with the links that a format stores, best first.
fn with_links(mut position: Position, stored: StoredLinks) -> Position {
    match stored {
        StoredLinks::None => {}
        // The releases that wrote such a format never wrote a pass; both positions are in the file.
        StoredLinks::WithoutPasses => {
            position.links.retain(|link| link.mv != Move::Pass);
            position.sort_links();
        }
        StoredLinks::All => position.sort_links(),
    }
    position
}

/// A position that says why it has no leaf.
fn decided(slab: &Slab, id: NodeId) -> Position {
    let mut position = slab.position(id);
    mapping::decide_no_leaf(&mut position, |board| slab.graph().find(board).is_some());
    position
}

/// Counts the pass positions that stand beside the position after the pass, which says the same.
fn count_passes(book: &mut Slabs) -> slabs::Result<u64> {
    let mut count = 0;
    book.scan(|slab| {
        let graph = slab.graph();
        let passed = |id| graph.board(id).board().passed().canonical();
        let beside = |id: &NodeId| !graph.is_frozen(*id) && graph.find(passed(*id)).is_some();
        count += graph.pass_ids().filter(beside).count() as u64;
    })?;
    Ok(count)
}

/// Why the book can't be brought into the requested form.
pub(crate) fn refused(path: &Path, error: EdaxError) -> Error {
    match error {
        EdaxError::Slabs(error) => Error::of_slabs(path)(error),
        EdaxError::Refused(refused) => Error::EdaxDemands {
            path: path.to_owned(),
            demands: indented(&refused.to_string()),
            missing_leaf: refused.lacks_leaves.then_some(refused.missing_leaf),
        },
    }
}

/// Brings the book into the form that the engine accepts, and returns the matching header.
pub(crate) fn map(
    book: &mut Slabs,
    source: &BookHeader,
    form: Form,
    options: &ExportOptions,
    progress: &Progress,
) -> Result<(Header, Losses), EdaxError> {
    progress.step("mapping", None);
    progress.advance(0);
    let mut header = options.header.over(&source.header);
    let losses = match form {
        Form::Ntest => mapping::to_ntest(book, source.negamax_rules(), &header)?,
        Form::Edax => {
            let rules = Scoring::of(RuleSet::Edax, &header);
            let level = header.level.and_then(|level| level.try_into().ok());
            let edax = EdaxOptions {
                rules: source.negamax_rules(),
                missing_leaf: options.missing_leaf,
                assumed_level: level.unwrap_or(0),
                new_rules: rules,
            };
            let mut losses = mapping::to_edax(book, &edax)?;
            let outline = Outline::of(book)?;
            // Edax's text has neither a header nor numbers.
            if !options.format.holds().values {
                outline.count_losses(&header, &mut losses);
                book.scan(|slab| {
                    losses.add(Loss::Inconsistent, count_inconsistent(slab.graph(), rules));
                })?;
            }
            header = outline.complete(&header);
            // Edax dates a book when it saves it; keep a date that is there.
            header.date = header.date.or_else(local_time);
            losses
        }
        Form::Egaroucid => {
            let leaves = options.leaves.unwrap_or(match options.format {
                Format::Egbk3 => Leaves::Keep,
                _ => Leaves::AsPositions,
            });
            let egaroucid = EgaroucidOptions {
                rules: source.rules,
                // These formats have no header, so nothing replaces the source's.
                header: source.header.clone(),
                format: options.format,
                leaves,
            };
            mapping::to_egaroucid(book, &egaroucid)?
        }
    };
    Ok((header, losses))
}

/// Writes a book, with the number of its positions in the header. `name` is that of the output.
fn write(
    book: &ByKey,
    output: impl Write,
    name: &Path,
    header: &Header,
    options: &ExportOptions,
    progress: &Progress,
) -> Result<()> {
    let positions = book.len(ByKey::ALL);
    progress.step("writing", Some(positions));
    let mut header = header.clone();
    header.count = i64::try_from(positions).ok();
    let name = name.display().to_string();
    let writer = BookWriter::new(output, options.format, &header, options.compression)?;
    let mut writer = writer.named(&name);
    let encoder = writer.encoder();
    let links = options.format.holds().links;
    let mut before = 0;
    let parts = book.parts(ByKey::ALL)?.map(|part| {
        let (count, part) = part?;
        let first = before;
        before += count as u64;
        Ok::<_, Error>((first, part.map(|position| with_links(position, links))))
    });
    let encode = |part: Result<(u64, _)>| {
        let (before, positions) = part?;
        Ok::<_, Error>(encoder.encode(before, positions)?)
    };
    // Parts are encoded on all cores, and written in order.
    in_order(parts, encode, |encoded| -> Result<()> {
        let before = writer.positions();
        writer.write_encoded(&encoded?)?;
        progress.advance(writer.positions() - before);
        Ok(())
    })?;
    writer.finish()?;
    Ok(())
}
