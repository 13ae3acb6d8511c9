//! What runs leave and others read again: journals, plans of shards, hops, manifests, rows and summaries.

use super::Target;
use super::folder::with_files;
use flitwise::compare::{Comparison, Keys, Rows, Run};
use flitwise::digest::Digest;
use flitwise::draw::auto::{Data, Wanted, plots};
use flitwise::figures::{decision_map, judge, plot};
use flitwise::output::{Folder, Labels, Manifest, RowFiles, SummaryCsv, read_rows, summarise, table};
use flitwise::run::{Selector, rows, selected};
use flitwise::scenario::{Options, Scenario};
use flitwise::sweep::{
    Beginning, Contents, DetailFiles, Entry, HopFile, HopParts, PLAN, Plan, Shard, Store, assemble, decode, encode,
    gather, record,
};
use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "journal",
        reads: "journals of sweeps: `--resume`, `merge`, `status`",
        longest: 2048,
        seeds: &[
            "\nbegan\ndone 0\ndone 1\ndone 2\ndone 3\n",
            "\nbegan\n{\"failed\":\"x\"}\n{\"ended\":{\"jobs\":1,\"seconds\":0.5}}\n",
        ],
        made: || Known::get().done.iter().map(|line| line[36..line.len() - 2].to_vec()).collect(),
        run: journal,
    },
    Target {
        name: "plan",
        reads: "`plan.json` of shards: `merge`, `status`, `submit`",
        longest: 4096,
        seeds: &[],
        made: || vec![serde_json::to_vec(&Known::get().plan).unwrap()],
        run: plan,
    },
    Target {
        name: "hops",
        reads: "hops of units, which become `hops.csv`",
        longest: 512,
        seeds: &[],
        made: || Known::get().hops.clone(),
        run: hops,
    },
    Target {
        name: "manifest",
        reads: "`manifest.json` of runs: `compare`, `show`, `report`, `plot`",
        longest: 4096,
        seeds: &[],
        made: || vec![Known::get().manifest.clone()],
        run: manifest,
    },
    Target {
        name: "rows",
        reads: "`rows.csv` of runs: `compare`, `show`, `report`; selectors of rows",
        longest: 1024,
        seeds: &[],
        made: || vec![Known::get().rows.clone().into_bytes()],
        run: read_again,
    },
    Target {
        name: "summary",
        reads: "`summary.csv` of runs: `plot`, `figures`, claims and decision maps",
        longest: 1024,
        seeds: &["results/examples/multicast-choice.csv", "results/examples/multicast-routers.csv"],
        made: || vec![Known::get().summary.clone()],
        run: summary,
    },
];

/// A finished sweep that all of this is about: two points, two algorithms.
const SCENARIO: &str = "name = \"base\"\nnetwork.mesh.shape = [4, 4]\n\
    workload.multicast = { algorithms = [\"chain\", \"u-mesh\"], flits = 8, group = 4 }\nsweep.seed = [1, 2]\n\
    [figure]\nsource = \"s\"\nx = \"seed\"\ny = \"measured_mean\"\nx_label = \"x\"\ny_label = \"y\"\n\
    [[claim]]\nsays = \"s\"\nvalue = \"measured_mean\"\nprinted = [1, 2, 3, 4]\ntolerance = 0.5\n\
    [[claim]]\nsays = \"s\"\nholds = \"chain.measured_mean >= u_mesh.measured_mean\"\n\
    [[claim]]\nsays = \"s\"\nvalue = \"chain.measured_mean\"\ncourse = \"rises\"\nalong = \"seed\"\n";

/// The same, drawn as a map of who is best.
const MAP: &str = "name = \"base\"\nnetwork.mesh.shape = [4, 4]\n\
    workload.multicast = { algorithms = [\"chain\", \"u-mesh\"], flits = 8 }\n\
    sweep = { seed = [1, 2], \"workload.multicast.group\" = [4, 8] }\nfigure = { style = \"map\", x = \"seed\", y = \"group\" }\n";

/// Bytes of the digest at the end of what a unit wrote of hops.
const DIGEST: usize = 16;

/// What is known of the sweep.
struct Known {
    scenario: Scenario,
    map: Scenario,
    plan: Plan,
    /// The first line of its journal, and one for each unit.
    began: Vec<u8>,
    done: Vec<Vec<u8>>,
    /// What its units wrote of hops, without its digest.
    hops: Vec<Vec<u8>>,
    manifest: Vec<u8>,
    rows: String,
    summary: Vec<u8>,
}

static KNOWN: OnceLock<Known> = OnceLock::new();

impl Known {
    fn get() -> &'static Self {
        KNOWN.get_or_init(Self::new)
    }

    fn new() -> Self {
        let scenario: Scenario = SCENARIO.parse().unwrap();
        let plan = Plan::new(&scenario, DetailFiles { hops: true, ..DetailFiles::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let parts = HopParts::new(folder.path());
        let line = |(at, unit)| {
            let record =
                record(&scenario, unit, DetailFiles::default(), Some(HopFile { parts: &parts, unit: at })).unwrap();
            encode(&Entry::Done(Cow::Owned(record))).unwrap()
        };
        let done = plan.units.iter().enumerate().map(line).collect();
        let of_unit = |unit: usize| {
            let mut hops = std::fs::read(folder.path().join(".hops").join(unit.to_string())).unwrap();
            hops.truncate(hops.len() - DIGEST);
            hops
        };
        let beginning = Beginning {
            shard: Shard::WHOLE,
            units: plan.units.len(),
            rows: plan.rows(),
            identity: plan.identity.clone(),
        };
        let mut measured: Vec<_> = rows(&scenario).collect::<Result<_, _>>().unwrap();
        let summaries = summarise(&scenario, measured.iter().cloned().map(Ok::<_, ()>)).unwrap();
        let files = RowFiles::new(&scenario, DetailFiles::default());
        let texts = files.headers().unwrap().into_iter().chain(files.lines(&mut measured).unwrap());
        Self {
            map: MAP.parse().unwrap(),
            began: encode(&Entry::Began(beginning)).unwrap(),
            done,
            hops: (0..plan.units.len()).map(of_unit).collect(),
            manifest: serde_json::to_vec(&Manifest::new(&scenario).unwrap()).unwrap(),
            rows: texts.filter(|text| text.file == "rows.csv").map(|text| text.text).collect(),
            summary: SummaryCsv::write(&Labels::new(&scenario), &summaries, Vec::new()).unwrap(),
            plan,
            scenario,
        }
    }

    /// A whole journal.
    fn journal(&self) -> Vec<u8> {
        [self.began.clone(), self.done.concat()].concat()
    }
}

/// What `line` of an input says in a journal: `began` and `done 0` are lines of a real one, JSON is given its check.
fn line_of_journal(line: &[u8]) -> Vec<u8> {
    let known = Known::get();
    if line == b"began" {
        return known.began.clone();
    }
    let unit = line.strip_prefix(b"done ").and_then(|unit| std::str::from_utf8(unit).ok()?.parse::<usize>().ok());
    if let Some(done) = unit.and_then(|unit| known.done.get(unit)) {
        return done.clone();
    }
    if !line.starts_with(b"{") || line.starts_with(b"{\"check\"") {
        return [line, b"\n"].concat();
    }
    under_check(line)
}

/// A line that says `json` under its check.
fn under_check(json: &[u8]) -> Vec<u8> {
    let check = Digest::from_bytes(json).first_half();
    [format!("{{\"check\":\"{check:016x}\",\"entry\":").as_bytes(), json, b"}\n"].concat()
}

fn journal(bytes: &[u8]) {
    let known = Known::get();
    let ends = bytes.ends_with(b"\n");
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n');
    let mut text: Vec<u8> = lines.flat_map(line_of_journal).collect();
    if !ends {
        text.pop(); // the last line is torn
    }
    for line in text.split(|&byte| byte == b'\n') {
        said_again(line);
    }
    let name = Shard::WHOLE.journal();
    with_files(&[(&name, &text)], |folder| {
        let contents = Contents::read(&folder.join(&name)).unwrap();
        assert!(contents.length <= text.len() as u64);
        let lines = super::lines(&text);
        contents
            .damage
            .iter()
            .for_each(|damage| assert!(damage.line.is_none_or(|line| (1..=lines).contains(&line)), "{damage}"));
        let _ = contents.rows();
        joined(folder, &known.plan);
    });
}

/// What passes says the same when it is written again.
fn said_again(line: &[u8]) {
    let Some((entry, _)) = decode::<Entry<'_>>(line) else { return };
    let again = encode(&entry).unwrap();
    let (other, _) = decode::<Entry<'_>>(&again[..again.len() - 1]).unwrap();
    assert_eq!(format!("{entry:?}"), format!("{other:?}"));
}

/// Puts together what the journals in `folder` have, if they have all.
fn joined(folder: &Path, plan: &Plan) {
    let Ok(mut store) = Store::to_read(folder, plan) else { return };
    for unit in store.missing() {
        assert!(!plan.in_words(&plan.units[unit]).is_empty());
    }
    if store.missing().is_empty() {
        let _ = gather(plan, &mut store, |_, _| Ok(()));
    }
}

fn plan(bytes: &[u8]) {
    let known = Known::get();
    let name = Shard::WHOLE.journal();
    with_files(&[(PLAN, &under_check(bytes)), (&name, &known.journal())], |folder| {
        let Ok(plan) = Plan::read(folder) else { return };
        let _ = (plan.rows(), plan.keeps_hops(), Shard::WHOLE.share(&plan.units));
        joined(folder, &plan);
        plan.write(folder).unwrap();
        let again = Plan::read(folder).unwrap();
        assert_eq!(serde_json::to_value(&plan).unwrap(), serde_json::to_value(&again).unwrap());
    });
}

fn hops(bytes: &[u8]) {
    let known = Known::get();
    let name = Shard::WHOLE.journal();
    with_files(&[(&name, &known.journal())], |folder| {
        let parts = folder.join(".hops");
        std::fs::create_dir_all(&parts).unwrap();
        for (unit, whole) in known.hops.iter().enumerate() {
            let hops = if unit == 0 { bytes } else { whole };
            std::fs::write(parts.join(unit.to_string()), [hops, &Digest::from_bytes(hops).to_bytes()].concat())
                .unwrap();
        }
        let mut store = Store::to_read(folder, &known.plan).unwrap();
        let _ = assemble(&known.plan, &mut store, &Folder::open(&folder.join("out")).unwrap());
    });
}

fn manifest(bytes: &[u8]) {
    let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    let Some(keys) = Keys::from_manifest(&manifest) else { return };
    let known = Known::get();
    let own = serde_json::from_slice(&known.manifest).unwrap();
    let of = |keys| Run { keys, rows: Rows::from_csv(known.rows.as_bytes()).unwrap() };
    compared(&of(keys), &of(Keys::from_manifest(&own).unwrap()));
}

/// Two runs, each way.
fn compared(a: &Run, b: &Run) {
    for (a, b) in [(a, b), (b, a)] {
        if let Ok(comparison) = Comparison::new(a, b, &[]) {
            assert!(!comparison.text(80).is_empty() && !comparison.csv().unwrap().is_empty());
        }
    }
}

/// Rows as they are compared and as they are shown, and one of them that is asked for.
fn read_again(bytes: &[u8]) {
    let known = Known::get();
    if let Ok(rows) = Rows::from_csv(bytes) {
        let keys = || Keys::from_manifest(&serde_json::from_slice(&known.manifest).unwrap()).unwrap();
        let own = Rows::from_csv(known.rows.as_bytes()).unwrap();
        compared(&Run { keys: keys(), rows }, &Run { keys: keys(), rows: own });
    }
    if let Ok(summaries) = read_rows(&known.scenario, bytes) {
        assert!(!table(&known.scenario, &summaries, Some(80)).is_empty());
    }
    let line = bytes.split(|&byte| byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
    if let Some(Ok(selector)) = line.map(|line| Selector::parse(line, &known.scenario)) {
        let _ = selected(&known.scenario, &[selector]);
    }
}

/// A summary as it is drawn without being asked, and for the figure, the map and the claims of a scenario.
fn summary(bytes: &[u8]) {
    if let Ok(data) = Data::from_csv(bytes)
        && let Ok(plots) = plots(&data, &Wanted::default())
    {
        assert!(!plots.document().contains("NaN"));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let known = Known::get();
    for scenario in [&known.scenario, &known.map] {
        let axes: Vec<&str> = scenario.axes.iter().map(|axis| axis.key.as_str()).collect();
        let figure = scenario.figure.as_ref().unwrap();
        let _ = judge(figure, &[(None, text.to_owned())], &axes);
        if let Some(Ok(svg)) = figure.plot.as_ref().map(|wanted| plot(wanted, figure, text, &axes)) {
            assert!(!svg.contains("NaN"));
        }
        if let Some(map) = &figure.map {
            let _ = decision_map(map, figure, text, &axes);
        }
    }
    let _ = Scenario::parse("s.toml", text, Path::new(""), &Options { any_figure: true, ..Options::default() });
}
