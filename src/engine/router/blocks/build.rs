//! The engine before the first cycle, assembled from parts.

use super::active::ActiveSet;
use super::allocator::{Allocator, InputFirst};
use super::delay::{DelayLine, Wheel};
use super::engine::{Config, Engine, Scratch, Speculation};
use super::flow::{Counter, Flow, OneByOne, Runs};
use super::layout::{Layout, Place, words};
use super::open_loop::OpenLoop;
use super::packets::Packets;
use super::routing::{Adaptive, Fixed, Routing, exclusive_from};
use super::source::Sources;
use super::state::Block;
use super::traffic::Traffic;
use super::vcset::{VcSet, short};
use super::watchdog::Schedule;
use crate::engine::router::{self, Ended, RouterCosts};
use crate::routing::{Pace, PortAt, Routes, Wiring};
use crate::units::narrow;

/// Returns true if the engine runs open-loop traffic on routers of `costs`.
pub(crate) fn is_supported(routes: &Routes, costs: &RouterCosts) -> bool {
    let one_port = costs.injection_ports == 1 && costs.ejection_ports == 1;
    let in_turns = !costs.first_come() && !costs.full_crossbar;
    routes.wiring().is_even() && in_turns && one_port && !costs.atomic && costs.timing.routing == 0
}

/// Runs `traffic` through routers of `costs` on `routes` until it ends the run, all is delivered, or packets are left that
/// will never arrive.
pub(crate) fn run<T: router::Traffic>(routes: &Routes, costs: RouterCosts, traffic: &mut T) -> Ended {
    let mut traffic = OpenLoop(traffic);
    let words = words(routes.wiring(), &costs, routes.virtual_channels());
    if words == 1 {
        return on_blocks::<1, _>(routes, costs, traffic);
    }
    // wide routers are rare: they are compiled once for all traffic
    let traffic: &mut dyn Traffic = &mut traffic;
    match words {
        ..=4 => on_blocks::<4, _>(routes, costs, traffic),
        5..=16 => on_blocks::<16, _>(routes, costs, traffic),
        _ => on_blocks::<64, _>(routes, costs, traffic),
    }
}

/// Runs `traffic` on blocks of `W` words.
pub(super) fn on_blocks<const W: usize, T: Traffic>(routes: &Routes, costs: RouterCosts, traffic: T) -> Ended {
    if routes.is_adaptive() {
        let routing = Adaptive::<W>::new(routes);
        return assembled::<W, _, InputFirst<W>, OneByOne<W>, T>(routes, costs, routing, traffic).run();
    }
    let routing = Fixed::new(routes);
    // a routing that compares loads sees the flits of a run leave one by one
    if routes.virtual_channels() == 1 && !routes.looks() {
        assembled::<W, _, InputFirst<W>, Runs, T>(routes, costs, routing, traffic).run()
    } else {
        assembled::<W, _, InputFirst<W>, OneByOne<W>, T>(routes, costs, routing, traffic).run()
    }
}

/// The engine of these parts.
fn assembled<'a, const W: usize, R: Routing<W>, A: Allocator<W>, F: Flow<W>, T: Traffic>(
    routes: &'a Routes,
    costs: RouterCosts,
    routing: R,
    traffic: T,
) -> Engine<'a, W, R, A, F, T> {
    let timing = costs.timing;
    let buffer = costs.buffer_behind(Pace::EVEN);
    let speculation = if costs.speculative { Speculation::On } else { Speculation::Off };
    let layout = layout::<W, R, F>(routes, &costs, buffer);
    let blocks = blocks(&layout, routes.wiring(), buffer);
    Engine {
        config: Config { routes, costs, timing, speculation },
        routing,
        now: 0,
        active: ActiveSet::new(blocks.len()),
        packets: Packets::new(blocks.len() * Layout::<W>::BLOCK, buffer),
        sources: Sources::new(layout.sources(), layout.vcs, buffer),
        flow: F::new(&timing),
        counter: Counter::new(traffic.counted()),
        injected: DelayLine::new(timing.inject),
        ends: Wheel::new(buffer.into()),
        scratch: Scratch::new(),
        schedule: Schedule::new(layout.sources()),
        traffic,
        blocks,
        layout,
    }
}

/// The numbering of VCs, with the sets of those that need special care.
fn layout<const W: usize, R: Routing<W>, F: Flow<W>>(routes: &Routes, costs: &RouterCosts, buffer: u32) -> Layout<W> {
    let mut layout = Layout::new(routes.wiring(), costs, routes.virtual_channels());
    // a port sends a flit a cycle to its node, which always has a free slot if the buffer covers the time until it is free again
    if R::ADAPTIVE || F::COUNTS_EJECTION || u64::from(buffer) < costs.timing.sink_credit {
        layout.counted = layout.ejection;
    }
    if let Some(first) = exclusive_from(routes) {
        layout.exclusive = layout.in_all_routers(|port| (port < layout.links).then_some(first));
    }
    layout
}

/// Blocks with empty buffers and free VCs, wired as `wiring`.
fn blocks<const W: usize, A: Allocator<W>>(layout: &Layout<W>, wiring: &dyn Wiring, buffer: u32) -> Vec<Block<W, A>> {
    let mut blocks: Vec<Block<W, A>> = (0..layout.blocks()).map(|number| Block::new(layout, number)).collect();
    let in_32_bits = |number: usize| narrow(number, "ports and routers are numbered with 32 bits");
    for router in 0..layout.routers {
        for port in 0..layout.links {
            let at = PortAt { router: in_32_bits(router), port: in_32_bits(port) };
            let place = |PortAt { router, port }, vc| layout.locate(router as usize, port as usize, vc);
            for vc in 0..layout.vcs {
                if let Some(to) = wiring.leads_to(at) {
                    open(&mut blocks, place(at, vc), place(to, vc), buffer);
                }
                if let Some(from) = wiring.comes_from(at) {
                    let (block, input) = place(at, vc).split();
                    blocks[block].inputs[input].filled_by = place(from, vc);
                }
            }
        }
    }
    for node in 0..layout.nodes() {
        let (block, _) = layout.entry(node * layout.injections, 0).split();
        for output in layout.to_node(node) {
            let place = layout.place_in(block, output);
            let endless = layout.is_endless(output);
            open(&mut blocks, place, Place::NOWHERE, buffer);
            if endless {
                blocks[block].outputs[output].credits = u32::MAX;
            }
        }
    }
    for source in 0..layout.sources() {
        for vc in 0..layout.vcs {
            let (block, input) = layout.entry(source, vc).split();
            blocks[block].inputs[input].filled_by = layout.place_at_source(source, vc);
        }
    }
    blocks
}

/// Makes the output VC at `place` free: it leads to an empty buffer of `buffer` flits at `to`, or to a node.
fn open<const W: usize, A>(blocks: &mut [Block<W, A>], place: Place, to: Place, buffer: u32) {
    let (block, vc) = place.split();
    let block = &mut blocks[block];
    block.free.insert(vc);
    block.with_credit.insert(vc);
    block.empty |= VcSet::single(vc);
    let output = &mut block.outputs[vc];
    output.credits = buffer;
    output.buffer = short(buffer as usize);
    output.leads_to = to;
}
