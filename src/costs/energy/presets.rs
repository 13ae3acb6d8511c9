//! Energy presets: published or computed constants of routers and channels.
//!
//! A preset is registered by one line of [`ENERGY_PRESETS`]. Its file has the constants, their source, and the design points for
//! which they exist.

use super::model::ChannelKind;
use super::{Attojoules, ChannelConstants, Micrometres, Ports, RouterConstants, booksim, dsent, floonoc, noxim};
use std::fmt;

/// The numbers of a scenario that constants of a preset depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesignPoint {
    /// Bits of a flit, at least 1.
    pub flit_bits: u32,
    /// Virtual channels of a port, at least 1.
    pub virtual_channels: u64,
    /// Flits that the buffer of a virtual channel holds.
    pub buffer: u64,
    /// The length of links between routers whose class has no length of its own.
    pub link_length: Micrometres,
    /// The length of injection and ejection channels.
    pub node_link_length: Micrometres,
}

/// A set of constants with a name.
pub struct EnergyPreset {
    /// The name in scenarios.
    pub name: &'static str,
    /// One line: tool or chip, and technology.
    pub title: &'static str,
    /// The source of the constants.
    pub source: &'static str,
    /// The design point of constants that do not follow the scenario, for the note below a table. It is empty if all
    /// follow it.
    pub fixed_point: &'static str,
    /// The default length of links, injection and ejection channels.
    pub default_length: Micrometres,
    /// Design points to list.
    pub examples: &'static [DesignPoint],
    /// Lengths of links to list.
    pub lengths: &'static [Micrometres],
    pub(super) build: fn(&DesignPoint) -> Result<Box<dyn ElementConstants>, PresetError>,
}

/// All presets.
pub static ENERGY_PRESETS: [EnergyPreset; 7] = [
    noxim::NOXIM_45,
    booksim::BOOKSIM_32,
    dsent::DSENT_45,
    dsent::DSENT_32,
    dsent::DSENT_22,
    dsent::DSENT_11,
    floonoc::FLOONOC_12,
];

impl EnergyPreset {
    /// Returns the preset of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ENERGY_PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Returns the constants at a design point.
    pub(super) fn elements(&self, point: &DesignPoint) -> Result<Box<dyn ElementConstants>, PresetError> {
        (self.build)(point)
    }
}

impl fmt::Debug for EnergyPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EnergyPreset").field(&self.name).finish()
    }
}

/// The constants of a preset at one design point.
pub(super) trait ElementConstants: fmt::Debug + Send + Sync {
    /// Returns the constants of a router with these numbers of ports.
    fn router(&self, ports: Ports) -> RouterConstants;

    /// Returns the constants of a channel.
    ///
    /// # Errors
    /// Returns an error if there are none for its length.
    fn channel(&self, request: &ChannelRequest) -> Result<ChannelConstants, PresetError>;
}

/// A channel whose constants are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelRequest {
    pub(super) kind: ChannelKind,
    pub(super) length: Micrometres,
    /// The energy of a flit if a key sets it. A preset that has none for the length is then not an error.
    pub(super) flit: Option<Attojoules>,
}

/// The reason why a preset has no constants for a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PresetError {
    /// It has none for flits of this width.
    #[error("energy preset `{preset}` has no constants for flits of {}; accepted: {}", counted(*flit_bits, "bit"), list(accepted))]
    Width {
        /// The name of the preset.
        preset: &'static str,
        /// Bits of a flit of the scenario.
        flit_bits: u32,
        /// The accepted numbers of bits.
        accepted: Vec<u32>,
    },
    /// It has none for buffers of this depth.
    #[error(
        "energy preset `{preset}` has no constants for a buffer of {} of {}; accepted: {}",
        counted(*buffer, "flit"),
        counted(*flit_bits, "bit"),
        list(accepted)
    )]
    Buffer {
        /// The name of the preset.
        preset: &'static str,
        /// Bits of a flit.
        flit_bits: u32,
        /// The buffer of a virtual channel of the scenario, in flits.
        buffer: u64,
        /// The accepted depths for these flits.
        accepted: Vec<u64>,
    },
    /// It has none for links of this length.
    #[error("energy preset `{preset}` has no energy of a link of {length}; accepted: {}", list(accepted))]
    Length {
        /// The name of the preset.
        preset: &'static str,
        /// The length of the link.
        length: Micrometres,
        /// The accepted lengths.
        accepted: Vec<Micrometres>,
    },
    /// No wire of this length meets the clock of the preset.
    #[error("energy preset `{preset}` has no wire of {length} that meets its clock; accepted: up to {longest}")]
    TooLong {
        /// The name of the preset.
        preset: &'static str,
        /// The length of the channel.
        length: Micrometres,
        /// The largest length.
        longest: Micrometres,
    },
}

impl PresetError {
    /// The key of the scenario that has the value without constants. The length of a class of links is a key of the class.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Width { .. } => "channel.flit_bits",
            Self::Buffer { .. } => "channel.buffer",
            Self::Length { .. } | Self::TooLong { .. } => "energy.link_mm",
        }
    }
}

/// Returns a number with its noun: `1 flit`, `2 flits`.
fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Joins values with commas: `64, 128`.
fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_its_examples() {
        for preset in &ENERGY_PRESETS {
            for point in preset.examples {
                let elements = preset.elements(point).unwrap();
                for length in preset.lengths {
                    let request = ChannelRequest { kind: ChannelKind::Link, length: *length, flit: None };
                    assert!(elements.channel(&request).unwrap().flit > 0, "{}", preset.name);
                }
            }
            assert!(!preset.examples.is_empty() && !preset.lengths.is_empty(), "{}", preset.name);
            assert_eq!(EnergyPreset::by_name(preset.name).map(|found| found.title), Some(preset.title));
        }
        assert!(EnergyPreset::by_name("dsent-7").is_none());
    }
}
