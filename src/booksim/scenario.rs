//! A configuration as a scenario: the text, the notes, and the settings of a report.

use super::configuration::Configuration;
use super::control::{Control, ReportSettings, write_repetitions};
use super::dialect::Dialect;
use super::network::Network;
use super::problem::{Location, Note, Refused};
use super::toml::TomlTable;
use super::topology::Topology;
use super::{Input, router, syntax, traffic};

/// A converted configuration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversion {
    /// The name of the scenario.
    pub name: String,
    /// The scenario as TOML.
    pub scenario: String,
    /// The file that the network needs.
    pub network_file: Option<NetworkFile>,
    /// Notes, each key once.
    pub notes: Vec<Note>,
    /// The settings of a report.
    pub report: ReportSettings,
}

/// A file that a network needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFile {
    /// The name, relative to the file that states it.
    pub name: String,
    /// The location of the name.
    pub location: Option<Location>,
}

/// Converts a configuration. `time` is the seed of `seed = time`.
///
/// # Errors
/// Returns all errors of the configuration: syntax, unknown keys, values that BookSim 2 or flitwise refuses.
pub fn convert(inputs: &[Input], time: u64) -> Result<Conversion, Refused> {
    let configuration = Configuration::new(syntax::parse(inputs, Dialect::Standalone), Dialect::Standalone);
    let name = scenario_name(inputs);
    let control = Control::read(&configuration);
    let mut top = TomlTable::new("");
    top.insert("name", name.as_str());
    write_repetitions(&configuration, time, &mut top);
    let Some((network, tables, classes)) = tables(&configuration, &control) else {
        let problems = configuration.finish().err().unwrap_or_default();
        return Err(Refused(problems));
    };
    let report = control.report(&configuration, classes);
    let location = configuration.location("network_file");
    let network_file = network.file.clone().map(|name| NetworkFile { name, location });
    let all: Vec<String> = [&top, &network.table].into_iter().chain(&tables).map(ToString::to_string).collect();
    let scenario = format!("{}{}", heading(inputs), all.join("\n"));
    let notes = configuration.finish().map_err(Refused)?;
    Ok(Conversion { name, scenario, network_file, notes, report })
}

/// The network, the tables behind it, and the number of classes, or `None` if a part is refused.
fn tables(configuration: &Configuration, control: &Control) -> Option<(Network, Vec<TomlTable>, usize)> {
    let topology = Topology::read(configuration)?;
    let routing = topology.routing(configuration);
    let network = (topology.build)(configuration);
    let routing = routing?;
    let routers = router::read(configuration, routing);
    let network = network?;
    let traffic = traffic::read(configuration, &network, routing, control);
    let tables = [routers.channel, routers.router].into_iter().chain(traffic.tables).collect();
    Some((network, tables, traffic.classes))
}

/// A comment that names the configuration.
pub(super) fn heading(inputs: &[Input]) -> String {
    let arguments = inputs.iter().map(|input| match input {
        Input::File { path, .. } => path.to_string(),
        Input::Override { text, .. } => text.clone(),
    });
    let arguments: Vec<String> = arguments.map(|argument| argument.replace(char::is_control, " ")).collect();
    format!("# BookSim 2: {}\n", arguments.join(" "))
}

/// The name of the first file in the letters of scenario names.
fn scenario_name(inputs: &[Input]) -> String {
    let path = inputs.iter().find_map(|input| match input {
        Input::File { path, .. } => Some(&**path),
        Input::Override { .. } => None,
    });
    let file = path.and_then(|path| path.rsplit(['/', '\\']).next()).unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem });
    let words: Vec<String> = stem
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() { "booksim".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_named_like_the_first_file() {
        let name = |path: &str| scenario_name(&[Input::File { path: path.into(), text: String::new() }]);
        let names = ["f.cfg", "examples/mesh88_lat", "a/Torus 8x8.v2.cfg", "..", ".cfg"].map(name);
        assert_eq!(names, ["f", "mesh88-lat", "torus-8x8-v2", "booksim", "cfg"]);
    }
}
