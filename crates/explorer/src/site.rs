//! A book as a folder of files: the same page without a server.

use crate::api::{
    BookEntry, Info, Near, NearMove, Picture, Position, PositionOf, Repertoire, Search,
};
use crate::books::{Desk, name};
use crate::problem::Problem;
use crate::repertoire::repertoire_of;
use crate::{answers, assets};
use obook::plot::Shape;
use obook::read::view::{LinkOrLeaf, hex};
use obook::write::import::into_store;
use obook::{AtomicFolder, Book, Context, Error, FolderContent, IfExists, Result};
use obook_othello::Board;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

/// The files of a site.
const SITE: FolderContent = FolderContent {
    name: "a site",
    has: |path| {
        let name = path.to_str().unwrap_or_default();
        let is_part = name.starts_with("positions-") && name.ends_with(".js");
        is_part || name == BOOK || PAGE.iter().any(|(_, page)| name == *page)
    },
};
/// The file about the book.
const BOOK: &str = "book.js";
/// The most positions of a site.
const MOST: usize = 50_000;
/// The positions of a file, on average; it is at least half of that if there are several files.
const PER_FILE: usize = 64;
/// The rows of the lists of moves near best play.
const ROWS: u32 = 12;
/// The files of the page, and their names in the site.
const PAGE: [(&str, &str); 6] = [
    ("site.html", "index.html"),
    ("site.js", "site.js"),
    ("style.css", "style.css"),
    ("icon.svg", "icon.svg"),
    ("sw.js", "sw.js"),
    ("LICENSES.txt", "LICENSES.txt"),
];

/// The positions of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteOptions {
    /// All that links of the book reach from the start.
    Reached {
        /// Discs placed, at most.
        plies: usize,
        /// Games through a position, at least; 0: games don't matter.
        min_games: u64,
    },
    /// All on the lines of the repertoire, with the notes.
    Repertoire,
}

/// The size of a written site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Site {
    /// Positions.
    pub positions: usize,
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// Writes a book as a folder that any web server can serve, and that a browser can open from the disk. It appears completely or
/// not at all; `folder` must be new, empty or, if it may be replaced, a site.
///
/// ```
/// use obook::{Context, IfExists};
/// use obook_explorer::{SiteOptions, write_site};
/// # let book = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
/// # let folder = tempfile::tempdir()?;
/// # let site = folder.path().join("site");
/// let options = SiteOptions::Reached { plies: 2, min_games: 0 };
/// let written = write_site(book.as_ref(), &site, IfExists::Refuse, &options, &Context::default())?;
/// assert!(site.join("index.html").exists() && written.positions > 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the book can't be read, has too many such positions or no games to count, or the folder can't be written.
pub fn write_site(
    book: &Path,
    folder: &Path,
    if_exists: IfExists,
    options: &SiteOptions,
    context: &Context,
) -> Result<Site> {
    let output = AtomicFolder::create(folder, SITE, if_exists, context)?;
    let desk = Desk::new(into_store(Book::open(book, context)?, context)?)?;
    let failed = |problem: Problem| Error::unfit(book, problem.to_answer().error);
    let (repertoire, positions) = match options {
        SiteOptions::Reached { plies, min_games } => {
            let sql = "SELECT EXISTS (SELECT 1 FROM games)";
            if *min_games > 0 && !desk.store().ask::<bool>(sql, [])? {
                let path = book.to_owned();
                return Err(Error::NoGames { path });
            }
            let positions = reached(&desk, *plies, *min_games, context).map_err(failed)?;
            (Repertoire::default(), positions)
        }
        SiteOptions::Repertoire => {
            let repertoire = repertoire_of(desk.store()).map_err(failed)?;
            let positions = on_lines(&desk, &repertoire).map_err(failed)?;
            (repertoire, positions)
        }
    };
    let parts = positions.len().div_ceil(PER_FILE).next_power_of_two();
    let mut site = Site {
        positions: positions.len(),
        ..Site::default()
    };
    let mut write = |name: &str, bytes: &[u8]| {
        site.files += 1;
        site.bytes += bytes.len();
        let written = fs::write(output.path().join(name), bytes);
        written.map_err(Error::io(&folder.join(name), "write"))
    };
    for (name, to) in PAGE {
        write(to, assets::bytes(name))?;
    }
    let about = about(&desk, book, options, parts, &repertoire, &positions).map_err(failed)?;
    write(BOOK, script("book", &about).as_bytes())?;
    let mut files = vec![BTreeMap::new(); parts];
    for (key, position) in positions {
        files[part(&key, parts)].insert(key, position);
    }
    for (number, held) in files.iter().enumerate() {
        let name = format!("positions-{number:04x}");
        write(&format!("{name}.js"), script(&name, held).as_bytes())?;
    }
    output.commit()?;
    Ok(site)
}

/// A script that hands data to the page. A page that was opened from the disk may load nothing else.
fn script(name: &str, data: &impl Serialize) -> String {
    let data = serde_json::to_string(data).expect("data are JSON");
    format!("obook({name:?},{data});\n")
}

/// The file of a position, by a hash of its key: FNV-1a, as in `send.ts`.
fn part(key: &str, parts: usize) -> usize {
    let hash = key.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash as usize % parts
}

/// The answers about the positions of marked lines and of notes, by key.
fn on_lines(
    desk: &Desk,
    Repertoire { marks, notes }: &Repertoire,
) -> Result<BTreeMap<String, Value>, Problem> {
    if marks.is_empty() {
        let problem = "the book has no repertoire: no move is marked";
        return Err(Problem::wrong(problem));
    }
    let lines = marks.iter().map(|mark| &mark.line);
    let mut keys = BTreeSet::new();
    for text in lines.chain(notes.iter().map(|note| &note.line)) {
        let line = answers::line(text)?;
        keys.extend(line.positions().map(|(board, _)| hex(board.canonical())));
        if keys.len() > MOST {
            let problem = format!("more than {MOST} positions in the repertoire: expected fewer");
            return Err(Problem::wrong(problem));
        }
    }
    let answer = |key: String| {
        let position = position(desk, &key)?;
        Ok((key, stored(&position)))
    };
    keys.into_iter().map(answer).collect()
}

fn position(desk: &Desk, key: &str) -> Result<Position, Problem> {
    let asked = PositionOf {
        at: key.to_owned(),
        ..PositionOf::default()
    };
    answers::position(desk, &asked)
}

/// The answers about the positions that links reach within limits, by key.
fn reached(
    desk: &Desk,
    plies: usize,
    min_games: u64,
    context: &Context,
) -> Result<BTreeMap<String, Value>, Problem> {
    let progress = context.progress();
    progress.step("reading positions", None);
    let start = Board::START.canonical();
    let mut found = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    let mut seen = std::collections::HashSet::from([start]);
    while let Some(board) = waiting.pop_front() {
        let key = hex(board);
        let position = position(desk, &key)?;
        for mv in &position.moves {
            let games = mv.games.map_or(0, |games| games.position);
            if mv.kind != Some(LinkOrLeaf::Link) || games < min_games {
                continue;
            }
            let child = answers::line(&mv.child)?.board().canonical();
            if child.board().ply() <= plies && seen.insert(child) {
                waiting.push_back(child);
            }
        }
        if seen.len() > MOST {
            let problem = format!("more than {MOST} positions to ply {plies}: expected fewer");
            return Err(Problem::wrong(problem));
        }
        found.insert(key, stored(&position));
        progress.advance(1);
    }
    Ok(found)
}

/// A position without what the page knows by the line, and without what is unknown.
fn stored(position: &Position) -> Value {
    let mut position = serde_json::to_value(position).expect("an answer is JSON");
    let fields = position.as_object_mut().expect("an answer is an object");
    for name in ["line", "opening", "key", "board", "turn", "ply", "empties"] {
        fields.remove(name);
    }
    slim(&mut position);
    position
}

fn slim(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(slim);
        }
        Value::Array(values) => values.iter_mut().for_each(slim),
        _ => {}
    }
}

/// The contents of `book.js`. Its moves and values are those of these positions; neither the history nor the folder of the book is
/// published.
fn about(
    desk: &Desk,
    book: &Path,
    options: &SiteOptions,
    parts: usize,
    repertoire: &Repertoire,
    positions: &BTreeMap<String, Value>,
) -> Result<Value, Problem> {
    let has = |board: Board| positions.contains_key(&hex(board.canonical()));
    let shown = |near: &NearMove| {
        let before = near.line.strip_suffix(&near.square).unwrap_or(&near.line);
        answers::line(before).is_ok_and(|line| has(line.board()))
    };
    let file = book.file_name().unwrap_or_default().to_string_lossy();
    let info = Info {
        learning: None,
        ..answers::info(desk, file.clone().into_owned())?
    };
    let near = Near {
        limit: Some(ROWS),
        ..Near::default()
    };
    let frontier = answers::near_best(desk, answers::FRONTIER, &near, shown)?;
    let worst = answers::near_best(desk, answers::WORST, &near, shown)?;
    let mut openings = answers::openings(desk, &Search::default())?.openings;
    for valued in &mut openings {
        let board = valued.opening.line.board();
        valued.value = valued.value.filter(|_| has(board));
    }
    let mut plots = BTreeMap::new();
    for name in ["empties", "scores"] {
        let plot = answers::plot(desk, &format!("{name}.svg"), &Picture::default())?;
        plots.insert(name, plot);
    }
    // The tree draws lines that may lead out of a repertoire, or to positions that few games reached.
    if let SiteOptions::Reached {
        plies: plies @ 1..,
        min_games: 0,
    } = *options
    {
        let shape = Shape {
            depth: plies.min(answers::TREE.depth),
            ..answers::TREE
        };
        plots.insert("tree", answers::tree(desk, "", &shape)?);
    }
    let entry = BookEntry {
        name: name(book, |_| false),
        file: file.into_owned(),
        bytes: fs::metadata(book).map_or(0, |it| it.len()),
        copied: false,
        positions: info.positions,
        games: false,
        version: String::new(),
    };
    Ok(json!({
        "obook": env!("CARGO_PKG_VERSION"),
        "entry": entry,
        "parts": parts,
        "frontier": frontier,
        "worst": worst,
        "openings": openings,
        "plots": plots,
        "repertoire": repertoire,
        "info": info,
    }))
}
