//! Keys that all classes of packets have, and their reader.

use crate::config::{Diagnostic, Reader};
use crate::machine::{DeadlockPolicy, Routers};
use crate::units::Key;

/// The name of a class.
pub(crate) const NAME: Key = Key::text("name").required().says("name of the class, such as \"request\"");
/// The virtual channels of a class.
pub(crate) const VCS: Key = Key::integers("vcs", 0..=4095)
    .or_else("all virtual channels")
    .says("virtual channels that packets of the class use, first and last, such as [0, 3]");
/// The priority of a class.
pub(crate) const PRIORITY: Key = Key::integer("priority", 0..=65_535)
    .or(0)
    .says("priority of the class with `router.priority = \"class\"`; larger goes first");

/// The virtual channels of a class, first and last.
pub(crate) fn vcs(class: &Reader<'_>, routers: &Routers) -> Option<[u16; 2]> {
    let most = u64::from(routers.routes.virtual_channels()) - 1;
    let narrow = |vc: u64| u16::try_from(vc).unwrap_or(u16::MAX);
    let Some(given) = class.integers(&VCS) else { return Some([0, narrow(most)]) };
    let refuse = |message: String| {
        let error = Diagnostic::at(class.place_of(VCS.name), message);
        class.error(error.note(format!("accepted: the first and the last virtual channel, from 0 to {most}")));
    };
    let &[(first, _), (last, _)] = given.as_slice() else {
        refuse(format!("`vcs` has {} numbers", given.len()));
        return None;
    };
    if first > last || last > most {
        refuse(format!("`vcs` = [{first}, {last}] are not virtual channels of a link, which has {}", most + 1));
        return None;
    }
    let count = narrow(last - first + 1);
    let needed = routers.routes.needed_virtual_channels();
    if count < needed && routers.policy == DeadlockPolicy::Refuse {
        refuse(format!(
            "`vcs` = [{first}, {last}] are fewer than the {needed} virtual channels without which `{}` can deadlock",
            routers.routing
        ));
        return None;
    }
    Some([narrow(first), narrow(last)])
}

/// The physical network of a class that `key` states, if it does.
pub(crate) fn network(class: &Reader<'_>, key: &Key, routers: &Routers) -> Option<u32> {
    let network = class.optional_integer(key).map(|network| u32::try_from(network).unwrap_or(u32::MAX))?;
    let networks = routers.networks;
    if network >= networks {
        let message = format!("there is no `network` {network}: `router.networks` = {networks}");
        let error = Diagnostic::at(class.place_of(key.name), message);
        class.error(error.note(format!("accepted here: 0 to {}", networks - 1)));
    }
    Some(network)
}

/// Reports names of classes that are empty or given twice, each with its table.
pub(crate) fn refuse_names<'a>(classes: impl Iterator<Item = (&'a Reader<'a>, &'a str)>) {
    let mut seen: Vec<&str> = Vec::new();
    for (table, name) in classes {
        let message = match name {
            "" => "the `name` of a class is empty".to_owned(),
            name if seen.contains(&name) => format!("two classes have the `name` {name}"),
            name => {
                seen.push(name);
                continue;
            }
        };
        table.error(
            Diagnostic::at(table.place_of(NAME.name), message).note("accepted: a name of its own for each class"),
        );
    }
}
