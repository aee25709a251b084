//! Why there is no explanation.

use obook_othello::CanonicalBoard;

/// Why there is no explanation.
#[derive(Debug, thiserror::Error)]
pub enum Unexplained<E> {
    /// The book can't be read.
    #[error(transparent)]
    Read(E),
    /// The book does not hold the position that was asked for.
    #[error("the book does not hold {}", .0.board().to_text())]
    Absent(CanonicalBoard),
    /// The book says of a position no value.
    #[error("{}: the book says no value of it", .0.board().to_text())]
    NoValue(CanonicalBoard),
    /// A link is worth something else than the position that it leads to, or leads nowhere.
    #[error(
        "{}: by a link to it it is worth {linked:+}, and it is {}",
        .board.board().to_text(),
        .value.map_or(String::from("not in the book"), |value| format!("worth {value:+}"))
    )]
    BadLink {
        /// The position that it leads to.
        board: CanonicalBoard,
        /// What it should be worth to its side to move.
        linked: i16,
        /// What the book says that it is worth.
        value: Option<i16>,
    },
    /// A value is not the best of what lies below it.
    #[error(
        "{}: its value is {value:+}, and that of its best move {best:+}",
        .board.board().to_text()
    )]
    DoesNotFollow {
        /// The position.
        board: CanonicalBoard,
        /// What the book says that it is worth.
        value: i16,
        /// What it is worth by its moves.
        best: i16,
    },
}
