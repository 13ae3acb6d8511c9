//! Links with a name: published energies of a flit over a link.

use super::{ElementLength, Energy};

/// A link with a published energy. Its name is accepted in place of an energy by the keys `link`, `injection`, `ejection` and
/// `energy` of a class of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedLink {
    /// The name in scenarios.
    pub name: &'static str,
    /// The energy as the text of a key.
    pub value: &'static str,
    /// The technology.
    pub title: &'static str,
    /// The publication of the value.
    pub source: &'static str,
}

const UCIE: &str = "Das Sharma, Hot Interconnects 2025";
const NVIDIA: &str = "NVIDIA's comparison of NVLink-C2C with 112G SerDes";

/// A hop of FlooNoC, which is a preset, too.
pub(super) const FLOONOC: NamedLink =
    NamedLink::new("floonoc-12", "0.15pJ/B", "hop of FlooNoC, 12 nm", super::floonoc::SOURCE);

/// All named links.
pub const NAMED_LINKS: [NamedLink; 10] = [
    NamedLink::new("ucie-2d", "0.5pJ/bit", "UCIe, standard package", UCIE),
    NamedLink::new("ucie-2d-32g", "0.6pJ/bit", "UCIe, standard package, 32 GT/s", UCIE),
    NamedLink::new("ucie-2.5d", "0.25pJ/bit", "UCIe, advanced package", UCIE),
    NamedLink::new("ucie-2.5d-32g", "0.3pJ/bit", "UCIe, advanced package, 32 GT/s", UCIE),
    NamedLink::new("ucie-3d", "0.05pJ/bit", "UCIe, stacked chiplets", UCIE),
    NamedLink::new("low-swing-45", "40.4fJ/bit/mm", "low-swing repeated wire, 45 nm SOI", "Park et al., DATE 2013"),
    FLOONOC,
    NamedLink::new("nvlink-c2c", "1.3pJ/bit", "NVLink-C2C between chips", NVIDIA),
    NamedLink::new("serdes", "5.5pJ/bit", "112G SerDes between packages", NVIDIA),
    NamedLink::new("hbm-io", "0.95pJ/bit", "interface of high-bandwidth memory", "a published value"),
];

impl NamedLink {
    const fn new(name: &'static str, value: &'static str, title: &'static str, source: &'static str) -> Self {
        Self { name, value, title, source }
    }

    /// Returns the link of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        const LINKS: &[NamedLink] = &NAMED_LINKS;
        LINKS.iter().find(|link| link.name == name)
    }

    /// The energy of a flit.
    #[expect(clippy::expect_used, reason = "a test reads the value of every named link")]
    pub fn energy(&self) -> Energy {
        Energy::parse(self.value, ElementLength::Channel).expect("the value of a named link is an energy")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Micrometres;
    use super::*;

    #[test]
    fn every_link_has_its_published_energy() {
        let attojoules = |link: &NamedLink| (link.name, link.energy().attojoules(8, Micrometres::new(2000)));
        assert_eq!(
            NAMED_LINKS.each_ref().map(attojoules),
            [
                ("ucie-2d", 4_000_000),
                ("ucie-2d-32g", 4_800_000),
                ("ucie-2.5d", 2_000_000),
                ("ucie-2.5d-32g", 2_400_000),
                ("ucie-3d", 400_000),
                ("low-swing-45", 646_400),
                ("floonoc-12", 150_000),
                ("nvlink-c2c", 10_400_000),
                ("serdes", 44_000_000),
                ("hbm-io", 7_600_000),
            ]
        );
        assert_eq!(NamedLink::by_name("serdes").map(|link| link.value), Some("5.5pJ/bit"));
        assert_eq!(NamedLink::by_name("serde"), None);
    }
}
