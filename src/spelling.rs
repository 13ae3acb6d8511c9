//! Names as they are written: which one is meant, and lists of them for messages.
//!
//! Knows nothing of what the names stand for.

/// The name among `names` that is spelt most like `written`, if any is close.
pub fn closest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(written, name);
    let scored = names.into_iter().map(|name| (likeness(name), name));
    scored.filter(|&(likeness, _)| likeness > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// `names`, each in backticks, separated by commas.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
