//! The languages that engines speak.

use obook_model::Engine;
use std::fmt;

/// How an engine outside is spoken to.
///
/// ```
/// use obook_engine::Protocol;
/// assert_eq!(Protocol::from_name("nboard"), Some(Protocol::NBoard));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// NBoard's, which Edax, ntest and others speak.
    NBoard,
    /// Egaroucid's console.
    Egaroucid,
    /// Edax's console, which is given books of many positions and deepens them.
    EdaxBook,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Protocol::NBoard, Protocol::Egaroucid, Protocol::EdaxBook];

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::NBoard => "nboard",
            Protocol::Egaroucid => "egaroucid",
            Protocol::EdaxBook => "edax-book",
        }
    }

    /// The protocol of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Protocol> {
        Protocol::ALL
            .into_iter()
            .find(|protocol| protocol.name() == name)
    }

    /// On whose scale levels are, where nothing else is said.
    #[must_use]
    pub const fn scale(self) -> Engine {
        match self {
            Protocol::NBoard | Protocol::EdaxBook => Engine::Edax,
            Protocol::Egaroucid => Engine::Egaroucid,
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
