//! The fuzzer of operations of ranks.
#![no_main]

#[path = "../engine.rs"]
mod engine;
#[path = "../../../tests/readers/mod.rs"]
#[allow(dead_code, reason = "other fuzzers have the other targets")]
mod readers;
#[path = "../seeds.rs"]
mod seeds;

libfuzzer_sys::fuzz_target!(
    init: engine::begin(readers::operations::TARGETS),
    |data: &[u8]| engine::one(data)
);
