//! flitwise simulates collective communication and traffic on wormhole-routed and virtual-channel networks, flit by flit:
//! given a network, node overheads, a message and a group, it reports which schedule finishes first, by how much, and
//! whether the model that predicted it is right.
//!
//! It is a discrete-event simulator into which schedules of published algorithms, and users' own, are injected. The
//! `flitwise` command uses only what this library exports.
//!
//! # A scenario
//!
//! ```
//! # #[cfg(feature = "config")] {
//! use flitwise::prelude::*;
//!
//! let scenario: Scenario = r#"
//!     name = "front-page"
//!     network.mesh.shape = [8, 8]
//!     workload.multicast = { algorithms = ["opt-mesh", "binomial"], flits = 1024, group = 16 }
//! "#.parse()?;
//! let table = table(&scenario, &summarise(&scenario, rows(&scenario))?, None);
//! assert!(table.contains("opt-mesh finishes first; binomial finishes last and takes 1.25 times as long."));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A network and a schedule by hand
//!
//! ```
//! use flitwise::prelude::*;
//!
//! // node 1 of a 4x4 mesh sends 1024 flits to seven others along the dimension-ordered chain
//! let network = DimensionOrder::first_coordinate_first(Mesh::new(&[4, 4], 1)?);
//! let chain = [0, 1, 3, 6, 7, 10, 12, 15].map(NodeId);
//! let schedule = Schedule::split(&UMesh { size: chain.len(), source: 1 }, &chain, 16, Flits(1024));
//! let node = NodeCosts::default().sending(2000, 2).receiving(3500, 3); // ticks: to set up, and per flit
//!
//! let outcome = Simulation::new(&network, ScheduleProgram::new(&schedule, &node)).run()?;
//! assert_eq!((outcome.blocked_headers, outcome.completion), (0, Ticks(34946)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`engine::Simulation`] also gives a run into its caller's hands, tick by tick. The guide
//! [`library`](guide::library) goes on from here: an all-reduce, and topologies, routings and algorithms of one's own.
//!
//! # Layers
//!
//! Modules import only from those below them.
//!
//! ```text
//!   cli (the binary)   one file per verb; the only floor that talks to people
//!   selftest           random cases, each computed in several ways that must agree; plain and slow simulations
//!   embed              a network inside another simulator
//!   booksim            configurations of BookSim 2 as scenarios
//!   compare            what differs between two runs, and whether chance can explain it
//!   sweep              units, journals, shards: what is killed goes on, what is cut is joined
//!   report             a page that replays rows: its data; the script and the style are in src/page
//!   figures            a paper's tables and plots; whether its claims hold
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
//!   references         publications, as text and BibTeX
//!   events             what happens next, in one total order  guide       pages to read, in Markdown
//!   memory             bytes in words, limits, allocations that may fail
//!   cancel             that long work can be told to end, and how far it is
//!   prelude            the names that users of the library mostly need
//!   spelling           which name is meant; lists of names     synonyms    other names of the field for names here
//!   leb128             numbers in as many bytes as they need
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
//!   [`compare`], [`digest`], [`embed`], and the pages of [`guide`].
//! - `plots`, which needs `config`: the modules `draw`, `figures` and `report`.
//! - `selftest`, which needs `config`, too: the module `selftest`.
//! - `system`: how much memory the machine has for a run.
//! - `cli`, on by default: all of these, the `flitwise` command and what only it needs.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "config"), allow(dead_code, unused_imports, reason = "a few helpers serve scenarios alone"))]

pub mod algorithm;
#[cfg(feature = "config")]
pub mod booksim;
pub mod cancel;
#[cfg(feature = "config")]
pub mod compare;
#[cfg(feature = "config")]
pub mod config;
pub mod cores;
pub mod costs;
mod delimiter;
#[cfg(feature = "config")]
pub mod digest;
#[cfg(feature = "plots")]
pub mod draw;
#[cfg(feature = "config")]
pub mod embed;
pub mod engine;
pub mod events;
#[cfg(feature = "config")]
mod expression;
#[cfg(feature = "config")]
mod fault;
#[cfg(feature = "plots")]
pub mod figures;
pub mod fit;
pub mod forecast;
pub mod grid;
#[cfg(feature = "config")]
pub mod guide;
#[cfg(feature = "config")]
pub mod kind;
#[cfg(any(feature = "config", test))]
mod leb128;
mod lines;
#[cfg(feature = "config")]
pub mod machine;
pub mod memory;
pub mod model;
#[cfg(feature = "config")]
pub mod network;
#[cfg(feature = "config")]
pub mod output;
pub mod prelude;
pub mod random;
#[cfg(feature = "config")]
pub mod recording;
pub mod references;
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
mod synonyms;
pub mod timeline;
pub mod topology;
pub mod units;
#[cfg(feature = "config")]
pub mod workload;
