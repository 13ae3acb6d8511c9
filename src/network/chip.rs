//! The networks of a chip: a one-way torus, or two of them side by side that lead opposite ways.

use super::{Axes, NetworkError, NetworkSpec, Parameter, narrow, with_article};
use crate::routing::one_way::BITS;
use crate::routing::{LinkNetwork, Network, OneWay};
use crate::topology::{LatticeLinks, Linked, Links, Ports, SideBySide};
use std::sync::Arc;

/// One-way tori as a chip has them.
#[derive(Clone, Debug)]
pub struct ChipSpec {
    /// The dimensions, and the order in which messages of the first network cross them.
    pub axes: Axes,
    /// The links of the first network.
    pub torus: LatticeLinks,
    /// Whether there is a second network, whose links lead the other way and whose messages cross the last dimension first.
    pub is_pair: bool,
    /// Kinds of messages, each with virtual channels of its own.
    pub kinds: u8,
    /// What its own description says of the first network.
    pub parameters: Vec<(&'static str, Parameter)>,
}

impl ChipSpec {
    fn tori(&self) -> SideBySide {
        SideBySide::new(self.torus.clone(), self.is_pair)
    }

    /// The routing.
    ///
    /// # Errors
    /// If the order of the dimensions is none.
    pub fn one_way(&self) -> Result<OneWay, NetworkError> {
        Ok(OneWay::new(Arc::new(self.tori()), &self.axes.order(), self.kinds)?)
    }

    /// Virtual channels of a link as paths tell them: one for each class.
    fn classes(&self) -> u8 {
        BITS * self.kinds
    }
}

impl NetworkSpec for ChipSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = self.parameters.clone();
        if self.is_pair {
            parameters.push(("networks", Parameter::Integer(2)));
        }
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let paths = self.one_way()?;
        let links = Arc::new(self.tori());
        let what = || with_article(&self.title());
        let channels = Linked::new(links, usize::from(self.classes()), ports, what)?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::new(paths))))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.tori()))
    }

    fn title(&self) -> String {
        match self.is_pair {
            true => format!("two {}", self.axes.title("one-way tori", "one-way rings")),
            false => self.axes.title("one-way torus", "one-way ring"),
        }
    }

    fn routing(&self) -> &'static str {
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        let sides = self.axes.shape.iter().copied().map(narrow);
        if self.is_pair { std::iter::once(2).chain(sides).collect() } else { sides.collect() }
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(self.shape())
    }

    fn longest_path(&self) -> u64 {
        self.axes.longest_path()
    }

    /// Half of the way round every dimension.
    fn mean_path(&self) -> u64 {
        2 + (self.axes.longest_path() - 2) / 2
    }

    fn virtual_channels(&self) -> u64 {
        self.classes().into()
    }
}
