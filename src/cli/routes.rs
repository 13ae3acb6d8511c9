//! `flitwise routes`.

use super::ui::Ui;
use super::{Source, Usage};
use anyhow::{Result, bail};
use clap::Args;
use flitwise::network::{BuiltNetwork, LinkPaths};
use flitwise::routing::Step;
use flitwise::units::NodeId;
use std::fmt::Write as _;
use std::ops::ControlFlow;

#[derive(Args)]
pub(super) struct Routes {
    #[command(flatten)]
    source: Source,
    /// Pairs of nodes, such as "0>5 3>7", or `all`
    #[arg(long, value_name = "PAIRS")]
    pairs: Pairs,
    /// Maximum number of paths per pair, for routing with several paths
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = path_count)]
    paths: u32,
}

/// Ordered pairs of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pairs {
    All,
    These(Vec<(NodeId, NodeId)>),
}

impl std::str::FromStr for Pairs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let pair = |word: &str| {
            let (src, dst) = word.split_once('>')?;
            Some((NodeId(src.parse().ok()?), NodeId(dst.parse().ok()?)))
        };
        let pairs: Result<Vec<_>, String> = text
            .split_whitespace()
            .map(|word| {
                pair(word).ok_or_else(|| {
                    format!("`{word}` is not a pair of nodes; accepted: pairs such as \"0>5 3>7\", or all")
                })
            })
            .collect();
        match pairs? {
            pairs if pairs.is_empty() => {
                Err("no pair of nodes; accepted: pairs such as \"0>5 3>7\", or all".to_owned())
            }
            pairs => Ok(Self::These(pairs)),
        }
    }
}

/// Reads the maximum number of paths per pair.
fn path_count(text: &str) -> Result<u32, String> {
    let count = text.parse::<u32>().ok().filter(|&count| count > 0);
    count.ok_or_else(|| format!("must be a whole number from 1 to {}", u32::MAX))
}

impl Routes {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let built = self.source.paths()?.network;
        let paths = built.link_paths()?;
        let most = self.paths as usize;
        let nodes = paths.links().nodes();
        if let Pairs::These(pairs) = &self.pairs
            && let Some(node) = pairs.iter().flat_map(|&(src, dst)| [src, dst]).find(|node| node.index() >= nodes)
        {
            let title = built.spec.title();
            let last = nodes.saturating_sub(1);
            let message = format!("there is no node {node} in the network ({title})\naccepted: nodes 0 to {last}");
            return Err(Usage(message).into());
        }
        ui.print("src,dst,path,hop,link,from,to,class\n")?;
        let token = ui.interrupts().token();
        let nodes = || (0..nodes).map(NodeId::new);
        token.run(|| match &self.pairs {
            Pairs::These(pairs) => ui.print(&lines(&built, &paths, most, pairs.iter().copied())?),
            Pairs::All => nodes().try_for_each(|src| {
                flitwise::cancel::checkpoint();
                ui.print(&lines(&built, &paths, most, nodes().map(|dst| (src, dst)))?)
            }),
        })?
    }
}

/// A line for each link of the paths between each pair, of each pair so many paths at most.
fn lines(
    built: &BuiltNetwork,
    paths: &LinkPaths,
    most: usize,
    pairs: impl Iterator<Item = (NodeId, NodeId)>,
) -> Result<String> {
    let mut text = String::new();
    for (src, dst) in pairs {
        let listed = several(paths, most, src, dst);
        let Some(listed) = listed else { bail!("the paths of this network cannot be listed: {}", built.spec.title()) };
        for (number, steps) in listed.iter().enumerate() {
            for (hop, step) in steps.iter().enumerate() {
                let (from, to) = paths.links().ends(step.link);
                let line = format_args!("{src},{dst},{number},{hop},{},{from},{to},{}", step.link, step.class);
                let _ = writeln!(text, "{line}"); // a string takes everything
            }
        }
    }
    Ok(text)
}

/// The paths from `src` to `dst`, each once, at most so many; none if they are not known.
fn several(paths: &LinkPaths, most: usize, src: NodeId, dst: NodeId) -> Option<Vec<Vec<Step>>> {
    let mut listed: Vec<Vec<Step>> = Vec::new();
    let known = paths.each_path(src, dst, &mut |path| {
        if !listed.iter().any(|other| other == path) {
            listed.push(path.to_vec());
        }
        if listed.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    known.then_some(listed)
}
