//! The columns and files of applications.

use crate::kind::{Column, RowFile, TIMED, then_timed};

/// The end of the last operation of each rank, of the first repetition at each point.
pub(crate) const HOSTS: RowFile =
    RowFile { name: "hosts.csv", header: &["point", "host", "finish", "measured", "noise"] };

/// The length of all computations, without noise.
pub(crate) const COMPUTE: Column = Column::ticks("compute").called("computation");
/// The bytes of all messages.
pub(crate) const BYTES: Column = Column::count("bytes").called("bytes sent").in_unit("bytes");
/// The noise of all ranks under the model.
pub(crate) const NOISE: Column = Column::ticks("noise");

/// The columns of an application without columns of its own.
pub(crate) const COLUMNS: [Column; TIMED.len() + 3] = then_timed([COMPUTE, BYTES, NOISE]);

/// The columns of an application, and `own` after [`NOISE`].
pub(crate) const fn and<const OWN: usize, const ALL: usize>(own: [Column; OWN]) -> [Column; ALL] {
    assert!(ALL == OWN + COLUMNS.len());
    let mut all = [NOISE; ALL];
    let mut index = 0;
    while index < ALL {
        all[index] = match index {
            0..3 => COLUMNS[index],
            _ if index < 3 + OWN => own[index - 3],
            _ => COLUMNS[index - OWN],
        };
        index += 1;
    }
    all
}
