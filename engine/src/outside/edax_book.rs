//! Edax's console, to which a question is a book: of a position whose moves that are left out are links, and which it
//! deepens. That is Edax's own way to find the best move that is no link, by one search, where a console's `hint` makes
//! one for each move.

use super::dialogue::{Dialogue, Found, no_answer};
use super::engine::Outside;
use super::process::Process;
use super::trouble::{Failed, Trouble};
use super::wait::Wait;
use crate::Request;
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_model::levels::Search;
use obook_model::{Bounds, Engine, Leaf, Link, Outcomes, Position};
use obook_othello::{Move, Symmetry};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What goes to Edax, and what comes back.
const ASKED: &str = "asked.dat";
const ANSWERED: &str = "answered.dat";

/// Edax, at its prompt.
pub(super) struct EdaxBook {
    process: Process,
    files: TempDir,
    /// The folder of the files as Edax is told it.
    folder: PathBuf,
}

impl EdaxBook {
    pub(super) fn start(outside: &Outside) -> io::Result<EdaxBook> {
        let (files, folder) = folder(outside)?;
        Ok(EdaxBook {
            process: Process::start(outside)?,
            files,
            folder,
        })
    }

    pub(super) fn greet(&mut self, wait: &mut Wait) -> Result<(), Failed> {
        self.process.say("mode 3")?;
        self.process.say("book info")?;
        self.hear_end(wait).map(drop)
    }

    /// Waits for the answer to `book info`, which Edax gives when all before it is done; tells how many positions it
    /// has searched.
    fn hear_end(&mut self, wait: &mut Wait) -> Result<Option<u32>, Failed> {
        let mut searched = None;
        loop {
            let line = self.process.hear(wait)?;
            // What it shows while it works is overwritten on a terminal.
            let last = line.rsplit('\r').next().unwrap_or_default();
            if last.starts_with("Positions:") {
                return Ok(searched);
            }
            if let Some(done) = last.strip_prefix("Deepening book...") {
                searched = done.split(' ').next().and_then(|count| count.parse().ok());
            }
        }
    }

    /// The best move that is not left out.
    fn best(&mut self, request: &Request, wait: &mut Wait) -> Result<Found, Failed> {
        let (canonical, symmetry) = request.board().canonicalize();
        let (asked, answered) = (
            self.files.path().join(ASKED),
            self.files.path().join(ANSWERED),
        );
        write(&asked, &position(request, symmetry), request.level())?;
        // The answer of the question before is none of this one.
        match std::fs::remove_file(&answered) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(file(&answered, error));
            }
            _ => {}
        }
        // Else the answer would depend on what was asked before: a new game begins with empty tables.
        self.process.say("new")?;
        let load = self.folder.join(ASKED);
        self.process.say(&format!("book load {}", load.display()))?;
        self.process.say("book deepen")?;
        let save = self.folder.join(ANSWERED);
        self.process.say(&format!("book save {}", save.display()))?;
        self.process.say("book info")?;
        let searched = self.hear_end(wait)?;
        if searched != Some(1) {
            let found = format!("{searched:?} positions deepened");
            return Err(no_answer("one position deepened", &found));
        }
        let mut book = BookReader::open(&answered, Some(Format::Edax))
            .map_err(|error| file(&answered, error))?;
        let position = match book.next() {
            Some(Ok(position)) if position.board == canonical => position,
            Some(Err(error)) => return Err(file(&answered, error)),
            _ => return Err(no_answer("the position that was asked for", "another book")),
        };
        let leaf = position.leaf.and_then(|leaf| Some((leaf.mv?, leaf.score)));
        let (mv, score) = leaf.ok_or_else(|| no_answer("a leaf", "a position without one"))?;
        let mv = symmetry.inverse().play(mv);
        // Its books do not say how deep a search was: its levels do.
        let empties = request.board().empties() as u8;
        let search = Search::new(Engine::Edax, request.level(), empties);
        Ok(Found {
            mv,
            score: score.into(),
            depth: Some(search.depth.into()),
            probability: Some(search.probability),
            variation: vec![mv],
            nodes: None,
        })
    }
}

impl Dialogue for EdaxBook {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        wait: &mut Wait,
    ) -> Result<Vec<Found>, Failed> {
        let mut found = vec![self.best(request, wait)?];
        let mut request = request.clone();
        while found.len() < count {
            match request.without(found[found.len() - 1].mv) {
                Ok(rest) => request = rest,
                Err(_) => break,
            }
            found.push(self.best(&request, wait)?);
        }
        Ok(found)
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

/// A folder for files, and how Edax is told of it: a name with a space in it is two to Edax, and then the files go into
/// the folder where it runs.
fn folder(outside: &Outside) -> io::Result<(TempDir, PathBuf)> {
    let spaced = |path: &Path| path.to_string_lossy().contains(char::is_whitespace);
    let builder = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix("obook-");
        builder
    };
    if !spaced(&std::env::temp_dir()) {
        let files = builder().tempdir()?;
        let folder = files.path().to_owned();
        return Ok((files, folder));
    }
    let home = match &outside.folder {
        Some(folder) => folder.clone(),
        None => std::env::current_dir()?,
    };
    let files = builder().tempdir_in(home)?;
    let folder = files.path().file_name().map(PathBuf::from);
    Ok((files, folder.unwrap_or_default()))
}

/// The question as a position of a book: what is left out are links, and a move that is none is the leaf. Edax demands
/// one, and searches it anew.
fn position(request: &Request, symmetry: Symmetry) -> Position {
    let board = request.board();
    let mut position = Position::new(symmetry.board(board).canonical(), Engine::Edax);
    position.value = Some(0);
    position.bounds = Some(Bounds {
        lower: -64,
        upper: 64,
    });
    position.outcomes = Some(Outcomes::default());
    position.lines = Some(1);
    position.level = Some(request.level());
    let left_out = board
        .legal_moves()
        .iter()
        .filter(|square| request.excluded().contains(*square));
    position.links = left_out
        .map(|square| Link {
            mv: symmetry.play(Move::Place(square)),
            score: Some(0),
        })
        .collect();
    let leaf = request.moves().next().map(|mv| symmetry.play(mv));
    position.set_leaf(Leaf {
        mv: leaf,
        score: 0,
        level: None,
        engine: Engine::Edax,
    });
    position
}

/// Writes a book of one position, whose own level is no search like the one that is wanted: Edax searches only what
/// differs from it.
fn write(path: &Path, position: &Position, level: u8) -> Result<(), Failed> {
    let header = Header {
        level: Some(if level == 0 { 60 } else { 0 }),
        n_empties: Some(0),
        midgame_error: Some(0),
        endcut_error: Some(0),
        verbosity: Some(0),
        count: Some(1),
        ..Header::default()
    };
    let write = || {
        let mut writer = BookWriter::create(path, Format::Edax, &header, None)?;
        writer.write(position)?;
        writer.finish()
    };
    write().map(drop).map_err(|error| file(path, error))
}

fn file(path: &Path, error: impl std::fmt::Display) -> Failed {
    let text = error.to_string();
    let named = path.display().to_string();
    let text = if text.contains(&named) {
        text
    } else {
        format!("{named}: {text}")
    };
    Trouble::File(text).into()
}
