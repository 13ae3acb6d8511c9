//! Loads and grids that are smaller by a step, in words, and as scenarios.

use super::case::{Grid, Load, Traffics, excluded, hotspot_weights, hotspots, weights};
use super::lost::Lost;
use crate::algorithm::traffic::{Lengths, Phases};
use crate::engine::grid::Contest;
use crate::kind::words::counted;
use crate::selftest::case::{in_scenario, matrix, smaller_machines};
use crate::selftest::minimise::{fewer, lower};
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use crate::units::narrow;
use std::fmt::Write as _;

impl Specimen for Traffics {
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Load(load) => load.smaller().into_iter().map(|load| Self::Load(load.into())).collect(),
            Self::Grid(grid) => grid.smaller().into_iter().map(Self::Grid).collect(),
        }
    }

    fn is_sayable(&self) -> bool {
        match self {
            Self::Load(load) => load.is_sayable(),
            Self::Grid(_) => true,
        }
    }

    fn in_words(&self) -> String {
        match self {
            Self::Load(load) => {
                let nodes = load.network().map_or(0, |network| network.channels().nodes());
                let lost = load.lost.as_ref().map_or(0, |lost| lost.links.len());
                let kind = load.machine.topology.kind();
                format!(
                    "{} traffic for {} on {kind} of {}, {} lost",
                    load.name(),
                    counted(load.until, "cycle"),
                    counted(nodes as u64, "node"),
                    counted(lost as u64, "link")
                )
            }
            Self::Grid(Grid { costs, links, deaths, .. }) => {
                let [nodes, links, deaths] = [(costs.nodes(), "node"), (links.len(), "link"), (deaths.len(), "node")]
                    .map(|(count, what)| counted(count as u64, what));
                format!("a grid of {nodes}; {links} and {deaths} of it fail")
            }
        }
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        match self {
            Self::Load(load) => load.written(name, about),
            Self::Grid(grid) => grid.written(name, about),
        }
    }
}

impl Load {
    /// Scenarios do not take more than a packet a node and cycle on average while sources are on, no second port of a node of
    /// routers, and no router to which no link leads any more.
    fn is_sayable(&self) -> bool {
        let nodes = self.network().map_or(0, |network| network.channels().nodes());
        let left = self.lost.as_ref().and_then(|lost| lost.left(&self.machine));
        let few = self.most_packets(small(nodes)).is_some_and(|most| most <= 1.0);
        let has_port = self.machine.routers.is_none() || self.machine.node.ports == 1;
        few && has_port && left.is_none_or(|left| left.reaches_all())
    }

    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = lower(self.until, 1).map(|until| Self { until, ..self.clone() }).collect();
        if let Some(lost) = &self.lost {
            for gone in 0..lost.links.len() {
                let mut links = lost.links.clone();
                links.remove(gone);
                all.push(Self { lost: Some(Lost { links, ..lost.clone() }), ..self.clone() });
            }
            if lost.links.is_empty() {
                all.push(Self { lost: None, ..self.clone() });
            }
            for at in 0..lost.links.len() {
                for link in fewer(lost.links[at], 0) {
                    let mut links = lost.links.clone();
                    links[at] = link;
                    all.push(Self { lost: Some(Lost { links, ..lost.clone() }), ..self.clone() });
                }
            }
        }
        all.extend(smaller_machines(&self.machine).into_iter().map(|machine| Self { machine, ..self.clone() }));
        all.extend(shorter(&self.lengths).into_iter().map(|lengths| Self { lengths, ..self.clone() }));
        if self.on_off {
            all.push(Self { on_off: false, ..self.clone() });
        }
        all.extend(fewer(self.pattern, 0).map(|pattern| Self { pattern, ..self.clone() }));
        all.extend(fewer(self.rate as usize, 1).map(|rate| Self { rate: small(rate), ..self.clone() }));
        all
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let mut machine = self.machine.clone();
        if machine.routers.is_some() {
            // traffic on routers counts in cycles, and nodes have one port each way
            machine.channel.flit_time = 1;
            machine.ejection = None;
        }
        let (mut text, mut files) = in_scenario(&machine, name, about, false);
        if let Some(left) = self.lost.as_ref().and_then(|lost| lost.left(&self.machine)) {
            files = vec![CaseFile { name: "graph.csv", text: left.csv() }];
            let routing = if left.up_down {
                "routing = \"up-down\"\nroot = 0\n"
            } else {
                "routing = \"shortest\"\nweight = \"links\"\nclasses = \"hops\"\n"
            };
            text =
                without_network(&text) + &format!("\n[network.graph]\nfile = \"graph.csv\"\n\n[router]\n{routing}\n");
        }
        let named = format!("name = \"{name}\"\n");
        text = text.replace(&named, &format!("{named}seed = {}\n", self.seed));
        let Phases { warmup, measure, drain } = self.phases();
        let rate = f64::from(self.rate) / 1000.0;
        let _ = write!(
            text,
            "[workload.traffic]\npattern = \"{}\"\nrate = {rate}\n{}warmup = {warmup}\nmeasure = {measure}\n\
             drain = {drain}\n",
            self.name(),
            length_keys(&self.lengths)
        );
        if self.on_off {
            text += "injection = \"on-off\"\nalpha = 0.2\nbeta = 0.3\n";
        }
        let nodes = self.network().map_or(0, |network| network.channels().nodes());
        match self.name() {
            "uniform" => text += &format!("include_self = {}\n", self.includes_self(small(nodes))),
            "hotspot" => {
                text += &format!("hotspots = {:?}\nhotspot_fraction = 0.4\n", hotspots(small(nodes)));
                if self.has_weights() {
                    text += &format!("hotspot_weights = {:?}\n", hotspot_weights(small(nodes)));
                }
            }
            "background" => text += &format!("excluded = {:?}\n", excluded(small(nodes))),
            "matrix" => {
                text += "matrix = \"matrix.csv\"\n";
                let rows = weights(small(nodes));
                let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
                files.push(CaseFile { name: "matrix.csv", text: rows.iter().map(line).collect() });
            }
            _ => {}
        }
        files.insert(0, CaseFile { name: "case.toml", text });
        files
    }
}

/// Lengths with fewer values, or a smaller one.
fn shorter(lengths: &Lengths) -> Vec<Lengths> {
    match lengths {
        Lengths::Fixed(flits) => fewer(*flits as usize, 1).map(|flits| Lengths::Fixed(small(flits))).collect(),
        Lengths::Long { .. } | Lengths::Mixed(_) => lengths.values().into_iter().map(Lengths::Fixed).collect(),
    }
}

/// The keys of lengths, each on a line.
fn length_keys(lengths: &Lengths) -> String {
    match lengths {
        Lengths::Fixed(flits) => format!("packet_flits = {flits}\n"),
        Lengths::Long { flits, long, fraction } => {
            format!("packet_flits = {flits}\nlong_flits = {long}\nlong_fraction = {fraction}\n")
        }
        Lengths::Mixed(mix) => {
            format!("packet_flits = {:?}\npacket_weights = {:?}\n", mix.flits(), mix.weights().weights())
        }
    }
}

fn small(number: usize) -> u32 {
    narrow(number, "it is smaller than one of 32 bits")
}

/// `text` without the tables of the network and of its routers, and with as many virtual channels as another network has.
fn without_network(text: &str) -> String {
    let tables = text.split("\n[").enumerate();
    let kept = tables.filter(|(_, table)| !table.starts_with("network.") && !table.starts_with("router]"));
    let kept = kept.map(|(at, table)| if at == 0 { table.to_owned() } else { format!("\n[{table}") });
    let text: String = kept.collect();
    text.lines().filter(|line| !line.starts_with("virtual_channels = ")).map(|line| format!("{line}\n")).collect()
}

impl Grid {
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for gone in 0..self.links.len() {
            let mut links = self.links.clone();
            links.remove(gone);
            all.push(Self { links, ..self.clone() });
        }
        for gone in 0..self.deaths.len() {
            let mut deaths = self.deaths.clone();
            deaths.remove(gone);
            all.push(Self { deaths, ..self.clone() });
        }
        let nodes = self.costs.nodes();
        if nodes > 2 {
            let last = small(nodes - 1);
            let mut left = self.clone();
            left.costs = matrix(nodes - 1, |from, to| self.costs.row(from)[to]);
            left.links.retain(|link| link.from < last && link.to < last);
            left.deaths.retain(|death| death.node < last);
            all.push(left);
        }
        all.extend(fewer(self.trees, 1).map(|trees| Self { trees, ..self.clone() }));
        all.extend(lower(self.alpha, 0).map(|alpha| Self { alpha, ..self.clone() }));
        if self.patience > 0 {
            all.push(Self { patience: 0, ..self.clone() });
        }
        if self.contest != Contest::Remain {
            all.push(Self { contest: Contest::Remain, ..self.clone() });
        }
        if self.costs.costs().iter().any(|&cost| cost > 1) {
            all.push(Self { costs: matrix(nodes, |from, to| self.costs.row(from)[to].div_ceil(2)), ..self.clone() });
        }
        all
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let mut text = String::new();
        about.lines().for_each(|line| text += &format!("# {line}\n"));
        text += "# faults (a factor of 0 means dead):\n";
        let _ = writeln!(
            text,
            "# {:?} {:?}; senders give up after {} times the forecast",
            self.links, self.deaths, self.patience
        );
        let contest = match self.contest {
            Contest::Remain => "remain",
            Contest::Rate => "rate",
            Contest::KeepFree => "keepfree",
            Contest::Parallel => "parallel",
        };
        let _ = write!(
            text,
            "\nname = \"{name}\"\n\n[network.grid]\nactual = \"costs.csv\"\n\n[workload.broadcast]\nalgorithms = [\"ttcc\"]\n\
             trees = {}\nalpha = {}\ncontest = \"{contest}\"\n",
            self.trees.min(self.costs.nodes() - 1).max(1),
            self.alpha
        );
        let row = |node: usize| self.costs.row(node).iter().map(u64::to_string).collect::<Vec<_>>().join(",") + "\n";
        let costs = CaseFile { name: "costs.csv", text: (0..self.costs.nodes()).map(row).collect() };
        vec![CaseFile { name: "case.toml", text }, costs]
    }
}
