//! A configuration of an embedded network as a scenario.
//!
//! The references are two variants of BookSim 2 that other simulators embed: the library of PSAL (PSAL-POSTECH/booksim, commit
//! 9009694), which ONNXim and PyTorchSim use, and intersim2 of GPGPU-Sim (commit 90ec339). The host program sends the packets,
//! so that keys of traffic have no effect.

use super::configuration::Configuration;
use super::dialect::Dialect;
use super::problem::{Note, Refused};
use super::read_write::KINDS;
use super::router::{self, MOST_NETWORKS, Routers};
use super::scenario::heading;
use super::toml::TomlTable;
use super::topology::{Routing, Topology};
use super::{Input, syntax};

/// Most flits of a queue or a buffer, and most bytes of a flit.
const MOST: i64 = i32::MAX as i64;

/// Flits of an injection queue of which a configuration states no size.
const DEFAULT_QUEUE: i64 = 9;

/// A converted configuration of an embedded network.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbeddedConversion {
    /// The scenario as TOML. Files that it names are relative to the configuration.
    pub scenario: String,
    /// Notes, each key once.
    pub notes: Vec<Note>,
}

/// Converts the configuration `text` of the file `path`.
///
/// # Errors
/// Returns all errors of the configuration: syntax, unknown keys, values that flitwise refuses.
pub fn convert_embedded(path: &str, text: String) -> Result<EmbeddedConversion, Refused> {
    let inputs = [Input::File { path: path.into(), text }];
    let configuration = Configuration::new(syntax::parse(&inputs, Dialect::Embedded), Dialect::Embedded);
    let mut top = TomlTable::new("");
    write_seed(&configuration, &mut top);
    let tables = tables(&configuration);
    let notes = configuration.finish().map_err(Refused)?;
    let tables: Vec<String> = std::iter::once(top).chain(tables).map(|table| table.to_string()).collect();
    Ok(EmbeddedConversion { scenario: format!("{}{}", heading(&inputs), tables.join("\n")), notes })
}

/// The tables of the network, its routers and its classes, as far as their parts are not refused.
fn tables(configuration: &Configuration) -> Vec<TomlTable> {
    let Some(topology) = Topology::read(configuration) else { return Vec::new() };
    let routing = topology.routing(configuration);
    let network = (topology.build)(configuration);
    let Some(routing) = routing else { return Vec::new() };
    let routers = router::read(configuration, routing);
    let interface = interface(configuration, &routers);
    let classes = classes(configuration, routing, &routers);
    let network = network.map(|network| network.table);
    network.into_iter().chain([routers.channel, routers.router, interface]).chain(classes).collect()
}

/// Writes the seed of random routing. `time` is refused, so that the same calls of a host program have the same results.
fn write_seed(configuration: &Configuration, top: &mut TomlTable) {
    match configuration.text("seed") {
        "time" => configuration.refuse("seed", "results of embedded networks do not depend on the time", "an integer"),
        _ => top.insert("seed", configuration.integer("seed").rem_euclid(1 << 32)),
    }
}

/// The table `[workload.embed]`: flits, injection queues and ejection buffers.
fn interface(configuration: &Configuration, routers: &Routers) -> TomlTable {
    let mut table = TomlTable::new("[workload.embed]");
    table.insert("flit_bytes", configuration.integer_in("flit_size", 1..=MOST));
    let queue = configuration.integer_in("input_buffer_size", 0..=MOST);
    table.insert("queue", if queue == 0 { DEFAULT_QUEUE } else { queue });
    table.insert("ejection", "held");
    check_ejection(configuration, routers.buffer);
    // a flit moves on to the boundary buffer, or keeps the credit of the ejection buffer
    table.insert("ejection_buffer", boundary(configuration) + routers.buffer);
    table
}

/// The flits of a boundary buffer, from which the host program takes packets.
fn boundary(configuration: &Configuration) -> i64 {
    const KEY: &str = "boundary_buffer_size";
    if configuration.is_set(KEY) {
        return configuration.integer_in(KEY, 1..=MOST);
    }
    configuration.refuse(KEY, "it must be set", "an integer from 1");
    1
}

/// Reports an ejection buffer that is smaller than the credits of a virtual channel.
fn check_ejection(configuration: &Configuration, credits: i64) {
    const KEY: &str = "ejection_buffer_size";
    let flits = configuration.integer_in(KEY, 0..=MOST);
    if (1..credits).contains(&flits) {
        let reason = format!("routers have credits for {credits} flits in it (vc_buf_size)");
        configuration.refuse(KEY, &reason, &format!("0, or an integer from {credits}"));
    }
}

/// The tables of the classes, one for each physical network.
fn classes(configuration: &Configuration, routing: &Routing, routers: &Routers) -> Vec<TomlTable> {
    let [first, last] = virtual_channels(configuration, routing);
    // links of some topologies have fewer virtual channels than `num_vcs`
    let most = routers.virtual_channels - 1;
    let networks = configuration.integer_in("subnets", 1..=MOST_NETWORKS);
    let class = |network: i64| {
        let mut table = TomlTable::new("[[workload.embed.class]]");
        table.insert("name", format!("subnet{network}").as_str());
        table.insert("vcs", vec![first.min(most), last.min(most)]);
        table.insert("network", network);
        table
    };
    (0..networks).map(class).collect()
}

/// The first and the last virtual channel of all packets. Kinds of packets with other ones are reported.
fn virtual_channels(configuration: &Configuration, routing: &Routing) -> [i64; 2] {
    let [reference, others @ ..] = &KINDS;
    reference.virtual_channels(configuration, routing.virtual_channels);
    let range = reference.range(configuration);
    for kind in others {
        let keys = [kind.first_vc, kind.last_vc];
        let expected = [reference.first_vc, reference.last_vc].into_iter().zip(range);
        for ((key, bound), (reference, expected)) in keys.into_iter().zip(kind.range(configuration)).zip(expected) {
            if bound != expected {
                let reason =
                    format!("all kinds of packets must use the same virtual channels, and {reference} is {expected}");
                configuration.refuse(key, &reason, &expected.to_string());
            }
        }
    }
    range
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::super::problem::{Location, Problem};
    use super::*;

    /// A mesh of 16 nodes with two networks and one virtual channel.
    const MESH: &str = "[config]
topology = mesh
k = 4
n = 2
routing_function = dor
subnets = 2
num_vcs = 1
routing_delay = 0
boundary_buffer_size = 16
read_request_begin_vc = 0
read_request_end_vc = 0
write_request_begin_vc = 0
write_request_end_vc = 0
read_reply_begin_vc = 0
read_reply_end_vc = 0
write_reply_begin_vc = 0
write_reply_end_vc = 0
";

    /// The number of lines of [`MESH`].
    const LINES: usize = 17;

    /// The mesh with these lines behind the others.
    fn mesh(lines: &str) -> Result<EmbeddedConversion, Refused> {
        convert_embedded("f.icnt", format!("{MESH}{lines}"))
    }

    fn scenario(lines: &str) -> String {
        mesh(lines).unwrap().scenario
    }

    /// The errors of the mesh with these lines. Lines are counted from the first of these.
    fn problems(lines: &str) -> Vec<String> {
        let shown = |problem: &Problem| match &problem.location {
            Some(Location::Line { line, .. }) if *line > LINES => {
                problem.to_string().replacen(&format!("f.icnt:{line}"), &format!("+{}", line - LINES), 1)
            }
            _ => problem.to_string(),
        };
        mesh(lines).unwrap_err().0.iter().map(shown).collect()
    }

    #[test]
    fn a_configuration_becomes_a_scenario_of_an_embedded_network() {
        let expected = "# BookSim 2: f.icnt
seed = 0

[network.mesh]
shape = [4, 4]
order = [1, 0]

[channel]
virtual_channels = 1
buffer = 8

[router]
model = \"pipelined\"
speculative = false
vc_allocator = \"islip\"
switch_allocator = \"islip\"
networks = 2

[workload.embed]
flit_bytes = 32
queue = 9
ejection = \"held\"
ejection_buffer = 24

[[workload.embed.class]]
name = \"subnet0\"
vcs = [0, 0]
network = 0

[[workload.embed.class]]
name = \"subnet1\"
vcs = [0, 0]
network = 1
";
        assert_eq!(scenario(""), expected);
    }

    #[test]
    fn sizes_of_buffers_become_keys() {
        let text =
            scenario("flit_size = 16; vc_buf_size = 6; input_buffer_size = 64\nejection_buffer_size = 6;\nsubnets = 1");
        for line in ["flit_bytes = 16", "queue = 64", "ejection_buffer = 22", "buffer = 6"] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
        }
        assert_eq!(text.matches("[[workload.embed.class]]").count(), 1);
        assert!(scenario("input_buffer_size = 0\nejection_buffer_size = 0").contains("queue = 9\n"));
    }

    #[test]
    fn networks_and_routers_are_those_of_other_configurations() {
        for (lines, expected) in [
            ("topology = torus\nrouting_function = dim_order\nnum_vcs = 2\n", "delay = [1, 1]"),
            ("topology = fly\nk = 52; n = 1\nrouting_function = dest_tag\n", "routers = 1\nconcentration = 52"),
            ("routing_function = dim_order\n", "[network.mesh]"),
            ("internal_speedup = 2.0;\n", "internal_speedup = 2.0"),
            ("input_speedup = 2;\n", "input_speedup = 2"),
            ("credit_delay = 1\n", "credit_cycles = 1"),
            ("wait_for_tail_credit = 1\n", "atomic = true"),
            ("priority = age\n", "priority = \"age\""),
            ("seed = 7\n", "seed = 7"),
        ] {
            // a torus needs both virtual channels
            let ends = KINDS.map(|kind| format!("{} = 1\n", kind.last_vc)).concat();
            let text = scenario(&format!("{lines}{}", if lines.contains("num_vcs") { &ends } else { "" }));
            assert!(text.contains(expected), "{lines}: {text}");
        }
        let ends = KINDS.map(|kind| format!("{} = 1\n", kind.last_vc)).concat();
        let short = format!("topology = torus\nrouting_function = dim_order\nuse_noc_latency = 0\nnum_vcs = 2\n{ends}");
        assert!(!scenario(&short).contains("delay"));
        assert!(!scenario("speculative = 1").contains("speculative = false"));
    }

    #[test]
    fn virtual_channels_of_all_kinds_are_those_of_the_classes() {
        let range = |first: i64, last: i64| {
            KINDS.map(|kind| format!("{} = {first}\n{} = {last}\n", kind.first_vc, kind.last_vc)).concat()
        };
        assert!(scenario(&format!("num_vcs = 4\n{}", range(1, 2))).contains("vcs = [1, 2]\n"));
        let shown =
            problems(&format!("num_vcs = 4\n{}read_reply_end_vc = 3\nwrite_reply_begin_vc = -1\n", range(1, 2)));
        let expected = [
            "+10: read_reply_end_vc = 3: all kinds of packets must use the same virtual channels, and read_request_end_vc is 2; \
             accepted: 2",
            "+11: write_reply_begin_vc = -1: all kinds of packets must use the same virtual channels, and read_request_begin_vc \
             is 1; accepted: 1",
        ];
        assert_eq!(shown, expected);
        let shown = problems(&range(0, 1)).join("\n");
        assert!(shown.contains("read_request_end_vc = 1: num_vcs = 1 has the virtual channels 0 to 0"), "{shown}");
    }

    #[test]
    fn keys_of_packets_have_no_effect() {
        let lines = "use_map = 0\nnetwork_count = 4\narb_type = matrix\nalloc_iters = 2\ninjection_process = on_off\n\
                     traffic = tornado\npacket_size = {{1,2,3,4},{10,20}};\nsim_type = gpgpusim\nclasses = 2\n\
                     priority = class\nread_reply_subnet = 1\ninjection_rate = 7\nuse_read_write = 1\nmeasure_stats = 0\n";
        let conversion = mesh(lines).unwrap();
        assert_eq!(conversion.scenario, scenario(""));
        let noted: Vec<&str> = conversion.notes.iter().map(|note| note.key).collect();
        assert!(lines.lines().all(|line| noted.contains(&line.split(' ').next().unwrap())), "{noted:?}");
    }

    #[test]
    fn errors_state_line_key_value_and_accepted_values() {
        for (lines, expected) in [
            (
                "ejection_buffer_size = 4",
                "+1: ejection_buffer_size = 4: routers have credits for 8 flits in it (vc_buf_size); \
                                          accepted: 0, or an integer from 8",
            ),
            (
                "boundary_buffer_size = 0",
                "+1: boundary_buffer_size = 0: out of range; accepted: an integer from 1 to 2147483647",
            ),
            ("flit_size = 0", "+1: flit_size = 0: out of range; accepted: an integer from 1 to 2147483647"),
            ("\nsubnets = 17;", "+2: subnets = 17: out of range; accepted: an integer from 1 to 16"),
            (
                "seed = time",
                "+1: seed = time: results of embedded networks do not depend on the time; accepted: an integer",
            ),
            ("use_map = yes", "+1: use_map = yes: the value has the wrong type; accepted: integer"),
            (
                "input_bufer_size = 4",
                "+1: input_bufer_size = 4: BookSim 2 has no key `input_bufer_size`; did you mean \
                                      `input_buffer_size`?; accepted: the keys of `flitwise list booksim-keys`",
            ),
            (
                "topology = fly; routing_function = dest_tag",
                "f.icnt:4: n = 2: a fly of several stages is not supported; topology = \
                                                            fly must have one stage; accepted: 1",
            ),
            ("k = 4 4", "+1: `4` was read: `;` or the end of the line is expected after `k = 4`"),
        ] {
            assert_eq!(problems(lines), [expected], "{lines}");
        }
        let text = MESH.replace("boundary_buffer_size = 16\n", "");
        let shown = convert_embedded("f.icnt", text).unwrap_err().0;
        let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["boundary_buffer_size: it must be set; accepted: an integer from 1"]);
    }
}
