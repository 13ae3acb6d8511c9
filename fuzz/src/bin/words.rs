//! The fuzzer of arguments and values.
#![no_main]

#[path = "../engine.rs"]
mod engine;
#[path = "../../../tests/readers/mod.rs"]
#[allow(dead_code, reason = "other fuzzers have the other targets")]
mod readers;
#[path = "../seeds.rs"]
mod seeds;

libfuzzer_sys::fuzz_target!(
    init: engine::begin(readers::words::TARGETS),
    |data: &[u8]| engine::one(data)
);
