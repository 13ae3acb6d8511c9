//! The LogGOPS executor: finish times of the classic simulator, closed forms, and matching against a plain search.

use crate::support::data_path;
use flitwise::model::{Execution, LogGops, execute};
use flitwise::schedule::goal::{Goal, GoalBuilder, GoalViolation, Operation};
use flitwise::units::Ticks;

pub(crate) const CLASSIC: LogGops =
    LogGops { latency: 2500, overhead: 1500, gap: 1000, gap_per_byte: 6, overhead_per_byte: 0, eager: 65_535 };

pub(crate) fn run(goal: &Goal, model: &LogGops) -> Result<Execution, GoalViolation> {
    goal.check()?;
    execute(goal, |bytes| model.parts(bytes), model.eager)
}

pub(crate) fn read(text: &str) -> Goal {
    Goal::read(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn finish_times_are_the_classic_simulators() {
    let mut expected = csv::Reader::from_path(data_path("loggops/expected.csv")).unwrap();
    let mut hosts = 0;
    for record in expected.records().map(Result::unwrap) {
        let parameters: Vec<u64> = (1..7).map(|column| record[column].parse().unwrap()).collect();
        let [latency, overhead, gap, gap_per_byte, overhead_per_byte, eager] = parameters[..] else { unreachable!() };
        let model = LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte, eager };
        let text = std::fs::read(data_path("loggops").join(&record[0])).unwrap();
        let goal = Goal::read(&text).unwrap();
        let execution = run(&goal, &model).unwrap();
        let what = format!("{} {model:?}", &record[0]);
        if !record[7].is_empty() {
            assert_eq!(execution.completion.0.to_string(), record[7], "{what}");
        }
        let finish: Vec<String> = execution.finish.iter().map(Ticks::to_string).collect();
        if !record[8].is_empty() {
            assert_eq!(finish.join(" "), record[8], "{what}");
            hosts += finish.len();
        }
    }
    assert!(hosts > 1000, "{hosts}");
}
