//! Whether the tables of a figure will have the columns that its plot and claims read, and its diagrams can be drawn.
//!
//! Headers follow from the scenario, so that a slip of the pen is found before anything runs. What columns hold is
//! known only after it.

use super::DecisionMap;
use super::claim::{Claim, Column, Test};
use super::figure::{Figure, Plot};
use super::figure_table::FigureTable;
use super::keys;
use super::{Rejected, Scenario};
use crate::config::{Axis, Condition, Diagnostic, SET, Value, updated_path};
use crate::kind::{Column as Counted, ENERGY, Format, HOLDINGS_HEADER};
use crate::spelling::listed;
use crate::statistics::STATISTICS;
use crate::workload::KINDS;

/// The column of `summary.csv` that is 1 for algorithms on the Pareto front of time and energy of their point, and 0 for others.
pub const PARETO: &str = "pareto";

impl Scenario {
    /// Looks whether everything that the figure reads will be there; a scenario without a figure reads nothing.
    ///
    /// # Errors
    /// Every column that will not be in its table, and tables and diagrams that the workload does not give.
    pub fn check_figure(&self) -> Result<(), Rejected> {
        self.check(find, |_| true)
    }

    /// As [`Self::check_figure`], for the parts of figure and claims that the command line sets. Others may have lost their
    /// columns by other settings.
    ///
    /// # Errors
    /// Every column that will not be in its table.
    pub(super) fn check_set_figure(&self) -> Result<(), Rejected> {
        let is_set = |wrong: &Diagnostic| {
            let source = wrong.place.as_ref().and_then(|place| self.document.sources.get(place.source));
            source.is_some_and(|source| source.name == SET)
        };
        self.check(find, is_set)
    }

    /// Looks whether everything that the picture shows will be there, whatever is claimed.
    ///
    /// # Errors
    /// Every column that will not be in the summary, and diagrams that the workload does not give.
    pub fn check_picture(&self) -> Result<(), Rejected> {
        self.check(find_for_picture, |_| true)
    }

    fn check(
        &self,
        find: impl FnOnce(&Self, &Figure, &mut Vec<Diagnostic>),
        counts: impl Fn(&Diagnostic) -> bool,
    ) -> Result<(), Rejected> {
        let mut wrong = Vec::new();
        if let Some(figure) = &self.figure {
            find(self, figure, &mut wrong);
        }
        wrong.retain(counts);
        if wrong.is_empty() {
            return Ok(());
        }
        wrong.dedup(); // a formula may read a column twice
        wrong.sort_by_key(|diagnostic| diagnostic.place.as_ref().map(|place| place.span.start));
        Err(self.reject(wrong))
    }

    /// The columns of `summary.csv`.
    pub fn summary_columns(&self) -> Vec<String> {
        let axes = self.axes.iter().map(|axis| axis.column.clone());
        let before = std::iter::once("scenario".to_owned()).chain(axes);
        let before = before.chain(["algorithm", "repetitions"].map(str::to_owned));
        let of_column = |column: &'static Counted| match column.is_text() {
            true => vec![column.name.to_owned()],
            false => STATISTICS.iter().map(|statistic| format!("{}_{statistic}", column.name)).collect(),
        };
        let pareto = self.result_columns().iter().any(|column| column.name == ENERGY.name).then(|| PARETO.to_owned());
        before.chain(self.result_columns().stored().flat_map(of_column)).chain(pareto).collect()
    }

    /// The columns of a table that the figure can have; none if the workload does not give it.
    pub fn table_columns(&self, table: FigureTable) -> Option<Vec<&'static str>> {
        let has = |format| self.kind().formats().contains(&format);
        let header: &[&str] = match table {
            FigureTable::SCHEDULE => has(Format::Csv).then_some(self.kind().schedule_header)?,
            FigureTable::HOLDINGS => has(Format::Holdings).then_some(&HOLDINGS_HEADER[..])?,
            _ => self.row_files(false).into_iter().find(|file| file.table() == table.name())?.header,
        };
        Some(header.to_vec())
    }
}

fn find_for_picture(scenario: &Scenario, figure: &Figure, wrong: &mut Vec<Diagnostic>) {
    if let Some(plot) = &figure.plot {
        Columns::of_summary(scenario).check_plot(plot, wrong);
    }
    if let Some(map) = &figure.map {
        Columns::of_summary(scenario).check_map(map, wrong);
    }
    check_diagrams(scenario, figure, wrong);
}

fn find(scenario: &Scenario, figure: &Figure, wrong: &mut Vec<Diagnostic>) {
    find_for_picture(scenario, figure, wrong);
    let summary = Columns::of_summary(scenario);
    let others: Vec<_> = figure.tables.iter().map(|&table| (table, Columns::of_table(scenario, table))).collect();
    for (table, _) in others.iter().filter(|(_, columns)| columns.is_none()) {
        let message = format!("the workload has no table `{}`", table.name());
        wrong.push(Diagnostic::at(figure.place.clone(), message).note(givers(*table)));
    }
    for claim in &figure.claims {
        let other = claim.table.and_then(|table| others.iter().find(|(other, _)| *other == table));
        match (claim.table, other) {
            (None, _) => summary.check_claim(claim, wrong),
            (Some(_), Some((_, Some(columns)))) => columns.check_claim(claim, wrong),
            _ => {} // said above, or when the claim was read
        }
    }
}

/// Looks whether there are such diagrams of every point.
fn check_diagrams(scenario: &Scenario, figure: &Figure, wrong: &mut Vec<Diagnostic>) {
    for (diagram, place) in &figure.diagrams {
        let of_points = scenario.points.iter().map(|point| {
            let experiment = &point.experiment;
            (experiment, experiment.workload.diagrams(&experiment.machine))
        });
        if let Some((experiment, kinds)) = of_points.into_iter().find(|(_, kinds)| !kinds.contains(diagram)) {
            let workload = &experiment.workload;
            let has_network = experiment.machine.network.is_some() || workload.kind().needs_grid;
            let alone = if has_network { "" } else { " without a network" };
            let message = format!("there is no diagram `{}` for {}{alone}", diagram.name(), workload.kind().in_words);
            let accepted = listed(kinds.iter().map(|kind| kind.name()));
            let accepted = if kinds.is_empty() { "none".to_owned() } else { accepted };
            wrong.push(Diagnostic::at(place.clone(), message).note(format!("accepted: {accepted}")));
        }
    }
}

fn givers(table: FigureTable) -> String {
    let gives = |formats: &[Format], files: &[crate::kind::RowFile]| match table {
        FigureTable::SCHEDULE => formats.contains(&Format::Csv),
        FigureTable::HOLDINGS => formats.contains(&Format::Holdings),
        _ => files.iter().any(|file| file.table() == table.name()),
    };
    let kinds = KINDS.iter().filter(|kind| gives(&kind.formats(), kind.files));
    let names: Vec<&str> = kinds.map(|kind| kind.name).collect();
    let unless = match table {
        FigureTable::SCHEDULE | FigureTable::HOLDINGS => "",
        _ => ", unless `details = false`",
    };
    format!("accepted: `{}` with {}{unless}", table.name(), names.join(", "))
}

/// What formulas can read of a table.
pub(super) struct Columns {
    /// The swept keys among the columns, each with whether its values are arrays.
    axes: Vec<(String, bool)>,
    others: Vec<String>,
    /// Those of the others that are text.
    texts: Vec<&'static str>,
    /// Algorithms as formulas call them.
    algorithms: Vec<String>,
    /// What is accepted, in words.
    accepted: String,
}

impl Columns {
    pub(super) fn of_summary(scenario: &Scenario) -> Self {
        let mut columns = Self::of_header(scenario, scenario.summary_columns());
        let axes = scenario.axes.iter().map(|axis| axis.column.as_str());
        let all = || scenario.result_columns().stored();
        columns.texts = all().filter(|column| column.is_text()).map(|column| column.name).collect();
        let pareto = columns.others.iter().any(|other| other == PARETO).then_some(PARETO);
        let plain = axes.chain(["algorithm", "repetitions"]).chain(pareto).chain(columns.texts.iter().copied());
        let plain: Vec<&str> = plain.collect();
        let metrics = listed(all().filter(|column| !column.is_text()).map(|column| column.name));
        let statistics = listed(STATISTICS);
        columns.accept(
            plain.into_iter(),
            &format!("METRIC_STATISTIC with one of the metrics {metrics} and one of the statistics {statistics}"),
        );
        columns
    }

    /// None if the workload of `scenario` gives no such table.
    pub(super) fn of_table(scenario: &Scenario, table: FigureTable) -> Option<Self> {
        let header = scenario.table_columns(table)?.into_iter().map(str::to_owned).collect();
        let mut columns = Self::of_header(scenario, header);
        let others = columns.others.clone();
        columns.accept(others.iter().map(String::as_str), "");
        Some(columns)
    }

    fn of_header(scenario: &Scenario, header: Vec<String>) -> Self {
        let array = |axis: &Axis| axis.values.iter().any(|node| matches!(node.value, Value::Array(_)));
        let axes = scenario.axes.iter().filter(|axis| header.contains(&axis.column));
        let axes: Vec<_> = axes.map(|axis| (axis.column.clone(), array(axis))).collect();
        let others = header.into_iter().filter(|name| axes.iter().all(|(axis, _)| axis != name)).collect();
        let mut algorithms: Vec<String> = Vec::new();
        for workload in scenario.points.iter().map(|point| &point.experiment.workload) {
            for name in workload.variants().into_iter().map(plain) {
                if !algorithms.contains(&name) {
                    algorithms.push(name);
                }
            }
        }
        Self { axes, others, texts: Vec::new(), algorithms, accepted: String::new() }
    }

    fn accept<'a>(&mut self, names: impl Iterator<Item = &'a str>, more: &str) {
        let of_one = self.algorithms.first().map_or_else(String::new, |first| {
            format!("; columns of one algorithm, such as `{first}.{}`", self.others.last().map_or("", String::as_str))
        });
        let more = if more.is_empty() { String::new() } else { format!(", {more}") };
        self.accepted = format!("accepted: {}{more}{of_one}", listed(names));
    }

    /// Whether `key` is a swept key, or an element of one.
    fn is_of_axis(&self, key: &str) -> bool {
        let element = |axis: &str| key.strip_prefix(axis).and_then(|rest| rest.strip_prefix('.'));
        let of_axis = |(axis, array): &(String, bool)| {
            key == axis || *array && element(axis).is_some_and(|index| index.parse::<usize>().is_ok())
        };
        self.axes.iter().any(of_axis)
    }

    fn has(&self, key: &str) -> bool {
        let is_other = |key: &str| self.others.iter().any(|other| other == key);
        let of_algorithm = key.split_once('.').is_some_and(|(algorithm, column)| {
            self.algorithms.iter().any(|name| name == algorithm) && is_other(column)
        });
        is_other(key) || of_algorithm || self.is_of_axis(key)
    }

    /// The column that `name` is short for: a swept key that ends in it, or else the mean of what it names. None if it is a
    /// column, or if it could be several keys; text says what the key says that is called so, and only keys tell curves apart.
    pub(super) fn full_name(&self, name: &str) -> Option<String> {
        if self.has(name) && !self.texts.contains(&name) {
            return None;
        }
        let mean = Some(format!("{name}_mean")).filter(|mean| self.has(mean));
        let mut axes = self.axes_called(name);
        match (axes.next(), axes.next()) {
            (Some(axis), None) => Some(axis),
            (None, _) => mean,
            _ => None,
        }
    }

    /// The swept keys, or elements of theirs, that end in `name`, which is an old or a present name of a key.
    fn axes_called(&self, name: &str) -> impl Iterator<Item = String> {
        let ends_in = |path: &str, name: &str| path.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
        let ends = move |axis: &str, name: &str| {
            let present = updated_path(axis, keys::root());
            ends_in(axis, name) || ends_in(&present, name) || present != axis && present == name
        };
        let element = name.rsplit_once('.').filter(|(_, index)| index.parse::<usize>().is_ok());
        self.axes.iter().filter_map(move |(axis, array)| match element {
            Some((name, index)) if *array => ends(axis, name).then(|| format!("{axis}.{index}")),
            _ => ends(axis, name).then(|| axis.clone()),
        })
    }

    /// Calls `column` by the swept key that it is short for, if it is.
    pub(super) fn name_axis(&self, column: &mut Column) {
        if column.name == "algorithm" || self.axes().any(|axis| axis == column.name) {
            return;
        }
        let mut all = self.axes_called(&column.name);
        let first = all.next();
        if let Some(only) = first.filter(|_| all.next().is_none()) {
            drop(all);
            column.name = only;
        }
    }

    /// Names that people may have meant, short ones among them.
    fn short_names(&self) -> impl Iterator<Item = &str> {
        let of_axes = self.axes().filter_map(|axis| axis.rsplit('.').next());
        of_axes.chain(self.others.iter().filter_map(|other| other.strip_suffix("_mean")))
    }

    fn check_formula(&self, formula: &Condition, wrong: &mut Vec<Diagnostic>) {
        for key in formula.keys().into_iter().filter(|key| !self.has(key)) {
            let message = format!("the table has no column `{key}`");
            let diagnostic = Diagnostic::at(formula.place().clone(), message).note(&self.accepted);
            let means = self.others.iter().filter_map(|column| column.strip_suffix("_mean"));
            let columns: Vec<&str> = means.chain(self.others.iter().map(String::as_str)).collect();
            let of_algorithms = self
                .algorithms
                .iter()
                .flat_map(|algorithm| columns.iter().map(move |column| format!("{algorithm}.{column}")));
            let axes = self.axes().map(str::to_owned);
            let names: Vec<String> = axes.chain(self.others.iter().cloned()).chain(of_algorithms).collect();
            wrong.push(diagnostic.did_you_mean(key, names.iter().map(String::as_str).chain(self.short_names())));
        }
    }

    /// Refuses `formula`, which is to come to a number, if it is a column of text.
    fn check_number(&self, formula: &Condition, wrong: &mut Vec<Diagnostic>) {
        let column = formula.key().map(|key| key.split_once('.').map_or(key, |(_, column)| column));
        if let Some(text) = column.filter(|column| self.texts.contains(column)) {
            let wrongly = Diagnostic::at(formula.place().clone(), format!("`{text}` is text, not a number"));
            let note = format!("accepted: a condition on it, such as \"{text} == 'some text'\"");
            wrong.push(wrongly.note(note));
        }
    }

    /// Whether `column` is one of `names`; if not, `what` is wrong with it.
    fn check_name(column: &Column, names: &[&str], what: &str, wrong: &mut Vec<Diagnostic>) {
        if names.contains(&column.name.as_str()) {
            return;
        }
        let accepted =
            if names.is_empty() { "none, because no key is swept".to_owned() } else { listed(names.iter().copied()) };
        let diagnostic = Diagnostic::at(column.place.clone(), format!("`{}` {what}", column.name));
        let diagnostic = diagnostic.note(format!("accepted: {accepted}"));
        let short = names.iter().filter_map(|name| name.rsplit('.').next());
        wrong.push(diagnostic.did_you_mean(&column.name, names.iter().copied().chain(short)));
    }

    fn axes(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|(axis, _)| axis.as_str())
    }

    fn check_plot(&self, plot: &Plot, wrong: &mut Vec<Diagnostic>) {
        let formulas = plot.formulas();
        formulas.iter().for_each(|formula| self.check_formula(formula, wrong));
        for formula in std::iter::once(&plot.y).chain(&plot.spread) {
            self.check_number(formula, wrong);
        }
        // where only columns of named algorithms are read, a point stands for all algorithms
        let of_rows =
            |formula: &&Condition| formula.keys().iter().any(|key| self.others.iter().any(|other| other == key));
        let rows = formulas.iter().any(of_rows) || !formulas.iter().any(|formula| self.names_algorithm(formula));
        let names: Vec<&str> = rows.then_some("algorithm").into_iter().chain(self.axes()).collect();
        for column in plot.by.iter().flatten() {
            Self::check_name(column, &names, "does not distinguish curves", wrong);
        }
    }

    fn check_map(&self, map: &DecisionMap, wrong: &mut Vec<Diagnostic>) {
        let axes: Vec<&str> = self.axes().collect();
        for formula in map.grid().map(|quantity| &quantity.formula) {
            for key in formula.keys().into_iter().filter(|key| !self.is_of_axis(key)) {
                let column = Column { name: key.to_owned(), place: formula.place().clone() };
                Self::check_name(&column, &axes, "is not a swept key, which the axes of a map require", wrong);
            }
        }
        let others = [Some(&map.value.formula), map.spread.as_ref(), map.only.as_ref()];
        others.into_iter().flatten().for_each(|formula| self.check_formula(formula, wrong));
        for formula in std::iter::once(&map.value.formula).chain(&map.spread) {
            self.check_number(formula, wrong);
        }
        let names: Vec<&str> = std::iter::once("algorithm").chain(axes).collect();
        for column in map.by.iter().flatten() {
            Self::check_name(column, &names, "does not distinguish candidates", wrong);
        }
    }

    fn names_algorithm(&self, formula: &Condition) -> bool {
        let first = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
        formula.keys().into_iter().any(|key| self.algorithms.contains(&first(key)))
    }

    fn check_claim(&self, claim: &Claim, wrong: &mut Vec<Diagnostic>) {
        if let Test::Course { along, value, .. } = &claim.test {
            Self::check_name(along, &self.axes().collect::<Vec<_>>(), "is not a swept key of this table", wrong);
            self.check_number(value, wrong);
        }
        if let Some(show) = &claim.show {
            self.check_number(show, wrong);
        }
        claim.formulas().into_iter().for_each(|formula| self.check_formula(formula, wrong));
    }
}

/// The name of an algorithm as claims write it.
pub(crate) fn plain(algorithm: &str) -> String {
    algorithm.replace('-', "_")
}
