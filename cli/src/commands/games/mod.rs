//! `obook games`: games in a database of their own or beside a book.

pub(crate) mod at;
mod export;
mod import;
pub(crate) mod list;
pub(crate) mod remove;
mod show;
pub(crate) mod stats;

subcommands! {
    /// Import, find, count, export and remove games
    #[command(after_help = "Examples:\n  \
        obook games import wthor/*.wtb --book games.obook\n  \
        obook games stats games.obook\n  \
        obook games at games.obook f5d6c3\n  \
        obook games list games.obook --player tastet --since 2000\n\n\
        docs/games.md describes the formats and the tables.")]
    struct Arguments;
    Import import,
    List list,
    Show show,
    Export export,
    Stats stats,
    At at,
    Remove remove,
}
