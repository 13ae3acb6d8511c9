//! Allocators the plain way: a list of requests, and lists of pointers.

use super::wait;
use crate::engine::router::AllocatorChoice;
use std::collections::{BTreeMap, BTreeSet};

/// The priorities of requests, by input and output.
pub(super) type Requests = BTreeMap<(usize, usize), u8>;

/// The allocator of a router.
pub(super) struct Allocator {
    choice: AllocatorChoice,
    /// By input, the output that has priority.
    inputs: Vec<usize>,
    /// By output, the input that has priority.
    outputs: Vec<usize>,
    /// The first diagonal of wavefronts.
    diagonal: usize,
    /// By number, the side as an output and as an input, of which wavefronts have the diagonals.
    sides: Vec<[usize; 2]>,
}

impl Allocator {
    /// An allocator of inputs and outputs at these `sides`.
    pub(super) fn new(choice: AllocatorChoice, sides: Vec<[usize; 2]>) -> Self {
        Self { choice, inputs: vec![0; sides.len()], outputs: vec![0; sides.len()], diagonal: 0, sides }
    }

    /// The granted pairs of an input and an output.
    pub(super) fn allocate(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        match self.choice.name() {
            "separable-input-first" => self.input_first(requests),
            "separable-output-first" => self.output_first(requests),
            "islip" => self.islip(requests),
            "wavefront" => self.wavefront(requests),
            other => unreachable!("`{other}` is an allocator of the engine alone"),
        }
    }

    /// Every input picks an output, and every output one of the inputs that have picked it.
    fn input_first(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let picked = self.picked_by_inputs(requests);
        let granted: Vec<(usize, usize)> = self.picked_by_outputs(&picked).into_keys().collect();
        self.update(&granted);
        granted
    }

    /// Every output picks an input, and every input one of the outputs that have picked it.
    fn output_first(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let picked = self.picked_by_outputs(requests);
        let granted: Vec<(usize, usize)> = self.picked_by_inputs(&picked).into_keys().collect();
        self.update(&granted);
        granted
    }

    /// Output first, repeated among inputs and outputs that are left. Priorities have no effect.
    fn islip(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let mut left: Requests = requests.keys().map(|&pair| (pair, 0)).collect();
        let mut granted = Vec::new();
        for iteration in 0..self.choice.iterations() {
            let picked = self.picked_by_outputs(&left);
            let accepted: Vec<(usize, usize)> = self.picked_by_inputs(&picked).into_keys().collect();
            if iteration == 0 {
                self.update(&accepted);
            }
            left.retain(|pair, _| accepted.iter().all(|taken| taken.0 != pair.0 && taken.1 != pair.1));
            granted.extend(accepted);
        }
        granted
    }

    /// Diagonal by diagonal, what is requested and left, first all of the highest priority.
    fn wavefront(&mut self, requests: &Requests) -> Vec<(usize, usize)> {
        let size = self.inputs.len();
        let mut granted: Vec<(usize, usize)> = Vec::new();
        for priority in [1, 0] {
            for step in 0..size {
                for (&(input, output), _) in requests.iter().filter(|(_, of)| **of == priority) {
                    let is_left = granted.iter().all(|&(taken, gone)| taken != input && gone != output);
                    let diagonal = self.sides[input][1] + self.sides[output][0];
                    if is_left && diagonal % size == (self.diagonal + step) % size {
                        granted.push((input, output));
                    }
                }
            }
        }
        if !requests.is_empty() {
            self.diagonal = (self.diagonal + 1) % size;
        }
        granted
    }

    /// For every input the first request from its pointer on, among those with the highest priority.
    fn picked_by_inputs(&self, requests: &Requests) -> Requests {
        let size = self.outputs.len();
        let inputs: BTreeSet<usize> = requests.keys().map(|(input, _)| *input).collect();
        let pick = |at| {
            let own = requests.iter().filter(|((input, _), _)| *input == at);
            own.min_by_key(|((_, output), of)| (u8::MAX - **of, wait(*output, self.inputs[at], size)))
        };
        inputs.into_iter().filter_map(pick).map(|(pair, of)| (*pair, *of)).collect()
    }

    /// For every output the first request from its pointer on, among those with the highest priority.
    fn picked_by_outputs(&self, requests: &Requests) -> Requests {
        let size = self.inputs.len();
        let outputs: BTreeSet<usize> = requests.keys().map(|(_, output)| *output).collect();
        let pick = |at| {
            let own = requests.iter().filter(|((_, output), _)| *output == at);
            own.min_by_key(|((input, _), of)| (u8::MAX - **of, wait(*input, self.outputs[at], size)))
        };
        outputs.into_iter().filter_map(pick).map(|(pair, of)| (*pair, *of)).collect()
    }

    /// Moves the pointers past the partner.
    fn update(&mut self, granted: &[(usize, usize)]) {
        for &(input, output) in granted {
            self.inputs[input] = (output + 1) % self.outputs.len();
            self.outputs[output] = (input + 1) % self.inputs.len();
        }
    }
}
