//! Cases that are a little smaller or plainer than a case: candidates for the smallest that still shows a difference.

use super::smaller_topology::{even, topologies};
use super::{Case, Machine, Message, Messages, Routers, Topology};
use crate::costs::{Buffer, ChannelCosts, NodeCosts};
use crate::engine::router::AllocatorChoice;
use std::ops::Range;

/// The cases that are smaller than `case` by a step, the largest steps first.
pub(crate) fn smaller(case: &Case) -> Vec<Case> {
    let with_messages = |messages| Case { messages, ..case.clone() };
    let mut cases: Vec<Case> = fewer_messages(&case.messages).into_iter().map(with_messages).collect();
    cases.extend(
        topologies(&case.machine.topology, case.machine.channel.flit_time)
            .into_iter()
            .filter_map(|topology| on(case, topology)),
    );
    let with_machine = |machine| Case { machine, ..case.clone() };
    cases.extend(plainer_machines(&case.machine).into_iter().map(with_machine));
    cases.extend(plainer_messages(&case.messages).into_iter().map(with_messages));
    cases
}

/// The machines that are smaller or plainer than `machine` by a step, the largest steps first.
pub(crate) fn machines(machine: &Machine) -> Vec<Machine> {
    let on = |topology| {
        let mut smaller = Machine { topology, ..machine.clone() };
        smaller.settle();
        smaller
    };
    let mut all: Vec<Machine> = topologies(&machine.topology, machine.channel.flit_time).into_iter().map(on).collect();
    all.retain(|smaller| smaller.topology != machine.topology);
    all.extend(plainer_machines(machine));
    all
}

/// The messages of `case` on another network; those of nodes that it has not are of others.
fn on(case: &Case, topology: Topology) -> Option<Case> {
    let mut smaller = case.clone();
    smaller.machine.topology = topology;
    smaller.machine.settle();
    if smaller.machine.topology == case.machine.topology {
        return None;
    }
    let nodes = u32::try_from(smaller.machine.network()?.channels().nodes()).ok().filter(|&nodes| nodes > 0)?;
    for message in &mut smaller.messages.list {
        message.src %= nodes;
        message.dst %= nodes;
    }
    Some(smaller)
}

/// Without half of the messages, a quarter, and so on to each one.
fn fewer_messages(messages: &Messages) -> Vec<Messages> {
    let count = messages.list.len();
    let mut fewer = Vec::new();
    let mut size = count.div_ceil(2);
    while size > 0 && count > 1 {
        let starts = (0..count).step_by(size);
        fewer.extend(starts.map(|from| without(messages, from..(from + size).min(count))));
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    fewer.retain(|messages| !messages.list.is_empty());
    fewer
}

/// Without those in `gone`: what waited for them waits no more.
fn without(messages: &Messages, gone: Range<usize>) -> Messages {
    let mut left = messages.clone();
    left.list.drain(gone.clone());
    for message in &mut left.list {
        message.after.retain(|after| !gone.contains(&after.message));
        message
            .after
            .iter_mut()
            .filter(|after| after.message >= gone.end)
            .for_each(|after| after.message -= gone.len());
    }
    left
}

/// With one of the messages shorter, sooner, or waiting for less.
fn plainer_messages(messages: &Messages) -> Vec<Messages> {
    let mut plainer = Vec::new();
    let is_free = |messages: &Messages| messages.list.iter().all(|message| message.after.is_empty() && !message.any);
    if messages.operations && is_free(messages) {
        plainer.push(Messages { operations: false, ..messages.clone() });
    }
    for at in 0..messages.list.len() {
        let mut change = |change: &dyn Fn(&mut Message)| {
            let mut changed = messages.clone();
            change(&mut changed.list[at]);
            if changed != *messages {
                plainer.push(changed);
            }
        };
        change(&|message| message.after.clear());
        change(&|message| message.after.iter_mut().for_each(|after| after.started = false));
        change(&|message| message.any = false);
        let flits = messages.list[at].flits;
        let start = messages.list[at].start;
        for fewer in [1, flits / 2, flits.saturating_sub(1)] {
            change(&|message| message.flits = fewer.min(flits));
        }
        for sooner in [0, start / 2, start.saturating_sub(1)] {
            change(&|message| message.start = sooner);
        }
    }
    plainer
}

/// With costs that are those of a plain machine, or less.
fn plainer_machines(machine: &Machine) -> Vec<Machine> {
    let mut plainer = Vec::new();
    let mut push = |changed: Machine| plainer.push(changed);
    let ports = machine.node.ports;
    if machine.node != NodeCosts::default().ports(ports) {
        push(Machine { node: NodeCosts::default().ports(ports), ..machine.clone() });
        each_overhead(&machine.node).into_iter().for_each(|node| push(Machine { node, ..machine.clone() }));
    }
    if ports > 1 {
        push(Machine { node: NodeCosts { ports: ports - 1, ..machine.node }, ..machine.clone() });
    }
    if machine.ejection.is_some() {
        push(Machine { ejection: None, ..machine.clone() });
    }
    let channel = machine.channel;
    let ChannelCosts { flit_time, buffer, routing_delay } = channel;
    let plain = |channel: ChannelCosts| Machine { channel, ..machine.clone() };
    if let Buffer::Flits(flits) = buffer {
        push(plain(ChannelCosts { buffer: Buffer::RoundTrip, ..channel }));
        for fewer in [1, flits / 2, flits - 1].into_iter().filter(|fewer| (1..flits).contains(fewer)) {
            push(plain(ChannelCosts { buffer: Buffer::Flits(fewer), ..channel }));
        }
    }
    if routing_delay > 0 {
        push(plain(ChannelCosts { routing_delay: 0, ..channel }));
        push(plain(ChannelCosts { routing_delay: routing_delay.saturating_sub(flit_time), ..channel }));
    }
    if flit_time > 1 {
        let routing_delay = routing_delay / flit_time;
        push(Machine {
            channel: ChannelCosts { flit_time: 1, routing_delay, ..channel },
            topology: even(&machine.topology, 1),
            ..machine.clone()
        });
    }
    plainer.extend(plainer_routers(machine));
    plainer
}

/// With one of the overheads none.
fn each_overhead(node: &NodeCosts) -> Vec<NodeCosts> {
    let all = [
        NodeCosts { send_setup: 0, ..*node },
        NodeCosts { send_per_flit: 0, ..*node },
        NodeCosts { receive_setup: 0, ..*node },
        NodeCosts { receive_per_flit: 0, ..*node },
        NodeCosts { hold_setup: 0, ..*node },
        NodeCosts { hold_per_flit: 0, ..*node },
    ];
    all.into_iter().filter(|other| other != node).collect()
}

fn plainer_routers(machine: &Machine) -> Vec<Machine> {
    let Some(routers) = &machine.routers else { return Vec::new() };
    let mut plainer = Vec::new();
    if routers.routing.is_some() {
        plainer.push(Routers { routing: None, ..routers.clone() });
    }
    let all = routers.virtual_channels;
    plainer.extend(
        [1, all - 1]
            .into_iter()
            .filter(|fewer| (1..all).contains(fewer))
            .map(|virtual_channels| Routers { virtual_channels, ..routers.clone() }),
    );
    if routers.latency > 1 {
        plainer.push(Routers { latency: 1, ..routers.clone() });
    }
    let [vc_cycles, switch_cycles] = ["vc_cycles", "switch_cycles"].map(|key| routers.options.integer(key, 1));
    if !routers.speculative && vc_cycles <= switch_cycles {
        plainer.push(Routers { speculative: true, ..routers.clone() });
    }
    let default = AllocatorChoice::default();
    if !routers.vc_allocator.is_default() {
        plainer.push(Routers { vc_allocator: default, ..routers.clone() });
    }
    if !routers.switch_allocator.is_default() {
        plainer.push(Routers { switch_allocator: default, ..routers.clone() });
    }
    plainer.extend(routers.options.fewer().map(|options| Routers { options, ..routers.clone() }));
    let is_plain = routers.options.is_empty() && [routers.vc_allocator, routers.switch_allocator] == [default; 2];
    if routers.pipelined && is_plain {
        plainer.push(Routers { pipelined: false, latency: 1, speculative: true, ..routers.clone() });
    }
    if !routers.atomic {
        plainer.push(Routers { atomic: true, ..routers.clone() });
    }
    let with = |routers| {
        let mut plainer = Machine { routers: Some(routers), ..machine.clone() };
        plainer.settle();
        plainer
    };
    plainer.into_iter().map(with).collect()
}
