//! Examples below the help of each verb, and what `run` has to say at length. A test runs every one of them.

pub(super) const RUN_AT_LENGTH: &str = "Run a scenario: a table to read, rows.csv, summary.csv and manifest.json.

A point is a combination of swept values, one without a [sweep]; a row is one repetition of one algorithm at a point. \
Files go to DIR/NAME, where NAME is the scenario's: rows.csv has a line for each row, summary.csv the means and \
their confidence for each point and algorithm, manifest.json what was run; some workloads write more. \
If the output is there and nothing has changed (scenario, files, version, flags), nothing is run and its table is \
printed; if it is not complete, --resume goes on with it; if the scenario has changed, the keys are named, and --force \
begins again or --out puts the new output elsewhere.";

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
  flitwise run sweep.toml --shard 1/2 -o shards";

pub(super) const EXPLAIN: &str = "Examples:
  flitwise explain mine.toml
  flitwise explain mine.toml --rows algorithm=opt-tree,repetition=3
  flitwise explain mine.toml --rows all --format json > why.json

Without --rows, all rows are run, and of the point whose algorithms differ most each algorithm's repetition with the \
median time is explained.";

pub(super) const REPORT: &str = "Examples:
  flitwise run mine.toml
  flitwise report results/my-multicast

Rows are run again to be replayed, and need the files that the scenario names.";

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

The table is that of manifest.json and rows.csv, and needs the files that the scenario names.";

pub(super) const PLOT: &str = "Examples:
  flitwise run sweep.toml
  flitwise plot results/my-sweep > sweep.svg
  flitwise plot results/my-sweep --x group --y blocked_time --where 'bytes >= 4096' -o blocked.svg

There is a curve for each algorithm and each value of swept keys that are text, such as routings, and a plot for each \
combination of the other swept keys, at most 12. Arrows mark lower bounds. `flitwise guide output` has the rules.";

pub(super) const COMPARE: &str = "Examples:
  flitwise run mine.toml
  flitwise run mine.toml -s channel.buffer=8 -o deep
  flitwise compare results/my-multicast deep/my-multicast
  flitwise compare results/my-multicast deep/my-multicast --column blocked_time
  flitwise compare results/my-multicast deep/my-multicast --format csv > b.csv

Rows match by swept values and algorithm. With the same seed and repetitions the test is Student's t on differences by \
repetition, else Welch's t; p is corrected by Holm.";

pub(super) const PLAN: &str = "Examples:
  flitwise plan sweep.toml
  flitwise plan sweep.toml --shards 4
  flitwise plan sweep.toml -s repetitions=100 --json > plan.json";

pub(super) const MERGE: &str = "Examples:
  flitwise run sweep.toml --shard 1/2
  flitwise run sweep.toml --shard 2/2
  flitwise merge results/my-sweep";

pub(super) const SUBMIT: &str =
    "With --dry-run the scripts and the plan are written to DIR/NAME, and the commands are \
printed that would submit them; without Slurm nothing is submitted and nothing is left.

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
  flitwise check mine.toml --json > check.json";

pub(super) const NETWORK: &str = "Examples:
  flitwise network mine.toml
  flitwise network mine.toml --format json
  flitwise network mine.toml --format csv > net.csv";

pub(super) const ROUTES: &str = "Examples:
  flitwise routes mine.toml --pairs '0>5 3>7'
  flitwise routes mine.toml --pairs all > routes.csv";

pub(super) const FIGURES: &str = "Examples:
  mkdir mine
  flitwise new figure > mine/my-figure.toml
  flitwise figures --scenarios mine
  flitwise figures --scenarios mine --no-run my-figure";

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

Case number i of a run has the number SEED + i, so `--seed CASE --cases 1` runs it again. A case that breaks a law is made \
as small as can be, and printed and written as a scenario, with the commands that show what differs; the exit code is 1 then. \
What must hold, and why: flitwise guide trust.";

pub(super) const LIST: &str = "Examples:
  flitwise list algorithms
  flitwise list keys
  flitwise list keys traffic
  flitwise list forecasters
  flitwise list presets
  flitwise list --json > list.json";

pub(super) const SCHEMA: &str = "Examples:
  flitwise schema > flitwise.schema.json";

pub(super) const COMPLETIONS: &str = "Examples:
  flitwise completions bash > ~/.local/share/bash-completion/completions/flitwise
  flitwise completions zsh > ~/.zfunc/_flitwise
  flitwise completions fish > ~/.config/fish/completions/flitwise.fish";

pub(super) const MAN: &str = "Examples:
  flitwise man > flitwise.1";
