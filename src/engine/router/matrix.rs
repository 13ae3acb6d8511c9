//! The inputs and outputs that an allocator matches, as a matrix of inputs and outputs for each router.
//!
//! Inputs and outputs have numbers of the block ([`super::layout`]), some of which are not in use. Within a router they also have an
//! index without gaps, which diagonals of a matrix, groups of an arbiter and random starts count.

use super::layout::Layout;
use super::vcset::{VcArray, VcSet, WORD, short};
use crate::engine::router::Crossbar;
use crate::routing::Wiring;

/// Number of an index, and index of a number, within a router.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    index: Vec<u16>,
    number: Vec<u16>,
    in_router: usize,
}

impl Side {
    /// Creates a side with the numbers `numbers` within a router, in the order of their indices.
    pub(crate) fn new(numbers: &[usize], in_router: usize) -> Self {
        let mut index = vec![0; in_router + 1];
        for (at, &number) in numbers.iter().enumerate() {
            index[number] = short(at);
        }
        Self { index, number: numbers.iter().map(|&number| short(number)).collect(), in_router }
    }

    /// The number of inputs or outputs of a router.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.number.len()
    }

    /// The index of `number` within its router.
    #[inline(always)]
    pub(crate) fn index(&self, number: usize) -> usize {
        self.index[number & self.in_router].into()
    }

    /// The number of `index` at the router whose first number is `router`.
    #[inline(always)]
    pub(crate) fn number(&self, router: usize, index: usize) -> usize {
        router + usize::from(self.number[index])
    }

    /// The indices of `numbers`, all of one router, as a set.
    pub(crate) fn indices<const W: usize>(&self, numbers: VcSet<W>) -> VcSet<W> {
        let mut indices = VcSet::EMPTY;
        for number in numbers {
            indices.insert(self.index(number));
        }
        indices
    }

    /// The first of `numbers`, all of the router whose first number is `router`, by index from `start` on. The set must not be empty.
    pub(crate) fn first_from<const W: usize>(&self, router: usize, start: usize, numbers: VcSet<W>) -> usize {
        self.number(router, self.indices(numbers).first_from(start))
    }

    /// The largest number within a router.
    pub(crate) fn in_router(&self) -> usize {
        self.in_router
    }

    /// The numbers at router 0.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.number.iter().map(|&number| number.into())
    }
}

/// Inputs and outputs of an allocator, and the input VCs that share an input.
#[derive(Clone, Debug)]
pub(crate) struct Matrix<const W: usize> {
    pub(crate) inputs: Side,
    pub(crate) outputs: Side,
    /// The largest number within a router, as a mask.
    in_router: usize,
    members: Members<W>,
}

/// The input VCs that share an input, for all routers of a block.
#[derive(Clone, Debug)]
struct Members<const W: usize> {
    /// Per input VC, its input.
    input_of: VcArray<u16, W>,
    /// Per input, its VCs.
    of_input: VcArray<VcSet<W>, W>,
}

impl<const W: usize> Members<W> {
    /// The members of the inputs of all routers, given pairs of an input and a VC of the first one.
    fn new(in_router: usize, pairs: &[(usize, usize)]) -> Self {
        let mut members = Self { input_of: VcArray::filled(0), of_input: VcArray::filled(VcSet::EMPTY) };
        for router in (0..WORD * W).step_by(in_router + 1) {
            for &(input, vc) in pairs {
                members.input_of[router + vc] = short(router + input);
                members.of_input[router + input].insert(router + vc);
            }
        }
        members
    }
}

/// The order of input VCs in VC allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VcOrder {
    /// By port, then by VC.
    ByPort,
    /// By VC, then by port.
    ByVc,
}

impl<const W: usize> Matrix<W> {
    /// Creates the matrix of VC allocation: every input VC and every output VC of `layout` by itself.
    pub(crate) fn of_vcs(layout: &Layout<W>, wiring: &dyn Wiring, order: VcOrder) -> Self {
        let in_router = layout.in_router();
        let ports = layout.numbering.ports;
        let vcs = layout.numbering.vcs;
        let output = |port, vc| layout.port(0, port) + vc;
        let input = |port, vc| match order {
            VcOrder::ByPort => output(port, vc),
            VcOrder::ByVc => vc * ports.next_power_of_two() + port,
        };
        let [outputs, inputs] = port_orders(layout, wiring);
        let each = |order: &[usize]| -> Vec<(usize, usize)> {
            order.iter().flat_map(|&port| (0..vcs).map(move |vc| (port, vc))).collect()
        };
        let pairs = each(&inputs).into_iter().map(|(port, vc)| (input(port, vc), output(port, vc)));
        let members = Members::new(in_router, &pairs.collect::<Vec<_>>());
        let mut rows: Vec<(usize, usize)> = each(&inputs);
        if order == VcOrder::ByVc {
            rows.sort_by_key(|&(_, vc)| vc);
        }
        let rows: Vec<usize> = rows.into_iter().map(|(port, vc)| input(port, vc)).collect();
        let columns: Vec<usize> = each(&outputs).into_iter().map(|(port, vc)| output(port, vc)).collect();
        let sides = [&rows, &columns].map(|numbers| Side::new(numbers, in_router));
        let [inputs, outputs] = sides;
        Self { inputs, outputs, in_router, members }
    }

    /// Creates the matrix of switch allocation: the inputs and outputs of a crossbar with `crossbar.input_speedup` inputs for a port,
    /// among which its VCs are dealt out, and `crossbar.output_speedup` outputs for a port.
    pub(crate) fn of_crossbar(layout: &Layout<W>, wiring: &dyn Wiring, crossbar: Crossbar) -> Self {
        let in_router = layout.in_router();
        let vcs = layout.numbering.vcs;
        let [outputs, inputs] = port_orders(layout, wiring);
        let speedup = (crossbar.input_speedup as usize).min(vcs);
        let copies = layout.outputs_of_port(crossbar);
        let ports = (0..layout.numbering.ports).map(|port| layout.port(0, port));
        let pairs = ports.flat_map(|port| (0..vcs).map(move |vc| (port + vc % speedup, port + vc)));
        let members = Members::new(in_router, &pairs.collect::<Vec<_>>());
        let side = |ports: &[usize], copies: usize| {
            let numbers = ports.iter().flat_map(|&port| (0..copies).map(move |copy| layout.port(0, port) + copy));
            Side::new(&numbers.collect::<Vec<_>>(), in_router)
        };
        Self { inputs: side(&inputs, speedup), outputs: side(&outputs, copies), in_router, members }
    }

    /// The input that input VC `vc` is a member of.
    #[inline(always)]
    pub(crate) fn input_of(&self, vc: usize) -> usize {
        self.members.input_of[vc].into()
    }

    /// The input VCs that share `input`.
    #[inline(always)]
    pub(crate) fn members(&self, input: usize) -> VcSet<W> {
        self.members.of_input[input]
    }

    /// The first number of the router of `number`.
    #[inline(always)]
    pub(crate) fn router_of(&self, number: usize) -> usize {
        number & !self.in_router
    }

    /// The number of routers of a block.
    pub(crate) fn routers_of_block(&self) -> usize {
        WORD * W / (self.in_router + 1)
    }

    /// The router of `number` among those of its block.
    pub(crate) fn router_index(&self, number: usize) -> usize {
        number / (self.in_router + 1)
    }

    /// The first numbers of the routers of `numbers`.
    #[inline(always)]
    pub(crate) fn routers(&self, numbers: VcSet<W>) -> VcSet<W> {
        let mut routers = VcSet::EMPTY;
        for number in numbers {
            routers.insert(self.router_of(number));
        }
        routers
    }

    /// All numbers of the router whose first number is `router`.
    #[inline(always)]
    pub(crate) fn router_set(&self, router: usize) -> VcSet<W> {
        VcSet::range(router, self.in_router + 1)
    }
}

/// The ports of a router in the order in which a matrix counts them, as outputs and as inputs: by the sides where neighbours are, so
/// that flits that go straight on in opposite directions are on one diagonal.
fn port_orders<const W: usize>(layout: &Layout<W>, wiring: &dyn Wiring) -> [Vec<usize>; 2] {
    let links = layout.numbering.links;
    let side = |port: usize, way: usize| if port < links { wiring.sides(port)[way] } else { port };
    [0, 1].map(|way| {
        let mut ports: Vec<usize> = (0..layout.numbering.ports).collect();
        ports.sort_by_key(|&port| side(port, way));
        ports
    })
}

#[cfg(test)]
impl Matrix<1> {
    /// A matrix of `inputs` by `outputs`, numbered without gaps.
    pub(crate) fn plain(inputs: usize, outputs: usize) -> Self {
        let in_router = WORD - 1;
        let [rows, columns] = [inputs, outputs].map(|count| Side::new(&(0..count).collect::<Vec<_>>(), in_router));
        let members = Members::new(in_router, &(0..WORD).map(|number| (number, number)).collect::<Vec<_>>());
        Self { inputs: rows, outputs: columns, in_router, members }
    }
}
