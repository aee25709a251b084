//! Edax's console, asked by means of a book with one position. The excluded moves are its links, and Edax deepens it:
//! Edax's own way to find the best move that isn't a link with a single search. Its `hint` would search once per move.

use super::dialogue::{Claim, Dialogue, Spoken, no_answer};
use super::process::Exchange;
use super::{Failed, Outside, Trouble};
use crate::Request;
use obook_base::Scratch;
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_othello::levels::Effort;
use obook_othello::{Bounds, Engine, Leaf, Link, Move, Outcomes, Position, SquareSet, Symmetry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The names of the book sent to Edax and the one it saves.
const ASKED: &str = "asked.dat";
const ANSWERED: &str = "answered.dat";

/// Edax, at its prompt.
pub(super) struct EdaxBook {
    files: Scratch,
    /// The folder of the files, as Edax sees it.
    folder: PathBuf,
}

impl EdaxBook {
    /// Creates the folder. Edax can't read a path with a space in it. If the temporary folder has one, the files go into the folder
    /// where Edax runs.
    pub(super) fn start(outside: &Outside) -> io::Result<EdaxBook> {
        let spaced = |path: &Path| path.to_string_lossy().contains(char::is_whitespace);
        let temporary = std::env::temp_dir();
        if !spaced(&temporary) {
            let files = Scratch::within(&temporary, &Arc::default())?;
            let folder = files.path().to_owned();
            return Ok(EdaxBook { files, folder });
        }
        let home = match &outside.folder {
            Some(folder) => folder.clone(),
            None => std::env::current_dir()?,
        };
        let files = Scratch::within(&home, &Arc::default())?;
        let folder = files.path().file_name().unwrap_or_default().into();
        Ok(EdaxBook { files, folder })
    }

    /// Searches for the best move that isn't excluded.
    fn best(&self, request: &Request, engine: &mut Exchange<'_>) -> Result<Claim, Failed> {
        let (canonical, symmetry) = request.board().canonicalize();
        let [asked, answered] = [ASKED, ANSWERED].map(|name| self.files.path().join(name));
        write(&asked, &position(request, symmetry), request.level())?;
        // The answer to the previous question must not be taken for this one.
        match std::fs::remove_file(&answered) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(file(&answered, error));
            }
            _ => {}
        }
        // Otherwise the answer would depend on earlier questions: a new game empties the hash tables.
        engine.say("new")?;
        let load = self.folder.join(ASKED);
        engine.say(&format!("book load {}", load.display()))?;
        engine.say("book deepen")?;
        let save = self.folder.join(ANSWERED);
        engine.say(&format!("book save {}", save.display()))?;
        engine.say("book info")?;
        let searched = hear_end(engine)?;
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
        // Its books don't store the depth of a search, but the level implies it.
        let empties = request.board().empties() as u8;
        let search = Effort::new(Engine::Edax, request.level(), empties);
        Ok(Claim {
            mv,
            score: score.into(),
            depth: Some(search.depth.into()),
            probability: Some(search.probability),
            variation: vec![mv],
            nodes: None,
        })
    }
}

impl Spoken for EdaxBook {
    fn greet(&mut self, engine: &mut Exchange<'_>) -> Result<(), Failed> {
        engine.say("mode 3")?;
        engine.say("book info")?;
        hear_end(engine).map(drop)
    }
}

impl Dialogue for EdaxBook {
    fn ask(
        &mut self,
        request: &Request,
        count: usize,
        engine: &mut Exchange<'_>,
    ) -> Result<Vec<Claim>, Failed> {
        let mut claims = vec![self.best(request, engine)?];
        let mut request = request.clone();
        while claims.len() < count {
            match request.without(claims[claims.len() - 1].mv) {
                Ok(rest) => request = rest,
                Err(_) => break,
            }
            claims.push(self.best(&request, engine)?);
        }
        Ok(claims)
    }
}

/// Waits for the answer to `book info`, which comes once all earlier commands are done. Returns the number of positions
/// searched.
fn hear_end(engine: &mut Exchange<'_>) -> Result<Option<u32>, Failed> {
    let mut searched = None;
    loop {
        let line = engine.hear()?;
        // Progress is overwritten on a terminal.
        let last = line.rsplit('\r').next().unwrap_or_default();
        if last.starts_with("Positions:") {
            return Ok(searched);
        }
        if let Some(done) = last.strip_prefix("Deepening book...") {
            searched = done.split(' ').next().and_then(|count| count.parse().ok());
        }
    }
}

/// The question as a book position: excluded moves are links, and one of the others is the leaf, which Edax requires and
/// replaces.
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
    let left_out = SquareSet(board.legal_moves().0 & request.excluded().0);
    let links = left_out.iter().map(|square| Link {
        mv: symmetry.play(Move::Place(square)),
        score: Some(0),
    });
    position.links = links.collect();
    let leaf = request.moves().next().map(|mv| symmetry.play(mv));
    position.set_leaf(Leaf {
        mv: leaf,
        score: 0,
        level: None,
        engine: Engine::Edax,
    });
    position
}

/// Writes a book with one position. The level in its header must differ from the one wanted: Edax searches only positions
/// of another level.
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
    Trouble::File(match text.contains(&named) {
        true => text,
        false => format!("{named}: {text}"),
    })
    .into()
}
