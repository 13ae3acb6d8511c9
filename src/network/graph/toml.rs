//! Graphs as TOML: `routers`, the router of each `node`, and `[[link]]` tables.

use super::draft::{self, Draft, LARGEST, LONGEST_DELAY, LONGEST_FLIT_TIME, OTHER_CLASS};
use crate::config::{Diagnostic, Errors, Place, Quantity, Reader, Scale, parse_table};
use crate::units::key::Takes;
use crate::units::{Key, narrow};

const ROUTERS: Key = Key::integer("routers", 1..=LARGEST).says("number of routers");
const NODE: Key = Key::integers("node", 0..=LARGEST).says("router of each node");
const ENDS: Key = Key::integers("ends", 0..=LARGEST).says("the two routers that the link connects");
const FLIT_TIME: Key = Key::integer("flit_time", 1..=LONGEST_FLIT_TIME)
    .or_else("`channel.flit_time`")
    .unit("ticks")
    .says("time for a flit to cross the link");
const BANDWIDTH: Key = Key::quantity("bandwidth")
    .or_else("`channel.bandwidth`")
    .unit("GB/s")
    .says("bandwidth of the link instead of `flit_time`, such as \"400Gb/s\"");
const DELAY: Key =
    Key::integer("delay", 0..=LONGEST_DELAY).or(0).unit("ticks").says("additional delay of a flit on the link");
const ONE_WAY: Key =
    Key::boolean("one_way").or_boolean(false).says("true if the link leads only from the first router to the second");
const CLASS: Key = Key::text("class").or_else("link").says("class of the link, which has a table [links.NAME]");
const LINK: Key = Key::tables("link", &[ENDS, FLIT_TIME, BANDWIDTH, DELAY, ONE_WAY, CLASS])
    .says("link in both directions, or in one");

/// The keys of the file.
static KEYS: &[Key] = &[ROUTERS, NODE, LINK];

/// Reads the whole file, which is source `source`.
pub(super) fn read(draft: &mut Draft<'_, '_>, source: usize) {
    let errors = Errors::default();
    match parse_table(draft.text, source) {
        Ok(table) => {
            let root = Reader::root(&table, KEYS, &errors);
            add(draft, &root);
            root.finish();
        }
        Err(wrong) => errors.borrow_mut().push(wrong),
    }
    for wrong in errors.into_inner() {
        draft.pass_on(wrong);
    }
}

/// Returns the ticks of a time or of a flit at a bandwidth, with a unit or as an integer, or `None` if it is not given or
/// wrong, which has been reported.
fn time(draft: &Draft<'_, '_>, table: &Reader<'_>, key: &Key) -> Option<u64> {
    let refuse = |why: String| table.error(Diagnostic::at(table.place_of(key.name), format!("`{}` {why}", key.name)));
    let is_bandwidth = |text: &str| matches!(Quantity::parse(text), Ok(Quantity::Bandwidth(_)));
    let (least, most) = match key.takes {
        Takes::Integer(least, most) => (least, most),
        _ => (1, LONGEST_FLIT_TIME),
    };
    match table.text_within(&[key.name]) {
        Some(text) if is_bandwidth(text) != (key.name == BANDWIDTH.name) => {
            refuse(format!("cannot be \"{text}\": {} is needed", key.values_text()));
        }
        Some(text) => match Scale::ticks_of_file(draft.scale(), text) {
            Ok(None) => return table.optional_integer(key),
            Ok(Some(ticks)) if (least..=most).contains(&ticks) => return Some(ticks),
            Ok(Some(ticks)) => refuse(format!("is {ticks} ticks, which is out of range: {least} to {most} ticks")),
            Err(why) => refuse(why),
        },
        None if matches!(key.takes, Takes::Quantity) => {
            refuse(format!("must have a unit: {}", key.values_text()));
        }
        None => return table.optional_integer(key),
    }
    None
}

/// Returns the index of the class of the link in `table`, or `None` if its name is reserved, which has been reported.
fn class(draft: &mut Draft<'_, '_>, table: &Reader<'_>) -> Option<u32> {
    let Some((name, place)) = table.string(&CLASS) else { return draft.class("") };
    let class = draft.class(name);
    if class.is_none() {
        let diagnostic = Diagnostic::at(place.clone(), draft::reserved_class(name));
        table.error(diagnostic.note(format!("accepted: {OTHER_CLASS}")));
    }
    class
}

fn add(draft: &mut Draft<'_, '_>, root: &Reader<'_>) {
    for key in [ROUTERS, NODE].into_iter().filter(|key| !root.gives(key)) {
        draft.refuse(0..0, format!("`{}` is missing: {}", key.name, key.sentence), &key.takes.in_words());
    }
    let Some(routers) = root.optional_integer(&ROUTERS) else { return };
    let narrow = |number: u64| narrow(number, "numbers of nodes and routers are checked");
    let none = |number: u64, place: &Place| {
        let wrong = Diagnostic::at(place.clone(), format!("there is no router {number}"));
        root.error(wrong.note(format!("accepted: 0 to {}", routers - 1)));
    };
    for (node, (router, place)) in root.integers(&NODE).unwrap_or_default().into_iter().enumerate() {
        match router < routers {
            true => draft.hang(narrow(node as u64), narrow(router), draft.cost(None, None), place.span.start),
            false => none(router, place),
        }
    }
    for table in root.tables("link") {
        let ends = table.integers(&ENDS);
        let flit_time = if table.gives(&BANDWIDTH) {
            if table.gives(&FLIT_TIME) {
                let message = "`flit_time` and `bandwidth` are both given";
                let diagnostic = Diagnostic::at(table.place_of("bandwidth"), message);
                table.error(diagnostic.note("accepted: one of the two"));
            }
            time(draft, &table, &BANDWIDTH)
        } else {
            time(draft, &table, &FLIT_TIME)
        };
        let delay = time(draft, &table, &DELAY).unwrap_or(0);
        let one_way = table.boolean(&ONE_WAY);
        let class = class(draft, &table);
        table.finish();
        let Some(&[(from, ref first), (to, ref second)]) = ends.as_deref() else {
            let message = "`ends` must be an array of two routers";
            table.error(Diagnostic::at(table.place_of("ends"), message).note("accepted: for example [0, 1]"));
            continue;
        };
        let mut beyond = [(from, first), (to, second)].into_iter().filter(|(router, _)| *router >= routers);
        if let Some((router, place)) = beyond.next() {
            none(router, place);
            continue;
        }
        let start = first.span.start;
        let from = narrow(from);
        let to = narrow(to);
        if from == to {
            draft.refuse_loop(from, start);
            continue;
        }
        let cost = draft.cost(flit_time, Some(delay));
        let Some(class) = class else { continue };
        draft.join([from, to], cost, class, start);
        if !one_way {
            draft.join([to, from], cost, class, start);
        }
    }
    draft.count_routers(routers);
}
