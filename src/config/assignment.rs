//! What the command line changes in a document: `--set KEY=VALUE` and `--unset KEY`.
//!
//! A value is TOML or, where it is none, a bare word: `engine.kind=flit`. An array is the value of a key that takes
//! arrays, and sweeps any other: `workload.multicast.flits=[1, 2, 4]`. Knows how keys are declared; refuses to know what
//! they mean.

use super::diagnostic::{Diagnostic, Place, Source};
use super::document::{Document, convert, syntax_error};
use super::range;
use super::renamed::Renamed;
use super::value::{Key, Node, Table, Value, dotted};
use crate::units::Key as Declared;
use crate::units::key::Takes;
use toml::de::DeValue;

/// The name of the sources that `--set` makes.
pub(crate) const SET: &str = "--set";

/// The name of the sources that `--unset` makes.
const UNSET: &str = "--unset";

impl Document {
    /// Sets what `assignment` says, `KEY=VALUE` with a dotted key, instead of sweeping the key if it is swept, and of the key
    /// that gives the same value in another unit. What the
    /// key takes decides whether an array is its value or sweeps it; `declared` are the keys of the top of a scenario.
    ///
    /// # Errors
    /// If it is not an assignment, with the place in it.
    pub fn set(&mut self, assignment: &str, declared: &'static [Declared]) -> Result<(), Diagnostic> {
        self.assign_text(assignment, declared, &mut Renamed::default())
    }

    /// As [`set`](Self::set), with a note in `renamed` if the key has an old spelling.
    pub(super) fn assign_text(
        &mut self,
        assignment: &str,
        declared: &'static [Declared],
        renamed: &mut Renamed,
    ) -> Result<(), Diagnostic> {
        let source = self.sources.len();
        self.sources.push(Source::new(SET, assignment));
        let Some((key, value)) = assignment.split_once('=') else {
            let what = if assignment.is_empty() { "the assignment is empty" } else { "the assignment has no `=`" };
            return Err(refusal(source, 0..assignment.len(), what));
        };
        let at_key = Place { source, span: 0..key.len() };
        // quotes keep a key in one piece; here it is the same whole or in pieces
        let mut path = dotted(&key.replace('"', ""), &at_key);
        if path.iter().any(|key| key.name.is_empty()) {
            return Err(refusal(source, 0..key.len(), "a key is missing before `=`"));
        }
        let in_sweep = path[0].name == "sweep";
        renamed.update_path(&mut path[usize::from(in_sweep)..], declared);
        let takes = takes(declared, if in_sweep { &path[1..] } else { &path });
        let offset = assignment.len() - value.trim_start().len();
        if value.trim().is_empty() {
            return Err(refusal(source, assignment.len()..assignment.len(), "a value is missing after `=`"));
        }
        let node = Written { source, takes }.read_value(value.trim(), offset)?;
        if let Some(other) = in_other_unit(declared, if in_sweep { &path[1..] } else { &path }) {
            unset(&mut self.root, &other);
        }
        if !in_sweep && sweeps(&node.value, takes) {
            path.insert(0, Key { name: "sweep".to_owned(), place: at_key });
        }
        self.assign(&path, node);
        Ok(())
    }

    /// Puts `node` at `path`, and stops sweeping what it sets; a sweep takes the place of the sweep before.
    fn assign(&mut self, path: &[Key], node: Node) {
        let swept = if path[0].name == "sweep" { &path[1..] } else { path };
        let name = swept.iter().map(|key| key.name.as_str()).collect::<Vec<_>>().join(".");
        if let (Some(Value::Table(sweep)), false) = (self.root.get_mut("sweep"), name.is_empty()) {
            if swept.len() < path.len() && sweep.replace(&name, &node) {
                return;
            }
            sweep.remove(&name);
        }
        self.root.put(path, node);
    }

    /// Adds `path`, which was to be taken away, as a source, and says that nothing stands there.
    pub(super) fn nothing_to_unset(&mut self, path: &str) -> Diagnostic {
        let place = Place { source: self.sources.len(), span: 0..path.len() };
        self.sources.push(Source::new(UNSET, path));
        let given = paths(&self.root);
        let wrong = Diagnostic::at(place, format!("nothing to unset: the scenario does not set `{path}`"));
        wrong.did_you_mean(path, given.iter().map(String::as_str))
    }
}

fn refusal(source: usize, span: std::ops::Range<usize>, what: &str) -> Diagnostic {
    Diagnostic::at(Place { source, span }, what)
        .note("accepted: KEY=VALUE with a dotted key and a TOML value or a bare word")
        .hint("for example --set engine.kind=flit or --set 'network.mesh.shape=[8, 8]'")
}

/// The dotted path of the key that gives the same value in another unit as that at `path`, if there is one.
pub(super) fn in_other_unit(declared: &'static [Declared], path: &[Key]) -> Option<String> {
    let (last, around) = path.split_last()?;
    let mut keys = declared;
    for part in around {
        keys = Declared::find(keys, &part.name)?.inner();
    }
    let other = other_unit(keys, &last.name)?;
    let parts = around.iter().map(|part| part.name.as_str()).chain([other]);
    Some(parts.collect::<Vec<_>>().join("."))
}

/// The one of `keys` that gives the same value in another unit as the one called `name`, if there is one.
pub(super) fn other_unit(keys: &'static [Declared], name: &str) -> Option<&'static str> {
    let filling = keys.iter().find(|key| key.fills == name).map(|key| key.name);
    let filled = keys.iter().find(|key| key.name == name && !key.fills.is_empty()).map(|key| key.fills);
    filling.or(filled)
}

/// What the key at `path` takes; none of a key that is not declared.
pub(super) fn takes(declared: &'static [Declared], path: &[Key]) -> Option<Takes> {
    let (first, rest) = path.split_first()?;
    let key = Declared::find(declared, &first.name)?;
    if rest.is_empty() { Some(key.takes) } else { takes(key.inner(), rest) }
}

/// Whether `value` is what a sweep of a key has, and not a value of the key itself.
fn sweeps(value: &Value, takes: Option<Takes>) -> bool {
    let (Value::Array(values), Some(takes)) = (value, takes) else {
        return matches!(value, Value::Table(table) if range::is_range(table));
    };
    match takes {
        Takes::Names(..)
        | Takes::Integers(..)
        | Takes::IntegersOrWord(..)
        | Takes::Words(_)
        | Takes::Strings
        | Takes::Steps(_)
        | Takes::Booleans
        | Takes::Values
        | Takes::Files => are_arrays(values),
        Takes::Rows(_) => {
            let rows = |node: &Node| matches!(&node.value, Value::Array(rows) if rows.is_empty() || are_arrays(rows));
            !values.is_empty() && values.iter().all(rows)
        }
        Takes::Table(_) | Takes::OneOf(_) | Takes::Tables(_) | Takes::Named(_) | Takes::Like(..) | Takes::Free => false,
        _ => true,
    }
}

/// Whether there are values, and all are arrays.
fn are_arrays(values: &[Node]) -> bool {
    !values.is_empty() && values.iter().all(|node| matches!(node.value, Value::Array(_)))
}

/// A value as it is typed for a key.
#[derive(Clone, Copy)]
struct Written {
    source: usize,
    takes: Option<Takes>,
}

impl Written {
    /// What `text`, which stands `offset` bytes into the source, spells; names without brackets are an array of them.
    fn read_value(self, text: &str, offset: usize) -> Result<Node, Diagnostic> {
        let node = self.read(text, offset)?;
        if !matches!(self.takes, Some(Takes::Names(..) | Takes::Strings)) || !matches!(node.value, Value::String(_)) {
            return Ok(node);
        }
        let place = node.place.clone();
        let values = match text.starts_with(['"', '\'']) {
            true => vec![node],
            false => {
                let words = words(text).into_iter().map(|(at, word)| self.read(word, offset + at));
                words.collect::<Result<_, _>>()?
            }
        };
        Ok(Node { value: Value::Array(values), place })
    }

    /// What `text`, which stands `offset` bytes into the source, spells: TOML, an array with bare words, or a bare word.
    fn read(self, text: &str, offset: usize) -> Result<Node, Diagnostic> {
        let (value, errors) = DeValue::parse_recoverable(text);
        let place = Place { source: self.source, span: offset..offset + text.len() };
        let string = |place| Ok(Node { value: Value::String(text.to_owned()), place });
        let Some(error) = errors.first() else {
            let node = convert(&value, self.source, offset);
            let is_text = matches!(node.value, Value::String(_) | Value::Array(_) | Value::Table(_));
            return if self.takes_text() && !is_text { string(place) } else { Ok(node) };
        };
        if let Some(elements) = elements(text) {
            let read = |(at, element): (usize, &str)| self.read(element, offset + at);
            let values = elements.into_iter().map(read).collect::<Result<_, _>>()?;
            return Ok(Node { value: Value::Array(values), place });
        }
        if !text.starts_with(['"', '\'', '[', '{']) && !text.contains('\n') {
            return string(place);
        }
        let syntax = syntax_error(error, self.source, offset, text.len());
        let at = syntax.place.map_or(place.span, |place| place.span);
        Err(refusal(self.source, at, &syntax.message))
    }

    /// Whether `2024` and `true` are names here.
    fn takes_text(self) -> bool {
        use Takes::{File, Files, Formula, Names, Strings, Text, Word};
        matches!(self.takes, Some(File | Files | Formula | Names(..) | Strings | Text | Word(_)))
    }
}

/// The words of `text` between commas, each with its place in it.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut from = 0;
    let mut words = Vec::new();
    for part in text.split(',') {
        let blanks = part.len() - part.trim_start().len();
        words.push((from + blanks, part.trim()));
        from += part.len() + 1;
    }
    words
}

/// The elements of the array `text`, each with its place in it; none if it is no array or has an element without text.
fn elements(text: &str) -> Option<Vec<(usize, &str)>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let mut cuts = Vec::new();
    let mut depth = 0_u32;
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => cuts.push(at),
            _ => {}
        }
    }
    cuts.push(inner.len());
    let mut from = 0;
    let mut elements = Vec::new();
    for cut in cuts {
        let element = &inner[from..cut];
        let blanks = element.len() - element.trim_start().len();
        elements.push((1 + from + blanks, element.trim()));
        from = cut + 1;
    }
    elements.iter().all(|(_, element)| !element.is_empty()).then_some(elements)
}

/// Takes away what stands at the dotted `path` of a scenario, its sweeps and tables that are empty then; false if nothing
/// stands there.
pub(super) fn unset(root: &mut Table, path: &str) -> bool {
    let found = take_away(root, path);
    let Some(Value::Table(sweep)) = root.get_mut("sweep") else { return found };
    let mut swept = take_away(sweep, path);
    if let Some(Value::Array(groups)) = sweep.get_mut("zip") {
        for node in groups {
            if let Value::Table(group) = &mut node.value {
                swept |= take_away(group, path);
            }
        }
    }
    found || swept
}

fn take_away(table: &mut Table, path: &str) -> bool {
    let below = format!("{path}.");
    let mut found = false;
    table.entries.retain_mut(|(key, node)| {
        // a quoted key can name what is below the table that is taken away
        if key.name == path || key.name.starts_with(&below) {
            found = true;
            return false;
        }
        let rest = path.strip_prefix(&key.name).and_then(|rest| rest.strip_prefix('.'));
        match (rest, &mut node.value) {
            (Some(rest), Value::Table(inner)) => {
                let taken = take_away(inner, rest);
                found |= taken;
                !(taken && inner.entries.is_empty())
            }
            _ => true,
        }
    });
    found
}

/// The dotted paths of all tables and keys in `table`.
fn paths(table: &Table) -> Vec<String> {
    let mut all = Vec::new();
    for (key, node) in &table.entries {
        all.push(key.name.clone());
        if let Value::Table(inner) = &node.value {
            all.extend(paths(inner).iter().map(|path| format!("{}.{path}", key.name)));
        }
    }
    all
}
