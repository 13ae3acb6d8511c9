//! The separable allocators (W. J. Dally and B. Towles 2004, section 19.3) with any arbiters.

use super::super::matrix::Matrix;
use super::arbiter::{ArbiterRule, Bank, LeastRecent, RoundRobin, Tree};
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Matching, Requests};
use std::marker::PhantomData;

/// The input-first allocator as scenarios name it.
pub(super) const INPUT_FIRST: AllocatorKind = AllocatorKind {
    name: "separable-input-first",
    summary: "each input nominates one output, then each output grants one nomination",
    reads: Parameters::Arbiters,
    build: &Builder::<InputFirst>(PhantomData),
};

/// The output-first allocator as scenarios name it.
pub(super) const OUTPUT_FIRST: AllocatorKind = AllocatorKind {
    name: "separable-output-first",
    summary: "each output offers itself to one input, then each input accepts one offer",
    reads: Parameters::Arbiters,
    build: &Builder::<OutputFirst>(PhantomData),
};

/// The output-first allocator with round-robin arbiters under another name.
pub(super) const SELECT: AllocatorKind = AllocatorKind {
    name: "select",
    summary: "islip of one iteration in which outputs and inputs select the highest priority",
    reads: Parameters::Nothing,
    build: &Builder::<OutputFirst>(PhantomData),
};

struct Builder<O>(PhantomData<O>);

impl<const W: usize, O: Order<W> + Sync + 'static> Build<W> for Builder<O> {
    fn build(&self, matrix: &Matrix<W>, settings: Settings, _: usize) -> Box<dyn Allocator<W>> {
        let groups = settings.arbiter.groups as usize;
        match settings.arbiter.rule {
            ArbiterRule::RoundRobin if groups == 1 => Separable::<O, RoundRobin<W>>::boxed(matrix, groups),
            ArbiterRule::RoundRobin => Separable::<O, Tree<RoundRobin<W>>>::boxed(matrix, groups),
            ArbiterRule::LeastRecent if groups == 1 => Separable::<O, LeastRecent>::boxed(matrix, groups),
            ArbiterRule::LeastRecent => Separable::<O, Tree<LeastRecent>>::boxed(matrix, groups),
        }
    }
}

/// An allocator of two stages, in one of which inputs choose among outputs, in the other one outputs among inputs. Arbiters advance
/// only when their choice is granted.
struct Separable<O, B> {
    arbiters: Arbiters<B>,
    order: PhantomData<O>,
}

/// The arbiters of all inputs and outputs of a block.
struct Arbiters<B> {
    inputs: B,
    outputs: B,
}

impl<B> Arbiters<B> {
    /// Records the grant of `output` to `input`.
    #[inline(always)]
    fn pass<const W: usize>(&mut self, input: usize, output: usize)
    where
        B: Bank<W>,
    {
        self.inputs.pass(input, output);
        self.outputs.pass(output, input);
    }

    /// Grants `output` to `input`.
    #[inline(always)]
    fn grant<const W: usize>(&mut self, input: usize, output: usize, matching: &mut Matching<W>)
    where
        B: Bank<W>,
    {
        self.pass(input, output);
        matching.grant(input, output);
    }
}

impl<O: 'static, B: 'static> Separable<O, B> {
    fn boxed<const W: usize>(matrix: &Matrix<W>, groups: usize) -> Box<dyn Allocator<W>>
    where
        B: Bank<W>,
        O: Order<W>,
    {
        let arbiters = Arbiters { inputs: B::new(&matrix.outputs, groups), outputs: B::new(&matrix.inputs, groups) };
        Box::new(Self { arbiters, order: PhantomData })
    }
}

impl<const W: usize, O: Order<W>, B: Bank<W>> Allocator<W> for Separable<O, B> {
    fn record(&mut self, _: &Matrix<W>, input: usize, output: usize) {
        self.arbiters.pass(input, output);
    }

    fn allocate(&mut self, _: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let arbiters = &mut self.arbiters;
        let contested = requests.grant_uncontested(|input, outputs| {
            let best = requests.levels.best_outputs(input, outputs);
            arbiters.grant(input, arbiters.inputs.choose(input, best), matching);
        });
        if !contested.is_empty() {
            O::allocate(arbiters, requests, contested, matching);
        }
    }
}

/// The order of the two stages.
trait Order<const W: usize> {
    /// Adds a matching of the requests of the inputs `contested` to the grants.
    fn allocate<B: Bank<W>>(
        arbiters: &mut Arbiters<B>,
        requests: Requests<'_, W>,
        contested: super::VcSet<W>,
        matching: &mut Matching<W>,
    );
}

struct InputFirst;

impl<const W: usize> Order<W> for InputFirst {
    fn allocate<B: Bank<W>>(
        arbiters: &mut Arbiters<B>,
        requests: Requests<'_, W>,
        contested: super::VcSet<W>,
        matching: &mut Matching<W>,
    ) {
        for input in contested {
            let best = requests.levels.best_outputs(input, requests.pairs.outputs_of(input));
            matching.between.insert(input, arbiters.inputs.choose(input, best));
        }
        while let Some((output, nominated)) = matching.between.take() {
            let best = requests.levels.best_inputs(output, nominated);
            arbiters.grant(arbiters.outputs.choose(output, best), output, matching);
        }
    }
}

struct OutputFirst;

impl<const W: usize> Order<W> for OutputFirst {
    fn allocate<B: Bank<W>>(
        arbiters: &mut Arbiters<B>,
        requests: Requests<'_, W>,
        contested: super::VcSet<W>,
        matching: &mut Matching<W>,
    ) {
        for output in requests.outputs_of(contested) {
            let best = requests.levels.best_inputs(output, requests.pairs.inputs_of(output));
            matching.between.insert(output, arbiters.outputs.choose(output, best));
        }
        while let Some((input, offers)) = matching.between.take() {
            let best = requests.levels.best_outputs(input, offers);
            arbiters.grant(input, arbiters.inputs.choose(input, best), matching);
        }
    }
}
