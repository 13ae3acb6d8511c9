//! What the diagrams of an exchange show: the paths of each step, which node holds which blocks, and the timing by the
//! model and as measured.

use super::{KIND, Plan};
use crate::kind::diagram::{Member, Paths, Route, Timing, Transfer, Wait, Waits, Ways, most};
use crate::kind::{BlockHoldings, Diagram, DiagramError, Picture, measured_transfers};
use crate::machine::Machine;
use crate::routing::{Lattice, Move, lattice};
use crate::schedule::ExchangeMessage;
use crate::topology::Direction;
use crate::units::NodeId;

impl Plan<'_> {
    fn names(&self) -> Vec<String> {
        let lattice = self.job.machine.lattice();
        (0..self.exchange.nodes()).map(|node| Machine::node_name(lattice.as_ref(), NodeId::new(node))).collect()
    }

    pub(super) fn block_tables(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Blocks.within(self.exchange.nodes(), "nodes", most::BLOCK_NODES)?;
        Diagram::Blocks.within(self.exchange.steps(), "steps", most::STEPS)?;
        Ok(vec![Picture::Blocks { holdings: self.block_holdings(), names: self.names() }])
    }

    /// Which node holds which blocks when.
    pub(super) fn block_holdings(&self) -> BlockHoldings {
        let moved = |message: ExchangeMessage<'_>| {
            self.exchange.blocks(message.id).into_iter().map(move |block| (block, message.dst))
        };
        let steps = (0..self.exchange.steps()).map(|step| self.exchange.messages(step).flat_map(moved).collect());
        let steps = steps.collect();
        BlockHoldings { shape: self.exchange.shape().to_vec(), nodes: self.exchange.nodes(), steps }
    }

    pub(super) fn timing(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Timing.within(self.exchange.nodes(), "lanes", most::LANES)?;
        Diagram::Timing.within(self.exchange.len(), "messages", most::TRANSFERS)?;
        let prices = self.model.price(&self.exchange);
        let transfer = |(_, message): (usize, ExchangeMessage<'_>)| Transfer {
            src: message.src.index(),
            dst: message.dst.index(),
            port: 0,
            landing: None,
            start: prices.send_start[message.id.index()].0,
            times: self.model.parts(&message),
            combine: 0,
            received: true,
            blocked: false,
        };
        let predicted: Vec<Transfer> = self.all_messages().map(transfer).collect();
        let measured = measured_transfers(self, KIND.columns, self.job.machine.node, &predicted);
        Ok(vec![Picture::Timing(Timing { lanes: self.names(), ports: 1, predicted, measured })])
    }

    pub(super) fn paths(&self) -> Result<Vec<Picture>, DiagramError> {
        let ways = Ways::new(self.job.machine)?;
        let steps = self.exchange.steps();
        let count = (0..steps).map(|step| self.exchange.step(step).len()).max().unwrap_or(0);
        Diagram::Paths.within(count, "messages in a step", most::PATHS)?;
        Diagram::Paths.within(steps, "steps", most::STEPS)?;
        let names = self.names();
        let waits = self.waits();
        Ok((0..steps).map(|step| Picture::Paths(self.paths_of_step(step, &ways, &names, &waits))).collect())
    }

    fn paths_of_step(&self, step: usize, ways: &Ways<'_>, names: &[String], waits: &[Wait]) -> Paths {
        let route = |message: &ExchangeMessage<'_>| {
            let src = &names[message.src.index()];
            let dst = &names[message.dst.index()];
            let blocks = if message.blocks == 1 { "block" } else { "blocks" };
            Route {
                vertices: self.vertices(message, ways),
                label: format!("{src} to {dst}, {} {blocks}", message.blocks),
                during: None,
                group: self.way_in_words(message),
            }
        };
        let member = |(node, name): (usize, &String)| Member {
            vertex: ways.vertex(NodeId::new(node)),
            name: name.clone(),
            is_source: false,
        };
        let messages: Vec<ExchangeMessage<'_>> = self.exchange.messages(step).collect();
        let place = |id: usize| messages.iter().position(|message| message.id.index() == id);
        let placed = |wait: &Wait| {
            place(wait.message).map(|message| Wait { message, holder: wait.holder.and_then(place), ..*wait })
        };
        Paths {
            title: format!("step {step}"),
            ground: ways.ground.clone(),
            routes: messages.iter().map(route).collect(),
            members: names.iter().enumerate().map(member).collect(),
            waits: waits.iter().filter_map(placed).collect(),
        }
    }

    /// The vertices that a message passes: on a torus it is told its moves, elsewhere it takes the network's own path.
    fn vertices(&self, message: &ExchangeMessage<'_>, ways: &Ways<'_>) -> Vec<u32> {
        match self.job.machine.lattice().filter(|_| self.workload.torus.is_some()) {
            Some(lattice) => moved(&lattice, message.src.0, message.moves),
            None => ways.path(message.src, message.dst),
        }
    }

    /// What a message has in common with those that go as far.
    fn way_in_words(&self, message: &ExchangeMessage<'_>) -> String {
        match &self.workload.torus {
            Some(torus) => moves_in_words(torus.shape().len(), message.moves),
            None => {
                let nodes = self.exchange.nodes();
                format!("node number + {}", (message.dst.index() + nodes - message.src.index()) % nodes)
            }
        }
    }

    /// Where head flits wait, if it is run and paths are fixed.
    fn waits(&self) -> Vec<Wait> {
        let machine = self.job.machine;
        let fixed = machine.routers.as_ref().is_none_or(|routers| routers.fixes_paths);
        if !self.workload.simulate || !fixed || self.prove().is_err() {
            return Vec::new();
        }
        let mut waits = Waits::default();
        let ran = machine.run(self.program(&machine.node), self.job.draw(), &mut waits);
        if matches!(ran, Some(Ok(_))) { waits.on_the_way().collect() } else { Vec::new() }
    }
}

/// How far messages with these `moves` go along each of `dimensions`, as `by (0, +2)`.
fn moves_in_words(dimensions: usize, moves: &[Move]) -> String {
    let mut along = vec![0; dimensions];
    for step in moves {
        along[step.dimension as usize] += i64::from(step.hops);
    }
    let along: Vec<String> =
        along.iter().map(|&hops| if hops == 0 { "0".to_owned() } else { format!("{hops:+}") }).collect();
    format!("offset ({})", along.join(", "))
}

/// The nodes that `moves` pass.
#[expect(clippy::expect_used, reason = "exchanges are made for tori, whose rings have no ends")]
fn moved(lattice: &Lattice, from: u32, moves: &[Move]) -> Vec<u32> {
    let mut nodes = vec![from];
    let mut at = from;
    for step in moves {
        let direction = if step.hops < 0 { Direction::Minus } else { Direction::Plus };
        let port = lattice::port(step.dimension as usize, direction);
        for _ in 0..step.hops.unsigned_abs() {
            at = lattice.neighbour(at, port).expect("every node of a torus has neighbours both ways");
            nodes.push(at);
        }
    }
    nodes
}
