//! Which multicast finishes first on an 8x8 mesh? `cargo run --example first-run`

use flitwise::output::{summarise, table};
use flitwise::{run, scenario::Scenario};
use std::error::Error;
use std::io::{Write, stdout};

const SCENARIO: &str = r#"
name = "first-run"
network.mesh.shape = [8, 8]
node = { send_setup = 2000, send_per_flit = 2, receive_setup = 3500, receive_per_flit = 3 }
workload.multicast = { algorithms = ["opt-mesh", "binomial"], flits = 1024, group = 16 }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let scenario: Scenario = SCENARIO.parse()?;
    let summaries = summarise(&scenario, run::rows(&scenario))?;
    Ok(write!(stdout(), "{}", table(&scenario, &summaries, None))?)
}
