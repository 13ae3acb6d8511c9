//! Where virtual channels share physical ones: which of the two engines that know how runs.
//!
//! The flit engine takes as long as there are flits, the sleep engine as long as there are messages. Which takes less follows from
//! the lengths of messages, which a program tells before it runs.

use crate::costs::ChannelCosts;
use crate::engine::{Engine, Program};
use crate::routing::Network;
use crate::topology::Channels;
use crate::units::MessageId;

/// The flits of a message on average from which on the sleep engine takes less time, for the square of the number of virtual
/// channels of a physical one: a channel of a path costs it about as much as so many flits cost the flit engine. The more share a
/// channel, the longer it takes until what they do comes again. Measured by `benches/engines.rs`.
const CROSSOVER: u64 = 20;

/// The most channels that the sleep engine takes by itself: it needs ten times the memory of the flit engine for each.
const MOST_CHANNELS: usize = 1 << 20;

/// Whether the sleep engine may be the one, if messages are long.
pub(crate) fn may_sleep(channels: &dyn Channels, costs: &ChannelCosts) -> bool {
    channels.is_even(costs.flit_time) && channels.count() <= MOST_CHANNELS
}

/// Which engine takes less time for `program` on `network`: [`Engine::Flit`] or [`Engine::Sleep`].
pub(in crate::engine) fn engine(
    network: &dyn Network,
    costs: &ChannelCosts,
    program: &(impl Program + ?Sized),
) -> Engine {
    if !may_sleep(network.channels(), costs) {
        return Engine::Flit;
    }
    let messages = program.messages();
    let flits = (0..messages).map(|id| u128::from(program.message(MessageId::new(id)).2.on_wire())).sum::<u128>();
    let sharing = network.channels().virtual_channels() as u128;
    let crossover = u128::from(CROSSOVER) * sharing * sharing;
    if flits > crossover * messages as u128 { Engine::Sleep } else { Engine::Flit }
}
