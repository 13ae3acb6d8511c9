//! Figures: verdicts follow from tables, committed results are what runs give, and what cannot be judged is refused.

use flitwise::figures::{
    Cover, DecisionPicture, Entry, Judgement, Verdict, compute, decision_map, diagrams, file_name, judge, map_name,
    page, plot,
};
use flitwise::scenario::{Options, Scenario, Tick, TickLength};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A scenario of which `claim` says something; its table is not what is computed, but what a test says.
fn claiming(claim: &str) -> Scenario {
    claiming_and_drawing(claim, "")
}

/// The same with more lines in `[figure]`.
fn claiming_and_drawing(claim: &str, figure: &str) -> Scenario {
    let text = format!(
        "name = \"s\"\n[workload.multicast]\nalgorithms = [\"opt-tree\", \"chain\"]\nflits = 1\ngroup = 4\n\
         [model.logp]\nL = 1\no = 1\ng = 1\n[sweep]\n\"workload.multicast.group\" = [2, 4, 8]\n\
         [figure]\nsource = \"a table\"\n{figure}[[claim]]\nsays = \"it\"\n{claim}\n"
    );
    // with something set, claims are not held against the columns that the scenario really has
    let options = Options { set: vec!["seed=1".to_owned()], ..Options::default() };
    Scenario::parse("s.toml", &text, Path::new(""), &options).unwrap()
}

const AXES: [&str; 1] = ["workload.multicast.group"];
const TABLE: &str = "scenario,workload.multicast.group,algorithm,time_mean,time_ci95\n\
                     s,2,opt-tree,10,1\ns,2,chain,10,1\ns,4,opt-tree,20,1\ns,4,chain,30,1\n\
                     s,8,opt-tree,30,1\ns,8,chain,25,1\n";

/// What becomes of `claim` about [`TABLE`], or why it cannot be judged.
fn judged(claim: &str) -> Result<Judgement, String> {
    let figure = claiming(claim).figure.unwrap();
    let judged = judge(&figure, &[(None, TABLE.to_owned())], &AXES);
    judged.map(|mut all| all.remove(0)).map_err(|wrong| wrong.message)
}

#[test]
fn verdicts_follow_from_tables() {
    use Verdict::{Fails, Holds, Irreproducible};
    let cases = [
        ("holds = \"opt_tree.time_mean <= chain.time_mean\"", Fails, "holds at 2 of 3 points; fails at group = 8"),
        (
            "holds = \"opt_tree.time_mean <= chain.time_mean\"\nonly = \"workload.multicast.group < 8\"",
            Holds,
            "holds at all 2 points",
        ),
        ("holds = \"time_mean >= 10\"\nshow = \"log2(time_mean / 10)\"", Holds, "0 to 1.58; holds at all 6 points"),
        ("value = \"opt_tree.time_mean\"\nprinted = [10, 20, 30]", Holds, "10, 20, 30; 3 of 3 agree"),
        (
            "value = \"opt_tree.time_mean\"\nprinted = [10, 20, 33]",
            Fails,
            "10, 20, 30; 2 of 3 agree; largest deviation: 30 for 33 at group = 8",
        ),
        (
            "value = \"opt_tree.time_mean\"\nprinted = [10, 20, 33]\ntolerance = 0.1",
            Holds,
            "10, 20, 30; 3 of 3 agree; largest deviation: 30 for 33 at group = 8",
        ),
        (
            "value = \"chain.time_mean\"\nprinted = [10, 30, 27]\nspread = \"chain.time_ci95\"",
            Holds,
            "10 ± 1, 30 ± 1, 25 ± 1; 3 of 3 agree; largest deviation: 25 ± 1 for 27 at group = 8",
        ),
        (
            "value = \"time_mean\"\nprinted = [10, 10, 20]\nonly = \"time_mean <= 20\"",
            Holds,
            "10, 10, 20; 3 of 3 agree",
        ),
        ("value = \"time_ci95\"\nprinted = 1", Holds, "1; 6 of 6 agree"),
        ("value = \"algorithm\"\nprinted = \"chain\"\nonly = \"time_mean == 25\"", Holds, "chain"),
        ("value = \"algorithm\"\nprinted = \"chain\"\nonly = \"time_mean == 20\"", Fails, "opt-tree"),
        (
            "value = \"time_mean\"\nalong = \"workload.multicast.group\"\ncourse = \"rises\"",
            Fails,
            "rises in 1 of 2 curves, deviation at most 16.67 %; fails at chain",
        ),
        (
            "value = \"opt_tree.time_mean\"\nalong = \"workload.multicast.group\"\ncourse = \"rises\"",
            Holds,
            "10 to 30; rises in 1 of 1 curve",
        ),
        (
            "value = \"opt_tree.time_mean\"\nalong = \"workload.multicast.group\"\ncourse = \"linear\"\ntolerance = 0.1",
            Holds,
            "10 to 30; linear in 1 of 1 curve, deviation at most 7.14 %",
        ),
        (
            "value = \"opt_tree.time_mean\"\nalong = \"workload.multicast.group\"\ncourse = \"linear\"",
            Fails,
            "10 to 30; linear in 0 of 1 curve, deviation at most 7.14 %",
        ),
        (
            "value = \"time_mean\"\nprinted = \"ten\"\nonly = \"time_mean == 10\"",
            Fails,
            "10; 0 of 2 agree; differs at opt-tree, group = 2",
        ),
        ("irreproducible = \"it is lost\"", Irreproducible, "it is lost"),
    ];
    for (claim, verdict, measured) in cases {
        let expected = Judgement { verdict, measured: measured.to_owned() };
        assert_eq!(judged(claim), Ok(expected), "{claim}");
    }
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let cases = [
        (
            "holds = \"opt_tree.tim_mean <= 3\"",
            "`opt_tree.tim_mean` is not set here, and a condition does not see default values",
        ),
        ("value = \"time_mean\"\nprinted = [10, 20]", "the claim prints 2 values, but selects 6 rows"),
        ("holds = \"time_mean > 0\"\nonly = \"time_mean > 99\"", "the claim selects no row of its table"),
        ("value = \"time_mean\"\nalong = \"flits\"\ncourse = \"falls\"", "`flits` is not a swept key"),
    ];
    for (claim, message) in cases {
        assert_eq!(judged(claim), Err(message.to_owned()), "{claim}");
    }
}

/// The words of the picture that `figure` draws of [`TABLE`], in their order; or why there is none.
fn drawn(figure: &str) -> Result<String, String> {
    let claim = "irreproducible = \"it is lost\"";
    let text = format!("x_label = \"along\"\ny_label = \"up\"\n{figure}\n");
    let scenario = claiming_and_drawing(claim, &text);
    let figure = scenario.figure.unwrap();
    let plotted = plot(figure.plot.as_ref().unwrap(), &figure, TABLE, &AXES);
    let svg = plotted.map_err(|error| error.to_string())?;
    let words = svg.split("</text>").filter_map(|part| part.rsplit('>').next());
    Ok(words.map(str::trim).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[test]
fn pictures_say_what_is_drawn() {
    let group = "workload.multicast.group";
    let cases = [
        (
            format!("x = \"{group}\"\ny = \"time_mean\""),
            "Up against along a table up along 0 5 10 15 20 25 30 2 4 8 opt-tree chain",
        ),
        (
            format!("x = \"{group}\"\ny = \"opt_tree.time_mean / chain.time_mean\""),
            "Up against along a table up along 0 0.2 0.4 0.6 0.8 1 1.2 2 4 8",
        ),
        (
            // each row beside the others of its point
            format!("x = \"{group}\"\ny = \"time_mean / chain.time_mean\"\nonly = \"algorithm != 'chain'\""),
            "Up against along a table up along 0 0.2 0.4 0.6 0.8 1 1.2 2 4 8",
        ),
        (
            "x = \"algorithm\"\ny = \"time_mean\"\nspread = \"time_ci95\"".to_owned(),
            "Up against along a table up along 0 5 10 15 20 25 30 opt-tree chain group size 2 group size 4 group size 8",
        ),
        (
            format!("x = \"time_mean\"\ny = \"time_ci95\"\nstyle = \"points\"\nby = [\"{group}\"]"),
            "Up against along a table up along 0 0.2 0.4 0.6 0.8 1 10 20 25 30 group size 2 group size 4 group size 8",
        ),
        (
            format!("x = \"{group}\"\ny = \"time_mean\"\nlog = \"both\"\nonly = \"algorithm == 'chain'\""),
            "Up against along a table up along 10 20 30 2 4 8",
        ),
    ];
    for (figure, expected) in cases {
        let mut words: Vec<String> = drawn(&figure).unwrap().split(' ').map(str::to_owned).collect();
        let mut expected: Vec<String> = expected.split(' ').map(str::to_owned).collect();
        words.sort();
        expected.sort();
        assert_eq!(words, expected, "{figure}");
    }
    let joined = |style: &str| {
        let text = format!("x = \"{group}\"\ny = \"time_mean\"\nx_label = \"\"\ny_label = \"\"\nstyle = \"{style}\"\n");
        let figure = claiming_and_drawing("irreproducible = \"\"", &text).figure.unwrap();
        plot(figure.plot.as_ref().unwrap(), &figure, TABLE, &AXES).unwrap().matches(" line\"").count()
    };
    assert!(joined("lines") > joined("points"));
}

/// Values that a claim prints and draws are strokes around the markers of its rows: one for each, and one in the legend.
#[test]
fn printed_values_are_drawn_beside_those_of_the_table() {
    let claim = |draw: &str| format!("value = \"opt_tree.time_mean\"\nprinted = [11, 19, 100]\n{draw}");
    let plotted = |x: &str, draw: &str| {
        let text = format!("x = \"{x}\"\ny = \"time_mean\"\nx_label = \"\"\ny_label = \"\"\n");
        let figure = claiming_and_drawing(&claim(draw), &text).figure.unwrap();
        plot(figure.plot.as_ref().unwrap(), &figure, TABLE, &AXES).unwrap()
    };
    let strokes = |svg: &str| svg.matches("m-12,0h7m10,0h7").count();
    let (with, without) = (plotted(AXES[0], "draw = \"as printed\""), plotted(AXES[0], ""));
    assert!(with.contains("as printed") && !without.contains("as printed"));
    assert_eq!((strokes(&with), strokes(&without)), (4, 0), "{with}");
    assert!(with.contains(">100</text>") && !without.contains(">100</text>"), "the axis takes what is printed");
}

/// A picture has its title above its source; curves are called as `legend` says; a line of reference is in the legend.
#[test]
fn titles_and_legends_are_in_words() {
    let axes = format!("x = \"{}\"\ny = \"time_mean\"\n", AXES[0]);
    let words = drawn(&format!(
        "title = \"What is seen\"\nlegend = [\"one tree\", \"a chain\"]\nline = 50\nline_label = \"too late\"\n{axes}"
    ))
    .unwrap();
    assert!(words.starts_with("What is seen a table "), "{words}");
    assert!(words.ends_with("one tree a chain too late") && words.contains(" 50 "), "{words}");
    let refused = drawn(&format!("legend = [\"one\"]\n{axes}"));
    assert_eq!(refused, Err("`legend` has 1 name for 2 curves: opt-tree; chain".to_owned()));
}

/// An axis that is said to be in ticks is in a unit of time, if the scenario says how long a tick is.
#[test]
fn ticks_are_shown_as_times() {
    let axes = format!(
        "x = \"{}\"\ny = \"time_mean\"\nspread = \"time_ci95\"\nx_label = \"nodes\"\ny_label = \"completion, ticks\"\n\
         line = 10\nline_label = \"ten\"\n",
        AXES[0]
    );
    let mut figure = claiming_and_drawing("irreproducible = \"it is lost\"", &axes).figure.unwrap();
    let in_ticks = plot(figure.plot.as_ref().unwrap(), &figure, TABLE, &AXES).unwrap();
    assert!(in_ticks.contains(">completion (ticks)<"), "{in_ticks}");
    figure.plot.as_mut().unwrap().ticks = TickLength::Time(Tick::parse("100us").unwrap());
    let in_time = plot(figure.plot.as_ref().unwrap(), &figure, TABLE, &AXES).unwrap();
    assert!(in_time.contains(">completion (ms)<") && in_time.contains(">2.5<"), "{in_time}");
    assert!(in_time.contains("<title>chain; nodes: 4; completion: 3 ± 0.1 ms</title>"), "{in_time}");
    // how far up the line of reference is
    let up_to = |svg: &str| {
        let before = svg.split(" data-line=").next().unwrap();
        let path = before.rsplit("d=\"M").next().unwrap();
        path.split([',', 'H']).nth(1).unwrap().to_owned()
    };
    assert_eq!(up_to(&in_ticks), up_to(&in_time), "the line of reference is in the same unit");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let cases = [
        (
            "x = \"algorithm\"\ny = \"time_mean\"\nlog = \"x\"",
            "the values along the x axis are not numbers, so the axis cannot be logarithmic",
        ),
        (
            "x = \"algorithm\"\ny = \"time_mean\"\nstyle = \"lines\"",
            "the values along the x axis are not numbers, so lines between points have no meaning",
        ),
        ("x = \"time_mean\"\ny = \"algorithm\"", "a number is needed, not a string"),
        ("x = \"time_mean\"\ny = \"time_mean\"\nonly = \"time_mean > 99\"", "the plot has no points"),
        ("x = \"time_mean\"\ny = \"0 - time_mean\"\nlog = \"y\"", "the plot has no points"),
    ];
    for (figure, message) in cases {
        assert_eq!(drawn(figure), Err(message.to_owned()), "{figure}");
    }
}

#[test]
fn a_page_shows_what_was_judged() {
    let scenario = claiming("value = \"opt_tree.time_mean\"\nprinted = [10, 20, 33]\nnote = \"a|b\"");
    let figure = scenario.figure.unwrap();
    let judgements = judge(&figure, &[(None, TABLE.to_owned())], &AXES).unwrap();
    let entries = [Entry { id: "s".to_owned(), figure, judgements, files: vec!["s.csv".to_owned()] }];
    for (cover, link) in [(Cover::papers(), "paper/s.csv"), (Cover::scenarios("mine", "of/mine"), "s.csv")] {
        let text = page(&cover, &entries);
        assert!(text.contains("| fails | 1 |") && text.contains("| holds | 0 |"), "{text}");
        let row = format!(
            "| `s` [csv]({link}) | a table | it | 10, 20, 30; 2 of 3 agree; largest deviation: 30 for 33 at group = 8 | \
             **fails** | a\\|b |"
        );
        assert!(text.contains(&row), "{text}");
    }
}

/// The scenarios in `scenarios/FOLDER` that are figures.
fn figures(folder: &str) -> Vec<Scenario> {
    let folder = std::fs::read_dir(root().join("scenarios").join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let scenarios = paths.iter().map(|path| Scenario::load(path, &Options::default()).unwrap());
    scenarios.filter(|scenario| scenario.figure.is_some()).collect()
}

fn committed(name: &str) -> String {
    committed_in("paper", name)
}

fn committed_in(folder: &str, name: &str) -> String {
    std::fs::read_to_string(root().join("results").join(folder).join(name)).unwrap()
}

/// What the committed tables of `scenarios/FOLDER` give, after a comparison of the committed pictures.
fn entries(folder: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for scenario in figures(folder) {
        let figure = scenario.figure.clone().unwrap();
        let axes: Vec<&str> = scenario.axes.iter().map(|axis| axis.column.as_str()).collect();
        let tables = std::iter::once(None).chain(figure.tables.iter().copied().map(Some));
        let read = |table| (table, committed_in(folder, &file_name(&scenario.name, table)));
        let files: Vec<_> = tables.map(read).collect();
        let judgements = judge(&figure, &files, &axes).unwrap();
        for (claim, judgement) in figure.claims.iter().zip(&judgements) {
            let fails = judgement.verdict == Verdict::Fails;
            assert!(!fails || claim.note.is_some(), "{}: {} fails and nothing says why", scenario.name, claim.says);
            assert_eq!(fails, claim.fails, "{}: {} is not what is expected", scenario.name, claim.says);
        }
        let mut names: Vec<String> = files.iter().map(|(table, _)| file_name(&scenario.name, *table)).collect();
        if let Some(drawn) = &figure.plot {
            let name = format!("{}.svg", scenario.name);
            let svg = plot(drawn, &figure, &files[0].1, &axes).unwrap();
            assert!(svg == committed_in(folder, &name), "{name} is not what its table gives");
            names.push(name);
        }
        if let Some(map) = &figure.map {
            let DecisionPicture { svg, csv } = decision_map(map, &figure, &files[0].1, &axes).unwrap();
            for (name, text) in [(format!("{}.svg", scenario.name), svg), (map_name(&scenario.name), csv)] {
                assert!(text == committed_in(folder, &name), "{name} is not what its table gives");
                names.push(name);
            }
        }
        if let Some(svg) = diagrams(&scenario).unwrap() {
            let name = format!("{}.svg", scenario.name);
            assert!(svg == committed_in(folder, &name), "{name} is not what the scenario plans");
            names.push(name);
        }
        entries.push(Entry { id: scenario.name.clone(), figure, judgements, files: names });
    }
    entries
}

/// Nothing on the committed page is typed: tables and claims give every byte, tables plots and plans diagrams.
#[test]
fn the_committed_page_and_pictures_follow_from_tables_and_plans() {
    let entries = entries("paper");
    assert_eq!(entries.len(), 56);
    let readme = std::fs::read_to_string(root().join("results/README.md")).unwrap();
    assert!(
        page(&Cover::papers(), &entries) == readme,
        "results/README.md is not what the tables give; `flitwise figures --no-run` mints it"
    );
}

#[test]
fn the_committed_page_and_pictures_of_examples_follow_from_tables() {
    let cover = Cover::scenarios("examples", "scenarios/examples");
    assert!(
        page(&cover, &entries("examples")) == committed_in("examples", "README.md"),
        "`flitwise figures --scenarios scenarios/examples --no-run` mints the page"
    );
}

/// Figures that take a moment: every byte of their tables.
#[test]
fn quick_figures_give_the_committed_bytes() {
    let slow = ["a2a-table-1", "a2a-time", "map-table-2", "swing-congestion", "ttcc-"];
    let mut compared = 0;
    for scenario in figures("paper").iter().filter(|s| !slow.iter().any(|prefix| s.name.starts_with(prefix))) {
        for (table, text) in compute(scenario, NonZeroUsize::new(2).unwrap()).unwrap() {
            let name = file_name(&scenario.name, table);
            assert!(text == committed(&name), "{name} is not what is committed");
            compared += 1;
        }
    }
    assert!(compared > 25, "{compared}");
}

/// The example with a map takes a moment: every byte of its table.
#[test]
fn the_example_with_a_map_gives_the_committed_bytes() {
    let path = root().join("scenarios/examples/multicast-choice.toml");
    let scenario = Scenario::load(&path, &Options::default()).unwrap();
    let (_, text) = compute(&scenario, NonZeroUsize::new(2).unwrap()).unwrap().remove(0);
    assert!(text == committed_in("examples", "multicast-choice.csv"), "multicast-choice.csv is not what is committed");
}

/// Points of the examples that take a moment: every mean, of all repetitions.
#[test]
fn quick_points_of_examples_give_the_committed_means() {
    let cases = [
        ("multicast-routers", vec!["workload.multicast.group=32", "workload.multicast.flits=64"], 7 * 2 * 4),
        ("exchange-routers", vec!["network.torus.shape=[7, 7]", "node.send_setup=0"], 7 * 2 * 2 * 6),
    ];
    for (name, set, expected) in cases {
        let options = Options { set: set.iter().map(|set| (*set).to_owned()).collect(), ..Options::default() };
        let scenario = Scenario::load(&root().join(format!("scenarios/examples/{name}.toml")), &options).unwrap();
        let (_, text) = compute(&scenario, NonZeroUsize::new(2).unwrap()).unwrap().remove(0);
        let points: Vec<(&str, &str)> = set.iter().map(|set| set.split_once('=').unwrap()).collect();
        let computed = measured(&text, &[]);
        assert_eq!(computed, measured(&committed_in("examples", &format!("{name}.csv")), &points), "{name}");
        assert_eq!(computed.len(), expected, "{name}");
    }
}

/// The algorithm and the mean of each row of `text` that has these values in these columns.
fn measured(text: &str, points: &[(&str, &str)]) -> Vec<[String; 2]> {
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header = csv.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let rows = csv.records().map(|row| row.unwrap());
    let wanted = rows.filter(|row| points.iter().all(|(column, value)| &row[at(column)] == *value));
    wanted.map(|row| ["algorithm", "measured_mean"].map(|column| row[at(column)].to_owned())).collect()
}

/// Slow figures with fewer repetitions: means within what the committed spread allows.
#[test]
fn slow_figures_agree_with_the_committed_means() {
    for (name, repetitions) in [("ttcc-fig-9", 40), ("ttcc-fig-8", 20), ("ttcc-faults", 10)] {
        let set = vec![format!("repetitions={repetitions}")];
        let path = root().join(format!("scenarios/paper/{name}.toml"));
        let scenario = Scenario::load(&path, &Options { set, ..Options::default() }).unwrap();
        let (_, text) = compute(&scenario, NonZeroUsize::new(2).unwrap()).unwrap().remove(0);
        let columns = |text: &str| -> Vec<[f64; 2]> {
            let mut csv = csv::Reader::from_reader(text.as_bytes());
            let header = csv.headers().unwrap().clone();
            let at = |name: &str| header.iter().position(|column| column == name).unwrap();
            let wanted = ["measured_mean", "measured_sd"].map(at);
            let rows = csv.records().map(|row| row.unwrap());
            rows.map(|row| wanted.map(|at| row[at].parse().unwrap())).collect()
        };
        let (ours, theirs) = (columns(&text), columns(&committed(&format!("{name}.csv"))));
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (at, ([mean, _], [committed, sd])) in ours.iter().zip(&theirs).enumerate() {
            let allowed = 5.0 * sd / f64::from(repetitions).sqrt();
            assert!((mean - committed).abs() <= allowed, "{name}, row {at}: {mean} for {committed} ± {allowed}");
        }
    }
}

#[test]
fn the_command_writes_tables_plots_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let figures = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        command.current_dir(root()).arg("figures").args(arguments).arg("--out").arg(folder.path());
        command.output().unwrap()
    };
    let output = figures(&["opt-fig-6", "fib-fig-6"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["opt-fig-6.csv", "opt-fig-6.svg", "fib-fig-6.csv", "fib-fig-6.svg"] {
        let written = std::fs::read_to_string(folder.path().join("paper").join(name)).unwrap();
        assert!(written == committed(name), "{name}");
    }
    let page = || std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let expected =
        "opt-fig-6: fails, as expected: (b) the binomial tree takes 120 for t_hold 10 and t_end 40\n  result: 90\n";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(", 1 fails as expected, 1 cannot be reproduced; see "), "{said}");
    assert!(page().contains("`fib-fig-6`") && page().contains("`opt-fig-6`") && !page().contains("`opt-fig-5`"));
    // a verdict is that of the table, whatever is in it
    let table = folder.path().join("paper/opt-fig-6.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, text.replace(",40,10,binomial,1,90,", ",40,10,binomial,1,120,")).unwrap();
    let output = figures(&["--no-run"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let turned = "opt-fig-6: holds, although it is expected to fail: (b) the binomial tree takes 120 for t_hold 10 and t_end 40\n";
    assert!(output.status.success() && said.contains(turned) && said.contains(", 0 fail, "), "{said}{}", page());
    // another figure tells nothing of this one, and a claim that fails without being expected to ends with 1
    let output = figures(&["fib-fig-6", "--no-run"]);
    assert!(output.status.success() && !String::from_utf8(output.stdout).unwrap().contains("opt-fig-6"));
    let table = folder.path().join("paper/fib-fig-6.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    let swapped =
        text.replace(",fibonacci,", ",x,").replace(",bisection,", ",fibonacci,").replace(",x,", ",bisection,");
    std::fs::write(&table, swapped).unwrap();
    let output = figures(&["fib-fig-6", "--no-run"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains(" claims fail"), "{error}");
    let output = figures(&["opt-fig-66"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no figure is called `opt-fig-66`; did you mean `opt-fig-6`?"), "{said}");
}

/// All that is written of other scenarios stays in a folder that is called like theirs, so that no page is lost.
#[test]
fn figures_of_other_folders_have_a_page_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("some/mine");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::copy(root().join("scenarios/paper/fib-fig-6.toml"), mine.join("fib-fig-6.toml")).unwrap();
    for (at, scenarios, said) in [(".", "some/mine/", "some/mine"), ("some/mine", ".", ".")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        command.current_dir(folder.path().join(at)).args(["figures", "--scenarios", scenarios]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let results = folder.path().join(at).join("results");
        let written = |name: &str| std::fs::read_to_string(results.join("mine").join(name)).unwrap();
        assert_eq!(
            [written("fib-fig-6.csv"), written("fib-fig-6.svg")],
            ["csv", "svg"].map(|end| committed(&format!("fib-fig-6.{end}")))
        );
        let page = written("README.md");
        assert!(
            page.contains("[csv](fib-fig-6.csv) [plot](fib-fig-6.svg)") && !page.contains("Claims of papers"),
            "{page}"
        );
        assert!(page.contains(&format!("`flitwise figures --scenarios {said}`")), "{page}");
        assert!(String::from_utf8(output.stdout).unwrap().ends_with("results/mine/README.md\n"));
        let all: Vec<_> = std::fs::read_dir(&results).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(all, ["mine"]);
    }
}

/// `run` says the same, which `bad_scenarios` compares.
#[test]
fn columns_that_no_table_has_are_found_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let bad = root().join("tests/data/bad/claim-columns.toml");
    std::fs::copy(&bad, folder.path().join("claim-columns.toml")).unwrap();
    let out = folder.path().join("out");
    for arguments in [vec!["check", "claim-columns.toml"], vec!["figures", "--scenarios", ".", "--out", "out"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
        let output = command.current_dir(folder.path()).args(&arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("did you mean `measured_ci95`?") && said.ends_with("11 errors\n"), "{said}");
        assert!(output.stdout.is_empty() && !out.exists(), "{arguments:?}");
    }
}

/// A figure of one's own: short names, no labels, no paper.
const OWN: &str = "name = \"own\"\nrepetitions = 3\n[network.mesh]\nshape = [4, 4]\n[node]\nsend_setup = 20\n\
                   receive_setup = 35\n[workload.multicast]\nalgorithms = [\"opt-mesh\", \"u-mesh\"]\nflits = 8\ngroup = 8\n\
                   [sweep]\n\"workload.multicast.flits\" = [1, 8, 64]\n\"workload.multicast.group\" = [4, 8]\n\
                   [figure]\nx = \"flits\"\ny = \"measured\"\nby = [\"algorithm\", \"group\"]\n";

fn words(svg: &str) -> Vec<&str> {
    let words = svg.split("</text>").filter_map(|part| part.rsplit('>').next()).map(str::trim);
    words.filter(|word| !word.is_empty()).collect()
}

/// A call of the command in `folder`.
fn call(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitwise"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_figure_of_ones_own_needs_no_ceremony() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.toml"), OWN).unwrap();
    let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
    assert!(said.ends_with("Written to results/own: rows.csv, summary.csv, manifest.json, own.svg\n"), "{said}");
    let picture = folder.path().join("results/own/own.svg");
    let svg = std::fs::read_to_string(&picture).unwrap();
    let words = words(&svg);
    for word in ["message length (flits)", "completion time (ticks)", "opt-mesh, group size 4", "u-mesh, group size 8"]
    {
        assert!(words.contains(&word), "{word}: {words:?}");
    }
    // how it is drawn may change without a run
    std::fs::write(folder.path().join("s.toml"), OWN.replace("[figure]", "[figure]\nlog = \"x\"")).unwrap();
    let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
    assert!(code == Some(0) && said.contains("own.svg was plotted again, no row has changed"), "{said}{error}");
    assert!(std::fs::read_to_string(&picture).unwrap() != svg);
    let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
    assert!(code == Some(0) && said.contains("unchanged, nothing to do"), "{said}{error}");
    // what is set takes away what is drawn, and the picture that no longer fits
    let fewer = ["run", "s.toml", "--force", "--set", "sweep={}"];
    let (code, said, error) = call(folder.path(), &fewer);
    let reason = "no picture: [figure] cannot be drawn with the keys that are set: the table has no column `";
    assert!(code == Some(0) && error.starts_with(reason) && error.lines().count() == 1, "{said}{error}");
    assert!(!picture.exists() && said.ends_with("manifest.json\n"), "{said}");
    let (code, said, error) = call(folder.path(), &["show", "results/own"]);
    assert!(code == Some(0) && said.starts_with("own: 4x4 mesh"), "{said}{error}");
}

#[test]
fn plots_that_cannot_be_are_found_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("by = [\"algorithm\", \"group\"]", "by = [\"algorithm\", \"groop\"]", "did you mean `group`?"),
        ("y = \"measured\"", "y = \"mesured\"", "did you mean `measured`?"),
        (
            "y = \"measured\"",
            "y = \"measured\"\nonly = \"algorithm == 3\"",
            "a string cannot be compared with a number",
        ),
        ("y = \"measured\"\n", "", "needed: both x and y for a plot, or none of its keys"),
        (
            "x = \"flits\"\ny = \"measured\"\nby = [\"algorithm\", \"group\"]",
            "x = \"predicted\"\ny = \"measured\"",
            "a plot of 20 curves is not readable; the maximum is 16",
        ),
    ];
    for (written, instead, message) in cases {
        let text = OWN.replace(written, instead).replace("[1, 8, 64]", "[1, 2, 4, 8, 64]");
        std::fs::write(folder.path().join("s.toml"), text).unwrap();
        let (code, said, error) = call(folder.path(), &["run", "s.toml"]);
        assert_eq!((code, said.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains(message) && error.contains("--> s.toml:"), "{error}");
        assert!(!folder.path().join("results").exists(), "{error}");
    }
    let error = call(folder.path(), &["run", "s.toml"]).2;
    assert!(error.contains("`workload.multicast.flits` (5), `workload.multicast.group` (2)"), "{error}");
    assert!(error.contains("`by` selects the columns that distinguish curves"), "{error}");
}

#[test]
fn figures_takes_names_of_files_and_reads_past_mistakes_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("mine");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::create_dir_all(folder.path().join("results")).unwrap();
    std::fs::write(folder.path().join("results/README.md"), "mine\n").unwrap();
    std::fs::write(mine.join("n9.toml"), OWN).unwrap();
    std::fs::write(mine.join("bad.toml"), "name = 3\n").unwrap();
    for id in ["n9", "own", "n9.toml"] {
        let (code, said, error) = call(folder.path(), &["figures", id, "--scenarios", "mine"]);
        assert_eq!((code, said.as_str()), (Some(0), "no claims; see results/mine/README.md\n"), "{error}");
        assert!(error.contains("mine/bad.toml has errors and is skipped"), "{error}");
    }
    let page = std::fs::read_to_string(folder.path().join("results/mine/README.md")).unwrap();
    assert!(page.contains("| `own` [csv](own.csv) [plot](own.svg) |"), "{page}");
    assert_eq!(std::fs::read_to_string(folder.path().join("results/README.md")).unwrap(), "mine\n");
    let (code, _, error) = call(folder.path(), &["figures", "--scenarios", "mine"]);
    assert!(code == Some(2) && error.contains("`name` must be a string"), "{error}");
    let (code, _, error) = call(folder.path(), &["figures", "none", "--scenarios", "mine"]);
    assert!(code == Some(2) && error.contains("not read because of errors: mine/bad.toml"), "{error}");
    let empty = folder.path().join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let (code, _, error) = call(folder.path(), &["figures", "--scenarios", "empty"]);
    assert!(code == Some(2) && error.contains("no scenario in empty has a [figure] or a [[claim]]"), "{error}");
    assert!(!folder.path().join("results/empty").exists());
}

/// What had not arrived when the run ended is a lower bound, and drawn as one.
#[test]
fn lower_bounds_are_arrows() {
    let traffic = "name = \"t\"\n[network.torus]\nshape = [8, 8]\n[router]\nmodel = \"pipelined\"\n[channel]\nbuffer = 4\n\
                   virtual_channels = 2\n[workload.traffic]\npattern = \"tornado\"\nrate = 0.1\npacket_flits = 4\nwarmup = 200\n\
                   measure = 1500\n[sweep]\n\"workload.traffic.rate\" = [0.02, 0.04, 0.3]\n[figure]\nx = \"rate\"\n";
    let folder = tempfile::tempdir().unwrap();
    let drawn = |y: &str| {
        std::fs::write(folder.path().join("t.toml"), format!("{traffic}y = \"{y}\"\n")).unwrap();
        let (code, said, error) = call(folder.path(), &["run", "t.toml", "--quiet", "--force"]);
        assert_eq!(code, Some(0), "{said}{error}");
        std::fs::read_to_string(folder.path().join("results/t/t.svg")).unwrap()
    };
    let whole = drawn("latency\"\ny_max = 100000\nsource = \"mine");
    let shown = words(&whole);
    for word in ["latency (cycles)", "injection rate (flits/node/cycle)"] {
        assert!(shown.contains(&word), "{word}: {shown:?}");
    }
    assert!(whole.contains("arrows: lower bounds (packets still in flight at the end)"), "{whole}");
    let at = |rate: &str| format!("injection rate: {rate} flits/node/cycle; latency: at least ");
    assert!(whole.contains(&at("0.3")) && !whole.contains(&at("0.02")), "{whole}");
    assert_eq!(whole.matches("data-bound=\"lower\"").count(), 1);
    // latency diverges: without a limit the axis ends at a multiple of the zero-load latency
    let cut = drawn("latency");
    assert!(cut.contains("about 4 times the zero-load latency: 1 point above, a lower"), "{cut}");
    assert!(!cut.contains("data-px=\"0.3\""), "{cut}");
    assert!(!drawn("accepted").contains("at least"));
}
