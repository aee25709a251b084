//! Reading games of the formats that are texts.

use crate::pieces::{Piece, Pieces};
use crate::{Entry, Error, Fault, Game, ggf, pgn, sgf, text, transcript};
use std::io::Read;
use std::sync::Arc;

/// How a text is cut into games, and what reads them.
#[derive(Debug)]
pub(crate) enum Language {
    Ggf,
    Sgf,
    Pgn(pgn::Games),
    Transcript,
}

/// A streaming reader of a text.
#[derive(Debug)]
pub(crate) struct TextReader<R> {
    pieces: Pieces<R>,
    language: Language,
}

impl<R: Read> TextReader<R> {
    pub(crate) fn new(input: R, file: Option<Arc<str>>, language: Language) -> TextReader<R> {
        TextReader {
            pieces: Pieces::new(input, file),
            language,
        }
    }

    pub(crate) fn next_entry(&mut self) -> Result<Option<Entry>, Error> {
        while let Some(piece) = self.next_piece()? {
            if let Some((game, faults)) = self.read(&piece) {
                let place = self.pieces.place(&piece);
                return Ok(Some(Entry {
                    game,
                    place,
                    faults,
                }));
            }
        }
        Ok(None)
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, Error> {
        match &mut self.language {
            Language::Ggf | Language::Sgf => self.pieces.next_tree(),
            Language::Pgn(games) => games.next_piece(&mut self.pieces),
            Language::Transcript => self.pieces.next_line(),
        }
    }

    /// The game of a piece; `None` where it is a remark.
    fn read(&self, piece: &Piece) -> Option<(Game, Vec<Fault>)> {
        let text = text::decode(&piece.bytes);
        match self.language {
            Language::Ggf => Some(ggf::read(&text)),
            Language::Sgf => Some(sgf::read(&text)),
            Language::Pgn(_) => Some(pgn::read(&text)),
            Language::Transcript => transcript::read(&text),
        }
    }
}
