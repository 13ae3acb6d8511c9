//! Programs on pipelined routers of any microarchitecture: invariants of all options, and options that change nothing.
//!
//! Every run is that of a scenario: options are drawn as keys, and other values are set as by `flitwise run -s KEY=VALUE`.

use super::apart::KINDS;
use super::as_written::scenario_with;
use super::case::{Case, Fitting, RouterOptions};
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    ANY_THREADS, AS_WRITTEN, Broken, CUT_THROUGH, ENDS, FORMULA, FREE_IS_FREE, Law, NO_PANIC, NO_SOONER,
    NO_SPECULATION, ONE_ENGINE, OUTPUT_FIRST, PACKETS_CONSERVED, REPEATED,
};
use super::report::Shown;
use super::routers::Grants;
use super::strips;
use super::subject::{About, Effort, Specimen, Subject};
use super::worm_flit::PROGRAMS;
use crate::costs::{Buffer, STEP};
use crate::engine::program::{GoalProgram, TraceProgram};
use crate::engine::router::{BidChecks, Microarchitecture};
use crate::engine::{Outcome, Stop};
use crate::machine::{Draw, Machine, Routers};
use crate::routing::certificate::Verdict;
use crate::units::{NodeId, Ticks};

static ABOUT: About = About {
    name: "options",
    summary: "pipelined routers with random keys: general invariants, a formula for lone messages, and keys that change nothing",
    laws: &[
        &REPEATED,
        &ONE_ENGINE,
        &OUTPUT_FIRST,
        &CUT_THROUGH,
        &NO_SPECULATION,
        &FORMULA,
        &PACKETS_CONSERVED,
        &NO_SOONER,
        &FREE_IS_FREE,
        &ANY_THREADS,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(PROGRAMS)).and(FeatureSet::of(OWN)),
};

/// Features of pipelined routers of any microarchitecture.
pub(super) const OWN: &[Feature] = &[
    Feature::FewerVirtualChannels,
    Feature::Shared,
    Feature::NotSpeculative,
    Feature::LinkLatency,
    Feature::MoreVirtualChannels,
    Feature::Choosing,
    Feature::Allocators,
    Feature::SpeculationRules,
    Feature::Speedups,
    Feature::StageCycles,
    Feature::WholePackets,
    Feature::VcRequests,
    Feature::SharedBuffers,
    Feature::Priorities,
    Feature::Networks,
];

/// Keys that may be set without any effect on the times of messages.
struct Neutral {
    invariant: &'static Law,
    /// The keys and values, as `flitwise run` takes them.
    arguments: &'static str,
    /// Returns true if the invariant is about such routers.
    applies: fn(&Case, &RouterOptions) -> bool,
}

static NEUTRAL: [Neutral; 8] = [
    Neutral { invariant: &REPEATED, arguments: "", applies: |_, _| true },
    Neutral {
        invariant: &ONE_ENGINE,
        arguments: "-s router.output_queue=1048576",
        applies: |_, options| options.get("output_queue").is_none(),
    },
    Neutral {
        invariant: &ONE_ENGINE,
        arguments: "-s router.speculation_mask=requests",
        applies: |_, options| ["shared", ""].contains(&options.word("speculation_allocator").unwrap_or("")),
    },
    Neutral { invariant: &ONE_ENGINE, arguments: "-s router.networks=2", applies: |_, _| true },
    Neutral {
        invariant: &OUTPUT_FIRST,
        arguments: "-s router.vc_allocator=islip -s router.switch_allocator=islip",
        applies: is_output_first,
    },
    Neutral {
        invariant: &OUTPUT_FIRST,
        arguments: "-s router.vc_allocator=select -s router.switch_allocator=select",
        applies: is_output_first,
    },
    Neutral {
        invariant: &CUT_THROUGH,
        arguments: "-s router.switching=wormhole -s router.atomic=true",
        applies: |case, options| {
            let Buffer::Flits(buffer) = case.machine.channel.buffer else { return false };
            let fills = case.messages.list.iter().all(|message| message.flits.max(1) == buffer);
            let is_cut_through = options.word("switching") == Some("virtual-cut-through");
            fills && is_cut_through && !shares_buffers(options)
        },
    },
    Neutral {
        invariant: &NO_SPECULATION,
        arguments: "-s router.speculation_checks=none -s router.speculation_allocator=wavefront \
                    -s router.speculation_mask=requests",
        applies: |case, _| case.machine.routers.as_ref().is_some_and(|routers| !routers.speculative),
    },
];

/// Returns true if both allocators are `separable-output-first` with round-robin arbiters, and all requests are alike.
fn is_output_first(case: &Case, options: &RouterOptions) -> bool {
    let is_output_first = |key: &str| options.word(key) == Some("separable-output-first");
    let have_one_priority = !options.is_true("prefer_empty") && options.word("adaptive_choice") != Some("round-robin");
    let are_alike = have_one_priority && matches!(options.word("priority"), None | Some("none"));
    let has_arbiters = options.iter().any(|(key, _)| key.contains("arbiter"));
    let is_speculative = case.machine.routers.as_ref().is_none_or(|routers| routers.speculative);
    let has_both = is_output_first("vc_allocator") && is_output_first("switch_allocator");
    has_both && are_alike && !has_arbiters && !is_speculative
}

fn shares_buffers(options: &RouterOptions) -> bool {
    !matches!(options.word("buffer_policy"), None | Some("private"))
}

/// The area.
pub(super) struct Options;

impl Subject for Options {
    type Case = Case;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Case {
        let mut case = Case::draw_with_routers(swarm);
        make_pipelined(&mut case.machine, swarm);
        let buffer = case.machine.channel.buffer.without_delay();
        let theme = swarm.draw(0..8);
        match theme {
            0 => case.messages.list.truncate(1),
            1 => case.messages.list.iter_mut().for_each(|message| message.flits = buffer),
            2 => case.messages.list.iter_mut().for_each(|message| message.flits = message.flits.min(buffer)),
            _ => {}
        }
        let longest = case.messages.list.iter().map(|message| message.flits).max().unwrap_or(0);
        let machine = &case.machine;
        let fitting = Fitting { machine, longest, has_classes: false, options: RouterOptions::default() };
        let mut options = fitting.draw(swarm);
        match theme {
            1 => {
                options = options.with("switching", "\"virtual-cut-through\"");
                options = options.with("buffer_policy", "\"private\"");
            }
            3 if swarm.is_on(Feature::Allocators) => {
                for key in ["vc_allocator", "switch_allocator"] {
                    options = options.with(key, "\"separable-output-first\"");
                }
            }
            _ => {}
        }
        if let Some(routers) = &mut case.machine.routers {
            routers.options = options;
            routers.speculative &= theme != 3;
        }
        case
    }

    fn judge(&self, case: &Case) -> Result<Effort, Broken> {
        judge(case)
    }

    fn runs(&self, _: &Case, broken: &Broken) -> Vec<Shown> {
        let unchanged = Shown { name: "given", arguments: "" };
        let is_set = |neutral: &&Neutral| !neutral.arguments.is_empty() && broken.how.starts_with(neutral.arguments);
        let set = NEUTRAL.iter().find(is_set).map(|neutral| Shown { name: "set", arguments: neutral.arguments });
        [unchanged].into_iter().chain(set).collect()
    }
}

/// Makes the routers of `machine` pipelined.
pub(super) fn make_pipelined(machine: &mut super::case::Machine, swarm: &mut Swarm) {
    if let Some(routers) = &mut machine.routers {
        routers.pipelined = true;
        routers.speculative = !swarm.has(Feature::NotSpeculative, 0.5);
        routers.latency = if swarm.has(Feature::LinkLatency, 0.5) { swarm.draw(2..=3) } else { 1 };
    }
}

/// A run: its end, and its grants in order.
struct Ran {
    ended: Result<Outcome, Stop>,
    grants: Grants,
}

fn judge(case: &Case) -> Result<Effort, Broken> {
    let Some(routers) = case.machine.routers.as_ref().filter(|routers| routers.pipelined) else {
        return Ok(Effort::default());
    };
    let Some(scenario) = scenario_with(case, Vec::new())? else { return Ok(Effort::default()) };
    let machine = &scenario.points[0].experiment.machine;
    let Some(ran) = run(case, machine) else { return Ok(Effort::default()) };
    for neutral in NEUTRAL.iter().filter(|neutral| (neutral.applies)(case, &routers.options)) {
        compare(case, &ran, neutral)?;
    }
    strips::judge(machine)?;
    match &ran.ended {
        Ok(outcome) => {
            holds(case, machine, outcome)?;
            let messages = outcome.messages.len() as u64;
            Ok(Effort { messages, blocked: outcome.blocked_messages > 0, deadlocked: false })
        }
        Err(Stop::Deadlock(deadlock)) if is_free(machine) => Err(FREE_IS_FREE
            .broken(format!("the certificate declares the routers deadlock-free, but the run reports: {deadlock}"))),
        Err(Stop::Deadlock(_)) => {
            refused(case)?;
            Ok(Effort { messages: 0, blocked: true, deadlocked: true })
        }
        Err(_) => Ok(Effort::default()),
    }
}

/// `case`, a run of which was deadlocked, is refused where deadlocks are.
pub(super) fn refused(case: &impl Specimen) -> Result<(), Broken> {
    match scenario_with(case, vec!["router.allow_deadlock=false".to_owned()]) {
        Err(_) => Ok(()),
        Ok(Some(scenario)) if !scenario.points[0].experiment.machine.routers.as_ref().is_none_or(is_covered) => Ok(()),
        Ok(_) => Err(FREE_IS_FREE.broken("the scenario is accepted with `router.allow_deadlock=false`, but deadlocks")),
    }
}

/// Runs the messages of `case` on `machine`.
fn run(case: &Case, machine: &Machine) -> Option<Ran> {
    let mut grants = Grants::default();
    let draw = Draw { seed: 1, repetition: 0 };
    let ended = if case.messages.operations {
        let ranks = machine.nodes()?;
        let goal = case.messages.goal(ranks);
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId::new).collect();
        machine.run(GoalProgram::new(&goal, &nodes, &machine.node, 1), draw, &mut grants)
    } else {
        machine.run(TraceProgram::new(&case.messages.trace()), draw, &mut grants)
    }?;
    grants.sort();
    Some(Ran { ended, grants })
}

/// The run with `neutral` keys is the same.
fn compare(case: &Case, ran: &Ran, neutral: &Neutral) -> Result<(), Broken> {
    let Neutral { invariant, arguments, .. } = neutral;
    let set = arguments.split("-s ").map(|set| set.trim().to_owned()).filter(|set| !set.is_empty()).collect();
    let Some(scenario) = scenario_with(case, set)? else { return Ok(()) };
    let Some(other) = run(case, &scenario.points[0].experiment.machine) else { return Ok(()) };
    ran.grants.equal(&other.grants, invariant, format_args!("{arguments}: grants, without and with this"))?;
    match (&ran.ended, &other.ended) {
        (Ok(one), Ok(other)) => invariant.all_equal(
            format_args!("{arguments}: messages, without and with this"),
            &one.messages,
            &other.messages,
        ),
        (Err(one), Err(other)) => {
            let kind = std::mem::discriminant::<Stop>;
            invariant.equal(format_args!("{arguments}: end, without and with this"), &kind(one), &kind(other))
        }
        (one, other) => invariant.equal(
            format_args!("{arguments}: end, without and with this"),
            &one.as_ref().err(),
            &other.as_ref().err(),
        ),
    }
}

/// Returns true if the steps of routers differ from cycle to cycle, so that the time of a message depends on the cycle in which it
/// begins.
pub(super) fn has_fractional_steps(routers: &Routers) -> bool {
    !routers.costs.microarchitecture.crossbar.internal_speedup.is_multiple_of(STEP)
}

/// Returns true if a certificate of freedom from deadlock holds for `routers`. It presumes that virtual channels have slots of their
/// own, and that a request is granted at some time, which need not be where useless ones contend for a matching of maximum size.
pub(super) fn is_covered(routers: &Routers) -> bool {
    let Microarchitecture { bids, buffers, .. } = routers.costs.microarchitecture;
    let has_useless_bids = routers.costs.speculative && bids.checks == BidChecks::None;
    let can_starve = has_useless_bids && routers.costs.switch_allocator.name() == "max-size";
    buffers.has_own_slots() && !can_starve
}

fn is_free(machine: &Machine) -> bool {
    let Some(routers) = &machine.routers else { return false };
    let Some(links) = machine.spec().and_then(|spec| spec.links().ok()) else { return false };
    is_covered(routers) && routers.routes.certificate(links.as_ref(), routers.costs.atomic).verdict() == Verdict::Free
}

/// Checks a run in which all messages arrive.
fn holds(case: &Case, machine: &Machine, outcome: &Outcome) -> Result<(), Broken> {
    let Some(routers) = &machine.routers else { return Ok(()) };
    let flits = |id: usize| case.messages.list.get(id).map_or(1, |message| message.flits.max(1));
    if !case.messages.operations {
        PACKETS_CONSERVED.equal("messages, sent and delivered", &case.messages.list.len(), &outcome.messages.len())?;
        let crossed = outcome.messages.iter().enumerate().map(|(id, message)| flits(id) * u64::from(message.hops + 1));
        PACKETS_CONSERVED.equal(
            "flits through switches, expected from paths and counted",
            &crossed.sum::<u64>(),
            &outcome.events,
        )?;
        for (id, message) in outcome.messages.iter().enumerate() {
            if has_fractional_steps(routers) {
                continue;
            }
            let latency = routers.costs.timing.unloaded(message.hops.into(), flits(id)) * machine.channel.flit_time;
            if message.delivered < message.requested + Ticks(latency) {
                return Err(NO_SOONER.broken(format!("message {id} takes less than {latency} ticks: {message:?}")));
            }
        }
    }
    match (outcome.messages.as_slice(), case.messages.operations) {
        ([message], false) => match formula(case, message.hops.into(), flits(0)) {
            Some(cycles) => {
                let cycle = machine.channel.flit_time;
                let due = (message.requested.0.div_ceil(cycle) + cycles) * cycle;
                FORMULA.equal("arrival, by the formula and of the run", &Ticks(due), &message.delivered)
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The cycles of a lone message of `flits` flits over `hops` links, by the sum of its stages. `None` if links differ, if its flits
/// may wait for credits or for each other, if speculation may fail, and if several steps a cycle have no simple sum.
fn formula(case: &Case, hops: u64, flits: u64) -> Option<u64> {
    let routers = case.machine.routers.as_ref()?;
    let options = &routers.options;
    let network = case.machine.network()?;
    let fits = flits <= case.machine.channel.buffer.without_delay() && !shares_buffers(options);
    let flows = flits == 1 || fits && !options.is_true("batched_stages");
    // a speculative grant for one of several outputs is wasted if the virtual channel is one of another
    let has_choice = case.machine.routes()?.is_adaptive() || network.channels().ejection_ports() > 1;
    if !flows || network.channels().own_costs().is_some() || routers.speculative && has_choice {
        return None;
    }
    let [vc, switch, traversal] = ["vc_cycles", "switch_cycles", "traversal_cycles"].map(|key| options.integer(key, 1));
    let routing = case.machine.channel.routing_delay / case.machine.channel.flit_time;
    let allocation = if routers.speculative { vc.max(switch) } else { vc + switch };
    let stages = routing + allocation + traversal;
    let has_single_steps = [vc, switch, traversal] == [1; 3] && routing <= 1;
    let router = match options.get("internal_speedup") {
        None => stages,
        Some("2.0") if has_single_steps => stages.div_ceil(2),
        Some("3.0") if has_single_steps => stages.div_ceil(3),
        Some(_) => return None,
    };
    let is_stored = options.word("switching") == Some("store-and-forward");
    let stored = if is_stored { (flits - 1) * (hops + 1) } else { 0 };
    let link = routers.latency;
    Some(1 + link + (hops + 1) * (router + link) + flits - 1 + stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn drawn(number: u64) -> Case {
        Options.draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..300).find_map(|number| Some((number, judge(&drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    #[test]
    fn every_invariant_has_cases() {
        let cases: Vec<Case> = (0..1000).map(drawn).collect();
        let applies = |neutral: &Neutral| {
            let is_one = |case: &&Case| {
                case.machine.routers.as_ref().is_some_and(|routers| (neutral.applies)(case, &routers.options))
            };
            cases.iter().filter(is_one).count()
        };
        assert!(NEUTRAL.iter().all(|neutral| applies(neutral) > 20));
        assert!(
            cases.iter().filter(|case| formula(case, 1, 1).is_some() && case.messages.list.len() == 1).count() > 20
        );
    }
}
