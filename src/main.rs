//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    obook::cli::main()
}
