//! `obook shogi rate`: ratings of positions from games alone.

use crate::commands::rate::store;
use crate::commands::subcommands;
use obook_shogi::database::ratings::store_ratings;

subcommands! {
    /// Rate positions by games alone
    #[command(after_help = "Examples:\n  \
        obook shogi rate store games.obook\n\n\
        The ratings are the three evaluations of Nakaike, Iida and Kotani; docs/research/ratings.md explains them.")]
    struct Arguments;
    #[command(after_help = "Examples:\n  \
        obook shogi rate store games.obook\n  \
        obook shogi rate store games.obook --method expectation1 --min-games 16\n  \
        obook shogi query games.obook \"SELECT method, value FROM ratings WHERE board = board('7g7f')\"\n\n\
        Ratings go from 0 (lost) to 1 (won) for the side to move. A position is rated once for each number of moves before it, by the \
        games that had it then. They replace the contents of table ratings; a book's scores don't change. `obook undo` takes them back.")]
    Store store = |it| store::run_with(it, super::open_for_writing, store_ratings),
}
