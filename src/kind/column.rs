//! Columns as data: what a row counts, in which unit, and how the table that `run` prints shows it.
//!
//! A kind lists its columns once, in the order of its table; rows.csv, summary.csv, journals, the table and the check
//! of claims follow from that list.

use super::words::number;
use crate::statistics::Statistics;
use crate::units::Flits;

/// What a column counts in. A value is a whole number of these, unless the column is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Ticks of the scenario.
    Ticks,
    /// Things.
    Count,
    /// Millionths of one, so that fractions are exact; files show them as decimals.
    Millionths,
    /// The same, of what may be below zero ([`SignedMillionths`](crate::units::SignedMillionths)).
    SignedMillionths,
    /// Attojoules, so that sums are exact. Files show picojoules.
    Energy,
    /// Nothing: values are decimal numbers with six significant digits, of which rows have the bits
    /// ([`Row::set_decimal`](super::Row::set_decimal)).
    Decimal,
    /// Nothing: the column is text, which follows from the point alone ([`Workload::text`](super::Workload::text)). Rows
    /// have no value in it.
    Text,
}

/// How a cell of the table is made from the statistics of the columns.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// The column's mean.
    Mean,
    /// Half the width of the 95 % confidence interval of the mean of the column that is named.
    Confidence(&'static str),
    /// The column's mean, behind `>` where the column that makes it a lower bound is above zero.
    AtLeast,
    /// The column's mean with four decimals.
    Fraction,
    /// The column's mean in GB/s, with four significant digits.
    Bandwidth,
    /// The column's mean in picojoules as an energy with three significant digits and a unit.
    Energy,
    /// The column's mean as a per cent with its sign, such as `-1.2 %`.
    Percent,
    /// The text of the point.
    Text,
    /// What a function makes of the statistics.
    Computed(fn(&Means<'_>) -> Option<String>),
    /// The mean time that decides which variant is best, as a duration; empty unless a tick has a length.
    Duration,
    /// How many times the best variant's.
    TimesTheBest,
    /// Half the width of the 95 % confidence interval of the mean difference from the best variant, repetition by
    /// repetition, as a part of the best variant's mean.
    Margin,
}

/// How the table shows a column.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Its title.
    pub title: &'static str,
    /// Columns with a larger rank go first when the terminal is narrow; rank 0 stays.
    pub rank: u8,
    /// What its cells say.
    pub cell: Cell,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in the files; empty for what the table alone shows.
    pub name: &'static str,
    /// What it counts in.
    pub unit: Unit,
    /// How the table shows it, if it does.
    pub shown: Option<Shown>,
    /// Whether other kinds have it, too: such columns stand first in files, and `engine` after them.
    pub common: bool,
    /// The unit of its values in words; empty for none.
    pub unit_name: &'static str,
    /// The column that makes this one a lower bound where it is above zero; empty if none does.
    pub least_while: &'static str,
    /// The name that axes show; empty for `name` without underscores.
    pub called: &'static str,
}

impl Column {
    /// A column of times in ticks.
    pub const fn ticks(name: &'static str) -> Self {
        Self { name, unit: Unit::Ticks, shown: None, common: false, unit_name: "ticks", least_while: "", called: "" }
    }

    /// A column of counts.
    pub const fn count(name: &'static str) -> Self {
        Self { name, unit: Unit::Count, shown: None, common: false, unit_name: "", least_while: "", called: "" }
    }

    /// A column of fractions.
    pub const fn millionths(name: &'static str) -> Self {
        Self { name, unit: Unit::Millionths, shown: None, common: false, unit_name: "", least_while: "", called: "" }
    }

    /// A column of fractions that may be below zero, shown as per cents.
    pub const fn signed(name: &'static str) -> Self {
        Self { unit: Unit::SignedMillionths, ..Self::count(name) }
    }

    /// A column of energies.
    pub const fn energy(name: &'static str) -> Self {
        Self { unit: Unit::Energy, ..Self::count(name) }.in_unit("pJ")
    }

    /// A column of decimal numbers.
    pub const fn decimal(name: &'static str) -> Self {
        Self { unit: Unit::Decimal, ..Self::count(name) }
    }

    /// A column of text, the same in all rows of a point.
    pub const fn text(name: &'static str) -> Self {
        Self { unit: Unit::Text, ..Self::count(name) }
    }

    /// What only the table shows.
    pub const fn derived(title: &'static str, rank: u8, cell: Cell) -> Self {
        let shown = Some(Shown { title, rank, cell });
        Self { name: "", unit: Unit::Count, shown, common: false, unit_name: "", least_while: "", called: "" }
    }

    /// The same column, its mean or its text shown under `title`.
    #[must_use]
    pub const fn shown(self, title: &'static str, rank: u8) -> Self {
        let cell = match self.unit {
            Unit::Ticks | Unit::Count | Unit::Millionths | Unit::Decimal | Unit::Energy => Cell::Mean,
            Unit::SignedMillionths => Cell::Percent,
            Unit::Text => Cell::Text,
        };
        self.shown_as(title, rank, cell)
    }

    /// The same column, shown under `title` as `cell` says.
    #[must_use]
    pub const fn shown_as(self, title: &'static str, rank: u8, cell: Cell) -> Self {
        Self { shown: Some(Shown { title, rank, cell }), ..self }
    }

    /// The same column, in a unit that is called so.
    #[must_use]
    pub const fn in_unit(self, name: &'static str) -> Self {
        Self { unit_name: name, ..self }
    }

    /// The same column, a lower bound where `other` is above zero.
    #[must_use]
    pub const fn at_least_while(self, other: &'static str) -> Self {
        Self { least_while: other, ..self }
    }

    /// The column with the name `words` on axes.
    #[must_use]
    pub const fn called(self, words: &'static str) -> Self {
        Self { called: words, ..self }
    }

    /// The name that axes show.
    pub(crate) fn shown_name(&self) -> String {
        if self.called.is_empty() { self.name.replace('_', " ") } else { self.called.to_owned() }
    }

    const fn common(self) -> Self {
        Self { common: true, ..self }
    }

    /// Whether it is text.
    pub const fn is_text(&self) -> bool {
        matches!(self.unit, Unit::Text)
    }

    /// Whether files have it.
    pub const fn is_stored(&self) -> bool {
        !self.name.is_empty()
    }
}

/// When the model says that the last message is received.
pub const PREDICTED: Column = Column::ticks("predicted").called("predicted time").shown("predicted", 1).common();
/// When the last message was received.
pub const MEASURED: Column = Column::ticks("measured").called("completion time").shown("measured", 0).common();
/// Messages whose head flit had to wait for a channel, its own injection channel included.
pub(crate) const BLOCKED_MESSAGES: Column = Column::count("blocked_messages").common();
/// How often a head flit had to wait for a channel; the table shows it without [`QUEUED_MESSAGES`].
pub(crate) const BLOCKED_HEADERS: Column =
    Column::count("blocked_headers").shown_as("blocked", 5, Cell::Computed(blocked_beyond_injection)).common();
/// How long head flits waited for channels in all.
pub(crate) const BLOCKED_TIME: Column = Column::ticks("blocked_time").common();
/// Messages whose head flit had to wait for its own injection channel, which it does once at most.
pub(crate) const QUEUED_MESSAGES: Column = Column::count("queued_messages").shown("queued", 9).common();
/// How long head flits waited for their own injection channels in all.
pub(crate) const QUEUED_TIME: Column = Column::ticks("queued_time").common();
/// How sure the measured mean is.
pub(crate) const CONFIDENCE: Column = Column::derived("± 95 %", 3, Cell::Confidence("measured"));
/// How far the model was off.
pub(crate) const VS_MODEL: Column = Column::derived("vs model", 2, Cell::Computed(off_the_model));
/// The time in seconds, where a tick has a length.
pub(crate) const DURATION: Column = Column::derived("time", 1, Cell::Duration);
/// How many times the best.
pub(crate) const VS_BEST: Column = Column::derived("vs best", 0, Cell::TimesTheBest);
/// How sure that is.
pub(crate) const MARGIN: Column = Column::derived(MARGIN_TITLE, 4, Cell::Margin);
/// What the column beside [`VS_BEST`] is called.
pub(crate) const MARGIN_TITLE: &str = "±";

/// The columns of a kind that predicts and measures when messages are received, and has none of its own.
pub(crate) const TIMED: [Column; 12] = [
    PREDICTED,
    MEASURED,
    CONFIDENCE,
    VS_MODEL,
    BLOCKED_MESSAGES,
    BLOCKED_HEADERS,
    BLOCKED_TIME,
    QUEUED_MESSAGES,
    QUEUED_TIME,
    DURATION,
    VS_BEST,
    MARGIN,
];

/// The columns `own` of a kind, and after them [`TIMED`].
pub(crate) const fn then_timed<const OWN: usize, const ALL: usize>(own: [Column; OWN]) -> [Column; ALL] {
    assert!(ALL == OWN + TIMED.len());
    let mut all = [PREDICTED; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { TIMED[at - OWN] };
        at += 1;
    }
    all
}

/// The size of the message, vector or block as requested, before it is rounded up to flits.
pub(crate) const BYTES: Column = Column::count("bytes").called("message size").in_unit("bytes");
/// The size over the measured time, in GB/s (10^9 bytes per second). Empty without the length of a tick.
pub(crate) const ALGBW: Column = Column::decimal("algbw").called("algorithm bandwidth").in_unit("GB/s");
/// The bandwidth [`ALGBW`] times the part of the data that has to cross a node's links, which is comparable between operations
/// and numbers of nodes (nccl-tests, PERFORMANCE.md).
pub(crate) const BUSBW: Column =
    Column::decimal("busbw").called("bus bandwidth").shown_as("busbw", 0, Cell::Bandwidth).in_unit("GB/s");

/// Flits that arrived at a node, as a bandwidth in GB/s. Empty without the length of a tick.
pub(crate) const ACCEPTED_BANDWIDTH: Column = Column::decimal("accepted_bandwidth")
    .called("accepted bandwidth")
    .shown_as("GB/s per node", 4, Cell::Bandwidth)
    .in_unit("GB/s");

/// `columns` with [`BYTES`], [`ALGBW`] and [`BUSBW`] after [`MEASURED`]: those of a scenario that states the size of a flit.
pub(crate) const fn with_sizes<const PLAIN: usize, const ALL: usize>(columns: [Column; PLAIN]) -> [Column; ALL] {
    assert!(ALL == PLAIN + 3);
    let mut all = [BYTES; ALL];
    let mut from = 0;
    let mut to = 0;
    while from < PLAIN {
        all[to] = columns[from];
        to += 1;
        if matches!(columns[from].name.as_bytes(), b"measured") {
            all[to] = BYTES;
            all[to + 1] = ALGBW;
            all[to + 2] = BUSBW;
            to += 3;
        }
        from += 1;
    }
    all
}

/// The column that a run is for, of those that have values: when the last message was received, of a burst its makespan, of
/// other traffic the latency, of mappings that are not simulated their cost, without a network what the model predicts.
pub(crate) fn headline(has_values: impl Fn(&str) -> bool) -> Option<&'static str> {
    ["measured", "makespan", "latency", "cost", "predicted"].into_iter().find(|name| has_values(name))
}

/// The statistics of a variant at a point, by the name of the column.
pub struct Means<'a> {
    find: &'a dyn Fn(&str) -> Option<Statistics>,
}

impl<'a> Means<'a> {
    /// Those that `find` finds.
    pub fn new(find: &'a dyn Fn(&str) -> Option<Statistics>) -> Self {
        Self { find }
    }

    /// The statistics of the column called `name`, if it has any values.
    pub fn statistics(&self, name: &str) -> Option<Statistics> {
        (self.find)(name)
    }

    /// The mean of the column called `name`.
    pub fn mean(&self, name: &str) -> Option<f64> {
        Some(self.statistics(name)?.mean)
    }

    /// The ratio of two means, with three decimals; none if it has no meaning.
    pub fn ratio(&self, name: &str, to: &str) -> Option<String> {
        let ratio = self.mean(name)? / self.mean(to)?;
        ratio.is_finite().then(|| format!("{ratio:.3}"))
    }
}

/// The data from which the bandwidths of a row are computed: the length of its message, vector or block, and its factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The key that states the length in flits.
    pub key: &'static str,
    /// The length.
    pub flits: Flits,
    /// The number of such lengths that the algorithmic bandwidth counts.
    pub count: u64,
    /// The ratio of the bus bandwidth to the algorithmic one.
    pub bus: [u64; 2],
}

fn off_the_model(means: &Means<'_>) -> Option<String> {
    let predicted = means.mean("predicted")?;
    let off = 100.0 * (means.mean("measured")? - predicted) / predicted;
    off.is_finite().then(|| format!("{off:+.2}%"))
}

fn blocked_beyond_injection(means: &Means<'_>) -> Option<String> {
    Some(number(means.mean("blocked_headers")? - means.mean("queued_messages")?))
}
