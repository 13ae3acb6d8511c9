//! The packets of a load as messages on the wormhole engines, on networks that may have lost links.

use super::case::Load;
use crate::engine::program::{TraceMessage, TraceProgram};
use crate::engine::{Engine, Event, Interest, MessageSet, Observer, Outcome, Stop};
use crate::routing::Network;
use crate::selftest::laws::{AUTO_IS_FLIT, Broken, CONSERVED, NO_SOONER, WORM_IS_FLIT};
use crate::selftest::subject::Effort;
use crate::units::{Flits, MessageId, NodeId, Ticks};

/// Holds a load on worms against the laws.
pub(super) fn judge(load: &Load) -> Result<Effort, Broken> {
    let Some(network) = load.network() else { return Ok(Effort::default()) };
    if let Some(left) = load.lost.as_ref().and_then(|lost| lost.left(&load.machine)) {
        left.holds(&*network)?;
    }
    let Some(messages) = messages(load, &*network) else { return Ok(Effort::default()) };
    let channel = load.machine.channel;
    let program = TraceProgram::new(&messages);
    let mut crossed = Crossed::default();
    let flit = match Engine::Flit.run(&*network, channel, program, &mut crossed) {
        Ok(outcome) => outcome,
        Err(Stop::Deadlock(_)) => return Ok(Effort { messages: 0, blocked: true, deadlocked: true }),
        Err(other) => return Err(CONSERVED.broken(format!("the flit engine reports: {other}"))),
    };
    conserved(&program, &*network, &crossed)?;
    match Engine::Worm.run(&*network, channel, program, &mut ()) {
        Ok(worm) => WORM_IS_FLIT.all_equal("messages, flit and worm", &flit.messages, &worm.messages)?,
        // where it refuses is a matter of another area
        Err(Stop::Shared { .. } | Stop::ShortBuffer(_)) => {}
        Err(other) => {
            return Err(WORM_IS_FLIT.broken(format!("the flit engine completes, but the worm engine reports: {other}")));
        }
    }
    match Engine::Auto.run(&*network, channel, program, &mut ()) {
        Ok(auto) => AUTO_IS_FLIT.all_equal("messages, flit and auto", &flit.messages, &auto.messages)?,
        Err(other) => return Err(AUTO_IS_FLIT.broken(format!("the flit engine completes, but auto reports: {other}"))),
    }
    no_sooner(load, &*network, &messages, &flit)?;
    Ok(Effort { messages: flit.messages.len() as u64, blocked: flit.blocked_messages > 0, deadlocked: false })
}

/// The packets of all nodes, by time and node.
fn messages(load: &Load, network: &dyn Network) -> Option<Vec<TraceMessage>> {
    let mut sources = load.sources(network.channels().nodes())?;
    let flit_time = load.machine.channel.flit_time;
    let mut messages = Vec::new();
    for node in 0..sources.nodes() {
        while let Some(offer) = sources.next(node).filter(|offer| offer.created < load.until) {
            let start = Ticks(offer.created * flit_time);
            let flits = Flits(offer.flits.into());
            messages.push(TraceMessage { src: NodeId(node), dst: NodeId(offer.dst), flits, start });
        }
    }
    messages.sort_by_key(|message| (message.start, message.src));
    Some(messages)
}

/// How many flits of each message start on each channel of its path.
#[derive(Debug, Default)]
struct Crossed(Vec<(MessageId, usize)>);

impl Observer for Crossed {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Started { message, hop, .. } = event {
            self.0.push((message, hop));
        }
    }
}

/// Every flit crosses every channel of its path once.
fn conserved(program: &TraceProgram<'_>, network: &dyn Network, crossed: &Crossed) -> Result<(), Broken> {
    let mut expected = Vec::new();
    let mut path = Vec::new();
    for id in (0..program.messages()).map(MessageId::new) {
        path.clear();
        program.path(id, network, &mut path);
        let flits = program.message(id).2.on_wire();
        expected.extend((0..path.len()).flat_map(|hop| (0..flits).map(move |_| (id, hop))));
    }
    let mut crossed = crossed.0.clone();
    crossed.sort_unstable();
    CONSERVED.all_equal("flits that cross channels (message, hop), run and paths", &crossed, &expected)
}

/// No message takes less than its closed form, where channels are alike; and none is requested before its time.
fn no_sooner(load: &Load, network: &dyn Network, messages: &[TraceMessage], flit: &Outcome) -> Result<(), Broken> {
    let channel = load.machine.channel;
    let is_even = network.channels().is_even(channel.flit_time);
    for (id, (planned, message)) in messages.iter().zip(&flit.messages).enumerate() {
        let links = network.hops(planned.src, planned.dst);
        let alone = if is_even { channel.unloaded(planned.flits, links + 2) } else { Ticks::ZERO };
        let is_early = message.requested != planned.start || message.delivered < planned.start + alone;
        if is_early || message.hops as usize != links {
            return Err(NO_SOONER.broken(format!(
                "message {id} takes {alone} ticks without contention and crosses {links} links, but: {message:?}"
            )));
        }
    }
    Ok(())
}
