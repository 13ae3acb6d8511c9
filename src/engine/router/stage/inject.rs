//! Sources send flits.

use super::super::delay::Run;
use super::super::flow::Flow;
use super::super::packets::{ExtraTime, Packet, Packets};
use super::super::routing::Routing;
use super::super::source::{Source, Sources};
use super::super::traffic::{Endpoints, Event, NextPacket};
use super::Cycle;
use crate::engine::router::{Granted, Offer, Traffic};

/// Lets each source with a packet and a credit send a flit, or begin to send a run of them.
#[inline(never)]
pub(crate) fn inject<const W: usize, R: Routing<W>, F: Flow<W>, T: Traffic>(
    cycle: Cycle<'_, W>,
    routing: &mut R,
    flow: &mut F,
    sources: &mut Sources,
    packets: &mut Packets,
    traffic: &mut Endpoints<T>,
) {
    let Cycle { now, layout, .. } = cycle;
    sources.advance(now);
    for group in 0..sources.sending.groups() {
        for number in sources.sending.members(group) {
            let source = &mut sources.sources[number];
            let Some(vc) = source.vc_with_room() else {
                sources.sending.remove(number); // until a credit arrives
                continue;
            };
            let place = layout.place_at_source(number, vc);
            if source.left == 0 {
                let Some(packet) = next_packet(cycle, number, source, traffic) else {
                    sources.sending.remove(number); // another channel of the node has taken the packet
                    continue;
                };
                source.begin(vc, packet.flits, packets.add(packet));
                flow.add_time(layout, place, packets, source.packet, 0);
                packets.send(layout.number(layout.entry(number, vc)), source.packet);
                routing.begin(source.packet, &packet, &mut traffic.nodes);
                let first = layout.number(layout.place_at_source(number, 0));
                traffic.event(Event::Injected { packet: source.packet, vc: first, at: now }, packets);
                for number in routing.companions(source.packet) {
                    let requested = packet.created;
                    traffic
                        .event(Event::Joined(Granted { number, hop: 0, vc: first, requested, granted: now }), packets);
                }
            }
            let flits = source.send(sources.longest_run);
            source.free_at = flow.inject(layout, place, Run { to: layout.entry(number, vc), flits }, now);
            let sent = Event::Sent { packet: source.packet, vc: layout.number(place), at: now, flits };
            traffic.event(sent, packets);
            if source.left == 0 {
                let (node, channel) = layout.channel_of(number);
                source.next = traffic.next(node, channel);
            }
            sources.deactivate(now, number);
        }
    }
}

/// Takes the packet that source `number` begins to send.
#[inline]
fn next_packet<const W: usize, T: Traffic>(
    cycle: Cycle<'_, W>,
    number: usize,
    source: &mut Source,
    traffic: &mut Endpoints<T>,
) -> Option<Packet> {
    let (node, channel) = cycle.layout.channel_of(number);
    let next = std::mem::replace(&mut source.next, NextPacket::None);
    let offer = match next {
        NextPacket::Made(offer) => offer,
        NextPacket::Waiting | NextPacket::None => traffic.take(node, channel)?,
    };
    let Offer { number, created, dst, flits, random_bits } = offer;
    let header = cycle.config.routes.header(dst, random_bits);
    let now = cycle.now;
    Some(Packet {
        header,
        src: node,
        flits,
        hops: 0,
        created,
        injected: now,
        requested: now,
        number,
        extra_time: ExtraTime::default(),
    })
}
