//! flitwise answers one question for people who run collective communication on wormhole-routed machines: given this
//! network, these node overheads, this message and this group, which schedule finishes first, by how much, and does the
//! model that predicted it tell the truth?
//!
//! It is a flit-level discrete-event simulator into which schedules of published algorithms, and users' own, are
//! injected. The `flitwise` command uses nothing that a user of this library cannot.
//!
//! # A scenario
//!
//! ```
//! use flitwise::output::{summarise, table};
//! use flitwise::run;
//! use flitwise::scenario::{DEFAULT, Scenario};
//!
//! let scenario: Scenario = DEFAULT.parse()?; // TOML: three multicasts on a 16x16 mesh
//! let summaries = summarise(&scenario, run::rows(&scenario))?;
//! let table = table(&scenario, &summaries, None);
//! assert!(table.contains("opt-mesh finishes first; u-mesh takes 1.43 times as long."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A network and a schedule by hand
//!
//! ```
//! use flitwise::algorithm::multicast::{OptMesh, OptTable};
//! use flitwise::costs::{ChannelCosts, NodeCosts};
//! use flitwise::engine::{Engine, program::ScheduleProgram};
//! use flitwise::model::Parameterised;
//! use flitwise::routing::DimensionOrder;
//! use flitwise::schedule::Schedule;
//! use flitwise::topology::Mesh;
//! use flitwise::units::{Flits, NodeId};
//!
//! // a 6x6 mesh whose nodes take 2000 + 2 m ticks to send m flits, and 3500 + 3 m to receive them
//! let network = DimensionOrder::first_coordinate_first(Mesh::new(&[6, 6], 1)?);
//! let node = NodeCosts::default().sending(2000, 2).receiving(3500, 3);
//! let channel = ChannelCosts { flit_time: 2, ..ChannelCosts::default() };
//! let model = Parameterised::derived(&node, &channel, Flits(1024));
//!
//! // node 20 sends to seven others along the dimension-ordered chain
//! let chain = [11, 13, 20, 22, 27, 28, 31, 34].map(NodeId);
//! let table = OptTable::new(chain.len(), model, 1);
//! let schedule = Schedule::split(&OptMesh { table, source: 2 }, &chain, 36, Flits(1024));
//! schedule.check(&[11, 13, 22, 27, 28, 31, 34].map(NodeId))?;
//!
//! let outcome = Engine::Auto.run(&network, channel, ScheduleProgram::new(&schedule, &node), &mut ())?;
//! assert_eq!(outcome.blocked_headers, 0);
//! assert_eq!((model.price(&schedule, 1).completion.0, outcome.completion.0), (29384, 29394));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The house
//!
//! Floors import downwards only.
//!
//! ```text
//!   cli (the binary)   one file per verb; the only floor that talks to people
//!   selftest           random cases, each computed in several ways that must agree; plain and slow simulations
//!   figures            a paper's tables and plots; whether its claims hold
//!   compare            what differs between two runs, and whether chance can explain it
//!   sweep              units, journals, shards: what is killed goes on, what is cut is joined
//!   report             a page that replays rows: its data; the script and the style are in src/page
//!   output             folder, rows, summary, table, manifest  draw        diagrams of plans, plots of curves, as SVG
//!   run                rows, in order, on all cores
//!   scenario           a TOML file: as written -> validated -> points, each an experiment
//!   workload           multicast, exchange, collective, broadcast, mapping, traffic, operations, trace: a room each
//!   recording          what a run was, hop by hop: critical path, who blocked whom
//!   kind               what a workload is: keys, columns, files; plan, verify, predict, run; a row as data
//!   machine            costs, routers and model of a scenario, on its network
//!   network            the networks that scenarios can name, a file each
//!   config             TOML with places, keys, files
//!   expression         text -> operators, functions, names -> a value
//!   algorithm          a group, a torus or a graph -> a plan   grid        costs of links, drawn
//!   forecast           a measured series -> its next value     fit         measurements -> parameters
//!   model              what a schedule should cost: parameterised, LogP, LogGOPS
//!   engine             what happens when messages meet: programs of nodes on worm, flit, sleep and virtual-channel routers
//!   schedule           who sends what to whom, in what order, after what; what that proves
//!   costs              what nodes, channels and routers take
//!   routing            which channels a message takes          topology    where channels lead
//!   units              ticks, flits, identifiers               random      named random streams
//!   statistics         mean, confidence, quantiles             digest      whether bytes have changed
//!   events             what happens next, in one total order  guide       pages to read, in Markdown
//!   memory             bytes in words, limits, allocations that may fail
//!   cancel             that long work can be told to end, and how far it is
//!   spelling           which name is meant; lists of names     leb128      numbers in as many bytes as they need
//! ```
//!
//! Algorithms know nothing of engines, engines nothing of algorithms; a [`Schedule`](schedule::Schedule) of one message,
//! an [`Exchange`](schedule::Exchange) of blocks, a [`Collective`](schedule::collective::Collective) that combines vectors or the operations of a [`Goal`](schedule::goal::Goal) is all that passes
//! between them. The library never prints and reads neither the clock nor the environment.
//!
//! # Features
//!
//! - none: a library is built with `default-features = false`. Topologies, routing, schedules, algorithms, models, engines,
//!   forecasts, fits and statistics, which need few packages.
//! - `config`: scenarios and what is said in them, their runs, sweeps and files of results: the modules [`config`],
//!   [`scenario`], [`network`], [`machine`], [`kind`], [`workload`], [`run`], [`recording`], [`sweep`], [`output`],
//!   [`compare`], [`digest`], and the pages of [`guide`].
//! - `plots`, which needs `config`: the modules `draw`, `figures` and `report`.
//! - `selftest`, which needs `config`, too: the module `selftest`.
//! - `cli`, on by default: all of these, the `flitwise` command and what only it needs.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "config"), allow(dead_code, unused_imports, reason = "a few helpers serve scenarios alone"))]

pub mod algorithm;
pub mod cancel;
#[cfg(feature = "config")]
pub mod compare;
#[cfg(feature = "config")]
pub mod config;
pub mod costs;
#[cfg(feature = "config")]
pub mod digest;
#[cfg(feature = "plots")]
pub mod draw;
pub mod engine;
pub mod events;
#[cfg(feature = "config")]
mod expression;
#[cfg(feature = "plots")]
pub mod figures;
pub mod fit;
pub mod forecast;
pub mod grid;
#[cfg(feature = "config")]
pub mod guide;
#[cfg(feature = "config")]
pub mod kind;
#[cfg(feature = "config")]
mod leb128;
#[cfg(feature = "config")]
pub mod machine;
pub mod memory;
pub mod model;
#[cfg(feature = "config")]
pub mod network;
#[cfg(feature = "config")]
pub mod output;
pub mod random;
#[cfg(feature = "config")]
pub mod recording;
#[cfg(feature = "plots")]
pub mod report;
pub mod routing;
#[cfg(feature = "config")]
pub mod run;
#[cfg(feature = "config")]
pub mod scenario;
pub mod schedule;
#[cfg(feature = "selftest")]
pub mod selftest;
#[cfg(feature = "config")]
mod spelling;
pub mod statistics;
#[cfg(feature = "config")]
pub mod sweep;
pub mod topology;
pub mod units;
#[cfg(feature = "config")]
pub mod workload;
