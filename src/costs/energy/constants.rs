//! Energies, powers and areas of routers and channels: what the accounting of a run multiplies with its counts.

use super::quantity::{decimal_text, power_text};
use super::{Attojoules, ExactDecimal, SquareNanometres};
use crate::units::Ticks;

/// The constants of one router.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterConstants {
    /// Energy of a flit that is written into an input buffer.
    pub buffer_write: Attojoules,
    /// Energy of a flit that is read from an input buffer.
    pub buffer_read: Attojoules,
    /// Energy of a flit that crosses the switch.
    pub crossbar: CrossbarEnergy,
    /// Energy of the switch allocation of a flit.
    pub arbitrate: Attojoules,
    /// Energy of the route computation of a head flit.
    pub route: Attojoules,
    /// Energy of the combination of two flits, where a tree of packets joins.
    pub combine: Attojoules,
    /// Energy of the clock in one cycle.
    pub clock: Attojoules,
    /// Static power.
    pub static_power: StaticPower,
    /// The area, if the preset has one.
    pub area: Option<SquareNanometres>,
}

/// The constants of one channel: a link between routers, an injection or an ejection channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelConstants {
    /// Energy of a flit.
    pub flit: Attojoules,
    /// Energy of the clock in one cycle.
    pub clock: Attojoules,
    /// Static power.
    pub static_power: StaticPower,
    /// The area, or 0 if the preset has none for channels.
    pub area: SquareNanometres,
}

/// The energy of a flit that crosses the switch of a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrossbarEnergy {
    /// One energy for all pairs of ports.
    Uniform(Attojoules),
    /// An energy for each pair of an input and an output port.
    PortPairs(PortPairs),
}

impl CrossbarEnergy {
    /// Returns the energy of a flit from port `input` to port `output`.
    pub const fn attojoules(&self, input: usize, output: usize) -> Attojoules {
        match self {
            Self::Uniform(energy) => *energy,
            Self::PortPairs(pairs) => pairs.attojoules(input, output),
        }
    }
}

impl Default for CrossbarEnergy {
    fn default() -> Self {
        Self::Uniform(0)
    }
}

/// Energies of a crossbar whose wires are driven for half of their length if a port is in the near half of its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPairs {
    /// Numbers of input and output ports.
    pub(super) ports: Ports,
    /// The energies by the half of the input, then the half of the output: near, far.
    pub(super) energies: [[Attojoules; 2]; 2],
}

impl PortPairs {
    /// Returns the energy of a flit from port `input` to port `output`.
    pub const fn attojoules(&self, input: usize, output: usize) -> Attojoules {
        self.energies[half(input, self.ports.inputs)][half(output, self.ports.outputs)]
    }
}

/// Returns 0 if port `port` is in the near half of `count` ports, else 1. The middle port of an odd number is near.
pub(super) const fn half(port: usize, count: usize) -> usize {
    (2 * port >= count) as usize
}

/// Numbers of ports of a router, links and nodes alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The number of input ports.
    pub inputs: usize,
    /// The number of output ports.
    pub outputs: usize,
}

/// The static power of one element, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticPower(ExactDecimal);

impl StaticPower {
    /// No power.
    pub const ZERO: Self = Self(ExactDecimal::ZERO);

    /// Creates a power from a number of attowatts.
    pub const fn from_attowatts(attowatts: ExactDecimal) -> Self {
        Self(attowatts)
    }

    /// True if it is 0.
    pub const fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Returns the energy of `ticks` ticks of `tick` picoseconds each, rounded to attojoules once, halves up, or `None` if it
    /// exceeds 128 bits.
    pub fn energy(self, ticks: Ticks, tick: ExactDecimal) -> Option<Attojoules> {
        // 1 aW for 1 ps is 10^-12 aJ
        let exponent = tick.exponent().saturating_sub(12);
        self.0.rounded_product(&[ticks.0.into(), tick.digits()], exponent)
    }

    /// The power as the text of a key, exact, such as `8.882619mW`.
    pub fn text(self) -> String {
        power_text(self.0)
    }
}

/// Returns an area in square millimetres, exact, without zeros at the end: `0.031869`.
pub fn area_text(area: SquareNanometres) -> String {
    decimal_text(area, 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_port_of_an_odd_number_is_near() {
        assert_eq!([0, 1, 2, 3, 4].map(|port| half(port, 5)), [0, 0, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3].map(|port| half(port, 4)), [0, 0, 1, 1]);
        assert_eq!(half(0, 1), 0);
    }

    #[test]
    fn pairs_of_ports_have_their_energy() {
        let ports = Ports { inputs: 3, outputs: 4 };
        let pairs = CrossbarEnergy::PortPairs(PortPairs { ports, energies: [[1, 2], [3, 4]] });
        assert_eq!([(0, 0), (1, 1), (1, 2), (2, 1), (2, 3)].map(|(i, o)| pairs.attojoules(i, o)), [1, 1, 2, 3, 4]);
        assert_eq!(CrossbarEnergy::Uniform(9).attojoules(7, 7), 9);
    }

    #[test]
    fn too_large_static_energy_is_none() {
        let kilowatt = StaticPower::from_attowatts(ExactDecimal::with_exponent(1, 21));
        assert_eq!(kilowatt.energy(Ticks(u64::MAX), ExactDecimal::with_exponent(1, 12)), None);
        assert_eq!(StaticPower::ZERO.energy(Ticks(u64::MAX), ExactDecimal::with_exponent(1, 12)), Some(0));
    }

    #[test]
    fn areas_are_exact() {
        assert_eq!(area_text(31_869_000_000), "0.031869");
        assert_eq!([0, 1, 1_000_000_000_000].map(area_text), ["0", "0.000000000001", "1"]);
    }
}
