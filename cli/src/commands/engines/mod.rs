//! `obook engines`: the known engines, and tests of their answers.

mod list;
mod test;

subcommands! {
    /// List and test the engines that --engine can name
    #[command(after_help = "Examples:\n  \
        obook engines list\n  \
        obook engines test edax\n  \
        obook engines test 'nboard:ntest x' --json\n\n\
    Engines are named in engines.toml, in the folder obook of your settings (on Linux ~/.config/obook/engines.toml), or in the file \
    that OBOOK_ENGINES names. `obook engines list` shows the path. For example:\n\n  \
        [edax]\n  \
        command = \"./edax -nboard -q -n 1 -h 18 -book-usage off\"\n  \
        folder = \"~/games/edax\"\n\n  \
        [egaroucid]\n  \
        command = \"./Egaroucid_for_Console.out -nobook -q -t 1 -hash 16\"\n  \
        folder = \"~/games/egaroucid\"\n\n  \
        [tiny]\n  \
        command = [\"/home/me/tiny\", \"--nboard\"]\n  \
        protocol = \"nboard\"\n  \
        engine = \"tiny 1.0\"\n  \
        scale = \"edax\"\n  \
        place = \"below edax\"\n  \
        patience = \"30m\"\n\n  \
        [yaneuraou]\n  \
        command = \"./YaneuraOu\"\n  \
        protocol = \"usi\"\n  \
        folder = \"~/games/yaneuraou\"\n  \
        options = { USI_Hash = 64, Threads = 1 }\n\n\
    protocol is nboard, egaroucid, edax-book (Edax's console without -nboard), or usi for shogi; it can be left out if the command shows it. \
    folder is where the engine runs and keeps its files. engine is the name under which its searches are stored; by default edax or \
    egaroucid for a program of this name, else the entry's. Of an engine that obook doesn't know, scale names the engine whose \
    levels it uses, and place puts it above or below a known one; otherwise no merge prefers its searches. patience is how long one answer \
    may take. options are those of an engine for shogi.")]
    struct Arguments;
    List list,
    Test test,
}
