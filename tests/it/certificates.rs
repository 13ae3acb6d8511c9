//! Certificates of freedom from deadlock, and of cycles, read by a checker that knows nothing but the text.

use crate::cli::{Bench, csv_rows};
use flitwise::routing::relation::{ROUTINGS, dependence};
use flitwise::routing::{Lattice, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A virtual channel: its link and its number.
type Channel = (String, String);

/// What the text of a certificate says, words for words.
#[derive(Default)]
struct Read {
    verdict: String,
    /// Ranks of virtual channels, -1 where there is none.
    ranks: BTreeMap<Channel, i64>,
    turns: BTreeSet<(Channel, Channel)>,
    held: Vec<Channel>,
    /// States by their numbers: their virtual channels, and the numbers of their successors with whether they are starred.
    states: BTreeMap<String, (Channel, Vec<(String, bool)>)>,
}

impl Read {
    fn new(text: &str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let channel = |at: usize| (words[at].to_owned(), words[at + 1].to_owned());
            match words[0] {
                "verdict" => words[1].clone_into(&mut read.verdict),
                "vc" => drop(read.ranks.insert(channel(1), words[5].parse().unwrap_or(-1))),
                "turn" => drop(read.turns.insert((channel(1), channel(3)))),
                "hold" => read.held.push(channel(1)),
                "state" => {
                    let successor = |word: &&str| (word.trim_end_matches('*').to_owned(), word.ends_with('*'));
                    let successors = words[5..].iter().map(successor).collect();
                    read.states.insert(words[1].to_owned(), (channel(2), successors));
                }
                _ => {}
            }
        }
        read
    }

    fn rank(&self, channel: &Channel) -> i64 {
        self.ranks.get(channel).copied().unwrap_or(-1)
    }

    fn rank_of_state(&self, state: &str) -> i64 {
        self.states.get(state).map_or(-1, |(channel, _)| self.rank(channel))
    }

    /// Whether all turns lead to lower ranks, and no packet can be blocked by virtual channels of its rank or higher ones.
    fn is_free(&self) -> bool {
        let ranked = self.ranks.values().all(|&rank| rank >= 0);
        let descends = |(from, to): &(Channel, Channel)| self.rank(from) > self.rank(to) && self.rank(to) >= 0;
        ranked && self.turns.iter().all(descends) && self.states.keys().all(|state| self.goes_on(state))
    }

    /// Whether a packet in `state`, and wherever it goes through virtual channels of this rank or higher, can always go to a
    /// lower one, and stands behind no other packet but in lower ones.
    fn goes_on(&self, state: &str) -> bool {
        let rank = self.rank_of_state(state);
        let mut seen = BTreeSet::from([state]);
        let mut open = vec![state];
        while let Some(at) = open.pop() {
            let Some((_, successors)) = self.states.get(at) else { return false };
            let high = successors.iter().filter(|(next, _)| self.rank_of_state(next) >= rank);
            let blocked = high.clone().any(|(_, starred)| !starred) || high.clone().count() == successors.len();
            if rank < 0 || blocked && !successors.is_empty() {
                return false;
            }
            open.extend(high.map(|(next, _)| next.as_str()).filter(|next| seen.insert(next)));
        }
        true
    }

    fn is_cycle(&self) -> bool {
        let next = self.held.iter().cycle().skip(1);
        let distinct: BTreeSet<&Channel> = self.held.iter().collect();
        let linked = self.held.iter().zip(next).all(|(one, next)| self.turns.contains(&(one.clone(), next.clone())));
        linked && !self.held.is_empty() && distinct.len() == self.held.len()
    }
}

/// What the text of a certificate proves: `free`, `cycle`, or nothing.
fn proved(text: &str) -> Option<&'static str> {
    let read = Read::new(text);
    match read.verdict.as_str() {
        "free" if read.is_free() => Some("free"),
        "cycle" if read.is_cycle() => Some("cycle"),
        _ => None,
    }
}

/// The certificate of a network, and the exit code.
fn certificate(network: &str, virtual_channels: u32) -> (i32, String) {
    let bench = Bench::new(&format!("name = \"c\"\n{network}\n[channel]\nvirtual_channels = {virtual_channels}\n"));
    let output = bench.command(&["check", "s.toml", "--certificate", "c.txt"]).output().unwrap();
    (output.status.code().unwrap(), fs::read_to_string(bench.path("c.txt")).unwrap())
}

#[test]
fn lattices_are_free_with_their_classes_and_not_without() {
    for (network, virtual_channels, expected) in [
        ("[network.mesh]\nshape = [4, 3]", 1, "free"),
        ("[network.hypercube]\ndimension = 4", 2, "free"),
        ("[network.torus]\nshape = [4, 5]", 2, "free"),
        ("[network.torus]\nshape = [4, 5]", 4, "free"),
        ("[network.torus]\nshape = [3, 3]", 1, "free"),
        ("[network.torus]\nshape = [4, 5]", 1, "cycle"),
    ] {
        let (code, text) = certificate(network, virtual_channels);
        assert_eq!(proved(&text), Some(expected), "{network}, {virtual_channels} virtual channels");
        assert_eq!(code, i32::from(expected == "cycle"), "{network}");
    }
}

/// The certificate of routers that choose or draw, and the exit code.
fn chosen(network: &str, routing: &str, virtual_channels: u32) -> (i32, String) {
    certificate(&format!("{network}\n[router]\n{routing}"), virtual_channels)
}

#[test]
fn routings_that_choose_or_draw_are_free_with_their_classes_and_not_without() {
    let mesh = "[network.mesh]\nshape = [4, 4]";
    let torus = "[network.torus]\nshape = [4, 5]";
    for (network, routing, virtual_channels, expected) in [
        (mesh, "adaptive", 1, "cycle"),
        (mesh, "adaptive", 2, "free by rounds"),
        (mesh, "adaptive", 3, "free by rounds"),
        (mesh, "west-first", 1, "free"),
        (mesh, "north-last", 2, "free"),
        (mesh, "negative-first", 1, "free"),
        (mesh, "valiant", 2, "free"),
        (mesh, "valiant", 1, "cycle"),
        (mesh, "o1turn", 2, "free"),
        (mesh, "o1turn", 1, "cycle"),
        ("[network.mesh]\nshape = [3, 2, 3]", "adaptive", 2, "free by rounds"),
        ("[network.hypercube]\ndimension = 4", "adaptive", 2, "free by rounds"),
        ("[network.hypercube]\ndimension = 3", "valiant", 1, "cycle"),
        (torus, "adaptive", 2, "cycle"),
        (torus, "adaptive", 3, "free by rounds"),
        (torus, "valiant", 4, "free"),
        (torus, "valiant", 3, "cycle"),
        (torus, "o1turn", 4, "free"),
        (torus, "o1turn", 2, "cycle"),
    ] {
        for model in ["ideal", "pipelined"] {
            let routing = format!("routing = \"{routing}\"\nmodel = \"{model}\"");
            let (code, text) = chosen(network, &routing, virtual_channels);
            let what = format!("{network}, {routing}, {virtual_channels} virtual channels");
            let verdict = expected.split(' ').next();
            assert_eq!(proved(&text), verdict, "{what}");
            assert_eq!(code, i32::from(expected == "cycle"), "{what}");
            assert_eq!(text.contains("\nstate "), expected == "free by rounds", "{what}");
            assert_eq!(text.contains("\nturn "), expected != "free by rounds", "{what}");
        }
    }
}

/// What the command proves of small lattices is what the channel dependency graph shows of them.
#[test]
fn verdicts_are_those_of_the_dependency_graph() {
    let routings = ["dimension-order", "west-first", "north-last", "negative-first", "valiant", "o1turn", "adaptive"];
    let mut random = 20_261_123_u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut seen = BTreeSet::new();
    for _ in 0..100 {
        let dimensions = 1 + draw(3);
        let shape: Vec<usize> = (0..dimensions).map(|_| 2 + usize::try_from(draw(6 / dimensions)).unwrap()).collect();
        let wraps = draw(2) == 1;
        let lattice = Lattice::new(&shape, wraps, &(0..shape.len()).collect::<Vec<_>>());
        let name = routings[usize::try_from(draw(7)).unwrap()];
        let routing = *ROUTINGS.iter().find(|routing| routing.name == name).unwrap();
        if !routing.fits(&lattice) {
            continue;
        }
        let virtual_channels = 1 + u16::try_from(draw(4)).unwrap();
        let free = dependence(&Relation::new(lattice, routing, virtual_channels)).cycle.is_none();
        let network = format!("[network.{}]\nshape = {shape:?}", if wraps { "torus" } else { "mesh" });
        let (_, text) = chosen(&network, &format!("routing = \"{name}\""), virtual_channels.into());
        assert_eq!(proved(&text), Some(if free { "free" } else { "cycle" }), "{network}, {name}, {virtual_channels}");
        seen.insert((name, free));
    }
    assert!(routings.iter().all(|name| seen.contains(&(*name, true))), "{seen:?}");
    assert!(["valiant", "adaptive"].iter().all(|name| seen.contains(&(*name, false))), "{seen:?}");
}

/// A proof by rounds does not hold with the ranks of two virtual channels exchanged, without a virtual channel's rank, or with
/// stars where there are none.
#[test]
fn a_false_proof_by_rounds_does_not_pass() {
    let (_, text) = chosen("[network.mesh]\nshape = [4, 4]", "routing = \"adaptive\"\natomic = false", 2);
    assert_eq!(proved(&text), Some("free"));
    let read = Read::new(&text);
    let without_star =
        |(_, successors): &&(Channel, Vec<(String, bool)>)| successors.iter().any(|(_, starred)| !starred);
    let (from, successors) = read.states.values().find(without_star).unwrap();
    let (next, _) = successors.iter().find(|(_, starred)| !starred).unwrap();
    let (to, _) = &read.states[next];
    let mut swapped = Read::new(&text);
    swapped.ranks.insert(from.clone(), read.rank(to));
    swapped.ranks.insert(to.clone(), read.rank(from));
    assert!(!swapped.is_free());
    let mut without_rank = Read::new(&text);
    without_rank.ranks.insert(to.clone(), -1);
    assert!(!without_rank.is_free());
    let mut with_choice = Read::new(&text);
    for (_, successors) in with_choice.states.values_mut() {
        successors.iter_mut().for_each(|(_, starred)| *starred = false);
    }
    assert!(!with_choice.is_free());
}

/// On a torus a packet that will cross the dateline is in the second class all the way round.
#[test]
fn virtual_channels_of_a_torus_are_those_that_routers_use() {
    let (_, text) = certificate("[network.torus]\nshape = [5, 3]", 2);
    let lines = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!((lines("vc "), lines("turn ")), (72, 102));
}

/// A proof whose ranks do not fall, or a cycle with a gap, proves nothing.
#[test]
fn a_false_certificate_does_not_pass() {
    let (_, text) = certificate("[network.mesh]\nshape = [4, 3]", 1);
    let turn = text.lines().find(|line| line.starts_with("turn")).unwrap();
    let words: Vec<&str> = turn.split_whitespace().collect();
    let reversed = format!("turn {} {} {} {}", words[3], words[4], words[1], words[2]);
    assert_eq!(proved(&text.replace(turn, &reversed)), None);
    let (_, text) = certificate("[network.torus]\nshape = [5]", 1);
    let held = text.lines().find(|line| line.starts_with("hold")).unwrap();
    assert_eq!(proved(&text.replacen(&format!("{held}\n"), "", 1)), None);
}

/// Whichever two links follow each other in a path stand as a turn.
#[test]
fn turns_are_those_of_paths() {
    // no two ways round a ring are as long
    let bench = Bench::new("name = \"c\"\n[network.torus]\nshape = [5, 3]\n");
    bench.ok(&["check", "s.toml", "--certificate", "c.txt"]);
    let text = fs::read_to_string(bench.path("c.txt")).unwrap();
    let turns: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("turn ")).collect();
    let mut seen = BTreeSet::new();
    let rows = csv_rows(&bench.ok(&["routes", "s.toml", "--pairs", "all"]));
    for pair in rows.windows(2).filter(|pair| pair[1]["hop"] != "0") {
        let channel = |row: &BTreeMap<String, String>| format!("{} {}", row["link"], row["class"]);
        let turn = format!("{} {}", channel(&pair[0]), channel(&pair[1]));
        assert!(turns.contains(turn.as_str()), "{turn}");
        seen.insert(turn);
    }
    assert_eq!(seen.len(), turns.len());
}

#[test]
fn what_gives_no_path_is_refused() {
    let network = "[network.mesh]\nshape = [4, 4]\nconcentration = 2\n";
    let bench = Bench::new(&format!("name = \"c\"\n{network}[router]\nrouting = \"adaptive\"\n"));
    let said = bench.fails(2, &["check", "s.toml", "--certificate", "c.txt"]);
    assert!(
        said.contains("`adaptive` routing does not define a single path")
            && said.contains("accepted: `dimension-order`")
    );
    assert!(!bench.path("c.txt").exists());
}

#[test]
fn a_routing_that_is_not_for_the_lattice_is_refused() {
    let bench = Bench::new("name = \"c\"\n[network.torus]\nshape = [4, 4]\n[router]\nrouting = \"west-first\"\n");
    let said = bench.fails(2, &["check", "s.toml", "--certificate", "c.txt"]);
    assert!(said.contains("`west-first` requires a two-dimensional mesh, but the network is a 4x4 torus"), "{said}");
    assert!(said.contains("accepted here: `dimension-order`, `valiant`"), "{said}");
}

/// Traffic of requests and replies on a 3x2 mesh. `request` and `answer` are further keys of the classes.
fn replies(router: &str, [request, answer]: [&str; 2]) -> String {
    format!(
        "name = \"c\"\n[network.mesh]\nshape = [3, 2]\n[channel]\nvirtual_channels = 4\n[router]\nmodel = \"pipelined\"\n\
         {router}\n[workload.traffic]\npattern = \"uniform\"\nmeasure = 500\nreply_queue = 1\n[[workload.traffic.class]]\n\
         name = \"request\"\nrate = 0.1\nreply = \"answer\"\n{request}\n[[workload.traffic.class]]\nname = \"answer\"\n{answer}\n"
    )
}

/// Requests that wait for replies make ejection channels depend on injection channels, in the virtual channels of the replies.
#[test]
fn requests_and_replies_are_free_if_they_share_no_channel_and_no_queue() {
    for (router, classes, expected, turn) in [
        ("", ["vcs = [0, 1]", "vcs = [2, 3]"], "free", "turn e5 1 i5 2"),
        ("", ["vcs = [0, 1]", "vcs = [1, 3]"], "cycle", "turn e5 1 i5 1"),
        ("", ["vcs = [0, 1]\nqueue = \"q\"", "vcs = [2, 3]\nqueue = \"q\""], "cycle", "turn e5 1 i5 1"),
        ("networks = 2", ["network = 0", "network = 1"], "free", "turn e5 1 i5.1 1"),
        ("networks = 2", ["network = 0", ""], "cycle", "turn e5 1 i5.1 1"),
        ("routing = \"adaptive\"", ["vcs = [0, 1]", "vcs = [2, 3]"], "free", "vc e5 1 5 - "),
        ("routing = \"valiant\"", ["vcs = [0, 1]", "vcs = [2, 3]"], "free", "turn e5 1 i5 2"),
    ] {
        let bench = Bench::new(&replies(router, classes));
        let checked = bench.call(&["check", "s.toml", "--certificate", "c.txt"]);
        let text = fs::read_to_string(bench.path("c.txt")).unwrap();
        assert_eq!(proved(&text), Some(expected), "{router} {classes:?}");
        assert!(text.contains(turn), "{router} {classes:?}: {turn}");
        let is_free = expected == "free";
        assert_eq!(checked.status.code(), Some(i32::from(!is_free)), "{router} {classes:?}");
        let ran = bench.call(&["run", "s.toml"]);
        assert_eq!(ran.status.code(), Some(if is_free { 0 } else { 2 }), "{router} {classes:?}");
        for output in [checked, ran].iter().filter(|_| !is_free) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(
                stderr.contains("requests of class `request` and replies of class `answer` can deadlock"),
                "{stderr}"
            );
        }
    }
}

/// A node that takes in all requests cannot deadlock, which may not hold for the machine that is simulated.
#[test]
fn check_warns_of_virtual_channels_that_requests_and_replies_share() {
    let unlimited = |classes| replies("", classes).replace("reply_queue = 1\n", "");
    let bench = Bench::new(&unlimited(["vcs = [0, 1]", "vcs = [1, 3]"]));
    let output = bench.call(&["check", "s.toml"]);
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("`request`") && warning.contains("share virtual channel 1;"), "{warning}");
    let bench = Bench::new(&unlimited(["vcs = [0, 1]", "vcs = [2, 3]"]));
    let output = bench.call(&["check", "s.toml"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("share"), "{output:?}");
}

/// Routings with classes of virtual channels divide those of each class of packets by itself.
#[test]
fn check_warns_of_classes_of_packets_whose_virtual_channels_overlap_in_part() {
    let text = |vcs| replies("routing = \"valiant\"", vcs).replace("reply_queue = 1\n", "");
    for (vcs, expected) in [(["vcs = [0, 2]", "vcs = [1, 3]"], true), (["vcs = [0, 3]", "vcs = [0, 3]"], false)] {
        let output = Bench::new(&text(vcs)).call(&["check", "s.toml"]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(stderr.contains("virtual channels 1 to 2 but not all"), expected, "{stderr}");
    }
}
