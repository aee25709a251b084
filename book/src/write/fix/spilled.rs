//! A book on its way through temporary files, one for each number of empties: what does not fit in memory is read again layer
//! by layer.

use crate::sort::{pack, unpack};
use crate::{Error, Result};
use obook_converters::Position;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use tempfile::TempDir;

/// Numbers of empties that a board may have: 0 to 64.
const LAYERS: usize = 65;

/// Positions by their number of empties.
pub(super) struct Spilled {
    folder: TempDir,
    layers: Vec<Option<Layer>>,
    scratch: Vec<u8>,
}

struct Layer {
    path: PathBuf,
    file: BufWriter<File>,
    count: u64,
}

impl Layer {
    fn create(folder: &TempDir, empties: usize) -> Result<Layer> {
        let path = folder.path().join(empties.to_string());
        let file = File::create(&path).map_err(Error::io(&path, "create"))?;
        Ok(Layer {
            path,
            file: BufWriter::new(file),
            count: 0,
        })
    }
}

impl Spilled {
    pub(super) fn new() -> Result<Spilled> {
        let parent = std::env::temp_dir();
        let folder = TempDir::new().map_err(Error::io(&parent, "make a folder in"))?;
        Ok(Spilled {
            folder,
            layers: std::iter::repeat_with(|| None).take(LAYERS).collect(),
            scratch: Vec::new(),
        })
    }

    pub(super) fn push(&mut self, position: &Position, stale: bool) -> Result<()> {
        let empties = position.board.board().empties() as usize;
        let layer = match &mut self.layers[empties] {
            Some(layer) => layer,
            none => none.insert(Layer::create(&self.folder, empties)?),
        };
        self.scratch.clear();
        self.scratch.extend([0, 0, u8::from(stale)]);
        pack(position, &mut self.scratch);
        let len = u16::try_from(self.scratch.len() - 2).expect("a position takes less than 1 KiB");
        self.scratch[..2].copy_from_slice(&len.to_le_bytes());
        layer.count += 1;
        let written = layer.file.write_all(&self.scratch);
        written.map_err(Error::io(&layer.path, "write"))
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> u64 {
        self.layers.iter().flatten().map(|layer| layer.count).sum()
    }

    /// Every number of empties, from 0 up.
    pub(super) fn layers() -> std::ops::Range<usize> {
        0..LAYERS
    }

    /// The positions with so many empties, in the order in which they came.
    pub(super) fn read(
        &mut self,
        empties: usize,
        mut take: impl FnMut(Position, bool),
    ) -> Result<()> {
        let Some(layer) = &mut self.layers[empties] else {
            return Ok(());
        };
        let path = &layer.path;
        layer.file.flush().map_err(Error::io(path, "write"))?;
        let file = File::open(path).map_err(Error::io(path, "read"))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut bytes = Vec::new();
        for _ in 0..layer.count {
            let (position, stale) =
                read_one(&mut file, &mut bytes).map_err(Error::io(path, "read"))?;
            take(position, stale);
        }
        Ok(())
    }
}

fn read_one(file: &mut impl Read, bytes: &mut Vec<u8>) -> std::io::Result<(Position, bool)> {
    let mut len = [0; 2];
    file.read_exact(&mut len)?;
    bytes.resize(u16::from_le_bytes(len).into(), 0);
    file.read_exact(bytes)?;
    Ok((unpack(&bytes[1..]).0, bytes[0] != 0))
}
