//! Every schedule of every algorithm: the proofs against a plain check, also of schedules that were damaged; and what planned
//! schedules do on the flit engine.
//!
//! ```text
//!   plan      what is planned: random tasks on random machines, by every algorithm that a registry lists
//!   damage    schedules that are made wrong on purpose
//!   run       what planned schedules do on the flit engine
//!   written   tasks that are smaller, and as scenarios
//! ```

mod damage;
mod plan;
mod run;
mod written;

use super::apart::{KINDS, TASKS};
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{
    ANY_THREADS, AS_WRITTEN, AUTO_IS_FLIT, Broken, CONSERVED, DATA_FIRST, ENDS, EXTENT, FREE_IS_FREE, NEEDS, NO_PANIC,
    PLANS_DELIVER, PROOF_IS_CHECK, UNBLOCKED_IS_PRICED,
};
use super::reference::delivery::needs;
use super::reference::lists::{self, Listed};
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::schedule::collective::{Collective, CollectiveProof, Dependencies};
use crate::schedule::{Exchange, ExchangeProof, Proof, Schedule};
use crate::units::{MessageId, NodeId};
use plan::{Delivery, Planned};

static ABOUT: About = About {
    name: "deliveries",
    summary: "the verification of schedules, with and without inserted errors, compared with a simple check; the schedules run on the flit engine",
    laws: &[
        &PROOF_IS_CHECK,
        &PLANS_DELIVER,
        &NEEDS,
        &EXTENT,
        &CONSERVED,
        &DATA_FIRST,
        &UNBLOCKED_IS_PRICED,
        &AUTO_IS_FLIT,
        &FREE_IS_FREE,
        &ANY_THREADS,
        &AS_WRITTEN,
        &NO_PANIC,
        &ENDS,
    ],
    features: FeatureSet::of(KINDS).and(FeatureSet::of(TASKS)).and(FeatureSet::of(OWN)),
};

/// What schedules and their machines may have.
const OWN: &[Feature] = &[
    Feature::Order,
    Feature::Concentration,
    Feature::OddLinks,
    Feature::UnevenLinks,
    Feature::LinkDelays,
    Feature::Ports,
    Feature::Ejection,
    Feature::FlitTime,
    Feature::Buffers,
    Feature::RoutingDelay,
    Feature::LongMessages,
    Feature::EmptyMessages,
    Feature::NodeCosts,
    Feature::Combining,
    Feature::Groups,
    Feature::Segments,
    Feature::Parts,
    Feature::NoBarriers,
    Feature::Damaged,
];

/// What proves schedules: this crate, or in tests one that is wrong on purpose.
pub(super) trait Prover: Sync {
    fn tree(&self, schedule: &Schedule, reached: &[NodeId]) -> Result<Proof, String> {
        schedule.check(reached).map_err(|violation| violation.to_string())
    }

    fn exchange(&self, exchange: &Exchange) -> Result<ExchangeProof, String> {
        exchange.check().map_err(|violation| violation.to_string())
    }

    fn collective(&self, collective: &Collective) -> Result<CollectiveProof, String> {
        collective.check().map_err(|violation| violation.to_string())
    }
}

/// The proofs of this crate.
struct Ours;

impl Prover for Ours {}

/// The area with the proofs of this crate.
pub(super) struct Deliveries;

impl Subject for Deliveries {
    type Case = Delivery;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Delivery {
        Delivery::draw(swarm)
    }

    fn judge(&self, case: &Delivery) -> Result<Effort, Broken> {
        judge(&Ours, case)
    }

    /// A proof is seen where a schedule is checked, which a run does first; the damaged one is described by the comment.
    fn runs(&self, _: &Delivery, broken: &Broken) -> Vec<Shown> {
        let flit = Shown { name: "flit", arguments: "-s engine.kind=flit" };
        let auto = Shown { name: "auto", arguments: "-s engine.kind=auto" };
        if broken.law == &AUTO_IS_FLIT { vec![flit, auto] } else { vec![flit] }
    }
}

/// Holds `case` against all laws on `prover`. What no algorithm takes breaks none.
fn judge(prover: &impl Prover, case: &Delivery) -> Result<Effort, Broken> {
    let Some(planned) = case.planned() else { return Ok(Effort::default()) };
    let mut lists = Vec::new();
    match &planned {
        Planned::Trees(trees) => {
            for (schedule, reached) in trees {
                lists.push(tree(prover, case, schedule, reached)?);
            }
        }
        Planned::Exchange(exchange) => lists.push(blocks(prover, case, exchange)?),
        Planned::Collective(collective) => lists.push(vectors(prover, case, collective)?),
    }
    run::run(case, &planned, &lists)
}

/// What a plain check says of a schedule, as planned or damaged.
struct Checked<'a> {
    case: &'a Delivery,
    listed: &'a Listed,
    is_damaged: bool,
}

impl Checked<'_> {
    /// That proof and check say the same, and of a schedule as planned that all is well; of one that is right, `figures` say
    /// what the proof has counted, and what is counted here.
    fn agree<P>(
        &self,
        proof: &Result<P, String>,
        shape: Option<&[usize]>,
        figures: impl FnOnce(&P, Vec<usize>) -> [Vec<u64>; 2],
    ) -> Result<(), Broken> {
        let Self { case, listed, is_damaged } = *self;
        let goes_round = shape.is_some_and(|shape| listed.goes_round(shape));
        let checked = match listed.delivered() {
            Ok(_) if goes_round => Err("a message goes round a whole ring".to_owned()),
            checked => checked,
        };
        let what = if is_damaged { "damaged" } else { "as planned" };
        match (proof, checked) {
            (Ok(proof), Ok(delivered)) => {
                let [proved, counted] = figures(proof, delivered.redundant);
                PROOF_IS_CHECK.equal(format_args!("{what}, counts of verification and check"), &proved, &counted)
            }
            (Err(_), Err(_)) if is_damaged || case.is_unproved() => Ok(()),
            (Err(proof), Err(check)) => Err(PLANS_DELIVER.broken(format!("verification: {proof}; check: {check}"))),
            (Ok(_), Err(check)) => {
                Err(PROOF_IS_CHECK.broken(format!("{what}: the verification finds no error, but the check: {check}")))
            }
            (Err(proof), Ok(_)) => {
                Err(PROOF_IS_CHECK.broken(format!("{what}: the check finds no error, but the verification: {proof}")))
            }
        }
    }
}

/// `listed` with all damages of the case.
fn damaged(case: &Delivery, listed: &Listed) -> Listed {
    let mut damaged = listed.clone();
    case.damages.iter().for_each(|damage| damage.harm(&mut damaged));
    damaged
}

fn tree(prover: &impl Prover, case: &Delivery, schedule: &Schedule, reached: &[NodeId]) -> Result<Listed, Broken> {
    let agree = |schedule: &Schedule, is_damaged: bool| {
        let listed = lists::tree(schedule, reached);
        let proof = prover.tree(schedule, reached);
        let counted = [reached.len(), listed.sent.len(), listed.depth(), listed.fan_out()];
        Checked { case, listed: &listed, is_damaged }.agree(&proof, None, |proof, _| {
            let proved = [proof.destinations, proof.messages, proof.depth, proof.fan_out];
            [proved, counted].map(|figures| figures.map(|figure| figure as u64).to_vec())
        })?;
        Ok(listed)
    };
    let listed = agree(schedule, false)?;
    if !case.damages.is_empty() {
        agree(&damage::tree(schedule, &damaged(case, &listed)), true)?;
    }
    Ok(listed)
}

fn blocks(prover: &impl Prover, case: &Delivery, exchange: &Exchange) -> Result<Listed, Broken> {
    let agree = |exchange: &Exchange, is_damaged: bool| {
        let listed = lists::exchange(exchange);
        let proof = prover.exchange(exchange);
        let nodes = exchange.nodes();
        let counted = [(nodes * (nodes - 1)) as u64, listed.sent.len() as u64, listed.critical_items()];
        Checked { case, listed: &listed, is_damaged }.agree(&proof, Some(exchange.shape()), |proof, _| {
            [vec![proof.blocks, proof.messages as u64, proof.critical_blocks], counted.to_vec()]
        })?;
        Ok(listed)
    };
    let listed = agree(exchange, false)?;
    if !case.damages.is_empty() {
        agree(&damage::exchange(exchange.shape(), &damaged(case, &listed)), true)?;
    }
    Ok(listed)
}

fn vectors(prover: &impl Prover, case: &Delivery, collective: &Collective) -> Result<Listed, Broken> {
    let agree = |collective: &Collective, is_damaged: bool| {
        let listed = lists::collective(collective);
        let proof = prover.collective(collective);
        Checked { case, listed: &listed, is_damaged }.agree(&proof, None, |proof, redundant| {
            let proved = vec![proof.messages as u64, proof.redundant_flits];
            [proved, vec![listed.sent.len() as u64, redundant.len() as u64]]
        })?;
        // ranks that there are not have no messages to wait for
        if proof.is_ok() {
            dependencies(collective, &listed)?;
        }
        Ok(listed)
    };
    let listed = agree(collective, false)?;
    extent(case, collective)?;
    if !case.damages.is_empty() {
        agree(&damage::collective(collective, &damaged(case, &listed)), true)?;
    }
    Ok(listed)
}

/// That a schedule is no larger than its closed form says; segments make more messages, of a flit at least.
fn extent(case: &Delivery, collective: &Collective) -> Result<(), Broken> {
    let plan::Task::Collective(vectors) = &case.task else { return Ok(()) };
    let Some(most) = vectors.extent(&case.machine) else { return Ok(()) };
    let segments = if vectors.segment_flits > 0 { most.vectors * vectors.flits } else { 0 };
    let steps = collective.steps() as u64;
    let messages = collective.len() as u64;
    if steps > most.steps.max(1) || messages > most.messages + segments {
        return Err(EXTENT.broken(format!("{steps} steps and {messages} messages, at most {most:?}")));
    }
    Ok(())
}

/// That messages wait, where there are no barriers, for those that bring what they carry, and for no others.
fn dependencies(collective: &Collective, listed: &Listed) -> Result<(), Broken> {
    let fast = Dependencies::new(collective);
    for (id, plain) in (0..collective.len()).map(MessageId::new).zip(needs(&listed.sent)) {
        let fast: Vec<usize> = fast.needs(id).iter().map(|need| need.index()).collect();
        NEEDS.equal(format_args!("messages that message {id} waits for, stored and searched"), &fast, &plain)?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::*;
    use crate::random;
    use crate::schedule::collective::CollectiveViolation;

    /// A proof that does not see contributions that count twice.
    struct Lenient;

    impl Prover for Lenient {
        fn collective(&self, collective: &Collective) -> Result<CollectiveProof, String> {
            let proved = match collective.check() {
                Err(CollectiveViolation::CountedTwice { .. }) => Err("nothing is wrong".to_owned()),
                proved => return proved.map_err(|violation| violation.to_string()),
            };
            proved.or_else(|_: String| {
                let alone = crate::algorithm::collective::ALGORITHMS[0];
                let request = crate::algorithm::collective::Request::new(collective.operation(), 1, 1);
                let plan = alone.plan(&request).map_err(|error| error.to_string())?;
                plan.check().map_err(|violation| violation.to_string())
            })
        }
    }

    fn drawn(number: u64) -> Delivery {
        Delivery::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..400).find_map(|number| Some((number, judge(&Ours, &drawn(number)).err()?)));
        assert_eq!(broken, None);
    }

    #[test]
    fn every_algorithm_is_drawn() {
        let mut names: Vec<String> = Vec::new();
        for number in 0..12_000 {
            names.push(drawn(number).algorithm().to_owned());
        }
        let has = |name: &str| names.iter().any(|drawn| drawn == name);
        // no network here has routers that copy or combine
        let collectives = crate::algorithm::collective::ALGORITHMS.iter().filter(|algorithm| !algorithm.in_routers);
        let all = collectives.map(|algorithm| algorithm.name);
        let all = all.chain(crate::algorithm::exchange::ALGORITHMS.iter().map(|algorithm| algorithm.name));
        let all = all.chain(crate::algorithm::broadcast::ALGORITHMS.iter().map(|algorithm| algorithm.name));
        let multicasts = crate::algorithm::multicast::ALGORITHMS.iter();
        let multicasts = multicasts.filter(|algorithm| !algorithm.needs_routers() && algorithm.name != "tree-worm");
        let all = all.chain(multicasts.map(|algorithm| algorithm.name));
        let missing: Vec<&str> = all.filter(|name| !has(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// One or two flits show it, and a message or two that are not as they should be.
    #[test]
    fn a_proof_that_overlooks_what_counts_twice_is_found() {
        let first = (0..3000).find_map(|number| Some((drawn(number), judge(&Lenient, &drawn(number)).err()?)));
        let Some((case, broken)) = first else { panic!("nothing is found") };
        let small = minimise(case, broken, |case| judge(&Lenient, case).err());
        assert_eq!(small.broken.law.name, "proof-is-check");
        let plan::Task::Collective(vectors) = &small.case.task else { panic!("{:?}", small.case) };
        assert!(vectors.flits <= 2 && small.case.damages.len() <= 2, "{:?}", small.case);
    }
}
