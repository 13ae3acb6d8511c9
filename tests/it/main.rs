//! The behaviour of flitwise, one module each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod bad_scenarios;
mod broadcast;
mod cli;
mod cli_exchange;
mod cli_files;
mod cli_forecast;
mod cli_goal;
mod cli_mapping;
mod contention;
mod deadlock;
mod differential;
mod ejection;
mod exchange_oracle;
mod exchange_properties;
mod exchange_runs;
mod faults;
mod figures;
mod fit;
mod forecast;
mod goal;
mod goal_runs;
mod loggops;
mod logp;
mod mapping;
mod multicast_oracle;
mod multicast_properties;
mod multicast_runs;
mod paper;
mod random;
mod readme;
mod support;
mod sweeps;
mod ties;
mod virtual_channels;
mod worm_oracle;
