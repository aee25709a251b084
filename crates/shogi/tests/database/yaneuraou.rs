//! Exported books in YaneuraOu.

use crate::golden::{golden, names};
use crate::whole::db_file;
use obook_needs::needs;
use obook_shogi::database::SHOGI;
use obook_shogi::database::export::{Scores, export, records};
use obook_shogi::database::file::Format;
use obook_shogi::database::fix::fix;
use obook_shogi::database::import::create;
use obook_shogi::{Book, BookMove, Colour, db};
use obook_store::{Context, IfExists, Output, Store};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The engine, with a book.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: Box<dyn Iterator<Item = String>>,
}

/// A move of the book, as the engine shows it.
#[derive(Debug)]
struct Known {
    mv: String,
    /// `None` if it is a mate.
    score: Option<i32>,
    depth: Option<u32>,
}

impl Engine {
    fn start(folder: &Path, on_the_fly: bool) -> Engine {
        let kit = std::env::var_os("OBOOK_ENGINE_KIT").expect("the test is ignored without it");
        let mut process = Command::new(Path::new(&kit).join("yaneuraou/YaneuraOu"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut engine = Engine {
            input: process.stdin.take().unwrap(),
            process,
            output: Box::new(output.map(Result::unwrap)),
        };
        for (name, value) in [
            ("Threads", "1".to_owned()),
            ("USI_Hash", "1".to_owned()),
            ("BookDir", folder.display().to_string()),
            // Without this file it looks for one in the other format.
            ("BookFile", "user_book1.db".to_owned()),
            ("BookOnTheFly", on_the_fly.to_string()),
            ("IgnoreBookPly", "true".to_owned()),
            ("BookMoves", "10000".to_owned()),
            ("BookDepthLimit", "0".to_owned()),
            ("BookEvalDiff", "0".to_owned()),
            ("BookEvalBlackLimit", "-99999".to_owned()),
            ("BookEvalWhiteLimit", "-99999".to_owned()),
            ("BookPvMoves", "1".to_owned()),
        ] {
            engine.say(&format!("setoption name {name} value {value}"));
        }
        engine.say("isready");
        engine.hear("readyok");
        engine
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The lines up to one that begins with this word, which is the last.
    fn hear(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        for line in &mut self.output {
            let ends = line.starts_with(word);
            heard.push(line);
            if ends {
                return heard;
            }
        }
        panic!("the engine said no {word}: {heard:#?}");
    }

    /// The moves that it finds in the book, and the one that it plays.
    fn ask(&mut self, sfen: &str) -> (Vec<Known>, String) {
        self.say(&format!("position sfen {sfen}"));
        self.say("go depth 1");
        let mut heard = self.hear("bestmove");
        let played = heard.pop().unwrap();
        let mut known: Vec<Known> = Vec::new();
        for line in &heard {
            let words: Vec<&str> = line.split(' ').collect();
            let after = |word| {
                let place = words.iter().position(|&it| it == word)?;
                words.get(place + 1).copied()
            };
            // Afterwards it tells again what it plays.
            if after("multipv") == Some(&*(known.len() + 1).to_string()) {
                known.push(Known {
                    mv: after("pv").unwrap().to_owned(),
                    score: after("cp").map(|score| score.parse().unwrap()),
                    depth: after("depth").map(|depth| depth.parse().unwrap()),
                });
            }
        }
        (known, played.split(' ').nth(1).unwrap().to_owned())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Hand-made books, and published ones where they are.
fn books() -> Vec<PathBuf> {
    let by_hand = names().into_iter().map(|name| golden(&(name + ".db")));
    let folder = std::env::var_os("OBOOK_SHOGI").map(PathBuf::from);
    let folder = folder
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/shogi"));
    let published = [
        "HandicappedRook_user_book1.db",
        "HoneyWaffleWCSC28_user_book2.db",
    ];
    let published = published.map(|name| folder.join(name)).into_iter();
    by_hand
        .chain(published.filter(|file| file.exists()))
        .collect()
}

#[needs(yaneuraou)]
/// Law (Shogi): YaneuraOu finds an exported book's moves, scores and depths in order, and plays a best move, or with `--apart`
/// one that makes progress.
#[test]
fn yaneuraou_plays_the_moves_of_an_exported_book() {
    let folder = tempfile::tempdir().unwrap();
    let context = Context::new("test");
    for file in books() {
        let [text, path] = ["book.db", "book.obook"].map(|name| folder.path().join(name));
        // A book of counts alone would be exported as listed.
        let mut book = db::read(&fs::read(file).unwrap()).book;
        let moves = book.entries.iter_mut().flat_map(|entry| &mut entry.moves);
        moves.for_each(|listed| listed.count = None);
        fs::write(&text, db_file(&book)).unwrap();
        create(&[&text], &path, IfExists::Replace, &context).unwrap();
        let mut store = Store::open_for_writing(&SHOGI, &path, &context).unwrap();
        fix(&mut store).unwrap();
        for (scores, format) in [
            (Scores::Own, Format::Db),
            (Scores::Apart, Format::Db),
            (Scores::Own, Format::Ybb),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let book = folder.path().join(format!("user_book1.{format}"));
            let out = Output::File(book.clone(), IfExists::Replace);
            export(&store, &out, format, scores).unwrap();
            let (ours, _) = records(&store, scores).unwrap();
            for on_the_fly in [false, true] {
                let mut engine = Engine::start(folder.path(), on_the_fly);
                is_known(&ours, &mut engine, scores);
            }
        }
    }
}

/// Asks the engine about every position as it stands in the file, and turned.
fn is_known(book: &Book, engine: &mut Engine, scores: Scores) {
    for entry in book.entries.iter().filter(|entry| !entry.moves.is_empty()) {
        let best = entry.moves[0];
        for (side, board) in [
            (Colour::Black, entry.board),
            (Colour::White, entry.board.turned()),
        ] {
            let (known, played) = engine.ask(&board.to_string());
            assert_eq!(known.len(), entry.moves.len(), "{board}: {known:?}");
            for (known, ours) in known.iter().zip(&entry.moves) {
                let mv = ours.mv.seen_by(side).to_string();
                assert_eq!((&known.mv, known.depth), (&mv, ours.depth), "{board}");
                assert!(known.score.is_none_or(|score| Some(score) == ours.score));
            }
            let played = |ours: &&BookMove| ours.mv.seen_by(side).to_string() == played;
            let played = entry.moves.iter().find(played).unwrap();
            assert_eq!(played.score, best.score, "{board}");
            assert!(
                scores == Scores::Own || played.depth == best.depth,
                "{board}"
            );
        }
    }
}
