//! The values of all keys, checked by the table of keys, with the errors and notes of a conversion.

use super::dialect::Dialect;
use super::keys::{BooksimKey, Fate, HOST_TRAFFIC, KeyType};
use super::problem::{Location, Note, Problem};
use super::syntax::{Assignment, Form, Parsed};
use super::value::entries;
use crate::spelling::closest;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A value of a key.
#[derive(Clone, Debug)]
struct Setting {
    text: String,
    location: Location,
}

/// A configuration with all defaults.
///
/// The readers of its parts report errors and notes to it and continue with another value, so that one conversion finds
/// all errors.
pub(super) struct Configuration {
    dialect: Dialect,
    settings: BTreeMap<&'static str, Setting>,
    problems: RefCell<Vec<Problem>>,
    notes: RefCell<Vec<Note>>,
}

impl Configuration {
    /// Checks assignments by the table of keys. A later assignment replaces an earlier one.
    pub(super) fn new(parsed: Parsed, dialect: Dialect) -> Self {
        let configuration = Self {
            dialect,
            settings: BTreeMap::new(),
            problems: RefCell::new(parsed.problems),
            notes: RefCell::default(),
        };
        parsed.assignments.into_iter().fold(configuration, Self::assign).checked()
    }

    fn assign(mut self, assignment: Assignment) -> Self {
        let key = match BooksimKey::find(&assignment.key) {
            Some(key) if self.dialect.fate(key) != Fate::EmbeddedOnly => key,
            Some(_) => {
                self.problems.get_mut().push(embedded_only(assignment));
                return self;
            }
            None => {
                self.problems.get_mut().push(unknown(assignment, self.dialect));
                return self;
            }
        };
        let accepted = match key.value.accepts(&assignment.text, assignment.form) {
            true => None,
            false => Some(key.value.name()),
        };
        let Assignment { text, location, .. } = assignment;
        if let Some(accepted) = accepted {
            self.problems.get_mut().push(Problem {
                location: Some(location),
                subject: format!("{} = {text}", key.name),
                reason: "the value has the wrong type".to_owned(),
                accepted: accepted.to_owned(),
            });
            return self;
        }
        self.settings.insert(key.name, Setting { text, location });
        self
    }

    /// Reports refused values, and values without effect.
    fn checked(mut self) -> Self {
        let keys: Vec<&BooksimKey> = self.dialect.keys().filter(|key| self.differs_from_default(key)).collect();
        for key in keys {
            match self.dialect.fate(key) {
                Fate::Mapped | Fate::EmbeddedOnly => {}
                Fate::WithoutEffect => {
                    self.note(key.name, &format!("has no effect: {}", reason(key)));
                    // the parts that both readers have find the default
                    self.settings.remove(key.name);
                }
                Fate::Refused => self.refuse(key.name, key.remark, default_text(key)),
            }
        }
        self
    }

    /// True if some entry of the value differs from the default.
    fn differs_from_default(&self, key: &BooksimKey) -> bool {
        let Some(setting) = self.settings.get(key.name) else { return false };
        let is_default = |entry: &&str| match (entry.parse::<f64>(), key.default.parse::<f64>()) {
            (Ok(entry), Ok(default)) => entry.total_cmp(&default).is_eq(),
            _ => *entry == key.default,
        };
        !entries(&setting.text).iter().all(is_default)
    }

    /// The value of the key `name` as text, or its default.
    pub(super) fn text(&self, name: &str) -> &str {
        let default = || BooksimKey::find(name).map_or("", |key| key.default);
        self.settings.get(name).map_or_else(default, |setting| setting.text.as_str())
    }

    /// True if the configuration sets the key `name`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.settings.contains_key(name)
    }

    /// The location of the key `name`, if the configuration sets it.
    pub(super) fn location(&self, name: &str) -> Option<Location> {
        self.settings.get(name).map(|setting| setting.location.clone())
    }

    /// The value of an integer key.
    pub(super) fn integer(&self, name: &str) -> i64 {
        parse_integer(self.text(name))
    }

    /// True if the value of an integer key is above 0.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.integer(name) > 0
    }

    /// The value of a decimal key.
    pub(super) fn decimal(&self, name: &str) -> f64 {
        parse_number(self.text(name))
    }

    /// An integer for each of `classes` classes. A vector that is too short repeats its last entry.
    pub(super) fn integers(&self, name: &str, classes: usize) -> Vec<i64> {
        extended(entries(self.text(name)), classes).into_iter().map(parse_integer).collect()
    }

    /// A number for each of `classes` classes.
    pub(super) fn decimals(&self, name: &str, classes: usize) -> Vec<f64> {
        extended(entries(self.text(name)), classes).into_iter().map(parse_number).collect()
    }

    /// A word for each of `classes` classes.
    pub(super) fn words(&self, name: &str, classes: usize) -> Vec<&str> {
        extended(entries(self.text(name)), classes)
    }

    /// A list of integers for each of `classes` classes.
    pub(super) fn lists(&self, name: &str, classes: usize) -> Vec<Vec<i64>> {
        let integers = |list: &str| entries(list).into_iter().map(parse_integer).collect();
        self.words(name, classes).into_iter().map(integers).collect()
    }

    /// The value of an integer key in `range`. Any other value is reported, and the nearest one returned.
    pub(super) fn integer_in(&self, name: &str, range: std::ops::RangeInclusive<i64>) -> i64 {
        let value = self.integer(name);
        if !range.contains(&value) {
            let accepted = match *range.end() {
                i64::MAX => format!("an integer from {}", range.start()),
                end => format!("an integer from {} to {end}", range.start()),
            };
            self.refuse(name, "out of range", &accepted);
        }
        value.clamp(*range.start(), *range.end())
    }

    /// Reports an error of the key `name`.
    pub(super) fn refuse(&self, name: &str, reason: &str, accepted: &str) {
        let problem = Problem {
            location: self.location(name),
            subject: self.subject(name),
            reason: reason.to_owned(),
            accepted: accepted.to_owned(),
        };
        push_new(&mut self.problems.borrow_mut(), problem);
    }

    /// Adds a note on the key `name`. The sentence continues `key = value`.
    pub(super) fn note(&self, name: &'static str, sentence: &str) {
        let text = format!("{} {sentence}", self.subject(name));
        push_new(&mut self.notes.borrow_mut(), Note { key: name, location: self.location(name), text });
    }

    /// The assignment of the key `name` as text.
    fn subject(&self, name: &str) -> String {
        match self.text(name) {
            "" => name.to_owned(),
            text if self.is_set(name) => format!("{name} = {text}"),
            text => format!("{name} = {text} (default)"),
        }
    }

    /// Returns the notes.
    ///
    /// # Errors
    /// Returns all errors, if there are any.
    pub(super) fn finish(self) -> Result<Vec<Note>, Vec<Problem>> {
        let problems = self.problems.into_inner();
        if problems.is_empty() { Ok(self.notes.into_inner()) } else { Err(problems) }
    }
}

/// Adds `item`, unless a reader of another class has reported the same.
fn push_new<T: PartialEq>(items: &mut Vec<T>, item: T) {
    if !items.contains(&item) {
        items.push(item);
    }
}

/// The reason why `key` has no effect.
fn reason(key: &BooksimKey) -> &'static str {
    if key.fate == Fate::Mapped || key.fate == Fate::Refused { HOST_TRAFFIC } else { key.remark }
}

/// The error of a key that only configurations of embedded networks have.
fn embedded_only(assignment: Assignment) -> Problem {
    Problem {
        location: Some(assignment.location),
        subject: format!("{} = {}", assignment.key, assignment.text),
        reason: format!("BookSim 2 has no key `{}`: only embedded networks read it", assignment.key),
        accepted: "a configuration without it; `flitwise guide embed` describes embedded networks".to_owned(),
    }
}

/// The error of a key that is not in the table.
fn unknown(assignment: Assignment, dialect: Dialect) -> Problem {
    let nearest = closest(&assignment.key, dialect.keys().map(|key| key.name));
    let meant = nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Problem {
        location: Some(assignment.location),
        subject: format!("{} = {}", assignment.key, assignment.text),
        reason: format!("BookSim 2 has no key `{}`{meant}", assignment.key),
        accepted: "the keys of `flitwise list booksim-keys`".to_owned(),
    }
}

/// The default value of `key` as an error shows it.
fn default_text(key: &BooksimKey) -> &'static str {
    if key.default.is_empty() { "no file" } else { key.default }
}

impl KeyType {
    /// True if a value of this type is written as `text`, which has the form `form`.
    fn accepts(self, text: &str, form: Form) -> bool {
        let is_number = form != Form::Word && text.parse::<f64>().is_ok_and(f64::is_finite);
        match self {
            Self::Any => true,
            Self::Integer => is_integer(text),
            Self::Decimal => is_number,
            Self::Word => form == Form::Word && !text.starts_with('{'),
            Self::Words => form == Form::Word && !entries(text).is_empty(),
            Self::Seed => is_integer(text) || text == "time",
            Self::Integers => is_vector_of(text, is_integer),
            Self::Decimals => is_vector_of(text, is_decimal),
            Self::IntegerLists => is_vector_of(text, |list| is_vector_of(list, is_integer)),
        }
    }
}

/// True if `text` has entries, all of which are `valid`.
fn is_vector_of(text: &str, valid: fn(&str) -> bool) -> bool {
    let entries = entries(text);
    !entries.is_empty() && entries.into_iter().all(valid)
}

/// True if `text` is an integer of BookSim 2, which has 32 bits.
fn is_integer(text: &str) -> bool {
    text.parse::<i32>().is_ok()
}

/// True if `text` is a finite number in digits.
fn is_decimal(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_alphabetic() && !"eE".contains(c))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[expect(clippy::expect_used, reason = "values are checked when they are assigned")]
fn parse_integer(text: &str) -> i64 {
    text.parse().expect("a value of an integer key is an integer")
}

#[expect(clippy::expect_used, reason = "values are checked when they are assigned")]
fn parse_number(text: &str) -> f64 {
    text.parse().expect("a value of a decimal key is a number")
}

/// `values` with the last one repeated, up to `count` of them.
fn extended<T: Copy>(values: Vec<T>, count: usize) -> Vec<T> {
    let last = values.last().copied();
    values.into_iter().chain(std::iter::repeat_n(last, count).flatten()).take(count).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::super::keys::KEYS;
    use super::super::{Input, syntax};
    use super::*;

    fn read_as(text: &str, dialect: Dialect) -> Configuration {
        let input = Input::File { path: "f.cfg".into(), text: text.to_owned() };
        Configuration::new(syntax::parse(&[input], dialect), dialect)
    }

    fn read(text: &str) -> Configuration {
        read_as(text, Dialect::Standalone)
    }

    fn problems(text: &str) -> Vec<String> {
        read(text).finish().unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        let configuration = read("");
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let form = if key.default.parse::<f64>().is_ok() { Form::Decimal } else { Form::Word };
            assert!(key.value.accepts(key.default, form), "{}", key.name);
        }
        assert_eq!((configuration.integer("num_vcs"), configuration.text("topology")), (16, "torus"));
        assert!(configuration.finish().is_ok_and(|notes| notes.is_empty()));
    }

    #[test]
    fn later_assignments_win_and_short_vectors_repeat_their_last_entry() {
        let configuration = read("k = 4; k = 6; class_priority = {3,1}; packet_size = {{1,5},{2}};");
        assert_eq!(configuration.integer("k"), 6);
        assert_eq!(configuration.integers("class_priority", 3), [3, 1, 1]);
        assert_eq!(configuration.lists("packet_size", 3), [vec![1, 5], vec![2], vec![2]]);
        assert_eq!(configuration.decimals("injection_rate", 2), [0.1, 0.1]);
    }

    #[test]
    fn all_errors_are_reported_with_their_lines() {
        assert_eq!(
            problems("num_vcs = 2.0;\nnoq = 1;\npacket_sise = 4;\nk = x;"),
            [
                "f.cfg:1: num_vcs = 2.0: the value has the wrong type; accepted: integer",
                "f.cfg:3: packet_sise = 4: BookSim 2 has no key `packet_sise`; did you mean `packet_size`?; accepted: the keys \
                 of `flitwise list booksim-keys`",
                "f.cfg:4: k = x: the value has the wrong type; accepted: integer",
                "f.cfg:2: noq = 1: queues for the next output are not supported; accepted: 0",
            ]
        );
    }

    #[test]
    fn integers_are_accepted_for_decimals() {
        let configuration = read("injection_rate = 1; internal_speedup = 2; latency_thres = {1e3,-1};");
        assert_eq!(configuration.decimals("injection_rate", 1), [1.0]);
        assert_eq!(configuration.decimals("latency_thres", 2), [1000.0, -1.0]);
        assert!(configuration.finish().is_ok());
    }

    #[test]
    fn keys_without_effect_are_noted_unless_they_have_their_defaults() {
        let notes = read("vct = 1; alloc_iters = 1;\nstopping_thres = 0.050; measure_stats = {1,1};").finish().unwrap();
        let shown: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["f.cfg:1: vct = 1 has no effect: the input-queued router does not read it"]);
    }

    #[test]
    fn keys_of_embedded_networks_are_refused_by_name() {
        let shown = problems("flit_size = 32; use_map = 1;").join("\n");
        assert_eq!(
            shown,
            ["flit_size = 32", "use_map = 1"]
                .map(|subject| {
                    let key = subject.split(' ').next().unwrap();
                    format!(
                        "f.cfg:1: {subject}: BookSim 2 has no key `{key}`: only embedded networks read it; accepted: a \
                         configuration without it; `flitwise guide embed` describes embedded networks"
                    )
                })
                .join("\n")
        );
    }

    #[test]
    fn keys_of_traffic_have_their_defaults_in_embedded_networks() {
        let configuration = read_as("classes = 2\nsim_type = gpgpusim\nflit_size = 40\nk = 4", Dialect::Embedded);
        assert_eq!((configuration.integer("classes"), configuration.text("sim_type")), (1, "latency"));
        assert_eq!((configuration.integer("flit_size"), configuration.integer("k")), (40, 4));
        let notes: Vec<String> = configuration.finish().unwrap().iter().map(ToString::to_string).collect();
        let expected = ["f.cfg:1: classes = 2", "f.cfg:2: sim_type = gpgpusim"];
        assert_eq!(
            notes,
            expected.map(|subject| format!("{subject} has no effect: the host program sends the packets"))
        );
    }
}
