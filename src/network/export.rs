//! Networks as anynet files of BookSim 2, which `network.graph` reads back.
//!
//! A line per router: its nodes, then the routers that links lead to, each with a latency in cycles unless it is one. The
//! format numbers links by the routers that they join, whatever their numbers here. It has one link at most from a router to
//! another, none without one back, and no time but a latency.

use crate::topology::{LinkCost, Links};
use crate::units::{LinkId, NodeId, RouterId, Ticks};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use thiserror::Error;

/// What an anynet file cannot say.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnynetError {
    /// Parallel links.
    #[error("anynet allows one link from a router to another, but {link} is a second one")]
    Parallel {
        /// The second link.
        link: String,
    },
    /// A link without one back.
    #[error("anynet links have both directions, but there is no link from {to} back to {from}")]
    OneWay {
        /// The router that it leaves.
        from: RouterId,
        /// The router that it leads to.
        to: RouterId,
    },
    /// A channel that is faster or slower than others.
    #[error(
        "the flit time of {what} is {flit_time} ticks, but anynet has only one flit time: channel.flit_time, {usual}"
    )]
    FlitTime {
        /// The link, or the node whose injection and ejection it is.
        what: String,
        /// What it takes.
        flit_time: Ticks,
        /// What channels take.
        usual: u64,
    },
    /// A link with a clock of its own.
    #[error("{what} has a clock of its own, but anynet has only one clock")]
    Clock {
        /// The link.
        what: String,
    },
    /// A delay that is no number of cycles.
    #[error("the delay of {what}, {delay} ticks, is not a multiple of channel.flit_time, {flit_time}")]
    Delay {
        /// The link, or the node whose injection and ejection it is.
        what: String,
        /// The delay.
        delay: Ticks,
        /// What channels take for a flit.
        flit_time: u64,
    },
}

/// The network of `links` as an anynet file, on a machine whose channels take `flit_time` ticks a flit.
///
/// # Errors
/// If it has what such a file cannot say.
pub fn anynet(links: &dyn Links, flit_time: u64) -> Result<String, AnynetError> {
    check_ways(links)?;
    let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); links.routers()];
    for node in (0..links.nodes()).map(NodeId::new) {
        nodes[links.router_of(node).index()].push(node);
    }
    let mut text = String::new();
    for (router, nodes) in nodes.iter().enumerate() {
        let _ = write!(text, "router {router}"); // a string takes everything
        for &node in nodes {
            let latency = latency(links.node_cost(node), flit_time, || format!("node {node}"))?;
            let _ = write!(text, " node {node}{latency}");
        }
        for link in links.leaving(RouterId::new(router)) {
            let latency = latency(links.cost(link), flit_time, || format!("link {}", links.link_name(link)))?;
            let _ = write!(text, " router {}{latency}", links.ends(link).1);
        }
        text.push('\n');
    }
    Ok(text)
}

/// That no two links lead the same way, and each has one that leads back.
fn check_ways(links: &dyn Links) -> Result<(), AnynetError> {
    let mut joined = FxHashSet::default();
    for link in (0..links.count()).map(LinkId::new) {
        if !joined.insert(links.ends(link)) {
            return Err(AnynetError::Parallel { link: links.link_name(link) });
        }
    }
    let ends = (0..links.count()).map(|link| links.ends(LinkId::new(link)));
    match ends.into_iter().find(|&(from, to)| !joined.contains(&(to, from))) {
        Some((from, to)) => Err(AnynetError::OneWay { from, to }),
        None => Ok(()),
    }
}

/// The latency as it is written behind a number; nothing for one cycle.
fn latency(cost: Option<LinkCost>, usual: u64, what: impl Fn() -> String) -> Result<String, AnynetError> {
    let Some(LinkCost { flit_time, delay, clock, .. }) = cost else { return Ok(String::new()) };
    if clock.is_some() {
        return Err(AnynetError::Clock { what: what() });
    }
    if flit_time.0 != usual {
        return Err(AnynetError::FlitTime { what: what(), flit_time, usual });
    }
    if !delay.0.is_multiple_of(usual) {
        return Err(AnynetError::Delay { what: what(), delay, flit_time: usual });
    }
    Ok(match delay.0 / usual {
        0 => String::new(),
        cycles => format!(" {}", cycles + 1),
    })
}
