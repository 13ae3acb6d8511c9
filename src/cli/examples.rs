//! Text below the help of each subcommand: details, and examples that a test runs.

pub(super) const RUN_AT_LENGTH: &str =
    "Run a scenario, print a table, and write rows.csv, summary.csv and manifest.json.

A point is one combination of swept values; a scenario without [sweep] has one point. A row is one repetition of one \
algorithm at a point. Files go to DIR/NAME, where NAME is the name of the scenario. rows.csv has a line per row, \
summary.csv has means and confidence intervals per point and algorithm, and manifest.json describes the run. Some \
workloads write more files.

Finished results are reused if nothing has changed (scenario, files, version, options). --resume continues an \
interrupted run, --force overwrites results, and --out writes elsewhere. Results of another scenario are moved to \
NAME.previous, and the changed keys are reported.";

pub(super) const RUN: &str = "Examples:
  flitwise new multicast > mine.toml
  flitwise run mine.toml
  flitwise run mine.toml -s engine.kind=flit -o flit
  flitwise run mine.toml -s 'workload.multicast.bytes=[64B,4KiB,256KiB]' -o lengths
  flitwise run mine.toml --unset network.mesh -s 'network.hypercube.dimension=6' -o cube
  flitwise run - < mine.toml
  flitwise run mine.toml --json > mine.json
  flitwise new sweep > sweep.toml
  flitwise run sweep.toml --resume -j 2
  flitwise run sweep.toml --shard 1/2 -o shards

--json prints {\"name\", \"tick\", \"axes\", \"summary\": [{\"point\", swept keys, \"algorithm\", \"repetitions\", \
\"measured\": {\"mean\", \"sd\", \"ci95\", ..}, ..}]}.";

pub(super) const BOOKSIM: &str = "Examples:
  flitwise booksim mesh.cfg
  flitwise booksim mesh.cfg injection_rate=0.02 seed=7
  flitwise booksim mesh.cfg --scenario > mesh.toml
  flitwise booksim mesh.cfg --json > mesh.json

The table is that of `flitwise run`. The lines below it have the names of BookSim 2. Keys without effect are noted, and \
values without a counterpart are errors. `flitwise list booksim-keys` lists all keys.

--json prints {\"scenario\", \"stable\", \"cycles\", \"classes\": [{\"class\", \"packet_latency\", \"packet_latency_min\", \
\"packet_latency_max\", \"network_latency\", \"hops\", \"injected_flit_rate\", \"accepted_flit_rate\", \"packets\"}], \
\"batch_time\", \"notes\"}.";

pub(super) const EXPLAIN: &str = "Examples:
  flitwise explain mine.toml
  flitwise explain mine.toml --rows algorithm=opt-tree,repetition=3
  flitwise explain mine.toml --rows all --format json > why.json

Without --rows, all rows are simulated first. At the point where the algorithms differ most, the repetition with the \
median time of each algorithm is then explained.

--format json prints {\"rows\": [{\"point\", \"algorithm\", \"repetition\", \"completion\", \"path\", \"shares\", \
\"waits\", \"blame\", \"words\"}]}.";

pub(super) const REPORT: &str = "Examples:
  flitwise run mine.toml
  flitwise report results/my-multicast

The rows of the replay are simulated again, which requires the files that the scenario names.";

pub(super) const NEW: &str = "Examples:
  flitwise new
  flitwise new exchange > mine.toml
  flitwise new goal --out mine";

pub(super) const GUIDE: &str = "Examples:
  flitwise guide
  flitwise guide first-steps
  flitwise guide credit";

pub(super) const CITE: &str = "Examples:
  flitwise cite
  flitwise cite swing-bandwidth
  flitwise cite swing-bandwidth --bibtex > references.bib
  flitwise cite mine.toml";

pub(super) const SHOW: &str = "Examples:
  flitwise run mine.toml
  flitwise show results/my-multicast
  flitwise show results
  flitwise show results/my-multicast --json > mine.json
  flitwise show preset:dgx-h100 > machine.toml

The table is computed from manifest.json and rows.csv. The files that the scenario names must still exist.

--json prints {\"name\", \"tick\", \"axes\", \"summary\": [{\"point\", swept keys, \"algorithm\", \"repetitions\", \
\"measured\": {\"mean\", \"sd\", \"ci95\", ..}, ..}]}, or {\"name\", \"summary\", \"toml\"} for a preset.";

pub(super) const PLOT: &str = "Examples:
  flitwise run sweep.toml
  flitwise plot results/my-sweep > sweep.svg
  flitwise plot results/my-sweep --x group --y blocked_time --where 'bytes >= 4096' -o blocked.svg

There is one curve per algorithm and per value of swept keys that are text, such as routings. Each combination of the \
other swept keys has its own plot, up to 12 plots. Arrows mark lower bounds. `flitwise guide output` has the rules.";

pub(super) const COMPARE: &str = "Examples:
  flitwise run mine.toml
  flitwise run mine.toml -s channel.buffer=8 -o deep
  flitwise compare results/my-multicast deep/my-multicast
  flitwise compare results/my-multicast deep/my-multicast --column blocked_time
  flitwise compare results/my-multicast deep/my-multicast --format csv > b.csv

Rows are matched by swept values and algorithm. If seed and repetitions are equal, the test is Student's paired t-test, \
otherwise Welch's t-test. p values are corrected with the method of Holm.";

pub(super) const PLAN: &str = "Examples:
  flitwise plan sweep.toml
  flitwise plan sweep.toml --shards 4
  flitwise plan sweep.toml -s repetitions=100 --json > plan.json

--json prints {\"name\", \"points\": [{\"point\", \"id\", swept keys, \"rows\", \"seconds\", \"memory\"}], \"rows\", \
\"units\", \"seconds\", \"memory\"}, and \"shards\" with --shards. Seconds are those of one core of this machine; memory is \
in bytes, for the largest row.";

pub(super) const MERGE: &str = "Examples:
  flitwise run sweep.toml --shard 1/2
  flitwise run sweep.toml --shard 2/2
  flitwise merge results/my-sweep";

pub(super) const SUBMIT: &str =
    "Run the command again to submit missing shards. Where Slurm is not installed, only --dry-run is accepted.

Examples:
  flitwise submit sweep.toml --tasks 4 --dry-run
  flitwise submit sweep.toml --tasks 4 --dry-run -o /tmp/shared -- --partition=short --time=1:00:00";

pub(super) const STATUS: &str = "Examples:
  flitwise run sweep.toml --shard 1/2
  flitwise status results/my-sweep
  flitwise status results";

pub(super) const SCHEDULE: &str = "Examples:
  flitwise schedule mine.toml
  flitwise schedule mine.toml --repetition 3 --out trees.svg
  flitwise schedule mine.toml --algorithm opt-mesh --diagram tree,timing --out tree.svg
  flitwise schedule mine.toml --format goal --algorithm opt-mesh --out tree.goal
  flitwise schedule sweep.toml --point 3 --format dot";

pub(super) const CHECK: &str = "Examples:
  flitwise check mine.toml
  flitwise check mine.toml -s channel.virtual_channels=2 -s router.model=pipelined
  flitwise check mine.toml --json > check.json

With --certificate, the scenario needs no workload, and the network may be larger than one that is simulated.

--json prints {\"name\", \"points\", \"rows\", \"checks\": [{\"point\", swept keys, \"algorithm\", \"deadlock_free\", \
\"findings\", \"contention\"}]}. deadlock_free is null if it is not decided. contention is {\"runs\", \"contended\", \
\"waits\", \"queued\", \"first\", \"stopped\"} or null.";

pub(super) const NETWORK: &str = "Examples:
  flitwise network mine.toml
  flitwise network mine.toml --format json
  flitwise network mine.toml --format csv > net.csv

--format json prints {\"nodes\", \"routers\", \"links\", \"diameter\", \"distance_sum\", \"pairs\", \"histogram\": \
{\"distance\": pairs}, \"bisection\"}.";

pub(super) const ROUTES: &str = "Examples:
  flitwise routes mine.toml --pairs '0>5 3>7'
  flitwise routes mine.toml --pairs all > routes.csv";

pub(super) const FIGURES: &str = "Examples:
  mkdir mine
  flitwise new figure > mine/my-figure.toml
  flitwise figures --scenarios mine
  flitwise figures --scenarios mine --no-run my-figure

The verdicts on all claims are written to README.md: in DIR for the scenarios of papers, in DIR/NAME for others.";

pub(super) const FIT: &str = "Examples:
  flitwise fit latency.txt bandwidth.txt
  flitwise fit latency.txt bandwidth.txt --model loggops > machine.toml
  flitwise fit latency.txt --tick 10ps --flit-bytes 64 --from 1024";

pub(super) const FORECAST: &str = "Examples:
  flitwise forecast link.csv --column 2
  flitwise forecast link.csv --column megabytes_per_second --csv > errors.csv";

pub(super) const SELFTEST: &str = "Examples:
  flitwise selftest --cases 1000
  flitwise selftest --minutes 0.05 --jobs 1
  flitwise selftest --only worm-flit --seed 17 --cases 1

The cases have the seeds S, S + 1, S + 2, .., so `--seed N --cases 1` repeats the case with seed N. A case that \
violates an invariant is \
shrunk to a minimal case, which is printed and written as a scenario with the commands that show the difference. The \
exit code is then 1. `flitwise guide trust` lists the invariants.";

pub(super) const LIST: &str = "Examples:
  flitwise list algorithms
  flitwise list keys
  flitwise list keys traffic
  flitwise list forecasters
  flitwise list presets
  flitwise list energy
  flitwise list --json > list.json

--json prints an object with an array per list. An element has \"name\", \"summary\" and sometimes \"note\". A key has \
\"table\", \"name\", \"takes\", \"default\", \"unit\" and \"summary\". A key of BookSim 2 has \"name\", \"takes\", \
\"default\", \"fate\", \"flitwise\" and \"summary\". An element of \"energy_presets\" has \"name\", \"summary\", \
\"source\", \"fixed_point\" and \"constants\", and one of \"named_links\" has \"name\", \"value\", \"summary\" and \
\"source\".";

pub(super) const SCHEMA: &str = "Examples:
  flitwise schema > flitwise.schema.json";

pub(super) const COMPLETIONS: &str = "Examples:
  flitwise completions bash > ~/.local/share/bash-completion/completions/flitwise
  flitwise completions zsh > ~/.zfunc/_flitwise
  flitwise completions fish > ~/.config/fish/completions/flitwise.fish";

pub(super) const MAN: &str = "Examples:
  flitwise man > flitwise.1";
