//! Deadlocks of requests that wait for replies to leave their nodes, and of classes that share virtual channels.
//!
//! With `reply_queue` a request waits at its destination while as many requests as the limit allows are not answered. Classes of
//! requests and replies with virtual channels, or a source queue, in common can then wait for each other permanently.

use super::class_keys::REPLY_QUEUE;
use super::classes::{Class, ClassLoop};
use crate::config::{Diagnostic, Reader};
use crate::machine::{DeadlockPolicy, Routers};
use crate::routing::certificate::{Certificate, EndpointClass, Endpoints, ReplyCycle, reply_cycle};
use crate::topology::Links;
use std::sync::Arc;

impl ClassLoop {
    /// The certificate of its packets on `links`, with the injection and ejection channels of nodes.
    pub fn certificate(&self, links: &dyn Links) -> Certificate {
        let Routers { routes, networks, costs, .. } = &self.routers;
        let classes = endpoint_classes(&self.classes);
        let virtual_channels = routes.virtual_channels();
        let endpoints = Endpoints { classes: &classes, networks: *networks, virtual_channels, links };
        routes.endpoint_certificate(endpoints, costs.atomic)
    }

    /// The reason why requests can wait for their replies permanently, or `None` if they cannot.
    pub fn reply_deadlock(&self) -> Option<String> {
        let cycle = reply_cycle(&endpoint_classes(&self.classes))?;
        self.reply_queue.map(|limit| describe_cycle(&self.classes, cycle, limit.into()))
    }

    /// Warnings about requests and replies with virtual channels in common, if their number is not limited.
    pub(super) fn reply_warnings(&self) -> Vec<String> {
        if self.reply_queue.is_some() {
            return Vec::new();
        }
        let classes = endpoint_classes(&self.classes);
        let replied = classes.iter().enumerate().filter_map(|(request, class)| Some((request, class.reply?)));
        let shared = replied.filter(|&(request, reply)| classes[request].shares_channels(&classes[reply]));
        shared.map(|(request, reply)| warning(&self.classes[request], &self.classes[reply])).collect()
    }

    /// Warnings about classes with some virtual channels in common, which the routing divides in a different way for each.
    pub(super) fn division_warnings(&self) -> Vec<String> {
        let classes = endpoint_classes(&self.classes);
        let divided = |one: usize, other: usize| {
            let [one, other] = [&classes[one], &classes[other]];
            let has_same_range = (one.first, one.last()) == (other.first, other.last());
            one.shares_channels(other) && !has_same_range && one.routing.needed_virtual_channels() > 1
        };
        let pairs = (0..classes.len()).flat_map(|one| (one + 1..classes.len()).map(move |other| (one, other)));
        let warning = |(one, other): (usize, usize)| {
            let [one, other] = [&self.classes[one], &self.classes[other]];
            format!(
                "classes `{}` and `{}` share {} but not all of their virtual channels, so that a channel may have different \
                 purposes in `{}` routing; packets are proved deadlock-free only if each class is alone",
                one.name,
                other.name,
                shared_channels(one, other),
                self.routers.routing
            )
        };
        pairs.filter(|&(one, other)| divided(one, other)).map(warning).collect()
    }
}

/// Reports classes whose requests can wait for their replies permanently, unless the scenario allows deadlocks.
pub(super) fn refuse_deadlock(table: &Reader<'_>, routers: &Routers, classes: &[Class]) {
    let Some(limit) = table.optional_integer(&REPLY_QUEUE).filter(|_| routers.policy == DeadlockPolicy::Refuse) else {
        return;
    };
    let Some(cycle) = reply_cycle(&endpoint_classes(classes)) else { return };
    let message = describe_cycle(classes, cycle, limit);
    table.error(
        Diagnostic::at(table.place_of(REPLY_QUEUE.name), message)
            .note("accepted: requests and replies with `vcs` or a `network` of their own, and with a `queue` of their own")
            .hint("remove `reply_queue` for nodes without a limit, or set `router.allow_deadlock` = true to run it anyway"),
    );
}

fn endpoint_classes(classes: &[Class]) -> Vec<EndpointClass> {
    let endpoint_class = |class: &Class| EndpointClass {
        first: class.vcs[0],
        routing: Arc::clone(&class.routes),
        network: class.network,
        queue: class.queue,
        reply: class.reply,
    };
    classes.iter().map(endpoint_class).collect()
}

fn describe_cycle(classes: &[Class], [request, reply, closing]: ReplyCycle, limit: u64) -> String {
    let name = |class: usize| &classes[class].name;
    let [request_name, reply_name] = [name(request), name(reply)];
    let cause = if classes[reply].queue == classes[request].queue {
        "share a source queue".to_owned()
    } else if closing == reply {
        format!("share {}", shared_channels(&classes[request], &classes[reply]))
    } else {
        format!("wait for each other over class `{}`", name(closing))
    };
    format!(
        "requests of class `{request_name}` and replies of class `{reply_name}` can deadlock: with `reply_queue` = {limit} \
         requests wait in the network until replies leave, and they {cause}"
    )
}

fn warning(request: &Class, reply: &Class) -> String {
    format!(
        "requests of class `{}` and replies of class `{}` share {}; that cannot deadlock only because nodes accept any number \
         of requests: see `reply_queue` in `flitwise guide traffic`",
        request.name,
        reply.name,
        shared_channels(request, reply)
    )
}

/// The virtual channels that both classes use.
fn shared_channels(one: &Class, other: &Class) -> String {
    let first = one.vcs[0].max(other.vcs[0]);
    let last = one.vcs[1].min(other.vcs[1]);
    if first == last { format!("virtual channel {first}") } else { format!("virtual channels {first} to {last}") }
}
