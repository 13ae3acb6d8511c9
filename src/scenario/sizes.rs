//! Sizes and bandwidths of the results of a point that states the size of a flit.

use super::Experiment;
use crate::config::{Quantity, Reader};
use crate::kind::{ACCEPTED_BANDWIDTH, ALGBW, BUSBW, BYTES, Columns, ENERGY_COLUMNS, Payload, Row, Workload};
use crate::machine::Machine;
use crate::units::Key;
use rust_decimal::prelude::ToPrimitive;

/// The lengths of flits and ticks, with which results have sizes and bandwidths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Bytes of a flit.
    pub flit_bytes: u64,
    /// Picoseconds of a tick, if it has a length.
    pub tick: Option<f64>,
    /// Bytes of the message, vector or block as requested, if the workload has one.
    pub requested: Option<u64>,
}

impl Sizes {
    /// Returns the sizes of the point that `root` reads, or `None` if the size of a flit is not known.
    pub(super) fn read(root: &Reader<'_>, workload: &dyn Workload, machine: &Machine) -> Option<Self> {
        let scale = root.scale()?;
        let flit_bytes = scale.flit_bytes?;
        let requested = |payload: Payload| {
            let kind = workload.kind();
            let gives = |key: &&Key| key.name == payload.key || key.fills == payload.key;
            let quantity = |key: &Key| root.quantity(&format!("workload.{}.{}", kind.name, key.name));
            match kind.keys.iter().filter(gives).find_map(quantity) {
                Some(Quantity::Bytes(bytes)) => bytes.to_u64(),
                _ => payload.flits.0.checked_mul(flit_bytes),
            }
        };
        let requested = workload.payload(machine).and_then(requested);
        Some(Self { flit_bytes, tick: scale.tick_picoseconds(), requested })
    }
}

impl Experiment {
    /// The columns of its rows.
    pub fn columns(&self) -> Columns {
        let kind = self.workload.kind();
        let columns = Columns::of_kind(kind.columns(self.sizes.is_some()));
        let columns = if self.machine.energy.is_some() { columns.with(ENERGY_COLUMNS) } else { columns };
        if self.machine.faults.is_some() { columns.with(self.fault_columns()) } else { columns }
    }

    /// Sets the sizes and bandwidths of `row`, which has been measured.
    pub(super) fn set_bandwidths(&self, row: &mut Row) {
        let Some(Sizes { flit_bytes, tick, requested }) = self.sizes.as_deref().copied() else { return };
        if let (Some(payload), Some(bytes)) = (self.workload.payload(&self.machine), requested) {
            row.set(&BYTES, bytes);
            if let (Some(tick), Some(measured @ 1..)) = (tick, row.value("measured")) {
                let [part, whole] = payload.bus.map(float);
                // bytes a picosecond are TB/s
                let algbw = 1000.0 * float(payload.count) * float(bytes) / (float(measured) * tick);
                row.set_decimal(&ALGBW, algbw);
                row.set_decimal(&BUSBW, algbw * part / whole);
            }
        }
        if let (Some(tick), Some(accepted)) = (tick, row.value("accepted")) {
            let flit_time = float(self.machine.channel.flit_time) * tick;
            row.set_decimal(&ACCEPTED_BANDWIDTH, float(accepted) / 1000.0 * float(flit_bytes) / flit_time);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "bandwidths have six significant digits")]
fn float(number: u64) -> f64 {
    number as f64
}
