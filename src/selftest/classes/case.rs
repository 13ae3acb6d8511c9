//! Classes of packets on a random machine of pipelined routers, or traffic without classes in one of its modes.

use crate::kind::words::counted;
use crate::selftest::case::{Fitting, Machine, RouterOptions, in_scenario, smaller_machines};
use crate::selftest::features::{Feature, Swarm};
use crate::selftest::minimise::lower;
use crate::selftest::options::make_pipelined;
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use std::fmt::Write as _;

/// Traffic on pipelined routers.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct ClassLoad {
    pub(super) machine: Machine,
    /// The classes. Traffic without classes has one, and no mode but `steady` has any other.
    pub(super) classes: Vec<Class>,
    /// The keys of the mode of traffic without classes. `None` if there are classes.
    pub(super) mode: Option<String>,
    pub(super) reply_queue: Option<u32>,
    /// New packets are sent before this cycle.
    pub(super) end: u64,
    pub(super) seed: u64,
}

/// A class of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// The keys of its pattern.
    pattern: &'static str,
    /// Flits per node and cycle, in thousandths. 0 for replies.
    pub(super) rate: u64,
    lengths: Vec<u64>,
    has_weights: bool,
    is_on_off: bool,
    vcs: Option<[u64; 2]>,
    priority: u64,
    pub(super) network: Option<u64>,
    /// True if it uses a queue that other such classes use.
    pub(super) shares_queue: bool,
    /// True if the class after it answers its packets.
    pub(super) is_answered: bool,
}

const PATTERNS: [&str; 4] = [
    "\"uniform\"",
    "\"permutation\"",
    "\"hotspot\"\nhotspots = [0]\nhotspot_fraction = 0.6",
    "\"hotspot\"\nhotspots = [0]\nhotspot_weights = [2]",
];

impl Class {
    fn draw(swarm: &mut Swarm, vcs: u64, longest: u64) -> Self {
        let count = if swarm.has(Feature::LongMessages, 0.5) { 2 } else { 1 };
        let lengths: Vec<u64> = (0..count).map(|_| swarm.draw(1..=longest)).collect();
        let is_on_off = swarm.has(Feature::OnOff, 0.3);
        let most = if swarm.has(Feature::HeavyLoad, 0.5) && !is_on_off { 900 } else { 200 };
        let first = swarm.draw(0..vcs);
        Self {
            pattern: swarm.one_of(&PATTERNS),
            rate: swarm.draw(10..=most),
            has_weights: count > 1 && swarm.toss(0.5),
            lengths,
            is_on_off,
            vcs: swarm.has(Feature::OwnChannels, 0.6).then(|| [first, swarm.draw(first..vcs)]),
            priority: swarm.draw(0..=2),
            network: None,
            shares_queue: swarm.has(Feature::SharedQueues, 0.5),
            is_answered: false,
        }
    }

    /// The keys that traffic without classes has, too.
    fn load(&self) -> String {
        let mut text = String::new();
        if self.rate > 0 {
            #[expect(clippy::cast_precision_loss, reason = "at most 1000")]
            let rate = self.rate as f64 / 1000.0;
            let _ = writeln!(text, "pattern = {}\nrate = {rate}", self.pattern); // a string takes everything
            if self.is_on_off {
                text += "injection = \"on-off\"\nalpha = 0.5\nbeta = 0.3\n";
            }
        }
        text + &self.lengths()
    }

    fn lengths(&self) -> String {
        let weights = if self.has_weights { "packet_weights = [3, 1]\n" } else { "" };
        match self.lengths.as_slice() {
            [flits] => format!("packet_flits = {flits}\n"),
            several => format!("packet_flits = {several:?}\n{weights}"),
        }
    }

    fn written(&self, number: usize) -> String {
        let mut text = format!("\n[[workload.traffic.class]]\nname = \"c{number}\"\n{}", self.load());
        if let Some(vcs) = self.vcs {
            let _ = writeln!(text, "vcs = {vcs:?}"); // a string takes everything
        }
        let _ = writeln!(text, "priority = {}", self.priority);
        if let Some(network) = self.network {
            let _ = writeln!(text, "network = {network}");
        }
        if self.shares_queue {
            text += "queue = \"q\"\n";
        }
        if self.is_answered {
            let _ = writeln!(text, "reply = \"c{}\"", number + 1);
        }
        text
    }

    fn plainer(&self) -> Vec<Self> {
        let mut all = vec![
            Self { pattern: PATTERNS[0], ..self.clone() },
            Self { lengths: vec![1], has_weights: false, ..self.clone() },
            Self { lengths: self.lengths[..1].to_vec(), has_weights: false, ..self.clone() },
            Self { is_on_off: false, ..self.clone() },
            Self { vcs: None, ..self.clone() },
            Self { priority: 0, ..self.clone() },
            Self { network: None, ..self.clone() },
            Self { shares_queue: false, ..self.clone() },
        ];
        all.extend(lower(self.rate, 1).map(|rate| Self { rate, ..self.clone() }));
        all.retain(|plainer| plainer != self);
        all
    }
}

impl ClassLoad {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            if let Some(load) = Self::drawn(swarm) {
                return load;
            }
        }
    }

    fn drawn(swarm: &mut Swarm) -> Option<Self> {
        let mut machine = Machine::draw_with_routers(swarm)?;
        make_pipelined(&mut machine, swarm);
        // traffic on routers counts in cycles, and nodes have one port each way
        machine.channel.routing_delay /= machine.channel.flit_time;
        machine.channel.flit_time = 1;
        machine.ejection = None;
        machine.node.ports = 1;
        let buffer = machine.channel.buffer.without_delay();
        let longest = if swarm.toss(0.5) { buffer } else { 8 };
        let vcs = machine.routes()?.virtual_channels().into();
        let has_classes = swarm.has(Feature::Classes, 0.8);
        let count = if has_classes { swarm.draw(1..=3) } else { 1 };
        let mut classes: Vec<Class> = (0..count).map(|_| Class::draw(swarm, vcs, longest)).collect();
        if count > 1 && swarm.has(Feature::Replies, 0.6) {
            classes[0].is_answered = true;
            classes[1].rate = 0;
        }
        let longest = classes.iter().flat_map(|class| &class.lengths).max().copied().unwrap_or(1);
        let fitting = Fitting { machine: &machine, longest, has_classes, options: RouterOptions::default() };
        let mut options = fitting.draw(swarm);
        let have_own_networks = count > 1 && swarm.has(Feature::Networks, 0.4);
        if have_own_networks {
            options = options.with("networks", &count.to_string());
        }
        let networks = options.integer("networks", 1);
        for (number, class) in (0..).zip(&mut classes).filter(|_| has_classes) {
            class.network = swarm.toss(0.6).then(|| swarm.draw(0..networks));
            if have_own_networks {
                class.network = Some(number);
                class.shares_queue = false;
            }
        }
        machine.routers.as_mut()?.options = options;
        Some(Self {
            mode: (!has_classes).then(|| mode(swarm, networks)),
            reply_queue: classes[0].is_answered.then(|| swarm.draw(0..=3)).filter(|limit| *limit > 0),
            machine,
            classes,
            end: swarm.draw(1..=60),
            seed: swarm.draw(1..1_000_000),
        })
    }
}

/// The keys of a mode of traffic without classes, which is steady on several networks.
fn mode(swarm: &mut Swarm, networks: u64) -> String {
    if networks > 1 || !swarm.has(Feature::Batches, 0.7) {
        return String::new();
    }
    let outstanding = format!("outstanding = {}\n", swarm.draw(1..=4));
    let limit = if swarm.toss(0.5) { &outstanding } else { "" };
    let batch =
        format!("mode = \"batch\"\nbatch_packets = {}\nbatches = {}\n{limit}", swarm.draw(1..=6), swarm.draw(1..=3));
    if swarm.toss(0.2) { "mode = \"burst\"\n".to_owned() } else { batch }
}

impl Specimen for ClassLoad {
    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = lower(self.end, 1).map(|end| Self { end, ..self.clone() }).collect();
        for gone in 0..self.classes.len() {
            let mut classes = self.classes.clone();
            classes.remove(gone);
            // requests go with their replies
            let is_reply = gone.checked_sub(1).is_some_and(|before| self.classes[before].is_answered);
            if !is_reply && self.classes[gone].is_answered {
                classes.remove(gone);
            }
            if !is_reply && !classes.is_empty() {
                all.push(Self { classes, ..self.clone() });
            }
        }
        all.extend(smaller_machines(&self.machine).into_iter().map(|machine| Self { machine, ..self.clone() }));
        for (at, class) in self.classes.iter().enumerate() {
            for plainer in class.plainer() {
                let mut load = self.clone();
                load.classes[at] = plainer;
                all.push(load);
            }
        }
        all
    }

    fn in_words(&self) -> String {
        let nodes = self.machine.network().map_or(0, |network| network.channels().nodes());
        let [classes, nodes, cycles] =
            [(self.classes.len() as u64, "class"), (nodes as u64, "node"), (self.end, "cycle")]
                .map(|(count, what)| counted(count, what));
        format!("{classes} of traffic for {cycles} on {} of {nodes}", self.machine.topology.kind())
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let (mut text, mut files) = in_scenario(&self.machine, name, about, false);
        let named = format!("name = \"{name}\"\n");
        text = text.replace(&named, &format!("{named}seed = {}\n", self.seed));
        text += "[workload.traffic]\n";
        let mode = self.mode.as_deref().unwrap_or_default();
        if mode.is_empty() {
            let _ = writeln!(text, "warmup = 0\nmeasure = {}\ndrain = 100000", self.end); // a string takes everything
        }
        if self.mode.is_some() {
            let load = self.classes[0].load();
            let is_read = |line: &&str| mode.is_empty() || !STEADY.iter().any(|key| line.starts_with(key));
            load.lines().filter(is_read).for_each(|line| text += &format!("{line}\n"));
            text += mode;
        } else {
            if let Some(limit) = self.reply_queue {
                let _ = writeln!(text, "reply_queue = {limit}");
            }
            let classes = self.classes.iter().enumerate();
            text += &classes.map(|(number, class)| class.written(number)).collect::<String>();
        }
        files.insert(0, CaseFile { name: "case.toml", text });
        files
    }
}

/// Keys that only steady traffic has.
const STEADY: [&str; 4] = ["rate", "injection", "alpha", "beta"];
