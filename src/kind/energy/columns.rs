//! The columns of energy, which scenarios with a table `[energy]` add.

use super::Energies;
use crate::costs::energy::SquareNanometres;
use crate::kind::{Cell, Column, Row};
use crate::machine::energy::MachineEnergy;
use crate::units::Attojoules;

/// The energy of flits into input buffers.
const BUFFER_WRITE: Column = Column::energy("energy_buffer_write");
/// The energy of flits out of input buffers.
const BUFFER_READ: Column = Column::energy("energy_buffer_read");
/// The energy of flits through crossbars.
const CROSSBAR: Column = Column::energy("energy_crossbar");
/// The energy of switch allocation.
const ARBITRATE: Column = Column::energy("energy_arbitrate");
/// The energy of route computation.
const ROUTE: Column = Column::energy("energy_route");
/// The energy of flits that routers combine.
const COMBINE: Column = Column::energy("energy_combine");
/// The energy of flits over links between routers.
const LINK: Column = Column::energy("energy_link");
/// The energy of flits over injection and ejection channels.
const NODE_LINK: Column = Column::energy("energy_node_link");
/// The energy of clocks.
const CLOCK: Column = Column::energy("energy_clock");
/// The energy of static power.
const STATIC: Column = Column::energy("energy_static");
/// The sum of the energies of events.
const DYNAMIC: Column = Column::energy("energy_dynamic");
/// The sum of all energies.
pub(crate) const ENERGY: Column = Column::energy("energy").shown_as("energy", 1, Cell::Energy).called("energy");
/// The energy for each byte of payload.
pub(crate) const ENERGY_PER_BYTE: Column =
    Column::energy("energy_per_byte").shown_as("per byte", 3, Cell::Energy).in_unit("pJ per byte");
/// The area of routers and channels.
const AREA: Column = Column::decimal("area").in_unit("mm²");

/// All columns of energy.
pub(crate) const ENERGY_COLUMNS: &[Column] = &[
    BUFFER_WRITE,
    BUFFER_READ,
    CROSSBAR,
    ARBITRATE,
    ROUTE,
    COMBINE,
    LINK,
    NODE_LINK,
    CLOCK,
    STATIC,
    DYNAMIC,
    ENERGY,
    ENERGY_PER_BYTE,
    AREA,
];

impl Row {
    /// Sets the columns of energy, if the scenario has them.
    pub(crate) fn set_energies(&mut self, model: &MachineEnergy, energies: &Energies) {
        if !self.has(ENERGY.name) {
            return;
        }
        let parts = [
            (BUFFER_WRITE, energies.buffer_write),
            (BUFFER_READ, energies.buffer_read),
            (CROSSBAR, energies.crossbar),
            (ARBITRATE, energies.arbitrate),
            (ROUTE, energies.route),
            (COMBINE, energies.combine),
            (LINK, energies.link),
            (NODE_LINK, energies.node_link),
            (CLOCK, energies.clock),
            (STATIC, energies.standby),
            (DYNAMIC, energies.dynamic()),
            (ENERGY, energies.total()),
        ];
        for (column, energy) in parts {
            self.set_energy(&column, Attojoules(energy));
        }
        if let Some(per_byte) = energies.per_byte() {
            self.set_energy(&ENERGY_PER_BYTE, Attojoules(per_byte));
        }
        if let Some(area) = model.area() {
            self.set_decimal(&AREA, square_millimetres(area));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "areas have six significant digits")]
fn square_millimetres(area: SquareNanometres) -> f64 {
    area as f64 / 1e12
}
