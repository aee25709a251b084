//! Positions by their number of empties, in temporary files: what does not fit in memory is read again layer by layer.

use super::Result;
use super::record::pack;
use super::spill::Spill;
use obook_model::Position;

/// Numbers of empties that a board may have: 0 to 64.
const LAYERS: usize = 65;

/// Bytes that are written in one piece.
const BLOCK: usize = 1 << 16;

/// A book in layers.
#[derive(Default)]
pub struct Layers {
    /// By number of empties.
    layers: Vec<Layer>,
}

#[derive(Default)]
struct Layer {
    spill: Option<Spill>,
    /// What comes behind that.
    block: Vec<u8>,
    count: u64,
}

impl Layers {
    /// Every number of empties, from 0 up.
    pub fn all() -> std::ops::Range<usize> {
        0..LAYERS
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.layers.iter().map(|layer| layer.count).sum()
    }

    /// # Errors
    /// [`Error`](super::Error) where a temporary file can't be written.
    pub fn push(&mut self, position: &Position) -> Result<()> {
        if self.layers.is_empty() {
            self.layers.resize_with(LAYERS, Layer::default);
        }
        let layer = &mut self.layers[position.board.board().empties() as usize];
        pack(position, &mut layer.block);
        layer.count += 1;
        if layer.block.len() >= BLOCK {
            layer.flush()?;
        }
        Ok(())
    }

    /// The positions with so many empties, in the order in which they came.
    ///
    /// # Errors
    /// [`Error`](super::Error) where a temporary file can't be written or read.
    pub fn read(&mut self, empties: usize) -> Result<impl Iterator<Item = Result<Position>>> {
        let layer = self.layers.get_mut(empties);
        let reader = layer.map(Layer::read).transpose()?;
        Ok(reader.flatten().into_iter().flatten())
    }
}

impl Layer {
    fn flush(&mut self) -> Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::create()?),
        };
        spill.write(&self.block)?;
        self.block.clear();
        Ok(())
    }

    fn read(&mut self) -> Result<Option<super::spill::Reader<'_>>> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        Ok(self.spill.as_ref().map(Spill::read))
    }
}
