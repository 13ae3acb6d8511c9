//! Energy, static power and area of routers and channels.
//!
//! Texts such as `40.4fJ/bit/mm` are read as an [`Energy`] or a [`Power`]. An [`EnergyModel`] combines those of a scenario with
//! an [`EnergyPreset`], and returns the constants of each router and channel as integers of attojoules. The constants are independent of
//! networks and workloads. Counts of events belong to the outcome of a run.

mod booksim;
mod constants;
mod dsent;
mod exact;
mod floonoc;
mod links;
mod model;
mod noxim;
mod presets;
mod quantity;

pub use constants::{ChannelConstants, CrossbarEnergy, PortPairs, Ports, RouterConstants, StaticPower, area_text};
pub use exact::ExactDecimal;
pub use links::{NAMED_LINKS, NamedLink};
pub use model::{EnergyKeys, EnergyModel};
pub use presets::{DesignPoint, ENERGY_PRESETS, EnergyPreset, PresetError};
pub use quantity::{ElementLength, Energy, Micrometres, Power, QuantityError, QuantityKind, energy_text};

/// An energy in attojoules: 10^-18 J.
pub type Attojoules = u128;

/// An area in square nanometres: 10^-12 mm².
pub type SquareNanometres = u128;
