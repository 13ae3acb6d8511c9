//! Multicasts of a chip as tree worms: what one takes alone, that everyone gets everything, that links carry it once, and that
//! multicasts never wait for each other for ever unless `check` has said that they can.

use flitwise::kind::{Keep, RowId};
use flitwise::run::examine;
use flitwise::scenario::{Options, Scenario};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A multicast: from a core to a rectangle, so many bytes, in a cycle.
#[derive(Clone, Copy, Debug)]
struct Multicast {
    core: [u64; 2],
    first: [u64; 2],
    last: [u64; 2],
    network: usize,
    bytes: u64,
    at: u64,
}

const COLUMNS: [u64; 8] = [1, 2, 3, 4, 6, 7, 8, 9];

impl Multicast {
    fn events(&self) -> [Value; 3] {
        let proc = ["NCRISC", "BRISC"][self.network];
        let event = |kind: &str, at: u64| {
            json!({"proc": proc, "noc": format!("NOC_{}", self.network), "vc": -1, "sx": self.core[0], "sy": self.core[1], "dx": -1,
                   "dy": -1, "num_bytes": self.bytes, "type": kind, "timestamp": at,
                   "mcast_start_x": self.first[0], "mcast_start_y": self.first[1],
                   "mcast_end_x": self.last[0], "mcast_end_y": self.last[1]})
        };
        [
            event("WRITE_MULTICAST", self.at),
            event("WRITE_BARRIER_START", self.at + 1),
            event("WRITE_BARRIER_END", self.at + 99),
        ]
    }

    /// The cores that get it.
    fn cores(&self) -> Vec<[u64; 2]> {
        let inside = |x: &u64| (self.first[0]..=self.last[0]).contains(x);
        let columns = COLUMNS.into_iter().filter(inside);
        let all = columns.flat_map(|x| (self.first[1]..=self.last[1]).map(move |y| [x, y]));
        all.filter(|core| *core != self.core).collect()
    }

    /// Links to a core: along the row and then along the column, the only way round.
    fn hops(&self, to: [u64; 2]) -> u64 {
        let along = |from: u64, to: u64, ring: u64| {
            if self.network == 0 { (to + ring - from) % ring } else { (from + ring - to) % ring }
        };
        along(self.core[0], to[0], 10) + along(self.core[1], to[1], 12)
    }

    fn flits(&self) -> u64 {
        1 + self.bytes.div_ceil(32)
    }
}

fn scenario(folder: &Path, multicasts: &[Multicast]) -> Scenario {
    let events: Vec<Value> = multicasts.iter().flat_map(Multicast::events).collect();
    std::fs::write(folder.join("t.json"), serde_json::to_string(&events).unwrap()).unwrap();
    let text = "name = \"s\"\n[network.torus]\nshape = [10, 12]\ndirections = \"one-way\"\n[workload.noc-trace]\n\
                file = \"t.json\"\ndetails = true\n";
    let path = folder.join("s.toml");
    std::fs::write(&path, text).unwrap();
    Scenario::load(&path, &Options::default()).unwrap()
}

const ROW: RowId = RowId { point: 0, algorithm: 0, repetition: 0 };

#[test]
fn one_multicast_alone_takes_a_flit_a_cycle_to_each_core() {
    let folder = tempfile::tempdir().unwrap();
    for network in [0, 1] {
        let one = Multicast { core: [2, 3], first: [1, 2], last: [7, 9], network, bytes: 4096, at: 0 };
        let scenario = scenario(folder.path(), &[one]);
        let row = scenario.points[0].experiment.run(ROW, Keep::messages(true)).unwrap();
        let cores = one.cores();
        assert_eq!(row.details.len(), 2 * cores.len());
        for (core, detail) in cores.iter().zip(&row.details) {
            // issue, to the router, the links, to the core, and a flit a cycle behind the head flit
            let alone = 10 + 5 + 9 * one.hops(*core) + 5 + one.flits() - 1;
            assert_eq!(
                (detail.outcome.delivered.0, u64::from(detail.outcome.hops)),
                (alone, one.hops(*core)),
                "{core:?}"
            );
        }
        links_carry_it_once(&one, &row.files);
    }
}

/// From (1, 1) to three cores of a column on: every flit crosses every link of the tree once.
#[test]
fn links_carry_a_worm_of_a_multicast_once() {
    let text = "name = \"s\"\n[network.torus]\nshape = [10, 12]\ndirections = \"one-way\"\n[device]\nlike = \"wormhole-b0\"\n\
                [workload.multicast]\nalgorithms = [\"tree-worm\"]\nflits = 10\nnodes = [13, 37, 38, 39]\ndetails = true\n";
    let scenario: Scenario = text.parse().unwrap();
    let row = scenario.points[0].experiment.run(ROW, Keep::default()).unwrap();
    let (_, links) = &row.files[0];
    let mut links = csv::ReaderBuilder::new().has_headers(false).from_reader(links.as_bytes());
    let flits: Vec<String> = links.records().map(|line| line.unwrap()[4].to_owned()).collect();
    assert_eq!(flits, ["10"; 4]);
}

/// Every link of the tree carries every flit once, and acknowledgements go back one by one.
fn links_carry_it_once(one: &Multicast, files: &[(&'static str, String)]) {
    let (_, links) = files.iter().find(|(name, _)| *name == "links.csv").unwrap();
    let mut links = csv::ReaderBuilder::new().has_headers(false).from_reader(links.as_bytes());
    let carried: u64 = links.records().map(|line| line.unwrap()[8].parse::<u64>().unwrap()).sum();
    let mut tree = BTreeSet::new();
    let mut back = 0;
    for core in one.cores() {
        let steps = |from: u64, to: u64, ring: u64| {
            let forward = one.network == 0;
            std::iter::successors(Some(from), move |&at| {
                (at != to).then(|| if forward { (at + 1) % ring } else { (at + ring - 1) % ring })
            })
        };
        let row: Vec<[u64; 2]> = steps(one.core[0], core[0], 10).map(|x| [x, one.core[1]]).collect();
        let column: Vec<[u64; 2]> = steps(one.core[1], core[1], 12).map(|y| [core[0], y]).collect();
        for pair in row.windows(2).chain(column.windows(2)) {
            tree.insert([pair[0], pair[1]]);
        }
        let reverse = Multicast { core, ..*one };
        back += reverse.hops(one.core);
    }
    assert_eq!(carried, tree.len() as u64 * one.flits() + back);
}

fn random(random: &mut Pcg64) -> Vec<Multicast> {
    let count = random.random_range(2..=4);
    let mut cores = BTreeMap::new();
    while cores.len() < count {
        let core = [COLUMNS[random.random_range(0..COLUMNS.len())], random.random_range(1..=4)];
        cores.insert(core, ());
    }
    let network = random.random_range(0..2);
    let multicast = |core: [u64; 2]| {
        let mut corner = |sides: std::ops::RangeInclusive<u64>| {
            let [a, b] = std::array::from_fn(|_| random.random_range(sides.clone()));
            [a.min(b), a.max(b)]
        };
        let [left, right] = corner(1..=9);
        let [top, bottom] = corner(1..=4);
        let bytes = random.random_range(1..=40) * 32;
        let at = random.random_range(0..60);
        Multicast { core, first: [left, top], last: [right, bottom], network, bytes, at }
    };
    cores.into_keys().map(multicast).collect()
}

#[test]
fn multicasts_that_check_lets_pass_never_wait_for_each_other_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Pcg64::seed_from_u64(7);
    let mut told = 0;
    let mut stopped = 0;
    let mut safe = 0;
    for case in 0..300 {
        let multicasts = random(&mut rng);
        let scenario = scenario(folder.path(), &multicasts);
        let shown = examine(&scenario, ROW).unwrap();
        let is_told = shown.evidence.notes.iter().any(|note| note.contains("can deadlock if they overlap in time"));
        let contention = shown.contention.unwrap();
        told += u32::from(is_told);
        safe += u32::from(!is_told);
        match contention.blocked_headers {
            Err(stop) => {
                assert!(is_told, "case {case}: {stop}: {multicasts:?}");
                stopped += 1;
            }
            Ok(_) => {
                let row = scenario.points[0].experiment.run(ROW, Keep::messages(true)).unwrap();
                let cores: usize = multicasts.iter().map(|one| one.cores().len()).sum();
                assert_eq!(row.details.len(), 2 * cores, "case {case}");
            }
        }
    }
    assert!(told > 50 && safe > 20 && stopped > 2, "{told} told, {safe} safe, {stopped} stopped");
}
