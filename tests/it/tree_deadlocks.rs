//! Deadlocks of packets that routers copy and combine: verdicts of an independent program, with certificates that a checker proves which
//! knows nothing but their text.

use crate::cli::Bench;
use crate::support::{data, data_path};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// Multicasts and reductions with the verdict on them, and the reason for it.
#[derive(Deserialize)]
struct Case {
    #[serde(rename = "why")]
    reason: String,
    network: BTreeMap<String, BTreeMap<String, Value>>,
    router: BTreeMap<String, Value>,
    channel: BTreeMap<String, u64>,
    multicast: String,
    ejection_ports: u32,
    messages: Vec<Message>,
    verdict: String,
}

#[derive(Deserialize)]
struct Message {
    id: u64,
    src: Vec<u64>,
    dst: Vec<u64>,
    flits: u64,
    start: u64,
}

impl Case {
    /// The reason and the messages, for assertions.
    fn label(&self) -> String {
        let ends = self.messages.iter().map(|message| format!("{:?} to {:?}", message.src, message.dst));
        format!("{} on {:?}: {}", self.reason, self.network, ends.collect::<Vec<_>>().join(", "))
    }

    fn is_free(&self) -> bool {
        self.verdict == "free"
    }

    /// A directory with the trace in s.toml, and with the same trace in allowed.toml where deadlocks are accepted.
    fn bench(&self) -> Bench {
        let bench = Bench::new(&self.scenario(""));
        fs::write(bench.path("allowed.toml"), self.scenario("allow_deadlock = true\n")).unwrap();
        fs::write(bench.path("m.csv"), self.trace()).unwrap();
        for name in ["ring6.csv", "tree7.csv"] {
            fs::copy(data_path("in-network").join(name), bench.path(name)).unwrap();
        }
        bench
    }

    fn scenario(&self, router: &str) -> String {
        let mut text = "name = \"t\"\n".to_owned();
        for (table, keys) in &self.network {
            writeln!(text, "[{table}]").unwrap();
            keys.iter().for_each(|(key, value)| writeln!(text, "{key} = {value}").unwrap());
        }
        text.push_str("[channel]\n");
        self.channel.iter().for_each(|(key, value)| writeln!(text, "{key} = {value}").unwrap());
        writeln!(text, "[router]\n{router}model = \"ideal\"").unwrap();
        self.router.iter().for_each(|(key, value)| writeln!(text, "{key} = {value}").unwrap());
        writeln!(text, "[node]\nejection_ports = {}", self.ejection_ports).unwrap();
        writeln!(text, "[workload.trace]\nfile = \"m.csv\"\nmulticast = \"{}\"", self.multicast).unwrap();
        text
    }

    fn trace(&self) -> String {
        let mut text = "id,src,dst,flits,start\n".to_owned();
        for Message { id, src, dst, flits, start } in &self.messages {
            writeln!(text, "{id},{},{},{flits},{start}", spaced(src), spaced(dst)).unwrap();
        }
        text
    }

    /// The flits, the sources and a destination of every delivery of a packet.
    fn deliveries(&self) -> Vec<Delivery> {
        let of_message = |Message { src, dst, flits, .. }: &Message| {
            let sources: BTreeSet<u64> = src.iter().copied().collect();
            dst.iter().map(|&node| (*flits, sources.clone(), node)).collect::<Vec<_>>()
        };
        let mut all: Vec<Delivery> = self.messages.iter().flat_map(of_message).collect();
        all.sort();
        all
    }
}

type Delivery = (u64, BTreeSet<u64>, u64);

fn spaced(nodes: &[u64]) -> String {
    nodes.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A channel of a tree in a certificate: its kind and its numbers, and the ids of those that feed it.
struct Channel {
    name: Vec<String>,
    feeds: Vec<usize>,
}

impl Channel {
    fn new(words: &[&str]) -> Self {
        let (name, feeds) = words.split_at(if words[0] == "i" { 2 } else { 3 });
        Self {
            name: name.iter().map(ToString::to_string).collect(),
            feeds: feeds.iter().map(|id| id.parse().unwrap()).collect(),
        }
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.name[0] == kind
    }

    fn node(&self) -> u64 {
        self.name[1].parse().unwrap()
    }
}

struct CertifiedTree {
    flits: u64,
    messages: u64,
    channels: Vec<Channel>,
}

impl CertifiedTree {
    /// By channel, true if it is never granted as long as `ungranted` is not: the channels that it feeds, and behind an ejection channel
    /// what its junction requests later.
    fn never_granted(&self, ungranted: usize) -> Vec<bool> {
        let channels = &self.channels;
        let mut never = vec![false; channels.len()];
        never[ungranted] = true;
        if channels[ungranted].has_kind("e") {
            let order = |at: usize| (!channels[at].has_kind("e"), channels[at].node());
            for at in 0..channels.len() {
                let is_sibling = channels[at].feeds == channels[ungranted].feeds;
                never[at] |= is_sibling && order(at) > order(ungranted);
            }
        }
        for at in 0..channels.len() {
            never[at] |= channels[at].feeds.iter().any(|&feed| never[feed]);
        }
        never
    }

    /// By channel, the number of flits that enter it while `ungranted` is never granted and all others are.
    fn entered(&self, ungranted: usize, buffer: u64) -> Vec<u64> {
        let never = self.never_granted(ungranted);
        let mut entered: Vec<u64> = never.iter().map(|&never| if never { 0 } else { self.flits }).collect();
        loop {
            let before = entered.clone();
            for (at, channel) in self.channels.iter().enumerate() {
                for &feed in &channel.feeds {
                    entered[at] = entered[at].min(entered[feed]);
                    entered[feed] = entered[feed].min(entered[at] + buffer);
                }
            }
            if entered == before {
                return entered;
            }
        }
    }

    /// Every channel that is held forever while another is never granted, with that one.
    fn waits(&self, buffer: u64) -> Vec<(usize, usize)> {
        let mut waits = Vec::new();
        for ungranted in 0..self.channels.len() {
            let entered = self.entered(ungranted, buffer);
            for (held, &flits) in entered.iter().enumerate().filter(|(_, flits)| **flits > 0) {
                let mut fed = self.channels.iter().zip(&entered).filter(|(channel, _)| channel.feeds.contains(&held));
                let is_stopped = fed.any(|(_, &flits)| flits < self.flits);
                if is_stopped || self.channels[held].has_kind("e") && flits < self.flits {
                    waits.push((held, ungranted));
                }
            }
        }
        waits
    }
}

/// A certificate of trees, as its text has it.
#[derive(Default)]
struct Certified {
    buffer: u64,
    verdict: String,
    trees: Vec<CertifiedTree>,
    ranks: BTreeMap<State, i64>,
    held: Vec<State>,
}

/// A tree, and a channel that it may hold.
type State = (usize, usize);

impl Certified {
    fn new(text: &str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words[at].parse::<usize>().unwrap();
            match words[0] {
                "buffer" => read.buffer = words[1].parse().unwrap(),
                "verdict" => words[1].clone_into(&mut read.verdict),
                "tree" => {
                    assert_eq!(number(1), read.trees.len(), "{line}");
                    let [flits, messages] = [number(2), number(3)].map(|count| count as u64);
                    read.trees.push(CertifiedTree { flits, messages, channels: Vec::new() });
                }
                "channel" => {
                    let channels = &mut read.trees[number(1)].channels;
                    assert_eq!(number(2), channels.len(), "{line}");
                    channels.push(Channel::new(&words[3..]));
                }
                "rank" => drop(read.ranks.insert((number(1), number(2)), words[3].parse().unwrap())),
                "hold" => read.held.push((number(1), number(2))),
                _ => {}
            }
        }
        read
    }

    /// All pairs of states of which the first leads to the second.
    fn edges(&self) -> BTreeSet<(State, State)> {
        let waits: Vec<_> = self.trees.iter().map(|tree| tree.waits(self.buffer)).collect();
        let states: BTreeSet<State> = waits
            .iter()
            .enumerate()
            .flat_map(|(tree, waits)| waits.iter().map(move |&(held, _)| (tree, held)))
            .collect();
        let mut edges = BTreeSet::new();
        for (tree, waits) in waits.iter().enumerate() {
            for &(held, ungranted) in waits {
                let name = &self.trees[tree].channels[ungranted].name;
                let others = states.iter().filter(|&&(other, channel)| {
                    let may_follow = other != tree || self.trees[tree].messages > 1;
                    may_follow && &self.trees[other].channels[channel].name == name
                });
                edges.extend(others.map(|&other| ((tree, held), other)));
            }
        }
        edges
    }

    /// Returns true if ranks fall along all edges from tree to tree and do not rise along those within one.
    fn proves_freedom(&self) -> bool {
        let falls = |(from, to): &(State, State)| {
            let (Some(high), Some(low)) = (self.ranks.get(from), self.ranks.get(to)) else { return false };
            if from.0 == to.0 { high >= low } else { high > low }
        };
        self.verdict == "free" && self.edges().iter().all(falls)
    }

    /// Returns true if the held channels of at least two trees lead to each other in a cycle.
    fn proves_cycle(&self) -> bool {
        let edges = self.edges();
        let distinct: BTreeSet<_> = self.held.iter().collect();
        let trees: BTreeSet<usize> = self.held.iter().map(|&(tree, _)| tree).collect();
        let next = self.held.iter().cycle().skip(1);
        let is_closed = self.held.iter().zip(next).all(|(&from, &to)| edges.contains(&(from, to)));
        self.verdict == "cycle" && is_closed && distinct.len() == self.held.len() && trees.len() > 1
    }

    /// The flits, the sources and a destination of every delivery, in rising order.
    fn deliveries(&self) -> Vec<Delivery> {
        let mut all = Vec::new();
        for tree in &self.trees {
            let nodes = |kind| tree.channels.iter().filter(move |channel| channel.has_kind(kind)).map(Channel::node);
            let sources: BTreeSet<u64> = nodes("i").collect();
            for node in nodes("e") {
                all.extend((0..tree.messages).map(|_| (tree.flits, sources.clone(), node)));
            }
        }
        all.sort();
        all
    }
}

/// The certificate that `check` writes for `scenario` on `bench`, with the given exit code.
fn certificate(bench: &Bench, scenario: &str, code: i32) -> Certified {
    let output = bench.call(&["check", scenario, "--certificate", "c.txt"]);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    Certified::new(&fs::read_to_string(bench.path("c.txt")).unwrap())
}

fn assert_free(case: &Case, bench: &Bench) {
    assert!(certificate(bench, "s.toml", 0).proves_freedom(), "{}", case.label());
    let text = flat(&bench.ok(&["check", "s.toml"]));
    assert!(text.contains("each destination receives one copy of the flits of every source"), "{text}");
    assert!(text.contains("proved deadlock-free: no cycle of waits"), "{}: {text}", case.label());
    bench.ok(&["run", "s.toml", "--quiet"]);
}

fn assert_cycle(case: &Case, bench: &Bench) {
    let label = case.label();
    assert!(certificate(bench, "s.toml", 1).proves_cycle(), "{label}");
    assert!(certificate(bench, "allowed.toml", 1).proves_cycle(), "{label}");
    let remedy = if case.reason == "reduce-deadlock" { "reduction waits for operands" } else { "channel.buffer" };
    for (verb, code) in [("check", 1), ("run", 2)] {
        let errors = flat(&bench.fails(code, &[verb, "s.toml"]));
        let words = ["can deadlock", "can hold", "while it waits for", remedy, "router.allow_deadlock"];
        words.iter().for_each(|word| assert!(errors.contains(word), "{label}: {word} in {errors}"));
    }
    let errors = flat(&bench.fails(1, &["run", "allowed.toml"]));
    let words = ["deadlock", "waits for channel", "held by message"];
    words.iter().for_each(|word| assert!(errors.contains(word), "{label}: {word} in {errors}"));
}

#[test]
fn verdicts_are_those_of_the_reference() {
    let cases: Vec<Case> = data("in-network/verdicts.json");
    for case in &cases {
        let bench = case.bench();
        if case.is_free() {
            assert_free(case, &bench);
        } else {
            assert_cycle(case, &bench);
        }
        let certified = Certified::new(&fs::read_to_string(bench.path("c.txt")).unwrap());
        // worms along a path have trees of their own
        if case.multicast == "router-tree" {
            assert_eq!(certified.deliveries(), case.deliveries(), "{}", case.label());
        }
    }
    let reasons: BTreeSet<&str> = cases.iter().map(|case| case.reason.as_str()).collect();
    let all = ["apart", "cut-through", "deadlock", "label", "label-one-port", "one", "reduce-deadlock"];
    assert_eq!((cases.len(), reasons), (38, BTreeSet::from(all)));
}

/// Two trees that cross, each of which has what the other waits for. Buffers of a packet free them.
#[test]
fn trees_that_cross_stop_each_other_unless_buffers_hold_a_packet() {
    let scenario = |buffer: u64, router: &str| {
        format!(
            "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = {buffer}\n{router}[workload.trace]\nfile = \"m.csv\"\n"
        )
    };
    let bench = Bench::new(&scenario(2, "[router]\nallow_deadlock = true\n"));
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n0,2,3 10,6,0\n1,6,3 8,6,0\n").unwrap();
    let errors = flat(&bench.fails(1, &["run", "s.toml"]));
    for wait in [
        "message 0 waits for channel (1,2)->(2,2), held by message 1",
        "message 1 waits for channel (0,2)->(0,3), held by message 0",
    ] {
        assert!(errors.contains(wait), "{errors}");
    }
    for (buffer, code) in [(5, 2), (6, 0)] {
        fs::write(bench.path("s.toml"), scenario(buffer, "")).unwrap();
        let output = bench.call(&["run", "s.toml", "--force"]);
        assert_eq!(output.status.code(), Some(code), "{buffer}");
        let certified = certificate(&bench, "s.toml", code.min(1));
        assert!(if code == 0 { certified.proves_freedom() } else { certified.proves_cycle() }, "{buffer}");
    }
}

/// The packets of a row are a set: one tree, or the worms along labels.
#[test]
fn check_proves_the_trees_of_multicasts() {
    for (algorithm, trees) in [("router-tree", 1), ("dual-path", 2), ("multi-path", 4)] {
        let bench = Bench::new(&format!(
            "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 2\n\
             [workload.multicast]\nalgorithms = [\"sequential\", \"{algorithm}\"]\nflits = 6\nnodes = [5, 0, 7, 10, 12]\n"
        ));
        let text = flat(&bench.ok(&["check", "s.toml"]));
        assert!(text.contains("one copy of the flits of every source; tree of message 0: "), "{algorithm}: {text}");
        assert!(text.contains("proved deadlock-free: no cycle of waits"), "{algorithm}: {text}");
        let certified = certificate(&bench, "s.toml", 0);
        assert!(certified.proves_freedom(), "{algorithm}");
        assert_eq!(certified.trees.len(), trees, "{algorithm}");
    }
}

/// Without packets that routers copy, the certificate is that of the network.
#[test]
fn certificates_of_software_are_those_of_the_network() {
    let bench = Bench::new(
        "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"sequential\"]\nflits = 6\nnodes = [5, 0, 7]\n",
    );
    bench.ok(&["check", "s.toml", "--certificate", "c.txt"]);
    let text = fs::read_to_string(bench.path("c.txt")).unwrap();
    assert!(text.starts_with("flitwise certificate 1\n"), "{text}");
}
