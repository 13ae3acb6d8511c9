//! The capacity of the busiest channel: no saturation exceeds it, rates above it are named with the channel, and the load of that
//! channel is the expected one.

use crate::cli::{Bench, csv_rows};
use std::fs;

/// The output of a scenario called `t`, in one line, and the rows of one of its files.
fn ran(scenario: &str, file: &str) -> (String, Vec<std::collections::BTreeMap<String, String>>) {
    let bench = Bench::new(&format!("name = \"t\"\n{scenario}"));
    let said = bench.ok(&["run", "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    (said, csv_rows(&fs::read_to_string(bench.path("results/t").join(file)).unwrap()))
}

/// The capacity that a remark names, and the channel.
fn capacity(said: &str, before: &str) -> (f64, String) {
    let rest = said.split(before).nth(1).unwrap_or_else(|| panic!("{said}"));
    let (rate, rest) = rest.split_once(" (").unwrap();
    // a name ends before the parenthesis that is closed and was not opened in it
    let mut open = 1;
    let end = rest.find(|c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    (rate.parse().unwrap(), rest[..end.unwrap()].to_owned())
}

/// Networks, routings (none of the wormhole engines), patterns and the capacity, where it is known otherwise.
const LIMITS: [(&str, &str, &str, Option<f64>); 17] = [
    ("mesh.shape = [8, 8]", "", "transpose", Some(1.0 / 7.0)),
    ("mesh.shape = [8, 8]", "dimension-order", "transpose", Some(1.0 / 7.0)),
    ("mesh.shape = [8, 8]", "dimension-order", "uniform", Some(0.5)),
    ("mesh.shape = [8, 8]", "o1turn", "transpose", Some(2.0 / 7.0)),
    ("mesh.shape = [8, 8]", "valiant", "uniform", Some(0.25)),
    ("torus.shape = [10, 10]", "dimension-order", "tornado", Some(0.25)),
    ("torus.shape = [4, 6]", "valiant", "uniform", None),
    ("torus.shape = [8, 8]", "o1turn", "transpose", None),
    ("dragonfly = { p = 2, a = 4, h = 2, global_flit_time = 2 }", "minimal", "uniform", None),
    ("dragonfly = { p = 2, a = 4, h = 2 }", "valiant", "uniform", None),
    ("dragonfly = { p = 2, a = 4, h = 2 }", "minimal", "bad-dragonfly", Some(1.0 / 8.0)),
    ("mesh.shape = [8, 8]", "dimension-order", "taper64", None),
    ("mesh = { shape = [4, 4], concentration = 4, node_grid = [2, 2] }", "dimension-order", "tornado", Some(1.0 / 6.0)),
    ("mesh = { shape = [4, 4], concentration = 4, node_grid = [2, 2] }", "dimension-order", "bad-yarc", Some(0.25)),
    ("hyperx = { shape = [4, 4], concentration = 4, node_grid = [2, 2] }", "dimension-order", "neighbor", Some(0.5)),
    ("hyperx = { shape = [4, 3], concentration = 4 }", "valiant", "uniform", None),
    ("fat-tree = { children = [4, 4], parents = [1, 2] }", "nca-random", "bit-reverse", None),
];

/// At a small rate the busiest link carries what its load says: rate over capacity.
#[test]
fn the_busiest_link_is_as_busy_as_its_load_says() {
    for (network, routing, pattern, known) in LIMITS {
        let router = match routing {
            "" => String::new(),
            routing => {
                format!("channel.virtual_channels = 4\nrouter = {{ model = \"ideal\", routing = \"{routing}\" }}\n")
            }
        };
        let traffic = |rate: f64, measure: u32| {
            format!(
                "network.{network}\n{router}channel.buffer = 4\n[workload.traffic]\npattern = \"{pattern}\"\n\
                 rate = {rate}\nwarmup = 0\nmeasure = {measure}\n"
            )
        };
        let (said, _) = ran(&traffic(1.0, 1), "rows.csv");
        let (most, channel) = capacity(&said, "Rate 1 exceeds the capacity of the busiest channel: ");
        assert!(known.is_none_or(|known| (most - known).abs() < 1e-4), "{network} {routing} {pattern}: {said}");
        let link = channel.strip_prefix("link ").unwrap_or_else(|| panic!("{said}"));
        let (said, links) = ran(&traffic(0.3 * most, 10_000), "links.csv");
        assert!(!said.contains("exceeds"), "{said}");
        let used = links.iter().find(|row| row["channel"] == link).unwrap_or_else(|| panic!("{link}: {links:?}"));
        let cycles = if network.contains("global_flit_time") { 2.0 } else { 1.0 };
        let busy = used["utilisation"].parse::<f64>().unwrap() * cycles;
        assert!((busy / 0.3 - 1.0).abs() < 0.1, "{network} {routing} {pattern}: {link} is busy {busy}, not 0.3");
    }
}

/// Short runs, which notice no small excess, stay below the capacity, whatever the busiest channel is and the routing.
#[test]
fn no_saturation_exceeds_the_capacity() {
    let hotspot = "pattern = \"hotspot\"\nhotspots = [5]\nhotspot_fraction = 0.2\n";
    let cases = [
        ("dimension-order", "pattern = \"transpose\"\n", "link (0,0)->(0,1)", 1.0 / 7.0),
        ("adaptive", hotspot, "ejection of node (0,5)", 1.0 / 13.6),
        ("adaptive", "pattern = \"bit-complement\"\n", "link (3,*)->(4,*)", 0.25),
    ];
    for (routing, pattern, channel, most) in cases {
        let scenario = format!(
            "[network.mesh]\nshape = [8, 8]\n[channel]\nbuffer = 16\nvirtual_channels = 4\n[router]\nmodel = \"ideal\"\n\
             atomic = false\nrouting = \"{routing}\"\n[workload.traffic]\nmode = \"saturation\"\n{pattern}warmup = 0\n\
             measure = 300\n"
        );
        let (said, rows) = ran(&scenario, "rows.csv");
        let (told, busiest) = capacity(&said, "Saturation cannot exceed the capacity of the busiest channel: ");
        assert_eq!((format!("{told:.4}"), busiest.as_str()), (format!("{most:.4}"), channel), "{said}");
        let found: f64 = rows[0]["saturation"].parse().unwrap();
        assert!((0.5 * most..=most).contains(&found), "{routing}: {found}");
        assert!(said.contains("? The measurement is too short for a reliable saturation rate"), "{said}");
    }
}

/// Some sources of a transpose starve from 0.276 on, as runs of 300,000 cycles show; the mean over all packets alone, which is
/// below three times that of an empty network, would accept 0.281.
#[test]
fn a_rate_at_which_a_source_starves_is_not_carried() {
    let (_, rows) = ran(
        "[network.mesh]\nshape = [8, 8]\n[channel]\nbuffer = 8\nvirtual_channels = 4\n[router]\nmodel = \"pipelined\"\n\
         routing = \"o1turn\"\n[workload.traffic]\nmode = \"saturation\"\npattern = \"transpose\"\npacket_flits = 8\n\
         warmup = 2000\nmeasure = 15000\ndetails = false\n",
        "rows.csv",
    );
    let found: f64 = rows[0]["saturation"].parse().unwrap();
    assert!((0.27..0.281).contains(&found), "{found}");
    let [latency, unloaded] = ["latency", "unloaded"].map(|column| rows[0][column].parse::<f64>().unwrap());
    assert!(latency < 3.0 * unloaded);
}

/// The capacities of a sweep are listed by the key that they depend on.
#[test]
fn capacities_of_a_sweep_are_listed_by_their_key() {
    let scenario = |fractions: &str| {
        format!(
            "[network.mesh]\nshape = [4, 4]\n[router]\n[workload.traffic]\nmode = \"saturation\"\npattern = \"hotspot\"\n\
             hotspots = [0]\nhotspot_fraction = 0.1\nwarmup = 0\nmeasure = 50\n[sweep]\n\
             \"workload.traffic.measure\" = [50, 60]\n\"workload.traffic.hotspot_fraction\" = [{fractions}]\n"
        )
    };
    let (said, _) = ran(&scenario("0.2, 0.5"), "rows.csv");
    let list = "0.2500 (ejection of node (0,0)) at hotspot_fraction 0.2; 0.1176 (ejection of node (0,0)) at hotspot_fraction 0.5.";
    assert!(said.contains(list), "{said}");
    let (said, _) = ran(&scenario("0.2, 0.3, 0.4, 0.5"), "rows.csv");
    assert!(
        said.contains("busiest channel: from 0.1176 (ejection of node (0,0)) at hotspot_fraction 0.5 to 0.2500"),
        "{said}"
    );
}

#[test]
fn titles_name_all_lengths_of_packets() {
    let title = |more: &str| {
        let traffic = "[network.mesh]\nshape = [4, 4]\n[router]\n[workload.traffic]\npattern = \"uniform\"\nrate = 0.1\nwarmup = 0\n";
        ran(&format!("{traffic}measure = 100\n{more}"), "rows.csv").0
    };
    let mixed = "long_flits = 5\nlong_fraction = 0.2\n";
    assert!(title(mixed).contains("uniform traffic, packets of 1 or 5 flits, worm"), "{}", title(mixed));
    assert!(title("").contains("packets of 1 flit, worm"));
    let swept = title(&format!("{mixed}[sweep]\n\"workload.traffic.long_flits\" = [5, 9]\n"));
    assert!(swept.starts_with("t: 4x4 mesh, uniform traffic, worm engine "), "{swept}");
    let drawn = title(&format!("{mixed}[sweep]\n\"workload.traffic.long_fraction\" = [0.1, 0.2]\n"));
    assert!(drawn.contains("packets of 1 or 5 flits"), "{drawn}");
}

/// The title has no number that differs from point to point, though it follows from another key.
#[test]
fn titles_say_what_is_the_same_at_every_point() {
    let (said, _) = ran(
        "network.mesh.shape = [4, 4]\n[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\nflits = 64\n\
         [sweep]\n\"network.mesh.shape\" = [[4, 4], [4, 8]]\n",
        "rows.csv",
    );
    assert!(said.starts_with("t: 64 flits, barrier between steps, "), "{said}");
}
