//! A network inside another simulator, the *host*, which sends its messages while the simulation runs ([`crate::embed`]).

mod read;

pub use read::{Embed, EmbedClass};

use crate::kind::{
    Demand, Evidence, Job, Keep, Kind, Planned, Read, Row, RowFailure, Template, Unread, Workload, WorstCase,
};
use crate::machine::Machine;

/// Embedded networks in the registry.
pub static KIND: Kind = Kind {
    name: "embed",
    summary: "messages that a host program sends while the simulation runs",
    in_words: "an embedded network",
    keys: read::KEYS,
    keeps_messages: false,
    needs_routers: read::needs_routers,
    not_run: "the messages of [workload.embed] come from a host program, so that there is nothing to run; see `flitwise guide embed`",
    read: Read::Workload(read::read),
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    ..Kind::DEFAULT
};

impl Workload for Embed {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn demand(&self, machine: &Machine, _: usize) -> Demand {
        let nodes = machine.network_nodes();
        let slots = nodes.saturating_mul(self.classes.len());
        let demand = Demand { nodes, planning: 64 * slots as u64, ..Demand::default() };
        demand.run_on(machine, 1)
    }

    fn worst_case(&self, _: &Machine) -> Option<WorstCase> {
        None
    }

    fn unread(&self, _: &Machine) -> Vec<Unread> {
        vec![Unread { path: &["model"], why: "nothing is predicted for messages of a host program" }]
    }

    fn title(&self, _: &dyn Fn(&str) -> bool) -> Vec<String> {
        vec!["messages of a host program".to_owned()]
    }

    fn plan<'a>(&'a self, _: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        Ok(Box::new(Plan))
    }
}

/// No messages: those of the host are not known.
struct Plan;

impl Planned for Plan {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        Ok(Evidence::new())
    }

    fn run(&self, _: &mut Row, _: Keep<'_>) -> Result<(), RowFailure> {
        Ok(())
    }

    fn could_contend(&self) -> bool {
        false
    }
}
