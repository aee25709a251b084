//! What a line may lose.

/// What may still be lost below a position, in discs; less than 0 where no line leads there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Budget(i32);

impl Default for Budget {
    fn default() -> Budget {
        Budget::NOT_REACHED
    }
}

impl Budget {
    pub(crate) const NOT_REACHED: Budget = Budget(-1);

    /// A limit; `None`: more than the losses of any line take up.
    pub(crate) fn new(limit: Option<u16>) -> Budget {
        Budget(limit.map_or(i32::MAX, i32::from))
    }

    pub(crate) fn is_reached(self) -> bool {
        self >= Budget(0)
    }

    /// Whether a move may lose so much.
    pub(crate) fn allows(self, loss: i32) -> bool {
        self.is_reached() && loss <= self.0
    }

    /// What is left after a move that loses so much, which is more than `per_move` perhaps. A gain gives nothing back.
    pub(crate) fn after(self, loss: i32, per_move: Budget) -> Budget {
        match self.allows(loss) && per_move.allows(loss) {
            true => Budget(self.0 - loss.max(0)),
            false => Budget::NOT_REACHED,
        }
    }

    /// In discs, where it is a limit.
    pub(crate) fn limit(self) -> Option<u16> {
        u16::try_from(self.0).ok()
    }
}
