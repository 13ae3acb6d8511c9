//! What a row plans, line by line: which node sends what to which, or what nodes hold after each step.

use crate::kind::{
    Block, Carried, Format, HOLDINGS_HEADER, Held, Kind, Planned, PlannedMessage, RowError, RowFailure, RowId,
    TREES_HEADER, TreeLine, listed,
};
use crate::scenario::Experiment;
use std::io::Write;
use thiserror::Error;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The messages of a plan in sending order.
    Schedule,
    /// The blocks that each node holds after each step.
    Holdings,
    /// The channels of the trees of packets that routers copy or combine.
    Trees,
}

/// Why a row cannot be listed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListingError {
    /// It cannot be planned.
    #[error(transparent)]
    Row(#[from] Box<RowError>),
    /// A line cannot be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

impl Listing {
    /// The names of the columns for workloads of `kind`.
    pub fn header(self, kind: &Kind) -> &'static [&'static str] {
        match self {
            Self::Schedule => kind.schedule_header,
            Self::Holdings => &HOLDINGS_HEADER,
            Self::Trees => &TREES_HEADER,
        }
    }

    /// The listing that a format of `flitwise schedule` stands for, if it does.
    pub fn of_format(format: Format) -> Option<Self> {
        match format {
            Format::Csv => Some(Self::Schedule),
            Format::Holdings => Some(Self::Holdings),
            Format::Trees => Some(Self::Trees),
            Format::Dot | Format::Svg | Format::Goal | Format::Npe | Format::NpeVisualiser => None,
        }
    }

    /// Writes the lines of the row `id` of `experiment`, without the header; nothing if its workload has no such lines.
    ///
    /// # Errors
    /// If the row cannot be planned or a line cannot be written.
    pub fn write<W: Write>(
        self,
        csv: &mut csv::Writer<W>,
        experiment: &Experiment,
        id: RowId,
    ) -> Result<(), ListingError> {
        let experiment = experiment.in_repetition(id)?;
        let planned = experiment.plan(id)?;
        let label = Label { algorithm: experiment.workload.variant(id.algorithm), repetition: id.repetition };
        match self {
            Self::Schedule => label.messages(csv, planned.as_ref())?,
            Self::Trees => label.trees(csv, planned.as_ref())?,
            Self::Holdings => {
                label.holdings(csv, planned.as_ref()).map_err(|cause| experiment.failed(id, cause))??;
            }
        }
        Ok(csv.flush().map_err(csv::Error::from)?)
    }
}

/// What stands first in each line.
struct Label {
    algorithm: &'static str,
    repetition: u64,
}

impl Label {
    /// A line per message. `step`, `flits` and `hops` are empty where a plan has none, and so is `blocks` where a
    /// message is a whole; else it is a list of `source>destination` separated by spaces, or of positions of a vector.
    fn messages<W: Write>(&self, csv: &mut csv::Writer<W>, planned: &dyn Planned) -> csv::Result<()> {
        let mut written = Ok(());
        planned.messages(&mut |message| {
            if written.is_ok() {
                written = self.message(csv, message, &planned.blocks(message.id));
            }
        });
        written
    }

    fn message<W: Write>(
        &self,
        csv: &mut csv::Writer<W>,
        message: &PlannedMessage,
        blocks: &[Block],
    ) -> csv::Result<()> {
        let place = (self.algorithm, self.repetition, message.step);
        let way = (message.src.0, message.dst.0, message.flits.map(|flits| flits.0), message.hops);
        let times = (message.send_start.0, message.received.0);
        match &message.carried {
            None => csv.serialize((place, way, times, listed(blocks))),
            Some(Carried { positions, part, action }) => {
                csv.serialize((place, way, times, (positions, message.id, part, action)))
            }
        }
    }

    /// A line for each channel of a tree. `after` lists the channels that feed it, separated by spaces.
    fn trees<W: Write>(&self, csv: &mut csv::Writer<W>, planned: &dyn Planned) -> csv::Result<()> {
        let mut written = Ok(());
        planned.trees(&mut |line| {
            if written.is_ok() {
                written = self.tree_line(csv, line);
            }
        });
        written
    }

    fn tree_line<W: Write>(&self, csv: &mut csv::Writer<W>, line: &TreeLine) -> csv::Result<()> {
        let TreeLine { tree, id, ends, after } = line;
        let (link, vc) = ends.link().map(|(link, vc)| (link.0, vc)).unzip();
        let after = after.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        csv.serialize((self.algorithm, self.repetition, tree, id, ends.kind(), link, vc, ends.numbers(), after))
    }

    /// A line per node and number of steps done, from 0, when every node holds what it begins with, to all.
    ///
    /// # Errors
    /// If there are too many to be followed; whether lines can be written is returned.
    fn holdings<W: Write>(
        &self,
        csv: &mut csv::Writer<W>,
        planned: &dyn Planned,
    ) -> Result<csv::Result<()>, RowFailure> {
        let mut written = Ok(());
        planned.holdings(&mut |Held { after, node, blocks }| {
            if written.is_ok() {
                written = csv.serialize((self.algorithm, self.repetition, after, node.0, blocks));
            }
        })?;
        Ok(written)
    }
}
