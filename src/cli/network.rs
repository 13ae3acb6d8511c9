//! `flitwise network`.

use super::ui::Ui;
use super::{Source, Usage};
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitwise::kind::words::{counted, grouped};
use flitwise::network::export::anynet;
use flitwise::network::survey::Survey;
use flitwise::network::{BuiltNetwork, Surviving};
use flitwise::scenario::NetworkAlone;
use flitwise::topology::{Failures, LinkCost, Links};
use flitwise::units::{LinkId, NodeId};
use serde_json::{Value, json};
use std::fmt::Write as _;

#[derive(Args)]
pub(super) struct Network {
    #[command(flatten)]
    source: Source,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Summary in a few lines
    Text,
    /// JSON (fields are listed below)
    Json,
    /// Graph file: nodes and directed links, in the order of their numbers
    Csv,
    /// Graph file for BookSim 2: no parallel or one-way links, latencies in cycles of `channel.flit_time`
    Anynet,
}

impl Network {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let alone = self.source.network()?;
        let built = &alone.network;
        let links = built.spec.intact_links()?;
        match self.format {
            Format::Csv => return ui.print(&graph(links.as_ref())),
            Format::Anynet => {
                let anynet = anynet(links.as_ref(), alone.flit_time);
                return ui.print(&anynet.map_err(|error| Usage(error.to_string()))?);
            }
            Format::Text | Format::Json => {}
        }
        let token = ui.interrupts().token();
        let surviving = token.run(|| built.spec.surviving())?;
        let survey = token.run(|| match &surviving {
            Some(surviving) => Ok(Survey::surviving(surviving)),
            None => Survey::new(links.as_ref(), built.spec.closed_form()),
        })??;
        ui.print(&match (self.format, &surviving) {
            (Format::Json, Some(surviving)) => format!("{:#}\n", with_failures(as_json(&survey), surviving)),
            (Format::Json, None) => format!("{:#}\n", as_json(&survey)),
            (_, Some(surviving)) => in_words(built, &survey) + &describe_failures(surviving),
            (_, None) => in_words(built, &survey) + &token.run(|| idle_links(&alone))?,
        })
    }
}

/// The network as a graph file.
fn graph(links: &dyn Links) -> String {
    let mut text = "kind,a,b,flit_time,delay\n".to_owned();
    for node in (0..links.nodes()).map(NodeId::new) {
        let cost = costs(links.node_cost(node));
        let _ = writeln!(text, "node,{node},{},{cost}", links.router_of(node)); // a string takes everything
    }
    for link in (0..links.count()).map(LinkId::new) {
        let (from, to) = links.ends(link);
        let _ = writeln!(text, "arc,{from},{to},{}", costs(links.cost(link))); // a string takes everything
    }
    text
}

/// The cells `flit_time,delay`; empty ones of what takes as long as every channel.
fn costs(cost: Option<LinkCost>) -> String {
    cost.map_or_else(|| ",".to_owned(), |LinkCost { flit_time, delay, .. }| format!("{flit_time},{delay}"))
}

fn pairs(survey: &Survey) -> u128 {
    let nodes = survey.nodes as u128;
    nodes * nodes.saturating_sub(1)
}

fn as_json(survey: &Survey) -> Value {
    let Survey { nodes, routers, links, .. } = *survey;
    let mut json = json!({ "nodes": nodes, "routers": routers, "links": links, "pairs": number(pairs(survey)) });
    if let Some(distances) = &survey.distances {
        json["diameter"] = distances.diameter.into();
        json["distance_sum"] = number(distances.sum);
        if let Some(histogram) = &distances.histogram {
            let counts = histogram.iter().map(|(links, pairs)| (links.to_string(), Value::from(*pairs)));
            json["histogram"] = Value::Object(counts.collect());
        }
    }
    if let Some(bisection) = survey.bisection {
        json["bisection"] = bisection.into();
    }
    json
}

/// `json` with the failures of the network.
fn with_failures(mut json: Value, surviving: &Surviving) -> Value {
    let Failures { pairs, routers } = &*surviving.failures;
    json["failed_links"] = pairs.len().into();
    json["failed_routers"] = routers.len().into();
    json["connected"] = surviving.connected().to_string().parse::<f64>().unwrap_or_default().into();
    json
}

/// A line about the failures of the network.
fn describe_failures(surviving: &Surviving) -> String {
    let Failures { pairs, routers } = &*surviving.failures;
    let pairs = counted(pairs.len() as u64, "pair");
    let routers = counted(routers.len() as u64, "router");
    format!(
        "Failed: {pairs} of linked routers, {routers}. Part of all pairs of nodes with a path: {}.\n",
        surviving.connected()
    )
}

/// A number that JSON may have to be content with roughly.
#[expect(clippy::cast_precision_loss, reason = "beyond 64 bits JSON has no integers")]
fn number(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| (number as f64).into(), Value::from)
}

/// A line about parallel links that no path uses, or an empty text.
fn idle_links(alone: &NetworkAlone) -> String {
    let is_lattice = alone.network.spec.lattice().is_some();
    // packets on a lattice draw the direction of a ring, or choose it, unless the paths of the network hold
    if is_lattice && (alone.chooses.is_some() || !alone.atomic) {
        return String::new();
    }
    alone.network.idle_links().map_or_else(String::new, |remark| sentence(&remark))
}

/// `remark` as a line of text.
fn sentence(remark: &str) -> String {
    let (first, rest) = remark.split_at(1);
    format!("{}{rest}.\n", first.to_uppercase())
}

fn in_words(built: &BuiltNetwork, survey: &Survey) -> String {
    let Survey { nodes, routers, links, .. } = *survey;
    let [nodes, routers, links] = [(nodes, "node"), (routers, "router"), (links, "directed link")]
        .map(|(count, what)| counted(count as u64, what));
    let title = built.spec.title();
    let routing = built.spec.routing();
    let mut text = format!("{title}: {nodes}, {routers}, {links}; {routing} routing\n");
    if let Some(distances) = &survey.distances {
        #[expect(clippy::cast_precision_loss, reason = "for people to read")]
        let mean = distances.sum as f64 / pairs(survey).max(1) as f64;
        let farthest = distances.diameter;
        let _ = writeln!(text, "Average distance: {mean:.4} hops. Diameter: {farthest}.");
        for (links, pairs) in distances.histogram.iter().flatten() {
            let hops = if *links == 1 { "hop:  " } else { "hops: " };
            let _ = writeln!(text, "  {links:>4} {hops}{} ordered pairs of nodes", grouped(*pairs));
        }
    }
    if let Some(bisection) = survey.bisection {
        let _ = writeln!(text, "Bisection: {}.", counted(bisection, "link"));
    }
    text
}
