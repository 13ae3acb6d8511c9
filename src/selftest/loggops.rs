//! The LogGOPS executor against its rules word by word, and GOAL in its two forms.

use super::features::{FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, ENDS, EXECUTED_BY_THE_WORD, NO_PANIC, SAME_PROGRAM, SLOWED_DOWN};
use super::operations::{FEATURES, Operations};
use super::reference::loggops::finish_times;
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::model::{LogGops, execute};
use crate::schedule::goal::Goal;
use crate::units::Ticks;

static ABOUT: About = About {
    name: "loggops",
    summary: "operations under LogGOPS compared with a simple event queue; GOAL programs compared with themselves after writing and reading",
    laws: &[&EXECUTED_BY_THE_WORD, &SLOWED_DOWN, &SAME_PROGRAM, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(FEATURES),
};

/// What executes operations: the executor, or in tests one that is broken on purpose. When the processors of each rank are free
/// for good; none if operations are left.
pub(super) type Executor = fn(&Goal, LogGops) -> Option<Vec<u64>>;

/// The executor of this crate.
fn ours(goal: &Goal, model: LogGops) -> Option<Vec<u64>> {
    let execution = execute(goal, |bytes| model.parts(bytes), model.eager).ok()?;
    Some(execution.finish.into_iter().map(|Ticks(ticks)| ticks).collect())
}

/// The area with the executor of this crate.
pub(super) struct Loggops;

impl Subject for Loggops {
    type Case = Operations;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Operations {
        Operations::draw(swarm)
    }

    fn judge(&self, case: &Operations) -> Result<Effort, Broken> {
        judge(ours, case)
    }

    fn runs(&self, _: &Operations, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "executor", arguments: "" }]
    }
}

/// By how much everything takes longer in one of two runs that are compared.
const FACTOR: u64 = 3;

/// Holds `case` against all laws on `executor`.
fn judge(executor: Executor, case: &Operations) -> Result<Effort, Broken> {
    let goal = case.goal();
    let fast = executor(&goal, case.model);
    let plain = finish_times(&goal, case.model).ok();
    let law = &EXECUTED_BY_THE_WORD;
    law.equal("completion of all operations, executor and rules", &fast.is_some(), &plain.is_some())?;
    if let (Some(fast), Some(plain)) = (&fast, &plain) {
        law.all_equal("finish times of ranks, executor and rules", fast, plain)?;
    }
    let slower = case.slower(FACTOR);
    let slowed = executor(&slower.goal(), slower.model);
    let scaled = fast.as_ref().map(|finish| finish.iter().map(|ticks| ticks * FACTOR).collect::<Vec<u64>>());
    SLOWED_DOWN.equal("finish times of ranks with three times the durations, run and expected", &slowed, &scaled)?;
    read_again(&goal)?;
    Ok(Effort { messages: goal.messages() as u64, blocked: fast.is_none(), deadlocked: fast.is_none() })
}

/// That `goal` is the same when it has been written and is read again.
fn read_again(goal: &Goal) -> Result<(), Broken> {
    let mut text = Vec::new();
    let mut binary = Vec::new();
    let written = goal.write_text(&mut text);
    written.map_err(|error| SAME_PROGRAM.broken(format!("the program cannot be written: {error}")))?;
    let mut forms = vec![("text", &text)];
    let has_short_tags =
        goal.operations().iter().all(|operation| [0, u64::from(u32::MAX)].contains(&(operation.tag >> 32)));
    let packed = goal.write_binary(&mut binary).is_ok();
    SAME_PROGRAM.equal("tags fit 32 bits, and the binary form is written", &has_short_tags, &packed)?;
    if packed {
        forms.push(("binary", &binary));
    }
    for (form, bytes) in forms {
        let read = Goal::read(bytes);
        let read = read.map_err(|errors| SAME_PROGRAM.broken(format!("the {form} cannot be read: {}", errors[0])))?;
        if read != *goal {
            let how = format!(
                "the program read from {form} is different: {:?} became {:?}",
                goal.operations(),
                read.operations()
            );
            return Err(SAME_PROGRAM.broken(how));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::super::subject::Specimen;
    use super::*;
    use crate::random;

    fn drawn(number: u64) -> Operations {
        Operations::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let efforts: Result<Vec<Effort>, Broken> = (0..1500).map(|number| judge(ours, &drawn(number))).collect();
        let stuck = efforts.map(|all| all.iter().filter(|effort| effort.deadlocked).count());
        assert!(stuck.as_ref().is_ok_and(|&stuck| (100..1200).contains(&stuck)), "{stuck:?}");
    }

    /// An executor that takes messages of the rendezvous limit itself for longer ones.
    fn strict(goal: &Goal, model: LogGops) -> Option<Vec<u64>> {
        ours(goal, LogGops { eager: model.eager.saturating_sub(1), ..model })
    }

    #[test]
    fn a_planted_difference_is_found_and_little_is_left() {
        let found = (0..20_000).find_map(|number| Some((drawn(number), judge(strict, &drawn(number)).err()?)));
        let Some((case, broken)) = found else { panic!("nothing is found") };
        let small = minimise(case, broken, |case| judge(strict, case).err());
        assert_eq!(small.broken.law.name, "loggops-is-reference");
        assert!(small.case.ranks.iter().flatten().count() <= 4, "{:?}", small.case);
    }

    #[test]
    fn what_is_written_is_the_case() {
        for number in 0..50 {
            let case = drawn(number);
            let files = case.written("t", "a\nb");
            let goal = Goal::read(files[1].text.as_bytes());
            assert_eq!(goal.ok(), Some(case.goal()), "case {number}");
            assert!(files[0].text.starts_with("# a\n# b\n\nname = \"t\"\n"), "{}", files[0].text);
        }
    }
}
