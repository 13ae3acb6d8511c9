//! The `flitwise` command; everything it does is in the library, but for talking to people.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
