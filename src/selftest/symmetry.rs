//! What cannot change when everything takes longer or begins later, up to what the clock holds, and when messages that are never
//! met are taken away.

use super::apart::KINDS;
use super::case::{Case, Messages, Routers};
use super::features::{FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, BEGUN_LATER, Broken, ENDS, Law, NO_PANIC, SLOWED_DOWN, STRANGERS, UP_TO_THE_CLOCK};
use super::report::Shown;
use super::routers::{OWN, Setting};
use super::slower::Slower;
use super::subject::{About, Effort, Subject};
use super::worm_flit::PROGRAMS;
use crate::costs::{Buffer, ChannelCosts, NodeCosts};
use crate::engine::program::{GoalProgram, TraceProgram};
use crate::engine::router::{AllocatorChoice, run_program};
use crate::engine::{Engine, MessageOutcome, Stop};
use crate::units::{ChannelId, NodeId, Ticks};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

static ABOUT: About = About {
    name: "symmetry",
    summary: "runs compared with the same runs with longer durations, at a later time, and without unrelated messages",
    laws: &[&SLOWED_DOWN, &BEGUN_LATER, &UP_TO_THE_CLOCK, &STRANGERS, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// What runs a case: the engines, or in tests one that is broken on purpose. None of what it is not asked to run.
type Runner = fn(&Case, Pace) -> Option<Ran>;

/// How a run ended: with what messages took, or before that.
type Ran = Result<Vec<MessageOutcome>, Stop>;

/// How long everything takes, and when everything begins.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// By this everything takes longer.
    factor: u64,
    /// By so many ticks everything begins later.
    later: u64,
}

/// As the case says.
const PLAIN: Pace = Pace { factor: 1, later: 0 };

/// Three times as long.
const SLOW: Pace = Pace { factor: 3, later: 0 };

/// How much later runs begin, in flit times.
const LATER: u64 = 1_000_001;

/// The area with the engines of this crate.
pub(super) struct Symmetry;

impl Subject for Symmetry {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// With routers and without.
    fn draw(&self, swarm: &mut Swarm) -> Case {
        if swarm.toss(0.5) { Case::draw_with_routers(swarm) } else { Case::draw(swarm) }
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        judge(ours, case)
    }

    fn runs(&self, case: &Case, _: &Broken) -> Vec<Shown> {
        let router = Shown { name: "router", arguments: "-s engine.kind=router" };
        let auto = Shown { name: "auto", arguments: "-s engine.kind=auto" };
        vec![if case.machine.routers.is_some() { router } else { auto }]
    }
}

/// Holds `case` against all laws on `runner`.
fn judge(runner: Runner, case: &Case) -> Result<Effort, Broken> {
    let Some(plain) = runner(case, PLAIN) else { return Ok(Effort::default()) };
    let against = Against { case, plain: &plain };
    against.at(&SLOWED_DOWN, runner, SLOW)?;
    if let Ok(messages) = &plain {
        against.up_to_the_clock(runner, last(case, messages))?;
    }
    if !case.messages.operations {
        let later = LATER * case.machine.channel.flit_time;
        against.at(&BEGUN_LATER, runner, Pace { later, ..PLAIN })?;
        against.without_strangers(runner)?;
    }
    Ok(match &plain {
        Ok(messages) => {
            let blocked = messages.iter().any(|message| message.blocked_headers > 0);
            Effort { messages: messages.len() as u64, blocked, deadlocked: false }
        }
        Err(Stop::Deadlock(_)) => Effort { messages: 0, blocked: true, deadlocked: true },
        Err(_) => Effort::default(),
    })
}

/// A run that others are held against.
#[derive(Clone, Copy)]
struct Against<'a> {
    case: &'a Case,
    plain: &'a Ran,
}

impl Against<'_> {
    /// A run at another pace: every time is what the pace makes of it.
    fn at(self, law: &'static Law, runner: Runner, pace: Pace) -> Result<(), Broken> {
        match (runner(self.case, pace), self.plain) {
            (None, _) => Ok(()),
            (Some(Ok(ran)), Ok(plain)) => {
                let expected: Vec<MessageOutcome> = plain.iter().map(|message| pace.of(message)).collect();
                law.all_equal(format_args!("messages at {pace:?}, run and expected"), &ran, &expected)
            }
            (Some(ran), plain) => law.equal(
                format_args!("end of the run at {pace:?} and unchanged"),
                &ran.as_ref().err().map(in_words),
                &plain.as_ref().err().map(in_words),
            ),
        }
    }

    /// Where the `last` time is the last that there is.
    fn up_to_the_clock(self, runner: Runner, last: u64) -> Result<(), Broken> {
        let law = &UP_TO_THE_CLOCK;
        self.at(law, runner, Pace { factor: (Ticks::END.0 - 1) / last, later: 0 })?;
        if self.case.messages.operations {
            return Ok(());
        }
        let flit_time = self.case.machine.channel.flit_time;
        self.at(law, runner, Pace { factor: 1, later: (Ticks::END.0 - 1 - last) / flit_time * flit_time })
    }

    /// Messages that share channels with each other, directly or over others, run alone.
    fn without_strangers(self, runner: Runner) -> Result<(), Broken> {
        // packets that find their way draw by their number, and meet others than those on their paths; the state of some
        // allocators depends on all requests of their router
        let machine = &self.case.machine;
        let depends_on_strangers = |routers: &Routers| {
            let shares_state = [routers.vc_allocator, routers.switch_allocator].iter().any(shares_state);
            shares_state || !machine.fixes_paths()
        };
        if machine.routers.as_ref().is_some_and(depends_on_strangers) {
            return Ok(());
        }
        let groups = acquainted(self.case);
        if groups.len() < 2 {
            return Ok(());
        }
        let mut ended = true;
        for group in groups {
            let list = group.iter().map(|&message| self.case.messages.list[message].clone()).collect();
            let alone = Case { messages: Messages { list, operations: false }, ..self.case.clone() };
            match (runner(&alone, PLAIN), self.plain) {
                (Some(Ok(ran)), Ok(plain)) => {
                    let expected: Vec<MessageOutcome> = group.iter().map(|&message| plain[message]).collect();
                    STRANGERS.all_equal(format_args!("messages {group:?} alone and among others"), &ran, &expected)?;
                }
                (ran, _) => ended &= matches!(ran, Some(Ok(_))),
            }
        }
        STRANGERS.equal("arrival of all messages, by group and together", &ended, &self.plain.is_ok())
    }
}

/// True for allocators whose grants at one output depend on earlier requests for other outputs of the router: the first diagonal
/// of the wavefront allocators, or the first input of `max-size`, moves with every allocation.
fn shares_state(allocator: &AllocatorChoice) -> bool {
    matches!(allocator.name(), "wavefront" | "rr-wavefront" | "max-size")
}

/// Why a run ended early, without the time at which that was found.
fn in_words(stop: &Stop) -> String {
    match stop {
        Stop::Deadlock(deadlock) => format!("deadlock of {:?}, with the cycle {:?}", deadlock.waiting, deadlock.cycle),
        other => other.to_string(),
    }
}

impl Pace {
    /// What `message` takes at this pace.
    fn of(self, message: &MessageOutcome) -> MessageOutcome {
        let at = |Ticks(time)| Ticks(time * self.factor + self.later);
        let mut moved = *message;
        for time in [&mut moved.requested, &mut moved.injected, &mut moved.delivered, &mut moved.received] {
            *time = at(*time);
        }
        moved.blocked_time = Ticks(message.blocked_time.0 * self.factor);
        moved
    }

    fn costs(self, costs: ChannelCosts) -> ChannelCosts {
        let flit_time = costs.flit_time * self.factor;
        ChannelCosts { flit_time, routing_delay: costs.routing_delay * self.factor, ..costs }
    }

    fn node(self, node: NodeCosts) -> NodeCosts {
        NodeCosts {
            send_setup: node.send_setup * self.factor,
            send_per_flit: node.send_per_flit * self.factor,
            receive_setup: node.receive_setup * self.factor,
            receive_per_flit: node.receive_per_flit * self.factor,
            hold_setup: node.hold_setup * self.factor,
            hold_per_flit: node.hold_per_flit * self.factor,
            ..node
        }
    }

    /// `case` at this pace, but for what its links take.
    fn case(self, case: &Case) -> Case {
        let mut moved = case.clone();
        moved.machine.channel = self.costs(case.machine.channel);
        moved.machine.node = self.node(case.machine.node);
        for message in &mut moved.messages.list {
            message.start = message.start * self.factor + self.later;
        }
        moved
    }
}

/// The largest time of a run of `case` that ended with `messages`: when the last was there, or what the arithmetic of the worm
/// engine puts between the starts of a head flit, if that is more. At least 1.
fn last(case: &Case, messages: &[MessageOutcome]) -> u64 {
    let ended = messages.iter().map(|message| message.delivered.max(message.received).0).max();
    let offset = case.machine.network().map_or(0, |network| {
        let own = network.channels().own_costs();
        let slowest = own.map_or(0, |own| own.largest.flit_time.0).max(case.machine.channel.flit_time);
        let delay = own.map_or(0, |own| own.largest.delay.0);
        let channels = messages.iter().map(|message| u64::from(message.hops) + 2).max();
        let buffer = match (case.machine.channel.buffer, own) {
            (Buffer::RoundTrip, Some(own)) => own.farthest_cost.covering_buffer(),
            (buffer, _) => buffer.without_delay(),
        };
        channels.map_or(0, |channels| (buffer * slowest + delay) * channels)
    });
    ended.max(Some(offset)).unwrap_or(1).max(1)
}

/// The messages of `case` by their places, in groups that share physical channels, directly or over others of the group.
fn acquainted(case: &Case) -> Vec<Vec<usize>> {
    let Some(network) = case.machine.network() else { return Vec::new() };
    let list = &case.messages.list;
    let mut groups = UnionFind::<usize>::new(list.len());
    let mut first: BTreeMap<ChannelId, usize> = BTreeMap::new();
    let mut path = Vec::new();
    for (at, message) in list.iter().enumerate() {
        path.clear();
        network.route(NodeId(message.src), NodeId(message.dst), &mut path);
        for &channel in &path {
            let other = *first.entry(network.channels().physical(channel)).or_insert(at);
            groups.union(at, other);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.into_labeling().into_iter().enumerate() {
        members.entry(group).or_default().push(at);
    }
    members.into_values().collect()
}

/// Runs `case` at `pace` on the engine that it is for; none where that is not known to keep to the laws.
fn ours(case: &Case, pace: Pace) -> Option<Ran> {
    let moved = pace.case(case);
    if case.machine.routers.is_some() { on_routers(&moved, pace) } else { on_channels(&moved, pace) }
}

fn on_channels(case: &Case, pace: Pace) -> Option<Ran> {
    let own = case.machine.network()?;
    let network = Slower { network: &*own, factor: pace.factor };
    let ranks = own.channels().nodes();
    let costs = case.machine.channel;
    let ended = if case.messages.operations {
        let goal = case.messages.goal(ranks);
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        let program = GoalProgram::new(&goal, &nodes, &case.machine.node, 1);
        Engine::Auto.run(&network, costs, program, &mut ())
    } else {
        Engine::Auto.run(&network, costs, TraceProgram::new(&case.messages.trace()), &mut ())
    };
    Some(ended.map(|outcome| outcome.messages))
}

/// None where everything is to take longer, and there are links with costs of their own, which are as fast as they are.
fn on_routers(case: &Case, pace: Pace) -> Option<Ran> {
    let setting = Setting::from_machine(&case.machine)?;
    let network = &setting.network;
    if pace.factor > 1 && network.channels().own_costs().is_some() {
        return None;
    }
    let ended = setting.with(|setup| {
        if case.messages.operations {
            let goal = case.messages.goal(network.channels().nodes());
            let nodes: Vec<NodeId> = (0..network.channels().nodes()).map(NodeId::new).collect();
            run_program(setup, GoalProgram::new(&goal, &nodes, &case.machine.node, 1), &mut ())
        } else {
            run_program(setup, TraceProgram::new(&case.messages.trace()), &mut ())
        }
    });
    Some(ended.map(|outcome| outcome.messages))
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::*;
    use crate::random;

    fn drawn(number: u64) -> Case {
        Symmetry.draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..600).find_map(|number| Some((number, judge(ours, &drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    /// An engine that knows a time: what is asked for in the very first tick goes a tick later.
    fn late(case: &Case, pace: Pace) -> Option<Ran> {
        let mut ran = ours(case, pace)?;
        for message in ran.iter_mut().flatten() {
            message.delivered.0 += u64::from(message.requested == Ticks::ZERO);
        }
        Some(ran)
    }

    /// An engine on which the last message is not alone in the world.
    fn crowded(case: &Case, pace: Pace) -> Option<Ran> {
        let mut ran = ours(case, pace)?;
        let count = ran.as_ref().map_or(0, |messages| messages.len() as u64);
        if let Some(last) = ran.as_mut().ok().and_then(|messages| messages.last_mut()) {
            last.delivered.0 += count * pace.factor;
        }
        Some(ran)
    }

    /// An engine whose times go through floating point, which has 53 bits.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "on purpose"
    )]
    fn rounded(case: &Case, pace: Pace) -> Option<Ran> {
        let mut ran = ours(case, pace)?;
        for message in ran.iter_mut().flatten() {
            message.delivered.0 = message.delivered.0 as f64 as u64;
        }
        Some(ran)
    }

    #[test]
    fn planted_differences_are_found_and_little_is_left() {
        for (runner, law) in
            [(late as Runner, "slowed-down"), (crowded, "independent-groups"), (rounded, "largest-times")]
        {
            let first = (0..500).find_map(|number| Some((drawn(number), judge(runner, &drawn(number)).err()?)));
            let Some((case, broken)) = first else { panic!("nothing is found") };
            let small = minimise(case, broken, |case| judge(runner, case).err());
            assert_eq!(small.broken.law.name, law);
            assert!(small.case.messages.list.len() <= 2, "{:?}", small.case);
        }
    }

    #[test]
    fn messages_that_meet_are_in_one_group() {
        let grouped = (0..300).map(|number| acquainted(&drawn(number)).len()).filter(|&groups| groups > 1).count();
        assert!(grouped > 50, "{grouped}");
    }
}
