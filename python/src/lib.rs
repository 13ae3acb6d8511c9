//! The part of the Python module `flitwise` that is compiled: scenarios, runs, messages, measurements.
//!
//! What is pleasant about the module is Python (`python/flitwise`); this crate turns what the library has into numbers,
//! texts and arrays, work into something that Ctrl-C ends, and errors into exceptions. It refuses to know how anything is
//! shown.
#![forbid(unsafe_code)]

mod columns;
mod errors;
mod measurements;
mod patience;
mod pictures;
mod room;
mod run;
mod scenario;
mod simulate;
mod words;

use pyo3::prelude::*;

/// Rows of short runs allocate often, and little at a time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `flitwise` is made of.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::measurements::{fit, forecast};
    #[pymodule_export]
    use crate::pictures::picture;
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::Scenario;
    #[pymodule_export]
    use crate::simulate::simulate;
    #[pymodule_export]
    use crate::words::{algorithms, guide, guides, keys};

    /// The version of flitwise.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The scenario that runs when none is given.
    #[pymodule_export]
    const DEFAULT: &str = flitwise::scenario::DEFAULT;
}
