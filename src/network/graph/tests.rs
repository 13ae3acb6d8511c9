use super::*;
use crate::config::{Document, Errors, Files, KeyValue, KeyValues};
use crate::routing::Step;
use crate::units::{LinkId, NodeId, RouterId};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

static GRAPH: &[Key] = &[Key::table("graph", &[FILE, FORMAT])];
static ROOT: &[Key] = &[Key::one_of("network", GRAPH)];

/// How paths are asked for.
#[derive(Clone, Default)]
struct Way {
    routing: &'static str,
    keys: KeyValues,
    virtual_channels: Option<u64>,
    flit_time: u64,
}

impl Way {
    fn new(routing: &'static str) -> Self {
        Self { routing, flit_time: 1, ..Self::default() }
    }
}

/// The value of one key.
fn one_key(key: &'static str, text: &str) -> KeyValues {
    KeyValues::from_iter([(key, KeyValue::Text(text.to_owned()))])
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/networks")
}

fn cases(name: &str) -> Vec<Json> {
    serde_json::from_str(&std::fs::read_to_string(data().join(name)).unwrap()).unwrap()
}

/// The graph in the file `name` of `folder`, or what is wrong as `file:line: message (text) [note]`.
fn read(folder: &Path, name: &str, way: &Way) -> Result<GraphSpec, Vec<String>> {
    let text = format!("[network.graph]\nfile = \"{name}\"\n[router]\nrouting = \"{}\"\n", way.routing);
    let document = Document::parse("s.toml", &text).unwrap();
    let mut sources = document.sources.clone();
    let errors = Errors::default();
    let spec = {
        let root = Reader::root(&document.root, ROOT, &errors);
        let network = root.table("network").unwrap();
        let mut files = Files::new(folder, &mut sources, None);
        let link_classes = Arc::default();
        let mut asked = Asked {
            link_classes: &link_classes,
            virtual_channels: 1,
            given_virtual_channels: way.virtual_channels,
            routing: way.routing,
            keys: &way.keys,
            flit_time: way.flit_time,
            scenario: &root,
            files: &mut files,
        };
        let table = network.table("graph").unwrap();
        GraphSpec::read(&table, &mut asked)
    };
    let told = errors.into_inner().into_iter().map(|wrong| {
        let place = wrong.place.unwrap();
        let source = &sources[place.source];
        let line = 1 + source.text[..place.span.start].matches('\n').count();
        let file = Path::new(&source.name).file_name().unwrap().to_str().unwrap().to_owned();
        let note = wrong.note.map_or_else(String::new, |note| format!("; {note}"));
        format!("{file}:{line}: {}{note}", wrong.message)
    });
    let told: Vec<String> = told.collect();
    match spec {
        Some(spec) if told.is_empty() => Ok(spec),
        _ => Err(told),
    }
}

/// The same of a file with this text.
fn parse(name: &str, text: &str, way: &Way) -> Result<GraphSpec, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    read(folder.path(), name, way)
}

fn path(spec: &GraphSpec, src: u32, dst: u32) -> Vec<Step> {
    let mut path = Vec::new();
    spec.routed.paths.path(NodeId(src), NodeId(dst), &mut path);
    path
}

/// All pairs of different nodes.
fn pairs(spec: &GraphSpec) -> impl Iterator<Item = (u32, u32)> {
    let nodes = u32::try_from(spec.file.graph.nodes()).unwrap();
    (0..nodes).flat_map(move |src| (0..nodes).filter(move |&dst| dst != src).map(move |dst| (src, dst)))
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap()
}

fn way_of(router: &Json) -> Way {
    let routing = KIND.routings.iter().map(|(name, _)| *name).find(|name| *name == router["routing"]).unwrap();
    let mut way = Way::new(routing);
    let value = |key: &'static str| match &router[key] {
        Json::String(text) => Some((key, KeyValue::Text(text.clone()))),
        number => number.as_u64().map(|number| (key, KeyValue::Integer(number))),
    };
    way.keys = ["root", "weight", "classes"].into_iter().filter_map(value).collect();
    way
}

#[test]
fn paths_are_those_of_the_reference() {
    let cases = cases("graph-routes.json");
    assert!(cases.len() >= 9);
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let spec = read(&data().join("files"), file, &way_of(&case["router"])).unwrap();
        let graph = &spec.file.graph;
        assert_eq!(u64::from(spec.routed.paths.classes()), number(&case["classes"]));
        for pair in case["pairs"].as_array().unwrap() {
            let node = |end: &str| u32::try_from(number(&pair[end])).unwrap();
            let steps = path(&spec, node("src"), node("dst"));
            let links: Vec<u64> = steps.iter().map(|step| step.link.0.into()).collect();
            let classes: Vec<u64> = steps.iter().map(|step| step.class.into()).collect();
            let mut routers = vec![graph.router_of(NodeId(node("src")))];
            routers.extend(steps.iter().map(|step| graph.link(step.link).to));
            let routers: Vec<u64> = routers.into_iter().map(|router| router.0.into()).collect();
            let listed = |key: &str| pair[key].as_array().unwrap().iter().map(number).collect::<Vec<u64>>();
            assert_eq!(
                (links, classes, routers),
                (listed("links"), listed("classes"), listed("routers")),
                "{file} {pair}"
            );
        }
        let sum: usize = pairs(&spec).map(|(src, dst)| spec.routed.paths.hops(NodeId(src), NodeId(dst))).sum();
        assert_eq!(sum as u64, number(&case["route_sum"]), "{file}");
        let longest = pairs(&spec).map(|(src, dst)| path(&spec, src, dst).len() as u64).max().unwrap();
        assert!(longest + 2 <= spec.longest_path(), "{file}: {longest}");
    }
}

#[test]
fn distances_are_those_of_the_reference() {
    let cases = cases("graph-shapes.json");
    assert!(cases.len() >= 9);
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let mut way = Way::new("shortest");
        way.keys = one_key("weight", "links");
        let spec = read(&data().join("files"), file, &way).unwrap();
        let graph = &spec.file.graph;
        let mut histogram: BTreeMap<String, u64> = BTreeMap::new();
        let mut sum = 0;
        for (src, dst) in pairs(&spec) {
            let links = path(&spec, src, dst).len();
            sum += links as u64;
            *histogram.entry(links.to_string()).or_default() += 1;
        }
        let counted = [graph.nodes(), graph.routers(), graph.count()].map(|count| count as u64);
        assert_eq!(counted, ["nodes", "routers", "links"].map(|key| number(&case[key])), "{file}");
        assert_eq!(sum, number(&case["distance_sum"]), "{file}");
        assert_eq!(serde_json::to_value(&histogram).unwrap(), case["histogram"], "{file}");
        assert!(spec.longest_path() >= 2 + number(&case["diameter"]), "{file}");
    }
}

#[test]
fn classes_count_the_links_of_a_path() {
    for (file, classes) in [("ring6.csv", 3), ("random20.csv", 6), ("arcs5.csv", 3)] {
        let mut way = Way::new("shortest");
        way.keys = one_key("classes", "hops");
        let spec = read(&data().join("files"), file, &way).unwrap();
        assert_eq!((spec.routed.paths.classes(), spec.virtual_channels()), (classes, u64::from(classes)), "{file}");
        for (src, dst) in pairs(&spec) {
            assert!((0..).zip(path(&spec, src, dst)).all(|(taken, step)| step.class == taken));
        }
        way.virtual_channels = Some(2);
        assert_eq!(read(&data().join("files"), file, &way).unwrap().virtual_channels(), 2);
    }
}

/// What `shortest` says, written as a table, gives the same paths, with a class for odd routers.
#[test]
fn a_table_leads_where_it_says() {
    let spec = read(&data().join("files"), "random10.csv", &Way::new("shortest")).unwrap();
    let graph = &spec.file.graph;
    let mut table = "at,to,link,class\n".to_owned();
    let mut said = BTreeMap::new();
    for (src, dst) in pairs(&spec) {
        for step in path(&spec, src, dst) {
            let at = graph.link(step.link).from;
            said.insert((at, graph.router_of(NodeId(dst))), step.link);
        }
    }
    for ((at, to), link) in said {
        writeln!(table, "{at},{to},{link},{}", at.0 % 2).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(data().join("files/random10.csv"), folder.path().join("g.csv")).unwrap();
    std::fs::write(folder.path().join("t.csv"), &table).unwrap();
    let mut way = Way::new("table");
    way.keys = one_key("table", "t.csv");
    let tabled = read(folder.path(), "g.csv", &way).unwrap();
    assert_eq!((tabled.routed.paths.classes(), tabled.routed.reach.longest), (2, 3));
    for (src, dst) in pairs(&spec) {
        let class = |link| u8::from(graph.link(link).from.0 % 2 == 1);
        let odd: Vec<Step> =
            path(&spec, src, dst).iter().map(|step| Step { class: class(step.link), ..*step }).collect();
        assert_eq!(path(&tabled, src, dst), odd);
    }
}

#[test]
fn toml_says_the_same_as_csv() {
    let csv = "kind,a,b,flit_time,delay\nlink,0,1,2,\narc,2,0,,7\nnode,0,2\nnode,1,0,,\n\"link\", 1 ,2,,\nnode,2,0,,\n";
    let toml = "routers = 3\nnode = [2, 0, 0]\n[[link]]\nends = [0, 1]\nflit_time = 2\n[[link]]\nends = [2, 0]\ndelay = 7\n\
                one_way = true\n[[link]]\nends = [1, 2]\n";
    let way = Way { flit_time: 3, ..Way::new("shortest") };
    let whole = |spec: GraphSpec| {
        let graph = &spec.file.graph;
        let links: Vec<_> = (0..graph.count()).map(|link| graph.link(LinkId::new(link))).collect();
        let nodes: Vec<_> = (0..graph.nodes()).map(|node| graph.node(NodeId::new(node))).collect();
        (graph.routers(), nodes, links)
    };
    let (routers, nodes, links) = whole(parse("g.csv", csv, &way).unwrap());
    assert_eq!((routers, nodes.clone(), links.clone()), whole(parse("g.toml", toml, &way).unwrap()));
    let joined: Vec<_> =
        links.iter().map(|link| (link.from.0, link.to.0, link.cost.flit_time.0, link.cost.delay.0)).collect();
    assert_eq!(joined, [(0, 1, 2, 0), (1, 0, 2, 0), (2, 0, 3, 7), (1, 2, 3, 0), (2, 1, 3, 0)]);
    assert_eq!(nodes.iter().map(|node| node.router).collect::<Vec<_>>(), [2, 0, 0].map(RouterId));
}

#[test]
fn links_have_the_classes_of_the_file() {
    let direction = Way::new("shortest");
    let classes = |spec: GraphSpec| {
        let graph = &spec.file.graph;
        let names = graph.classes();
        (0..graph.count()).map(|link| names[graph.class(LinkId::new(link))].clone()).collect::<Vec<_>>()
    };
    let nodes = "node,0,0\nnode,1,1\n";
    let csv = format!("kind,a,b,flit_time,delay,class\n{nodes}arc,0,1,,0,d2d\nlink,0,1,,\narc,1,0,2,,d2d\n");
    assert_eq!(classes(parse("g.csv", &csv, &direction).unwrap()), ["d2d", "link", "link", "d2d"]);
    let toml = "routers = 2\nnode = [0, 1]\n[[link]]\nends = [0, 1]\nclass = \"d2d\"\n[[link]]\nends = [0, 1]\n";
    assert_eq!(classes(parse("g.toml", toml, &direction).unwrap()), ["d2d", "d2d", "link", "link"]);
    let anynet = "router 0 node 0 router 1\nrouter 1 node 1\n";
    assert_eq!(classes(parse("g.anynet", anynet, &direction).unwrap()), ["link"; 2]);
    let reserved = "`all` cannot be the class of a link; accepted: any name but all and node";
    let csv = "kind,a,b,class\nlink,0,1,all\n";
    assert_eq!(wrong("g.csv", csv, &direction), format!("g.csv:2: {reserved}"));
    let toml = toml.replace("d2d", "all");
    assert_eq!(wrong("g.toml", &toml, &direction), format!("g.toml:5: {reserved}"));
    let csv = "kind,a,b,class\nnode,0,0,d2d\n";
    let text = "g.csv:2: nodes have no `class`; accepted: a class of a link or an arc";
    assert_eq!(wrong("g.csv", csv, &direction), text);
}

/// What BookSim 2 makes of latencies: unsaid ones are 1, also of the way back, and of two the last holds.
#[test]
fn anynet_is_read_as_booksim_reads_it() {
    let text = "router 0 node 0 3 router 1 5\trouter 2 4\n\nnode 1 router 1\nrouter 1 router 2 7\nrouter 0 router 2\n\
                router 2 router 1 2 node 2\n";
    let spec = parse("g.anynet", text, &Way { flit_time: 10, ..Way::new("shortest") }).unwrap();
    let graph = &spec.file.graph;
    let links = (0..graph.count()).map(|link| graph.link(LinkId::new(link)));
    let joined: Vec<_> = links.map(|link| (link.from.0, link.to.0, link.cost.flit_time.0, link.cost.delay.0)).collect();
    let expected = [(0, 1, 10, 40), (0, 2, 10, 0), (1, 0, 10, 0), (1, 2, 10, 60), (2, 0, 10, 0), (2, 1, 10, 10)];
    assert_eq!(joined, expected);
    assert_eq!((0..3).map(|node| graph.node(NodeId(node)).cost.delay.0).collect::<Vec<_>>(), [20, 0, 0]);
    // by latency: 10 + 20 by way of router 2, and 50 straight on
    assert_eq!(path(&spec, 0, 1).iter().map(|step| step.link.0).collect::<Vec<_>>(), [1, 5]);
}

/// The first thing that is said of a wrong file.
fn wrong(name: &str, text: &str, way: &Way) -> String {
    parse(name, text, way).expect_err(text).swap_remove(0)
}

#[test]
fn wrong_csv_is_told_where_it_stands() {
    let two = "node,0,0,,\nnode,1,1,,\n";
    for (rows, said) in [
        (
            format!("{two}node,1,0,,\nlink,0,1,1,0\n"),
            "4: node 1 is already attached to router 1; accepted: one router for each node",
        ),
        (format!("{two}wire,0,1,1,0\n"), "4: unknown kind of row `wire`; accepted: node, link, arc"),
        (format!("{two}link,1,1,1,0\n"), "4: the link connects router 1 to itself; accepted: two different routers"),
        (
            format!("{two}link,0,x,1,0\n"),
            "4: `b` must be an integer, not `x`; accepted: an integer from 0 to 4294967294",
        ),
        (
            format!("{two}\n\nlink,0,1,0,0\n"),
            "6: `flit_time` must be at least 1; accepted: an integer from 1 to 4294967296",
        ),
        (format!("{two}link,0,1,,-1\n"), "4: `delay` must be at least 0; accepted: an integer from 0 to 1099511627776"),
        (
            format!("{two}link,0\n"),
            "4: 2 fields, but 3 to 5 are needed; accepted: the columns `kind`, `a`, `b`, in any order; optional: `flit_time`, `delay`, `bandwidth`, `class`",
        ),
        (
            "node,0,0,,\nnode,2,1,,\nlink,0,1,1,0\n".to_owned(),
            "3: node 1 is missing before node 2; accepted: nodes numbered from 0 without gaps",
        ),
        (
            format!("{two}link,0,1,,\nlink,1,4000000000,,\n"),
            "5: router 2 is missing before router 4000000000; accepted: routers numbered from 0 without gaps",
        ),
        (format!("{two}arc,0,1,1,0\n"), "3: there is no path from node 1 to node 0"),
        (format!("{two}arc,1,0,1,0\n"), "3: there is no path from node 0 to node 1"),
        ("link,0,1,,\n".to_owned(), "1: a graph needs at least one node"),
    ] {
        let text = format!("kind,a,b,flit_time,delay\n{rows}");
        assert_eq!(wrong("g.csv", &text, &Way::new("shortest")), format!("g.csv:{said}"));
    }
    for (text, said) in [
        ("", "the file is empty; the first line must be `kind,a,b,flit_time,delay,bandwidth,class`"),
        (
            "kind;a;b;flit_time;delay\n",
            "the first line must be `kind,a,b,flit_time,delay,bandwidth,class`; the columns are separated by `;` instead of a comma",
        ),
    ] {
        assert_eq!(wrong("g.csv", text, &Way::new("shortest")), format!("g.csv:1: {said}"));
    }
}

#[test]
fn wrong_anynet_is_told_where_it_stands() {
    for (lines, said) in [
        ("switch 1 node 1", "`switch` is not an element of an anynet file; accepted: router, node"),
        ("router 1 node 1 5 5", "`5` is not an element of an anynet file; accepted: router, node"),
        ("router 1 node", "a number is missing after `node`"),
        ("router x node 1", "a number must be an integer, not `x`; accepted: an integer from 0 to 4294967294"),
        ("router 1 node 0", "node 0 is already attached to router 0; accepted: one router for each node"),
        ("router 1 node 1 router 1", "the link connects router 1 to itself; accepted: two different routers"),
        ("node 1 node 0", "node 1 cannot be connected to node 0; accepted: router"),
        (
            "node 1 router 1 3",
            "BookSim 2 misplaces a latency after `node .. router ..`; accepted: a line `router 1 node 1` with the latency",
        ),
        ("router 1 node 1 0", "a latency must be at least 1, not 0; accepted: an integer from 1 to 1099511627777"),
        ("router 3 node 1", "router 2 is missing before router 3; accepted: routers numbered from 0 without gaps"),
        ("router 2 node 1", "there is no path from node 0 to node 1"),
    ] {
        let text = format!("router 0 node 0 router 1\n{lines}\n");
        assert_eq!(wrong("g.anynet", &text, &Way::new("shortest")), format!("g.anynet:2: {said}"));
    }
}

#[test]
fn wrong_toml_is_told_where_it_stands() {
    for (text, said) in [
        ("", "1: `routers` is missing: number of routers; accepted: an integer from 1 to 4294967294"),
        ("routers = 2\nnode = [0, 2]\n", "2: there is no router 2; accepted: 0 to 1"),
        (
            "routers = 2\nnode = [0, 1]\n[[link]]\nends = [0]\n",
            "4: `ends` must be an array of two routers; accepted: for example [0, 1]",
        ),
        (
            "routers = 2\nnode = [0, 1]\n[[link]]\nends = [1, 1]\n",
            "4: the link connects router 1 to itself; accepted: two different routers",
        ),
        (
            "routers = 2\nnode = [0, 1]\n[[link]]\nends = [1, 0]\nflit_time = 0\n",
            "5: `link.flit_time` is out of range; accepted: an integer from 1 to 4294967296, in ticks, or a time such as \"500ns\"",
        ),
        (
            "routers = 3\nnode = [0, 1]\n[[link]]\nends = [1, 0]\n",
            "1: router 2 has no links and no nodes; accepted: `routers` = 2",
        ),
        ("routers = 1\nnode = [0]\nnodes = 1\n", "3: unknown key `nodes`; accepted: `routers`, `node`, `link`"),
        ("routers = \n", "1: a value is missing after `=`"),
        ("routers = 2\nnode = [0, 1]\n", "2: there is no path from node 0 to node 1"),
    ] {
        assert_eq!(wrong("g.toml", text, &Way::new("shortest")), format!("g.toml:{said}"));
    }
}

#[test]
fn wrong_routings_are_told_where_they_are_asked_for() {
    let two = "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nlink,0,1,,\n";
    let one_way_ring =
        "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nnode,2,2,,\narc,0,1,,\narc,1,2,,\narc,2,0,,\n";
    let up_down = Way::new("up-down");
    let one_way = "g.csv:5: up-down requires links in both directions, but 0 -> 1 has no reverse link; accepted: links in both directions, or another routing";
    assert_eq!(wrong("g.csv", one_way_ring, &up_down), one_way);
    let mut rooted = up_down;
    rooted.keys = KeyValues::from_iter([("root", KeyValue::Integer(9))]);
    assert_eq!(wrong("g.csv", two, &rooted), "s.toml:3: `root` is 9, but there is no such router; accepted: 0 to 1");
    rooted.keys = KeyValues::from_iter([("root", KeyValue::Integer(2))]);
    let apart = format!("{two}link,2,3,,\n");
    assert_eq!(wrong("g.csv", &apart, &rooted), "s.toml:3: no path leads from the root, router 2, to node 0");
    let needed = "s.toml:4: `router.table` is missing; needed: a CSV file of links with the columns at,to,link and optionally class";
    assert_eq!(wrong("g.csv", two, &Way::new("table")), needed);
    let unknown =
        "s.toml:2: the format of `g.net` cannot be derived from its name; accepted: `format` = `csv`, `toml`, `anynet`";
    assert_eq!(wrong("g.net", two, &Way::new("shortest")), unknown);
    // a star of 33,000 routers with a node each
    let mut star = "kind,a,b,flit_time,delay\nnode,0,0,,\n".to_owned();
    for router in 1..33_000 {
        writeln!(star, "node,{router},{router},,\nlink,{},{router},,", router / 200).unwrap();
    }
    let large = "s.toml:2: `shortest` requires tables of 1.1 GB for 33000 routers; the maximum is 1 GiB";
    assert_eq!(wrong("g.csv", &star, &Way::new("shortest")), large);
    assert!(parse("g.csv", &star, &Way::new("up-down")).is_ok());
}

#[test]
fn wrong_tables_are_told_where_they_stand() {
    let ring = "kind,a,b,flit_time,delay\nnode,0,0,,\nnode,1,1,,\nnode,2,2,,\nlink,0,1,,\nlink,1,2,,\nlink,2,0,,\n";
    let every = "0,1,0\n0,2,5\n1,0,1\n1,2,2\n2,0,4\n";
    let note = "; accepted: a link for every router and every destination router";
    for (rows, said) in [
        ("0,3,0\n", "2: `to` must be at most 2; accepted: an integer from 0 to 2".to_owned()),
        ("0,1,1\n", "2: link 1 starts at router 1, not 0; accepted: 0, 5".to_owned()),
        ("0,1,0\n0,1,5\n", "3: router 0 already has a link for router 1".to_owned()),
        ("0,1,0,255\n", "2: `class` must be at most 254; accepted: an integer from 0 to 254".to_owned()),
        (
            "0,1\n",
            "2: 2 fields, but 3 to 4 are needed; accepted: the columns `at`, `to`, `link`, in any order; optional: `class`".to_owned(),
        ),
        (every, format!("1: the table has no link at router 2 for destination router 1{note}")),
        (
            &format!("{}2,1,4\n", every.replace("0,1,0", "0,1,5")),
            format!("1: the path of the table from router 0 to router 1 is a loop: it visits router 0 again{note}"),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("g.csv"), ring).unwrap();
        std::fs::write(folder.path().join("t.csv"), format!("at,to,link,class\n{rows}")).unwrap();
        let mut way = Way::new("table");
        way.keys = one_key("table", "t.csv");
        let told = read(folder.path(), "g.csv", &way).unwrap_err().swap_remove(0);
        assert_eq!(told, format!("t.csv:{said}"));
    }
}
