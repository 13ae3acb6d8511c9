//! The `flitwise` command; everything it does is in the library, but for talking to people.
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

/// Rows of short runs allocate often, and little at a time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
