//! Operations of ranks from GOAL and MSCCL files.

mod read;

pub use read::Operations;

use crate::kind::{Kind, Read, Template};
use crate::workload::application::KIND;

/// GOAL files in the registry.
pub static GOAL: Kind = Kind {
    name: "goal",
    summary: "operations of ranks from a GOAL file, predicted by a model or run on a network",
    keys: read::GOAL,
    template: Template { scenario: include_str!("goal.toml"), files: &[("ring.goal", include_bytes!("ring.goal"))] },
    read: Read::Source(read::read_goal),
    ..KIND
};

/// MSCCL files in the registry.
pub static MSCCL: Kind = Kind {
    name: "msccl",
    summary: "operations of ranks from an MSCCL XML file, predicted by a model or run on a network",
    keys: read::MSCCL,
    template: Template { scenario: include_str!("msccl.toml"), files: &[("swap.xml", include_bytes!("swap.xml"))] },
    read: Read::Source(read::read_msccl),
    ..KIND
};
