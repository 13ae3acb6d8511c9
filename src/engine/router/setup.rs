//! The machine that a program runs on.

use super::RouterCosts;
use super::interfaces::Interfaces;
use crate::engine::{Program, Stop};
use crate::routing::{Network, Routing};
use crate::units::{MessageId, narrow};

/// The routers and nodes that a program runs on.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The ports of routers, and those that head flits may request.
    pub routes: &'a dyn Routing,
    /// The network with a fixed path for every message. `None` if messages take the ports that `routes` selects.
    pub fixed: Option<&'a dyn Network>,
    /// The costs and rules of routers.
    pub costs: RouterCosts,
    /// The rules of the interfaces of nodes, if they have any: then messages wait for the injection channel that
    /// [`MessageSet::injection`](crate::engine::MessageSet::injection) returns, not for any.
    pub interfaces: Option<&'a Interfaces>,
    /// The network whose channels the trees of worms lead over, if routers copy or combine packets of the program.
    pub trees: Option<&'a dyn Network>,
    /// Ticks of a cycle, at least 1.
    pub flit_time: u64,
    /// Random bits for the routing of a message.
    pub random_bits: &'a dyn Fn(MessageId) -> u64,
}

/// Checks that no message of `program` is too long for the routers of `setup`.
pub(super) fn fits(setup: &Setup<'_>, program: &impl Program) -> Result<(), Stop> {
    let longest = setup.costs.longest_packet(setup.routes.virtual_channels());
    for message in (0..program.messages()).map(MessageId::new) {
        let (_, _, flits) = program.message(message);
        match (u32::try_from(flits.on_wire()), longest) {
            (Err(_), _) => return Err(Stop::TooLong { message, flits }),
            (Ok(on_wire), Some(buffer)) if on_wire > buffer => return Err(Stop::NoRoom { message, flits, buffer }),
            _ => {}
        }
    }
    Ok(())
}

impl Setup<'_> {
    /// The number of classes of virtual channels of the paths that messages take, if they are fixed.
    pub(super) fn classes(&self) -> Option<u8> {
        let classes = |network: &dyn Network| network.channels().virtual_channels();
        self.trees.or(self.fixed).map(|network| narrow(classes(network), "a path has fewer than 256 classes"))
    }
}
