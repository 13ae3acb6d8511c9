//! The preset `booksim-32`: the power module of BookSim 2, for any width, depth, number of ports and length.
//!
//! Everything is switched capacitance: energy is capacitance × voltage², halved where a wire only changes level. Sizes are in
//! pitches of the metal, so that wires of a crossbar grow with its ports and bits. A channel is a wire with flip-flops and
//! repeaters whose number and size a search selects. BookSim 2 reports powers at its own clock of 20 FO4; an energy here is such
//! a power divided by that clock, so that a run keeps its own time.
//!
//! - A wordline, two predecoders and all bitlines switch for each access of a buffer. BookSim 2 adds to each write a term that
//!   it forgets to multiply with the clock; it is below an attojoule and left out, so that a write costs as much as a read.
//! - The energy of a crossbar includes control, the output flip-flops and their control.
//! - The leakage of a crossbar lacks the voltage in BookSim 2, and does here.
//!
//! Source: BookSim 2, commit 28f4329, `src/power/power_module.cpp` (class `Power_Module`; the function is named at each
//! formula) and `src/power/techfile.txt` (ITRS 2007, 32 nm, 70 °C), BSD licence, Stanford University.

use super::constants::PortPairs;
use super::presets::{ChannelRequest, ElementConstants};
use super::{
    Attojoules, ChannelConstants, CrossbarEnergy, DesignPoint, EnergyPreset, ExactDecimal, Micrometres, Ports,
    PresetError, RouterConstants, SquareNanometres, StaticPower,
};

const NAME: &str = "booksim-32";
const LENGTH: Micrometres = Micrometres::new(2000);

pub(super) const BOOKSIM_32: EnergyPreset = EnergyPreset {
    name: NAME,
    title: "BookSim 2, 32 nm, computed for width, buffers, ports and length",
    source: "BookSim 2 (28f4329, src/power/power_module.cpp, techfile.txt)",
    fixed_point: "",
    default_length: LENGTH,
    examples: &[DesignPoint {
        flit_bits: 128,
        virtual_channels: 2,
        buffer: 4,
        link_length: LENGTH,
        node_link_length: LENGTH,
    }],
    lengths: &[Micrometres::new(1000), LENGTH, Micrometres::new(4000)],
    build: |point| Ok(Box::new(BookSim::new(point))),
};

/// The technology: lengths in mm, widths of devices in µm, capacitances in F, currents in A.
mod technology {
    /// Supply voltage, in V.
    pub(super) const VOLTAGE: f64 = 0.9;
    /// Pitch of the metal layer.
    pub(super) const PITCH: f64 = 0.000_080;
    /// Pitch of the wires of channels and crossbars.
    pub(super) const WIRE_PITCH: f64 = 2.0 * PITCH;
    /// Half the minimum feature size, in µm.
    pub(super) const LAMBDA: f64 = 0.016;
    /// Resistance of an inverter of unit size, in ohms.
    pub(super) const RESISTANCE: f64 = 606.321;
    /// Resistance of a wire, in ohms per mm.
    pub(super) const WIRE_RESISTANCE: f64 = 0.720_044;
    const WIRE_COUPLING: f64 = 0.000_000_000_000_267_339;
    const WIRE_GROUND: f64 = 0.000_000_000_000_267_339;
    /// Capacitance of a wire per mm, to its neighbours and to the layers above and below.
    pub(super) const WIRE: f64 = 2.0 * WIRE_COUPLING + 2.0 * WIRE_GROUND;
    /// Capacitances of gates and drains per µm.
    pub(super) const GATE: f64 = 0.000_000_000_000_000_534;
    pub(super) const DRAIN: f64 = 0.000_000_000_000_000_267;
    const GATE_DRAIN_OVERLAP: f64 = 0.000_000_000_000_000_106_8;
    /// Input and output of an inverter of unit size, for power.
    pub(super) const INPUT: f64 = 3.0 * GATE;
    pub(super) const OUTPUT: f64 = 3.0 * DRAIN;
    /// Input of an inverter of unit size, for delay.
    pub(super) const DELAY_INPUT: f64 = 3.0 * (GATE + GATE_DRAIN_OVERLAP);
    pub(super) const DELAY_OUTPUT: f64 = OUTPUT;
    /// The cycle: 20 delays of an inverter that drives four of its kind, in seconds.
    pub(super) const CYCLE: f64 = 20.0 * (RESISTANCE * (3.0 * DRAIN + 12.0 * GATE + 12.0 * GATE_DRAIN_OVERLAP));
    /// Leakage of an inverter of unit size: its n transistor, and its p transistor of twice the width, half of the time each.
    pub(super) const INVERTER_LEAKAGE: f64 = 0.5 * (0.000_001_02 + 2.0 * 0.000_001_02);
    /// Leakage of a memory cell.
    pub(super) const CELL_LEAKAGE: f64 = 0.000_000_32;
    /// Height and width of cells in pitches: inverter, flip-flop, memory cell.
    pub(super) const INVERTER: (f64, f64) = (8.0, 3.0);
    pub(super) const FLIP_FLOP: (f64, f64) = (8.0, 16.0);
    pub(super) const MEMORY_CELL: (f64, f64) = (8.0, 6.0);
}

use technology::{
    CELL_LEAKAGE, CYCLE, DELAY_INPUT, DELAY_OUTPUT, DRAIN, FLIP_FLOP, GATE, INPUT, INVERTER, INVERTER_LEAKAGE, LAMBDA,
    MEMORY_CELL, OUTPUT, PITCH, RESISTANCE, VOLTAGE, WIRE, WIRE_PITCH, WIRE_RESISTANCE,
};

/// Energy of a capacitance that is charged and discharged.
const SWING: f64 = VOLTAGE * VOLTAGE;

/// Tapered drivers: capacitance per capacitance that they drive.
const DELAY_DRIVER: f64 = 5.0 / 16.0 * (1.0 + DELAY_OUTPUT / DELAY_INPUT);

/// The longest wire that the search finds.
const LONGEST: Micrometres = Micrometres::new(48_188);

/// Constants of elements for flits of one width and buffers of one depth.
#[derive(Debug)]
struct BookSim {
    /// Bits of a flit.
    bits: f64,
    /// Flits of the buffer of an input port.
    depth: f64,
}

impl BookSim {
    #[expect(clippy::cast_precision_loss, reason = "a buffer of 2^53 flits is beyond any router")]
    fn new(point: &DesignPoint) -> Self {
        let depth = point.virtual_channels.saturating_mul(point.buffer);
        Self { bits: point.flit_bits.into(), depth: depth as f64 }
    }

    /// Energy of a flit that is written or read (`powerWordLine`, `powerMemoryBitRead`).
    fn buffer_access(&self) -> f64 {
        let driver = 1.0 + OUTPUT / INPUT;
        let word_cell = 2.0 * (4.0 * LAMBDA) * GATE + 6.0 * PITCH * WIRE;
        let decoder = 1.0 + 5.0 / 16.0 * driver;
        // as in the source, which multiplies two capacitances here: a vanishing value
        let predecode = decoder * (WIRE * (8.0 * PITCH + self.depth) * INPUT);
        let decode = decoder * (self.bits * word_cell);
        let height = WIRE * (6.0 * self.bits * PITCH);
        let precharge_and_enable = 1.25 * driver * (2.0 * height + 5.0 * self.bits * INPUT);
        let bit_cell = 4.0 * LAMBDA * DRAIN + 8.0 * PITCH * WIRE;
        let bit_lines = self.depth * bit_cell * self.bits;
        (precharge_and_enable + 2.0 * predecode + decode + bit_lines) * SWING
    }

    /// Leakage of an input buffer, in W (`powerMemoryBitLeak`).
    fn buffer_leakage(&self) -> f64 {
        self.depth * CELL_LEAKAGE * VOLTAGE * self.bits
    }

    /// Energy of a flit in output flip-flops, their control and the control of the crossbar (`powerWireDFF`,
    /// `powerOutputCtrl`).
    fn output(&self) -> f64 {
        let enable = (1.0 + 5.0 / 16.0) * (1.0 + OUTPUT / INPUT);
        let control = enable * (self.bits * WIRE_PITCH * WIRE + self.bits * INPUT) * SWING;
        flip_flops(1.0, self.bits, 1.0) + control
    }

    /// Area of a router without its channels, in mm² (`areaCrossbar`, `areaInputModule`, `areaOutputModule`).
    fn router_area(&self, switch: &Switch) -> f64 {
        let crossbar = switch.row_wires * switch.column_wires;
        let cells = switch.inputs * (self.bits * MEMORY_CELL.0) * (self.depth * MEMORY_CELL.1);
        let registers = self.bits * switch.outputs * FLIP_FLOP.0 * FLIP_FLOP.1;
        crossbar + (cells + registers) * PITCH * PITCH
    }
}

impl ElementConstants for BookSim {
    fn router(&self, ports: Ports) -> RouterConstants {
        let switch = Switch::new(self.bits, ports);
        let access = attojoules(self.buffer_access());
        let shared = switch.control() + self.output();
        let energies =
            [0, 1].map(|input| [0, 1].map(|output| attojoules(switch.data(input, output) * self.bits + shared)));
        let leakage = switch.inputs * self.buffer_leakage() + switch.leakage();
        RouterConstants {
            buffer_write: access,
            buffer_read: access,
            crossbar: CrossbarEnergy::PortPairs(PortPairs { ports, energies }),
            arbitrate: 0,
            route: 0,
            combine: 0,
            clock: attojoules(switch.outputs * clock_wires(1.0, self.bits)),
            static_power: static_power(leakage),
            area: Some(square_nanometres(self.router_area(&switch))),
        }
    }

    fn channel(&self, request: &ChannelRequest) -> Result<ChannelConstants, PresetError> {
        let error = PresetError::TooLong { preset: NAME, length: request.length, longest: LONGEST };
        let wire = RepeatedWire::optimal(request.length.millimetres()).ok_or(error)?;
        Ok(ChannelConstants {
            flit: attojoules(wire.bit_energy() * self.bits + flip_flops(wire.registers, self.bits, 1.0)),
            clock: attojoules(clock_wires(wire.registers, self.bits)),
            static_power: static_power(wire.bit_leakage() * self.bits),
            area: square_nanometres(wire.area(self.bits)),
        })
    }
}

/// The crossbar of a router: rows of wires for the inputs, columns for the outputs.
struct Switch {
    bits: f64,
    inputs: f64,
    outputs: f64,
    /// The lengths of a row and of a column, in mm.
    row_wires: f64,
    column_wires: f64,
}

impl Switch {
    #[expect(clippy::cast_precision_loss, reason = "a router has less than 2^53 ports")]
    fn new(bits: f64, ports: Ports) -> Self {
        let [inputs, outputs] = [ports.inputs, ports.outputs].map(|count| count as f64);
        let [row_wires, column_wires] = [outputs, inputs].map(|count| bits * count * WIRE_PITCH);
        Self { bits, inputs, outputs, row_wires, column_wires }
    }

    /// Energy of a bit from a half of the inputs to a half of the outputs, 0 for the near one (`powerCrossbar`). To a near
    /// port, half of the wire and its cross-points switches.
    fn data(&self, input: usize, output: usize) -> f64 {
        let [row, column] = [self.row_wires * WIRE, self.column_wires * WIRE];
        let [row_driver, cross_point] = [row / 16.0, column / 16.0];
        let ratio = 4.0 * (DELAY_OUTPUT / DELAY_INPUT);
        let input_driver = DELAY_DRIVER * (0.5 * row + row_driver);
        let mut row_load = input_driver + row + row_driver + self.outputs * cross_point;
        if output == 0 {
            row_load -= 0.5 * row + self.outputs / 2.0 * cross_point;
        }
        let mut column_load = column + ratio * row_driver + self.inputs * (ratio * cross_point);
        if input == 0 {
            column_load -= 0.5 * column + self.inputs / 2.0 * (ratio * cross_point);
        }
        0.5 * (row_load + column_load) * SWING
    }

    /// Energy of the control of a flit (`powerCrossbarCtrl`).
    fn control(&self) -> f64 {
        let row_driver = 5.0 / 16.0 * (self.row_wires * WIRE);
        let load = self.bits * row_driver + (self.row_wires + self.column_wires) * WIRE;
        (DELAY_DRIVER * load + load) * SWING
    }

    /// Leakage, in W (`powerCrossbarLeak`). The source has no voltage in this product.
    fn leakage(&self) -> f64 {
        let cross_points = self.inputs * self.outputs * (self.column_wires * WIRE / 16.0);
        let drivers = (self.inputs + self.outputs) * (self.row_wires * WIRE / 16.0);
        INVERTER_LEAKAGE * self.bits * (cross_points + drivers) / INPUT
    }
}

/// A wire of a channel: flip-flops that split it into cycles, and repeaters between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RepeatedWire {
    /// The length in mm.
    length: f64,
    /// The size of a repeater (`K`).
    size: f64,
    /// The number of repeaters for each flip-flop (`N`).
    repeaters: f64,
    /// The number of flip-flops (`M`).
    registers: f64,
}

impl RepeatedWire {
    /// Numbers that the search tries, less one: up to 39 flip-flops, and up to 39 repeaters for each.
    const COUNTS: u32 = 40;

    /// Returns the wire that minimises flip-flops^4 × power among those that meet the clock (`wireOptimize`), or `None` if no
    /// wire of this length does. Of equal ones the first remains, by size, repeaters, flip-flops.
    fn optimal(length: f64) -> Option<Self> {
        let mut best: Option<(f64, Self)> = None;
        let mut size = 1.0;
        // the size is a sum of tenths as in the source, since a product has other bits
        while size < 10.0 {
            for repeaters in (1..Self::COUNTS).map(f64::from) {
                for registers in (1..Self::COUNTS).map(f64::from) {
                    let wire = Self { length, size, repeaters, registers };
                    let metric = wire.metric();
                    if wire.meets_clock() && best.is_none_or(|(least, _)| metric < least) {
                        best = Some((metric, wire));
                    }
                }
            }
            size += 0.1;
        }
        best.map(|(_, wire)| wire)
    }

    fn segment(&self) -> f64 {
        self.length / (self.repeaters * self.registers)
    }

    /// True if a bit gets from one flip-flop to the next in 80 % of a cycle.
    fn meets_clock(&self) -> bool {
        let segment = self.segment();
        let inverter = RESISTANCE * (DELAY_OUTPUT + DELAY_INPUT);
        let linear = RESISTANCE / self.size * WIRE + self.size * WIRE_RESISTANCE * DELAY_INPUT;
        let quadratic = 0.5 * WIRE_RESISTANCE * WIRE;
        let delay = inverter + linear * segment + quadratic * (segment * segment);
        self.repeaters * delay < 0.8 * CYCLE
    }

    /// The minimised product, for 64 bits of which a fifth changes in a cycle.
    fn metric(&self) -> f64 {
        const BITS: f64 = 64.0;
        const ACTIVITY: f64 = 0.2;
        let energy = ACTIVITY * BITS * self.bit_energy() + flip_flops(self.registers, BITS, ACTIVITY);
        self.registers * self.registers * self.registers * self.registers * energy
    }

    /// Energy of a bit over wire and repeaters (`powerRepeatedWire`).
    fn bit_energy(&self) -> f64 {
        let capacitance = self.size * (INPUT + OUTPUT) + WIRE * self.segment();
        0.5 * capacitance * SWING * self.registers * self.repeaters
    }

    /// Leakage of the repeaters of a bit, in W (`powerRepeatedWireLeak`).
    fn bit_leakage(&self) -> f64 {
        self.size * INVERTER_LEAKAGE * VOLTAGE * self.registers * self.repeaters
    }

    /// Area of the flip-flops and repeaters of `bits` bits, in mm² (`areaChannel`).
    fn area(&self, bits: f64) -> f64 {
        let registers = self.registers * FLIP_FLOP.0 * FLIP_FLOP.1;
        let repeaters = self.registers * self.repeaters * (INVERTER.1 + 3.0 * self.size) * INVERTER.0;
        bits * (registers + repeaters) * PITCH * PITCH
    }
}

/// Energy of flip-flops for `bits` bits at a part of `activity` (`powerWireDFF`).
fn flip_flops(registers: f64, bits: f64, activity: f64) -> f64 {
    let inverters = 2.0 * 0.8 * (INPUT + OUTPUT);
    let data = inverters + 2.0 * (2.0 / 3.0 * 0.8 * OUTPUT);
    let clock = inverters + 2.0 * (2.0 / 3.0 * 0.8 * GATE);
    (activity * 0.5 * data + activity * clock) * registers * bits * SWING
}

/// Energy of the clock wires of flip-flops in one cycle (`powerWireClk`).
fn clock_wires(registers: f64, bits: f64) -> f64 {
    let columns = FLIP_FLOP.0 * PITCH / WIRE_PITCH;
    let load = bits * WIRE_PITCH * WIRE * columns + bits * DELAY_INPUT;
    registers * (1.0 + DELAY_DRIVER) * load * SWING
}

/// Rounds an energy in joules.
fn attojoules(energy: f64) -> Attojoules {
    integer(energy * 1e18)
}

/// Rounds a power in watts to picowatts, far below the digits of the technology. More digits would show the error of the
/// sum of tenths in the size of repeaters.
fn static_power(power: f64) -> StaticPower {
    StaticPower::from_attowatts(ExactDecimal::with_exponent(integer(power * 1e12), 6))
}

/// Rounds an area in square millimetres.
fn square_nanometres(area: f64) -> SquareNanometres {
    integer(area * 1e12)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sums of positive terms, below 2^128")]
fn integer(value: f64) -> u128 {
    value.round() as u128
}

#[cfg(all(test, feature = "config"))]
mod runs;
#[cfg(test)]
mod tests;
