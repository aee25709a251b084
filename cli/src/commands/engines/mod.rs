//! `obook engines`: the known engines, and tests of their answers.

mod list;
mod test;

/// List and test the engines that --engine can name
#[derive(Debug, clap::Args)]
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
    [ntest]\n  \
    command = [\"/opt/ntest/ntest\", \"x\"]\n  \
    protocol = \"nboard\"\n  \
    scale = \"edax\"\n  \
    patience = \"30m\"\n\n\
protocol is nboard, egaroucid or edax-book (Edax's console without -nboard); it can be left out if the command shows it. \
folder is where the engine runs and keeps its files. scale names the engine whose levels it uses. patience is how long one \
answer may take.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    List list,
    Test test,
}
