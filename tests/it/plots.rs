//! `flitwise plot`: every point stands in the picture as the CSV has it, axes are chosen by rule, and what is wrong is told.

use crate::cli::Bench;
use flitwise::draw::auto::{Data, MOST_PANELS, Plots, Wanted, plots};
use flitwise::draw::markup::{Child, Element};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const SWEEP: &str = r#"
name = "look"
repetitions = 4
network.mesh.shape = [6, 6]
channel.flit_time = 2
node = { send_setup = 300, send_per_flit = 2, receive_setup = 500, receive_per_flit = 3 }
workload.multicast = { algorithms = ["opt-mesh", "u-mesh"], flits = 64, group = 16 }
[sweep]
"workload.multicast.group" = [8, 16]
"workload.multicast.flits" = [16, 64, 1024]
"#;

/// A folder with a finished run of [`SWEEP`].
fn swept() -> Bench {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--quiet"]);
    bench
}

/// The rows of the sweep's summary, by column.
fn summary(bench: &Bench) -> Vec<BTreeMap<String, String>> {
    let mut csv = csv::Reader::from_path(bench.path("results/look/summary.csv")).unwrap();
    csv.deserialize().map(|row| row.unwrap()).collect()
}

fn with<'a>(root: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    root.descendants().filter(|node| node.has_attribute(name)).collect()
}

/// Panel, algorithm, x, y, spread of every point.
fn points(svg: &str) -> BTreeSet<[String; 5]> {
    let document = Document::parse(svg).unwrap();
    let text = |node: Node<'_, '_>, name: &str| node.attribute(name).unwrap_or_else(|| panic!("no {name}")).to_owned();
    let mut all = BTreeSet::new();
    for panel in with(document.root(), "data-panel") {
        for curve in with(panel, "data-curve") {
            for point in with(curve, "data-px") {
                let [panel, curve] = [text(panel, "data-panel"), text(curve, "data-curve")];
                let [x, y, spread] = ["data-px", "data-py", "data-spread"].map(|name| text(point, name));
                assert!(all.insert([panel, curve, x, y, spread]), "a point stands there twice");
            }
        }
    }
    all
}

/// What [`points`] must be, of rows that `row` makes a panel and an x of.
fn expected(
    bench: &Bench,
    y: &str,
    place: impl Fn(&BTreeMap<String, String>) -> Option<[String; 2]>,
) -> BTreeSet<[String; 5]> {
    let spread = format!("{}_ci95", y.strip_suffix("_mean").unwrap());
    let rows = summary(bench);
    let point = |row: &BTreeMap<String, String>| {
        let [panel, x] = place(row)?;
        Some([panel, row["algorithm"].clone(), x, row[y].clone(), row[&spread].clone()])
    };
    rows.iter().filter_map(point).collect()
}

const GROUP: &str = "workload.multicast.group";
const FLITS: &str = "workload.multicast.flits";

#[test]
fn a_sweep_is_plotted_without_options() {
    let bench = swept();
    let svg = bench.ok(&["plot", "results/look"]);
    let expected =
        expected(&bench, "measured_mean", |row| Some([format!("{GROUP}={}", row[GROUP]), row[FLITS].clone()]));
    assert_eq!(expected.len(), 12);
    assert_eq!(points(&svg), expected);
    let document = Document::parse(&svg).unwrap();
    let panels = with(document.root(), "data-panel");
    assert_eq!(panels.len(), 2);
    for panel in panels {
        let said =
            ["role", "data-x", "data-y", "data-scale-x", "data-scale-y"].map(|name| panel.attribute(name).unwrap());
        assert_eq!(said, ["img", FLITS, "measured_mean", "log", "linear"]);
        let label = panel.attribute("aria-label").unwrap();
        assert!(label.contains("completion time (ticks)") && label.contains("opt-mesh, u-mesh"), "{label}");
    }
    assert_eq!(
        svg,
        bench.ok(&["plot", "results"]),
        "the only run of a folder is meant, and the same run gives the same bytes"
    );
}

#[test]
fn options_choose_columns_and_rows() {
    let bench = swept();
    let where_ =
        |row: &BTreeMap<String, String>| (row[FLITS] == "1024").then(|| [format!("{FLITS}=1024"), row[GROUP].clone()]);
    let expected = expected(&bench, "blocked_time_mean", where_);
    assert_eq!(expected.len(), 4);
    let long = [
        "plot",
        "results/look",
        "--x",
        GROUP,
        "--y",
        "blocked_time_mean",
        "--where",
        "workload.multicast.flits == 1024",
    ];
    let short = ["plot", "results/look", "--x", "group", "--y", "blocked_time", "--where", "flits > 64"];
    assert_eq!(points(&bench.ok(&long)), expected);
    assert_eq!(bench.ok(&short), bench.ok(&long));
    let twice = ["plot", "results/look", "--where", "flits > 16", "--where", "algorithm == 'u-mesh' and flits < 100"];
    let drawn = points(&bench.ok(&twice));
    assert!(drawn.iter().all(|[_, curve, ..]| curve == "u-mesh") && drawn.len() == 2, "{drawn:?}");
}

#[test]
fn where_nothing_is_swept_algorithms_are_along_the_axis() {
    let bench = Bench::new(SWEEP.split("[sweep]").next().unwrap());
    bench.ok(&["run", "s.toml", "--quiet"]);
    let svg = bench.ok(&["plot", "results/look"]);
    let expected = expected(&bench, "measured_mean", |row| Some([String::new(), row["algorithm"].clone()]));
    assert_eq!(points(&svg), expected);
    let document = Document::parse(&svg).unwrap();
    let panel = with(document.root(), "data-panel")[0];
    assert_eq!([panel.attribute("data-x"), panel.attribute("data-scale-x")], [Some("algorithm"), Some("names")]);
    assert!(!svg.contains(" line\""), "nothing is between names");
}

#[test]
fn what_is_wrong_with_options_is_told_with_a_guess() {
    let bench = swept();
    let cases: [(&[&str], &[&str]); 13] = [
        (&["--y", "measured_men"], &["no column of numbers called `measured_men`", "`measured_mean`?", "accepted"]),
        (&["--y", "algorithm"], &["no column of numbers called `algorithm`"]),
        (&["--y", "mesured"], &["no column of numbers called `mesured`", "did you mean `measured`?"]),
        (
            &["--x", "fits"],
            &["no swept key and no column of numbers called `fits`", "did you mean `workload.multicast.flits`?"],
        ),
        (&["--x", "algorythm"], &["no swept key and no column", "did you mean `algorithm`?"]),
        (&["--by", "grup"], &["no swept key is called `grup`", "did you mean `workload.multicast.group`?"]),
        (&["--y-min", "5", "--y-max", "5"], &["the limits of the y axis exclude all values", "--y-min below --y-max"]),
        (&["--log", "x", "--x-min", "0"], &["the limits of the x axis exclude all values", "above zero"]),
        (&["--x-min", "1000000"], &["the plot has no points between the limits of its axes"]),
        (&["--y-max", "3ms"], &["`3ms` is not a number"]),
        (&["--where", "flitz > 3"], &["no swept key is called `flitz`", "did you mean `workload.multicast.flits`?"]),
        (&["--where", "flits >"], &["--where:1:1", "it ends after `>`"]),
        (&["--where", "flits > 5000"], &["no point meets this condition and the conditions before it"]),
    ];
    for (options, told) in cases {
        let said = bench.fails(2, &[&["plot", "results/look"], options].concat());
        assert!(told.iter().all(|part| said.contains(part)), "{options:?}: {said}");
    }
}

#[test]
fn folders_without_a_finished_run_are_refused() {
    let bench = swept();
    bench.ok(&["run", "s.toml", "--quiet", "--out", "parts", "--shard", "1/2"]);
    for verb in [&["plot"][..], &["compare", "results/look"]] {
        let refused = |folder: &str| bench.fails(2, &[verb, &[folder]].concat());
        assert!(refused("nowhere").contains("there is no directory nowhere"));
        assert!(refused("s.toml").contains("s.toml is not the directory of a run"));
        let unfinished = refused("parts/look");
        assert!(unfinished.contains("not finished") && unfinished.contains("merge"), "{unfinished}");
    }
    bench.ok(&["run", "s.toml", "--quiet", "-s", "name=other"]);
    let several = bench.fails(2, &["plot", "results"]);
    assert!(several.contains("several runs") && several.contains("results/other"), "{several}");
    fs::remove_file(bench.path("results/look/summary.csv")).unwrap();
    assert!(bench.fails(3, &["plot", "results/look"]).contains("cannot read results/look/summary.csv"));
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let bench = swept();
    bench.ok(&["plot", "results/look", "--out", "look.svg"]);
    let whole = fs::read_to_string(bench.path("look.svg")).unwrap();
    assert_eq!(whole, bench.ok(&["plot", "results/look"]));
    bench.fails(2, &["plot", "results/look", "--y", "nothing", "--out", "look.svg"]);
    assert_eq!(fs::read_to_string(bench.path("look.svg")).unwrap(), whole, "what was there before stays");
    bench.fails(3, &["plot", "results/look", "--out", "nowhere/look.svg"]);
    let left: Vec<_> = fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// The plots of a table with one swept key per column before `algorithm`.
fn drawn(csv: &str) -> Plots {
    plots(&Data::from_csv(csv.as_bytes()).unwrap(), &Wanted::default()).unwrap()
}

fn elements<'a>(element: &'a Element, found: &mut Vec<&'a Element>) {
    found.push(element);
    for child in &element.children {
        if let Child::Element(inner) = child {
            elements(inner, found);
        }
    }
}

/// All elements of `plots` with this class.
fn classed<'a>(plots: &'a Plots, class: &str) -> Vec<&'a Element> {
    let mut all = Vec::new();
    plots.panels.iter().for_each(|panel| elements(panel, &mut all));
    let is_of = |element: &&Element| {
        element.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    };
    all.into_iter().filter(is_of).collect()
}

#[test]
fn empty_values_leave_a_gap() {
    let rows = |third: &str| {
        format!(
            "scenario,k,algorithm,repetitions,measured_mean,measured_ci95\ns,1,x,2,5,1\ns,2,x,2,6,1\ns,3,x,2,{third},\ns,4,x,2,8,1\ns,5,x,2,9,1\n"
        )
    };
    let strokes = |third: &str| {
        let plots = drawn(&rows(third));
        let lines = classed(&plots, "line");
        assert_eq!(lines.len(), 1);
        (lines[0].attribute("d").unwrap().matches('M').count(), points(&plots.document()).len())
    };
    assert_eq!([strokes("7"), strokes("")], [(1, 5), (2, 4)]);
}

/// The lowest place of a path of `M` and `V` and `h`, in pixels from above.
fn heights(path: &str) -> Vec<f64> {
    let numbers = path.split(|c: char| c.is_ascii_alphabetic()).filter(|part| !part.is_empty());
    let last = |part: &str| part.rsplit(',').next().unwrap().parse().unwrap();
    let vertical = path.find('V').map(|at| path[at + 1..].split(|c: char| c.is_ascii_alphabetic()).next().unwrap());
    let upper = numbers.take(1).map(last);
    upper.chain(vertical.map(|v| v.parse().unwrap())).collect()
}

#[test]
fn error_bars_end_before_the_axis_and_have_no_cap_there() {
    let plots =
        drawn("scenario,k,algorithm,repetitions,measured_mean,measured_ci95\ns,1,x,2,100,30\ns,2,x,2,100,5000\n");
    let axis = classed(&plots, "axis")[0].attribute("d").unwrap().to_owned();
    let [top, bottom] = heights(&axis)[..] else { panic!("{axis}") };
    let bars: Vec<&str> = classed(&plots, "bar").iter().map(|bar| bar.attribute("d").unwrap()).collect();
    let inside = heights(bars[0]);
    assert!(inside.iter().all(|y| (top..bottom).contains(y)), "{bars:?} in {axis}");
    assert_eq!(heights(bars[1]), [bottom - 4.0, top + 4.0], "{bars:?} in {axis}");
    let caps = |bar: &str| bar.matches('h').count();
    assert_eq!([caps(bars[0]), caps(bars[1])], [2, 0]);
    // error bars do not squeeze the values: 100 is well above the middle of the axis
    let markers = classed(&plots, "mark");
    let d = markers[0].attribute("d").unwrap();
    let y: f64 = d[1..].split([',', 'm']).nth(1).unwrap().parse().unwrap();
    assert!(y < top.midpoint(bottom), "{d} in {axis}");
}

#[test]
fn scales_follow_from_the_values() {
    let scales = |rows: &str| {
        let plots = drawn(&format!("scenario,k,algorithm,repetitions,measured_mean\n{rows}"));
        let said = ["data-scale-x", "data-scale-y"].map(|name| plots.panels[0].attribute(name).unwrap().to_owned());
        said.join(" ")
    };
    assert_eq!(scales("s,1,x,1,1\ns,2,x,1,99\ns,3,x,1,50\n"), "linear linear");
    assert_eq!(scales("s,1,x,1,1\ns,2,x,1,100\ns,10,x,1,50\n"), "log log");
    assert_eq!(scales("s,0,x,1,0\ns,2,x,1,100\ns,100,x,1,50\n"), "linear linear");
    assert_eq!(scales("s,a,x,1,1\ns,b,x,1,2\n"), "names linear");
}

#[test]
fn more_panels_than_can_be_read_are_told() {
    let mut csv = "scenario,a,b,c,algorithm,repetitions,measured_mean\n".to_owned();
    for (a, b, c) in (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..9).map(move |c| (a, b, c)))) {
        csv += &format!("s,{a},{b},{c},x,1,{}\n", a + b + c + 1);
    }
    let plots = drawn(&csv);
    assert_eq!(plots.panels.len(), MOST_PANELS);
    assert!(plots.notes.iter().any(|note| note.contains("first 12 of 16 plots")), "{:?}", plots.notes);
    assert!(plots.document().contains("first 12 of 16 plots"));
    let ticks = |panel: &Element| {
        let mut all = Vec::new();
        elements(panel, &mut all);
        all.iter().find(|one| one.attribute("class") == Some("axis")).unwrap().attribute("d").unwrap().to_owned()
    };
    assert!(
        plots.panels.iter().all(|panel| ticks(panel) == ticks(&plots.panels[0])),
        "all panels have the same scales"
    );
}

/// Names at the ends of curves that end at nearly the same height are at least a line apart.
#[test]
fn names_do_not_overlap() {
    let mut csv = "scenario,k,algorithm,repetitions,measured_mean\n".to_owned();
    for (k, name) in (1..4).flat_map(|k| (0..12).map(move |name| (k, name))) {
        csv += &format!("s,{k},curve-{name},1,{}\n", 1000 + name);
    }
    let svg = drawn(&csv).document();
    let document = Document::parse(&svg).unwrap();
    let mut heights = Vec::new();
    for curve in with(document.root(), "data-curve") {
        let name = curve.descendants().find(|node| node.has_tag_name("text")).unwrap();
        assert_eq!(name.text().map(str::trim), curve.attribute("data-curve"));
        heights.push(name.attribute("y").unwrap().parse::<f64>().unwrap());
    }
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 12);
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 13.9), "{heights:?}");
}

/// Text of users is text in the picture and in the page, which builds the same elements; neither has what could run.
#[test]
fn the_tree_is_the_picture_and_holds_no_markup_of_users() {
    let evil = "</title><script>alert(1)</script>\"'&amp; style=x";
    let csv = format!(
        "scenario,k,algorithm,repetitions,measured_mean\ns,\"{0}\",a,1,5\ns,b,\"{0}\",1,6\n",
        evil.replace('"', "\"\"")
    );
    let plots = drawn(&csv);
    let svg = plots.document();
    let document = Document::parse(&svg).unwrap();
    let known = ["svg", "g", "path", "rect", "text", "title", "style"];
    assert!(document.descendants().filter(Node::is_element).all(|node| known.contains(&node.tag_name().name())));
    let attributes = || {
        document.descendants().flat_map(|node| node.attributes().map(|one| one.name().to_owned()).collect::<Vec<_>>())
    };
    assert!(attributes().all(|name| !name.starts_with("on") && !["style", "href", "src"].contains(&name.as_str())));
    assert!(points(&svg).iter().any(|[_, curve, ..]| curve == evil));
    let json = serde_json::to_value(&plots.panels[0]).unwrap();
    assert_eq!([&json[0], &json[1]["role"], &json[1]["data-x"]], ["svg", "img", "k"]);
    let elements_of_panel = {
        let mut all = Vec::new();
        elements(&plots.panels[0], &mut all);
        all.len()
    };
    assert_eq!(count(&json), elements_of_panel);
}

/// How many elements nested arrays stand for.
fn count(json: &serde_json::Value) -> usize {
    let children = json.as_array().unwrap().iter().skip(2);
    1 + children.filter(|child| child.is_array()).map(count).sum::<usize>()
}

fn luminance(colour: &str) -> f64 {
    let digits: String =
        if colour.len() == 3 { colour.chars().flat_map(|c| [c, c]).collect() } else { colour.to_owned() };
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

/// Curves and axes are at least 3 : 1, words 4.5 : 1, in light and in dark.
#[test]
fn colours_can_be_told_from_the_paper() {
    let svg = drawn("scenario,algorithm,repetitions,measured_mean\ns,x,1,5\n").document();
    let style = svg.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let (light, dark) = style.split_once("@media").unwrap();
    let mut seen = 0;
    for scheme in [light, dark] {
        let colours: Vec<(&str, &str)> = scheme
            .split('}')
            .filter_map(|rule| {
                let (selector, colour) = rule.rsplit_once('{').map(|(before, rule)| (before, rule.split_once('#')))?;
                Some((selector.trim(), colour?.1))
            })
            .collect();
        let paper = colours.iter().find(|(selector, _)| selector.ends_with(".paper")).unwrap().1;
        for (selector, colour) in
            colours.iter().filter(|(selector, _)| !selector.ends_with(".paper") && *selector != ".grid")
        {
            let [a, b] = [luminance(paper), luminance(colour)];
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            let least = if [".ink", ".muted"].contains(selector) { 4.5 } else { 3.0 };
            assert!(contrast >= least, "{selector} {colour} on {paper}: {contrast}");
            seen += 1;
        }
    }
    assert_eq!(seen, 38);
}

const TRAFFIC: &str = r#"
name = "load"
network.mesh.shape = [4, 4]
channel = { buffer = 4, virtual_channels = 4 }
router = { model = "pipelined" }
workload.traffic = { pattern = "transpose", rate = 0.1, packet_flits = 4, warmup = 200, measure = 800, drain = 100 }
[sweep]
"router.routing" = ["dimension-order", "o1turn"]
"workload.traffic.rate" = [0.05, 0.2, 0.9]
"#;

/// Routings are curves of one panel. Latencies above saturation are cut, and lower bounds are arrows.
#[test]
fn routings_are_curves_and_latency_is_cut_at_saturation() {
    let bench = Bench::new(TRAFFIC);
    bench.ok(&["run", "s.toml", "--quiet"]);
    let svg = bench.ok(&["plot", "results/load"]);
    let curves: BTreeSet<String> = points(&svg).into_iter().map(|[_, curve, ..]| curve).collect();
    assert_eq!(curves, BTreeSet::from(["dimension-order", "o1turn"].map(str::to_owned)));
    assert_eq!(svg.matches("data-panel").count(), 1);
    assert!(svg.contains(">Latency against injection rate<") && svg.contains(">latency (cycles)<"), "{svg}");
    assert!(svg.contains("about 4 times the zero-load latency: 2 points above, all lower bounds"), "{svg}");
    let whole = bench.ok(&["plot", "results/load", "--y-max", "100000"]);
    assert_eq!(whole.matches("data-bound=\"lower\"").count(), 2, "{whole}");
    assert!(whole.contains("arrows: lower bounds (packets still in flight at the end)"), "{whole}");
    let panels = bench.ok(&["plot", "results/load", "--by", "rate", "--x", "routing", "--title", "By rate"]);
    assert!(panels.contains(">By rate<") && panels.contains(">injection rate 0.05<"), "{panels}");
    let accepted = bench.ok(&["plot", "results/load", "--x", "accepted", "--log", "none"]);
    assert!(
        accepted.contains("data-x=\"accepted_mean\"") && accepted.contains(">accepted throughput (flits/node/cycle)<")
    );
}

/// Several runs are curves of one picture, called by their names, or by their directories where names are the same.
#[test]
fn runs_are_plotted_together() {
    let bench = swept();
    bench.ok(&["run", "s.toml", "--quiet", "-s", "name=other", "-s", "channel.flit_time=4"]);
    let curves = |svg: &str| points(svg).into_iter().map(|[_, curve, ..]| curve).collect::<BTreeSet<_>>();
    let svg = bench.ok(&["plot", "results/look", "results/other", "--where", "group == 8"]);
    let names = ["opt-mesh, look", "opt-mesh, other", "u-mesh, look", "u-mesh, other"];
    assert_eq!(curves(&svg), BTreeSet::from(names.map(str::to_owned)));
    let one = bench.ok(&["plot", "results/look", "results/other", "--where", "algorithm == 'u-mesh'", "--by", "run"]);
    assert_eq!(curves(&one), BTreeSet::from(["look", "other"].map(str::to_owned)));
    bench.ok(&["run", "s.toml", "--quiet", "-o", "again"]);
    let same = bench.ok(&["plot", "results/look", "again/look", "--by", "run", "--where", "algorithm == 'u-mesh'"]);
    assert_eq!(curves(&same), BTreeSet::from(["results/look", "again/look"].map(str::to_owned)));
    bench.ok(&["run", "s.toml", "--quiet", "-s", "name=timed", "-s", "tick=1ns"]);
    let refused = bench.fails(2, &["plot", "results/look", "results/timed"]);
    assert!(refused.contains("the length of a tick is not specified in look, but 1ns in timed"), "{refused}");
    let timed = bench.ok(&["plot", "results/timed"]);
    assert!(timed.contains(">completion time (µs)<"), "{timed}");
}

/// A picture has the format of its name, or is refused.
#[test]
fn the_extension_of_a_file_chooses_its_format() {
    let bench = swept();
    let first_bytes = |name: &str| fs::read(bench.path(name)).map(|bytes| bytes[..4].to_vec()).unwrap_or_default();
    for (name, magic) in [("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")] {
        for command in [vec!["plot", "results/look"], vec!["schedule", "s.toml", "-q"]] {
            let arguments = [command, vec!["-o", name]].concat();
            if cfg!(feature = "raster") {
                bench.ok(&arguments);
                assert_eq!(first_bytes(name), magic);
            } else {
                assert!(bench.fails(2, &arguments).contains("requires the feature `raster`"), "{arguments:?}");
                assert!(!bench.path(name).exists());
            }
        }
    }
    for arguments in [["plot", "results/look", "-o", "p.jpg"], ["plot", "results/look", "-o", "p"]] {
        assert!(bench.fails(2, &arguments).contains("ends with .svg, .png or .pdf"), "{arguments:?}");
    }
    bench.ok(&["schedule", "s.toml", "-q", "-o", "s.svg"]);
    assert_eq!(first_bytes("s.svg"), b"<svg");
    let refused = bench.fails(2, &["schedule", "s.toml", "--format", "csv", "-o", "s.svg"]);
    assert!(refused.contains("`s.svg` is the name of a picture"), "{refused}");
    let refused = bench.fails(2, &["schedule", "s.toml", "--format", "svg", "-o", "s.txt"]);
    assert!(refused.contains("ends with .svg, .png or .pdf"), "{refused}");
}

/// A picture of schedules has one repetition unless another is chosen.
#[test]
fn a_picture_has_one_repetition() {
    let bench = Bench::new(SWEEP.split("[sweep]").next().unwrap());
    let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "tree"]);
    assert!(svg.contains("repetition 0") && !svg.contains("repetition 1"), "{svg}");
    let other = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "tree", "--repetition", "3"]);
    assert!(other.contains("repetition 3") && !other.contains("repetition 0"), "{other}");
}
