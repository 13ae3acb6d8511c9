//! Sources send flits.

use super::super::delay::{DelayLine, Run};
use super::super::packets::{Packet, Packets};
use super::super::source::Sources;
use super::super::traffic::Traffic;
use super::Cycle;
use crate::engine::router::Offer;
use crate::units::narrow;

/// Each source with a packet and a credit sends a flit, or begins to send a run of them.
#[inline(never)]
pub(crate) fn inject<const W: usize, T: Traffic>(
    cycle: Cycle<'_, W>,
    injected: &mut DelayLine<Run>,
    sources: &mut Sources,
    packets: &mut Packets,
    traffic: &mut T,
) {
    let Cycle { now, layout, .. } = cycle;
    sources.advance(now);
    for group in 0..sources.sending.groups() {
        for number in sources.sending.members(group) {
            let source = &mut sources.sources[number];
            let (Some(offer), Some(vc)) = (source.offer, source.vc_with_room(sources.needed)) else {
                sources.sending.remove(number); // until a credit arrives
                continue;
            };
            let to = layout.entry(number, vc);
            if source.left == 0 {
                source.vc = vc;
                source.left = offer.flits;
                let packet = packets.add(packet(cycle, number, &offer));
                packets.send(layout.number(to), packet);
            }
            let flits = source.send(now, sources.longest_run);
            injected.enter(Run { to, flits });
            if source.left == 0 {
                let (node, channel) = layout.channel_of(number);
                sources.draw(number, traffic.next(in_32_bits(node), in_32_bits(channel)));
            }
            sources.deactivate(now, number);
        }
    }
}

/// The packet `offer`, which source `source` begins to send.
fn packet<const W: usize>(cycle: Cycle<'_, W>, source: usize, offer: &Offer) -> Packet {
    let &Offer { number, created, dst, flits, random_bits } = offer;
    let (node, _) = cycle.layout.channel_of(source);
    let header = cycle.config.header(dst, random_bits);
    Packet { header, src: in_32_bits(node), flits, hops: 0, created, injected: cycle.now, number }
}

fn in_32_bits(number: usize) -> u32 {
    narrow(number, "nodes are numbered with 32 bits")
}
