//! Sources send flits.

use super::super::delay::Run;
use super::super::flow::Flow;
use super::super::packets::{ExtraTime, Packet, Packets};
use super::super::routing::Routing;
use super::super::source::{Front, Queue, Source, SourceRules, Sources};
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
    for group in 0..sources.sending.groups() {
        for number in sources.sending.members(group) {
            let Sources { sources: all, rules, .. } = sources;
            let source = &mut all[number];
            let Some((queue, vc)) = turn(cycle, rules, number, source, traffic) else {
                sources.sending.remove(number); // until a credit arrives
                continue;
            };
            let place = layout.place_at_source(number, vc);
            if source.queues[queue].left == 0 {
                let Some(packet) = next_packet(cycle, rules, number, &mut source.queues[queue], queue, traffic) else {
                    sources.sending.remove(number); // another channel of the node has taken the packet
                    continue;
                };
                let number_in_network = packets.add(packet);
                source.begin(queue, vc, packet.flits, number_in_network);
                flow.add_time(layout, place, packets, number_in_network, 0);
                packets.send(layout.number(layout.entry(number, vc)), number_in_network);
                routing.begin(number_in_network, &packet, &mut traffic.nodes);
                let first = layout.number(layout.place_at_source(number, 0));
                traffic.event(Event::Injected { packet: number_in_network, vc: first, at: now }, packets);
                for number in routing.companions(number_in_network) {
                    let requested = packet.created;
                    traffic
                        .event(Event::Joined(Granted { number, hop: 0, vc: first, requested, granted: now }), packets);
                }
            }
            let flits = source.send(queue, sources.longest_run);
            source.free_at = flow.inject(layout, place, Run { to: layout.entry(number, vc), flits }, now);
            let Queue { packet, left, .. } = source.queues[queue];
            traffic.event(Event::SentBySource { packet, vc: layout.number(place), at: now, flits }, packets);
            if left == 0 {
                traffic.event(Event::LeftSource { packet, at: now + u64::from(flits) - 1 }, packets);
                let (node, channel) = layout.channel_of(number);
                source.queues[queue].next = traffic.next(node, queue_number(channel, queue, source));
            }
            sources.deactivate(now, number);
        }
    }
}

/// The number of queue `queue` of injection channel `channel` among those of its node.
#[expect(clippy::cast_possible_truncation, reason = "a node has few queues")]
#[inline(always)]
fn queue_number(channel: u32, queue: usize, source: &Source) -> u32 {
    channel * source.queues.len() as u32 + queue as u32
}

/// The queue of source `number` that sends in this cycle, and the VC that it takes. `None` if none can send.
#[inline(always)]
fn turn<const W: usize, T: Traffic>(
    cycle: Cycle<'_, W>,
    rules: &SourceRules,
    number: usize,
    source: &mut Source,
    traffic: &Endpoints<T>,
) -> Option<(usize, usize)> {
    if !rules.reads_packets {
        return source.vc_with_room(rules, 0, Front::default()).map(|vc| (0, vc));
    }
    turn_of_queue(cycle, rules, number, source, traffic)
}

/// The queue of source `number` that sends in this cycle, where the source has to know the packets in front of its queues, and the VC
/// that the queue takes.
#[inline(never)]
fn turn_of_queue<const W: usize, T: Traffic>(
    cycle: Cycle<'_, W>,
    rules: &SourceRules,
    number: usize,
    source: &mut Source,
    traffic: &Endpoints<T>,
) -> Option<(usize, usize)> {
    let (node, channel) = cycle.layout.channel_of(number);
    let mut fronts = Vec::with_capacity(source.queues.len());
    for queue in 0..source.queues.len() {
        let offer = match source.queues[queue].next {
            NextPacket::Made(offer) => Some(offer),
            NextPacket::Waiting => traffic.nodes.front(node, queue_number(channel, queue, source)),
            NextPacket::None => None,
        };
        let offer = offer.filter(|offer| offer.created <= cycle.now);
        if offer.is_none() && source.queues[queue].left == 0 && matches!(source.queues[queue].next, NextPacket::Waiting)
        {
            source.queues[queue].next = NextPacket::None; // until it is woken
        }
        fronts.push(offer);
    }
    let priority = |queue: usize| match (source.queues[queue], fronts[queue]) {
        (Queue { left, priority, .. }, _) if left > 0 => priority,
        (_, Some(Offer { class, created, .. })) => rules.priority(class, created),
        _ => i64::MIN,
    };
    source.order(rules, priority).find_map(|queue| {
        let front = match fronts[queue] {
            _ if source.queues[queue].left > 0 => Front::default(),
            Some(Offer { class, flits, .. }) => Front { class, flits },
            None => return None,
        };
        source.vc_with_room(rules, queue, front).map(|vc| (queue, vc))
    })
}

/// Takes the packet that `queue` of source `number` begins to send.
#[inline]
fn next_packet<const W: usize, T: Traffic>(
    cycle: Cycle<'_, W>,
    rules: &SourceRules,
    number: usize,
    queue: &mut Queue,
    index: usize,
    traffic: &mut Endpoints<T>,
) -> Option<Packet> {
    let (node, channel) = cycle.layout.channel_of(number);
    let next = std::mem::replace(&mut queue.next, NextPacket::None);
    let offer = match next {
        NextPacket::Made(offer) => offer,
        NextPacket::Waiting | NextPacket::None => {
            traffic.take(node, channel * traffic.nodes.queues() + u32::try_from(index).unwrap_or(u32::MAX))?
        }
    };
    let Offer { number, created, dst, flits, random_bits, class, sequence } = offer;
    let header = cycle.config.routes.header(dst, random_bits);
    let now = cycle.now;
    queue.priority = rules.priority(class, created);
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
        class,
        priority: rules.classes[usize::from(class)].priority,
        sequence,
    })
}
