//! Operations of ranks from GOAL and MSCCL files: checked, executed under the model, and run on the network.

mod read;

pub use read::Operations;

use crate::config::{Diagnostic, Reader};
use crate::engine::program::GoalProgram;
use crate::engine::{Outcome, Stop};
use crate::kind::words::grouped;
use crate::kind::{
    Beside, Demand, Evidence, FirstWait, Format, Job, Keep, Kind, LINKS, Planned, Remark, ResultLine, Row, RowFailure,
    RowFile, Template, Unread, Workload, WorstCase, measure,
};
use crate::machine::Machine;
use crate::model::{Execution, Model, execute};
use crate::schedule::goal::{Action, AmbiguousTags, DataCheck, Goal};
use crate::units::{Flits, MessageId, NodeId, narrow};
use std::any::Any;
use std::borrow::Cow;

/// When each rank has finished, of the first repetition at each point.
const HOSTS: RowFile = RowFile { name: "hosts.csv", header: &["point", "host", "finish"] };

/// GOAL files in the registry.
pub static GOAL: Kind = Kind {
    name: "goal",
    summary: "operations of ranks from a GOAL file, predicted by a model or run on a network",
    in_words: "a program of operations",
    counts_bytes: true,
    keys: read::GOAL,
    files: &[HOSTS, LINKS],
    exports: &[Format::Goal],
    template: Template { scenario: include_str!("goal.toml"), files: &[("ring.goal", include_str!("ring.goal"))] },
    read: read::read_goal,
    remarks: |lines| (Kind::DEFAULT.remarks)(lines).into_iter().chain(ambiguous_tags(lines)).collect(),
    ..Kind::DEFAULT
};

/// MSCCL files in the registry.
pub static MSCCL: Kind = Kind {
    name: "msccl",
    summary: "operations of ranks from an MSCCL XML file, predicted by a model or run on a network",
    keys: read::MSCCL,
    template: Template { scenario: include_str!("msccl.toml"), files: &[("swap.xml", include_str!("swap.xml"))] },
    read: read::read_msccl,
    ..GOAL
};

/// A remark where LogGOPSim, which has tags of 32 bits, would take other messages for these.
fn ambiguous_tags(lines: &[ResultLine<'_>]) -> Option<Remark> {
    let ambiguous = |line: &ResultLine<'_>| {
        let workload: &dyn Any = line.workload;
        workload.downcast_ref::<Operations>()?.goal.ambiguous_tags()
    };
    let about: Vec<usize> = (0..lines.len()).filter(|&at| ambiguous(&lines[at]).is_some()).collect();
    let text = in_loggopsim(&lines.iter().find_map(ambiguous)?);
    Some(Remark { text, lines: about, doubted: &[] })
}

/// That LogGOPSim takes two tags for one.
fn in_loggopsim(tags: &AmbiguousTags) -> String {
    format!("LogGOPSim stores tags modulo 2^32, so {tags}; flitwise stores all 64 bits.")
}

/// What a message is like on average, by a few of all.
struct Sample {
    /// Channels of its path, both ends included; 0 where there are no paths.
    hops: u64,
    /// Its flits on the wire.
    flits: u64,
}

impl Operations {
    /// How many messages are looked at for a sample.
    const SAMPLED: usize = 64;

    /// Messages all over the program: neighbours that talk to each other cost much less than nodes that are far apart.
    fn sample(&self, machine: &Machine) -> Sample {
        let operations = self.goal.operations();
        let step = operations.len().div_ceil(4 * Self::SAMPLED).max(1);
        let mut path = Vec::new();
        let (mut messages, mut hops, mut flits) = (0, 0, 0);
        for id in (0..operations.len()).step_by(step) {
            let operation = &operations[id];
            if operation.action != Action::Send || messages == Self::SAMPLED as u64 {
                continue;
            }
            messages += 1;
            flits += Flits::from_bytes(operation.size, self.flit_bytes).on_wire();
            let Some(network) = machine.network() else { continue };
            let src = NodeId(self.goal.rank_of(narrow(id, "operations are numbered with 32 bits")));
            if src.0 != operation.peer {
                path.clear();
                network.route(src, NodeId(operation.peer), &mut path);
                hops += path.len() as u64;
            }
        }
        let mean = |sum: u64| sum.div_ceil(messages.max(1));
        Sample { hops: mean(hops), flits: mean(flits) }
    }
}

impl Workload for Operations {
    fn kind(&self) -> &'static Kind {
        if self.format == MSCCL.name { &MSCCL } else { &GOAL }
    }

    fn participants(&self) -> usize {
        self.goal.ranks()
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let all = self.goal.operations().len() as u64;
        let Sample { hops, flits } = self.sample(machine);
        let demand = Demand {
            nodes: self.goal.ranks(),
            messages: self.goal.messages(),
            hops,
            planning: 120 * all,
            planning_time: 300 * all,
            ..Demand::default()
        };
        demand.run_on(machine, flits).with_links(machine, self.details)
    }

    /// All operations one after the other.
    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let costs = machine.sequential_costs();
        let mut longest = Flits(0);
        let mut sent = |bytes: u64| {
            let flits = Flits::from_bytes(bytes, self.flit_bytes);
            longest = longest.max(flits);
            let sent = costs.setup + u128::from(flits.on_wire()) * costs.per_flit;
            sent + machine.path_time() + machine.modelled(bytes)
        };
        let messages: u128 = match self.goal.bytes_of_all() {
            Some(bytes) => self.goal.messages() as u128 * sent(bytes),
            None => {
                let sends = self.goal.operations().iter().filter(|operation| operation.action == Action::Send);
                sends.map(|operation| sent(operation.size)).sum()
            }
        };
        let all = self.goal.computed() + messages;
        let ticks = all.max(machine.largest_offset(longest));
        Some(WorstCase { ticks, key: "file", what: "these operations" })
    }

    fn check(&self, root: &Reader<'_>, machine: &Machine) {
        if machine.model.is_none() && machine.network.is_none() {
            let message = "operations need a [network.*] or a model that predicts them";
            let note = "needed: [network.*], [model.loggops], [model.logp] or [model.parameterised]";
            root.error(Diagnostic::at(root.place_within(&["workload"]), message).note(note));
        }
    }

    fn unread(&self, machine: &Machine) -> Vec<Unread> {
        if machine.network.is_some() || machine.model.is_none() {
            return Vec::new();
        }
        let why = "without a [network.*] the operations specify their interfaces";
        vec![Unread { path: &["node", "ports"], why }]
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        let number = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            _ => format!("{} {noun}s", grouped(count as u64)),
        };
        let messages = number(self.goal.messages(), "message");
        vec![format!("{messages} of {} in {}", number(self.goal.ranks(), "rank"), self.file)]
    }

    fn writes(&self, _: bool) -> &'static [RowFile] {
        if self.details { GOAL.files } else { &[HOSTS] }
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let machine = job.machine;
        let wrong = RowFailure::wrong("the operations cannot be executed");
        let eager = machine.model.as_ref().map_or(u64::MAX, Model::eager);
        let executed = self.goal.check().and_then(|()| {
            // under the model, whatever the network
            execute(&self.goal, |bytes| machine.parts(bytes, self.flit_bytes), eager)
        });
        let mut executed = match executed {
            Ok(executed) => executed,
            Err(violation) => return Err(wrong(violation)),
        };
        if let Some(DataCheck::Violated(violation)) = self.data.as_deref() {
            return Err(RowFailure::wrong("the data violate the postcondition of the collective")(violation.clone()));
        }
        match executed.truncated.take() {
            Some(violation) => Err(wrong(violation)),
            None => Ok(Box::new(Plan { workload: self, job, executed })),
        }
    }
}

/// Operations that can be executed, and how the model executes them.
struct Plan<'a> {
    workload: &'a Operations,
    job: Job<'a>,
    executed: Execution,
}

impl Plan<'_> {
    fn program(&self) -> GoalProgram<'_> {
        let Operations { goal, nodes, flit_bytes, .. } = self.workload;
        GoalProgram::new(goal, nodes, &self.job.machine.node, *flit_bytes)
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let evidence = Evidence::new().note(format!(
            "proved: every operation ({} in all) names an existing rank, and none waits for itself; under the model every \
             message ({} in all) is sent and received, and the last rank finishes at tick {}",
            self.workload.goal.operations().len(),
            self.workload.goal.messages(),
            self.executed.completion
        ));
        let evidence = match self.workload.goal.ambiguous_tags() {
            Some(tags) => evidence.note(in_loggopsim(&tags)),
            None => evidence,
        };
        Ok(match self.workload.data.as_deref() {
            Some(DataCheck::Proved(proof)) => evidence.note(format!("proved: {proof}")),
            Some(DataCheck::Unchecked(reason)) => evidence.note(format!("the data are not checked: {reason}")),
            Some(DataCheck::Violated(_)) | None => evidence,
        })
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.workload.goal.ranks();
        row.messages = self.workload.goal.messages();
        row.predict(self.executed.completion);
        if row.id.repetition == 0 {
            let point = row.id.point as u64;
            let hosts = (0..).zip(&self.executed.finish);
            row.add_numbers(&HOSTS, hosts.map(|(host, finish)| [point, host, finish.0]));
        }
        if self.job.machine.network.is_none() {
            return Ok(());
        }
        let program = self.program();
        let links = self.workload.details;
        let flits: Vec<Flits> = match keep.wants_messages() || links {
            true => (0..row.messages).map(|message| program.flits(MessageId::new(message))).collect(),
            false => Vec::new(),
        };
        let name = |message: usize| (message as u64, flits[message]);
        measure(self.job.machine, program, row, Beside { keep, links, name: &name })
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.job.machine.network.as_ref()?; // without one, ranks have no nodes
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    fn could_contend(&self) -> bool {
        self.job.machine.network.is_some()
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        Some(match flit_bytes {
            None => Ok(Cow::Borrowed(&self.workload.goal)),
            Some(_) => Err("--flit-bytes has no effect: operations are already in bytes".to_owned()),
        })
    }
}
