//! The energies of a machine: the constants of `[energy]` for its routers and channels, and the numbers of these.
//!
//! Events of runs are counted elsewhere ([`crate::kind`]).

mod keys;
mod machine;
mod ports;
mod read;

pub(crate) use keys::ENERGY;
pub use machine::{EnergyScale, Group, MachineEnergy, Standby};
pub use ports::PortNumbers;
pub(crate) use read::{EnergyParts, read};
