//! Decision maps: each cell says who has the least of a value and by how much, and what cannot be read is refused.

use flitwise::figures::{DecisionPicture, MapError, decision_map};
use flitwise::scenario::{Options, Scenario};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Multicasts by the length of messages and the size of groups, at two overheads.
const MULTICASTS: &str = "name = \"tuned\"\nrepetitions = 4\n\
    [network.mesh]\nshape = [8, 8]\n[node]\nsend_setup = 20\nreceive_setup = 350\nsend_per_flit = 2\n\
    [workload.multicast]\nalgorithms = [\"opt-tree\", \"u-mesh\", \"sequential\"]\nflits = 8\ngroup = 8\n\
    [sweep]\n\"node.send_setup\" = [20, 2000]\n\"workload.multicast.group\" = [4, 8, 32]\n\
    \"workload.multicast.flits\" = [256, 1, 16, 4096]\n\
    [figure]\nstyle = \"map\"\nx = \"flits\"\ny = \"group\"\npanels = \"send_setup\"\n";

fn call(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The words of each cell of a map, with what it says to who points at it.
fn cells(svg: &str) -> Vec<(String, Vec<String>)> {
    let groups = svg.split("<g>").skip(1).map(|part| part.split("</g>").next().unwrap());
    let cell = |group: &str| {
        let tip = group.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
        let words = group.split("</text>").filter_map(|part| part.rsplit_once('>')).map(|(_, word)| word.trim());
        (tip.to_owned(), words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    };
    groups.map(cell).collect()
}

/// A table as maps from column to cell.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let rows = csv.deserialize().map(Result::unwrap);
    rows.collect()
}

/// What a cell should say of `ranking`, the best first: its name, and the margin or who is tied with it.
fn expected(ranking: &[(f64, String)]) -> Vec<String> {
    let tied: Vec<&(f64, String)> = ranking.iter().filter(|(value, _)| *value <= 1.005 * ranking[0].0).collect();
    let order = ["opt-tree", "u-mesh", "sequential"];
    let first = |skipped: usize| {
        let mut names = order.iter().filter(|name| tied.iter().any(|(_, tied)| tied == *name));
        (*names.nth(skipped).unwrap()).to_owned()
    };
    let percent = 100.0 * (ranking[1].0 / ranking[0].0 - 1.0);
    let second = match tied.len() {
        1 if percent < 9.95 => format!("+{percent:.1} %"),
        1 if percent < 900.0 => format!("+{percent:.0} %"),
        1 => format!("×{:.0}", 1.0 + percent / 100.0),
        2 => format!("= {}", first(1)),
        more => format!("= {} more", more - 1),
    };
    vec![first(0), second]
}

/// Every cell is what the summary says of its point, and so is the table of the map.
#[test]
fn cells_say_what_the_summary_gives() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.toml"), MULTICASTS).unwrap();
    let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
    assert!(said.ends_with("summary.csv, manifest.json, tuned.svg, tuned-map.csv\n"), "{said}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("results/tuned").join(name)).unwrap();
    let summary = table(&read("summary.csv"));
    let map = table(&read("tuned-map.csv"));
    let svg = read("tuned.svg");
    let cells = cells(&svg);
    assert_eq!((map.len(), summary.len()), (24, 72));
    let keys = ["node.send_setup", "workload.multicast.group", "workload.multicast.flits"];
    let mut shapes = BTreeMap::new();
    for line in &map {
        let here = summary.iter().filter(|row| keys.iter().all(|key| row[*key] == line[*key]));
        let ranked = here.map(|row| (row["measured_mean"].parse().unwrap(), row["algorithm"].clone()));
        let mut ranking: Vec<(f64, String)> = ranked.collect();
        ranking.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert_eq!([&line["winner"], &line["runner_up"]], [&ranking[0].1, &ranking[1].1], "{line:?}");
        assert_eq!(line["margin"], format!("{:.4}", ranking[1].0 / ranking[0].0 - 1.0));
        let [flits, group] = [keys[2], keys[1]].map(|key| line[key].replace("4096", "4,096"));
        let place = format!(
            "message length (flits): {flits}; group size (nodes): {group}; completion time (ticks): {} ",
            ranking[0].1
        );
        // the cells of both panels have such a place; the first one is that of the lower overhead
        let mut here = cells.iter().filter(|(tip, _)| tip.starts_with(&place[..place.len() - ranking[0].1.len() - 1]));
        let words = &here.nth(usize::from(line[keys[0]] == "2000")).unwrap().1;
        assert_eq!(*words, expected(&ranking), "{line:?}");
        *shapes.entry(words[1].starts_with('=')).or_insert(0) += 1;
    }
    assert_eq!(shapes.len(), 2, "there are clear winners, and ties: {shapes:?}");
    // numbers are in order along the axis, though they are swept in another one
    let at = |word: &str| svg.find(&format!(">{word}<")).unwrap();
    assert!(at("1") < at("16") && at("16") < at("256") && at("256") < at("4,096"));
    assert!(svg.contains(">send setup = 20 ticks<") && svg.contains(">send setup = 2,000 ticks<"), "{svg}");
    let clear = map.iter().filter(|line| line["winner"] == "opt-tree" && line["tied_with"].is_empty()).count();
    assert!(clear > 1 && svg.contains(&format!(">opt-tree: {clear} cells")), "{clear}: {svg}");
}

/// A change of the map draws it anew without a run; what no longer has a map loses its files.
#[test]
fn files_of_a_map_follow_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, MULTICASTS).unwrap();
    let results = folder.path().join("results/tuned");
    assert_eq!(call(folder.path(), &["run", "s.toml", "--quiet"]).0, Some(0));
    let before = std::fs::read_to_string(results.join("tuned-map.csv")).unwrap();
    std::fs::write(&path, format!("{MULTICASTS}value = \"predicted\"\ntolerance = 0\n")).unwrap();
    let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
    assert!(code == Some(0) && said.contains("tuned.svg was plotted again, no row has changed"), "{said}{error}");
    assert_ne!(std::fs::read_to_string(results.join("tuned-map.csv")).unwrap(), before);
    let (code, said, error) = call(folder.path(), &["run", "s.toml", "--force", "--set", "sweep={}"]);
    assert!(code == Some(0) && error.contains("no picture"), "{said}{error}");
    assert!(!results.join("tuned.svg").exists() && !results.join("tuned-map.csv").exists());
}

/// The page of figures has links to the map and to its winners.
#[test]
fn pages_link_maps() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/s.toml"), MULTICASTS).unwrap();
    let (code, said, error) = call(folder.path(), &["figures", "--scenarios", "mine", "--quiet"]);
    assert_eq!(code, Some(0), "{said}{error}");
    let page = std::fs::read_to_string(folder.path().join("results/mine/README.md")).unwrap();
    assert!(page.contains("`tuned` [csv](tuned.csv) [map](tuned.svg) [winners](tuned-map.csv)"), "{page}");
}

/// A table of two networks, two groups and three algorithms.
const TABLE: &str = "scenario,network.mesh.shape,workload.multicast.group,algorithm,time_mean,time_ci95\n\
    s,\"[2, 2]\",2,a,10,0\ns,\"[2, 2]\",2,b,10,0\ns,\"[2, 2]\",2,c,10,0\n\
    s,\"[2, 2]\",4,a,30,4\ns,\"[2, 2]\",4,b,24,3\ns,\"[2, 2]\",4,c,20,3\n\
    s,\"[4, 4]\",2,a,0,0\ns,\"[4, 4]\",2,b,7,0\ns,\"[4, 4]\",2,c,,\n\
    s,\"[4, 4]\",4,a,5,0\ns,\"[4, 4]\",4,b,60,0\ns,\"[4, 4]\",4,c,70,0\n";
const AXES: [&str; 3] = ["network.mesh.shape", "workload.multicast.group", "channel.buffer"];

/// The map of `text` that `figure` asks for.
fn drawn(figure: &str, text: &str) -> Result<DecisionPicture, String> {
    let x = if figure.contains("x = ") { "" } else { "x = \"workload.multicast.group\"\n" };
    let scenario = format!(
        "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\nalgorithms = [\"opt-tree\", \"chain\"]\n\
         flits = 1\ngroup = 4\n[figure]\nstyle = \"map\"\n{x}\
         y = \"network.mesh.shape\"\nvalue = \"time_mean\"\n{figure}\n"
    );
    // with something set, columns are not held against those that the scenario really has
    let options = Options { set: vec!["seed=1".to_owned()], ..Options::default() };
    let figure = Scenario::parse("s.toml", &scenario, Path::new(""), &options).unwrap().figure.unwrap();
    decision_map(figure.map.as_ref().unwrap(), &figure, text, &AXES).map_err(|error| match error {
        MapError::Wrong(wrong) => wrong.message,
        error => error.to_string(),
    })
}

fn words(figure: &str, text: &str) -> Vec<String> {
    // the samples of stripes in the legend have no words
    cells(&drawn(figure, text).unwrap().svg).into_iter().map(|(_, words)| words.join(" ")).collect()
}

#[test]
fn ties_zeros_and_missing_values_have_words_of_their_own() {
    // from top to bottom: the second shape is above the first
    assert_eq!(words("", TABLE), ["a ×∞", "a ×12", "a = 2 more", "c +20 %"]);
    assert_eq!(words("spread = \"time_ci95\"", TABLE), ["a ×∞", "a ×12", "a = 2 more", "b = c"]);
    assert_eq!(words("tolerance = 0.2", TABLE), ["a ×∞", "a ×12", "a = 2 more", "b = c"]);
    assert_eq!(words("legend = [\"one\", \"two\", \"three\"]", TABLE)[3], "three +20 %");
    let only =
        words("filter = \"algorithm != 'b' and (workload.multicast.group == 4 or network.mesh.shape.0 == 4)\"", TABLE);
    assert_eq!(only, ["a alone", "a ×14", "", "c +50 %"], "the cell without a point has no words");
    let csv = drawn("", TABLE).unwrap().csv;
    let expected = "network.mesh.shape,workload.multicast.group,winner,value,runner_up,runner_up_value,margin,tied_with\n\
                    \"[2, 2]\",2,a,10,b,10,0.0000,b; c\n\"[2, 2]\",4,c,20,b,24,0.2000,\n\
                    \"[4, 4]\",2,a,0,b,7,inf,\n\"[4, 4]\",4,a,5,b,60,11.0000,\n";
    assert_eq!(csv, expected);
}

/// With `by`, values of a swept key compete in place of algorithms.
#[test]
fn swept_keys_compete() {
    let text = TABLE.replace("workload.multicast.group", "channel.buffer");
    let named = "by = [\"channel.buffer\"]\nonly = \"algorithm == 'a'\"\nx = \"algorithm\"";
    assert_eq!(words(named, &text), ["buffer size 2 ×∞", "buffer size 2 +200 %"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let cases = [
        (
            TABLE.replace(",60,", ",-60,"),
            "a map requires values of at least 0, but b, shape = [4, 4], group = 4 has -60",
        ),
        (
            TABLE.replace("\"[4, 4]\",4,b", "\"[4, 4]\",4,a"),
            "a cell of the map has more than one point: group size = 4, shape = 4×4",
        ),
        (
            TABLE.replace("\"[4, 4]\",2", "\"[4, 4]\",4"),
            "a cell of the map has more than one point: group size = 4, shape = 4×4",
        ),
        (TABLE.replace("\"[4, 4]\",4", "\"[8, 8]\",4"), "a cell of the map has no point: group size = 4, shape = 4×4"),
        (TABLE.lines().take(1).collect(), "the map has no points"),
    ];
    for (text, message) in cases {
        assert_eq!(drawn("", &text).map(|picture| picture.csv), Err(message.to_owned()), "{text}");
    }
}
