//! How much memory there is, and how much of it may be taken.

use clap::Args;
use flitwise::memory::{Limit, size};

/// What the program itself takes, its threads included, in bytes.
pub(super) const PROGRAM: u64 = 9 << 20;

/// What rows of the same thread leave behind for each other at most, in bytes.
pub(super) const LEFT_OVER: u64 = 12 << 20;

/// The option of all subcommands that plan or run rows.
#[derive(Args, Clone, Copy, Default)]
pub(super) struct Memory {
    /// Memory limit, such as 8G. Fewer rows run at once, and a row above the limit is an error [default: available memory]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    memory: Option<u64>,
}

impl Memory {
    /// What may be taken: what the command line allows, or less if there is less.
    pub(super) fn limit(self) -> Limit {
        Limit::within_available(self.memory.map(|bytes| Limit { bytes, why: "allowed by --memory" }))
    }
}
