//! A case as a scenario, with the files that it names.

use super::{Case, Machine, Topology};
use crate::costs::Buffer;
use crate::engine::router::AllocatorChoice;
use crate::network::{NetworkSpec, Parameter};
use crate::selftest::report::CaseFile;
use crate::topology::Ejection;
use std::fmt::Write as _;

/// What the files of a case are called.
const SCENARIO: &str = "case.toml";
const GRAPH: &str = "graph.csv";
const TRACE: &str = "messages.csv";
const GOAL: &str = "operations.goal";

/// The scenario of `case`, called `name`, and the files that it names; `about` stands above it.
pub(crate) fn written(case: &Case, name: &str, about: &str) -> Vec<CaseFile> {
    let Case { machine, messages } = case;
    let (mut text, mut files) = in_scenario(machine, name, about, messages.operations);
    let (kind, file) = if messages.operations {
        ("goal", CaseFile { name: GOAL, text: goal(case) })
    } else {
        ("trace", CaseFile { name: TRACE, text: trace(case) })
    };
    let _ = writeln!(text, "[workload.{kind}]\nfile = \"{}\"", file.name);
    if messages.operations {
        text += "flit_bytes = 1\n";
    }
    files.push(file);
    files.insert(0, CaseFile { name: SCENARIO, text });
    files
}

/// What the scenario of a case, called `name`, says of `machine`, and the files that this names; `about` stands above it.
pub(crate) fn in_scenario(machine: &Machine, name: &str, about: &str, has_overheads: bool) -> (String, Vec<CaseFile>) {
    let mut text = String::new();
    about.lines().for_each(|line| text += &format!("# {line}\n"));
    let _ = writeln!(text, "\nname = \"{name}\"\n"); // a string takes everything
    text += &network(&machine.topology);
    text += &channel(machine);
    text += &node(machine, has_overheads);
    text += &router(machine);
    let mut files = Vec::new();
    if let Topology::Graph(graph) = &machine.topology {
        files.push(CaseFile { name: GRAPH, text: graph.csv() });
    }
    (text, files)
}

/// A table of which no line is written where it is empty.
pub(super) fn table(name: &str, keys: &[(&str, String)]) -> String {
    if keys.is_empty() {
        return String::new();
    }
    let lines = keys.iter().map(|(key, value)| format!("{key} = {value}\n"));
    format!("[{name}]\n{}\n", lines.collect::<String>())
}

fn network(topology: &Topology) -> String {
    let name = format!("network.{}", topology.kind());
    if let Topology::Keyed(case) = topology {
        return table(&name, &written_keys(case.keys()));
    }
    let Some(spec) = topology.spec() else { return table(&name, &[("file", format!("\"{GRAPH}\""))]) };
    // these two are keys of other tables
    let own = spec.parameters().into_iter().filter(|(key, _)| !ELSEWHERE.contains(key));
    let keys: Vec<(&str, String)> = own.map(|(key, value)| (key, in_toml(&value))).collect();
    table(&name, &keys)
}

/// Keys of a network with their values.
pub(super) fn written_keys(keys: &[(&'static str, Parameter)]) -> Vec<(&'static str, String)> {
    keys.iter().map(|(key, value)| (*key, in_toml(value))).collect()
}

/// What networks are known by that is said in `[channel]` and `[router]`.
const ELSEWHERE: [&str; 4] = ["virtual_channels", "routing", "ugal_threshold", "parallel"];

fn in_toml(value: &Parameter) -> String {
    match value {
        Parameter::Boolean(value) => value.to_string(),
        Parameter::Integer(number) => number.to_string(),
        Parameter::Integers(numbers) => format!("{numbers:?}"),
        Parameter::Rows(rows) => format!("{rows:?}"),
        Parameter::Words(words) => format!("{words:?}"),
        Parameter::Word(word) => format!("\"{word}\""),
        Parameter::Text(text) => format!("{text:?}"),
    }
}

fn channel(machine: &Machine) -> String {
    let channel = &machine.channel;
    let own = machine.topology.virtual_channels();
    let virtual_channels = machine.routers.as_ref().map_or(own, |routers| routers.virtual_channels.into());
    let buffer = match channel.buffer {
        Buffer::Flits(flits) => Some(("buffer", flits)),
        Buffer::RoundTrip => None,
    };
    let others = [("routing_delay", channel.routing_delay), ("virtual_channels", virtual_channels)];
    let keys = [("flit_time", channel.flit_time)].into_iter().chain(buffer).chain(others);
    let keys: Vec<(&str, String)> = keys.map(|(key, value)| (key, value.to_string())).collect();
    table("channel", &keys)
}

fn node(machine: &Machine, has_overheads: bool) -> String {
    let node = &machine.node;
    let mut keys = vec![("ports", node.ports.to_string())];
    match machine.ejection {
        None => {}
        Some(Ejection::Channels(channels)) => keys.push(("ejection_ports", channels.to_string())),
        Some(Ejection::Unlimited) => keys.push(("ejection_ports", "\"unlimited\"".to_owned())),
    }
    if has_overheads {
        let overheads = [
            ("send_setup", node.send_setup),
            ("send_per_flit", node.send_per_flit),
            ("receive_setup", node.receive_setup),
            ("receive_per_flit", node.receive_per_flit),
            ("hold_setup", node.hold_setup),
            ("hold_per_flit", node.hold_per_flit),
        ];
        keys.extend(overheads.map(|(key, value)| (key, value.to_string())));
        let combining = [("reduce_setup", node.reduce_setup), ("reduce_per_flit", node.reduce_per_flit)];
        let some = combining.into_iter().filter(|(_, ticks)| *ticks > 0);
        keys.extend(some.map(|(key, ticks)| (key, ticks.to_string())));
    }
    table("node", &keys)
}

/// The two keys of an allocator, as far as they are needed.
fn allocator([name, iterations]: [&'static str; 2], choice: AllocatorChoice) -> Vec<(&'static str, String)> {
    let named = (!choice.is_default()).then(|| (name, format!("\"{}\"", choice.name())));
    let repeated = (choice.iterations() > 1).then(|| (iterations, choice.iterations().to_string()));
    named.into_iter().chain(repeated).collect()
}

/// `[router]`: the routing of the network, and what routers are like.
fn router(machine: &Machine) -> String {
    let mut keys: Vec<(&str, String)> = Vec::new();
    if let Some(routers) = &machine.routers {
        let model = if routers.pipelined { "pipelined" } else { "ideal" };
        keys.push(("model", format!("\"{model}\"")));
        keys.push(("atomic", routers.atomic.to_string()));
        if routers.pipelined {
            keys.push(("speculative", routers.speculative.to_string()));
            keys.extend(allocator(["vc_allocator", "vc_iterations"], routers.vc_allocator));
            keys.extend(allocator(["switch_allocator", "switch_iterations"], routers.switch_allocator));
            keys.push(("channel_latency", routers.latency.to_string()));
        }
        keys.extend(routers.options.iter().map(|(key, value)| (*key, value.clone())));
        keys.push(("allow_deadlock", "true".to_owned()));
    }
    match &machine.topology {
        Topology::Graph(graph) => keys.extend(graph.router_keys()),
        Topology::Keyed(case) => keys.extend(case.routing().map(|name| ("routing", format!("\"{name}\"")))),
        Topology::FatTree(_) | Topology::Dragonfly(_) | Topology::HyperX(_) => {
            let parameters = machine.topology.spec().map(NetworkSpec::parameters).unwrap_or_default();
            let said = parameters.into_iter().filter(|(key, _)| *key != ELSEWHERE[0] && ELSEWHERE.contains(key));
            keys.extend(said.map(|(key, value)| (key, in_toml(&value))));
        }
        _ => {
            let routing = machine.routers.as_ref().and_then(|routers| routers.routing);
            keys.extend(routing.map(|routing| ("routing", format!("\"{}\"", routing.name))));
        }
    }
    table("router", &keys)
}

fn trace(case: &Case) -> String {
    let mut text = "id,src,dst,flits,start\n".to_owned();
    for (id, message) in case.messages.list.iter().enumerate() {
        let _ = writeln!(text, "{id},{},{},{},{}", message.src, message.dst, message.flits, message.start); // a string takes everything
    }
    text
}

fn goal(case: &Case) -> String {
    let ranks = case.machine.network().map_or(0, |network| network.channels().nodes());
    let mut text = Vec::new();
    let _ = case.messages.goal(ranks).write_text(&mut text); // a vector takes everything
    String::from_utf8_lossy(&text).into_owned()
}

/// How large `case` is.
pub(crate) fn describe(case: &Case) -> String {
    let nodes = case.machine.network().map_or(0, |network| network.channels().nodes());
    let messages = case.messages.list.len();
    let flits: u64 = case.messages.list.iter().map(|message| message.flits.max(1)).sum();
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    format!(
        "{} of {nodes} node{}, {messages} message{}, {flits} flit{}",
        case.machine.topology.kind(),
        plural(nodes as u64),
        plural(messages as u64),
        plural(flits)
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::engine::program::TraceProgram;
    use crate::engine::router::{Setup, run_program};
    use crate::engine::{Engine, Outcome, Stop};
    use crate::machine::Draw;
    use crate::random;
    use crate::scenario::{Options, Scenario};
    use crate::schedule::goal::Goal;
    use crate::selftest::features::{Feature, FeatureSet, Swarm};
    use crate::units::MessageId;
    use crate::workload::trace::Trace;
    use std::path::Path;

    /// The messages of `case` at their fixed times, on its own machine.
    fn ran(case: &Case) -> Result<Outcome, Stop> {
        let trace = case.messages.trace();
        let program = TraceProgram::new(&trace);
        let machine = &case.machine;
        let network = machine.network().unwrap();
        let Some(costs) = machine.router_costs(&*network) else {
            return Engine::Auto.run(&*network, machine.channel, program, &mut ());
        };
        let routes = machine.routes().unwrap();
        let fixed = machine.fixes_paths().then_some(&*network);
        let key = Draw { seed: 1, repetition: 0 }.key();
        let random_bits = &|message: MessageId| random::mixed(key, message.0.into());
        let flit_time = machine.channel.flit_time;
        let setup =
            Setup { routes: routes.as_ref(), fixed, costs, interfaces: None, trees: None, flit_time, random_bits };
        run_program(&setup, program, &mut ())
    }

    /// The same on the machine of the scenario that `case` is written as, and that its messages are those.
    fn ran_as_written(case: &Case, folder: &Path) -> Result<Outcome, Stop> {
        let files = written(case, "t", "a\nb");
        files.iter().for_each(|file| std::fs::write(folder.join(file.name), &file.text).unwrap());
        let set = case.machine.routers.iter().map(|_| "engine.kind=router".to_owned()).collect();
        let options = Options { set, ..Options::default() };
        let read = Scenario::load(&folder.join(SCENARIO), &options);
        let scenario = read.unwrap_or_else(|error| panic!("{error:?}\n{}", files[0].text));
        let experiment = &scenario.points[0].experiment;
        let trace = case.messages.trace();
        match experiment.workload.downcast_ref::<Trace>() {
            Some(read) => assert_eq!(*read.messages, *trace),
            None => {
                let goal = case.messages.goal(case.machine.network().unwrap().channels().nodes());
                assert!(Goal::read(files.last().unwrap().text.as_bytes()).unwrap() == goal);
                assert_eq!(experiment.machine.node, case.machine.node);
            }
        }
        experiment.machine.run(TraceProgram::new(&trace), Draw { seed: 1, repetition: 0 }, &mut ()).unwrap()
    }

    #[test]
    fn a_written_case_runs_as_it_does_itself() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..600 {
            let mut swarm = Swarm::new(random::stream(number, "written", 0), FeatureSet::of(Feature::ALL));
            let case = if number % 2 == 0 { Case::draw(&mut swarm) } else { Case::draw_with_routers(&mut swarm) };
            let outcome = ran(&case);
            let as_written = ran_as_written(&case, folder.path());
            assert_eq!(outcome, as_written, "case {number}: {case:?}");
        }
    }
}
