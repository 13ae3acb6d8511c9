//! Applications: closed forms of generated programs, the rules of netrace, and noise.

use crate::cli::{Bench, csv_rows};
use std::fs;

const FREE: &str = "[model.loggops]\nL = 0\no = 0\ng = 0\nG = 0\n";

/// The value of `column` in the first row of the scenario `text`.
fn value(text: &str, column: &str) -> u64 {
    let bench = Bench::new(&format!("name = \"a\"\n{text}"));
    bench.ok(&["run", "s.toml"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/a/rows.csv")).unwrap());
    rows[0][column].parse().unwrap()
}

#[test]
fn free_messages_leave_the_critical_path_of_computations() {
    let halo = "[workload.halo]\nshape = [3, 2]\ncells = [4, 5]\ncompute_per_cell = 7\niterations = 3\n";
    assert_eq!(value(&format!("{halo}{FREE}"), "predicted"), 3 * 4 * 5 * 7);
    // Sweep3D: (X + Y - 2) (compute + L) + blocks compute
    let sweep =
        "[workload.wavefront]\nshape = [3, 4]\nblocks = 5\nbytes_x = 8\nbytes_y = 8\ncompute = 100\nsweeps = 1\n";
    assert_eq!(value(&format!("{sweep}{FREE}"), "predicted"), (3 + 4 - 2) * 100 + 5 * 100);
    let latency = FREE.replace("L = 0", "L = 9");
    assert_eq!(value(&format!("{sweep}{latency}"), "predicted"), (3 + 4 - 2) * (100 + 9) + 5 * 100);
    // a pipeline of microbatches, forward and twice as long backward
    let layer = (8 * 16 * 32 * 32 + 4 * 16 * 16 * 32) / 500 + 16 * 16 * 32 * 32 / 500;
    for schedule in ["1f1b", "gpipe"] {
        let training = format!(
            "[workload.training]\nlayers = 4\nhidden = 32\nsequence = 16\nmicrobatches = 4\npipeline = 4\n\
             flops_per_tick = 500\nschedule = \"{schedule}\"\n"
        );
        assert_eq!(value(&format!("{training}{FREE}"), "predicted"), (4 + 4 - 1) * 3 * layer, "{schedule}");
    }
}

#[test]
fn a_collective_in_a_program_takes_the_time_of_the_collective() {
    let machine = "[network.torus]\nshape = [4, 2]\n[channel]\nflit_time = 2\nbuffer = 4\n[node]\nsend_setup = 300\n\
                   receive_setup = 200\nreduce_per_flit = 1\n";
    let collective =
        "[workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring\"]\nflits = 64\nsynchronous = false\n";
    // one layer without computations: the gradients of 8 replicas, 12 * 4 * 4 * 4 bytes
    let training = "[workload.training]\nlayers = 1\nhidden = 4\nsequence = 1\ndata = 8\nflops_per_tick = 1000000\nflit_bytes = 12\n";
    assert_eq!(
        value(&format!("{machine}{training}"), "measured"),
        value(&format!("{machine}{collective}"), "measured")
    );
}

#[test]
fn noise_lengthens_computations_and_nothing_else() {
    let halo = "[workload.halo]\nshape = [2, 2]\ncells = [4, 4]\ncompute_per_cell = 100\niterations = 5\n";
    let noise = "[noise]\nperiod = 1000\nduration = 10\nphases = \"same\"\n";
    let text = format!("{halo}{noise}{FREE}");
    let added = value(&text, "noise");
    assert!(added > 0 && added.is_multiple_of(4), "{added}");
    assert_eq!(value(&text, "predicted"), 5 * 16 * 100 + added / 4);
    assert_eq!(value(&text, "compute"), 4 * 5 * 16 * 100);
}

#[test]
fn tokens_are_drawn_for_each_repetition() {
    let bench = Bench::new(
        "name = \"a\"\nrepetitions = 2\n[workload.alltoallv]\nranks = 4\ntokens = 50\ntop_k = 2\nexperts = 8\n\
         bytes_per_token = 3\nskew = \"zipf\"\nexponent = 1.0\n[model.loggops]\nL = 1\no = 1\ng = 1\nG = 1\n",
    );
    bench.ok(&["run", "s.toml"]);
    let lines = csv_rows(&fs::read_to_string(bench.path("results/a/matrix.csv")).unwrap());
    let row = |repetition: &str, src: &str| -> Vec<u64> {
        let of_row = lines.iter().filter(|line| line["repetition"] == repetition && line["src"] == src);
        of_row.map(|line| line["bytes"].parse().unwrap()).collect()
    };
    for src in ["0", "1", "2", "3"] {
        assert_eq!(row("0", src).iter().sum::<u64>(), 50 * 2 * 3);
        assert_eq!(row("1", src).iter().sum::<u64>(), 50 * 2 * 3);
    }
    assert_ne!(row("0", "0"), row("1", "0"));
}

#[test]
fn packets_follow_those_on_which_they_depend() {
    let bench = Bench::new(
        "name = \"a\"\n[network.mesh]\nshape = [4, 4]\n[workload.netrace]\nfile = \"pairs.tra\"\ndetails = true\n",
    );
    fs::write(bench.path("pairs.tra"), include_bytes!("../data/keys/pairs.tra")).unwrap();
    bench.ok(&["run", "s.toml"]);
    let packets = csv_rows(&fs::read_to_string(bench.path("results/a/packets.csv")).unwrap());
    let time = |id: u64, column: &str| -> u64 {
        packets.iter().find(|packet| packet["id"] == id.to_string()).unwrap()[column].parse().unwrap()
    };
    // requests have even ids, and each reply the id that follows
    for id in (0..80).step_by(2) {
        assert_eq!(time(id, "requested"), time(id, "cycle"));
        let (delivered, cycle) = (time(id, "delivered"), time(id + 1, "cycle"));
        assert_eq!(time(id + 1, "requested"), if delivered < cycle { cycle } else { delivered + 8 });
    }
}

const RING: &str = "[network.torus]\nshape = [16]\n[channel]\nflit_time = 1\nbuffer = 2\n[node]\nsend_setup = 50\nreceive_setup = 50\n";

const TWO_JOBS: &str = "[workload.jobs.job.a.halo]\nshape = [2, 2]\ncells = [40, 40]\ncompute_per_cell = 1\n\
                        [workload.jobs.job.b]\nstart = 300\n[workload.jobs.job.b.alltoallv]\nranks = 8\ntokens = 30\ntop_k = 2\nexperts = 8\n\
                        bytes_per_token = 3\nskew = \"zipf\"\nexponent = 1.0\n";

/// The values of `columns` in `jobs.csv` of the scenario `text`.
fn jobs<const N: usize>(text: &str, columns: [&str; N]) -> Vec<[String; N]> {
    let bench = Bench::new(&format!("name = \"a\"\n{text}"));
    bench.ok(&["run", "s.toml"]);
    let lines = csv_rows(&fs::read_to_string(bench.path("results/a/jobs.csv")).unwrap());
    lines.iter().map(|line| columns.map(|column| line[column].clone())).collect()
}

#[test]
fn random_placements_and_draws_differ_between_repetitions_and_seeds() {
    let scenario = |seed: u64| {
        format!(
            "seed = {seed}\nrepetitions = 2\n{RING}[workload.jobs]\nplacement = \"random\"\nflit_bytes = 16\n{TWO_JOBS}"
        )
    };
    let columns = ["repetition", "job", "nodes", "bytes", "measured_alone"];
    let first = jobs(&scenario(3), columns);
    assert_eq!(first, jobs(&scenario(3), columns));
    assert_ne!(first, jobs(&scenario(4), columns));
    let [a, b, again, _] = first.as_slice() else { panic!("{first:?}") };
    assert_ne!(a[2], again[2]);
    let mut nodes: Vec<&str> = a[2].split(' ').chain(b[2].split(' ')).collect();
    assert_eq!(nodes.len(), 12);
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 12);
}

#[test]
fn jobs_without_a_network_have_no_contention() {
    let columns = ["measured", "measured_alone", "nodes", "slowdown"];
    let lines = jobs(&format!("[model.loggops]\nL = 1\no = 1\ng = 1\nG = 1\n{TWO_JOBS}"), columns);
    assert_eq!(lines, [["", "", "", "1"], ["", "", "", "1"]]);
}

#[test]
fn noise_of_a_job_does_not_depend_on_the_other_jobs() {
    let columns = ["predicted", "predicted_alone", "measured", "measured_alone"];
    // ranks that only compute have nothing to wait for
    let job = |name: &str, start: u64| {
        format!(
            "[workload.jobs.job.{name}]\nstart = {start}\n[workload.jobs.job.{name}.halo]\nshape = [1, 1]\ncells = [4, 4]\ncompute_per_cell = 90\n"
        )
    };
    let noise = "[noise]\nperiod = 1000\nduration = 30\nphases = [1100, 500]\n";
    let text = format!("{RING}[model.loggops]\nL = 0\no = 0\ng = 0\nG = 0\n{noise}{}{}", job("a", 0), job("b", 450));
    // from 1100 to 2540 with the event at 2000, and from 950 to 2390 with those at 1000 and 2000
    assert_eq!(jobs(&text, columns), [["1470"; 4], ["1500"; 4]]);
}

#[test]
fn a_repeated_program_takes_as_long_as_its_repetitions() {
    let job = |repeat: u64| {
        format!(
            "[workload.jobs.job.a]\nrepeat = {repeat}\n[workload.jobs.job.a.goal]\nfile = \"g.goal\"\n[model.loggops]\nL = 5\no = 10\ng = 0\nG = 0\n"
        )
    };
    let goal = "num_ranks 2\nrank 0 {\na: calc 100\ns: send 1b to 1\ns requires a\n}\nrank 1 {\nrecv 1b from 0\n}\n";
    let predicted = |repeat| {
        let bench = Bench::new(&format!("name = \"a\"\n{}", job(repeat)));
        fs::write(bench.path("g.goal"), goal).unwrap();
        bench.ok(&["run", "s.toml"]);
        let lines = csv_rows(&fs::read_to_string(bench.path("results/a/jobs.csv")).unwrap());
        (lines[0]["predicted"].clone(), lines[0]["messages"].clone())
    };
    assert_eq!(predicted(1), ("125".to_owned(), "1".to_owned()));
    // the sender continues after 110 ticks
    assert_eq!(predicted(3), ("345".to_owned(), "3".to_owned()));
}
