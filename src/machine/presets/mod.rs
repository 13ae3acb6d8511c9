//! Presets: machines that ship with the command, each a file that scenarios include as `preset:NAME`.
//!
//! The comment on the line of each number states that it is published, with the source, or assumed.

use crate::config::Preset;

macro_rules! presets {
    ($($name:literal),* $(,)?) => { [$(Preset { name: $name, text: include_str!(concat!($name, ".toml")) }),*] };
}

/// Every preset, in the order of their names.
pub static PRESETS: [Preset; 11] = presets![
    "blue-gene-q-512",
    "dgx-a100",
    "dgx-h100",
    "ibm-sp-128",
    "infiniband-ndr-128",
    "mesh-8x8",
    "slingshot-256",
    "tofu-d-384",
    "tpu-v4-64",
    "tpu-v5e-256",
    "wormhole-b0",
];
