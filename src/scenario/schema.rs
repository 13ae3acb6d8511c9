//! A JSON Schema of scenario files, for editors: types, ranges, words and tables as the keys are declared.
//!
//! Draft 7, which plug-ins for TOML read. It knows what declarations know: which keys read which, and what a file or a
//! network makes impossible, only `flitwise check` tells.

use super::keys;
use crate::config::EVERY;
use crate::units::Key;
use crate::units::key::{Fallback, Measure, Readers, Takes, Words, each};
use serde_json::{Map, Value, json};

/// The schema of scenario files.
///
/// A key that is swept need not stand in its table too, so keys are required only of scenarios without a `[sweep]`.
pub fn schema() -> Value {
    let whole = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "flitwise scenario",
        "description": "workload, network and costs of a simulation; see `flitwise list keys`",
        "required": ["name"],
        "if": { "not": { "required": ["sweep"] } },
        "then": required(keys::root()),
    });
    merged(table(keys::root()), whole)
}

fn merged(mut schema: Value, more: Value) -> Value {
    if let (Value::Object(schema), Value::Object(more)) = (&mut schema, more) {
        schema.extend(more);
    }
    schema
}

/// A table with `keys` and no others.
fn table(keys: &[Key]) -> Value {
    let present = keys.iter().filter(|key| !key.has_any_name()).map(|key| (key.name.to_owned(), property(key)));
    let earlier = keys.iter().flat_map(|key| key.aliases.iter().map(|&name| (name.to_owned(), deprecated(key))));
    let properties: Map<String, Value> = present.chain(earlier).collect();
    let others = keys.iter().find(|key| key.has_any_name()).map_or(Value::Bool(false), property);
    json!({ "type": "object", "properties": properties, "additionalProperties": others })
}

fn property(key: &Key) -> Value {
    let schema = merged(values(key), json!({ "description": description(key) }));
    match default(key) {
        Some(default) => merged(schema, json!({ "default": default })),
        None => schema,
    }
}

/// An earlier name of `key`, which scenarios may still use.
fn deprecated(key: &Key) -> Value {
    merged(values(key), json!({ "description": format!("earlier name of `{}`", key.name), "deprecated": true }))
}

/// The values of a key: as it counts, or where it takes them with a unit.
fn values(key: &Key) -> Value {
    let Some(measure) = key.measure() else { return plain_values(key) };
    let text = json!({ "type": "string", "pattern": pattern(measure) });
    match key.takes {
        Takes::Quantity => text,
        Takes::Integers(least, most) => json!({ "type": "array", "items": { "anyOf": [integer(least, most), text] } }),
        Takes::IntegerOrArray(least, most) => {
            let one = json!({ "anyOf": [integer(least, most), text] });
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        _ => json!({ "anyOf": [plain_values(key), text] }),
    }
}

/// The pattern of values with a unit.
fn pattern(measure: Measure) -> String {
    let units = match measure {
        Measure::Ticks | Measure::Cycles | Measure::TicksPerByte => "([pnuµm]?s|ticks?|cycles?)",
        Measure::Flits | Measure::Bytes => "(([kKMGT]|[KMGT]i)?B|flits?)",
        Measure::Bandwidth | Measure::Load => "(([kKMGT]|[KMGT]i)?B/s|[kKMGT]?(b/s|bps|bit/s))",
    };
    format!("^[0-9][0-9_]*(\\.[0-9_]+)? *{units}$")
}

fn plain_values(key: &Key) -> Value {
    match key.takes {
        Takes::Quantity => json!({ "type": "string" }),
        Takes::Integer(least, most) => integer(least, most),
        Takes::IntegerOr(least, most, word) => json!({ "oneOf": [integer(least, most), { "const": word }] }),
        Takes::Number(f64::MIN_POSITIVE, most) => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most }),
        Takes::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
        Takes::Boolean => json!({ "type": "boolean" }),
        Takes::Text | Takes::File | Takes::Formula => json!({ "type": "string" }),
        Takes::Word(words) => word(words),
        Takes::Names(_, words) => {
            let every = json!({ "const": EVERY });
            let items = json!({ "anyOf": [word(words), every] });
            let names = json!({ "type": "array", "items": items, "uniqueItems": true, "minItems": 1 });
            json!({ "anyOf": [names, word(words), every] })
        }
        Takes::Integers(least, most) => json!({ "type": "array", "items": integer(least, most) }),
        Takes::IntegerOrArray(least, most) => {
            let one = integer(least, most);
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Takes::IntegersOrWord(least, most, words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "array", "items": integer(least, most) }] })
        }
        Takes::Rows(integers) => {
            let row =
                json!({ "type": "array", "items": integer(0, u64::MAX), "minItems": integers, "maxItems": integers });
            json!({ "type": "array", "items": row })
        }
        Takes::Words(words) => json!({ "anyOf": [word(words), { "type": "array", "items": word(words) }] }),
        Takes::Steps(words) => {
            let properties = json!({ "up_to": integer(0, u64::MAX), "algorithm": word(words) });
            let step = json!({ "type": "object", "properties": properties, "required": ["algorithm"], "additionalProperties": false });
            json!({ "anyOf": [word(words), { "type": "array", "items": step, "minItems": 1 }] })
        }
        Takes::Strings => json!({ "type": "array", "items": { "type": "string" } }),
        Takes::Booleans => json!({ "type": "array", "items": { "type": "boolean" } }),
        Takes::Files => {
            let one = json!({ "type": "string" });
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Takes::Values => {
            let one = json!({ "type": ["number", "string"] });
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Takes::Table(_) | Takes::Named(_) | Takes::Like(..) => table(key.inner()),
        Takes::OneOf(tables) => merged(table(tables), json!({ "minProperties": 1, "maxProperties": 1 })),
        Takes::Tables(keys) => {
            // claims are not swept: what they must have is required always
            json!({ "type": "array", "items": merged(table(keys), json!({ "required": must(keys) })) })
        }
        Takes::Free => json!({ "type": "object" }),
    }
}

fn word(words: Words) -> Value {
    json!({ "type": "string", "enum": each(words).collect::<Vec<_>>() })
}

fn integer(least: u64, most: u64) -> Value {
    // no integer of TOML is larger
    let most = most.min(i64::MAX.unsigned_abs());
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

/// The sentence, with the unit before it, as in "ticks: to set up a send", and where the key is read.
fn description(key: &Key) -> String {
    let unit = if key.unit.is_empty() { String::new() } else { format!("{}: ", key.unit) };
    let readers = match key.readers {
        Readers::All => String::new(),
        readers => format!(" ({})", readers.in_words()),
    };
    let default = match key.default {
        Fallback::Derived(words) if key.inner().is_empty() => format!("; default: {words}"),
        _ => String::new(),
    };
    format!("{unit}{}{readers}{default}", key.sentence)
}

fn default(key: &Key) -> Option<Value> {
    match key.default {
        Fallback::Required | Fallback::Derived(_) => None,
        Fallback::Integer(value) => Some(value.into()),
        Fallback::Number(value) => Some(value.into()),
        Fallback::Boolean(value) => Some(value.into()),
        Fallback::Word(word) => Some(word.into()),
    }
}

/// Which keys a table must have, and those of the tables in it.
fn required(keys: &[Key]) -> Value {
    let inner = keys.iter().filter(|key| matches!(key.takes, Takes::Table(_) | Takes::OneOf(_) | Takes::Like(..)));
    let inner: Map<String, Value> = inner.map(|key| (key.name.to_owned(), required(key.inner()))).collect();
    let all = json!({ "required": must(keys), "properties": inner });
    match keys.iter().find(|key| key.has_any_name()) {
        Some(named) => merged(all, json!({ "additionalProperties": required(named.inner()) })),
        None => all,
    }
}

fn must(keys: &[Key]) -> Vec<&str> {
    // a key in another unit may stand for it
    let is_filled = |key: &Key| keys.iter().any(|other| other.fills == key.name);
    let must = keys.iter().filter(|key| key.default == Fallback::Required && key.readers == Readers::All);
    // an earlier name may stand for it, too
    must.filter(|key| !is_filled(key) && key.aliases.is_empty()).map(|key| key.name).collect()
}
